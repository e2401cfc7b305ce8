//! Protected names that a command made or replaced: found by comparing before and after, and moved away (sandbox.md §3).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2, renameat};
use rustix::io::Errno;

use super::git_config::names_programs;
use super::ground::{Ground, names};
use crate::workspace::{Class, Relative, Workspace, random_name};

/// Bytes of the largest git configuration that is read; a larger one counts as naming programs.
const CONFIG_BYTES: u64 = 1_048_576;
/// Where hooks are.
const HOOKS: &[u8] = b".git/hooks/";
/// What git puts beside hooks as examples.
const SAMPLE: &[u8] = b".sample";

/// What a file is, as far as a command may not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    /// Device and number.
    number: (u64, u64),
    /// When it was made, where that is known: numbers are given again.
    made: Option<SystemTime>,
    /// Size and last change, where nothing else keeps a command from writing into it.
    content: Option<(u64, i64, i64)>,
}

/// Entries below one protected directory that are watched.
const WATCHED_ENTRIES: usize = 10_000;

/// The protected names around a command, as they were before it.
#[derive(Debug)]
pub(super) struct Watch {
    workspace: Workspace,
    root: PathBuf,
    /// The directories whose names are watched.
    directories: Vec<Relative>,
    before: BTreeMap<Vec<u8>, Identity>,
    /// No mount makes what is protected read-only: writing into it is noticed as well.
    is_open: bool,
    quarantine: PathBuf,
}

impl Watch {
    /// Notes what is there.
    pub(super) fn begin(
        workspace: &Workspace,
        ground: &Ground,
        directory: &Path,
        quarantine: PathBuf,
        is_open: bool,
    ) -> Self {
        let names = directory.as_os_str().as_bytes().split(|byte| *byte == b'/');
        let directory = Relative::from_components(names.filter(|name| !name.is_empty()));
        let mut watch = Self {
            workspace: workspace.clone(),
            root: ground.root().to_path_buf(),
            directories: ground.watched(&directory),
            before: BTreeMap::new(),
            is_open,
            quarantine,
        };
        watch.before = watch.protected();
        watch
    }

    fn identity(&self, file: &Metadata) -> Identity {
        // What lies in a directory is watched by itself.
        let content = (self.is_open && !file.is_dir()).then(|| (file.len(), file.ctime(), file.ctime_nsec()));
        Identity { number: (file.dev(), file.ino()), made: file.created().ok(), content }
    }

    /// Moves away what is new, replaced or, where no mount forbids it, written; says what that was.
    pub(super) fn end(&self) -> io::Result<Vec<String>> {
        let mut moved: Vec<Relative> = Vec::new();
        let mut place = None;
        for (path, identity) in self.protected() {
            if self.before.get(&path) != Some(&identity) && !self.is_harmless(&path) {
                let path = Relative::from_components(path.split(|byte| *byte == b'/'));
                // What lies in something that was moved went with it.
                if !moved.iter().any(|above| path.starts_with(above)) {
                    let place = match &place {
                        Some(place) => place,
                        None => place.insert(self.place()?),
                    };
                    self.take_away(&path, place)?;
                    moved.push(path);
                }
            }
        }
        Ok(moved.iter().map(Relative::shown).collect())
    }

    /// The protected names of the watched directories, of a git directory in them what could name programs, and the
    /// files of the operator wherever they are.
    fn protected(&self) -> BTreeMap<Vec<u8>, Identity> {
        let mut found = BTreeMap::new();
        for directory in &self.directories {
            for name in names(&self.root.join(directory.as_path())) {
                let path = directory.join(&name);
                if name == b".git" && self.root.join(path.as_path()).is_dir() {
                    self.note(&path.join(b"config"), &mut found);
                    self.note(&path.join(b"config.worktree"), &mut found);
                    let hooks = path.join(b"hooks");
                    let hook_names = names(&self.root.join(hooks.as_path()));
                    hook_names.iter().for_each(|name| self.note(&hooks.join(name), &mut found));
                    continue;
                }
                self.note(&path, &mut found);
                if name.starts_with(b".") {
                    let below = names(&self.root.join(path.as_path()));
                    below.iter().for_each(|name| self.note(&path.join(name), &mut found));
                }
            }
        }
        self.workspace.names().guarded().for_each(|place| self.note_way(place, &mut found));
        found
    }

