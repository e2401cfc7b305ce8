//! `tools.lock`: the contract of a tool set as a file, made to be reviewed as a diff.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::entry::Entry;
use crate::error::ToolError;
use crate::registry::Registry;

/// The name of the file.
pub const FILE: &str = "tools.lock";

/// The most bytes of it that are read: those of some ten thousand tools.
pub const MAX_LOCK_BYTES: u64 = 64 * 1024 * 1024;

/// The version of its form.
const FORMAT: u32 = 1;

/// What to do with one that cannot be used.
const AGAIN: &str = "write it again with `tools lock`, or with UPDATE=1 by the test that compares it";

/// What a line begins with where a merge left both versions.
const MERGED: &str = "<<<<<<< ";

/// The contract of every tool of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    format: u32,
    /// The version of this crate that wrote it.
    pub core: String,
    /// The tools, by name.
    pub tools: Vec<Entry>,
}

/// What is read before anything else of a file.
#[derive(Deserialize)]
struct Version {
    format: serde_json::Value,
}

impl Lock {
    /// The contract of a registry's tools.
    ///
    /// # Errors
    /// `internal`, when a schema cannot be made.
    pub fn of(registry: &Registry) -> Result<Lock, ToolError> {
        let mut tools: Vec<Entry> = registry.iter().map(Entry::of).collect::<Result<_, _>>()?;
        tools.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(Lock { format: FORMAT, core: env!("CARGO_PKG_VERSION").to_owned(), tools })
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// `not_configured`, with line and column: no JSON, or no lock file; marks of a merge; a tool that stands twice, or whose
    /// fingerprint is not that of what stands there, as after a merge by hand. Code `lock_format`: a form that this version does
    /// not know.
    pub fn read(text: &str) -> Result<Lock, ToolError> {
        let invalid = |text: String| ToolError::not_configured(text).code("lock_invalid").hint(AGAIN);
        let broken = |error: serde_json::Error| {
            // serde_json ends its sentence with the place that stands in front of it here.
            let (line, column, what) = (error.line(), error.column(), error.to_string());
            let what = what.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&what);
            invalid(format!("{FILE}:{line}:{}: {what}", column.max(1)))
        };
        if let Some(line) = text.lines().position(|line| line.starts_with(MERGED)) {
            return Err(invalid(format!("{FILE}:{}:1: two versions stand here, of a merge.", line + 1)));
        }
        let version: Version = serde_json::from_str(text).map_err(broken)?;
        if version.format != FORMAT {
            let text = format!("{FILE} has format {}; this program knows {FORMAT}.", version.format);
            let hint = "use the version of this program that wrote it, or write it again with this one";
            return Err(ToolError::not_configured(text).code("lock_format").hint(hint));
        }
        let lock: Lock = serde_json::from_str(text).map_err(broken)?;
        let mut names = BTreeSet::new();
        if let Some(twice) = lock.tools.iter().find(|tool| !names.insert(&tool.name)) {
            return Err(invalid(format!("{FILE}: `{}` stands there twice.", twice.name)));
        }
        match lock.tools.iter().find(|tool| tool.fingerprint != tool.digest()) {
            Some(tool) => {
                let name = &tool.name;
                Err(invalid(format!(
                    "{FILE}: the fingerprint of `{name}` is not that of what it says of it."
                )))
            }
            None => Ok(lock),
        }
    }

    /// The text of a file on disk.
    ///
    /// # Errors
    /// As opening and reading; `InvalidInput` where it is no regular file, `FileTooLarge` beyond [`MAX_LOCK_BYTES`].
    pub fn load(path: &Path) -> io::Result<String> {
        // A pipe would be waited for.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        let mut text = String::new();
        File::open(path)?.take(MAX_LOCK_BYTES + 1).read_to_string(&mut text)?;
        if text.len() as u64 > MAX_LOCK_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(text)
    }

    /// The text of the file: two blanks per level, a line feed at the end.
    ///
    /// # Errors
    /// `internal`, when it cannot be written as JSON.
    pub fn text(&self) -> Result<String, ToolError> {
        let text = serde_json::to_string_pretty(self);
        let text = text.map_err(|error| ToolError::internal("The contract is no JSON.").source(error))?;
        Ok(text + "\n")
    }
}
