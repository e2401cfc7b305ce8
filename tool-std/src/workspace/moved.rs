//! What a directory takes along when it is moved: an agent's path rules hold for each entry, not only for its name.

use tool_core::{ToolContext, ToolError};

use super::walk::{GitDirectories, WalkOptions};
use super::{Handle, Relative, Workspace, WorkspacePath, refusal};

impl Workspace {
    /// Refuses to move a directory with something in it that the agent's policy refuses to the running tool, where it
    /// is or where it would come to be. Without such rules nothing is looked at.
    ///
    /// # Errors
    /// `path_not_allowed`, `path_denied`; `too_many_entries` and `permission_denied` for what cannot be judged.
    pub(crate) fn permit_moved_tree(
        &self,
        path: &WorkspacePath,
        root: &Handle,
        to: &Relative,
    ) -> Result<(), ToolError> {
        if !root.is_directory() || !self.call.as_ref().is_some_and(ToolContext::has_path_rules) {
            return Ok(());
        }
        let (given, most) = (path.given(), self.limits().tree_entries);
        let options = WalkOptions {
            hidden: true,
            git: GitDirectories::Descended,
            sees_everything: true,
            entries: Some(u64::MAX),
            ..WalkOptions::default()
        };
        let mut walk = self.walk(&path.beside(root.relative.clone()), options)?;
        // The directory itself is the first of them.
        let mut entries = 1;
        while let Some(entry) = walk.advance()? {
            entries += 1;
            if entries > most {
                return Err(refusal::too_many_entries(given, most));
            }
            self.permit_by_policy(&entry.relative)?;
            self.permit_by_policy(&to.join(entry.below_start()))?;
        }
        if walk.truncated().is_some() {
            return Err(refusal::too_many_entries(given, most));
        }
        match walk.unreadable().first.first() {
            Some(_) => Err(refusal::permission_denied(given)),
            None => Ok(()),
        }
    }
}
