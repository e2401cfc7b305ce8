//! The limits of each process of a command, and the largest process number of its namespace (sandbox.md §10).

use std::fs;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, getuid, setrlimit};

use crate::sandbox::wire::{Ceilings, LEAST_PID_MAX};

/// How much higher than its limit of open files a process may go when it asks.
const OPEN_FILES_HARD: u64 = 4;
/// Bytes of locked memory.
const MAX_LOCKED_BYTES: u64 = 65_536;
/// The first kernel on which `pid_max` belongs to the PID namespace; before it would change the whole machine.
const PID_MAX_SINCE: (u32, u32) = (6, 14);

/// Sets the limits of this process and all that come from it.
pub(super) fn set(ceilings: &Ceilings, counted: bool) -> Result<(), Errno> {
    let mut rows = vec![
        (Resource::Fsize, ceilings.file_bytes, ceilings.file_bytes),
        (Resource::Nofile, ceilings.open_files, ceilings.open_files.saturating_mul(OPEN_FILES_HARD)),
        (Resource::Memlock, MAX_LOCKED_BYTES, MAX_LOCKED_BYTES),
        (Resource::Core, 0, 0),
        (Resource::Msgqueue, 0, 0),
        (Resource::Rtprio, 0, 0),
        (Resource::Nice, 0, 0),
    ];
    rows.extend(ceilings.memory_bytes.map(|bytes| (Resource::Data, bytes, bytes)));
    if !counted && !getuid().is_root() {
        rows.push((Resource::Nproc, ceilings.processes, ceilings.processes));
    }
    rows.into_iter().try_for_each(|(resource, soft, hard)| lower(resource, soft, hard))
}

/// Sets the CPU time of this process and each that comes from it.
pub(super) fn set_cpu(seconds: u64) -> Result<(), Errno> {
    lower(Resource::Cpu, seconds, seconds.saturating_add(1))
}

/// Sets a limit, no higher than it stands.
fn lower(resource: Resource, soft: u64, hard: u64) -> Result<(), Errno> {
    let hard = getrlimit(resource).maximum.map_or(hard, |standing| standing.min(hard));
    setrlimit(resource, Rlimit { current: Some(soft.min(hard)), maximum: Some(hard) })
}

/// Sets the largest process number of this PID namespace.
pub(super) fn set_pid_max(processes: u64) -> Result<(), Errno> {
    if kernel_version() < PID_MAX_SINCE {
        return Err(Errno::NOSYS);
    }
    let most = processes.saturating_add(1).max(LEAST_PID_MAX);
    fs::write("/proc/sys/kernel/pid_max", most.to_string())
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

fn kernel_version() -> (u32, u32) {
    let uname = rustix::system::uname();
    let release = uname.release().to_string_lossy().into_owned();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}
