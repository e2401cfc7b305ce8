//! One annotated function is a tool: definition, arguments, schema, registry and call pipeline.

extern crate self as tool_core;

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
pub mod args;
mod call;
mod capability;
mod context;
mod convert;
pub mod def;
pub mod dialect;
mod error;
mod live;
mod output;
mod progress;
pub mod registry;
pub mod schema;
mod secret;
mod set;
mod tool;

pub use args::{ArgIssue, Coerce, IssueCode};
pub use call::{
    APPROVAL_TIME, ApprovalLevel, ApprovalRequest, Approver, Call, CallScope, Caller, DEFAULT_TIMEOUT,
    Decision, Executor, ExecutorBuilder, Ext, Invocation, Layer, Next, Plan,
};
pub use context::{ContextBuilder, ToolContext};
pub use def::{Behavior, BoxFuture, ToolDef};
pub use error::{Effect, ErrorKind, ToolError};
pub use live::{LiveSink, OutputStream, Piece};
pub use output::{Content, Finish, ResourceBody, ToolOutput, ToolResult, envelope};
pub use progress::{Progress, ProgressSink};
pub use registry::{AnyTool, DynTool, Registry, RegistryError, Select, ToolEntry};
pub use secret::{EnvSecrets, Secret, SecretSource};
pub use set::ToolSet;
pub use tool::Tool;
pub use tool_macros::{example, tool, tool_set, toolbox};

/// What a file with tools needs.
pub mod prelude {
    pub use crate::{
        Secret, Tool, ToolContext, ToolError, ToolOutput, ToolResult, example, tool, tool_set, toolbox,
    };
}
