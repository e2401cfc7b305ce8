//! How a call runs: `(name, arguments, caller)` in, one [`crate::ToolResult`] out.
//!
//! The [`Executor`] is the only way to run a tool. Each step between decoding and the function is a [`Layer`] in a file of
//! its own; their order is written in one place, [`Executor::standard`].

mod approve;
mod caller;
mod coordinates;
mod decode;
mod executor;
mod identify;
mod journal;
mod layer;
mod panic;
mod recording;
mod run;
mod scope;
mod settle;

pub use approve::{APPROVAL_TIME, ApprovalLevel, ApprovalRequest, Approver, Decision};
pub use caller::Caller;
pub use coordinates::Coordinates;
pub(crate) use coordinates::RunScope;
pub use executor::{Call, Executor, ExecutorBuilder, Plan};
pub use journal::{
    EffectInfo, JOURNAL_WAIT, JournalMode, RECONCILE_TIME, SNAPSHOT_TIME, SnapshotHook, WorkspaceRoot,
};
pub use layer::{Ext, Invocation, Layer, Next};
pub use run::DEFAULT_TIMEOUT;
pub use scope::CallScope;
