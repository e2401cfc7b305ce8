//! The cost of a sandboxed command from a program of 1 GiB, against a bare `posix_spawn` and against bubblewrap.
//!
//! Each of the three runs the same program to its end, in turn, so that a busy machine slows all of them alike; a second
//! series has nothing but sandboxed commands, one right behind the other. The argument is the number of rounds. Prints a
//! line per comparison: name, ours and theirs in nanoseconds.

use std::hint::black_box;
use std::path::Path;
use std::process::Command as Program;
use std::time::{Duration, Instant};

use tool_std::sandbox::{Command, End, Sandbox, SandboxPolicy};
use tool_std::{Workspace, WorkspacePolicy};

/// What the three run.
const PROGRAM: &str = "/bin/true";
/// The memory that the program has touched.
const MEMORY: usize = 1 << 30;
/// The place where Debian puts it.
const BUBBLEWRAP: &str = "/usr/bin/bwrap";

fn main() {
    Sandbox::init();
    let rounds: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200);
    let root = std::env::temp_dir().join(format!("sandbox-spawn-{}", std::process::id()));
    std::fs::create_dir(&root).unwrap();
    let workspace = Workspace::open(&root, WorkspacePolicy::default()).unwrap();
    let sandbox = Sandbox::open(SandboxPolicy::default(), &workspace).unwrap();
    assert_eq!(sandbox.report().refusal(), None);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let memory = black_box(vec![1_u8; MEMORY]);
    let has_bubblewrap = Path::new(BUBBLEWRAP).exists();
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..rounds {
        times[0].push(timed(|| assert!(Program::new(PROGRAM).status().unwrap().success())));
        times[1].push(timed(|| {
            let finished =
                runtime.block_on(sandbox.run(Command::new(PROGRAM, Duration::from_secs(10)))).unwrap();
            assert_eq!(finished.end, End::Exit(0));
        }));
        if has_bubblewrap {
            times[2].push(timed(|| assert!(bubblewrap(&root).status().unwrap().success())));
        }
    }
    let in_a_row = (0..rounds)
        .map(|_| {
            timed(|| {
                runtime.block_on(sandbox.run(Command::new(PROGRAM, Duration::from_secs(10)))).unwrap();
            })
        })
        .collect();
    drop(black_box(memory));
    let [bare, sandboxed, bubblewrap] = times.map(median);
    let in_a_row = median(in_a_row);
    println!("spawn_bare {sandboxed} {bare}\nspawn_in_a_row {in_a_row} {bare}");
    if has_bubblewrap {
        println!("spawn_bubblewrap {sandboxed} {bubblewrap}");
    }
    std::fs::remove_dir_all(&root).unwrap();
}

/// The same confinement as far as bubblewrap has it: a view, namespaces, no network.
fn bubblewrap(root: &Path) -> Program {
    let mut program = Program::new(BUBBLEWRAP);
    program.args([
        "--ro-bind",
        "/usr",
        "/usr",
        "--symlink",
        "usr/bin",
        "/bin",
        "--symlink",
        "usr/lib",
        "/lib",
    ]);
    program.args([
        "--symlink",
        "usr/lib64",
        "/lib64",
        "--ro-bind",
        "/etc",
        "/etc",
        "--tmpfs",
        "/tmp",
        "--tmpfs",
        "/var/tmp",
    ]);
    program.args(["--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent", "--new-session"]);
    program.arg("--bind").arg(root).arg(root).arg("--chdir").arg(root).args(["--clearenv", PROGRAM]);
    program
}

fn timed(act: impl FnOnce()) -> Duration {
    let started = Instant::now();
    act();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> u128 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0, Duration::as_nanos)
}
