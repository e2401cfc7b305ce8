//! For those who test tools: the command line of a kit, in process, and what it must answer. (feature `test`)

mod captured;
mod run;
mod surface;

pub use captured::Captured;
pub use run::{CliAssert, CliExt, CliOutput, CliRun};
pub use surface::surfaces;
