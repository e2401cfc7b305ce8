//! Ignore files: `.gitignore` and `.ignore` of every directory from the root down, and `.git/info/exclude`.
//!
//! Each directory has its own matchers, asked with the path relative to it; the deepest answer wins, `.ignore` before
//! `.gitignore` before `exclude`, and git's files end at the border of a repository (files.md §10). The files are read
//! through the directory's handle and never through a link.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat};

/// Lines of one ignore file that are rules.
const RULES_MAX: usize = 10_000;

/// The ignore files of a directory and of those above it.
#[derive(Clone, Debug)]
pub(crate) struct Ignores {
    level: Arc<Level>,
    above: Option<Arc<Ignores>>,
}

#[derive(Debug)]
struct Level {
    /// Bytes of the directory's path, for cutting it off.
    path_bytes: usize,
    ignore: Option<Gitignore>,
    gitignore: Option<Gitignore>,
    exclude: Option<Gitignore>,
    is_repository: bool,
}

/// What the ignore files say of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing.
    None,
    /// Left out.
    Ignored,
    /// Kept by a rule with `!`, even if it is hidden.
    Kept,
}

impl Ignores {
    /// The rules of a directory below those of `above`; `path` is its path from the root, in bytes.
    pub(crate) fn read(
        directory: BorrowedFd<'_>,
        path_bytes: usize,
        above: Option<Ignores>,
        file_bytes: u64,
    ) -> Self {
        let git = openat(directory, ".git", directory_flags(), Mode::empty()).ok();
        let is_repository = git.is_some() || statat(directory, ".git", AtFlags::SYMLINK_NOFOLLOW).is_ok();
        let info = git.and_then(|git| openat(git, "info", directory_flags(), Mode::empty()).ok());
        let level = Level {
            path_bytes,
            ignore: rules(directory, ".ignore", file_bytes),
            gitignore: rules(directory, ".gitignore", file_bytes),
            exclude: info.and_then(|info: OwnedFd| rules(info.as_fd(), "exclude", file_bytes)),
            is_repository,
        };
        Self { level: Arc::new(level), above: above.map(Arc::new) }
    }

    /// What the rules say of an entry, given by its path from the root.
    pub(crate) fn verdict(&self, path: &[u8], is_directory: bool) -> Verdict {
        let (mut ignore, mut gitignore, mut exclude) = (Verdict::None, Verdict::None, Verdict::None);
        let mut left_repository = false;
        let mut next = Some(self);
        while let Some(ignores) = next {
            let level = &ignores.level;
            let inside = level.relative(path);
            ignore = ignore.or_else(|| ask(level.ignore.as_ref(), inside, is_directory));
            if !left_repository {
                gitignore = gitignore.or_else(|| ask(level.gitignore.as_ref(), inside, is_directory));
                exclude = exclude.or_else(|| ask(level.exclude.as_ref(), inside, is_directory));
            }
            left_repository |= level.is_repository;
            next = ignores.above.as_deref();
        }
        ignore.or_else(|| gitignore).or_else(|| exclude)
    }
}

impl Verdict {
    fn or_else(self, other: impl FnOnce() -> Verdict) -> Verdict {
        if self == Verdict::None { other() } else { self }
    }
}

impl Level {
    fn relative<'a>(&self, path: &'a [u8]) -> &'a Path {
        let skip = if self.path_bytes == 0 { 0 } else { self.path_bytes + 1 };
        Path::new(OsStr::from_bytes(path.get(skip..).unwrap_or_default()))
    }
}

fn ask(rules: Option<&Gitignore>, path: &Path, is_directory: bool) -> Verdict {
    match rules.map(|rules| rules.matched(path, is_directory)) {
        Some(Match::Ignore(_)) => Verdict::Ignored,
        Some(Match::Whitelist(_)) => Verdict::Kept,
        Some(Match::None) | None => Verdict::None,
    }
}

fn directory_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

