//! The last name of a path itself, whatever has it: links on the way are followed, one at the end is not.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::Errno;
use tool_core::ToolError;

use super::locate::Place;
use super::open::{Handle, Refused};
use super::protect::Use;
use super::target::as_error;
use super::{Relative, Workspace, WorkspacePath, refusal};

/// A name and the directory that holds it.
#[derive(Debug)]
pub(crate) struct Named {
    parent: Handle,
    /// The last component.
    pub(crate) name: Vec<u8>,
    /// What has the name.
    pub(crate) file: Handle,
}

impl Named {
    /// The directory.
    pub(crate) fn directory(&self) -> BorrowedFd<'_> {
        self.parent.as_fd()
    }

    /// The directory's handle.
    pub(crate) fn parent(&self) -> &Handle {
        &self.parent
    }

    /// The path of the name, without links on the way.
    pub(crate) fn relative(&self) -> &Relative {
        &self.file.relative
    }
}

impl Workspace {
    /// The handle of what has a name, checked for a use.
    ///
    /// # Errors
    /// Those of files.md §3 for paths.
    pub(crate) fn unfollowed(&self, path: &WorkspacePath, wanted: Use) -> Result<Handle, ToolError> {
        match path.relative().is_root() {
            true => self.existing(path, wanted),
            false => self.named(path, wanted).map(|named| named.file),
        }
    }

    /// What has a name, and the directory that holds it, checked for a use.
    ///
    /// # Errors
    /// Those of files.md §3 for paths; `path_invalid` for the root.
    pub(crate) fn named(&self, path: &WorkspacePath, wanted: Use) -> Result<Named, ToolError> {
        let given = path.given();
        let (Some(parent), Some(name)) = (path.relative().parent(), path.relative().name()) else {
            return Err(refusal::path_invalid(given, "it is the root of the workspace"));
        };
        self.begin(path, wanted)?;
        let parent = match self.locate(&path.beside(parent))?.place {
            Place::Existing(handle) => handle,
            Place::Missing { directory, names } => return Err(self.not_found(path, &directory, &names)),
        };
        let relative = parent.relative.join(name);
        self.permit(given, &relative, wanted)?;
        let file = match self.opener().child(parent.as_fd(), name, relative) {
            Ok(file) => file,
            Err(Refused::System(Errno::NOENT)) => {
                return Err(self.not_found(path, &parent, &[name.to_vec()]));
            }
            Err(refused) => return Err(as_error(given, refused)),
        };
        self.permit_handle(given, &file, wanted)?;
        Ok(Named { name: name.to_vec(), parent, file })
    }

    /// What a name means now, for a last look before it is renamed or removed.
    ///
    /// # Errors
    /// `path_changed` when it is not the same file any more.
    pub(crate) fn require_same(&self, given: &str, named: &Named) -> Result<(), ToolError> {
        let now = self.child_now(given, named.directory(), &named.name, named.relative().clone())?;
        let identity = |file: &Handle| (file.stat.st_dev, file.stat.st_ino);
        match identity(&now) == identity(&named.file) {
            true => Ok(()),
            false => Err(refusal::path_changed(given)),
        }
    }

    /// What has a name in a directory now; nothing is a change.
    pub(crate) fn child_now(
        &self,
        given: &str,
        directory: BorrowedFd<'_>,
        name: &[u8],
        relative: Relative,
    ) -> Result<Handle, ToolError> {
        match self.opener().child(directory, name, relative) {
            Ok(handle) => Ok(handle),
            Err(Refused::System(Errno::NOENT)) => Err(refusal::path_changed(given)),
            Err(refused) => Err(as_error(given, refused)),
        }
    }

    /// Refuses to take a name away from what is protected, or from a directory on the way to it.
    ///
    /// # Errors
    /// `protected_path`, `hardlink_refused`.
    pub(crate) fn permit_removal(&self, given: &str, file: &Handle) -> Result<(), ToolError> {
        self.permit(given, &file.relative, Use::Write)?;
        if file.is_directory() && self.names().is_on_the_way(&file.relative) {
            return Err(refusal::protected_path(given));
        }
        self.permit_handle(given, file, Use::Write)
    }
}
