//! Our own walk: iterative, by directory handles, in the order of paths, within budgets (files.md §10).
//!
//! Every directory is opened relative to the one that holds it and never through a link, so the walk cannot be raced
//! out of the root. Links are entries; they are not descended. What a budget cuts off is reported, not an error.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;
use tool_core::ToolError;

#[cfg(test)]
use super::budget::Budget;
use super::entry::{Entry, Start};
use super::filter::{Filter, Shown, Skipped};
use super::ignores::Ignores;
use super::listing::{Failure, Item, Kept, Listing};
use super::open::{Handle, Refused};
use super::path::Relative;
use super::target::as_error;
use super::truncation::Truncation;
use super::unreadable::Unreadable;
use super::{Workspace, WorkspacePath, refusal};

/// Names of one directory in memory.
const BATCH: usize = 100_000;

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

impl<'w> Walk<'w> {
    pub(crate) fn new(
        workspace: &'w Workspace,
        start: Handle,
        from: &WorkspacePath,
        options: WalkOptions,
    ) -> Result<Self, ToolError> {
        let filter = Filter::new(workspace, &options);
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
                self.follow_way(&name, below, depth);
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
    fn follow_way(&mut self, name: &[u8], below: Relative, depth: u64) {
        let Some(frame) = self.frames.last() else { return };
        let directory = Arc::clone(frame.listing.directory());
        let path = Path::new(std::ffi::OsStr::from_bytes(name));
        let Ok(stat) = statat(&*directory, path, AtFlags::SYMLINK_NOFOLLOW) else { return };
        let kind = FileType::from_raw_mode(stat.st_mode);
        let shown = self.filter.judge(&frame.relative, frame.ignores.as_ref(), name, kind);
        if kind == FileType::Directory && shown == Shown::Yes {
            let entry = Entry {
                relative: frame.relative.join(name),
                kind,
                depth,
                directory,
                start: Arc::clone(&self.start),
            };
            self.descend(&entry, below);
        }
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
