//! What in the directories around a command is guarded (sandbox.md §3): protected names, what git reads there, and what
//! links among them lead to.
//!
//! The one authority: the view covers and freezes what is found before a command, and the watch compares it with what is
//! found after it. What of a git directory counts is in [`super::git_directory`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::gitlinks::Lead;
use super::kept::{read, read_through};
use super::way::{End, follow};
use crate::workspace::{Class, Relative, Workspace};

/// Entries below protected directories, and of nested repositories, that are looked at.
const MOST_ENTRIES: usize = 10_000;
/// Bytes of the paths that are made read-only one by one; of more, their directories are, as one.
const FROZEN_BYTES: usize = 24_576;

/// What commands may do with a place that is there before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Nothing: an empty thing takes its place.
    Cover,
    /// Read it.
    Freeze,
    /// Change it; it is looked at afterwards.
    Watch,
}

/// What a place is, which decides what is harmless in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A protected name: nothing new is harmless.
    Name,
    /// A link on the way from a protected name to what it leads to.
    Link,
    /// A git configuration, and the git directory that it is for.
    Config(Relative),
    /// A directory of hooks; each of them is looked at by itself.
    Hooks,
    /// A hook.
    Hook,
    /// Where a git directory says that configuration and hooks are; that of a linked worktree may say the usual.
    CommonDirectory { of_worktree: bool },
    /// What a rebase that was interrupted does next.
    Todo,
    /// A `.git` of a submodule, or deeper than the command, that is a file: it may name what is looked at.
    GitFile,
}

impl Part {
    /// Whether commands may write into it even where mounts keep them from other parts.
    pub(super) fn is_written(&self) -> bool {
        matches!(self, Self::Todo | Self::GitFile)
    }
}

/// A guarded place that is there.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) part: Part,
    pub(super) rule: Rule,
    /// The guarded place that leads here, if it is not guarded by its own name.
    pub(super) via: Option<Vec<u8>>,
    pub(super) metadata: Metadata,
    /// A directory of many like it, which is frozen as a whole when they are too many.
    crowd: Option<Relative>,
}

/// What was found, by the path below the root.
#[derive(Clone, Debug, Default)]
pub(super) struct Guarded {
    pub(super) places: BTreeMap<Vec<u8>, Place>,
    /// What links lead to outside of the root.
    pub(super) outside: Vec<(PathBuf, Rule)>,
    /// Directories that should be looked into and cannot be.
    pub(super) unreadable: BTreeSet<Vec<u8>>,
    /// What leads to more than is looked at, where nothing keeps commands from changing it.
    pub(super) beyond: BTreeSet<Vec<u8>>,
}

/// Where to look, in one workspace.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) workspace: Workspace,
    /// The workspace, without links.
    pub(super) root: PathBuf,
    /// The root, and every directory from there to that of the command.
    directories: Vec<Relative>,
    /// Nothing keeps commands from writing into what is protected: everything below is looked at, and its content.
    pub(super) is_open: bool,
}

impl Search {
    /// Around a command that starts in a directory.
    pub(super) fn new(workspace: &Workspace, root: &Path, directory: &Relative, is_open: bool) -> Self {
        let mut directories = vec![Relative::root()];
        let mut reached = Relative::root();
        for name in directory.components() {
            reached.push(name);
            directories.push(reached.clone());
        }
        Self { workspace: workspace.clone(), root: root.to_path_buf(), directories, is_open }
    }

    /// Everything guarded that is there now.
    pub(super) fn run(&self) -> Guarded {
        let mut finder = Finder {
            search: self,
            found: Guarded::default(),
            entries: 0,
            seen: BTreeSet::new(),
            leads: Vec::new(),
        };
        self.directories.iter().for_each(|directory| finder.look_into(directory));
        finder.around_the_root();
        self.workspace.names().guarded().for_each(|place| finder.operators(place));
        finder.found
    }

    /// Whether a directory is one of those that are looked into.
    pub(super) fn is_around(&self, directory: &Relative) -> bool {
        self.directories.contains(directory)
    }

    pub(super) fn at(&self, path: &Relative) -> PathBuf {
        if path.is_root() { self.root.clone() } else { self.root.join(path.as_path()) }
    }
}

impl Guarded {
    /// The places to cover and those to freeze, without those that lie in others.
    pub(super) fn covered_and_frozen(&self) -> (Vec<Relative>, Vec<Relative>) {
        let there = |rule: Rule| self.places.iter().filter(move |(_, place)| place.has(rule));
        let bytes: usize = there(Rule::Freeze).map(|(path, _)| path.len()).sum();
        let mut covered: Vec<Relative> = there(Rule::Cover).map(|(path, _)| relative(path)).collect();
        let mut frozen: Vec<Relative> = there(Rule::Freeze)
            .map(|(path, place)| match &place.crowd {
                Some(crowd) if bytes > FROZEN_BYTES => crowd.clone(),
                _ => relative(path),
            })
            .collect();
        keep_outermost(&mut covered);
        keep_outermost(&mut frozen);
        frozen.retain(|path| !covered.iter().any(|above| path.starts_with(above)));
        (covered, frozen)
    }

