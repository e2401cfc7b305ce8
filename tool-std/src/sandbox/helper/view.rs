//! The file system that a command sees: a new root in which everything that is not named does not exist (sandbox.md §8).
//!
//! [`View::build`] mounts and [`View::seal`] makes read-only what must be; in between `/proc/sys` can still be set.

use std::fs;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, fstat, stat};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_change,
    unmount,
};
use rustix::process::{chdir, pivot_root};

use super::process::last_error;
use crate::sandbox::layers::Layer;
use crate::sandbox::places::{Kind, SYSTEM_DEVICES, mounts};
use crate::sandbox::wire::{self, Plan, Refusal, Stage};

/// Where the new root is put together.
const BASE: &str = "/tmp";
/// Where the old root is while the new one is put together.
const OLD: &str = "/old";
/// What takes the place of covered files and directories.
const EMPTY_FILE: &str = "/.file";
const EMPTY_DIRECTORY: &str = "/.directory";
/// Bytes of the tmpfs that holds the names of the new root.
const ROOT_OPTIONS: &std::ffi::CStr = c"mode=0755,size=4m";
/// Files of `/proc` that say too much, or do.
const COVERED_IN_PROC: [&str; 4] = ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/sysrq-trigger"];
/// Names in `/dev` that lead to descriptors.
const LINKS_IN_DEV: [(&str, &str); 4] = [
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
];

const QUIET: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

/// A view under construction.
pub(super) struct View<'a> {
    plan: &'a Plan,
    what: &'a wire::View,
}

impl<'a> View<'a> {
    /// Makes the new root the root of this mount namespace and mounts everything in it.
    pub(super) fn build(plan: &'a Plan, root: BorrowedFd<'_>) -> Result<Self, Refusal> {
        let view = Self { plan, what: &plan.view };
        view.enter().and_then(|()| view.mount_all()).map_err(Refusal::layer(Layer::Mounts))?;
        view.compare(root)?;
        view.protect().map_err(Refusal::layer(Layer::Mounts))?;
        Ok(view)
    }

    fn enter(&self) -> Result<(), Errno> {
        mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
        mount("tmpfs", BASE, "tmpfs", QUIET, ROOT_OPTIONS)?;
        let old = format!("{BASE}{OLD}");
        io(fs::create_dir(&old))?;
        pivot_root(BASE, &old)?;
        chdir("/")
    }

    fn mount_all(&self) -> Result<(), Errno> {
        for entry in mounts(self.what, Path::new(OLD)) {
            let target = entry.target.as_path();
            match entry.kind {
                Kind::Link(to) => {
                    io(target.parent().map_or(Ok(()), fs::create_dir_all))?;
                    io(symlink(to, target))?;
                }
                Kind::Tmpfs(options) => {
                    io(fs::create_dir_all(target))?;
                    mount("tmpfs", target, "tmpfs", QUIET, options)?;
                }
                Kind::Proc => {
                    io(fs::create_dir_all(target))?;
                    self.mount_proc(target)?;
                }
                Kind::ReadOnly => bind(&old(target), target, Attributes::READ_ONLY)?,
                Kind::Writable => bind(&old(target), target, Attributes::QUIET)?,
            }
        }
        for device in SYSTEM_DEVICES {
            let target = Path::new(device);
            io(fs::write(target, ""))?;
            mount_bind(old(target), target)?;
        }
        LINKS_IN_DEV.iter().try_for_each(|(name, target)| io(symlink(target, name)))
    }

    fn mount_proc(&self, target: &Path) -> Result<(), Errno> {
        if self.plan.has(Layer::Pidns) {
            return mount("proc", target, "proc", QUIET | MountFlags::NOEXEC, None);
        }
        mount_bind_recursive(old(target), target)
    }

    /// The place that was bound by its path must be the one that the program has a handle on.
    fn compare(&self, root: BorrowedFd<'_>) -> Result<(), Refusal> {
        let seen = || Ok((stat(&*self.what.root)?, fstat(root)?));
        let (bound, meant) = seen().map_err(Refusal::at(Stage::Changed))?;
        if (bound.st_dev, bound.st_ino) == (meant.st_dev, meant.st_ino) {
            return Ok(());
        }
        Err(Refusal { stage: Stage::Changed, errno: Errno::STALE.raw_os_error() })
    }

