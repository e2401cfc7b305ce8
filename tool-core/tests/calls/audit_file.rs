//! Audit rows in a file: what is put aside, forgotten, read back, and what becomes of it when the file cannot be used.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tool_core::{AuditRow, AuditSink, ErrorKind, JsonLines};
use tool_trials::Log;

const DAY: u64 = 24 * 3_600 * 1_000;

fn row(at_ms: u64) -> AuditRow {
    AuditRow { at_ms, ..AuditRow::default() }
}

/// When the rows of a file and of those that were put aside began, the newest first.
fn times(path: &Path) -> Vec<u64> {
    let mut times = Vec::new();
    let told = JsonLines::new(path).newest_first(|row| {
        times.push(row["at_ms"].as_u64().unwrap());
        true
    });
    told.unwrap();
    times
}

/// A file that has an endless path.
fn loop_at(path: &Path) {
    std::os::unix::fs::symlink(path, path).unwrap();
}

#[test]
fn audit_files_are_put_aside_when_they_are_full_and_ten_are_kept() {
    let folder = tool_trials::directory();
    let path = folder.path().join("audit.jsonl");
    let sink = JsonLines::new(&path).rotate_at(10);
    for number in 0..14u64 {
        sink.write(&AuditRow { at_ms: number, ..AuditRow::default() }).unwrap();
    }
    let at = |path: &std::path::Path| {
        let text = std::fs::read_to_string(path).unwrap();
        serde_json::from_str::<Value>(text.trim()).unwrap()["at_ms"].clone()
    };
    assert_eq!(at(&path), 13);
    assert_eq!(at(&folder.path().join("audit.jsonl.1")), 12);
    assert_eq!(at(&folder.path().join("audit.jsonl.10")), 3);
    assert!(!folder.path().join("audit.jsonl.11").exists());
}

#[test]
fn a_file_is_put_aside_by_processes_that_write_one_row_each_and_a_torn_line_costs_itself_alone() {
    let folder = tool_trials::directory();
    let path = folder.path().join("audit.jsonl");
    let write = |number: u64| {
        let row = AuditRow { at_ms: number, ..AuditRow::default() };
        JsonLines::new(&path).rotate_at(10).write(&row).unwrap();
    };
    write(1);
    write(2);
    let read = |path: &std::path::Path| {
        let mut rows = Vec::new();
        JsonLines::new(path)
            .newest_first(|row| {
                rows.push(row["at_ms"].clone());
                true
            })
            .unwrap();
        json!(rows)
    };
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 1);
    assert_eq!(read(&path), json!([2, 1]));

    let torn = folder.path().join("torn.jsonl");
    std::fs::write(&torn, "{\"torn").unwrap();
    JsonLines::new(&torn).write(&AuditRow { at_ms: 3, ..AuditRow::default() }).unwrap();
    assert_eq!(read(&torn), json!([3]));
}

#[test]
fn rows_of_more_than_ninety_days_ago_go_and_the_others_stay() {
    const DAY: u64 = 24 * 3_600 * 1_000;
    let folder = tool_trials::directory();
    let path = folder.path().join("audit.jsonl");
    let now = 1_000 * DAY;
    let line = |age: u64| format!("{{\"at_ms\":{}}}\n", now - age * DAY);
    std::fs::write(folder.path().join("audit.jsonl.2"), [line(200), line(95)].concat()).unwrap();
    std::fs::write(folder.path().join("audit.jsonl.1"), [line(95), line(89)].concat()).unwrap();
    let write = || {
        let row = AuditRow { at_ms: now, ..AuditRow::default() };
        JsonLines::new(&path).write(&row).unwrap();
    };
    let ages = || {
        let mut ages = Vec::new();
        let told = JsonLines::new(&path).newest_first(|row| {
            ages.push((now - row["at_ms"].as_u64().unwrap()) / DAY);
            true
        });
        told.unwrap();
        ages
    };
    // The oldest row is not old enough for the file to be written anew.
    std::fs::write(&path, [line(90), line(5)].concat()).unwrap();
    write();
    assert_eq!(ages(), [0, 5, 90, 89, 95], "a file goes when its last row is too old");
    std::fs::write(&path, ["torn\n", &line(92), &line(91), &line(90), &line(5)].concat()).unwrap();
    write();
    assert_eq!(ages(), [0, 5, 90, 91, 92, 89, 95], "nobody knows how old the first line is");
    std::fs::write(&path, [&line(92), "torn\n", &line(91), &line(90), &line(5)].concat()).unwrap();
    write();
    assert_eq!(ages(), [0, 5, 90, 89, 95]);
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("torn\n"), "what is no row has no age");
    assert!(!folder.path().join("audit.jsonl.next").exists());
}