    /// What links lead to: directories above it must keep their names.
    pub(super) fn led_to(&self) -> impl Iterator<Item = Relative> {
        self.places.iter().filter(|(_, place)| place.via.is_some()).map(|(path, _)| relative(path))
    }
}

impl Place {
    /// Whether a rule applies; a link itself is neither covered nor frozen.
    fn has(&self, rule: Rule) -> bool {
        self.rule == rule && !self.metadata.is_symlink()
    }
}

/// A search on its way.
pub(super) struct Finder<'a> {
    search: &'a Search,
    pub(super) found: Guarded,
    pub(super) entries: usize,
    /// Git directories and configurations that were looked at: they can name each other.
    seen: BTreeSet<Vec<u8>>,
    /// What is still to be looked at: one may lead to the next as often as commands like.
    pub(super) leads: Vec<Lead>,
}

/// How a place was found.
#[derive(Clone, Default)]
pub(super) struct Trace {
    pub(super) via: Option<Vec<u8>>,
    pub(super) crowd: Option<Relative>,
}

impl Finder<'_> {
    /// Looks at the names directly in a directory, and at those below that begin with a dot, such as `.aws/credentials`.
    fn look_into(&mut self, directory: &Relative) {
        for name in self.names(directory) {
            let path = directory.join(&name);
            if name == b".git" {
                self.git(&path, Some(self.path(directory)), Part::Name, Trace::default());
                self.follow_leads();
                continue;
            }
            self.name(&path);
            let is_directory =
                name.starts_with(b".") && self.metadata(&path).is_some_and(|found| found.is_dir());
            if is_directory && !self.knows(&path) {
                self.names(&path).iter().for_each(|name| self.name(&path.join(name)));
            }
        }
        // Git takes a directory with these for a repository, whatever its name (`is_git_directory` in `setup.c`).
        let has = |name: &[u8]| self.metadata(&directory.join(name)).is_some();
        if has(b"HEAD") && (has(b"objects") || has(b"commondir")) {
            self.git_directory(directory, &Trace::default());
            self.repository(&self.path(directory), Some(self.path(directory)), &Trace::default());
            self.follow_leads();
        }
    }

    /// Notes a path that is a protected name.
    fn name(&mut self, path: &Relative) {
        let rule = match self.search.workspace.names().class(path) {
            None => return,
            Some(Class::Sealed | Class::Secret) => Rule::Cover,
            Some(Class::GitConfig | Class::Guarded) => Rule::Freeze,
        };
        self.note(path, Part::Name, rule, &Trace::default());
    }

    /// Notes a file of the operator, or the first link on the way to it: then it would be what the link leads to.
    fn operators(&mut self, place: &Relative) {
        let mut way = Relative::root();
        for name in place.components() {
            way.push(name);
            let Some(metadata) = self.metadata(&way) else { return };
            if metadata.is_symlink() || way == *place {
                self.insert(&way, Part::Name, Rule::Watch, &Trace::default(), metadata);
                return;
            }
        }
    }

    /// Notes a place and what it leads to, if it is there.
    pub(super) fn note(&mut self, path: &Relative, part: Part, rule: Rule, trace: &Trace) {
        let Some(metadata) = self.metadata(path) else { return };
        let (is_link, is_directory) = (metadata.is_symlink(), metadata.is_dir());
        if !self.insert(path, part.clone(), rule, trace, metadata) {
            return;
        }
        if is_link {
            if let Ok(target) = fs::read_link(self.search.at(path)) {
                self.led(path, &target, part, rule, trace);
            }
        } else if is_directory && self.search.is_open && part == Part::Name {
            self.note_all_in(path, rule, trace);
        }
    }

    /// Notes what a guarded place leads to, unless that is no more than a link, and every link on the way. Says where it
    /// ends, if below the root, and how that was found.
    pub(super) fn led(
        &mut self,
        from: &Relative,
        target: &Path,
        part: Part,
        rule: Rule,
        trace: &Trace,
    ) -> Option<(Relative, Trace)> {
        let directory = from.parent().unwrap_or_default();
        let way = follow(&self.search.root, &directory, target);
        let mut trace = Trace { via: Some(from.as_bytes().to_vec()), ..trace.clone() };
        for link in way.links {
            if let Some(metadata) = self.metadata(&link) {
                self.insert(&link, Part::Link, Rule::Watch, &trace, metadata);
                trace.via = Some(link.as_bytes().to_vec());
            }
        }
        match way.end {
            End::Inside(end) => {
                if let Some(metadata) = self.metadata(&end)
                    && part != Part::Link
                {
                    let is_directory = metadata.is_dir();
                    let is_new = self.insert(&end, part, rule, &trace, metadata);
                    if is_new && is_directory && self.search.is_open {
                        self.note_all_in(&end, rule, &trace);
                    }
                }
                Some((end, trace))
            }
            End::Outside(end) => {
                self.found.outside.push((end, rule));
                None
            }
            End::Nowhere => None,
        }
    }

    /// Keeps a place, unless it is known or lies in one that is.
    pub(super) fn insert(
        &mut self,
        path: &Relative,
        part: Part,
        rule: Rule,
        trace: &Trace,
        metadata: Metadata,
    ) -> bool {
        if path.is_root() || self.knows(path) {
            return false;
        }
        let place = Place { part, rule, via: trace.via.clone(), metadata, crowd: trace.crowd.clone() };
        self.found.places.insert(path.as_bytes().to_vec(), place);
        true
    }

    /// Whether a place is known, or a protected directory that it lies in.
    fn knows(&self, path: &Relative) -> bool {
        let is_whole = |above: &Relative| {
            let place = self.found.places.get(above.as_bytes());
            place.is_some_and(|place| place.part == Part::Name && place.metadata.is_dir())
        };
        let mut above = path.parent();
        while let Some(directory) = above {
            if is_whole(&directory) {
                return true;
            }
            above = directory.parent();
        }
        self.found.places.contains_key(path.as_bytes())
    }

    /// Notes everything below a protected directory, as far as one of a usual size goes.
    fn note_all_in(&mut self, top: &Relative, rule: Rule, trace: &Trace) {
        let mut directories = vec![top.clone()];
        while let Some(directory) = directories.pop() {
            let Some(names) = self.names_of_many(&directory) else {
                self.found.beyond.insert(top.as_bytes().to_vec());
                return;
            };
            for name in names {
                let path = directory.join(&name);
                let Some(metadata) = self.metadata(&path) else { continue };
                if metadata.is_dir() {
                    directories.push(path.clone());
                }
                let (via, crowd) = (trace.via.clone(), None);
                let place = Place { part: Part::Name, rule, via, metadata, crowd };
                self.found.places.insert(path.as_bytes().to_vec(), place);
            }
        }
    }

    /// The names in a directory that is no link, in order; of one that cannot be read it is noted that it cannot.
    pub(super) fn names(&mut self, directory: &Relative) -> Vec<Vec<u8>> {
        let read = |place: &Path| -> io::Result<Vec<Vec<u8>>> {
            fs::read_dir(place)?.map(|entry| Ok(entry?.file_name().into_vec())).collect()
        };
        if self.metadata(directory).is_none_or(|found| !found.is_dir()) {
            return Vec::new();
        }
        let mut names = read(&self.search.at(directory)).unwrap_or_else(|_| {
            self.found.unreadable.insert(directory.as_bytes().to_vec());
            Vec::new()
        });
        names.sort_unstable();
        names
    }

    /// The same for a directory of a tree that may be of any size; none when that is more than is looked at.
    pub(super) fn names_of_many(&mut self, directory: &Relative) -> Option<Vec<Vec<u8>>> {
        let names = self.names(directory);
        self.counts(names.len()).then_some(names)
    }

    /// Whether so many entries more are still looked at.
    pub(super) fn counts(&mut self, entries: usize) -> bool {
        self.entries += entries;
        self.entries <= MOST_ENTRIES
    }

    /// Whether something is looked at for the first time.
    pub(super) fn is_first_look(&mut self, path: impl Into<Vec<u8>>) -> bool {
        self.seen.insert(path.into())
    }

    /// The workspace, without links.
    pub(super) fn root(&self) -> PathBuf {
        self.search.root.clone()
    }

    /// Whether nothing keeps commands from writing into what is protected.
    pub(super) fn is_open(&self) -> bool {
        self.search.is_open
    }

    pub(super) fn metadata(&self, path: &Relative) -> Option<Metadata> {
        self.search.at(path).symlink_metadata().ok()
    }

    pub(super) fn path(&self, path: &Relative) -> PathBuf {
        self.search.at(path)
    }

    /// The bytes of a file that is no link.
    pub(super) fn read(&self, path: &Relative) -> Option<Vec<u8>> {
        read(&self.search.at(path))
    }

    /// The bytes of a file, or of that a link leads to.
    pub(super) fn read_through(&self, path: &Relative) -> Option<Vec<u8>> {
        read_through(&self.search.at(path))
    }
}

fn relative(path: &[u8]) -> Relative {
    Relative::from_components(path.split(|byte| *byte == b'/'))
}

/// Leaves out what lies in something else of the list.
fn keep_outermost(places: &mut Vec<Relative>) {
    places.sort_by(|one, other| one.components().cmp(other.components()));
    places.dedup_by(|below, above| below.starts_with(above));
}
