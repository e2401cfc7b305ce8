//! Opening beneath the root handle (sandbox.md §2): first an `O_PATH` handle that touches nothing, then decisions about
//! that handle, then a reopen of it for the access wanted. Plain files are read in one step, see [`super::plain`].
//!
//! The kernel resolves (`openat2`); where it cannot, [`super::fallback`] does with the same answers.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};
use std::sync::{Arc, OnceLock};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, ResolveFlags, Stat, StatxFlags, fstat, open, openat, openat2, statat,
    statx,
};
use rustix::io::Errno;

use super::fault::{Faults, FileFaults, Operation};
use super::path::Relative;
use super::plain::Kept;
use super::policy::Rule;
use super::{descriptor, fallback};

/// How often an operation is tried when somebody changes the tree meanwhile.
pub(crate) const ATTEMPTS: usize = 3;

/// Why a path was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The kernel's answer; `XDEV` means that the path leads out of the root.
    System(Errno),
    /// Only a mount point is in the way.
    Mount,
}

impl From<Errno> for Refused {
    fn from(errno: Errno) -> Self {
        Refused::System(errno)
    }
}

/// Who resolves paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolver {
    /// The kernel, by `openat2`.
    Openat2,
    /// `cap-std`, component by component.
    CapStd,
}

impl Resolver {
    /// The word for `doctor`.
    pub fn as_str(self) -> &'static str {
        match self {
            Resolver::Openat2 => "openat2",
            Resolver::CapStd => "cap-std",
        }
    }

    /// What works here: `openat2` may be missing (`ENOSYS`) or filtered (`EPERM`).
    fn probe(root: &OwnedFd) -> Self {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        match openat2(root, ".", flags, Mode::empty(), ResolveFlags::BENEATH) {
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => Resolver::CapStd,
            _ => Resolver::Openat2,
        }
    }
}

/// An existing file with what is known of it; nothing has been read or locked yet.
#[derive(Debug)]
pub(crate) struct Handle {
    fd: OwnedFd,
    /// Type, size, identity.
    pub(crate) stat: Stat,
    /// The path without links.
    pub(crate) relative: Relative,
    /// Whether it is open for reading already.
    to_read: bool,
}

impl Handle {
    /// A file that is open for reading.
    pub(crate) fn to_read(fd: OwnedFd, stat: Stat, relative: Relative) -> Self {
        Self { fd, stat, relative, to_read: true }
    }

    /// Something that nothing was done with yet.
    fn untouched(fd: OwnedFd, stat: Stat, relative: Relative) -> Self {
        Self { fd, stat, relative, to_read: false }
    }

    /// Opens the file behind the handle for reading, unless it is.
    pub(crate) fn into_reader(self) -> Result<File, Errno> {
        match self.to_read {
            true => Ok(File::from(self.fd)),
            false => self.reopen(OFlags::RDONLY),
        }
    }

    /// Opens the file behind the handle for an access (sandbox.md §2 rule 4).
    pub(crate) fn reopen(&self, access: OFlags) -> Result<File, Errno> {
        let flags = access | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        descriptor::reopen(self.fd.as_fd(), flags).map(File::from)
    }

    /// What kind of file it is.
    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.stat.st_mode)
    }

    /// Whether it is a directory.
    pub(crate) fn is_directory(&self) -> bool {
        self.kind() == FileType::Directory
    }

    /// Opens the directory behind the handle for listing and as a base.
    pub(crate) fn directory(&self) -> Result<OwnedFd, Errno> {
        openat(&self.fd, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
    }
}

impl AsFd for Handle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// The one way to files below a root.
#[derive(Debug)]
pub(crate) struct Opener {
    root: OwnedFd,
    by_component: fallback::Root,
    resolver: Resolver,
    mounts: Rule,
    kept: Kept,
    faults: OnceLock<Arc<dyn FileFaults>>,
}

