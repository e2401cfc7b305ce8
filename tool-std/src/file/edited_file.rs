//! What the three edit tools share: read a file, let an engine make the new bytes, put them in its place.
//!
//! The directory is held from reading to renaming, so edits of one file never overtake each other (files.md §4).

use std::path::Path;

use rustix::fs::OFlags;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tool_core::ToolError;

use super::content::Content;
use super::version::{self, Expected};
use crate::edit::{Applied, Edited, Excerpt};
use crate::workspace::{
    Change, Deed, Handle, Intent, Parents, Seen, Taken, Target, Use, Workspace, WorkspacePath, refusal,
};

/// How often an edit begins again because the file changed meanwhile.
const ATTEMPTS: usize = 3;

/// A file that was edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EditedFile {
    /// The file, relative to the workspace root.
    pub path: String,
    /// Version of the file now.
    pub version: String,
    /// Version of the file before.
    pub previous_version: String,
    /// Where each hunk, patch or replacement was applied, in file order.
    pub hunks: Vec<Applied>,
    /// Lines that were added.
    pub lines_added: usize,
    /// Lines that were removed.
    pub lines_removed: usize,
    /// Bytes of the file now.
    pub size: usize,
    /// The new text around each change.
    #[schemars(extend("x-log" = "hash"))]
    pub excerpts: Vec<Excerpt>,
    /// What should be looked at all the same.
    pub warnings: Vec<String>,
}

impl EditedFile {
    /// The new bytes, and what is told of them.
    fn new(path: &WorkspacePath, old: &[u8], edited: Edited) -> (Vec<u8>, Self) {
        let done = Self {
            path: path.shown(),
            version: version::of(&edited.bytes),
            previous_version: version::of(old),
            hunks: edited.hunks,
            lines_added: edited.lines_added,
            lines_removed: edited.lines_removed,
            size: edited.bytes.len(),
            excerpts: edited.excerpts,
            warnings: edited.warnings,
        };
        (edited.bytes, done)
    }
}

/// An edit of one file with its arguments checked.
pub(crate) struct FileEdit<'w> {
    workspace: &'w Workspace,
    path: WorkspacePath,
    expected: Option<Expected>,
}

impl<'w> FileEdit<'w> {
    /// Checks path and version.
    ///
    /// # Errors
    /// Those of a path; `invalid_args` for a version that is none.
    pub(crate) fn new(
        workspace: &'w Workspace,
        path: &Path,
        expected_version: Option<&str>,
    ) -> Result<Self, ToolError> {
        let expected = expected_version.map(Expected::parse).transpose()?;
        Ok(Self { workspace, path: workspace.resolve(path)?, expected })
    }

    /// The last component of the path.
    pub(crate) fn name(&self) -> String {
        String::from_utf8_lossy(self.path.relative().name().unwrap_or_default()).into_owned()
    }

    /// Runs an engine on the bytes of the file and writes what it makes.
    ///
    /// # Errors
    /// Those of the engine, and of files.md §3 for paths and files.
    pub(crate) fn run(
        &self,
        engine: impl Fn(&[u8]) -> Result<Edited, ToolError>,
    ) -> Result<EditedFile, ToolError> {
        self.run_answering(engine, |done| serde_json::to_value(done).unwrap_or_default())
    }

    /// The same for a tool that answers with more than what was edited.
    ///
    /// # Errors
    /// As [`FileEdit::run`].
    pub(crate) fn run_answering(
        &self,
        engine: impl Fn(&[u8]) -> Result<Edited, ToolError>,
        answer: impl Fn(&EditedFile) -> Value,
    ) -> Result<EditedFile, ToolError> {
        let mut attempt = 1;
        loop {
            match self.try_once(&engine, &answer) {
                Err(error) if attempt < ATTEMPTS && error.code_str() == "path_changed" => attempt += 1,
                other => return other,
            }
        }
    }

    fn try_once(
        &self,
        engine: impl Fn(&[u8]) -> Result<Edited, ToolError>,
        answer: impl Fn(&EditedFile) -> Value,
    ) -> Result<EditedFile, ToolError> {
        let given = self.path.given();
        let target = self.target()?;
        let Some(file) = &target.existing else { return Err(self.missing(refusal::path_not_found(given))) };
        let old = self.read(file)?;
        self.require(&old)?;
        let edited = engine(&old)?;
        let change =
            Change { old_bytes: old.len() as u64, new_bytes: edited.bytes.len() as u64, new_files: 0 };
        self.workspace.permit_change(target.directory(), change)?;
        let (new, done) = EditedFile::new(&self.path, &old, edited);
        self.workspace.replace(given, &target, &new, || {
            if self.read(file)? != old {
                return Err(refusal::path_changed(given));
            }
            if !self.workspace.is_recorded() {
                return Ok(());
            }
            self.workspace.keep_evidence(Intent {
                before: Some(Seen { sha256: Some(version::digest(&old)), ..Seen::of(&file.stat) }),
                after: Some(Seen::content(&[&new])),
                old: Some(&old),
                ..Intent::new(Deed::Written, &target.relative(), answer(&done))
            })
        })?;
        self.workspace.note_change(change);
        Ok(done)
    }

    /// The file, its directory held.
    fn target(&self) -> Result<Target, ToolError> {
        let given = self.path.given();
        self.workspace.regular_file(&self.path, Use::Write).map_err(|error| self.missing(error))?;
        self.workspace.target(&self.path, Parents::Required, Taken::Used, |exists, _, _| match exists {
            true => Ok(()),
            false => Err(self.missing(refusal::path_not_found(given))),
        })
    }

    /// The error of a file that is not there: it is not of the expected version either.
    fn missing(&self, error: ToolError) -> ToolError {
        match &self.expected {
            Some(expected) if error.code_str() == "path_not_found" => {
                refusal::version_mismatch(self.path.given(), expected.shown(), None)
            }
            _ => error,
        }
    }

    fn read(&self, file: &Handle) -> Result<Vec<u8>, ToolError> {
        let given = self.path.given();
        let open = file.reopen(OFlags::RDONLY).map_err(|errno| refusal::system(given, errno))?;
        let size = open.metadata().map_err(|error| refusal::io(given, &error))?.len();
        Content::new(self.workspace, given, open, size).read(self.workspace.limits().max_edit_file_bytes)
    }

    fn require(&self, old: &[u8]) -> Result<(), ToolError> {
        match &self.expected {
            Some(expected) if !expected.matches(old) => {
                let found = version::of(old);
                Err(refusal::version_mismatch(self.path.given(), expected.shown(), Some(&found)))
            }
            _ => Ok(()),
        }
    }
}
