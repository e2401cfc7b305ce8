//! Where a setting comes from, so that `doctor` can name it.

use std::fmt;
use std::path::PathBuf;

/// The place that decided a setting, strongest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// An option of the command line.
    Option,
    /// A variable of the environment.
    Variable(String),
    /// A line of the settings file.
    File {
        /// The file.
        path: PathBuf,
        /// Its line, counted from 1.
        line: usize,
    },
    /// Nobody: it is the program's own.
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Option => f.write_str("option"),
            Source::Variable(name) => write!(f, "${name}"),
            Source::File { path, line } => write!(f, "{}:{line}", path.display()),
            Source::Default => f.write_str("default"),
        }
    }
}

/// A limit that the settings file sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitSet {
    /// Its key under `[limits]`.
    pub name: String,
    /// Its value.
    pub value: u64,
    /// Who decided it.
    pub source: Source,
}

/// A setting as it holds for this run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name, which is its key in the settings file.
    pub name: &'static str,
    /// Its value as text; `None` when nothing is set.
    pub value: Option<String>,
    /// Who decided it.
    pub source: Source,
}
