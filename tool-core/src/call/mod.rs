//! How a call runs: `(name, arguments, caller)` in, one [`crate::ToolResult`] out.
//!
//! The [`Executor`] is the only way to run a tool. Each step between decoding and the function is a [`Layer`] in a file of
//! its own; their order is written in one place, [`Executor::standard`].

mod approvals;
mod approve;
mod audit;
mod batch;
mod blocking;
mod builder;
mod caller;
pub mod catalogue;
mod check;
mod closing;
mod coordinates;
mod current;
mod decode;
mod executor;
mod facts;
pub(crate) mod gate;
mod identify;
mod journal;
mod layer;
#[cfg(feature = "limit")]
mod limit;
pub mod metrics;
mod nested;
mod outside;
mod panic;
mod plan;
mod policy;
mod question;
mod recording;
pub mod redact;
mod refuse;
mod retry;
mod run;
mod scope;
mod secrets;
mod settle;
mod shape;
mod snapshot;
mod thread;
mod trace;
mod traceparent;
mod tried;
mod who;

pub use approvals::{
    APPROVAL_LIFE, Approval, ApprovalId, ApprovalState, Approvals, MemoryApprovals, QUESTIONS_MAX,
    QUESTIONS_OPEN, QUESTIONS_PERIOD, approval_hash,
};
pub use approve::{APPROVAL_TIME, ApprovalLevel, ApprovalRequest, Approver, Decision};
pub use audit::{
    AuditOutput, AuditQuery, AuditRow, AuditSettings, AuditSink, JournalAudit, JsonLines, TracingAudit,
};
pub use batch::{Batch, Finished};
pub use builder::ExecutorBuilder;
pub use caller::Caller;
pub use check::CheckMode;
pub use closing::{Drained, SHUTDOWN_GRACE};
pub use coordinates::Coordinates;
pub(crate) use coordinates::RunScope;
pub(crate) use current::AtOnce;
pub use executor::{Call, Executor};
pub use gate::{
    AGENT_TIMEOUT, Agent, AskAgent, Gate, Hidden, MAX_AGENT_DEPTH, Pattern, Reason, Row, RowSource, Runtime,
    Snapshot, SnapshotBuilder, Snapshots, agent_tool_name, explain, gate, spawn_subset,
};
pub use journal::{JOURNAL_WAIT, JournalMode, RECONCILE_TIME};
pub use layer::{Ext, Invocation, Layer, Next};
#[cfg(feature = "limit")]
pub use limit::{LimitSettings, RateBucket};
pub use metrics::{METRICS, Metric, MetricKind, Metrics, TELEMETRY_CONVENTIONS};
pub use nested::{CALL_BUDGET, CALL_DEPTH};
pub(crate) use panic::{Quiet, quiet};
pub use plan::Plan;
pub use policy::{Limits, Policy, PolicyRequest, Rate, ToolApproval};
pub use retry::RETRIES;
pub use run::{BLOCKING_MAX, DEFAULT_TIMEOUT};
pub use scope::CallScope;
#[cfg(feature = "test")]
pub(crate) use secrets::texts;
pub(crate) use settle::{input as recorded_input, reconciled};
pub use shape::{
    INLINE_LIMIT, MAX_OUTPUT_BYTES, MemoryResults, Parked, READ_RESULT, RESULT_LIFE, RESULTS_GONE_MAX,
    RESULTS_MAX, ReadResultTool, ResultLimits, ResultScope, ResultStore, ShapeSettings, read_result,
};
pub(crate) use shape::{scrub, scrub_json};
pub use snapshot::{EffectInfo, SNAPSHOT_TIME, SnapshotHook, WorkspaceRoot};
pub use traceparent::{TraceLink, TraceParent};
pub(crate) use tried::Try;
