//! What recorded calls leave behind, and what is made of it: whether a change in doubt was made, and undoing it.

#![cfg(test)]

#[path = "recorded/mod.rs"]
mod recorded;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use recorded::{CHANGES, Recorded, Told};
use serde_json::json;

#[test]
fn a_change_in_doubt_is_known_by_what_is_there() {
    for change in CHANGES {
        let scene = Recorded::new(change);
        let before = scene.picture();
        let output = scene.call().unwrap().structured.unwrap().into_value();
        assert_ne!(scene.picture(), before, "{}", change.tool);
        assert_eq!(scene.reconcile(), Told::Done(output), "{}", change.tool);
        scene.reset();
        assert_eq!(scene.picture(), before, "{}: the same bytes", change.tool);
        // What is known by device and number has come back as another file.
        if !["move_file", "delete_file"].contains(&change.tool) {
            assert_eq!(scene.reconcile(), Told::NotDone, "{}", change.tool);
        }
    }
}

#[test]
fn without_evidence_nothing_was_done() {
    for change in CHANGES {
        let scene = Recorded::new(change);
        scene.call().unwrap();
        fs::remove_dir_all(scene.effects()).unwrap();
        assert_eq!(scene.reconcile(), Told::NotDone, "{}", change.tool);
    }
}

#[test]
fn what_is_neither_as_before_nor_as_after_is_unknown() {
    for change in
        CHANGES.iter().filter(|change| ["write_file", "edit_file", "edit_lines"].contains(&change.tool))
    {
        let scene = Recorded::new(change);
        scene.call().unwrap();
        fs::write(scene.root().join(change.changes), "somebody else\n").unwrap();
        assert_eq!(scene.reconcile(), Told::Unknown, "{}", change.tool);
    }
}

#[test]
fn every_change_but_deleting_is_undone() {
    for change in CHANGES {
        let scene = Recorded::new(change);
        let before = scene.picture();
        scene.call().unwrap();
        let undone = scene.revert();
        if !change.is_undone {
            let code = undone.map_err(|error| error.code_str().to_owned());
            assert_eq!(code, Err("no_handler".to_owned()), "{}", change.tool);
            continue;
        }
        undone.unwrap_or_else(|error| panic!("{}: {error}", change.tool));
        assert_eq!(scene.picture(), before, "{}", change.tool);
    }
}

#[test]
fn directories_that_were_made_go_with_what_is_undone_unless_somebody_uses_them() {
    let is_parent_made = |change: &&recorded::Change| change.is_undone && change.changes.contains("p/q/");
    let changes: Vec<_> = CHANGES.iter().filter(is_parent_made).collect();
    assert_eq!(changes.len(), 3);
    for change in changes {
        let scene = Recorded::new(change);
        scene.call().unwrap();
        let inner = scene.root().join(change.changes).parent().unwrap().to_path_buf();
        fs::write(inner.parent().unwrap().join("somebody's"), "else").unwrap();
        scene.revert().unwrap();
        assert!(!inner.exists(), "{}", change.tool);
        assert!(inner.parent().unwrap().join("somebody's").exists(), "{}", change.tool);
    }
}

#[test]
fn a_file_too_large_to_read_is_replaced_without_being_read() {
    let change = CHANGES.iter().find(|change| change.is_replacing()).unwrap();
    let scene = Recorded::new(change);
    let file = fs::File::create(scene.root().join(change.changes)).unwrap();
    if file.set_len(1 << 40).is_err() {
        println!("skipped: the file system has no sparse files of this size");
        return;
    }
    let output = scene.call().unwrap().structured.unwrap().into_value();
    assert_eq!(scene.reconcile(), Told::Done(output));
    assert_eq!(scene.revert().unwrap_err().code_str(), "no_handler");
}

#[test]
fn what_somebody_changed_since_is_not_undone() {
    for change in CHANGES.iter().filter(|change| change.is_undone && change.tool != "make_dir") {
        let scene = Recorded::new(change);
        scene.call().unwrap();
        let file = scene.root().join(change.changes);
        fs::remove_file(&file).unwrap();
        fs::write(&file, "somebody else, and longer than what was there\n").unwrap();
        let picture = scene.picture();
        let error = scene.revert().unwrap_err();
        assert_eq!(error.code_str(), "version_mismatch", "{}: {error}", change.tool);
        assert!(!error.message().contains("no file"), "{}: {error}", change.tool);
        assert_eq!(scene.picture(), picture, "{}", change.tool);
    }
}

#[test]
fn evidence_is_private_and_only_of_recorded_calls() {
    let scene = Recorded::new(&CHANGES[0]);
    scene.call_unrecorded().unwrap();
    assert!(!scene.effects().exists());
    scene.reset();
    scene.call().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let files: Vec<_> = fs::read_dir(scene.effects()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!((files.len(), mode(&files[0]), mode(&scene.effects())), (1, 0o600, 0o700));
}

#[test]
fn the_oldest_bytes_go_first_and_the_call_is_still_known() {
    let change = CHANGES.iter().find(|change| change.tool == "write_file" && change.is_replacing()).unwrap();
    let scene = Recorded::with(change, |policy| policy.limits.undo_bytes = 4_096);
    fs::write(scene.root().join(change.changes), "o".repeat(3_000)).unwrap();
    scene.call().unwrap();
    let second = scene.call_with(json!({"path": change.changes, "content": "p".repeat(3_000)}), "second");
    second.unwrap();
    scene.call_with(json!({"path": change.changes, "content": "third"}), "third").unwrap();
    let undo = |key: &str| scene.revert_of(key).map_err(|error| error.code_str().to_owned());
    assert_eq!(undo("third"), Ok(()));
    assert_eq!(undo("second").map_err(|_| ()), Ok(()), "3 000 bytes and their line fit");
    assert_eq!(undo("first"), Err("no_handler".to_owned()));
    assert!(matches!(scene.reconcile(), Told::Done(_)));
}

#[test]
fn evidence_goes_with_the_calls_it_is_of() {
    let effects = tool_trials::directory();
    for key in ["tk1_a", "tk1_b"] {
        fs::write(effects.path().join(key), "{}").unwrap();
    }
    let forget =
        |keys: [&'static str; 2]| tool_std::workspace::forget_evidence(effects.path(), keys).unwrap();
    assert_eq!((forget(["tk1_a", "tk1_gone"]), forget(["tk1_a", "../tk1_b"])), (1, 0));
    let left: Vec<_> =
        fs::read_dir(effects.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["tk1_b"]);
}
