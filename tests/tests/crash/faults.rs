//! Power cuts and failing disks: what was never synced is gone, and each write and sync fails once. (journal.md §13)

use std::path::{Path, PathBuf};
use std::process::Command;

use tool_core::test::Random;

use super::check::{Found, History, checked};
use super::number;
use super::traced::{CALLS, Event, events, synced};

/// `strace`, where it may trace.
fn strace() -> Option<Command> {
    let works = Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    if works.is_ok_and(|output| output.status.success()) {
        return Some(Command::new("strace"));
    }
    tool_trials::skip("no strace");
    None
}

fn worker() -> &'static str {
    env!("CARGO_BIN_EXE_journal_worker")
}

/// Lets a new process settle what is there, and looks through everything.
fn after(folder: &Path, mut history: History) -> Result<Found, String> {
    let last = Command::new(worker()).arg(folder).arg("999").env("TOOL_RECOVER_ONLY", "1").output().unwrap();
    if !last.status.success() {
        return Err(String::from_utf8_lossy(&last.stderr).into_owned());
    }
    String::from_utf8_lossy(&last.stdout).lines().for_each(|line| history.said(line));
    Ok(checked(folder, &history))
}

/// What power cuts at many moments of one run leave of it: problems, and how many acknowledged calls were looked for.
fn cut(cuts: u64, seed: u64, careless: bool) -> Option<(Vec<String>, usize)> {
    let mut command = strace()?;
    let base = tool_trials::directory();
    let base_path = base.path().canonicalize().unwrap();
    let (folder, trace) = (base_path.join("run"), base_path.join("trace"));
    std::fs::create_dir(&folder).unwrap();
    command.args(["-f", "-y", "-xx", "-s", "100000", "-e", &format!("trace={CALLS}"), "-o"]).arg(&trace);
    command.arg(worker()).arg(&folder).arg("1").env("TOOL_CALLS", "6");
    if careless {
        command.env("TOOL_UNSYNCED", "1");
    }
    let run = command.output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let all = events(&std::fs::read_to_string(&trace).unwrap(), &folder);
    let said =
        all.iter().filter(|event| matches!(event, Event::Said(line) if line.starts_with("ack "))).count();
    assert!(said > 5, "{said} acknowledgements are in the trace");
    let mut random = Random::new(seed);
    let (mut problems, mut acknowledged) = (Vec::new(), 0);
    for nth in 0..cuts {
        // The last cut is behind everything but the end of the process.
        let end = if nth + 1 == cuts { all.len() } else { random.below(all.len()) };
        let before = &all[..end];
        let copy: PathBuf = base_path.join(format!("cut-{nth}"));
        std::fs::create_dir(&copy).unwrap();
        synced(before, &folder, &copy);
        let mut history = History::default();
        for event in before {
            if let Event::Said(line) = event {
                history.said(line);
            }
        }
        match after(&copy, history) {
            Ok(found) => {
                acknowledged += found.acknowledged;
                problems.extend(found.problems.into_iter().map(|problem| format!("cut at {end}: {problem}")));
            }
            Err(error) => problems.push(format!("cut at {end}: it does not open: {error}")),
        }
    }
    Some((problems, acknowledged))
}

#[test]
fn what_was_acknowledged_survives_a_power_cut() {
    let (cuts, seed) = (number("TOOL_CUTS", 20), number("TOOL_SEED", 0x00c0_ffee));
    let Some((problems, acknowledged)) = cut(cuts, seed, false) else { return };
    println!(
        "power cuts: {cuts}, seed {seed}: {acknowledged} acknowledged calls looked for, {} problems",
        problems.len()
    );
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(acknowledged > 20, "{acknowledged} acknowledged calls were looked for: the run proves nothing");
}

#[test]
fn a_journal_that_does_not_sync_is_found_out_by_power_cuts() {
    let Some((problems, _)) = cut(8, number("TOOL_SEED", 0x00c0_ffee), true) else { return };
    println!("power cuts: without syncs: {} problems, such as {:?}", problems.len(), problems.first());
    assert!(
        problems.iter().any(|problem| problem.contains("lost: ") || problem.contains("effect without a row")),
        "a journal without syncs passes: the test proves nothing: {problems:?}"
    );
}

#[test]
fn a_disk_that_fails_at_any_write_or_sync_loses_nothing_that_was_acknowledged() {
    if strace().is_none() {
        return;
    }
    let step = tool_trials::by_effort(1, 7);
    let (mut nth, mut failed, mut refused) = (1, 0_u32, 0_u32);
    loop {
        let base = tool_trials::directory();
        let base_path = base.path().canonicalize().unwrap();
        let (folder, trace) = (base_path.join("run"), base_path.join("trace"));
        std::fs::create_dir(&folder).unwrap();
        let errno = if nth % 2 == 0 { "ENOSPC" } else { "EIO" };
        let mut command = strace().unwrap();
        command.args(["-f", "-e", "trace=pwrite64,write,ftruncate,fdatasync,fsync"]);
        command.args(["-e", &format!("inject=pwrite64,ftruncate,fdatasync,fsync:error={errno}:when={nth}")]);
        for name in ["journal.db", "journal.db-wal", "journal.seal"] {
            command.arg("-P").arg(folder.join(name));
        }
        command.arg("-o").arg(&trace).arg(worker()).arg(&folder).arg("1").env("TOOL_CALLS", "3");
        let run = command.output().unwrap();
        let hit = std::fs::read_to_string(&trace).unwrap_or_default().contains("(INJECTED)");
        let mut history = History::default();
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        said.lines().for_each(|line| history.said(line));
        refused += u32::from(said.lines().any(|line| line.starts_with("error ")) || !run.status.success());
        let found = after(&folder, history)
            .unwrap_or_else(|error| panic!("{errno} at {nth}: it does not open: {error}"));
        assert!(found.problems.is_empty(), "{errno} at {nth}: {:#?}", found.problems);
        if !hit {
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
            break;
        }
        failed += 1;
        nth += step;
    }
    println!("failing disk: {failed} runs with a failure, {refused} of them told of it, then a clean one");
    assert!(failed > 5 && refused > 0, "{failed} failures, {refused} told: the run proves nothing");
}
