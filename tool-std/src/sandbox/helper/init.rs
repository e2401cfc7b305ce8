//! Process 1 of a call: builds what surrounds the command, starts it, reaps orphans and reports its end.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, kill_process_group, set_parent_process_death_signal, wait,
};

use super::command;
use super::landlock::Domain;
use super::process::{Fork, close_output, exit_now, fork};
use super::signals::ChildEnds;
use super::view::View;
use super::{caps, namespaces, rlimits, tree, usage};
use crate::sandbox::layers::Layer;
use crate::sandbox::places::{TEMPORARY, system};
use crate::sandbox::policy::Network;
use crate::sandbox::wire::{Message, Plan, Refusal, Stage, receive, send};

/// The plan with the handle that came with it.
pub(super) struct Order {
    pub(super) plan: Plan,
    pub(super) root: OwnedFd,
}

/// Runs a command to its end and ends this process, and with it the PID namespace.
pub(super) fn run(order: &Order, socket: BorrowedFd<'_>) -> ! {
    let told = match start(order, socket) {
        Ok((command, ends)) => {
            let _ = send(socket, Message::Started(command.as_raw_pid()));
            watch(order, socket, command, &ends)
        }
        Err(refusal) => vec![Message::Refused(refusal)],
    };
    for message in told {
        let _ = send(socket, message);
    }
    exit_now(0)
}

fn start(order: &Order, socket: BorrowedFd<'_>) -> Result<(Pid, ChildEnds), Refusal> {
    let plan = &order.plan;
    confine(plan, order.root.as_fd())?;
    let ends = ChildEnds::watch().map_err(Refusal::at(Stage::Process))?;
    let (mut reader, writer) = pipe_with(PipeFlags::CLOEXEC)
        .map(|(reader, writer)| (File::from(reader), File::from(writer)))
        .map_err(Refusal::at(Stage::Process))?;
    match fork().map_err(Refusal::at(Stage::Process))? {
        Fork::Child => command::run(order, socket, writer),
        Fork::Parent(pid) => {
            drop(writer);
            close_output();
            let mut failure = Vec::new();
            let _ = reader.read_to_end(&mut failure);
            match serde_json::from_slice(&failure) {
                Ok(refusal) => Err(refusal),
                Err(_) => Ok((pid, ends)),
            }
        }
    }
}

/// Builds every layer but the last, in the order of sandbox.md §7.
fn confine(plan: &Plan, root: BorrowedFd<'_>) -> Result<(), Refusal> {
    let mut view = None;
    if plan.has(Layer::Mounts) {
        view = Some(View::build(plan, root)?);
    }
    if plan.has(Layer::PidMax) {
        rlimits::set_pid_max(plan.ceilings.processes).map_err(Refusal::layer(Layer::PidMax))?;
    }
    if plan.network == Network::Loopback {
        namespaces::raise_loopback().map_err(Refusal::layer(Layer::Netns))?;
    }
    view.map_or(Ok(()), View::seal)?;
    if plan.has(Layer::Rlimits) {
        let counted = plan.has(Layer::PidMax) || plan.has(Layer::Cgroup);
        rlimits::set(&plan.ceilings, counted).map_err(Refusal::layer(Layer::Rlimits))?;
    }
    if plan.has(Layer::Caps) {
        caps::drop_all().map_err(Refusal::layer(Layer::Caps))?;
    }
    caps::hide_memory().map_err(Refusal::at(Stage::Process))?;
    // Dropping capabilities forgets the signal, so it is set last.
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(Refusal::at(Stage::Process))?;
    if plan.has(Layer::Landlock) {
        domain(plan).enter().map_err(Refusal::layer(Layer::Landlock))?;
    }
    Ok(())
}

fn domain(plan: &Plan) -> Domain {
    let view = &plan.view;
    let own =
        |places: &[crate::sandbox::wire::Bytes]| places.iter().map(|place| place.to_path_buf()).collect();
    let mut write: Vec<_> = own(&view.write);
    write.push(view.root.to_path_buf());
    write.extend(view.private.iter().map(|place| place.to_path_buf()));
    let mut read: Vec<_> = own(&view.read);
    if plan.has(Layer::Mounts) {
        read.push("/".into());
        write.extend(view.home.iter().map(|home| home.to_path_buf()));
        write.extend(TEMPORARY.map(Into::into));
    } else {
        read.extend(own(&view.toolchains));
        read.extend(system("/".as_ref()));
        read.extend(["/dev".into(), "/proc".into()]);
    }
    Domain { read, write, network: plan.network }
}

/// Waits for the command's end, and says what is to be told about it.
fn watch(order: &Order, socket: BorrowedFd<'_>, command: Pid, ends: &ChildEnds) -> Vec<Message> {
    loop {
        let mut ready =
            [PollFd::new(&socket, PollFlags::IN | PollFlags::RDHUP), PollFd::new(ends, PollFlags::IN)];
        match poll(&mut ready, None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return Vec::new(),
        }
        ends.drain();
        let (status, alone) = reaped(command);
        if let Some(status) = status {
            return ended(order, status, alone);
        }
        match receive(socket) {
            Ok(Some(Message::Terminate)) => {
                let _ = kill_process_group(command, Signal::TERM);
            }
            Ok(None) => return Vec::new(),
            Ok(Some(_)) | Err(_) => {}
        }
    }
}

/// Takes the ends of all children; the command's, if it is among them, and whether no child is left.
fn reaped(command: Pid) -> (Option<WaitStatus>, bool) {
    let mut status = None;
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, ended))) if pid == command => status = Some(ended),
            Ok(Some(_)) | Err(Errno::INTR) => {}
            outcome => return (status, matches!(outcome, Err(Errno::CHILD))),
        }
    }
}

/// In its PID namespace whoever descends from process 1 has an ancestor among its children: without one there are no strays,
/// nothing is left to be waited for, and what was used is known before the kernel has taken the namespaces apart.
fn ended(order: &Order, status: WaitStatus, alone: bool) -> Vec<Message> {
    let own_proc = order.plan.has(Layer::Pidns) && order.plan.has(Layer::Mounts);
    let left = own_proc.then(|| Message::Left(if alone { 0 } else { tree::others() }));
    let end = match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Some(Message::Exit(code)),
        (None, signal) => signal.map(Message::Signal),
    };
    let used = (own_proc && alone).then(|| Message::Ended(usage::of_children()));
    left.into_iter().chain(end).chain(used).collect()
}

/// Says in the last moment why the command did not start.
pub(super) fn report(mut pipe: File, refusal: Refusal) -> ! {
    let _ = serde_json::to_vec(&refusal).map(|text| pipe.write_all(&text));
    exit_now(1)
}
