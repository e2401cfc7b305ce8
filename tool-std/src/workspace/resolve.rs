//! From the text of a path argument to a path below the root: text only, no file system (sandbox.md §1).
//!
//! Nothing is expanded or normalised but `.`, `..` and `//`. Links are looked at later, when the path is opened.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tool_core::ToolError;

use super::path::{RAW, Relative, decode, shown};
use super::refusal;
use crate::limits::ECHO_CHARS;

/// Bytes of a path, as given or decoded.
pub(crate) const PATH_BYTES: usize = 4_096;
/// Bytes of one component.
pub(crate) const NAME_BYTES: usize = 255;

/// A path argument that lies in the workspace by its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspacePath {
    given: String,
    relative: Relative,
    directory: bool,
    slash: bool,
}

impl WorkspacePath {
    /// The argument as the caller gave it, for messages: cut to the limit `echo_chars`.
    pub fn given(&self) -> &str {
        &self.given
    }

    /// The path relative to the root, with links still in it.
    pub fn relative(&self) -> &Relative {
        &self.relative
    }

    /// Whether the text names a directory: `a/`, `a/.`, `..`, the root.
    pub fn names_directory(&self) -> bool {
        self.directory
    }

    /// Whether the text ends in `/`.
    pub(crate) fn ends_in_slash(&self) -> bool {
        self.slash
    }

    /// Another path of the same argument, for messages that name what the caller gave.
    pub(crate) fn beside(&self, relative: Relative) -> WorkspacePath {
        WorkspacePath { given: self.given.clone(), relative, directory: false, slash: false }
    }

    /// The path for results.
    pub fn shown(&self) -> String {
        self.relative.shown()
    }
}

/// Where a workspace lies, as far as text is concerned: the root as configured and its path without links.
#[derive(Clone, Debug)]
pub struct Roots {
    configured: Vec<Vec<u8>>,
    real: Vec<Vec<u8>>,
    /// How many characters of a path messages show.
    echo: u64,
}

impl Roots {
    /// The two absolute names of a root.
    pub fn new(configured: &Path, real: &Path) -> Self {
        let own = |path: &Path| {
            normal(path.as_os_str().as_bytes()).into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>()
        };
        Self { configured: own(configured), real: own(real), echo: ECHO_CHARS }
    }

    /// The same with another number of characters of a path that messages show.
    #[must_use]
    pub fn echoing(self, echo: u64) -> Self {
        Self { echo, ..self }
    }

    /// Applies the rules of sandbox.md §1, in their order.
    ///
    /// # Errors
    /// `path_invalid`, `path_too_long`, `path_escape`.
    pub fn resolve(&self, path: &Path) -> Result<WorkspacePath, ToolError> {
        let bytes = path.as_os_str().as_bytes();
        let given = shown_as_given(bytes);
        let given = refusal::echo(&given, self.echo);
        let bytes = decoded(bytes, given)?;
        if bytes.is_empty() {
            return Err(refusal::path_invalid(given, "it is empty"));
        }
        if bytes.contains(&0) {
            return Err(refusal::path_invalid(given, "it contains a NUL byte"));
        }
        if bytes.len() > PATH_BYTES {
            return Err(refusal::path_too_long(given, bytes.len(), PATH_BYTES));
        }
        let absolute = self.joined(&bytes);
        let inside = self.inside(&absolute).ok_or_else(|| refusal::path_escape(given))?;
        if let Some(long) = inside.iter().find(|name| name.len() > NAME_BYTES) {
            return Err(refusal::path_too_long(given, long.len(), NAME_BYTES));
        }
        let relative = Relative::from_components(inside.iter().copied());
        let directory = ends_as_directory(&bytes) || relative.is_root();
        let slash = bytes.ends_with(b"/");
        Ok(WorkspacePath { given: given.to_owned(), relative, directory, slash })
    }

    /// The components of the argument joined to the root, with `.`, `..` and `//` removed.
    fn joined<'a>(&'a self, bytes: &'a [u8]) -> Vec<&'a [u8]> {
        if bytes.starts_with(b"/") {
            return normal(bytes);
        }
        let mut components: Vec<&[u8]> = self.configured.iter().map(Vec::as_slice).collect();
        descend(&mut components, bytes);
        components
    }

    /// What is left behind either name of the root.
    fn inside<'a, 'b>(&self, absolute: &'b [&'a [u8]]) -> Option<&'b [&'a [u8]]> {
        [&self.configured, &self.real].into_iter().find_map(|root| {
            let (head, rest) = absolute.split_at_checked(root.len())?;
            head.iter().zip(root).all(|(a, b)| *a == b.as_slice()).then_some(rest)
        })
    }
}