impl Opener {
    /// Holds the root open; a root that is moved or replaced later changes nothing.
    pub(crate) fn new(root: &Path, mounts: Rule, without_openat2: bool) -> Result<Self, Errno> {
        let root = open(root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let resolver = if without_openat2 { Resolver::CapStd } else { Resolver::probe(&root) };
        let by_component = fallback::Root::new(root.as_fd())?;
        Ok(Self { root, by_component, resolver, mounts, kept: Kept::default(), faults: OnceLock::new() })
    }

    /// Who resolves paths.
    pub(crate) fn resolver(&self) -> Resolver {
        self.resolver
    }

    /// What is done about mount points.
    pub(crate) fn mounts(&self) -> Rule {
        self.mounts
    }

    pub(crate) fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Lets somebody decide which operations fail, unless somebody does.
    pub(crate) fn inject(&self, faults: Arc<dyn FileFaults>) -> bool {
        self.faults.set(faults).is_ok()
    }

    /// Who decides which operations fail.
    pub(crate) fn faults(&self) -> Faults {
        Faults(self.faults.get().cloned())
    }

    /// Announces an operation.
    pub(crate) fn before(&self, operation: Operation) -> Result<(), Errno> {
        if self.faults.get().is_some() { self.faults().before(operation) } else { Ok(()) }
    }

    /// The root handle.
    pub(crate) fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// Follows a path from the root, links included, to a handle.
    pub(crate) fn handle(&self, path: &Path) -> Result<Handle, Refused> {
        self.before(Operation::Open)?;
        match self.without_links(path) {
            Some(handle) => Ok(handle),
            None => self.settled(|| self.resolve(path)),
        }
    }

    /// The common case, cheaply: where no link is on the way, the path that was asked for is the path of the file, and need
    /// not be read from the handle. `None` says nothing.
    fn without_links(&self, path: &Path) -> Option<Handle> {
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        if self.resolver != Resolver::Openat2 || !is_plain {
            return None;
        }
        let mounts = if self.mounts == Rule::Deny { ResolveFlags::NO_XDEV } else { ResolveFlags::empty() };
        let fd = self.openat2(path, ResolveFlags::NO_SYMLINKS | mounts).ok()?;
        let stat = fstat(&fd).ok()?;
        let names = path
            .as_os_str()
            .as_bytes()
            .split(|byte| *byte == b'/')
            .filter(|name| !matches!(*name, b"" | b"."));
        (stat.st_nlink > 0).then(|| Handle::untouched(fd, stat, Relative::from_components(names)))
    }

    /// A child of an open directory, without following it if it is a link.
    pub(crate) fn child(
        &self,
        dir: BorrowedFd<'_>,
        name: &[u8],
        relative: Relative,
    ) -> Result<Handle, Refused> {
        let fd = self.child_of(dir, name)?;
        let stat = fstat(&fd)?;
        Ok(Handle::untouched(fd, stat, relative))
    }

    /// A handle of a child of an open directory, without following it if it is a link.
    pub(crate) fn child_of(&self, dir: BorrowedFd<'_>, name: &[u8]) -> Result<OwnedFd, Refused> {
        self.before(Operation::Open)?;
        let path = Path::new(std::ffi::OsStr::from_bytes(name));
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = openat(dir, path, flags, Mode::empty())?;
        if self.mounts == Rule::Deny && mount_of(fd.as_fd())? != mount_of(dir)? {
            return Err(Refused::Mount);
        }
        Ok(fd)
    }

    /// Repeats an opening while the tree changes under it, and reads the handle's path.
    fn settled(&self, resolve: impl Fn() -> Result<OwnedFd, Refused>) -> Result<Handle, Refused> {
        for _ in 0..ATTEMPTS {
            let fd = match resolve() {
                Err(Refused::System(Errno::AGAIN)) => continue,
                other => other?,
            };
            let stat = fstat(&fd)?;
            match self.path_of(fd.as_fd())? {
                Some(relative) if self.is_named(&stat, &relative) => {
                    return Ok(Handle::untouched(fd, stat, relative));
                }
                _ => continue,
            }
        }
        Err(Refused::System(Errno::AGAIN))
    }

    fn resolve(&self, path: &Path) -> Result<OwnedFd, Refused> {
        match (self.resolver, self.mounts) {
            (Resolver::Openat2, Rule::Allow) => Ok(self.openat2(path, ResolveFlags::empty())?),
            (Resolver::Openat2, Rule::Deny) => match self.openat2(path, ResolveFlags::NO_XDEV) {
                // Not even the way across mounts leads out: then only the mount is at fault, whether something is there or not.
                Err(Errno::XDEV) => match self.openat2(path, ResolveFlags::empty()) {
                    Err(Errno::XDEV) => Err(Errno::XDEV.into()),
                    _ => Err(Refused::Mount),
                },
                other => Ok(other?),
            },
            (Resolver::CapStd, Rule::Allow) => Ok(self.by_component.resolve(path)?),
            (Resolver::CapStd, Rule::Deny) => {
                let fd = self.by_component.resolve(path)?;
                if mount_of(fd.as_fd())? == mount_of(self.root())? { Ok(fd) } else { Err(Refused::Mount) }
            }
        }
    }

    fn openat2(&self, path: &Path, more: ResolveFlags) -> Result<OwnedFd, Errno> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | more;
        openat2(&self.root, path, flags, Mode::empty(), resolve)
    }

    /// The path of an open file relative to the root as both lie now, or `None` when it is not below the root (any more).
    fn path_of(&self, fd: BorrowedFd<'_>) -> Result<Option<Relative>, Errno> {
        let root = descriptor::path(self.root())?;
        let path = descriptor::path(fd)?;
        Ok(beneath(root.as_bytes(), path.as_bytes()))
    }

    /// Whether a path read from a handle is a name of the file. Behind a name that is gone the kernel writes
    /// ` (deleted)`, which may as well be part of a name.
    fn is_named(&self, stat: &Stat, path: &Relative) -> bool {
        if !path.as_bytes().ends_with(b" (deleted)") {
            return stat.st_nlink > 0;
        }
        statat(&self.root, path.as_path(), AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|named| (named.st_dev, named.st_ino) == (stat.st_dev, stat.st_ino))
    }
}

