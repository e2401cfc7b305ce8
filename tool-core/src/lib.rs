//! One annotated function is a tool: definition, arguments, schema, registry and call pipeline.

extern crate self as tool_core;

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
pub mod args;
mod call;
pub mod canonical;
mod capability;
mod context;
mod convert;
pub mod def;
mod error;
mod fingerprint;
pub mod journal;
mod live;
mod output;
mod progress;
pub mod recover;
pub mod registry;
pub mod schema;
mod secret;
mod set;
mod tool;

pub use args::{ArgIssue, Coerce, IssueCode};
pub use call::{
    APPROVAL_TIME, ApprovalLevel, ApprovalRequest, Approver, Call, CallScope, Caller, Coordinates,
    DEFAULT_TIMEOUT, Decision, EffectInfo, Executor, ExecutorBuilder, Ext, Invocation, JOURNAL_WAIT,
    JournalMode, Layer, Next, Plan, RECONCILE_TIME, SNAPSHOT_TIME, SnapshotHook, WorkspaceRoot,
};
pub use context::{ContextBuilder, ToolContext};
pub use def::{Behavior, BoxFuture, ToolDef};
pub use error::{Effect, ErrorKind, ToolError};
pub use fingerprint::fingerprint;
pub use live::{LiveSink, OutputStream, Piece};
pub use output::{Content, Finish, ToolOutput, ToolResult, envelope};
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
