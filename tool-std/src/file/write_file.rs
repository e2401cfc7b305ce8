//! `write_file`: a whole file, or its end (files.md §6).

use std::path::Path;

use rustix::fs::OFlags;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Effect, ToolError, tool};

use super::content::Content;
use super::encoding::Writing;
use super::reconcile::reconcile;
use super::revert::revert;
use super::version::{self, Expected};
use crate::workspace::{
    Change, Deed, Handle, Intent, Parents, Seen, Taken, Target, Workspace, WorkspacePath, refusal,
};

/// How often a write begins again because the name was taken meanwhile.
const ATTEMPTS: usize = 3;

/// What happens to a file that exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteMode {
    /// It is replaced.
    #[default]
    Overwrite,
    /// The content is added at its end.
    Append,
    /// It is an error.
    #[serde(alias = "create-new")]
    CreateNew,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Written {
    /// The file, relative to the workspace root.
    pub path: String,
    /// Whether it did not exist before.
    pub created: bool,
    /// Whether it was so already: nothing was written.
    pub unchanged: bool,
    /// Bytes written.
    pub bytes_written: u64,
    /// Bytes of the file now.
    pub size: u64,
    /// Version of the file now; null when it is too large to hash.
    pub version: Option<String>,
    /// Version of the file before; null when there was none.
    pub previous_version: Option<String>,
}

/// Writes a text file: replaces it, creates it, or adds to its end.
///
/// The file is replaced at once or stays as it was. To change a part of a file use an edit tool instead. With
/// `expected_version` nothing is written if somebody else changed the file since it was read.
#[tool(group = "file", aliases = ["write"], side_effect, idempotent = false, reconcile = reconcile, revert = revert)]
#[example("A new file", { "path": "notes/today.md", "content": "# Today\n", "mode": "create_new" })]
#[example("A line at the end", { "path": "notes.txt", "content": "Salt\n", "mode": "append" } => { "created": false })]
pub fn write_file(
    /// The file, relative to the workspace root.
    #[arg(positional, hint = "file")]
    path: &Path,
    /// The text to write, or base64 of the bytes with `encoding = "base64"`.
    #[arg(positional, stdin, log = "hash")]
    content: &str,
    /// What happens to a file that exists.
    #[arg(default)]
    mode: WriteMode,
    /// `utf-8`, `base64`, `utf-16le`, `utf-16be`, or a label of the Encoding Standard.
    #[arg(default = "utf-8")]
    encoding: &str,
    /// Make missing directories.
    #[arg(default = true)]
    parents: bool,
    /// The version that the file must have, as `read_file` gives it: 16 to 64 hex digits.
    expected_version: Option<&str>,
    #[ctx] workspace: &Workspace,
) -> Result<Written, ToolError> {
    let write = Write {
        workspace,
        content: Writing::parse(encoding, workspace.limits())?.encode(content)?,
        mode,
        parents: if parents { Parents::Made } else { Parents::Required },
        expected: expected_version.map(Expected::parse).transpose()?,
    };
    write.check_size()?;
    let given = path;
    let path = workspace.resolve(given)?;
    if path.ends_in_slash() {
        return Err(refusal::path_invalid(path.given(), "it names a directory"));
    }
    write.run(&path)
}

/// A write with everything checked but the file.
struct Write<'w> {
    workspace: &'w Workspace,
    content: Vec<u8>,
    mode: WriteMode,
    parents: Parents,
    expected: Option<Expected>,
}

