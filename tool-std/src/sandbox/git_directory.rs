//! What of a git directory git reads that can name programs, or lead it to another that does (gitrepository-layout(5)).
//!
//! Configurations, hooks, where the common directory is, the same of submodules and linked worktrees, and what an
//! interrupted rebase does next. A `.git` that is a link or a file is followed to the directory that it names.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::git_programs::includes;
use super::gitlinks::Lead;
use super::guarded::{Finder, Part, Rule, Trace};
use crate::workspace::Relative;

/// What git puts beside hooks as examples, and never runs.
const SAMPLE: &[u8] = b".sample";
/// How a `.git` that is a file begins (gitrepository-layout(5)).
const GIT_FILE: &[u8] = b"gitdir:";
/// What git itself has in a git directory: no submodule lies in these.
const OWN: [&[u8]; 7] = [b"branches", b"hooks", b"info", b"lfs", b"logs", b"objects", b"refs"];

impl Finder<'_> {
    /// Looks at a `.git`, whatever it is, and at what git goes into from the tree that it is for.
    pub(super) fn git(&mut self, git: &Relative, tree: Option<PathBuf>, part: Part, trace: Trace) {
        let Some(metadata) = self.metadata(git) else { return };
        if metadata.is_dir() {
            self.git_directory(git, &trace);
            return self.repository(&self.path(git), tree, &trace);
        }
        if !self.is_first_look(git.as_bytes()) {
            return;
        }
        let (target, part, rule) = match metadata.is_symlink() {
            true => (fs::read_link(self.path(git)).ok(), Part::Name, Rule::Freeze),
            false => {
                let rule = if part == Part::GitFile { Rule::Watch } else { Rule::Freeze };
                (self.read(git).as_deref().and_then(named_by_file), part, rule)
            }
        };
        self.insert(git, part, rule, &trace, metadata);
        self.led_to_git(git, target, tree, &trace);
    }

    /// Looks at the git directory, or at the file that names one, that something leads to.
    fn led_to_git(&mut self, from: &Relative, target: Option<PathBuf>, tree: Option<PathBuf>, trace: &Trace) {
        let Some(target) = target else { return };
        if let Some((git, trace)) = self.led(from, &target, Part::Link, Rule::Watch, trace) {
            self.leads.push(Lead::Git { git, tree, part: Part::Name, trace });
        }
    }

    /// Looks at a git directory and those that belong to it.
    pub(super) fn git_directory(&mut self, git: &Relative, trace: &Trace) {
        if !self.is_first_look(git.as_bytes()) {
            return;
        }
        self.config(&git.join(b"config"), git, trace);
        self.config(&git.join(b"config.worktree"), git, trace);
        self.hooks(&git.join(b"hooks"), trace);
        self.common_directory(git, trace);
        self.note(&git.join(b"rebase-merge").join(b"git-rebase-todo"), Part::Todo, Rule::Watch, trace);
        self.many(&git.join(b"modules"), trace);
        self.many(&git.join(b"worktrees"), trace);
    }

    fn common_directory(&mut self, git: &Relative, trace: &Trace) {
        let file = git.join(b"commondir");
        let above = git.parent().unwrap_or_default();
        let part = Part::CommonDirectory { of_worktree: above.name() == Some(b"worktrees") };
        self.note(&file, part, Rule::Freeze, trace);
        let text = self.read(&file).unwrap_or_default();
        let target = Some(text.trim_ascii_end()).filter(|text| !text.is_empty()).map(path);
        self.led_to_git(&file, target, None, trace);
    }

    /// Notes a configuration and those that it includes.
    pub(super) fn config(&mut self, config: &Relative, git: &Relative, trace: &Trace) {
        if !self.is_first_look(config.as_bytes()) {
            return;
        }
        self.note(config, Part::Config(git.clone()), Rule::Freeze, trace);
        for included in includes(&self.read_through(config).unwrap_or_default()) {
            let target = match included.strip_prefix(b"~/") {
                Some(rest) => std::env::var_os("HOME").map(|home| Path::new(&home).join(path(rest))),
                None => Some(path(&included)),
            };
            let Some(target) = target else { continue };
            let part = Part::Config(git.clone());
            if let Some((config, trace)) = self.led(config, &target, part, Rule::Freeze, trace) {
                self.leads.push(Lead::Config { config, git: git.clone(), trace });
            }
        }
    }

    /// Notes each hook that is no example; what is no directory of hooks is noted itself.
    fn hooks(&mut self, hooks: &Relative, trace: &Trace) {
        let Some(metadata) = self.metadata(hooks) else { return };
        if !metadata.is_dir() {
            return self.note(hooks, Part::Name, Rule::Freeze, trace);
        }
        self.insert(hooks, Part::Hooks, Rule::Freeze, trace, metadata);
        for name in self.names(hooks) {
            if !name.ends_with(SAMPLE) {
                self.note(&hooks.join(&name), Part::Hook, Rule::Freeze, trace);
            }
        }
    }

    /// Looks at every directory below that of the submodules, or of the linked worktrees.
    fn many(&mut self, top: &Relative, trace: &Trace) {
        let Some(metadata) = self.metadata(top) else { return };
        let crowd = trace.crowd.clone().or_else(|| Some(top.clone()));
        let trace = Trace { crowd, ..trace.clone() };
        if !metadata.is_dir() {
            return self.note(top, Part::Name, Rule::Freeze, &trace);
        }
        let mut directories = vec![top.clone()];
        while let Some(directory) = directories.pop() {
            let is_git = self.metadata(&directory.join(b"HEAD")).is_some();
            let Some(names) = self.names_of_many(&directory) else {
                return self.too_many(top, metadata, &trace);
            };
            for name in names {
                let path = directory.join(&name);
                if is_git && OWN.contains(&name.as_slice()) {
                    continue;
                }
                match self.metadata(&path) {
                    Some(found) if found.is_dir() => {
                        self.git_directory(&path, &trace);
                        directories.push(path);
                    }
                    // In a git directory links are files of its own.
                    Some(found) if found.is_symlink() && !is_git => {
                        self.note(&path, Part::Name, Rule::Freeze, &trace);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Takes a directory as one when there is more in it than is looked at: no command changes it where mounts forbid that.
    fn too_many(&mut self, top: &Relative, metadata: Metadata, trace: &Trace) {
        if self.is_open() {
            self.found.beyond.insert(top.as_bytes().to_vec());
        }
        self.insert(top, Part::Name, Rule::Freeze, trace, metadata);
    }
}

/// The directory that a `.git` names that is a file.
pub(super) fn named_by_file(text: &[u8]) -> Option<PathBuf> {
    let name = text.strip_prefix(GIT_FILE)?.trim_ascii();
    (!name.is_empty()).then(|| path(name))
}

pub(super) fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// Whether what a rebase does next runs commands (`exec` in git-rebase(1)).
pub(super) fn runs_commands(todo: &[u8]) -> bool {
    let mut lines = todo.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_start);
    lines.any(|line| {
        let word = line.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
        word == b"exec" || word == b"x"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rebase_that_runs_commands_is_told_from_one_that_does_not() {
        assert!(runs_commands(b"pick 1 a\n\texec touch x\n"));
        assert!(runs_commands(b"x touch x"));
        assert!(!runs_commands(b"pick 1 exec\n# exec x\nfixup 2\nbreak\n"));
    }

    #[test]
    fn the_directory_that_a_file_names_is_found() {
        assert_eq!(named_by_file(b"gitdir: ../a b/.git\n"), Some(PathBuf::from("../a b/.git")));
        assert_eq!(named_by_file(b"gitdir: \n"), None);
        assert_eq!(named_by_file(b"ref: x"), None);
    }
}