/// The rules of one ignore file; none when it is missing, not a regular file, too large or not text from the start.
fn rules(directory: BorrowedFd<'_>, name: &str, file_bytes: u64) -> Option<Gitignore> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(directory, name, flags, Mode::empty()).ok()?;
    let stat = fstat(&file).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return None;
    }
    let mut bytes = Vec::new();
    File::from(file).take(file_bytes.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > file_bytes {
        return None;
    }
    parse(&bytes)
}

/// The rules of the text of an ignore file; a rule that is not a glob is passed over, as git does.
pub(crate) fn parse(bytes: &[u8]) -> Option<Gitignore> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut builder = GitignoreBuilder::new("");
    let lines = bytes.split(|byte| *byte == b'\n').map_while(|line| std::str::from_utf8(line).ok());
    for line in lines.take(RULES_MAX) {
        let _ = builder.add_line(None, line.strip_suffix('\r').unwrap_or(line));
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(files: &[(&str, &str)], path: &str) -> Verdict {
        let dir = tool_trials::directory();
        for (name, text) in files {
            let file = dir.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let mut ignores: Option<Ignores> = None;
        let mut at = String::new();
        let mut parts: Vec<&str> = path.split('/').collect();
        parts.pop();
        for part in std::iter::once("").chain(parts) {
            if !part.is_empty() {
                at = if at.is_empty() { part.to_owned() } else { format!("{at}/{part}") };
            }
            let open = File::open(dir.path().join(&at)).unwrap();
            ignores = Some(Ignores::read(open.as_fd(), at.len(), ignores.take(), 1_000));
        }
        ignores.unwrap().verdict(path.as_bytes(), false)
    }

    #[test]
    fn the_deepest_file_wins_and_ignore_wins_over_gitignore() {
        let files = [(".gitignore", "*.log\n"), ("d/.gitignore", "!keep.log\n"), ("d/x", "")];
        assert_eq!(verdict(&files, "a.log"), Verdict::Ignored);
        assert_eq!(verdict(&files, "d/a.log"), Verdict::Ignored);
        assert_eq!(verdict(&files, "d/keep.log"), Verdict::Kept);
        let files = [(".gitignore", "!a\n"), (".ignore", "a\n")];
        assert_eq!(verdict(&files, "a"), Verdict::Ignored);
        assert_eq!(verdict(&[(".git/info/exclude", "x\n")], "x"), Verdict::Ignored);
        assert_eq!(verdict(&[], "x"), Verdict::None);
    }

    #[test]
    fn git_rules_end_at_the_border_of_a_repository() {
        let files = [(".gitignore", "x\n"), ("d/.git/HEAD", "")];
        assert_eq!(verdict(&files, "d/x"), Verdict::None);
        let files = [(".gitignore", "x\n"), ("d/y", "")];
        assert_eq!(verdict(&files, "d/x"), Verdict::Ignored);
    }

    #[test]
    fn an_oversized_or_linked_ignore_file_is_no_rule_and_a_fitting_one_is() {
        let large = format!("x\n{}", "#".repeat(1_000));
        assert_eq!(verdict(&[(".gitignore", &large)], "x"), Verdict::None);
        assert_eq!(verdict(&[(".gitignore", "x\n")], "x"), Verdict::Ignored);
        let dir = tool_trials::directory();
        std::fs::write(dir.path().join("rules"), "x\n").unwrap();
        std::os::unix::fs::symlink("rules", dir.path().join(".gitignore")).unwrap();
        let open = File::open(dir.path()).unwrap();
        assert_eq!(Ignores::read(open.as_fd(), 0, None, 1_000).verdict(b"x", false), Verdict::None);
    }

    #[test]
    fn a_byte_order_mark_and_a_bad_glob_spoil_no_rule() {
        let rules = parse(b"\xef\xbb\xbfx\n{a\ny\r\n").unwrap();
        assert!(rules.matched("x", false).is_ignore());
        assert!(rules.matched("y", false).is_ignore());
    }
}
