//! Making directories: each beneath the one before, never through a link that is on the way meanwhile.

use std::os::fd::AsFd;

use tool_core::ToolError;

use super::locate::Place;
use super::protect::Use;
use super::quota::Change;
use super::target::Parents;
use super::{Relative, Workspace, WorkspacePath, refusal};

impl Workspace {
    /// Makes a directory and says whether it is new; one that is there already is as good. `before` hears of the
    /// directories that come to be.
    ///
    /// # Errors
    /// `already_exists` where something else has the name; `path_not_found` for parents that are required.
    pub(crate) fn make_directory(
        &self,
        path: &WorkspacePath,
        parents: Parents,
        before: impl FnOnce(&[Relative]) -> Result<(), ToolError>,
    ) -> Result<bool, ToolError> {
        self.may_write()?;
        let given = path.given();
        let (base, names) = match self.located(path, Use::Write)?.place {
            Place::Existing(handle) if handle.is_directory() => return Ok(false),
            Place::Existing(_) => return Err(refusal::already_exists(given)),
            Place::Missing { directory, names } => (directory, names),
        };
        if names.len() > 1 && parents == Parents::Required {
            return Err(refusal::path_not_found(given));
        }
        let change = Change { new_files: names.len() as u64, ..Change::default() };
        self.permit_change(base.as_fd(), change)?;
        let mut directories: Vec<Relative> = Vec::new();
        for name in &names {
            directories.push(directories.last().unwrap_or(&base.relative).join(name));
        }
        before(&directories)?;
        let (directory, made) = self.make_directories(given, base, &names)?;
        made.keep();
        self.note_change(change);
        self.sync_names(given, &directory)?;
        Ok(true)
    }
}