#[test]
fn a_row_that_fills_a_file_to_its_size_is_put_into_it_and_the_next_into_another() {
    let folder = tool_trials::directory();
    let path = folder.path().join("audit.jsonl");
    let line = serde_json::to_string(&row(1)).unwrap().len() as u64 + 1;
    let sink = JsonLines::new(&path).rotate_at(2 * line);
    for number in 1..=3 {
        sink.write(&row(number)).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
    assert_eq!(fs::read_to_string(folder.path().join("audit.jsonl.1")).unwrap().lines().count(), 2);
    // One that is longer than a file may be has one of its own.
    let small = folder.path().join("small.jsonl");
    JsonLines::new(&small).rotate_at(1).write(&row(4)).unwrap();
    assert!(!folder.path().join("small.jsonl.1").exists());
    assert_eq!(times(&small), [4]);
}

#[test]
fn a_file_that_somebody_took_away_is_made_again_by_the_sink_that_has_it_open() {
    let folder = tool_trials::directory();
    let path = folder.path().join("audit.jsonl");
    let sink = JsonLines::new(&path);
    sink.write(&row(1)).unwrap();
    fs::remove_file(&path).unwrap();
    sink.write(&row(2)).unwrap();
    assert_eq!(times(&path), [2]);
    fs::rename(&path, folder.path().join("audit.jsonl.1")).unwrap();
    sink.write(&row(3)).unwrap();
    assert_eq!(times(&path), [3, 2]);
}

#[test]
fn a_file_that_cannot_be_written_is_tried_again_with_the_next_row() {
    let folder = tool_trials::directory();
    let path = folder.path().join("audit.jsonl");
    let sink = JsonLines::new(&path);
    sink.write(&row(1)).unwrap();
    fs::remove_file(&path).unwrap();
    loop_at(&path);
    let error = sink.write(&row(2)).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Unavailable, "An audit row could not be written.")
    );
    fs::remove_file(&path).unwrap();
    sink.write(&row(3)).unwrap();
    assert_eq!(times(&path), [3]);
}

#[test]
fn a_sink_works_when_its_file_can_be_opened_and_makes_it_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tool_trials::directory();
    let state = folder.path().join("state");
    let path = state.join("deep/audit.jsonl");
    fs::write(&state, "no folder").unwrap();
    let sink = JsonLines::new(&path);
    assert!(!sink.works());
    assert_eq!(sink.write(&row(1)).unwrap_err().kind(), ErrorKind::Unavailable);
    fs::remove_file(&state).unwrap();
    assert!(sink.works());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&state), mode(&state.join("deep")), mode(&path)), (0o700, 0o700, 0o600));
    assert_eq!(times(&path), Vec::<u64>::new());
    sink.write(&row(2)).unwrap();
    assert!(sink.works());
    assert_eq!(times(&path), [2]);
}

#[test]
fn rows_are_read_as_far_as_somebody_wants_and_a_file_that_cannot_be_read_is_told() {
    let folder = tool_trials::directory();
    let path = folder.path().join("audit.jsonl");
    let sink = JsonLines::new(&path);
    let mut read = 0;
    let count = |_: Value| {
        read += 1;
        read < 2
    };
    assert!(sink.newest_first(count).is_ok());
    for number in 1..=3 {
        sink.write(&row(number)).unwrap();
    }
    let count = |_: Value| {
        read += 1;
        read < 2
    };
    sink.newest_first(count).unwrap();
    assert_eq!(read, 2);
    fs::create_dir(folder.path().join("audit.jsonl.4")).unwrap();
    let mut newest = Vec::new();
    let error = sink
        .newest_first(|row| {
            newest.push(row["at_ms"].clone());
            true
        })
        .unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Unavailable, "Audit rows could not be read."));
    assert_eq!(json!(newest), json!([3, 2, 1]));
}

