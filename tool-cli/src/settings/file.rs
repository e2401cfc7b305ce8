//! The settings file: strict TOML, every mistake at once and each with its place.
//!
//! It is found by its name or under the configuration directory, never in the working directory: a repository that was cloned
//! must not configure the program.

mod keys;
mod limits;
mod parse;
mod place;
mod tables;

use std::collections::BTreeMap;
use std::fs::File as OpenFile;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tool_core::args::shown_name;

pub(crate) use self::limits::Refused;
use self::place::mistake;
use super::{LimitSet, Owner};
use crate::io::Io;

/// A larger file is no settings file.
const MAX_BYTES: u64 = 1 << 20;

/// What the file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    /// Where it is; `None` when there is none.
    pub(crate) path: Option<PathBuf>,
    entries: BTreeMap<&'static str, Entry>,
    /// The tables that the program reads itself.
    pub(crate) tables: BTreeMap<&'static str, Value>,
    /// The lines of their members, each as `table.member`.
    pub(crate) lines: BTreeMap<String, usize>,
    /// What stands under `[limits]`.
    pub(crate) limits: Vec<LimitSet>,
    /// Every mistake, `FILE:LINE:COLUMN: …`.
    pub(crate) mistakes: Vec<String>,
    /// What the program says of a limit, where that is the only mistake.
    pub(crate) refused: Option<Refused>,
}

/// A value and its line.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) value: String,
    pub(crate) line: usize,
}

impl File {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// Reads the file that was named: it must be there.
    pub(crate) fn named(path: PathBuf, owner: Owner<'_>) -> File {
        Self::read(&path, owner).unwrap_or_else(|error| Self::unreadable(path, &error))
    }

    /// Reads the file of the configuration directory, if there is one.
    pub(crate) fn of_user(io: &Io, owner: Owner<'_>) -> File {
        let Some(path) = default_path(io, owner.name) else { return File::default() };
        match Self::read(&path, owner) {
            Ok(file) => file,
            Err(error) if is_absent(&error) => File::default(),
            Err(error) => Self::unreadable(path, &error),
        }
    }

    fn unreadable(path: PathBuf, error: &io::Error) -> File {
        let why = crate::sources::reason(error);
        let shown = path.display().to_string();
        let mistakes = vec![format!("{}: cannot be read: {why}", shown_name(&shown))];
        File { path: Some(path), mistakes, ..File::default() }
    }

    fn read(path: &Path, owner: Owner<'_>) -> io::Result<File> {
        let file = OpenFile::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut file = File { path: Some(path.to_owned()), ..File::default() };
        match String::from_utf8(bytes) {
            Ok(text) => file.parse(&text, path, owner),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let before =
                    String::from_utf8_lossy(error.as_bytes().get(..at).unwrap_or_default()).into_owned();
                file.mistakes.push(mistake(path, &before, at, "not UTF-8 text"));
            }
        }
        Ok(file)
    }
}

/// `$XDG_CONFIG_HOME/demo/config.toml`. A relative directory does not count (XDG Base Directory Specification 0.8), and the
/// variables are those of the run, not of the process.
pub(crate) fn default_path(io: &Io, program: &str) -> Option<PathBuf> {
    let absolute = |name: &str| io.var(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let directory = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(directory.join(program).join("config.toml"))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_configuration_directory_does_not_count() {
        let io = |env: &[(&str, &str)]| Io {
            env: env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            ..Io::detached("/")
        };
        let path = |env: &[(&str, &str)]| default_path(&io(env), "demo");
        assert_eq!(path(&[("XDG_CONFIG_HOME", "/x")]), Some("/x/demo/config.toml".into()));
        assert_eq!(
            path(&[("XDG_CONFIG_HOME", "x"), ("HOME", "/h")]),
            Some("/h/.config/demo/config.toml".into())
        );
        assert_eq!(path(&[("XDG_CONFIG_HOME", "."), ("HOME", "h")]), None);
    }
}
