//! One annotated function is a tool: definition, arguments, schema, registry and call pipeline.

extern crate self as tool_core;

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
mod access;
pub mod args;
mod ask;
mod call;
pub mod canonical;
mod capability;
mod clock;
mod context;
pub mod contract;
mod convert;
pub mod def;
mod depth;
pub mod dialect;
mod environment;
mod error;
mod fingerprint;
#[cfg(feature = "http")]
pub mod http;
mod items;
pub mod journal;
mod live;
mod output;
mod progress;
mod randomness;
pub mod recover;
pub mod registry;
pub mod schema;
pub mod search;
mod secret;
mod set;
mod structured;
#[cfg(feature = "test")]
pub mod test;
mod tool;
pub mod undo;

pub use access::{Access, AccessSink};
pub use args::{ArgIssue, Coerce, IssueCode};
pub use ask::{Asker, INPUT_REQUIRED, QUESTION_KEY, Question, Reply};
pub use call::{
    AGENT_TIMEOUT, APPROVAL_LIFE, APPROVAL_TIME, Agent, Approval, ApprovalId, ApprovalLevel, ApprovalRequest,
    ApprovalState, Approvals, Approver, AskAgent, BLOCKING_MAX, CALL_BUDGET, CALL_DEPTH, Call, CallScope,
    Caller, DEFAULT_TIMEOUT, Decision, Drained, Executor, ExecutorBuilder, Ext, Gate, Hidden, Invocation,
    Layer, Limits, MAX_AGENT_DEPTH, MemoryApprovals, Next, Pattern, Plan, Policy, PolicyRequest,
    QUESTIONS_MAX, QUESTIONS_OPEN, QUESTIONS_PERIOD, Rate, Reason, Row, RowSource, Runtime, SHUTDOWN_GRACE,
    Snapshot, SnapshotBuilder, Snapshots, ToolApproval, agent_tool_name, approval_hash, explain, gate,
    spawn_subset,
};
pub use call::{
    AuditOutput, AuditQuery, AuditRow, AuditSettings, AuditSink, Batch, CheckMode, Finished, INLINE_LIMIT,
    JournalAudit, JsonLines, MAX_OUTPUT_BYTES, MemoryResults, Parked, READ_RESULT, RESULT_LIFE,
    RESULTS_GONE_MAX, RESULTS_MAX, RETRIES, ReadResultTool, ResultLimits, ResultScope, ResultStore,
    ShapeSettings, TracingAudit, read_result,
};
pub use call::{
    Coordinates, EffectInfo, JOURNAL_WAIT, JournalMode, RECONCILE_TIME, SNAPSHOT_TIME, SnapshotHook,
    TraceLink, TraceParent, WorkspaceRoot,
};
#[cfg(feature = "limit")]
pub use call::{LimitSettings, RateBucket};
pub use call::{METRICS, Metric, MetricKind, Metrics, TELEMETRY_CONVENTIONS};
pub use call::{catalogue, metrics, redact};
pub use clock::{Clock, SystemClock};
pub use context::{CLIENT_CHARACTERS, ContextBuilder, ToolContext};
pub use def::{Behavior, BoxFuture, ToolDef};
pub use depth::MAX_OUTPUT_DEPTH;
pub use environment::{Environment, SystemEnvironment};
pub use error::{Effect, ErrorKind, ToolError};
pub use fingerprint::fingerprint;
pub use items::{ITEMS_BYTES, ItemSink, Items};
pub use live::{LiveSink, OutputStream, Piece};
pub use output::{Content, Finish, ResourceBody, ToolOutput, ToolResult, envelope};
pub use progress::{Progress, ProgressSink};
pub use randomness::{Randomness, SystemRandomness};
pub use registry::glob_matches;
pub use registry::{AnyTool, DynTool, Registry, RegistryError, Select, ToolEntry};
pub use secret::{EnvSecrets, Secret, SecretSource};
pub use set::ToolSet;
pub use structured::Structured;
pub use tool::Tool;
pub use tool_macros::{example, tool, tool_set, toolbox};

/// What a file with tools needs.
pub mod prelude {
    pub use crate::{
        Items, Secret, Tool, ToolContext, ToolError, ToolOutput, ToolResult, example, tool, tool_set, toolbox,
    };
}
