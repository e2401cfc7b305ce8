//! Whoever looks after each side effect that ran, before its result goes out. (journal.md §8)

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::panic;
use crate::context::ToolContext;
use crate::def::BoxFuture;
use crate::error::ToolError;
use crate::journal::Status;

/// How long a snapshot may take.
pub const SNAPSHOT_TIME: Duration = Duration::from_secs(10);

/// What a [`SnapshotHook`] is told.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EffectInfo<'a> {
    /// The effective name of the tool.
    pub tool: &'a str,
    /// The id of the call.
    pub call_id: &'a str,
    /// What the call was recorded as.
    pub status: Status,
    /// The workspace of the call, where its context has a [`WorkspaceRoot`].
    pub workspace: Option<&'a Path>,
}

/// The capability that tells a [`SnapshotHook`] where files may have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceRoot(pub PathBuf);

/// Somebody who looks after each side effect that ran, before its result goes out.
///
/// It has ten seconds; an error, a panic or more time is a warning in the log and never changes the result.
pub trait SnapshotHook: Send + Sync {
    /// A side effect ran; it may have failed and have changed something all the same.
    fn after_effect<'a>(&'a self, effect: &'a EffectInfo<'a>) -> BoxFuture<'a, Result<(), ToolError>>;
}

/// Tells the hook; whatever it does, the result stays.
pub(super) async fn tell(
    hook: &dyn SnapshotHook,
    ctx: &ToolContext,
    tool: &str,
    call_id: &str,
    status: Status,
) {
    let root = ctx.capability::<WorkspaceRoot>();
    let info = EffectInfo { tool, call_id, status, workspace: root.as_ref().map(|root| root.0.as_path()) };
    let guarded = panic::quiet(tool, || hook.after_effect(&info));
    let told = async {
        match guarded {
            Some(future) => panic::Quiet(future).await,
            None => Some(Ok(())),
        }
    };
    let problem = match tokio::time::timeout(SNAPSHOT_TIME, told).await {
        Ok(Some(Ok(()))) => return,
        Ok(Some(Err(error))) => error.to_string(),
        Ok(None) => "it panicked".to_owned(),
        Err(_) => "it did not end in time".to_owned(),
    };
    tracing::warn!(target: "toolbox::journal", tool, problem, "a snapshot failed");
}
