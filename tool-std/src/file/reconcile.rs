//! Whether a change in doubt was made: the evidence that the call left, against what is there now (files.md §13).

use rustix::fs::FileType;
use tool_core::journal::{Reconciled, RecordedCall};
use tool_core::{ToolContext, ToolOutput};

use crate::workspace::{Deed, Evidence, Handle, Relative, Seen, Workspace};

/// The handler of every file tool with a side effect.
pub(crate) async fn reconcile(call: &RecordedCall, ctx: &ToolContext) -> Reconciled {
    let Ok(workspace) = ctx.require::<Workspace>() else { return Reconciled::Unknown };
    let key = call.key.clone();
    tokio::task::spawn_blocking(move || judge(&workspace, &key)).await.unwrap_or(Reconciled::Unknown)
}

fn judge(workspace: &Workspace, key: &str) -> Reconciled {
    match workspace.evidence(key) {
        // Nothing is changed before there is evidence.
        Ok(None) => Reconciled::NotDone,
        Ok(Some((evidence, _))) if workspace.is_about(&evidence) => match state(workspace, &evidence) {
            Some(State::After) => Reconciled::Done(ToolOutput::structured(evidence.output)),
            Some(State::Before) => Reconciled::NotDone,
            Some(State::Neither) | None => Reconciled::Unknown,
        },
        Ok(Some(_)) | Err(_) => Reconciled::Unknown,
    }
}

/// How what is there now compares with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// As before it.
    Before,
    /// As after it.
    After,
    /// As neither.
    Neither,
}

/// How what is there now compares with a change; `None` where it cannot be looked at.
pub(crate) fn state(workspace: &Workspace, evidence: &Evidence) -> Option<State> {
    let now = at(workspace, &evidence.path)?;
    let now = now.as_ref();
    let (before, after) = (evidence.before.as_ref(), evidence.after.as_ref());
    let either = |done: bool, undone: bool| match (done, undone) {
        (true, _) => State::After,
        (false, true) => State::Before,
        (false, false) => State::Neither,
    };
    Some(match evidence.deed {
        Deed::Written => either(is(workspace, now, after)?, is(workspace, now, before)?),
        Deed::Appended => appended(workspace, now, before?, after?)?,
        // A number is given again to another file when the one that had it is gone.
        Deed::Copied => either(has_id(now, after) && is(workspace, now, after)?, is(workspace, now, before)?),
        Deed::Deleted => match has_id(now, before) {
            true => State::Before,
            false => State::After,
        },
        Deed::Moved => {
            let source = at(workspace, evidence.from.as_deref()?)?;
            let moved = has_id(now, after)
                || (evidence.after.as_ref()?.sha256.is_some() && is(workspace, now, after)?);
            match has_id(source.as_ref(), after) {
                true => State::Before,
                false => either(moved, false),
            }
        }
        Deed::Made => match now {
            Some(handle) if handle.is_directory() => State::After,
            Some(_) => State::Neither,
            None => State::Before,
        },
    })
}

/// Whether what a change made is still as it was made: by its content too, where that was looked at.
pub(crate) fn is_untouched(workspace: &Workspace, evidence: &Evidence) -> bool {
    let has_content = evidence.deed != Deed::Appended
        && evidence.after.as_ref().is_some_and(|after| after.sha256.is_some());
    let is_same = || {
        let now = at(workspace, &evidence.path)?;
        is(workspace, now.as_ref(), evidence.after.as_ref())
    };
    state(workspace, evidence) == Some(State::After) && (!has_content || is_same() == Some(true))
}

/// What a path of the evidence means now.
fn at(workspace: &Workspace, shown: &str) -> Option<Option<Handle>> {
    workspace.seen_now(&relative(workspace, shown)?).ok()
}

/// A path of the evidence.
fn relative(workspace: &Workspace, shown: &str) -> Option<Relative> {
    workspace.resolve(shown.as_ref()).ok().map(|path| path.relative().clone())
}

/// Whether something is what was seen, by its content where that was looked at.
fn is(workspace: &Workspace, now: Option<&Handle>, seen: Option<&Seen>) -> Option<bool> {
    Some(match (now, seen) {
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
        (Some(now), Some(Seen { sha256: Some(sha256), size, .. })) => {
            let is_file = now.kind() == FileType::RegularFile && now.stat.st_size.cast_unsigned() == *size;
            is_file && workspace.digest(now, u64::MAX).ok()?.0 == *sha256
        }
        (Some(now), seen) => has_id(Some(now), seen),
    })
}

fn has_id(now: Option<&Handle>, seen: Option<&Seen>) -> bool {
    let id = now.map(|now| (now.stat.st_dev, now.stat.st_ino));
    id.is_some() && id == seen.and_then(|seen| seen.id)
}

/// By size, and the digest of as many bytes.
fn appended(workspace: &Workspace, now: Option<&Handle>, before: &Seen, after: &Seen) -> Option<State> {
    let Some(now) = now.filter(|now| now.kind() == FileType::RegularFile) else {
        return Some(State::Neither);
    };
    let size = now.stat.st_size.cast_unsigned();
    for (seen, state, fits) in
        [(after, State::After, size >= after.size), (before, State::Before, size == before.size)]
    {
        if fits && workspace.digest(now, seen.size).ok()?.0 == *seen.sha256.as_ref()? {
            return Some(state);
        }
    }
    Some(State::Neither)
}
