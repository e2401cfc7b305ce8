//! Undoing a change: only while what it made is still as it was made (files.md §13).

use rustix::fs::{AtFlags, unlinkat};
use tool_core::journal::RecordedCall;
use tool_core::{ToolContext, ToolError};

use super::reconcile::is_untouched;
use super::version;
use crate::workspace::{Deed, Evidence, Parents, Taken, Use, Workspace, WorkspacePath, refusal};

/// The handler of every file tool that can be undone.
pub(crate) async fn revert(call: &RecordedCall, ctx: &ToolContext) -> Result<(), ToolError> {
    let workspace = ctx.require::<Workspace>()?;
    let key = call.key.clone();
    let undone = tokio::task::spawn_blocking(move || undo(&workspace, &key)).await;
    undone.unwrap_or_else(|_| Err(ToolError::internal("The change could not be undone.")))
}

fn undo(workspace: &Workspace, key: &str) -> Result<(), ToolError> {
    let found = workspace.evidence(key).map_err(|error| refusal::io("the evidence", &error))?;
    let (evidence, old) = found.ok_or_else(|| no_handler("The call left no evidence of what it changed."))?;
    if !workspace.is_about(&evidence) {
        return Err(no_handler("The call changed another workspace."));
    }
    if !is_untouched(workspace, &evidence) {
        let after = evidence.after.as_ref().and_then(|seen| seen.sha256.as_deref());
        let expected = after.and_then(|after| after.get(..16)).unwrap_or("-");
        let found = version_now(workspace, &evidence.path);
        return Err(refusal::version_mismatch(&evidence.path, expected, found.as_deref()));
    }
    let undoing = Undoing { workspace, evidence: &evidence, old };
    match evidence.deed {
        Deed::Written | Deed::Copied => undoing.restore(),
        Deed::Appended => undoing.shorten(),
        Deed::Moved => undoing.move_back(),
        Deed::Made => undoing.unmake(),
        Deed::Deleted => Err(no_handler("What was deleted is gone.")),
    }
}

/// The version of a file as it is now; nothing where there is none that can be read.
fn version_now(workspace: &Workspace, shown: &str) -> Option<String> {
    let path = workspace.resolve(shown.as_ref()).ok()?;
    workspace.read(&path).ok().map(|bytes| version::of(&bytes))
}

fn no_handler(text: &'static str) -> ToolError {
    ToolError::failed(text).code("no_handler")
}

/// A change that is as it was made.
struct Undoing<'a> {
    workspace: &'a Workspace,
    evidence: &'a Evidence,
    old: Option<Vec<u8>>,
}

impl Undoing<'_> {
    /// Puts the old bytes back, or removes what was not there.
    fn restore(&self) -> Result<(), ToolError> {
        let path = self.path(&self.evidence.path)?;
        match (&self.evidence.before, &self.old) {
            (Some(_), Some(old)) => self.put(&path, old),
            (Some(_), None) => Err(no_handler("The old bytes are not kept.")),
            (None, _) => self.remove(&path).map(|()| self.remove_parents()),
        }
    }

    fn put(&self, path: &WorkspacePath, bytes: &[u8]) -> Result<(), ToolError> {
        let target = self.workspace.target(path, Parents::Required, Taken::Used, |_, _, _| Ok(()))?;
        let access = self.evidence.before.as_ref().and_then(|before| before.access);
        self.workspace.replace_as(path.given(), &target, access, bytes, || Ok(()))
    }

    fn remove(&self, path: &WorkspacePath) -> Result<(), ToolError> {
        let named = self.workspace.named(path, Use::Write)?;
        if named.file.is_directory() {
            return Err(no_handler("A tree is not removed again."));
        }
        let _held = self.workspace.hold_all(path.given(), &[Some(named.parent())])?;
        self.workspace.require_same(path.given(), &named)?;
        unlinkat(named.directory(), named.name.as_slice(), AtFlags::empty())
            .map_err(|errno| refusal::system(path.given(), errno))?;
        self.workspace.sync_names(path.given(), named.parent())
    }

    /// Leaves the bytes that were there before.
    fn shorten(&self) -> Result<(), ToolError> {
        let path = self.path(&self.evidence.path)?;
        let (before, after) = (self.evidence.before.as_ref(), self.evidence.after.as_ref());
        let mut bytes = self.workspace.read(&path)?;
        if after.is_none_or(|after| after.size != bytes.len() as u64) {
            // Somebody has added to it since.
            return Err(refusal::path_changed(path.given()));
        }
        let size = before.and_then(|before| usize::try_from(before.size).ok()).unwrap_or_default();
        bytes.truncate(size);
        self.put(&path, &bytes)
    }

    fn move_back(&self) -> Result<(), ToolError> {
        if self.evidence.before.is_some() && self.old.is_none() {
            return Err(no_handler("The bytes of the file that was replaced are not kept."));
        }
        let (to, from) =
            (self.path(&self.evidence.path)?, self.path(self.evidence.from.as_deref().unwrap_or("."))?);
        let named = self.workspace.named(&to, Use::Write)?;
        let destination = self.workspace.destination(&from)?;
        if destination.is_taken {
            return Err(refusal::already_exists(from.given()));
        }
        let mut held = destination.hold(self.workspace, Parents::Made, Some(named.parent()))?;
        self.workspace.require_same(to.given(), &named)?;
        held.rename_here(named.directory(), &named.name)?;
        self.workspace.sync_names(to.given(), named.parent())?;
        drop(held);
        match &self.old {
            Some(old) => self.put(&to, old),
            None => {
                self.remove_parents();
                Ok(())
            }
        }
    }

    /// Removes the directories that were made for what is gone again, from the deepest up, until something is in one.
    fn remove_parents(&self) {
        for made in self.evidence.made.iter().rev() {
            if self.path(made).and_then(|path| self.remove_directory(&path)).is_err() {
                return;
            }
        }
    }

    /// Removes the directories again, from the deepest up, as long as nothing is in them.
    fn unmake(&self) -> Result<(), ToolError> {
        self.evidence.made.iter().rev().try_for_each(|made| self.remove_directory(&self.path(made)?))
    }

    fn remove_directory(&self, path: &WorkspacePath) -> Result<(), ToolError> {
        let named = self.workspace.named(path, Use::Write)?;
        unlinkat(named.directory(), named.name.as_slice(), AtFlags::REMOVEDIR).map_err(
            |errno| match errno {
                rustix::io::Errno::NOTEMPTY | rustix::io::Errno::EXIST => {
                    refusal::directory_not_empty(path.given())
                }
                errno => refusal::system(path.given(), errno),
            },
        )?;
        self.workspace.sync_names(path.given(), named.parent())
    }

    fn path(&self, shown: &str) -> Result<WorkspacePath, ToolError> {
        self.workspace.resolve(shown.as_ref())
    }
}