#[test]
fn what_is_ninety_days_old_to_the_millisecond_stays_and_what_is_older_goes() {
    let folder = tool_trials::directory();
    let path = folder.path().join("audit.jsonl");
    let now = 1_000 * DAY;
    let line = |at: u64| format!("{{\"at_ms\":{at}}}\n");
    let (limit, slack) = (now - 90 * DAY, now - 91 * DAY);
    // A call that took an hour is as old as its end says.
    let write = || {
        let hour = 3_600_000;
        JsonLines::new(&path).write(&AuditRow { duration_ms: hour, ..row(now - hour) }).unwrap();
        times(&path)
    };
    fs::write(folder.path().join("audit.jsonl.1"), line(limit)).unwrap();
    fs::write(folder.path().join("audit.jsonl.2"), line(limit - 1)).unwrap();
    fs::write(&path, line(slack)).unwrap();
    let last = now - 3_600_000;
    assert_eq!(write(), [last, slack, limit]);
    assert!(!folder.path().join("audit.jsonl.2").exists());
    fs::write(&path, [line(slack - 1), line(limit - 1), line(limit)].concat()).unwrap();
    assert_eq!(write(), [last, limit, limit]);
}

#[test]
fn rows_that_cannot_be_forgotten_are_kept_and_that_is_told_once() {
    let now = 1_000 * DAY;
    let old = format!("{{\"at_ms\":{}}}\n", now - 200 * DAY);
    let warned = |log: &Log| log.text().matches("old audit rows could not be removed").count();
    for (name, is_loop) in [("audit.jsonl.3", true), ("audit.jsonl.3", false), ("audit.jsonl.next", false)] {
        let folder = tool_trials::directory();
        let path = folder.path().join("audit.jsonl");
        fs::write(&path, &old).unwrap();
        let spoiled = folder.path().join(name);
        if is_loop {
            loop_at(&spoiled)
        } else {
            fs::create_dir(spoiled).unwrap()
        }
        let log = Log::default();
        let listening = log.of_this_thread();
        let sink = JsonLines::new(&path);
        sink.write(&row(now)).unwrap();
        sink.write(&row(now)).unwrap();
        drop(listening);
        assert_eq!(warned(&log), 1, "{name}: {}", log.text());
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3, "{name}");
    }
    // A file that cannot even be opened has no row either.
    let folder = tool_trials::directory();
    let path = folder.path().join("audit.jsonl");
    loop_at(&path);
    let log = Log::default();
    let listening = log.of_this_thread();
    assert!(JsonLines::new(&path).write(&row(now)).is_err());
    drop(listening);
    assert_eq!(warned(&log), 1, "{}", log.text());
    // Where nothing is wrong, nothing is told: not of a first row, and not where a process was killed while it forgot.
    let folder = tool_trials::directory();
    let log = Log::default();
    let _listening = log.of_this_thread();
    JsonLines::new(folder.path().join("new.jsonl")).write(&row(now)).unwrap();
    let path = folder.path().join("audit.jsonl");
    fs::write(&path, &old).unwrap();
    fs::write(folder.path().join("audit.jsonl.next"), "{\"at_ms\":7}\n").unwrap();
    JsonLines::new(&path).write(&row(now)).unwrap();
    assert_eq!(times(&path), [now]);
    assert_eq!(warned(&log), 0);
}

#[test]
fn a_row_longer_than_what_is_looked_at_has_no_age_and_the_last_of_a_long_file_has() {
    let folder = tool_trials::directory();
    let path = folder.path().join("audit.jsonl");
    let now = 1_000 * DAY;
    let old = now - 200 * DAY;
    let long = format!("{{\"pad\":\"{}\",\"at_ms\":{old}}}\n", "x".repeat(70_000));
    let short = format!("{{\"at_ms\":{old}}}\n");
    fs::write(&path, [long.as_str(), &short].concat()).unwrap();
    fs::write(folder.path().join("audit.jsonl.1"), &long).unwrap();
    JsonLines::new(&path).write(&row(now)).unwrap();
    assert_eq!(times(&path), [now, old, old, old], "nobody knows");
    fs::write(folder.path().join("audit.jsonl.1"), [long.as_str(), &short].concat()).unwrap();
    fs::remove_file(&path).unwrap();
    JsonLines::new(&path).write(&row(now)).unwrap();
    assert_eq!(times(&path), [now]);
}
