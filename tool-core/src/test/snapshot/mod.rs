//! `snapshot_tools!`: what callers see of each tool, one file per tool and form, reviewed as a diff.
//!
//! [`FORMS`] is the table. Forms that need more than this crate has (the help of a command line) are rows elsewhere, handed in with
//! [`Snapshots::with`]. Below the directory, a directory with a tool's name is this module's: what it does not expect there is an
//! orphan.

mod diff;
mod form;
mod markdown;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

pub use form::{FORMS, Form};

use super::check::IntoRegistry;
use super::update::{Mode, tell, unless_ci};
use crate::registry::{Registry, RegistryError, is_valid};

/// Compares what callers see of the tools of a registry or set with `tests/snapshots/TOOL/FORM` of the calling crate.
///
/// A missing, a stale and an orphaned file fail. With `UPDATE=1` in the environment the files are written instead, but never where
/// `CI` is set. `forms = [&tool_cli::test::HELP]` adds forms from a crate that knows another surface,
/// `directory = "tests/other"` takes another place.
///
/// ```no_run
/// use tool_core::{Registry, RegistryError};
///
/// /// The registry of the program.
/// fn tools() -> Result<Registry, RegistryError> {
///     Registry::builder().build()
/// }
///
/// // in a test:
/// tool_core::snapshot_tools!(tools()?);
/// # Ok::<(), RegistryError>(())
/// ```
///
/// # Panics
/// With what differs of every file, and what to do.
#[macro_export]
macro_rules! snapshot_tools {
    (@with $snapshots:expr;) => { $snapshots };
    (@with $snapshots:expr; forms = $forms:expr $(, $($rest:tt)*)?) => {
        $crate::snapshot_tools!(@with $snapshots.map(|snapshots| snapshots.with($forms)); $($($rest)*)?)
    };
    (@with $snapshots:expr; directory = $directory:expr $(, $($rest:tt)*)?) => {
        $crate::snapshot_tools!(@with $snapshots.map(|snapshots| snapshots.directory($directory)); $($($rest)*)?)
    };
    (@with $snapshots:expr; $($other:tt)*) => {
        ::std::compile_error!(::std::concat!(
            "`", ::std::stringify!($($other)*), "` is none of: forms = [..], directory = \"..\""
        ))
    };
    ($tools:expr $(, $($options:tt)*)?) => {
        $crate::test::assert_seen(
            $crate::snapshot_tools!(
                @with $crate::test::Snapshots::of($tools, ::std::env!("CARGO_MANIFEST_DIR")); $($($options)*)?
            )
        )
    };
}

/// Where snapshots lie in a crate when nothing else is said.
const DIRECTORY: &str = "tests/snapshots";

/// The endings of the files of forms: no other file is taken for an orphan.
const ENDINGS: [&str; 3] = ["json", "md", "txt"];

/// What is looked at of which tools: [`snapshot_tools!`](crate::snapshot_tools!) as a value.
#[derive(Clone, Debug)]
#[must_use]
pub struct Snapshots {
    registry: Registry,
    krate: PathBuf,
    directory: PathBuf,
    joined: Vec<&'static Form>,
}

/// A file that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    Missing,
    Stale(String),
    Orphaned,
}

impl Snapshots {
    /// Every form of this crate of all tools of a registry or set, in the crate of a manifest directory.
    ///
    /// # Errors
    /// Those of the registry that a set makes.
    pub fn of(tools: impl IntoRegistry, krate: impl Into<PathBuf>) -> Result<Snapshots, RegistryError> {
        let (registry, krate) = (tools.into_registry()?, krate.into());
        let directory = krate.join(DIRECTORY);
        Ok(Snapshots { registry, krate, directory, joined: Vec::new() })
    }

    /// Another directory, relative to the crate's.
    pub fn directory(self, directory: impl AsRef<Path>) -> Self {
        Snapshots { directory: self.krate.join(directory), ..self }
    }

    /// Further forms, from a crate that knows another surface.
    pub fn with(mut self, forms: impl IntoIterator<Item = &'static Form>) -> Self {
        self.joined.extend(forms);
        self
    }

    /// Compares the files, or writes them; gives a line for each that was written or removed.
    ///
    /// # Errors
    /// What differs of every file, a tool that has no such form, or what the system says of a file.
    pub fn run(&self, mode: Mode) -> Result<Vec<String>, String> {
        let wanted = self.wanted()?;
        let differences = self.differences(&wanted)?;
        match mode {
            Mode::Update => self
                .write(&wanted, &differences)
                .map_err(|(path, error)| format!("{}: {error}", path.display())),
            Mode::Compare if differences.is_empty() => Ok(Vec::new()),
            Mode::Compare => Err(self.told(&differences)),
        }
    }

