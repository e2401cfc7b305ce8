//! The processes of a call, as `/proc` shows them: counted, and swept where no namespace ends them (sandbox.md §12).

use std::collections::BTreeMap;
use std::fs;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, wait, waitpid};

use crate::sandbox::layers::Layer;
use crate::sandbox::wire::Plan;

/// A process as its `stat` file shows it.
struct Seen {
    pid: i32,
    parent: i32,
    ended: bool,
}

/// Processes in this process's own PID namespace besides itself: those that its `/proc` shows.
pub(super) fn others() -> u32 {
    let own = getpid().as_raw_pid();
    count(all().filter(|seen| seen.pid != own && !seen.ended))
}

/// Processes of a call, as the helper outside sees them.
pub(super) fn of_call(plan: &Plan) -> u32 {
    let own_proc = plan.has(Layer::Pidns) && plan.has(Layer::Mounts);
    if own_proc { count(all()) } else { count(descendants().into_iter()) }
}

/// Kills everything that descends from this process, which is its subreaper, until nothing does; says how many.
pub(super) fn sweep() -> u32 {
    let mut killed = 0;
    loop {
        let alive: Vec<Seen> = descendants();
        killed += count(alive.iter().filter(|seen| !seen.ended));
        for pid in alive.iter().filter_map(|seen| Pid::from_raw(seen.pid)) {
            let _ = kill_process(pid, Signal::KILL);
        }
        match wait(WaitOptions::empty()) {
            Ok(_) => {}
            Err(Errno::INTR) => {}
            Err(_) => return killed,
        }
    }
}

/// Takes the ends of orphans that came back, and leaves that of process 1 to whoever waits for it.
pub(super) fn reap_orphans(first: Pid) {
    let ended = descendants().into_iter().filter(|seen| seen.ended && seen.pid != first.as_raw_pid());
    for pid in ended.filter_map(|seen| Pid::from_raw(seen.pid)) {
        let _ = waitpid(Some(pid), WaitOptions::NOHANG);
    }
}

fn count<T>(seen: impl Iterator<Item = T>) -> u32 {
    u32::try_from(seen.count()).unwrap_or(u32::MAX)
}

fn descendants() -> Vec<Seen> {
    let mut by_parent: BTreeMap<i32, Vec<Seen>> = BTreeMap::new();
    for seen in all() {
        by_parent.entry(seen.parent).or_default().push(seen);
    }
    let mut found = Vec::new();
    let mut parents = vec![getpid().as_raw_pid()];
    while let Some(parent) = parents.pop() {
        let children = by_parent.remove(&parent).unwrap_or_default();
        parents.extend(children.iter().map(|seen| seen.pid));
        found.extend(children);
    }
    found
}

fn all() -> impl Iterator<Item = Seen> {
    fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok).filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let text = fs::read_to_string(entry.path().join("stat")).ok()?;
        let (_, behind_name) = text.rsplit_once(") ")?;
        let mut fields = behind_name.split(' ');
        let ended = matches!(fields.next()?, "Z" | "X");
        Some(Seen { pid, parent: fields.next()?.parse().ok()?, ended })
    })
}
