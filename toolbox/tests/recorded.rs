//! The journal of the real program: what it records, what it is told of, and that no tool touches it. (journal.md)

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test"
)]

mod home;

use std::process::Command;
use std::time::{Duration, Instant};

use home::Home;
use serde_json::{Value, json};

fn write(home: &Home, more: &[&str], path: &str) -> (Option<i32>, String) {
    home.told(&[more, &["file", "write", path, "text"]].concat())
}

#[test]
fn a_side_effect_under_a_policy_is_recorded_as_well() {
    let home = Home::new();
    std::fs::write(home.work().join("p.toml"), "version = 1\n[agents.operator]\ntools = [\"group:file\"]\n")
        .unwrap();
    let (status, text) = write(&home, &["--policy", "p.toml"], "a");
    assert_eq!(status, Some(0), "{text}");
    let rows = home.rows();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((&rows[0]["tool_name"], &rows[0]["status"]), (&json!("write_file"), &json!("ok")));
}

#[test]
fn the_policy_and_settings_in_use_are_read_and_never_changed() {
    let home = Home::new();
    let policy = "version = 1\n[agents.operator]\ntools = [\"*\"]\napprove = \"never\"\n";
    std::fs::create_dir(home.work().join("conf")).unwrap();
    for name in ["conf/p.toml", "conf/free.toml"] {
        std::fs::write(home.work().join(name), policy).unwrap();
    }
    std::fs::write(home.work().join("conf/config.toml"), "log = \"warn\"\n").unwrap();
    let with = ["--policy", "conf/p.toml", "--config", "conf/config.toml"];
    let run = |args: &[&str]| home.told(&[&with, args].concat());
    for path in ["conf/p.toml", "conf/config.toml"] {
        for args in [
            vec!["file", "write", path, "tools = []"],
            vec!["file", "delete", path],
            vec!["file", "move", path, "elsewhere"],
            vec!["file", "copy", "conf/free.toml", path, "--overwrite"],
            vec!["file", "delete", "conf", "--recursive"],
            vec!["file", "move", "conf", "conf2"],
        ] {
            let (status, text) = run(&args);
            assert_eq!((status, text.contains("protected_path")), (Some(5), true), "{args:?}: {text}");
        }
        let (status, text) = run(&["file", "read", path]);
        assert_eq!(status, Some(0), "{text}");
    }
    assert_eq!(std::fs::read_to_string(home.work().join("conf/p.toml")).unwrap(), policy);
    // Their twins are nobody's configuration.
    let (status, text) = run(&["file", "write", "conf/free.toml", "tools = []"]);
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn a_command_does_not_change_the_policy_in_use() {
    let home = Home::new();
    let policy = "version = 1\n[agents.operator]\ntools = [\"*\"]\napprove = \"never\"\n";
    std::fs::create_dir(home.work().join("conf")).unwrap();
    std::fs::write(home.work().join("conf/p.toml"), policy).unwrap();
    let run = |script: &str| {
        home.told(&["--policy", "conf/p.toml", "shell", "run-command", "--shell", "--check", script])
    };
    let (status, text) = run("echo free > conf/q.toml");
    if text.contains("sandbox") && status != Some(0) {
        return tool_trials::skip(&format!("no sandbox here: {text}"));
    }
    assert_eq!(status, Some(0), "{text}");
    assert!(home.work().join("conf/q.toml").exists());
    let (status, text) = run("echo 'tools = []' > conf/p.toml");
    assert_ne!(status, Some(0), "{text}");
    assert_eq!(std::fs::read_to_string(home.work().join("conf/p.toml")).unwrap(), policy);
}

#[test]
fn a_settings_file_that_is_not_there_yet_is_made_by_no_tool() {
    let home = Home::new();
    let root = home.0.path().to_str().unwrap().to_owned();
    std::fs::create_dir_all(home.0.path().join(".config/toolbox")).unwrap();
    let settings = home.0.path().join(".config/toolbox/config.toml");
    let write = |place: &str| home.told(&["file", "write", place, "log = \"trace\"", "--root", &root]);
    let (status, text) = write(".config/toolbox/config.toml");
    assert!(status == Some(5) && text.contains("protected_path"), "{text}");
    let line = "echo x > .config/toolbox/config.toml; echo x > .config/toolbox/other.toml";
    home.told(&["shell", "run-command", line, "--shell", "--yes", "--root", &root]);
    assert!(!settings.exists());
    assert!(settings.with_file_name("other.toml").exists());
    let (status, text) = write(".config/toolbox/third.toml");
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn a_journal_in_the_workspace_is_refused_where_somebody_chose_the_place_and_sealed_where_it_is_the_usual_one()
{
    let home = Home::new();
    let inside = home.work().join("journal.db");
    let chosen = [("TOOLBOX_JOURNAL", inside.to_str().unwrap())];
    let refused = home.toolbox(&chosen, &["file", "write", "a", "text"]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!((refused.status.code(), text.contains("journal_inside_workspace")), (Some(6), true), "{text}");
    assert!(!home.work().join("a").exists());
    // The root around the usual place: the call is recorded, and no tool sees the files.
    let root = home.0.path().to_str().unwrap().to_owned();
    let with = |args: &[&str]| home.told(&[&["--root", &root], args].concat());
    assert_eq!(with(&["file", "write", "a", "text"]).0, Some(0));
    assert!(home.state().join("journal.db").exists());
    for file in ["journal.db", "journal.seal", "journal.key", "owners"] {
        let path = format!("state/toolbox/{file}");
        let (status, text) = with(&["file", "read", &path]);
        assert!(status == Some(5) && text.contains("protected_path"), "{file}: {text}");
    }
}

#[test]
fn an_idempotency_key_is_checked_and_used() {
    let home = Home::new();
    let append = |key: &str, text: &str| {
        home.told(&["--idempotency-key", key, "file", "write", "log", text, "--mode", "append"])
    };
    std::fs::write(home.work().join("log"), "").unwrap();
    assert_eq!(append("order-1", "x").0, Some(0));
    assert_eq!(append("order-1", "x").0, Some(0));
    assert_eq!(std::fs::read_to_string(home.work().join("log")).unwrap(), "x", "the second was a replay");
    let (status, text) = append("order-1", "y");
    assert!(status == Some(4) && text.contains("idempotency_conflict"), "{text}");
    assert_eq!(append("order-2", "y").0, Some(0));
    assert_eq!(append(&"k".repeat(255), "z").0, Some(0));
    for bad in ["a b", "ä", "a\tb", &"k".repeat(256)] {
        let (status, text) = append(bad, "z");
        assert!(status == Some(2) && text.contains("bad_idempotency_key"), "{bad:?}: {text}");
    }
    assert_eq!(std::fs::read_to_string(home.work().join("log")).unwrap(), "xyz");
    // Empty is none.
    assert_eq!(append("", "!").0, Some(0));
    assert_eq!(append("", "!").0, Some(0));
    assert_eq!(std::fs::read_to_string(home.work().join("log")).unwrap(), "xyz!!");
}

/// A call whose process is killed while its tool runs; not where commands cannot run.
fn lost(home: &Home) -> bool {
    let mut child = home.command(&["--yes", "shell", "bash", "sleep", "--", "60"]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    let begun = || home.rows().iter().any(|row| row["tool_name"] == "bash" && row["status"] != "error");
    while !begun() {
        if child.try_wait().unwrap().is_some() {
            tool_trials::skip("the command ended at once");
            return false;
        }
        assert!(Instant::now() < deadline, "the call was not recorded");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

#[test]
fn doctor_counts_the_calls_in_doubt_and_makes_no_journal() {
    let home = Home::new();
    let journal = |report: &Value| {
        let checks = report["checks"].as_array().unwrap();
        checks.iter().find(|check| check["name"] == "journal").unwrap().clone()
    };
    assert_eq!(journal(&home.json(&["doctor"]))["status"], "ok");
    assert!(!home.state().join("journal.db").exists());
    assert_eq!(write(&home, &[], "a").0, Some(0));
    assert_eq!(home.json(&["doctor"])["journal"]["in_doubt"], 0);
    if !lost(&home) {
        return;
    }
    let report = home.json(&["doctor"]);
    assert_eq!(report["journal"]["in_doubt"], 1);
    // Who found it has told of it: the process that made the call could not.
    let audited = home.json(&["audit", "--tool", "bash"]);
    assert_eq!((audited.as_array().unwrap().len(), &audited[0]["outcome"]), (1, &json!("in_doubt")));
    assert_eq!(journal(&report)["status"], "warn");
    let off = home.toolbox(&[("TOOLBOX_JOURNAL", "off")], &["doctor", "--json"]);
    assert_eq!(journal(&serde_json::from_slice(&off.stdout).unwrap())["value"], "off");
}

#[test]
fn evidence_goes_with_the_row_of_its_call() {
    let home = Home::new();
    assert_eq!(write(&home, &[], "a").0, Some(0));
    let effects = home.state().join("effects");
    let evidence = || std::fs::read_dir(&effects).map_or(0, Iterator::count);
    assert_eq!(evidence(), 1);
    assert_eq!(home.json(&["journal", "prune", "--older", "1d"])["evidence"], 0);
    assert_eq!(evidence(), 1);
    let pruned = home.json(&["journal", "prune", "--older", "0d"]);
    assert_eq!((&pruned["calls"], &pruned["evidence"]), (&json!(1), &json!(1)));
    assert_eq!((evidence(), home.rows().len()), (0, 0));
}

#[test]
fn a_program_that_is_asked_to_end_leaves_one_audit_row_and_no_open_call() {
    let home = Home::new();
    let mut child = home.command(&["--yes", "shell", "bash", "sleep", "--", "60"]).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !home.rows().iter().any(|row| row["tool_name"] == "bash") {
        if child.try_wait().unwrap().is_some() {
            tool_trials::skip("the command ended at once");
            return;
        }
        assert!(Instant::now() < deadline, "the call was not recorded");
    }
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it did not end");
        std::thread::yield_now();
    }
    let rows = home.rows();
    let bash: Vec<&Value> = rows.iter().filter(|row| row["tool_name"] == "bash").collect();
    assert_eq!(bash.len(), 1);
    assert!(!["intent", "running"].contains(&bash[0]["status"].as_str().unwrap()), "{}", bash[0]);
    let audited = home.json(&["audit", "--tool", "bash"]);
    assert_eq!(audited.as_array().unwrap().len(), 1, "{audited}");
    assert!(["cancelled", "in_doubt"].contains(&audited[0]["outcome"].as_str().unwrap()), "{audited}");
}

#[test]
fn the_settings_file_says_which_calls_are_recorded() {
    let home = Home::new();
    std::fs::write(home.work().join("a"), "text").unwrap();
    let with = |settings: &str, args: &[&str]| {
        let file = home.0.path().join("s.toml");
        std::fs::write(&file, settings).unwrap();
        home.told(&[&["--config", file.to_str().unwrap()], args].concat())
    };
    let tools =
        || home.rows().iter().map(|row| row["tool_name"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    for words in [["file", "read", "a"], ["file", "mkdir", "b"]] {
        assert_eq!(with("journal = \"off\"\n", &words).0, Some(0));
    }
    assert_eq!(tools(), [""; 0]);
    for words in [["file", "read", "a"], ["file", "mkdir", "c"]] {
        assert_eq!(with("journal = \"effects\"\n", &words).0, Some(0));
    }
    assert_eq!(tools(), ["make_dir"]);
    assert_eq!(with("journal = \"all\"\n", &["file", "read", "a"]).0, Some(0));
    assert_eq!(tools(), ["make_dir", "read_file"]);
    // Where nothing is said it is all of them.
    assert_eq!(with("", &["file", "read", "a"]).0, Some(0));
    assert_eq!(tools(), ["make_dir", "read_file", "read_file"]);
    let (status, text) = with("journal = \"some\"\n", &["file", "read", "a"]);
    assert!(status == Some(6) && text.contains("s.toml:1:11"), "{text}");
    // A run that is started over sees what it saw.
    let run = [("TOOLBOX_RUN", "r")];
    let read = |settings: &str| {
        let file = home.0.path().join("s.toml");
        std::fs::write(&file, settings).unwrap();
        let output =
            home.toolbox(&run, &["--config", file.to_str().unwrap(), "file", "exists", "later", "--json"]);
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let before = read("replay_reads = true\n");
    std::fs::write(home.work().join("later"), "").unwrap();
    assert_eq!(read("replay_reads = true\n"), before);
    assert_ne!(read(""), before, "who does not ask for it looks");
}

#[test]
fn a_revert_that_is_killed_between_two_calls_goes_on_behind_them_and_undoes_nothing_twice() {
    const FILES: usize = 40;
    let home = Home::new();
    let lines: String = (0..FILES)
        .map(|nth| {
            format!("{{\"tool\":\"write_file\",\"args\":{{\"path\":\"f{nth}\",\"content\":\"x\"}}}}\n")
        })
        .collect();
    std::fs::write(home.0.path().join("calls"), lines).unwrap();
    let calls = home.0.path().join("calls");
    let made = home.toolbox(&[("TOOLBOX_RUN", "r")], &["call", "--jsonl", calls.to_str().unwrap()]);
    assert!(made.status.success(), "{made:?}");
    let left = || std::fs::read_dir(home.work()).unwrap().count();
    assert_eq!(left(), FILES);
    let planned = home.json(&["journal", "revert", "--run", "r", "--dry-run"]);
    let planned = planned.as_array().unwrap();
    assert_eq!((planned.len(), left()), (FILES, FILES));
    assert!(planned.iter().all(|row| row["revert"] == "revert"), "{planned:?}");

    let mut child = home.command(&["journal", "revert", "--run", "r"]);
    let mut child = child.stdout(std::process::Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while left() > FILES - 3 {
        assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none(), "nothing was undone");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let halfway = left();
    assert!(halfway > 0 && halfway < FILES, "{halfway} of {FILES}: it was not killed between two");
    let undone = |status: &str| -> Vec<String> {
        let rows = home.json(&["journal", "export"]);
        let rows = rows.as_array().unwrap().iter().filter(|row| row["revert_status"] == status);
        rows.map(|row| row["call_id"].as_str().unwrap().to_owned()).collect()
    };
    let (before, between) = (undone("reverted"), undone("reverting"));
    assert!(!before.is_empty() && between.len() <= 1, "{before:?} {between:?}");

    let again = home.json(&["journal", "revert", "--run", "r"]);
    let again: Vec<(&str, &str)> = again
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["call_id"].as_str().unwrap(), row["revert"].as_str().unwrap()))
        .collect();
    assert_eq!(again.len(), FILES - before.len());
    assert!(again.iter().all(|row| !before.iter().any(|call| call == row.0)), "one was undone twice");
    for (call, what) in &again {
        let asked = between.iter().any(|open| open == call);
        assert_eq!(*what, if asked { "needs_confirmation" } else { "reverted" }, "{call}");
    }
    assert_eq!(undone("reverted").len(), FILES - between.len());
    assert!(left() <= between.len());
    // What undid them are calls of their own: the one that was cut off is in doubt.
    let export = home.json(&["journal", "export"]);
    let undoings: Vec<&Value> =
        export.as_array().unwrap().iter().filter(|row| row["tool_name"] == "journal_revert").collect();
    let of_status = |status: &str| undoings.iter().filter(|row| row["status"] == status).count();
    assert!(undoings.len() - of_status("ok") == of_status("in_doubt") && of_status("in_doubt") <= 1);
    // Killed behind the undoing but before its row was closed, one is undone by a call in doubt.
    assert!(of_status("ok") >= FILES - of_status("in_doubt").max(between.len()), "{undoings:?}");
    let undoing = |call: &&String| undoings.iter().any(|row| row["parent_call_id"] == **call);
    assert_eq!(undone("reverted").iter().find(|call| !undoing(call)), None);
    let written = |call: &Value| {
        let rows = export.as_array().unwrap().iter();
        rows.filter(|row| row["tool_name"] == "write_file" && row["call_id"] == *call).count() == 1
    };
    assert!(undoings.iter().all(|row| written(&row["parent_call_id"])), "{undoings:?}");
}

#[test]
fn what_is_undone_and_what_no_tool_answers_is_audited_as_any_call() {
    let home = Home::new();
    let calls = home.0.path().join("calls");
    let lines =
        [json!({"tool": "write_file", "args": {"path": "f", "content": "x"}}), json!({"tool": "write_fil"})];
    std::fs::write(&calls, lines.map(|line| format!("{line}\n")).concat()).unwrap();
    let made = home.toolbox(&[("TOOLBOX_RUN", "r")], &["call", "--jsonl", calls.to_str().unwrap()]);
    assert_eq!(made.status.code(), Some(1), "{made:?}");
    let told = String::from_utf8(made.stdout).unwrap();
    assert!(told.lines().nth(1).unwrap().contains("did you mean: write_file"), "{told}");
    home.json(&["journal", "revert", "--run", "r"]);

    let listed = home.json(&["audit"]);
    assert_eq!(listed.as_array().unwrap().len(), 3, "{listed}");
    // The file beside the table has the rows whole.
    let audited = std::fs::read_to_string(home.state().join("audit.jsonl")).unwrap();
    let of = |tool: &str| {
        let rows = audited.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        rows.filter(|row| row["tool"] == tool).collect::<Vec<Value>>()
    };
    let (written, nobody, undone) = (of("write_file"), of("write_fil"), of("journal_revert"));
    assert_eq!((written.len(), nobody.len(), undone.len()), (1, 1, 1), "{audited}");
    assert_eq!((&nobody[0]["outcome"], &nobody[0]["code"]), (&json!("not_found"), &json!("unknown_tool")));
    assert_eq!((&undone[0]["outcome"], &undone[0]["parent_call_id"]), (&json!("ok"), &written[0]["call_id"]));
    assert_eq!(undone[0]["args"], json!({"call": written[0]["call_id"], "tool": "write_file"}));
    // The journal has both under the same ids.
    for row in home.json(&["journal", "export"]).as_array().unwrap() {
        assert!([&written, &undone].iter().any(|rows| rows[0]["call_id"] == row["call_id"]), "{row}");
    }
}

#[test]
fn a_journal_that_cannot_be_opened_is_one_error_with_what_to_do() {
    let home = Home::new();
    let write = |env: &[(&str, &str)], path: &str| {
        let output = home.toolbox(env, &["file", "write", path, "text", "--json"]);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let nowhere = ("XDG_STATE_HOME", "/proc/nowhere");
    let (status, stderr) = write(&[nowhere], "a");
    assert_eq!((status, stderr.lines().count()), (Some(7), 1), "{stderr}");
    let error = &serde_json::from_str::<Value>(&stderr).unwrap()["error"];
    assert_eq!(error["code"], "journal_unavailable");
    let message = error["message"].as_str().unwrap();
    let named = "The journal /proc/nowhere/toolbox/journal.db cannot be opened: ";
    assert!(message.starts_with(named) && !message.contains("os error"), "{message}");
    assert_eq!(error["hint"], "set TOOLBOX_JOURNAL to a writable place, or off");
    assert!(!home.work().join("a").exists());
    // What undoes a change is kept beside a journal that is named.
    let elsewhere = home.0.path().join("elsewhere");
    let journal = elsewhere.join("j.db");
    let named = [nowhere, ("TOOLBOX_JOURNAL", journal.to_str().unwrap())];
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("j.db-effects"), "in the way").unwrap();
    let (status, stderr) = write(&named, "b");
    let place = format!("cannot be kept in {}-effects", journal.display());
    assert!(status == Some(1) && stderr.contains(&place), "{stderr}");
    assert!(!home.work().join("b").exists());
    std::fs::remove_file(elsewhere.join("j.db-effects")).unwrap();
    let (status, stderr) = write(&named, "b");
    assert_eq!((status, home.work().join("b").exists()), (Some(0), true), "{stderr}");
    let (status, stderr) = write(&[nowhere, ("TOOLBOX_JOURNAL", "off")], "c");
    assert_eq!(status, Some(0), "{stderr}");
}

#[test]
fn a_dry_run_makes_no_journal() {
    let home = Home::new();
    std::fs::write(home.work().join("zz"), "text").unwrap();
    for words in [["file", "read", "zz"], ["file", "delete", "zz"]] {
        let (status, text) = home.told(&[&words[..], &["--dry-run"]].concat());
        assert_eq!(status, Some(0), "{text}");
        assert!(!home.state().exists(), "{words:?}");
    }
    let (status, text) = home.told(&["file", "delete", "zz", "--yes"]);
    assert_eq!((status, home.state().exists()), (Some(0), true), "{text}");
}