impl Write<'_> {
    fn check_size(&self) -> Result<(), ToolError> {
        let (bytes, limit) = (self.content.len() as u64, self.workspace.limits().max_write_bytes);
        if bytes <= limit {
            return Ok(());
        }
        let text = format!("Content too large ({bytes} bytes; the limit is {limit}).");
        Err(ToolError::invalid_args(text)
            .code("content_too_large")
            .detail("bytes", bytes)
            .detail("sha256", version::digest(&self.content))
            .effect(Effect::None))
    }

    /// Writes; begins again when somebody took or freed the name at the same time.
    fn run(&self, path: &WorkspacePath) -> Result<Written, ToolError> {
        let mut attempt = 1;
        loop {
            match self.try_once(path) {
                Err(error) if attempt < ATTEMPTS && self.may_repeat(&error) => attempt += 1,
                // Whoever takes the name each time changes the path under the call.
                Err(error) if self.was_taken(&error) => return Err(refusal::path_changed(path.given())),
                other => return other,
            }
        }
    }

    fn may_repeat(&self, error: &ToolError) -> bool {
        self.was_taken(error) || error.code_str() == "path_changed"
    }

    fn was_taken(&self, error: &ToolError) -> bool {
        error.code_str() == "already_exists" && self.mode != WriteMode::CreateNew
    }

    fn try_once(&self, path: &WorkspacePath) -> Result<Written, ToolError> {
        let given = path.given();
        let taken = if self.mode == WriteMode::CreateNew { Taken::Refused } else { Taken::Used };
        let target = self.workspace.target(path, self.parents, taken, |exists, directory, new_files| {
            if !exists {
                self.require_missing(given)?;
                let new_bytes = self.content.len() as u64;
                self.workspace.permit_change(directory, Change { new_bytes, new_files, old_bytes: 0 })?;
            }
            Ok(())
        });
        let target = target.map_err(|error| with_hint(error, self.mode))?;
        match &target.existing {
            None => self.create(path, &target),
            Some(file) => {
                let old = self.old(given, file)?;
                self.require(given, old.bytes.as_deref())?;
                match self.mode {
                    WriteMode::Append => self.append(path, &target, file, &old),
                    WriteMode::Overwrite | WriteMode::CreateNew => self.overwrite(path, &target, file, &old),
                }
            }
        }
    }

    fn create(&self, path: &WorkspacePath, target: &Target) -> Result<Written, ToolError> {
        self.require_missing(path.given())?;
        let new_bytes = self.content.len() as u64;
        let written = Written {
            path: path.shown(),
            created: true,
            unchanged: false,
            bytes_written: new_bytes,
            size: new_bytes,
            version: Some(version::of(&self.content)),
            previous_version: None,
        };
        self.workspace.replace(path.given(), target, &self.content, || {
            self.workspace.keep_evidence(Intent {
                after: Some(Seen::content(&[&self.content])),
                made: target.made(),
                ..Intent::new(Deed::Written, &target.relative(), &written)
            })
        })?;
        self.workspace.note_change(Change { old_bytes: 0, new_bytes, new_files: target.new_entries });
        Ok(written)
    }

    fn overwrite(
        &self,
        path: &WorkspacePath,
        target: &Target,
        file: &Handle,
        old: &Old,
    ) -> Result<Written, ToolError> {
        let new_bytes = self.content.len() as u64;
        let written = Written {
            path: path.shown(),
            created: false,
            unchanged: old.bytes.as_ref() == Some(&self.content),
            bytes_written: new_bytes,
            size: new_bytes,
            version: Some(version::of(&self.content)),
            previous_version: old.version(),
        };
        if written.unchanged {
            return Ok(Written { bytes_written: 0, ..written });
        }
        let change = Change { old_bytes: old.size, new_bytes, new_files: 0 };
        self.workspace.permit_change(target.directory(), change)?;
        let given = path.given();
        self.workspace.replace(given, target, &self.content, || {
            if self.expected.is_some() {
                self.require(given, self.old(given, file)?.bytes.as_deref())?;
            }
            self.workspace.keep_evidence(Intent {
                before: Some(self.seen(file, old)),
                after: Some(Seen::content(&[&self.content])),
                old: old.bytes.as_deref(),
                ..Intent::new(Deed::Written, &target.relative(), &written)
            })
        })?;
        self.workspace.note_change(change);
        Ok(written)
    }

    fn append(
        &self,
        path: &WorkspacePath,
        target: &Target,
        file: &Handle,
        old: &Old,
    ) -> Result<Written, ToolError> {
        let added = self.content.len() as u64;
        let change = Change { old_bytes: 0, new_bytes: added, new_files: 0 };
        let written = Written {
            path: path.shown(),
            created: false,
            unchanged: added == 0,
            bytes_written: added,
            size: old.size + added,
            version: old.bytes.as_ref().map(|bytes| version::of(&[bytes, self.content.as_slice()].concat())),
            previous_version: old.version(),
        };
        if added > 0 {
            self.workspace.permit_change(target.directory(), change)?;
            // Of what is too large to hash only the size is known, and that is not enough to judge by.
            if let Some(bytes) = &old.bytes {
                self.workspace.keep_evidence(Intent {
                    before: Some(Seen::content(&[bytes])),
                    after: Some(Seen::content(&[bytes, &self.content])),
                    ..Intent::new(Deed::Appended, &target.relative(), &written)
                })?;
            }
            self.workspace.append(path.given(), file, &self.content)?;
            self.workspace.note_change(change);
        }
        Ok(written)
    }

    /// What a file is before it is replaced: by its content where that was read.
    fn seen(&self, file: &Handle, old: &Old) -> Seen {
        let known = old.bytes.as_ref().filter(|_| self.workspace.is_recorded());
        Seen { sha256: known.map(|bytes| version::digest(bytes)), ..Seen::of(&file.stat) }
    }

    /// What a file holds; no bytes when it is larger than what is hashed.
    fn old(&self, given: &str, file: &Handle) -> Result<Old, ToolError> {
        let size = file.stat.st_size.cast_unsigned();
        let limit = self.workspace.limits().max_read_file_bytes;
        if size > limit {
            return Ok(Old { size, bytes: None });
        }
        let open = file.reopen(OFlags::RDONLY).map_err(|errno| refusal::system(given, errno))?;
        let bytes = Content::new(self.workspace, given, open, size).read(limit)?;
        Ok(Old { size, bytes: Some(bytes) })
    }

    /// Fails when the file is not the expected one.
    fn require(&self, given: &str, bytes: Option<&[u8]>) -> Result<(), ToolError> {
        match (&self.expected, bytes) {
            (None, _) => Ok(()),
            (Some(expected), Some(bytes)) if expected.matches(bytes) => Ok(()),
            (Some(expected), bytes) => {
                let found = bytes.map(version::of);
                Err(refusal::version_mismatch(given, expected.shown(), found.as_deref()))
            }
        }
    }

    fn require_missing(&self, given: &str) -> Result<(), ToolError> {
        match &self.expected {
            Some(expected) => Err(refusal::version_mismatch(given, expected.shown(), None)),
            None => Ok(()),
        }
    }
}

/// A file before it is written.
struct Old {
    size: u64,
    bytes: Option<Vec<u8>>,
}

impl Old {
    fn version(&self) -> Option<String> {
        self.bytes.as_deref().map(version::of)
    }
}

fn with_hint(error: ToolError, mode: WriteMode) -> ToolError {
    match mode {
        WriteMode::CreateNew if error.code_str() == "already_exists" => {
            error.hint("use mode = overwrite, or an edit tool")
        }
        _ => error,
    }
}
