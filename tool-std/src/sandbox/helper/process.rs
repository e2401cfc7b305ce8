//! Making, waiting for and replacing processes of the helper, which has one thread.

use std::ffi::CString;
use std::os::fd::RawFd;

use rustix::io::Errno;
use rustix::process::Pid;

/// Which side of a fork this is.
pub(super) enum Fork {
    Child,
    Parent(Pid),
}

/// Splits the process in two.
pub(super) fn fork() -> Result<Fork, Errno> {
    // SAFETY: the helper has a single thread (`helper::refuse_threads` looked), so the child's memory is whole: no lock
    // is held by a thread that does not exist in it.
    let pid = unsafe { libc::fork() };
    match pid {
        ..0 => Err(last_error()),
        0 => Ok(Fork::Child),
        pid => Pid::from_raw(pid).map(Fork::Parent).ok_or(Errno::SRCH),
    }
}

/// Ends the process at once, without handlers of the program that it once was.
pub(super) fn exit_now(status: i32) -> ! {
    // SAFETY: `_exit` does not return and touches no memory.
    unsafe { libc::_exit(status) }
}

/// Replaces this process by a program; returns only when that failed.
pub(super) fn execute(path: &CString, argv: &[CString], env: &[CString]) -> Errno {
    let pointers = |texts: &[CString]| {
        let mut pointers: Vec<*const libc::c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        pointers.push(std::ptr::null());
        pointers
    };
    let (argv, env) = (pointers(argv), pointers(env));
    // SAFETY: every pointer is to a NUL-terminated text that outlives the call, and both lists end with a null pointer.
    unsafe { libc::execve(path.as_ptr(), argv.as_ptr(), env.as_ptr()) };
    last_error()
}

/// Closes every descriptor from `first` up.
pub(super) fn close_from(first: RawFd) -> Result<(), Errno> {
    let first = libc::c_uint::try_from(first).map_err(|_| Errno::BADF)?;
    // SAFETY: called before the helper has opened anything of its own; nothing that owns a descriptor from `first` up
    // is used in this process.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) };
    if done == 0 { Ok(()) } else { Err(last_error()) }
}

/// Closes the ends of the command's output that this process has: they end when the command has, not when this does.
pub(super) fn close_output() {
    for end in [libc::STDOUT_FILENO, libc::STDERR_FILENO] {
        // SAFETY: nothing in the processes around the command writes there, and no value owns these descriptors.
        unsafe { libc::close(end) };
    }
}

pub(super) fn last_error() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
