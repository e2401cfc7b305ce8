//! Where git goes from one repository into others: a command in the tree above asks each submodule that the index names for
//! its state, and runs there what the configuration of the submodule says (git-submodule(1), `submodule.c` of git 2.47).
//!
//! So these repositories are guarded as the one above is, whether or not they have a git directory yet. The index is the
//! commands' own: what it names is looked at before and after them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::git_config;
use super::git_directory::{named_by_file, path};
use super::git_index::{Hash, Index, parse};
use super::guarded::{Finder, Part, Rule, Trace};
use super::kept::{read, read_through};
use super::way::{End, follow};
use crate::workspace::Relative;

/// Bytes of the largest index that is read: that of about half a million files.
const INDEX_BYTES: u64 = 67_108_864;
/// Entries of a tree without an index that could be read.
const TREE_ENTRIES: usize = 100_000;

/// What is still to be looked at.
pub(super) enum Lead {
    /// A `.git`, and the tree that it is for, where that is known.
    Git { git: Relative, tree: Option<PathBuf>, part: Part, trace: Trace },
    /// An included configuration.
    Config { config: Relative, git: Relative, trace: Trace },
}

impl Lead {
    fn path(&self) -> &Relative {
        match self {
            Self::Git { git, .. } => git,
            Self::Config { config, .. } => config,
        }
    }
}

/// What an index says.
enum Reading {
    /// There is none.
    None,
    Names(Index),
    /// It may say anything.
    Unreadable,
}

impl Finder<'_> {
    /// Looks at what was led to, and at what that leads to, as far as is looked at all.
    pub(super) fn follow_leads(&mut self) {
        while let Some(lead) = self.leads.pop() {
            if !self.counts(1) {
                self.found.beyond.insert(lead.path().as_bytes().to_vec());
                continue;
            }
            match lead {
                Lead::Git { git, tree, part, trace } => self.git(&git, tree, part, trace),
                Lead::Config { config, git, trace } => self.config(&config, &git, &trace),
            }
        }
    }

    /// Looks at the repositories whose trees the workspace lies in: their git directories are out of reach, and the
    /// submodules that they have in the workspace are not.
    pub(super) fn around_the_root(&mut self) {
        let root = self.root();
        for tree in root.ancestors().skip(1) {
            let git = tree.join(".git");
            let git = match git.symlink_metadata() {
                Ok(found) if found.is_file() => {
                    read(&git).as_deref().and_then(named_by_file).map(|named| tree.join(named))
                }
                Ok(_) => Some(git),
                Err(_) => None,
            };
            if let Some(git) = git {
                self.repository(&git, Some(tree.to_path_buf()), &Trace::default());
            }
        }
        self.follow_leads();
    }

    /// Looks at every repository that git goes into from the trees of a git directory.
    pub(super) fn repository(&mut self, git: &Path, tree: Option<PathBuf>, trace: &Trace) {
        let index = git.join("index");
        let trees: BTreeSet<PathBuf> = tree.into_iter().chain(self.named_trees(git)).collect();
        for tree in trees {
            let look = [git.as_os_str().as_bytes(), tree.as_os_str().as_bytes()].join(&0);
            if !self.is_first_look(look) {
                continue;
            }
            match reading(&index, git) {
                Reading::None => {}
                Reading::Names(names) => {
                    names.submodules.iter().for_each(|name| self.submodule(&tree.join(path(name)), trace));
                    for name in names.directories {
                        self.every_repository(&tree.join(path(&name)), &index, trace);
                    }
                }
                Reading::Unreadable => self.every_repository(&tree, &index, trace),
            }
        }
    }

    /// The trees that the configuration of a git directory names.
    fn named_trees(&self, git: &Path) -> Vec<PathBuf> {
        let config = read_through(&git.join("config")).unwrap_or_default();
        let named = values(&config, "core", "worktree");
        named.iter().map(|tree| git.join(path(tree))).filter_map(|tree| fs::canonicalize(tree).ok()).collect()
    }

    /// Looks at the git directory of a submodule, if it has one, and at the links on the way to it.
    fn submodule(&mut self, place: &Path, trace: &Trace) {
        let way = follow(&self.root(), &Relative::root(), place);
        let directory = match &way.end {
            End::Inside(end) => self.path(end),
            End::Outside(end) => end.clone(),
            End::Nowhere => return,
        };
        if directory.join(".git").symlink_metadata().is_err() {
            return;
        }
        let mut trace = trace.clone();
        for link in way.links {
            if let Some(metadata) = self.metadata(&link) {
                self.insert(&link, Part::Link, Rule::Watch, &trace, metadata);
                trace.via = Some(link.as_bytes().to_vec());
            }
        }
        if let End::Inside(end) = way.end {
            let git = end.join(b".git");
            trace.crowd = Some(git.clone());
            self.leads.push(Lead::Git { git, tree: Some(directory), part: Part::GitFile, trace });
        }
    }

    /// Looks at every repository below a directory, as far as that is in the workspace.
    fn every_repository(&mut self, tree: &Path, index: &Path, trace: &Trace) {
        let root = self.root();
        let top = if root.starts_with(tree) { root.clone() } else { tree.to_path_buf() };
        let Ok(top) = top.strip_prefix(&root).map(relative) else { return };
        if self.metadata(&top).is_none_or(|found| !found.is_dir()) {
            return;
        }
        let mut entries = 0;
        let mut directories = vec![top];
        while let Some(directory) = directories.pop() {
            let place = self.path(&directory);
            let Ok(found) = fs::read_dir(&place).and_then(|entries| entries.collect::<io::Result<Vec<_>>>())
            else {
                self.found.unreadable.insert(directory.as_bytes().to_vec());
                continue;
            };
            entries += found.len();
            if entries > TREE_ENTRIES {
                let beyond = index.strip_prefix(&root).map_or(directory, relative);
                self.found.beyond.insert(beyond.as_bytes().to_vec());
                return;
            }
            for entry in found {
                let name = entry.file_name();
                if name == ".git" {
                    self.submodule(&place, trace);
                } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    directories.push(directory.join(name.as_bytes()));
                }
            }
        }
    }
}

