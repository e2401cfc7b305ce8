//! A program that is its own helper: `Sandbox::init` is the first statement of `main`.
//!
//! Without the test harness, which has threads before `main` is reached. `kill` plays a program that dies while its
//! command runs; everything else is a promise, tested in turn.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout)]

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command as Program, Stdio};
use std::time::{Duration, Instant};

#[path = "support/rounds.rs"]
mod rounds;

use rounds::rounds;
use tool_std::sandbox::{Command, End, Sandbox, SandboxPolicy, Stop};
use tool_std::{Workspace, WorkspacePolicy};

/// Runs whose median is the cost of a spawn.
const RUNS: usize = 60;
/// What a sandbox may add to the start of a program, on an idle machine.
const COST: Duration = Duration::from_millis(15);
/// How often a program is killed.
const KILLS: usize = 100;
/// Bytes of output that cost no memory, and what the program may grow by meanwhile.
const OUTPUT: u64 = 1 << 30;
const GROWTH: u64 = 16 << 20;

fn main() {
    Sandbox::init();
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("victim") => return victim(&PathBuf::from(arguments.next().unwrap())),
        Some("tidy") => return a_program_is_its_own_helper(),
        _ => {}
    }
    let promises: [(&str, fn()); 5] = [
        ("a_gibibyte_of_output_costs_no_memory", a_gibibyte_of_output_costs_no_memory),
        ("a_sandbox_leaves_no_file_behind", a_sandbox_leaves_no_file_behind),
        ("a_program_is_its_own_helper", a_program_is_its_own_helper),
        ("nothing_outlives_a_program_that_is_killed", nothing_outlives_a_program_that_is_killed),
        ("a_spawn_does_not_grow_with_the_program", a_spawn_does_not_grow_with_the_program),
    ];
    for (name, promise) in promises {
        promise();
        println!("test {name} ... ok");
    }
}

fn open(root: &Path) -> Sandbox {
    let workspace = Workspace::open(root, WorkspacePolicy::default()).unwrap();
    Sandbox::open(SandboxPolicy::default(), &workspace).unwrap()
}

fn run(sandbox: &Sandbox, command: Command) -> tool_std::sandbox::Finished {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(sandbox.run(command)).unwrap()
}

/// Runs a command until somebody kills this program.
fn victim(root: &Path) {
    let script = "setsid sleep 60 & touch started; sleep 60";
    run(&open(root), Command::new("sh", Duration::from_secs(60)).args(["-c", script]));
}

fn a_program_is_its_own_helper() {
    let root = tempfile::tempdir().unwrap();
    let sandbox = open(root.path());
    assert_eq!(sandbox.report().to_json()["helper"], "self");
    assert_eq!(sandbox.report().refusal(), None);
    let finished = run(&sandbox, Command::new("sh", Duration::from_secs(10)).args(["-c", "echo x; exit 3"]));
    assert_eq!((finished.end, finished.stdout.text.as_str()), (End::Exit(3), "x\n"));
}

fn a_sandbox_leaves_no_file_behind() {
    for missing in ["", "userns"] {
        let temporary = tempfile::tempdir().unwrap();
        let ended = Program::new(std::env::current_exe().unwrap())
            .arg("tidy")
            .env("TMPDIR", temporary.path())
            .env("TOOLBOX_SANDBOX_FORCE_MISSING", missing)
            .status()
            .unwrap();
        assert!(ended.success());
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0, "{missing}");
    }
}

fn a_gibibyte_of_output_costs_no_memory() {
    let root = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(root.path(), WorkspacePolicy::default()).unwrap();
    let mut policy = SandboxPolicy::default();
    policy.limits.max_total_output_bytes = 2 * OUTPUT;
    let sandbox = Sandbox::open(policy, &workspace).unwrap();
    let writes = |program: &str, args: &[&str]| {
        run(&sandbox, Command::new(program, Duration::from_secs(300)).args(args.iter().copied()))
    };
    writes("true", &[]);
    // The highest mark starts anew where the program stands.
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = highest_memory();
    let finished = writes("head", &["-c", &OUTPUT.to_string(), "/dev/zero"]);
    assert_eq!((finished.end, finished.stdout.total), (End::Exit(0), OUTPUT));
    assert_eq!(writes("yes", &[]).stopped, Some(Stop::Output));
    let growth = highest_memory() - before;
    println!("{OUTPUT} bytes of output and an endless one: {growth} bytes of memory");
    assert!(growth < GROWTH, "{growth}");
}

/// The most memory that this program has had in use, in bytes.
fn highest_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1_024
}

fn nothing_outlives_a_program_that_is_killed() {
    for missing in ["", "pidns", "pidns,cgroup", "userns"] {
        for _ in 0..rounds(KILLS) {
            kill_a_program(missing);
        }
    }
}

fn kill_a_program(missing: &str) {
    let root = tempfile::tempdir().unwrap();
    let mut program = Program::new(std::env::current_exe().unwrap())
        .arg("victim")
        .arg(root.path())
        .env("TOOLBOX_SANDBOX_FORCE_MISSING", missing)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until(Duration::from_secs(20), || root.path().join("started").exists());
    assert!(is_alive(root.path()));
    program.kill().unwrap();
    program.wait().unwrap();
    until(Duration::from_secs(1), || !is_alive(root.path()));
}

fn until(limit: Duration, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < limit, "not within {limit:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process has a workspace in its environment or arguments.
fn is_alive(root: &Path) -> bool {
    let name = root.to_str().unwrap().as_bytes();
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let mut texts =
        processes.flat_map(|process| ["environ", "cmdline"].map(|file| process.path().join(file)));
    texts.any(|file| fs::read(file).is_ok_and(|text| text.windows(name.len()).any(|part| part == name)))
}

fn a_spawn_does_not_grow_with_the_program() {
    let root = tempfile::tempdir().unwrap();
    let sandbox = open(root.path());
    let sandboxed = || {
        run(&sandbox, Command::new("true", Duration::from_secs(10)));
    };
    let plain = median(|| {
        Program::new("true").status().unwrap();
    });
    let small = median(sandboxed);
    let memory = black_box(vec![1_u8; 1 << 30]);
    let large = median(sandboxed);
    drop(black_box(memory));
    println!("plain {plain:?}, sandboxed {small:?}, with 1 GiB {large:?}");
    let factor = std::env::var("TOOL_LOAD_FACTOR").ok().and_then(|text| text.parse().ok()).unwrap_or(5);
    assert!(small.saturating_sub(plain) < COST * factor, "{small:?} against {plain:?}");
    assert!(large < small * factor, "{large:?} against {small:?}");
}

fn median(mut act: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let started = Instant::now();
            act();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times.into_iter().nth(RUNS / 2).unwrap()
}
