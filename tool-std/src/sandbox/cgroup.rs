//! Control groups of calls (cgroup v2): one per command below the program's own, if that is writable.
//!
//! A group ends all its processes at once and, where the controllers are delegated, limits their memory and number.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::scratch::{left_behind, unique};

/// How often an ended group is removed again while the kernel still lets go of it.
const REMOVALS: u32 = 20;
const REMOVAL_PAUSE: Duration = Duration::from_millis(5);

/// The directory in which groups of calls are made.
#[derive(Debug)]
pub(super) struct Groups {
    base: PathBuf,
    has_memory: bool,
    has_pids: bool,
}

/// The group of one call; removed when dropped.
#[derive(Debug)]
pub(super) struct Group {
    path: PathBuf,
}

impl Groups {
    /// Finds the program's own group and tries it out.
    pub(super) fn find() -> Result<Self, String> {
        let base = own_group().ok_or("no cgroup v2 hierarchy")?;
        for stale in left_behind(&base) {
            let _ = fs::remove_dir(stale);
        }
        let mut groups = Self { base, has_memory: false, has_pids: false };
        // Fails while the program itself is in the group; then groups only end processes.
        let _ = fs::write(groups.base.join("cgroup.subtree_control"), "+memory +pids");
        let probe = groups.make().map_err(|_| "no writable delegated subtree")?;
        if !probe.path.join("cgroup.kill").exists() {
            return Err("no cgroup.kill before Linux 5.14".to_owned());
        }
        groups.has_memory = probe.path.join("memory.max").exists();
        groups.has_pids = probe.path.join("pids.max").exists();
        drop(probe);
        Ok(groups)
    }

    /// Whether the memory of all processes together is limited.
    pub(super) fn limits_memory(&self) -> bool {
        self.has_memory
    }

    /// Whether the number of processes is limited.
    pub(super) fn limits_processes(&self) -> bool {
        self.has_pids
    }

    /// A group with limits, as far as they can be set.
    pub(super) fn create(&self, memory_bytes: u64, processes: u64) -> io::Result<Group> {
        let group = self.make()?;
        if self.has_memory {
            group.set("memory.max", memory_bytes)?;
            let _ = group.set("memory.swap.max", 0);
        }
        if self.has_pids {
            group.set("pids.max", processes)?;
        }
        Ok(group)
    }

    fn make(&self) -> io::Result<Group> {
        let path = self.base.join(unique("call")?);
        fs::create_dir(&path)?;
        Ok(Group { path })
    }
}

impl Group {
    /// Puts a process into the group.
    pub(super) fn add(&self, pid: u32) -> io::Result<()> {
        self.set("cgroup.procs", pid.into())
    }

    /// Ends every process of the group.
    pub(super) fn kill(&self) {
        let _ = self.set("cgroup.kill", 1);
    }

    /// Whether the kernel ended a process of it for want of memory.
    pub(super) fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.path.join("memory.events")).unwrap_or_default();
        events.lines().filter_map(|line| line.strip_prefix("oom_kill ")).any(|count| count != "0")
    }

    fn set(&self, file: &str, value: u64) -> io::Result<()> {
        fs::write(self.path.join(file), value.to_string())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for _ in 0..REMOVALS {
            if fs::remove_dir(&self.path).is_ok() {
                return;
            }
            self.kill();
            thread::sleep(REMOVAL_PAUSE);
        }
    }
}

/// The directory of the program's own group, as mounted here.
fn own_group() -> Option<PathBuf> {
    let table = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let (mount, _) = table.lines().rev().find_map(|line| line.split_once(" - cgroup2 "))?;
    let mut fields = mount.split(' ').skip(3);
    let (root, point) = (fields.next()?, fields.next()?);
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let below = Path::new(own).strip_prefix(root).ok()?;
    Some(Path::new(point).join(below))
}