    /// What every file must hold.
    fn wanted(&self) -> Result<BTreeMap<PathBuf, String>, String> {
        let mut wanted = BTreeMap::new();
        for tool in self.registry.iter() {
            for form in FORMS.iter().chain(self.joined.iter().copied()) {
                let text = (form.render)(&self.registry, tool)
                    .map_err(|error| format!("{} has no form `{}`: {error}", tool.name(), form.file))?;
                if let Some(text) = text {
                    wanted.insert(Path::new(tool.name()).join(form.file), text);
                }
            }
        }
        Ok(wanted)
    }

    fn differences(
        &self,
        wanted: &BTreeMap<PathBuf, String>,
    ) -> Result<BTreeMap<PathBuf, Difference>, String> {
        let mut differences = BTreeMap::new();
        for (path, text) in wanted {
            let file = self.directory.join(path);
            let difference = match fs::read_to_string(&file) {
                // Some systems check files out with line ends of their own.
                Ok(was) if was.replace("\r\n", "\n") == *text => continue,
                Ok(was) => Difference::Stale(diff::lines(&was, text)),
                Err(error) if error.kind() == ErrorKind::NotFound => Difference::Missing,
                Err(error) => return Err(format!("{}: {error}", file.display())),
            };
            differences.insert(path.clone(), difference);
        }
        for path in self.present() {
            if !wanted.contains_key(&path) {
                differences.insert(path, Difference::Orphaned);
            }
        }
        Ok(differences)
    }

    /// The files that are there, in directories with names of tools.
    fn present(&self) -> BTreeSet<PathBuf> {
        let read =
            |directory: &Path| fs::read_dir(directory).into_iter().flatten().flatten().collect::<Vec<_>>();
        let of_tools = read(&self.directory).into_iter().filter(|entry| entry.path().is_dir());
        let files =
            of_tools.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| is_valid(name));
        let files = files.flat_map(|tool| {
            let entries =
                read(&self.directory.join(&tool)).into_iter().filter(|entry| entry.path().is_file());
            entries.map(move |entry| Path::new(&tool).join(entry.file_name())).collect::<Vec<_>>()
        });
        files
            .filter(|path| path.extension().is_some_and(|ending| ENDINGS.iter().any(|own| ending == *own)))
            .collect()
    }

    fn write(
        &self,
        wanted: &BTreeMap<PathBuf, String>,
        differences: &BTreeMap<PathBuf, Difference>,
    ) -> Result<Vec<String>, (PathBuf, io::Error)> {
        let mut done = Vec::new();
        for (path, difference) in differences {
            let file = self.directory.join(path);
            let change = || match wanted.get(path) {
                Some(text) => {
                    fs::create_dir_all(file.parent().unwrap_or(&self.directory))?;
                    fs::write(&file, text)
                }
                None => {
                    fs::remove_file(&file)?;
                    // The last file of a tool that is gone takes its directory along.
                    let _ = file.parent().map(fs::remove_dir);
                    Ok(())
                }
            };
            change().map_err(|error| (file.clone(), error))?;
            let verb = match difference {
                Difference::Missing => "added",
                Difference::Stale(_) => "changed",
                Difference::Orphaned => "removed",
            };
            done.push(format!("{verb} {}", file.display()));
        }
        Ok(done)
    }

    fn told(&self, differences: &BTreeMap<PathBuf, Difference>) -> String {
        let mut told = format!("{} files in {} differ:\n", differences.len(), self.directory.display());
        for (path, difference) in differences {
            let shown = path.display();
            let _ = match difference {
                Difference::Missing => writeln!(told, "  missing {shown}"),
                Difference::Orphaned => {
                    writeln!(told, "  orphaned {shown}: no tool of the registry has this form")
                }
                Difference::Stale(lines) => writeln!(told, "  stale {shown}\n{lines}"),
            };
        }
        told.push_str("Run the test with UPDATE=1 where this is meant.");
        told.push_str(unless_ci());
        told
    }
}

/// What [`snapshot_tools!`](crate::snapshot_tools!) does; tells what it has written.
///
/// # Panics
/// With what differs of every file, and what to do.
#[track_caller]
#[expect(clippy::panic, reason = "a test fails that way")]
pub fn assert_seen(snapshots: Result<Snapshots, RegistryError>) {
    let done = snapshots
        .map_err(|error| error.to_string())
        .and_then(|snapshots| snapshots.run(Mode::of_environment()));
    match done {
        Ok(written) => tell(&written),
        Err(text) => panic!("{text}"),
    }
}
