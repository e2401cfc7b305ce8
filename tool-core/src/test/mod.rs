//! For those who test tools: a kit that calls them as their callers do, checks of a whole set, as macros. (feature `test`)

pub mod answer;
mod audited;
mod blocking;
mod builder;
mod called;
mod everywhere;
mod fixture;
mod issues;
mod kit;
mod lock;
mod model;
mod script;
mod shown;
mod surface;
#[cfg(unix)]
mod temporary;
#[cfg(unix)]
mod tree;
mod typed;
mod watch;

pub use answer::Answer;
pub use audited::Audited;
pub use builder::KitBuilder;
pub use called::{CallResult, Called};
pub use everywhere::{Everywhere, Outcomes};
pub use fixture::Fixture;
pub use issues::issues_of;
pub use kit::ToolKit;
pub use lock::locked;
pub use model::{DialectKit, ModelCalled};
pub use script::Script;
pub use surface::{Case, SurfaceUnderTest, Told};
#[cfg(unix)]
pub use temporary::TemporaryDirectory;
#[cfg(unix)]
pub use tree::{Node, Tree, TreePath, file, hole, link, same_as};
pub use typed::TypedCall;
pub use watch::Event;

pub use crate::schema::{Random, Values, says_all_of};
