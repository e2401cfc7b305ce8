//! Attempts to break out, made from where a command would be (sandbox.md §15).
//!
//! Each attempt stands for the guarantee that it would break; the program takes the layers of that guarantee away when
//! one succeeds.

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::net::{AddressFamily, SocketType, socket};
use rustix::process::{Pid, getpid, test_kill_process};
use rustix::thread::UnshareFlags;

use super::landlock;
use super::process::{Fork, exit_now, fork};
use crate::sandbox::layers::Layer;
use crate::sandbox::probe::Found;
use crate::sandbox::wire::Plan;

/// Families that a command could reach something through.
const FAMILIES: [AddressFamily; 8] = [
    AddressFamily::INET,
    AddressFamily::INET6,
    AddressFamily::UNIX,
    AddressFamily::NETLINK,
    AddressFamily::PACKET,
    AddressFamily::VSOCK,
    AddressFamily::from_raw(38 /* AF_ALG */),
    AddressFamily::BLUETOOTH,
];

/// One attempt: its name, and whether it got through.
type Attempt = (&'static str, fn(&Target<'_>) -> bool);

const ATTEMPTS: [Attempt; 10] = [
    ("write", |target| File::create(target.outside.join("written")).is_ok()),
    ("system", |_| File::options().append(true).open("/etc/passwd").is_ok()),
    ("chmod", |target| fs::set_permissions(target.outside, Permissions::from_mode(0o755)).is_ok()),
    ("mknod", |target| make_device(target.outside)),
    ("socket", |_| FAMILIES.iter().any(|family| opens(*family))),
    ("io_uring", |_| io_uring()),
    ("environ", |target| target.is_meant() && target.tells_its_environment()),
    ("signal", |target| target.is_meant() && target.can_be_signalled()),
    ("ptrace", |target| target.is_meant() && trace(target.agent)),
    ("userns", |_| nested_user_namespace()),
];

/// What is attacked: the program, and a directory outside the workspace.
struct Target<'a> {
    agent: i32,
    in_namespace: bool,
    outside: &'a Path,
}

impl Target<'_> {
    /// Whether the program's number means the program here: in a namespace a process of the call may have the same.
    fn is_meant(&self) -> bool {
        !self.in_namespace || self.agent > getpid().as_raw_pid()
    }

    fn tells_its_environment(&self) -> bool {
        fs::read(format!("/proc/{}/environ", self.agent)).is_ok_and(|text| !text.is_empty())
    }

    fn can_be_signalled(&self) -> bool {
        Pid::from_raw(self.agent).is_some_and(|pid| test_kill_process(pid).is_ok())
    }
}

/// Makes every attempt, prints what was found, and leaves a stray behind.
pub(super) fn run(agent: i32, outside: &Path, plan: &Plan, pipe: File) -> ! {
    drop(pipe);
    let target = Target { agent, in_namespace: plan.has(Layer::Pidns), outside };
    let through = ATTEMPTS.iter().filter(|(_, attempt)| attempt(&target));
    let found = Found {
        through: through.map(|(name, _)| (*name).to_owned()).collect(),
        landlock: plan.has(Layer::Landlock).then(landlock::version).flatten(),
    };
    let _ = serde_json::to_vec(&found).map(|text| std::io::stdout().write_all(&text));
    let _ = std::io::stdout().flush();
    leave_stray();
    exit_now(0)
}

fn opens(family: AddressFamily) -> bool {
    [SocketType::STREAM, SocketType::DGRAM].into_iter().any(|kind| socket(family, kind, None).is_ok())
}

fn make_device(outside: &Path) -> bool {
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    mknodat(CWD, outside.join("device"), FileType::CharacterDevice, Mode::RUSR, makedev(1, 3)).is_ok()
}

fn io_uring() -> bool {
    let mut parameters = [0_u8; 120];
    // SAFETY: the kernel writes at most its `io_uring_params`, which is 120 bytes long, into the buffer.
    let ring = unsafe { libc::syscall(libc::SYS_io_uring_setup, 1, parameters.as_mut_ptr()) };
    ring >= 0
}

fn trace(agent: i32) -> bool {
    let nothing = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: `PTRACE_SEIZE` takes no memory of ours.
    unsafe { libc::ptrace(libc::PTRACE_SEIZE, agent, nothing, nothing) == 0 }
}

fn nested_user_namespace() -> bool {
    // SAFETY: descriptors are not unshared.
    unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWUSER).is_ok() }
}

/// A process of a session of its own, whose parent is gone.
fn leave_stray() {
    if let Ok(Fork::Child) = fork() {
        let _ = rustix::process::setsid();
        match fork() {
            Ok(Fork::Child) => std::thread::sleep(std::time::Duration::from_secs(60)),
            Ok(Fork::Parent(_)) | Err(_) => {}
        }
        exit_now(0);
    }
}
