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

use tool_std::sandbox::{Command, End, Sandbox, SandboxPolicy, Stop};
use tool_std::{Workspace, WorkspacePolicy};
use tool_trials::rounds;

/// Runs whose median is the cost of a spawn, in the full run and otherwise.
const RUNS: [usize; 2] = [200, 60];
/// How often a program is killed.
const KILLS: usize = 100;
/// Bytes of output that cost no memory, and what the program may grow by meanwhile.
const OUTPUT: u64 = 1 << 30;
const GROWTH: u64 = 16 << 20;

fn main() {
    if std::env::args().nth(1).as_deref() == Some("uninitialised") {
        return uninitialised(&PathBuf::from(std::env::args().nth(2).unwrap()));
    }
    Sandbox::init();
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("victim") => return victim(&PathBuf::from(arguments.next().unwrap())),
        Some("secretive") => return secretive(&PathBuf::from(arguments.next().unwrap())),
        Some("tidy") => return a_program_is_its_own_helper(),
        _ => {}
    }
    let promises: [(&str, fn()); 9] = [
        ("as_many_sandboxes_are_kept_ready_as_is_set", as_many_sandboxes_are_kept_ready_as_is_set),
        ("a_thousand_commands_leave_no_descriptor_open", a_thousand_commands_leave_no_descriptor_open),
        ("a_gibibyte_of_output_costs_no_memory", a_gibibyte_of_output_costs_no_memory),
        ("a_sandbox_leaves_no_file_behind", a_sandbox_leaves_no_file_behind),
        ("a_program_without_init_starts_no_process", a_program_without_init_starts_no_process),
        ("a_command_reads_nothing_of_its_program", a_command_reads_nothing_of_its_program),
        ("a_program_is_its_own_helper", a_program_is_its_own_helper),
        ("nothing_outlives_a_program_that_is_killed", nothing_outlives_a_program_that_is_killed),
        ("what_a_spawn_costs_is_told", what_a_spawn_costs_is_told),
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
    let root = tool_trials::directory();
    let sandbox = open(root.path());
    assert_eq!(sandbox.report().to_json()["helper"], "self");
    assert_eq!(sandbox.report().refusal(), None);
    let finished = run(&sandbox, Command::new("sh", Duration::from_secs(10)).args(["-c", "echo x; exit 3"]));
    assert_eq!((finished.end, finished.stdout.text.as_str()), (End::Exit(3), "x\n"));
}

/// Asks for a command though nobody has called `init`.
fn uninitialised(root: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let command = Command::new("true", Duration::from_secs(5));
    let error = runtime.block_on(open(root).run(command)).unwrap_err();
    println!("{}", error.code_str());
}