    /// Notes a place, or the first link on the way to it: then it would be what the link leads to.
    fn note_way(&self, place: &Relative, found: &mut BTreeMap<Vec<u8>, Identity>) {
        let mut way = Relative::root();
        for name in place.components() {
            way = way.join(name);
            let Ok(metadata) = self.root.join(way.as_path()).symlink_metadata() else { return };
            if metadata.is_symlink() || way == *place {
                found.insert(way.as_bytes().to_vec(), self.identity(&metadata));
                return;
            }
        }
    }

    fn note(&self, path: &Relative, found: &mut BTreeMap<Vec<u8>, Identity>) {
        let class = self.workspace.names().class(path);
        let watched = matches!(class, Some(Class::Secret | Class::GitConfig | Class::Guarded));
        let inside = path.parent().is_some_and(|parent| found.contains_key(parent.as_bytes()));
        if watched
            && !inside
            && let Ok(metadata) = self.root.join(path.as_path()).symlink_metadata()
        {
            found.insert(path.as_bytes().to_vec(), self.identity(&metadata));
            if self.is_open && metadata.is_dir() {
                self.note_all_in(path, found);
            }
        }
    }

    /// Notes everything below a protected directory, as far as one of a usual size goes.
    fn note_all_in(&self, directory: &Relative, found: &mut BTreeMap<Vec<u8>, Identity>) {
        let mut directories = vec![directory.clone()];
        let most = found.len() + WATCHED_ENTRIES;
        while let Some(directory) = directories.pop() {
            for name in names(&self.root.join(directory.as_path())) {
                let path = directory.join(&name);
                let Ok(metadata) = self.root.join(path.as_path()).symlink_metadata() else { continue };
                if found.len() >= most {
                    return;
                }
                found.insert(path.as_bytes().to_vec(), self.identity(&metadata));
                if metadata.is_dir() {
                    directories.push(path);
                }
            }
        }
    }

    /// What a git directory that the command made may have: examples of hooks, and a configuration without programs.
    fn is_harmless(&self, path: &[u8]) -> bool {
        let in_git = |name: &[u8]| path.strip_suffix(name).is_some_and(|head| head.ends_with(b".git/"));
        if in_git(b"config") || in_git(b"config.worktree") {
            return !self.names_programs(path);
        }
        let is_hook = path.windows(HOOKS.len()).any(|part| part == HOOKS);
        is_hook && path.ends_with(SAMPLE)
    }

    fn names_programs(&self, path: &[u8]) -> bool {
        let file = self.root.join(OsString::from_vec(path.to_vec()));
        let readable =
            file.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= CONFIG_BYTES);
        !readable || fs::read(file).map_or(true, |text| names_programs(&String::from_utf8_lossy(&text)))
    }

    /// Where things are moved to: the state directory, or where none can be made, a new directory among temporary files.
    fn place(&self) -> io::Result<PathBuf> {
        if fs::create_dir_all(&self.quarantine).is_ok() {
            return Ok(self.quarantine.clone());
        }
        let random = random_name()?;
        let place = std::env::temp_dir().join(format!("toolbox-quarantine{random}"));
        fs::DirBuilder::new().mode(0o700).create(&place)?;
        Ok(place)
    }

    /// Moves one name away, through handles, so that a link put in the way leads nowhere.
    fn take_away(&self, path: &Relative, place: &Path) -> io::Result<()> {
        let (Some(name), Some(parent)) = (path.name(), path.parent()) else { return Ok(()) };
        let name = OsString::from_vec(name.to_vec());
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let parent =
            openat2(self.workspace.opener().root(), parent.as_path(), flags, Mode::empty(), beneath)?;
        let target = place.join(path.as_path());
        fs::create_dir_all(target.parent().unwrap_or(place))?;
        match renameat(&parent, &name, CWD, &target) {
            Err(Errno::XDEV) => {
                let source = self.root.join(path.as_path());
                copy(&source, &target)?;
                remove(&source)
            }
            outcome => outcome.map_err(Into::into),
        }
    }
}

/// Copies a file, a link or a directory to another file system; anything else leaves an empty file.
fn copy(source: &Path, target: &Path) -> io::Result<()> {
    let metadata = source.symlink_metadata()?;
    if metadata.is_symlink() {
        return symlink(fs::read_link(source)?, target);
    }
    if metadata.is_dir() {
        fs::create_dir_all(target)?;
        return fs::read_dir(source)?.try_for_each(|entry| {
            let entry = entry?;
            copy(&entry.path(), &target.join(entry.file_name()))
        });
    }
    if metadata.is_file() { fs::copy(source, target).map(drop) } else { fs::write(target, "") }
}

fn remove(path: &Path) -> io::Result<()> {
    if path.symlink_metadata()?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}
