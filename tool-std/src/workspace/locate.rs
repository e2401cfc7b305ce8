//! Where a path leads once links are followed: to a file that exists, or to names that could be created beneath a
//! directory that does (sandbox.md §2).

use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{FileType, readlinkat};
use rustix::io::Errno;
use tool_core::ToolError;

use super::open::{ATTEMPTS, Handle, Opener, Refused};
use super::path::Relative;
use super::refusal;
use super::resolve::WorkspacePath;

/// Links followed for one path; the kernel's own limit.
const LINKS_MAX: usize = 40;

/// Where a path leads.
#[derive(Debug)]
pub struct Located {
    pub(crate) place: Place,
}

/// What is there.
#[derive(Debug)]
pub(crate) enum Place {
    /// A file, directory or anything else.
    Existing(Handle),
    /// Nothing: `names` are missing below the directory, one or more.
    Missing { directory: Handle, names: Vec<Vec<u8>> },
}

impl Located {
    /// The path without links, relative to the root; components that do not exist stay as they are.
    pub fn relative(&self) -> Relative {
        match &self.place {
            Place::Existing(handle) => handle.relative.clone(),
            Place::Missing { directory, names } => {
                let mut path = directory.relative.clone();
                names.iter().for_each(|name| path.push(name));
                path
            }
        }
    }

    /// Whether something is there.
    pub fn exists(&self) -> bool {
        matches!(self.place, Place::Existing(_))
    }
}

/// Follows links from the root as far as there is something.
pub(crate) fn locate(opener: &Opener, path: &WorkspacePath) -> Result<Located, ToolError> {
    let search = Search { opener, given: path.given() };
    for _ in 0..ATTEMPTS {
        if let Some(place) = search.at(path.relative().clone(), 0)? {
            return Ok(Located { place });
        }
    }
    Err(refusal::path_changed(path.given()))
}

struct Search<'a> {
    opener: &'a Opener,
    given: &'a str,
}

impl Search<'_> {
    /// The place of a path without `..`; `None` when the tree changed meanwhile.
    fn at(&self, path: Relative, links: usize) -> Result<Option<Place>, ToolError> {
        match self.opener.handle(path.as_path()) {
            Ok(handle) => Ok(Some(Place::Existing(handle))),
            Err(Refused::System(Errno::NOENT)) if !path.is_root() => self.missing(&path, links),
            Err(error) => Err(self.refused(&path, error)),
        }
    }

    /// The deepest directory that exists and what is missing below it.
    fn missing(&self, path: &Relative, links: usize) -> Result<Option<Place>, ToolError> {
        let mut names: Vec<Vec<u8>> = Vec::new();
        let mut base = path.clone();
        let directory = loop {
            let Some(name) = base.name().map(<[u8]>::to_vec) else { return Ok(None) };
            names.insert(0, name);
            base.pop();
            match self.opener.handle(base.as_path()) {
                Ok(handle) => break handle,
                Err(Refused::System(Errno::NOENT)) => continue,
                Err(error) => return Err(self.refused(&base, error)),
            }
        };
        if FileType::from_raw_mode(directory.stat.st_mode) != FileType::Directory {
            return Err(refusal::not_a_directory(self.given));
        }
        let Some(first) = names.first() else { return Ok(None) };
        match readlinkat(directory.as_fd(), Path::new(std::ffi::OsStr::from_bytes(first)), Vec::new()) {
            Err(Errno::NOENT) => Ok(Some(Place::Missing { directory, names })),
            Err(Errno::INVAL) => Ok(None),
            Err(errno) => Err(refusal::system(self.given, errno)),
            Ok(_) if names.len() > 1 => Err(refusal::path_not_found(self.given)),
            Ok(_) if links >= LINKS_MAX => Err(refusal::symlink_loop(self.given)),
            Ok(target) => self.behind(&directory.relative, target.as_bytes(), links + 1),
        }
    }

    /// The place behind a dangling link in `directory`: its `..` are followed by the kernel, what is missing is not.
    fn behind(&self, directory: &Relative, target: &[u8], links: usize) -> Result<Option<Place>, ToolError> {
        if target.starts_with(b"/") {
            return Err(refusal::absolute_link(self.given));
        }
        if target.ends_with(b"/") || target.ends_with(b"/.") {
            return Err(refusal::path_not_found(self.given));
        }
        let components: Vec<&[u8]> =
            target.split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b".")).collect();
        let after_dots = components.iter().rposition(|name| *name == b"..").map_or(0, |at| at + 1);
        let (dots, names) = components.split_at_checked(after_dots).unwrap_or((&components, &[]));
        let mut base = directory.clone();
        if !dots.is_empty() {
            dots.iter().for_each(|name| base.push(name));
            base = match self.opener.handle(base.as_path()) {
                Ok(handle) => handle.relative,
                Err(error) => return Err(self.refused(&base, error)),
            };
        }
        names.iter().for_each(|name| base.push(name));
        self.at(base, links)
    }

    fn refused(&self, path: &Relative, refused: Refused) -> ToolError {
        match refused {
            Refused::Mount => refusal::mount_refused(self.given),
            Refused::System(Errno::XDEV) if self.meets_absolute_link(path) => {
                refusal::absolute_link(self.given)
            }
            Refused::System(errno) => refusal::system(self.given, errno),
        }
    }

    /// Whether the first link that leaves the root is an absolute one; for the hint only.
    fn meets_absolute_link(&self, path: &Relative) -> bool {
        let mut prefix = Relative::root();
        for name in path.components() {
            let Ok(directory) = self.opener.handle(prefix.as_path()) else { return false };
            let name_path = Path::new(std::ffi::OsStr::from_bytes(name));
            if readlinkat(directory.as_fd(), name_path, Vec::new())
                .is_ok_and(|target| target.as_bytes().starts_with(b"/"))
            {
                return true;
            }
            prefix.push(name);
        }
        false
    }
}
