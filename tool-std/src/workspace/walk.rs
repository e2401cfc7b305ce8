//! Our own walk: iterative, by directory handles, in the order of paths, within budgets (files.md §10).
//!
//! Every directory is opened relative to the one that holds it and never through a link, so the walk cannot be raced
//! out of the root. Links are entries; they are not descended. What a budget cuts off is reported, not an error.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, openat, readlinkat, statat};
use rustix::io::Errno;
use schemars::JsonSchema;
use serde::Serialize;
use tool_core::ToolError;

use super::budget::Budget;
use super::ignores::{Ignores, Verdict};
use super::listing::{Failure, Item, Kept, Listing};
use super::open::{Handle, Refused};
use super::path::Relative;
use super::protect::Use;
use super::target::as_error;
use super::truncation::Truncation;
use super::{Workspace, WorkspacePath, refusal, temporary};

/// Names of one directory in memory.
const BATCH: usize = 100_000;
/// Names read between two looks at the clock and the call.
const NAMES_PER_LOOK: u64 = 1_024;
/// Unreadable places that are named.
const NAMED_MAX: usize = 10;

/// What a walk does with `.git` directories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GitDirectories {
    /// It shows them and stays outside.
    Listed,
    /// It passes them over.
    #[default]
    Skipped,
    /// It treats them like any other.
    Descended,
}

/// What a walk shows.
#[derive(Clone, Debug)]
pub struct WalkOptions {
    /// Levels below the start: 1 is its own entries.
    pub depth: u64,
    /// Show names that begin with a dot.
    pub hidden: bool,
    /// Obey ignore files.
    pub gitignore: bool,
    /// `.git` directories.
    pub git: GitDirectories,
    /// Begin behind this path, relative to the start.
    pub after: Option<Relative>,
    /// Names of one directory in memory.
    pub batch: usize,
    /// Protected names included and without a limit of time: for the workspace's own walks.
    pub(crate) sees_everything: bool,
    /// Entries to visit, where it is not the limit of the tools.
    pub(crate) entries: Option<u64>,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            depth: u64::MAX,
            hidden: false,
            gitignore: false,
            git: GitDirectories::default(),
            after: None,
            batch: BATCH,
            sees_everything: false,
            entries: None,
        }
    }
}

/// How many entries a walk passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skipped {
    /// Names that begin with a dot.
    pub hidden: u64,
    /// Names that ignore files leave out.
    pub ignored: u64,
}

/// A place that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnreadablePlace {
    /// Its path.
    pub path: String,
    /// Why, as an error code.
    pub code: String,
}

/// The places that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unreadable {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: Vec<UnreadablePlace>,
}

impl Unreadable {
    /// Leaves the first places that were counted: a walk may have gone on beyond what was wanted of it.
    pub(crate) fn cut(&mut self, count: u64) {
        self.count = self.count.min(count);
        self.first.truncate(usize::try_from(self.count).unwrap_or(usize::MAX));
    }

    /// Counts a place.
    pub(crate) fn note(&mut self, path: &Relative, error: &ToolError) {
        self.count += 1;
        if self.first.len() < NAMED_MAX {
            self.first.push(UnreadablePlace { path: path.shown(), code: error.code_str().to_owned() });
        }
    }
}

/// Something that a walk met.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its path from the root.
    pub relative: Relative,
    /// Its type; a link is a link.
    pub kind: FileType,
    /// Levels below the start, from 1.
    pub depth: u64,
    directory: Arc<OwnedFd>,
    start: Arc<Start>,
}

/// Where a walk begins: the directory without links, and as the caller named it.
#[derive(Debug)]
struct Start {
    real: Relative,
    named: Relative,
}

impl Entry {
    /// Its name.
    pub fn name(&self) -> &[u8] {
        self.relative.name().unwrap_or_default()
    }

    /// Its path below the start, in bytes.
    pub fn below_start(&self) -> &[u8] {
        let path = self.relative.as_bytes();
        match self.start.real.as_bytes().len() {
            0 => path,
            start => path.get(start + 1..).unwrap_or_default(),
        }
    }

    /// Its path for results: the start as the caller named it, and what is below.
    pub fn shown(&self) -> String {
        if self.start.real == self.start.named {
            return self.relative.shown();
        }
        let mut path = self.start.named.clone();
        path.push(self.below_start());
        path.shown()
    }