/// A mount: its number, and the device.
pub(crate) type MountId = (u64, u32, u32);

/// What tells mounts apart: the mount's number (0 before Linux 5.8), and the device.
pub(crate) fn mount_of(fd: BorrowedFd<'_>) -> Result<MountId, Errno> {
    let seen = statx(fd, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID)?;
    Ok((seen.stx_mnt_id, seen.stx_dev_major, seen.stx_dev_minor))
}

fn beneath(root: &[u8], path: &[u8]) -> Option<Relative> {
    let rest = match path.strip_prefix(root)? {
        rest if root == b"/" || rest.is_empty() => rest,
        rest => rest.strip_prefix(b"/")?,
    };
    Some(Relative::from_components(rest.split(|byte| *byte == b'/').filter(|name| !name.is_empty())))
}

#[cfg(test)]
mod tests {
    use rustix::fs::fcntl_getfl;
    use rustix::io::{FdFlags, fcntl_getfd};

    use super::*;

    fn relative(path: &str) -> Relative {
        Relative::from_components(path.as_bytes().split(|byte| *byte == b'/'))
    }

    #[test]
    fn no_handle_is_left_to_a_program_that_is_started() {
        let root = tool_trials::directory();
        std::fs::create_dir(root.path().join("d")).unwrap();
        std::fs::write(root.path().join("d/f"), "x").unwrap();
        let closes = |fd: BorrowedFd<'_>| fcntl_getfd(fd).unwrap().contains(FdFlags::CLOEXEC);
        for without_openat2 in [false, true] {
            let opener = Opener::new(root.path(), Rule::Deny, without_openat2).unwrap();
            let (folder, file) =
                (opener.handle(Path::new("d")).unwrap(), opener.handle(Path::new("d/f")).unwrap());
            assert!(closes(opener.root()) && closes(folder.as_fd()) && closes(file.as_fd()));
            let listed = folder.directory().unwrap();
            assert!(closes(listed.as_fd()));
            assert_eq!(file.directory().unwrap_err(), Errno::NOTDIR);
            let child = opener.child_of(listed.as_fd(), b"f").unwrap();
            assert!(closes(child.as_fd()));
            let mut opened = vec![file.reopen(OFlags::RDONLY).unwrap(), file.into_reader().unwrap()];
            if opener.resolver() == Resolver::Openat2 {
                opened.push(opener.plain(&relative("d/f")).unwrap().into_reader().unwrap());
            }
            let allowing = Opener::new(root.path(), Rule::Allow, without_openat2).unwrap();
            let plain = allowing.plain_child(listed.as_fd(), Path::new("f"), &relative("d/f"));
            opened.push(plain.unwrap().into_reader().unwrap());
            for opened in opened {
                assert!(closes(opened.as_fd()));
                assert!(
                    fcntl_getfl(&opened).unwrap().contains(OFlags::NONBLOCK),
                    "a FIFO would be waited for"
                );
            }
        }
    }

    #[test]
    fn a_handle_is_known_by_a_name_only_while_it_has_that_name() {
        let root = tool_trials::directory();
        let at = |name: &str| root.path().join(name);
        for name in ["plain", "odd (deleted)", "gone"] {
            std::fs::write(at(name), "x").unwrap();
        }
        let opener = Opener::new(root.path(), Rule::Allow, false).unwrap();
        let stat = |name: &str| statat(opener.root(), name, AtFlags::empty()).unwrap();
        let (plain, odd) = (stat("plain"), stat("odd (deleted)"));
        assert!(opener.is_named(&plain, &relative("plain")));
        assert!(opener.is_named(&odd, &relative("odd (deleted)")));
        assert!(!opener.is_named(&plain, &relative("odd (deleted)")), "another file has the name");
        assert!(!opener.is_named(&odd, &relative("missing (deleted)")));

        let gone = opener.handle(Path::new("gone")).unwrap();
        std::fs::remove_file(at("gone")).unwrap();
        assert!(!opener.is_named(&fstat(&gone).unwrap(), &relative("gone")));
        assert_eq!(opener.path_of(gone.as_fd()).unwrap(), Some(relative("gone (deleted)")));
    }

    #[test]
    fn a_path_is_beneath_a_root_by_whole_names() {
        let beneath = |root: &str, path: &str| super::beneath(root.as_bytes(), path.as_bytes());
        assert_eq!(beneath("/", "/a/b"), Some(relative("a/b")));
        assert_eq!(beneath("/r", "/r"), Some(Relative::root()));
        assert_eq!(beneath("/r", "/r/a"), Some(relative("a")));
        assert_eq!(beneath("/r", "/rest/a"), None);
        assert_eq!(beneath("/r", "/other"), None);
    }

    #[test]
    fn a_resolver_has_the_word_that_doctor_says() {
        assert_eq!([Resolver::Openat2, Resolver::CapStd].map(Resolver::as_str), ["openat2", "cap-std"]);
    }
}
