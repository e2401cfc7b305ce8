//! `file_exists`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Denied, Failed, InvalidArgs};
use tool_std::file::file_exists;
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Subject, fails, file_kit, files, gives};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "file_exists",
    files,
    cases,
    codes: &[
        "path_invalid",
        "path_too_long",
        "path_escape",
        "symlink_loop",
        "permission_denied",
        "io_error",
        "invalid_args",
    ],
    varying: &[],
    kit: file_kit,
};

fn cases() -> Vec<Case> {
    vec![
        gives("a file", json!({"path": "notes.txt"}), json!({"exists": true, "type": "file"})),
        gives("a directory", json!({"path": "d"}), json!({"exists": true, "type": "dir"})),
        gives("the root", json!({"path": "."}), json!({"exists": true, "type": "dir"})),
        gives("a directory by its slash", json!({"path": "d/"}), json!({"exists": true, "type": "dir"})),
        gives("a file is no directory", json!({"path": "notes.txt/"}), json!({"exists": false})),
        gives("a link", json!({"path": "in"}), json!({"exists": true, "type": "file"})),
        gives(
            "a link that leads nowhere",
            json!({"path": "nowhere"}),
            json!({"exists": true, "type": "symlink"}),
        ),
        gives("nothing", json!({"path": "gone.txt"}), json!({"exists": false})),
        gives("below a file", json!({"path": "notes.txt/x"}), json!({"exists": false})),
        gives("a pipe", json!({"path": "pipe"}), json!({"exists": true, "type": "other"}))
            .prepare(crate::common::pipe),
        fails(
            "an empty path",
            json!({"path": ""}),
            InvalidArgs,
            "path_invalid",
            " is not a valid path: it is empty.",
        ),
        fails(
            "a long name",
            json!({"path": "n".repeat(256)}),
            InvalidArgs,
            "path_too_long",
            "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn is too long (256 bytes; the limit is 255).",
        ),
        fails(
            "above the root is an error, not false",
            json!({"path": "../a"}),
            Denied,
            "path_escape",
            "../a is outside the workspace.",
        ),
        fails(
            "a loop",
            json!({"path": "loop"}),
            Failed,
            "symlink_loop",
            "loop leads through a loop of links.",
        ),
        fails(
            "what is not permitted",
            json!({"path": "notes.txt"}),
            Denied,
            "permission_denied",
            "notes.txt does not permit this.",
        )
        .fault(Operation::Open, Fault::Denied),
        fails(
            "a broken device",
            json!({"path": "notes.txt"}),
            Failed,
            "io_error",
            "notes.txt could not be read or written.",
        )
        .fault(Operation::Open, Fault::Broken),
        fails(
            "no path",
            json!({}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/path: missing; expected string",
        ),
    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(files());
    let found = file_exists(Path::new("d"), &place.workspace).unwrap();
    assert!(found.exists && found.kind == Some(tool_std::file::EntryType::Dir));
    assert!(!file_exists(Path::new("gone.txt"), &place.workspace).unwrap().exists);
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
    refusals::bounds_hold(&TOOL, &refusals::bounds_of_paths(|path| json!({"path": path}), None));
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
    effects::no_fault_leaves_half(&TOOL, &json!({"path": "d/e.txt"}), 1);
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"path": "d/e.txt"}), 1);
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    effects::signals_end_it(&TOOL, &json!({"path": "d/e.txt"}));
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    refusals::refused_before_work(&TOOL, &json!({"path": "n/".repeat(2_049)}), &[], "path_too_long");
}

// covers: 12
#[test]
fn help_names_everything() {
    proofs::help_names_everything(&TOOL);
}

// covers: 13
#[test]
fn no_attack_gets_through() {
    refusals::attacks_do_not_get_through(&TOOL, |path| json!({"path": path}), &[], "d/e.txt");
}