    /// The directory that holds it.
    pub(crate) fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    fn name_path(&self) -> &Path {
        Path::new(std::ffi::OsStr::from_bytes(self.name()))
    }

    /// Size, times and identity of the entry itself.
    pub(crate) fn stat(&self) -> Result<Stat, Errno> {
        statat(&*self.directory, self.name_path(), AtFlags::SYMLINK_NOFOLLOW)
    }

    /// The text of a link.
    pub(crate) fn target(&self) -> Option<Vec<u8>> {
        let target = readlinkat(&*self.directory, self.name_path(), Vec::new()).ok()?;
        Some(target.into_bytes())
    }
}

impl Workspace {
    /// The handle of an entry that is a regular file and may be read.
    pub(crate) fn entry_file(&self, entry: &Entry) -> Result<Handle, ToolError> {
        let shown = entry.shown();
        let directory = entry.directory.as_fd();
        let opened = match self.opener().plain_child(directory, entry.name_path(), &entry.relative) {
            Some(handle) => Ok(handle),
            None => self.opener().child(directory, entry.name(), entry.relative.clone()),
        };
        self.readable(&shown, opened)
    }

    /// The same by the path that an entry had: a link on the way there now is not followed.
    pub(crate) fn file_at(&self, shown: &str, path: &Relative) -> Result<Handle, ToolError> {
        if let Some(handle) = self.opener().plain(path) {
            return self.readable(shown, Ok(handle));
        }
        let opened = self.opener().handle(path.as_path()).and_then(|handle| {
            let is_same = handle.relative == *path;
            is_same.then_some(handle).ok_or(Refused::System(Errno::AGAIN))
        });
        self.readable(shown, opened)
    }

    fn readable(&self, shown: &str, opened: Result<Handle, Refused>) -> Result<Handle, ToolError> {
        let handle = opened.map_err(|refused| as_error(shown, refused))?;
        self.permit(shown, &handle.relative, Use::Read)?;
        match FileType::from_raw_mode(handle.stat.st_mode) {
            FileType::RegularFile => {}
            other => return Err(refusal::not_regular_file(shown, other)),
        }
        self.permit_handle(shown, &handle, Use::Read)?;
        Ok(handle)
    }
}

/// A walk under way.
#[derive(Debug)]
pub struct Walk<'w> {
    workspace: &'w Workspace,
    filter: Filter<'w>,
    start: Arc<Start>,
    frames: Vec<Frame>,
    options: WalkOptions,
    unreadable: Unreadable,
    is_cut_by_depth: bool,
}

/// A directory that is being read.
#[derive(Debug)]
struct Frame {
    relative: Relative,
    listing: Listing,
    ignores: Option<Ignores>,
    /// The directory on the way to where a page begins, and the way below it.
    way: Option<(Vec<u8>, Relative)>,
}

/// What a walk leaves out, and what it may spend.
#[derive(Debug)]
struct Filter<'w> {
    workspace: &'w Workspace,
    hidden: bool,
    git: GitDirectories,
    sees_everything: bool,
    skipped: Skipped,
    budget: Budget,
    names_read: u64,
}

impl<'w> Walk<'w> {
    pub(crate) fn new(
        workspace: &'w Workspace,
        start: Handle,
        from: &WorkspacePath,
        options: WalkOptions,
    ) -> Result<Self, ToolError> {
        let limits = workspace.limits();
        let filter = Filter {
            workspace,
            hidden: options.hidden,
            git: options.git,
            sees_everything: options.sees_everything,
            skipped: Skipped::default(),
            budget: Budget::new(
                options.entries.unwrap_or(limits.walk_entries),
                (!options.sees_everything).then(|| Duration::from_secs(limits.walk_seconds)),
            ),
            names_read: 0,
        };
        let after = options.after.clone();
        let mut walk = Self {
            workspace,
            filter,
            start: Arc::new(Start { real: start.relative.clone(), named: from.relative().clone() }),
            frames: Vec::new(),
            options,
            unreadable: Unreadable::default(),
            is_cut_by_depth: false,
        };
        let above = walk.ignores_above(&start.relative);
        let directory = start.directory().map_err(|errno| refusal::system(from.given(), errno))?;
        walk.enter(directory, start.relative, above, after.unwrap_or_default());
        Ok(walk)
    }

