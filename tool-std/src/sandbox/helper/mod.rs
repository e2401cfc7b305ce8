//! The helper: what a program becomes when it is started as `toolbox-sandbox` (sandbox.md §7).
//!
//! It takes one plan from the socket that is its descriptor 0, builds the sandbox in the order of the specification, waits
//! there for what to run, and ends everything when the other end of the socket closes. Three processes: the helper outside the namespaces, process 1
//! inside ([`init`]), the command ([`command`]).
#![allow(unsafe_code)]

mod breaker;
mod caps;
mod command;
mod init;
mod landlock;
mod namespaces;
mod process;
mod rlimits;
mod seccomp;
mod signals;
mod tree;
mod usage;
mod view;

use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, getppid, kill_process, pidfd_open, set_child_subreaper,
    set_parent_process_death_signal, setsid, umask, waitpid,
};

use self::init::Order;
use self::process::{Fork, close_from, close_output, exit_now, fork};
use super::layers::Layer;
use super::wire::{HELPER_NAME, Message, Refusal, Stage, VERSION, receive_with, send};

/// How often orphans are reaped and processes counted, where that is needed.
const ROUND: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Becomes the helper and never returns, if the program was started as one.
pub(super) fn become_if_asked() {
    let mut arguments = std::env::args_os();
    let named = arguments.next().is_some_and(|name| name == HELPER_NAME);
    if named && arguments.next().is_some_and(|version| version == VERSION) {
        exit_now(run());
    }
}

fn run() -> i32 {
    // A panic must not write into the command's output.
    std::panic::set_hook(Box::new(|_| exit_now(101)));
    let stdin = std::io::stdin();
    let socket = stdin.as_fd();
    let outcome = settle().and_then(|()| receive(socket)).and_then(|order| supervise(&order, socket));
    if let Err(refusal) = outcome {
        let _ = send(socket, Message::Refused(refusal));
        return 1;
    }
    0
}

/// Leaves everything behind that came with the process.
fn settle() -> Result<(), Refusal> {
    let parent = getppid();
    let settled = || {
        close_from(3)?;
        let _ = setsid();
        set_parent_process_death_signal(Some(Signal::KILL))?;
        umask(Mode::from_raw_mode(0o022));
        if getppid() == parent { Ok(()) } else { Err(Errno::SRCH) }
    };
    settled().map_err(Refusal::at(Stage::Process))?;
    refuse_threads()
}

/// A namespace is entered, and a fork is whole, only in a process with one thread.
fn refuse_threads() -> Result<(), Refusal> {
    let threads = std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    if threads == 1 { Ok(()) } else { Err(Refusal::at(Stage::Threads)(Errno::INVAL)) }
}

fn receive(socket: BorrowedFd<'_>) -> Result<Order, Refusal> {
    let (plan, root) = receive_with(socket).map_err(Refusal::at(Stage::Plan))?;
    Ok(Order { plan, root })
}

fn supervise(order: &Order, socket: BorrowedFd<'_>) -> Result<(), Refusal> {
    let plan = &order.plan;
    if !plan.has(Layer::Pidns) {
        // Orphans come back here to be swept; the helper must live to do that when the program dies.
        let own = || set_child_subreaper(Some(getpid())).and_then(|()| set_parent_process_death_signal(None));
        own().map_err(Refusal::layer(Layer::Sweep))?;
    }
    namespaces::enter(plan)?;
    match fork().map_err(Refusal::at(Stage::Process))? {
        Fork::Child => init::run(order, socket),
        Fork::Parent(first) => {
            close_output();
            let crowded = watch(order, socket, first).map_err(Refusal::at(Stage::Process))?;
            let _ = kill_process(first, Signal::KILL);
            let _ = waitpid(Some(first), WaitOptions::empty());
            if crowded {
                let _ = send(socket, Message::Crowded);
            }
            if !plan.has(Layer::Pidns) {
                let _ = send(socket, Message::Left(tree::sweep()));
            }
            let _ = send(socket, Message::Ended(usage::of_children()));
            Ok(())
        }
    }
}

/// Waits until process 1 has ended, the other end of the socket is closed, or there are too many processes; says whether
/// it was the last.
fn watch(order: &Order, socket: BorrowedFd<'_>, first: Pid) -> Result<bool, Errno> {
    let plan = &order.plan;
    let handle = pidfd_open(first, PidfdFlags::empty())?;
    let in_rounds = plan.ceilings.count || !plan.has(Layer::Pidns);
    loop {
        let mut ready = [PollFd::new(&socket, PollFlags::RDHUP), PollFd::new(&handle, PollFlags::IN)];
        match poll(&mut ready, in_rounds.then_some(&ROUND)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(false),
            Err(errno) => return Err(errno),
        }
        if plan.ceilings.count && u64::from(tree::of_call(plan)) > plan.ceilings.processes {
            return Ok(true);
        }
        if !plan.has(Layer::Pidns) {
            tree::reap_orphans(first);
        }
    }
}
