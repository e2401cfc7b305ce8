//! Globs of the file tools: `*` and `?` stay inside a component, `**` crosses them (files.md §10).
//!
//! A glob without `/` is about the name, at any depth; with `/` it is about the path below the start.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use globset::{Candidate, GlobBuilder, GlobSet};
use tool_core::{Effect, ToolError};

use crate::limits::Limits;
use crate::workspace::refusal::echo;

/// A set of globs of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Globs {
    names: GlobSet,
    paths: GlobSet,
    is_empty: bool,
}

impl Globs {
    /// Compiles globs.
    ///
    /// # Errors
    /// `glob_invalid`: too many, too long, not a glob, too costly.
    pub(crate) fn new(globs: &[&str], ignore_case: bool, limits: &Limits) -> Result<Self, ToolError> {
        if globs.len() as u64 > limits.globs_max {
            let why = format!("there are {} globs; the limit is {}", globs.len(), limits.globs_max);
            return Err(invalid(globs.first().copied().unwrap_or_default(), &why, limits));
        }
        let (paths, names): (Vec<&str>, Vec<&str>) = globs.iter().partition(|glob| glob.contains('/'));
        Ok(Self {
            names: compile(&names, ignore_case, limits)?,
            paths: compile(&paths, ignore_case, limits)?,
            is_empty: globs.is_empty(),
        })
    }

    /// Whether there is no glob.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Whether a glob matches the last component of a path, or the path.
    pub(crate) fn match_entry(&self, below_start: &[u8]) -> bool {
        let name = below_start.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        matches(&self.names, name) || matches(&self.paths, below_start)
    }

    /// Whether a glob matches a path or one of the directories that lead to it.
    pub(crate) fn match_entry_or_above(&self, below_start: &[u8]) -> bool {
        if self.is_empty {
            return false;
        }
        let ends = below_start.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
        ends.chain([below_start.len()])
            .any(|end| self.match_entry(below_start.get(..end).unwrap_or_default()))
    }
}

fn matches(globs: &GlobSet, bytes: &[u8]) -> bool {
    !globs.is_empty() && globs.is_match_candidate(&Candidate::new(OsStr::from_bytes(bytes)))
}

fn compile(globs: &[&str], ignore_case: bool, limits: &Limits) -> Result<GlobSet, ToolError> {
    let mut set = GlobSet::builder();
    for glob in globs {
        if glob.len() as u64 > limits.glob_bytes {
            let why = format!("it has {} bytes; the limit is {}", glob.len(), limits.glob_bytes);
            return Err(invalid(glob, &why, limits));
        }
        let compiled = GlobBuilder::new(glob.strip_prefix('/').unwrap_or(glob))
            .case_insensitive(ignore_case)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| invalid(glob, &error.kind().to_string(), limits))?;
        set.add(compiled);
    }
    set.build().map_err(|_| invalid(globs.first().copied().unwrap_or_default(), "it is too costly", limits))
}

/// An error about one glob.
pub(crate) fn invalid(glob: &str, why: &str, limits: &Limits) -> ToolError {
    ToolError::invalid_args(format!("`{}` is not a valid glob: {why}.", echo(glob, limits.echo_chars)))
        .code("glob_invalid")
        .effect(Effect::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(globs: &[&str]) -> Result<Globs, String> {
        Globs::new(globs, false, &Limits::default()).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_glob_without_a_slash_is_about_the_name_and_one_with_a_slash_about_the_path() {
        let rows = [
            ("*.rs", "a/b.rs", true),
            ("a/*.rs", "a/b.rs", true),
            ("a/*.rs", "a/b/c.rs", false),
            ("a/**/*.rs", "a/b/c.rs", true),
            ("/b.rs", "b.rs", true),
            ("/b.rs", "a/b.rs", false),
            ("?.rs", "ab.rs", false),
            ("[ab].rs", "b.rs", true),
            ("*.{rs,txt}", "x.txt", true),
            (r"\*.rs", "*.rs", true),
            (r"\*.rs", "a.rs", false),
        ];
        for (glob, path, expected) in rows {
            assert_eq!(globs(&[glob]).unwrap().match_entry(path.as_bytes()), expected, "{glob} {path}");
        }
    }

    #[test]
    fn a_glob_may_match_a_directory_on_the_way() {
        let globs = globs(&["target", "sub/**"]).unwrap();
        for (path, expected) in
            [("target/a/b", true), ("x/target/a", true), ("sub/a", true), ("sub2/a", false)]
        {
            assert_eq!(globs.match_entry_or_above(path.as_bytes()), expected, "{path}");
        }
    }

    #[test]
    fn a_bad_glob_says_why_and_a_good_one_of_the_same_length_does_not() {
        assert!(globs(&["[a"]).unwrap_err().starts_with("`[a` is not a valid glob: "));
        assert!(globs(&[&"a".repeat(1_025)]).unwrap_err().contains("1025 bytes; the limit is 1024"));
        assert!(globs(&[&"a".repeat(1_024)]).is_ok());
        assert!(globs(&["a"; 65]).unwrap_err().contains("65 globs; the limit is 64"));
        assert!(globs(&["a"; 64]).is_ok());
    }

    #[test]
    fn a_bomb_of_braces_compiles_or_is_refused_at_once() {
        let start = tool_trials::cpu_time();
        let _ = globs(&[&"{a,b}".repeat(40)]);
        let _ = globs(&[&"**".repeat(500)]);
        let _ = globs(&[&format!("{}{}", "{a,".repeat(300), "}".repeat(300))]);
        assert!(tool_trials::cpu_time() - start < std::time::Duration::from_secs(5));
    }
}