    /// What it may spend still, to be changed by tests.
    #[cfg(test)]
    pub(super) fn budget(&mut self) -> &mut Budget {
        &mut self.filter.budget
    }

    /// The next entry in the order of paths; `None` at the end or when a budget is spent.
    ///
    /// # Errors
    /// `cancelled`, `timeout`: the call should end. What cannot be read is counted instead.
    pub fn advance(&mut self) -> Result<Option<Entry>, ToolError> {
        loop {
            self.workspace.check()?;
            self.filter.budget.look_at_clock();
            if self.filter.budget.spent() == Some(Truncation::Time) {
                return Ok(None);
            }
            let depth = self.frames.len() as u64;
            let Some(frame) = self.frames.last_mut() else { return Ok(None) };
            if let Some((name, below)) = frame.way.take() {
                self.follow_way(&name, below, depth)?;
                continue;
            }
            match frame.next(&mut self.filter) {
                Ok(Some(item)) => {
                    let entry = frame.entry(item, depth, &self.start);
                    if entry.kind == FileType::Directory {
                        self.descend(&entry, Relative::root());
                    }
                    return Ok(Some(entry));
                }
                Ok(None) => drop(self.frames.pop()),
                Err(Failure::Stopped(error)) => return Err(error),
                Err(Failure::System(errno)) => {
                    let error = refusal::system(&frame.relative.shown(), errno);
                    self.unreadable.note(&frame.relative, &error);
                    self.frames.pop();
                }
            }
        }
    }

    /// Why the walk ended early or stayed outside of something, if it did.
    pub fn truncated(&self) -> Option<Truncation> {
        self.filter.budget.spent().or(self.is_cut_by_depth.then_some(Truncation::Depth))
    }

    /// What was passed over.
    pub fn skipped(&self) -> Skipped {
        self.filter.skipped
    }

    /// What could not be read; the caller adds files that it could not open.
    pub fn unreadable(&mut self) -> &mut Unreadable {
        &mut self.unreadable
    }

    /// Goes down to where a page begins: the directory itself was shown on the page before.
    fn follow_way(&mut self, name: &[u8], below: Relative, depth: u64) -> Result<(), ToolError> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let directory = Arc::clone(frame.listing.directory());
        let path = Path::new(std::ffi::OsStr::from_bytes(name));
        let Ok(stat) = statat(&*directory, path, AtFlags::SYMLINK_NOFOLLOW) else { return Ok(()) };
        let kind = FileType::from_raw_mode(stat.st_mode);
        let is_shown = self.filter.keep(frame, name, kind)? == Kept::Yes;
        if kind == FileType::Directory && is_shown {
            let entry = Entry {
                relative: frame.relative.join(name),
                kind,
                depth,
                directory,
                start: Arc::clone(&self.start),
            };
            self.descend(&entry, below);
        }
        Ok(())
    }

    /// Opens a directory below the current one, if the walk goes there.
    fn descend(&mut self, entry: &Entry, after: Relative) {
        let deepest = self.workspace.limits().walk_depth_max;
        let stays_outside = entry.name() == b".git" && self.options.git != GitDirectories::Descended;
        if entry.depth >= self.options.depth.min(deepest)
            || stays_outside
            || self.filter.budget.spent().is_some()
        {
            self.is_cut_by_depth |= !stays_outside && entry.depth >= deepest;
            return;
        }
        if let Err(error) = self.workspace.permit_by_policy(&entry.relative) {
            self.unreadable.note(&entry.relative, &error);
            return;
        }
        match self.open_directory(entry) {
            Ok(directory) => {
                let above = self.frames.last().and_then(|frame| frame.ignores.clone());
                self.enter(directory, entry.relative.clone(), above, after);
            }
            Err(Refused::System(Errno::NOENT | Errno::NOTDIR | Errno::LOOP)) => {}
            Err(refused) => {
                let error = as_error(&entry.relative.shown(), refused);
                self.unreadable.note(&entry.relative, &error);
            }
        }
    }

    fn open_directory(&self, entry: &Entry) -> Result<OwnedFd, Refused> {
        let handle = self.workspace.opener().child_of(entry.directory.as_fd(), entry.name())?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(openat(&handle, ".", flags, Mode::empty())?)
    }

    fn enter(&mut self, directory: OwnedFd, relative: Relative, above: Option<Ignores>, after: Relative) {
        let ignores = self.options.gitignore.then(|| self.read_ignores(&directory, &relative, above));
        let mut way = after.components();
        let first = way.next().map(<[u8]>::to_vec);
        let below = Relative::from_components(way);
        self.frames.push(Frame {
            listing: Listing::new(directory, first.clone(), self.options.batch),
            relative,
            ignores,
            way: first.map(|name| (name, below)),
        });
    }

    fn read_ignores(&self, directory: &OwnedFd, relative: &Relative, above: Option<Ignores>) -> Ignores {
        let file_bytes = self.workspace.limits().ignore_file_bytes;
        Ignores::read(directory.as_fd(), relative.as_bytes().len(), above, file_bytes)
    }

    /// The ignore files of the directories above the start, from the root down.
    fn ignores_above(&self, start: &Relative) -> Option<Ignores> {
        if !self.options.gitignore {
            return None;
        }
        let mut ignores = None;
        let mut prefix = Relative::root();
        for name in start.components() {
            let opened = self.workspace.opener().handle(prefix.as_path());
            let directory = opened.ok().and_then(|handle| handle.directory().ok());
            if let Some(directory) = directory {
                ignores = Some(self.read_ignores(&directory, &prefix, ignores.take()));
            }
            prefix.push(name);
        }
        ignores
    }
}