fn relative(path: &Path) -> Relative {
    Relative::from_components(path.components().map(|component| component.as_os_str().as_bytes()))
}

/// The index of a git directory, which may be a link as git follows it.
fn reading(index: &Path, git: &Path) -> Reading {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = match fs::OpenOptions::new().read(true).custom_flags(flags).open(index) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Reading::None,
        Err(_) => return Reading::Unreadable,
    };
    let Some(size) = file.metadata().ok().filter(|found| found.is_file()).map(|found| found.len()) else {
        return Reading::Unreadable;
    };
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(INDEX_BYTES)).unwrap_or_default());
    let is_whole =
        file.take(INDEX_BYTES + 1).read_to_end(&mut bytes).is_ok_and(|read| read as u64 <= INDEX_BYTES);
    let index = hash(git).filter(|_| is_whole).and_then(|hash| parse(&bytes, hash));
    index.map_or(Reading::Unreadable, Reading::Names)
}

/// The names of objects that a repository has, by the configuration of its common directory.
fn hash(git: &Path) -> Option<Hash> {
    let common = read(&git.join("commondir")).map(|text| git.join(path(text.trim_ascii_end())));
    let config = read_through(&common.as_deref().unwrap_or(git).join("config")).unwrap_or_default();
    let formats = values(&config, "extensions", "objectformat");
    let all = |name: &[u8]| formats.iter().all(|format| format == name);
    match (all(b"sha1"), all(b"sha256")) {
        (true, _) => Some(Hash::Sha1),
        (false, true) => Some(Hash::Sha256),
        (false, false) => None,
    }
}

/// The values of a variable of a section without a subsection.
fn values(config: &[u8], section: &str, key: &str) -> Vec<Vec<u8>> {
    let variables = git_config::parse(config).unwrap_or_default().into_iter();
    variables
        .filter(|variable| {
            variable.section == section && variable.subsection.is_none() && variable.key == key
        })
        .map(|variable| variable.value.unwrap_or_default())
        .collect()
}