    /// Holds what must keep its name, puts empty things over what is covered and makes read-only what is frozen.
    fn protect(&self) -> Result<(), Errno> {
        io(fs::write(EMPTY_FILE, ""))?;
        io(fs::create_dir(EMPTY_DIRECTORY))?;
        // A mount point cannot be renamed, but a directory above it can: so each of them becomes one.
        for place in &self.what.held {
            if place.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
                bind(place, place, Attributes::QUIET)?;
            }
        }
        let in_proc = COVERED_IN_PROC.iter().map(Path::new);
        for place in self.what.covered.iter().map(|place| &**place).chain(in_proc) {
            cover(place)?;
        }
        for place in &self.what.frozen {
            if place.symlink_metadata().is_ok_and(|metadata| !metadata.is_symlink()) {
                bind(place, place, Attributes::READ_ONLY)?;
            }
        }
        io(fs::remove_file(EMPTY_FILE))?;
        io(fs::remove_dir(EMPTY_DIRECTORY))
    }

    /// Lets go of the old root and makes read-only what holds only names.
    pub(super) fn seal(self) -> Result<(), Refusal> {
        self.close().map_err(Refusal::layer(Layer::Mounts))
    }

    fn close(&self) -> Result<(), Errno> {
        unmount(OLD, UnmountFlags::DETACH)?;
        io(fs::remove_dir(OLD))?;
        for place in ["/dev", "/proc", "/"] {
            set_attributes(Path::new(place), Attributes::READ_ONLY.here())?;
        }
        Ok(())
    }
}

/// Where a place is found while the old root is still there.
fn old(place: &Path) -> PathBuf {
    let mut path = PathBuf::from(OLD);
    path.push(place.strip_prefix("/").unwrap_or(place));
    path
}

/// Binds a place with everything mounted below it.
fn bind(source: &Path, target: &Path, attributes: Attributes) -> Result<(), Errno> {
    let is_directory = FileType::from_raw_mode(stat(source)?.st_mode).is_dir();
    if is_directory {
        io(fs::create_dir_all(target))?;
    } else if target.symlink_metadata().is_err() {
        io(target.parent().map_or(Ok(()), fs::create_dir_all))?;
        io(fs::write(target, ""))?;
    }
    mount_bind_recursive(source, target)?;
    set_attributes(target, attributes)
}

/// Puts an empty thing of the same kind in the place of one that exists.
fn cover(place: &Path) -> Result<(), Errno> {
    let Ok(metadata) = place.symlink_metadata() else { return Ok(()) };
    if metadata.is_symlink() {
        return Ok(());
    }
    let empty = if metadata.is_dir() { EMPTY_DIRECTORY } else { EMPTY_FILE };
    let found = stat(empty)?;
    // Covered by another rule: covering the empty thing itself would keep it from being removed (`EBUSY`).
    if (metadata.dev(), metadata.ino()) == (found.st_dev, found.st_ino) {
        return Ok(());
    }
    mount_bind(empty, place)?;
    set_attributes(place, Attributes::READ_ONLY)
}

/// What a mount does not allow, and whether that holds below it too.
#[derive(Clone, Copy)]
struct Attributes {
    set: u64,
    recursive: bool,
}

impl Attributes {
    const QUIET: Self = Self { set: libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV, recursive: true };
    const READ_ONLY: Self = Self { set: Self::QUIET.set | libc::MOUNT_ATTR_RDONLY, recursive: true };

    /// The same for one mount alone, whatever its devices.
    const fn here(self) -> Self {
        Self { set: self.set & !libc::MOUNT_ATTR_NODEV, recursive: false }
    }
}

fn set_attributes(place: &Path, attributes: Attributes) -> Result<(), Errno> {
    use rustix::path::Arg;
    let flags = if attributes.recursive { libc::AT_RECURSIVE } else { 0 };
    let change = libc::mount_attr { attr_set: attributes.set, attr_clr: 0, propagation: 0, userns_fd: 0 };
    place.into_with_c_str(|path| {
        // SAFETY: the path ends with NUL and the structure has the size that is given; both outlive the call.
        let done = unsafe {
            libc::syscall(
                libc::SYS_mount_setattr,
                CWD,
                path.as_ptr(),
                flags,
                &raw const change,
                size_of::<libc::mount_attr>(),
            )
        };
        if done == 0 { Ok(()) } else { Err(last_error()) }
    })
}

fn io<T>(outcome: std::io::Result<T>) -> Result<T, Errno> {
    outcome.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}
