//! Entering namespaces of one's own (sandbox.md §7 step 2), and the loopback of a network namespace.

use std::fs;
use std::os::fd::AsRawFd;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketType};
use rustix::process::{getgid, getuid};
use rustix::thread::UnshareFlags;

use super::process::last_error;
use crate::sandbox::layers::Layer;
use crate::sandbox::policy::Network;
use crate::sandbox::wire::{Plan, Refusal};

/// Namespaces that no guarantee rests on: nice to have.
const OPTIONAL: [UnshareFlags; 3] = [UnshareFlags::NEWIPC, UnshareFlags::NEWUTS, UnshareFlags::NEWCGROUP];

/// Enters every namespace that the plan asks for.
pub(super) fn enter(plan: &Plan) -> Result<(), Refusal> {
    if plan.has(Layer::Userns) {
        user_namespace().map_err(Refusal::layer(Layer::Userns))?;
    }
    let rows = [
        (Layer::Mounts, UnshareFlags::NEWNS, true),
        (Layer::Pidns, UnshareFlags::NEWPID, true),
        (Layer::Netns, UnshareFlags::NEWNET, plan.network != Network::Allow),
    ];
    for (layer, flag, wanted) in rows {
        if wanted && plan.has(layer) {
            unshare(flag).map_err(Refusal::layer(layer))?;
        }
    }
    for flag in OPTIONAL {
        let _ = unshare(flag);
    }
    Ok(())
}

fn unshare(flag: UnshareFlags) -> Result<(), Errno> {
    // SAFETY: `FILES` is never asked for, so descriptors stay where every part of the process knows them.
    unsafe { rustix::thread::unshare_unsafe(flag) }
}

/// A user namespace with one user and one group, each mapped to itself.
fn user_namespace() -> Result<(), Errno> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(UnshareFlags::NEWUSER)?;
    let write = |name: &str, text: String| {
        fs::write(format!("/proc/self/{name}"), text)
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
    };
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("{user} {user} 1"))?;
    write("gid_map", format!("{group} {group} 1"))
}

/// Brings the loopback of this network namespace up.
pub(super) fn raise_loopback() -> Result<(), Errno> {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::DGRAM, None)?;
    // SAFETY: `ifreq` is plain data for which zeroes are valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = libc::c_char::try_from(*from).unwrap_or_default();
    }
    request.ifr_ifru.ifru_flags =
        libc::c_short::try_from(libc::IFF_UP | libc::IFF_RUNNING).unwrap_or_default();
    // SAFETY: `SIOCSIFFLAGS` reads one `ifreq`, which lives until the call returns.
    let done = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) };
    if done == 0 { Ok(()) } else { Err(last_error()) }
}
