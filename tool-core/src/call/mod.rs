//! How a call runs: `(name, arguments, caller)` in, one [`crate::ToolResult`] out.
//!
//! The [`Executor`] is the only way to run a tool. Each step between decoding and the function is a [`Layer`] in a file of
//! its own; their order is written in one place, [`Executor::standard`].

mod approve;
mod caller;
mod decode;
mod executor;
mod layer;
mod panic;
mod run;
mod scope;

pub use approve::{APPROVAL_TIME, ApprovalLevel, ApprovalRequest, Approver, Decision};
pub use caller::Caller;
pub use executor::{Call, Executor, ExecutorBuilder, Plan};
pub use layer::{Ext, Invocation, Layer, Next};
pub use run::DEFAULT_TIMEOUT;
pub use scope::CallScope;