fn a_program_without_init_starts_no_process() {
    let works = |words: &[&str]| {
        Program::new("strace").args(words).output().is_ok_and(|output| output.status.success())
    };
    let place = tool_trials::directory();
    let log = place.path().join("log");
    if !works(&["-o", log.to_str().unwrap(), "true"]) {
        return tool_trials::skip("strace does not work here");
    }
    for (words, processes) in [(&["uninitialised", "root"][..], 0), (&["tidy"][..], 1)] {
        fs::create_dir_all(place.path().join("root")).unwrap();
        let output = Program::new("strace")
            .args(["-f", "-e", "trace=clone,clone3,fork,vfork,execve", "-o", log.to_str().unwrap()])
            .arg(std::env::current_exe().unwrap())
            .args(words)
            .current_dir(place.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(output.stdout.starts_with(b"sandbox_unavailable"), processes == 0, "{output:?}");
        let traced = fs::read_to_string(&log).unwrap();
        let is_process = |line: &&str| {
            let clones = ["clone(", "clone3(", "fork("].iter().any(|call| line.contains(call));
            clones && !line.contains("CLONE_THREAD")
        };
        let started = traced.lines().filter(is_process).count();
        assert_eq!(started.min(1), processes, "{traced}");
        // The program never copies its own tables, so the spawn of a helper does not grow with its memory.
        let helpers = traced.lines().filter(|line| line.contains("execve(\"/proc/self/exe\"")).count();
        let small = traced.lines().filter(is_process).filter(|line| line.contains("CLONE_VM|CLONE_VFORK"));
        assert_eq!((helpers, helpers.min(1)), (small.count(), processes), "{traced}");
        let others = traced.lines().filter(|line| line.contains("execve(")).count() - 1;
        assert_eq!(others.min(1), processes, "{traced}");
    }
}

/// What is planted in a program, in three places.
const CANARIES: [&str; 3] = ["canary-argument-81f2", "canary-variable-81f2", "canary-descriptor-81f2"];

/// Shows what a command reads of this program, which has a canary wherever a program has something.
fn secretive(root: &Path) {
    let planted = root.join("../planted");
    // Not closed by `exec`.
    let _open = rustix::fs::open(&planted, rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty()).unwrap();
    let script = "cat /proc/*/environ /proc/*/cmdline; ls -l /proc/*/fd; cat /proc/*/fd/* 2>/dev/null < /dev/null; env";
    let (off, enforce) = (tool_std::sandbox::Mode::Off, tool_std::sandbox::Mode::Enforce);
    for mode in [off, enforce] {
        let workspace = Workspace::open(root, WorkspacePolicy::default()).unwrap();
        let mut policy = SandboxPolicy { mode, ..SandboxPolicy::default() };
        policy.limits.max_stream_bytes = 10_485_760;
        let sandbox = Sandbox::open(policy, &workspace).unwrap();
        // Of a program without confinement, only what it shows of itself is looked at: others have endless descriptors.
        let pid = std::process::id();
        let script = match mode {
            tool_std::sandbox::Mode::Off => {
                format!("cat /proc/{pid}/environ /proc/{pid}/cmdline; ls -l /proc/{pid}/fd")
            }
            _ => script.to_owned(),
        };
        let command = Command::new("sh", Duration::from_secs(20)).args(["-c", &script]);
        let seen = run(&sandbox, command);
        let both = format!("{}{}", seen.stdout.text, seen.stderr.text);
        let count = ["canary-argument-81f2", "canary-variable-81f2", "planted"]
            .iter()
            .filter(|text| both.contains(*text));
        println!("{mode:?} {} {}", count.count(), CANARIES.iter().any(|canary| both.contains(canary)));
    }
}

fn a_command_reads_nothing_of_its_program() {
    let place = tool_trials::directory();
    let root = place.path().join("root");
    fs::create_dir(&root).unwrap();
    fs::write(place.path().join("planted"), CANARIES[2]).unwrap();
    let output = Program::new(std::env::current_exe().unwrap())
        .arg("secretive")
        .args([root.to_str().unwrap(), CANARIES[0]])
        .env("TOOL_STD_PLANTED", CANARIES[1])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(told, "Off 3 true\nEnforce 0 false\n", "{output:?}");
}

fn a_sandbox_leaves_no_file_behind() {
    for missing in ["", "userns"] {
        let temporary = tool_trials::directory();
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
    let root = tool_trials::directory();
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

/// Runs so many commands at once, as far as they may.
fn run_at_once(sandbox: &Sandbox, count: usize) {
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let run = |_| {
        let sandbox = sandbox.clone();
        runtime.spawn(async move { sandbox.run(Command::new("true", Duration::from_secs(120))).await })
    };
    let runs: Vec<_> = (0..count).map(run).collect();
    runs.into_iter().for_each(|run| assert_eq!(runtime.block_on(run).unwrap().unwrap().end, End::Exit(0)));
}

/// Helpers of this program that are alive.
fn helpers() -> usize {
    let own = format!("PPid:\t{}", std::process::id());
    let is_helper = |process: &fs::DirEntry| {
        let read = |file: &str| fs::read_to_string(process.path().join(file)).unwrap_or_default();
        read("cmdline").starts_with("toolbox-sandbox\0") && read("status").lines().any(|line| line == own)
    };
    fs::read_dir("/proc").unwrap().filter_map(Result::ok).filter(is_helper).count()
}

/// Whether a command has ended but not what is done behind its end: one more sandbox is made ready there.
fn is_supervising() -> bool {
    let threads = fs::read_dir("/proc/self/task").unwrap().filter_map(Result::ok);
    threads
        .filter_map(|thread| fs::read_to_string(thread.path().join("comm")).ok())
        .any(|name| name.trim() == "sandbox-command")
}

fn as_many_sandboxes_are_kept_ready_as_is_set() {
    let place = tool_trials::directory();
    let workspace = Workspace::open(place.path(), WorkspacePolicy::default()).unwrap();
    for ready in [0, 1, 2, 3] {
        let mut policy = SandboxPolicy::default();
        policy.limits.set("ready_commands", ready).unwrap();
        let sandbox = Sandbox::open(policy, &workspace).unwrap();
        // More commands than would be needed, and once more when some are taken.
        for _ in 0..2 {
            run_at_once(&sandbox, 12);
            until(tool_trials::patience(), || !is_supervising());
            // From here on none is added; those that have run their command end.
            until(tool_trials::patience(), || helpers() as u64 <= ready);
            assert_eq!(helpers() as u64, ready);
        }
        drop(sandbox);
        until(tool_trials::patience(), || helpers() == 0);
    }
}

fn a_thousand_commands_leave_no_descriptor_open() {
    let place = tool_trials::directory();
    let sandbox = open(place.path());
    let all = |count| run_at_once(&sandbox, count);
    let descriptors = || fs::read_dir("/proc/self/fd").unwrap().count();
    // Some are kept ready for the next commands.
    all(40);
    let before = descriptors();
    all(1_000);
    println!("{before} descriptors before a thousand commands, {} behind them", descriptors());
    until(tool_trials::patience(), || descriptors() <= before);
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
    let root = tool_trials::directory();
    let mut program = Program::new(std::env::current_exe().unwrap())
        .arg("victim")
        .arg(root.path())
        .env("TOOLBOX_SANDBOX_FORCE_MISSING", missing)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until(tool_trials::patience(), || root.path().join("started").exists());
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

/// How long it takes says nothing on a busy machine: `tests/bench/standard.sh` holds it to its limit on an idle one.
fn what_a_spawn_costs_is_told() {
    let root = tool_trials::directory();
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
}

fn median(mut act: impl FnMut()) -> Duration {
    let runs = tool_trials::by_effort(RUNS[0], RUNS[1]);
    let mut times: Vec<Duration> = (0..runs)
        .map(|_| {
            let started = Instant::now();
            act();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times.into_iter().nth(runs / 2).unwrap()
}
