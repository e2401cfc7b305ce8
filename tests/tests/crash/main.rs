//! The crash test: real processes are killed, half of them at named places, and a checker reads what is left. (journal.md §13)
//!
//! `TOOL_KILLS` says how many (200), `TOOL_SEED` repeats a run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may stop at what it cannot do, and says what it skips"
)]

mod check;
mod faults;
mod traced;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use check::{History, checked};
use tool_core::test::Random;

/// Where a process dies, and at which of how many hits.
const FAILPOINTS: [(&str, u64); 11] = [
    ("journal.begin.before_commit", 8),
    ("journal.begin.after_commit", 8),
    ("call.before_effect", 8),
    ("call.after_effect", 8),
    ("journal.finish.before_commit", 8),
    ("journal.finish.after_commit", 8),
    ("seal.before_write", 8),
    // Met only where the process before has left a call open, so it is tried more often.
    ("recover.between_rows", 1),
    ("recover.between_rows", 1),
    ("recover.between_rows", 1),
    ("migrate.between_statements", 8),
];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A worker that writes to a folder, with what it prints.
fn worker(
    folder: &Path,
    nth: u64,
    failpoint: Option<(&str, u64)>,
    careless: bool,
) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_journal_worker"));
    command.arg(folder).arg(nth.to_string());
    if let Some((name, hit)) = failpoint {
        command.arg(name).arg(hit.to_string());
    }
    if careless {
        command.env("TOOL_INTENT_AFTER_EFFECT", "1");
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    (child, out)
}

/// Kills workers and returns what they said; the last one only recovers.
fn killed(folder: &Path, kills: u64, seed: u64, careless: bool) -> (History, BTreeMap<&'static str, u32>) {
    let mut random = Random::new(seed);
    let mut history = History::default();
    let mut hits: BTreeMap<&'static str, u32> = BTreeMap::new();
    for nth in 1..=kills {
        let point = (nth % 2 == 0).then(|| FAILPOINTS[usize::try_from(nth / 2 % 11).unwrap()]);
        let fresh = tool_trials::directory();
        // Migrations are only made in a new file.
        let migrates = point.is_some_and(|point| point.0.starts_with("migrate"));
        let place = if migrates { fresh.path() } else { folder };
        let at = point.map(|(name, most)| (name, random.number() % most));
        let (mut child, out) = worker(place, nth, at, careless);
        let patience = if point.is_some() { 200 } else { random.number() % 24 };
        let mut lines = out.lines();
        let mut said = 0;
        while said < patience
            && let Some(Ok(line)) = lines.next()
        {
            said += 1;
            match line.split_once(' ') {
                Some(("hit", name)) => {
                    let known = FAILPOINTS.iter().find(|point| point.0 == name).unwrap();
                    *hits.entry(known.0).or_default() += 1;
                }
                _ if migrates => {}
                _ => history.said(&line),
            }
        }
        if point.is_none() {
            // Lines come when calls end; a kill right behind one would never meet a call that runs.
            let until = Instant::now() + Duration::from_micros(random.number() % 8_000);
            while Instant::now() < until {
                std::thread::yield_now();
            }
        }
        // Where the failpoint was not met the process still runs.
        let _ = child.kill();
        // What was printed before the kill was acknowledged.
        for line in lines.map_while(Result::ok) {
            match line.split_once(' ') {
                Some(("hit", name)) => {
                    let known = FAILPOINTS.iter().find(|point| point.0 == name).unwrap();
                    *hits.entry(known.0).or_default() += 1;
                }
                _ if migrates => {}
                _ => history.said(&line),
            }
        }
        child.wait().unwrap();
    }
    let last = Command::new(env!("CARGO_BIN_EXE_journal_worker"))
        .arg(folder)
        .arg((kills + 1).to_string())
        .env("TOOL_RECOVER_ONLY", "1")
        .output()
        .unwrap();
    assert!(last.status.success(), "{}", String::from_utf8_lossy(&last.stderr));
    String::from_utf8_lossy(&last.stdout).lines().for_each(|line| history.said(line));
    (history, hits)
}

#[test]
fn no_acknowledged_call_is_lost_and_no_outcome_recorded_twice() {
    let (kills, seed) = (number("TOOL_KILLS", 200), number("TOOL_SEED", 0x00c0_ffee));
    println!("crash: {kills} kills, seed {seed}");
    let folder = tool_trials::directory();
    let (history, hits) = killed(folder.path(), kills, seed, false);
    let found = checked(folder.path(), &history);
    println!("crash: {found:?}");
    println!("crash: failpoints {hits:?}");
    assert!(found.problems.is_empty(), "{:#?}", found.problems);
    assert!(history.in_doubt > 0, "nothing was in doubt: the run proves nothing");
    assert!(found.acknowledged > 0, "nothing was acknowledged: the run proves nothing");
    for (name, _) in FAILPOINTS {
        let met = hits.get(name).copied().unwrap_or(0);
        assert!(met >= 5 || kills < 200, "{name} was met {met} times: the run proves nothing");
    }
}

#[test]
fn an_intent_behind_the_effect_is_found_out() {
    let folder = tool_trials::directory();
    let (history, _) = killed(folder.path(), 40, number("TOOL_SEED", 0x00c0_ffee), true);
    let found = checked(folder.path(), &history);
    println!("crash: careless: {found:?}");
    assert!(
        found.problems.iter().any(|problem| problem.starts_with("effect without a row")),
        "a careless journal passes: the test proves nothing: {found:?}"
    );
}