/// The argument as messages show it: its text, whatever form it was written in.
fn shown_as_given(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => shown(bytes),
    }
}

fn decoded<'a>(bytes: &'a [u8], given: &str) -> Result<std::borrow::Cow<'a, [u8]>, ToolError> {
    match bytes.strip_prefix(RAW.as_bytes()) {
        None => Ok(bytes.into()),
        Some(rest) => decode(rest)
            .map(Into::into)
            .map_err(|at| refusal::path_invalid(given, &format!("bad % escape at {}", RAW.len() + at))),
    }
}

fn ends_as_directory(bytes: &[u8]) -> bool {
    let last = bytes.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    matches!(last, b"" | b"." | b"..")
}

fn normal(bytes: &[u8]) -> Vec<&[u8]> {
    let mut components = Vec::new();
    descend(&mut components, bytes);
    components
}

fn descend<'a>(components: &mut Vec<&'a [u8]>, bytes: &'a [u8]) {
    for component in bytes.split(|byte| *byte == b'/') {
        match component {
            b"" | b"." => {}
            b".." => {
                components.pop();
            }
            name => components.push(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    fn resolve(path: &str) -> Result<(String, bool), String> {
        Roots::new(Path::new("/root/dir"), Path::new("/data/real"))
            .resolve(Path::new(path))
            .map(|path| (path.shown(), path.names_directory()))
            .map_err(|error| error.message().to_owned())
    }

    #[test]
    fn dots_are_removed_from_the_text_alone() {
        assert_eq!(resolve("a/../b"), Ok(("b".into(), false)));
        assert_eq!(resolve("./a//b/."), Ok(("a/b".into(), true)));
        assert_eq!(resolve("../dir/x"), Ok(("x".into(), false)));
        assert_eq!(resolve("/data/real/x/"), Ok(("x".into(), true)));
    }

    #[test]
    fn a_path_outside_is_refused_and_its_twin_inside_is_not() {
        for outside in ["..", "a/../../x", "/etc/passwd", "/root/dirx", "/data/real2/x", "raw:%2e%2e/x"] {
            assert_eq!(resolve(outside), Err(format!("{outside} is outside the workspace.")));
        }
        for inside in ["...", "..x", "a/..", "/root/dir/x", "raw:%2e%2e/dir/x", "../../root/dir"] {
            assert!(resolve(inside).is_ok(), "{inside}");
        }
    }

    #[test]
    fn invalid_paths_say_why() {
        assert_eq!(resolve(""), Err(" is not a valid path: it is empty.".into()));
        assert_eq!(resolve("a\0b"), Err("a\0b is not a valid path: it contains a NUL byte.".into()));
        assert_eq!(resolve("raw:a%00"), Err("raw:a%00 is not a valid path: it contains a NUL byte.".into()));
        assert_eq!(resolve("raw:a%zz"), Err("raw:a%zz is not a valid path: bad % escape at 5.".into()));
        assert_eq!(resolve("%zz"), Ok(("%zz".into(), false)));
    }

    #[test]
    fn lengths_are_inclusive() {
        let component = |length: usize| resolve(&"n".repeat(length)).is_ok();
        assert!(component(255) && !component(256));
        assert!(resolve(&format!("{}/../ok", "n".repeat(300))).is_ok());
        assert!(resolve(&format!("{}xx", "./".repeat(2_047))).is_ok());
        assert_eq!(
            resolve(&"./".repeat(3_000)),
            Err(format!("{} is too long (6000 bytes; the limit is 4096).", "./".repeat(40)))
        );
    }

    #[test]
    fn bytes_that_are_not_text_survive() {
        let roots = Roots::new(Path::new("/r"), Path::new("/r"));
        let path = roots.resolve(Path::new(OsStr::from_bytes(b"\xff"))).unwrap();
        assert_eq!((path.shown(), path.given()), ("raw:%FF".into(), "raw:%FF"));
        assert_eq!(roots.resolve(Path::new("raw:%ff")).unwrap().relative(), path.relative());
    }

    #[test]
    fn the_file_system_root_can_be_a_workspace() {
        let roots = Roots::new(Path::new("/"), Path::new("/"));
        assert_eq!(roots.resolve(Path::new("..")).unwrap().shown(), ".");
        assert_eq!(roots.resolve(Path::new("/etc/passwd")).unwrap().shown(), "etc/passwd");
    }
}
