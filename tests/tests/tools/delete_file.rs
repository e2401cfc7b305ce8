//! `delete_file`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Conflict, Denied, Failed, InvalidArgs, NotFound};
use tool_core::tree;
use tool_std::file::delete_file;
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Subject, fails, file_kit, files, gives};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "delete_file",
    files,
    cases,
    codes: &[
        "path_not_found",
        "path_invalid",
        "path_too_long",
        "path_escape",
        "protected_path",
        "directory_not_empty",
        "not_a_directory",
        "too_many_entries",
        "permission_denied",
        "disk_full",
        "io_error",
        "invalid_args",
    ],
    varying: &[],
    kit: file_kit,
};

fn cases() -> Vec<Case> {
    vec![
        gives("a file", json!({"path": "notes.txt"}), json!({"deleted": true, "entries": 1})),
        gives("an empty directory", json!({"path": "hollow"}), json!({"deleted": true, "entries": 1})),
        gives("a tree", json!({"path": "d", "recursive": true}), json!({"deleted": true, "entries": 4})),
        gives("a link, not what it leads to", json!({"path": "in"}), json!({"deleted": true, "entries": 1})),
        gives("a link that leads nowhere", json!({"path": "nowhere"}), json!({"deleted": true})),
        gives(
            "what may be gone",
            json!({"path": "gone.txt", "missing_ok": true}),
            json!({"deleted": false, "entries": 0}),
        ),
        gives(
            "a file with recursive",
            json!({"path": "notes.txt", "recursive": true}),
            json!({"entries": 1}),
        ),
        fails(
            "all of them",
            json!({"paths": ["d"]}),
            InvalidArgs,
            "invalid_args",
            "2 arguments do not fit.\n/path: missing; expected string\n/paths: unknown; did you mean `path`?",
        ),
        fails(
            "what is not there",
            json!({"path": "note.txt"}),
            NotFound,
            "path_not_found",
            "note.txt does not exist.\nhint: did you mean `none.txt` or `notes.txt`?",
        ),
        fails(
            "a directory with files",
            json!({"path": "d"}),
            Conflict,
            "directory_not_empty",
            "d is not empty.\nhint: set recursive = true to delete everything in it",
        ),
        fails(
            "a file is no directory",
            json!({"path": "notes.txt/"}),
            Failed,
            "not_a_directory",
            "notes.txt/ is not a directory.",
        ),
        fails(
            "the root",
            json!({"path": ".", "recursive": true}),
            InvalidArgs,
            "path_invalid",
            ". is not a valid path: it is the root of the workspace.",
        ),
        fails(
            "a long name",
            json!({"path": "n".repeat(256)}),
            InvalidArgs,
            "path_too_long",
            "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn is too long (256 bytes; the limit is 255).",
        ),
        fails(
            "above the root",
            json!({"path": "../a"}),
            Denied,
            "path_escape",
            "../a is outside the workspace.",
        ),
        fails(
            "credentials",
            json!({"path": ".netrc"}),
            Denied,
            "protected_path",
            ".netrc is a protected path.",
        )
        .prepare(crate::common::hostile),
        fails(
            "too many entries",
            json!({"path": "d", "recursive": true}),
            Failed,
            "too_many_entries",
            "d has too many entries (the limit is 3).",
        )
        .limit("tree_entries", 3),
        fails(
            "what is not permitted",
            json!({"path": "notes.txt"}),
            Denied,
            "permission_denied",
            "notes.txt does not permit this.",
        )
        .fault(Operation::Lock, Fault::Denied),
        fails("a full device", json!({"path": "notes.txt"}), Failed, "disk_full", "The disk is full.")
            .fault(Operation::Remove, Fault::DiskFull),
        fails(
            "a broken device",
            json!({"path": "notes.txt"}),
            Failed,
            "io_error",
            "notes.txt could not be read or written.",
        )
        .fault(Operation::Remove, Fault::Broken),
    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(tree! { "a": { "b.txt": "b\n" }, "c.txt": "c\n" });
    let delete = |path, recursive| delete_file(Path::new(path), recursive, false, &place.workspace);
    assert_eq!(delete("a", false).unwrap_err().code_str(), "directory_not_empty");
    assert_eq!(delete("a", true).unwrap().entries, 2);
    assert_eq!(place.files(), tree! { "c.txt": "c\n" });
}

// covers: 2
#[test]
fn its_examples_run() {
    proofs::examples_run(&TOOL);
}

// covers: 3
#[test]
fn its_cases_hold() {
    proofs::cases_hold(&TOOL);
}

// covers: 4
#[test]
fn its_bounds_hold() {
    let mut bounds = refusals::bounds_of_paths(|path| json!({"path": path}), Some("path_not_found"));
    bounds.extend::<[refusals::Bound; _]>([
        (json!({"path": "d", "recursive": true}), &[("tree_entries", 4)], None),
        (json!({"path": "d", "recursive": true}), &[("tree_entries", 3)], Some("too_many_entries")),
        (json!({"path": "bytes.bin"}), &[], None),
        (json!({"path": "none.txt"}), &[], None),
    ]);
    refusals::bounds_hold(&TOOL, &bounds);
}

// covers: 5
#[test]
fn every_surface_tells_the_same() {
    proofs::every_surface_tells_the_same(&TOOL);
}

// covers: 6
#[test]
fn its_effects_are_told_truly() {
    effects::effects_are_told_truly(&TOOL);
}

// covers: 7
#[test]
fn no_fault_leaves_half() {
    effects::no_fault_leaves_half(&TOOL, &json!({"path": "notes.txt"}), 4);
    effects::no_fault_leaves_half(&TOOL, &json!({"path": "hollow"}), 4);
    effects::no_fault_leaves_half(&TOOL, &json!({"path": "d", "recursive": true}), 10);
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"path": "notes.txt"}), 4);
    effects::no_stop_leaves_half(&TOOL, &json!({"path": "hollow"}), 4);
    effects::no_stop_leaves_half(&TOOL, &json!({"path": "d", "recursive": true}), 10);
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    effects::signals_end_it(&TOOL, &json!({"path": "notes.txt"}));
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    refusals::refused_before_work(&TOOL, &json!({"path": "n/".repeat(2_049)}), &[], "path_too_long");
    // A tree that is too large is untouched.
    let setting = crate::common::Setting { limits: vec![("tree_entries", 3)], ..TOOL.setting() };
    let (kit, result) = TOOL.call(setting, &json!({"path": "d", "recursive": true}));
    assert_eq!(result.unwrap_err().code_str(), "too_many_entries");
    assert_eq!(crate::common::place(&kit).files(), files());
}

// covers: 12
#[test]
fn help_names_everything() {
    proofs::help_names_everything(&TOOL);
}

// covers: 13
#[test]
fn no_attack_gets_through() {
    let protected = [".git/hooks/new", ".netrc"];
    refusals::attacks_do_not_get_through(&TOOL, |path| json!({"path": path}), &protected, "d/e.txt");
}

// covers: 14
#[test]
fn recovery_keeps_its_promise() {
    effects::recovery_keeps_its_promise(&TOOL, &json!({"path": "notes.txt"}));
    effects::recovery_keeps_its_promise(&TOOL, &json!({"path": "d", "recursive": true}));
}