impl Frame {
    fn next(&mut self, filter: &mut Filter<'_>) -> Result<Option<Item>, Failure> {
        let Frame { relative, listing, ignores, .. } = self;
        let is_first_pass = listing.passes == 0;
        listing.next(&mut |name, kind| {
            if !filter.may_read_name(is_first_pass)? {
                return Ok(Kept::Stop);
            }
            let kept = filter.judge(relative, ignores.as_ref(), name, kind);
            if is_first_pass {
                filter.count(kept);
            }
            Ok(kept.into())
        })
    }

    fn entry(&self, item: Item, depth: u64, start: &Arc<Start>) -> Entry {
        Entry {
            relative: self.relative.join(&item.name),
            kind: item.kind(),
            depth,
            directory: Arc::clone(self.listing.directory()),
            start: Arc::clone(start),
        }
    }
}

/// Whether an entry is shown, and why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Yes,
    Never,
    Hidden,
    Ignored,
}

impl From<Shown> for Kept {
    fn from(shown: Shown) -> Self {
        if shown == Shown::Yes { Kept::Yes } else { Kept::No }
    }
}

impl Filter<'_> {
    fn keep(&mut self, frame: &Frame, name: &[u8], kind: FileType) -> Result<Kept, ToolError> {
        Ok(self.judge(&frame.relative, frame.ignores.as_ref(), name, kind).into())
    }

    /// Whether the budgets let another name be read; a name counts once, however often its directory is read.
    fn may_read_name(&mut self, is_first_pass: bool) -> Result<bool, ToolError> {
        self.names_read += 1;
        if self.names_read.is_multiple_of(NAMES_PER_LOOK) {
            self.workspace.check()?;
            self.budget.look_at_clock();
        }
        if is_first_pass {
            self.budget.take_entry();
        }
        Ok(self.budget.spent().is_none())
    }

    fn judge(&self, parent: &Relative, ignores: Option<&Ignores>, name: &[u8], kind: FileType) -> Shown {
        if self.sees_everything {
            return Shown::Yes;
        }
        let is_directory = kind == FileType::Directory;
        let is_skipped_git = name == b".git" && is_directory && self.git == GitDirectories::Skipped;
        let path = parent.join(name);
        if is_skipped_git
            || name.starts_with(temporary::PREFIX.as_bytes())
            || !self.workspace.names().permit(&path, Use::List)
        {
            return Shown::Never;
        }
        let verdict = ignores.map_or(Verdict::None, |ignores| ignores.verdict(path.as_bytes(), is_directory));
        match verdict {
            Verdict::Ignored => Shown::Ignored,
            Verdict::Kept => Shown::Yes,
            Verdict::None if !self.hidden && name.starts_with(b".") => Shown::Hidden,
            Verdict::None => Shown::Yes,
        }
    }

    fn count(&mut self, shown: Shown) {
        match shown {
            Shown::Hidden => self.skipped.hidden += 1,
            Shown::Ignored => self.skipped.ignored += 1,
            Shown::Yes | Shown::Never => {}
        }
    }
}
