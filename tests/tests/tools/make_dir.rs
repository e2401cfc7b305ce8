//! `make_dir`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Conflict, Denied, Failed, InvalidArgs, NotFound};
use tool_core::tree;
use tool_std::file::make_dir;
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Subject, fails, file_kit, files, gives};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "make_dir",
    files,
    cases,
    codes: &[
        "path_not_found",
        "already_exists",
        "path_invalid",
        "path_too_long",
        "path_escape",
        "protected_path",
        "not_a_directory",
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
        gives("with its parents", json!({"path": "a/b/c"}), json!({"path": "a/b/c", "created": true})),
        gives(
            "beside what is there",
            json!({"path": "d/new", "parents": false}),
            json!({"path": "d/new", "created": true}),
        ),
        gives("what is there already", json!({"path": "d"}), json!({"path": "d", "created": false})),
        gives("with a slash", json!({"path": "new/"}), json!({"path": "new", "created": true})),
        gives("another script", json!({"path": "大きさ"}), json!({"path": "大きさ", "created": true})),
        gives("the root", json!({"path": "."}), json!({"path": ".", "created": false})),
        fails(
            "a file has the name",
            json!({"path": "notes.txt"}),
            Conflict,
            "already_exists",
            "notes.txt exists already.",
        ),
        fails(
            "no parent",
            json!({"path": "a/b", "parents": false}),
            NotFound,
            "path_not_found",
            "a/b does not exist.",
        ),
        fails(
            "below a file",
            json!({"path": "notes.txt/x"}),
            Failed,
            "not_a_directory",
            "notes.txt/x is not a directory.",
        ),
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
            "above the root",
            json!({"path": "../a"}),
            Denied,
            "path_escape",
            "../a is outside the workspace.",
        ),
        fails(
            "in what is protected",
            json!({"path": ".git/hooks/x"}),
            Denied,
            "protected_path",
            ".git/hooks/x is a protected path.",
        ),
        fails(
            "what is not permitted",
            json!({"path": "new"}),
            Denied,
            "permission_denied",
            "new does not permit this.",
        )
        .fault(Operation::MakeDirectory, Fault::Denied),
        fails("a full device", json!({"path": "new"}), Failed, "disk_full", "The disk is full.")
            .fault(Operation::MakeDirectory, Fault::DiskFull),
        fails(
            "a broken device",
            json!({"path": "new"}),
            Failed,
            "io_error",
            "new could not be read or written.",
        )
        .fault(Operation::MakeDirectory, Fault::Broken),
        fails(
            "a number",
            json!({"path": 5.5}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/path: expected string, got number 5.5; send it in quotes",
        ),
    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(tree! { "a/": {} });
    assert!(make_dir(Path::new("a/b/c"), true, &place.workspace).unwrap().created);
    assert_eq!(place.files(), tree! { "a": { "b": { "c/": {} } } });
    assert_eq!(make_dir(Path::new("x/y"), false, &place.workspace).unwrap_err().code_str(), "path_not_found");
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
    effects::no_fault_leaves_half(&TOOL, &json!({"path": "d/new"}), 4);
    effects::no_fault_leaves_half(&TOOL, &json!({"path": "a/b"}), 6);
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"path": "d/new"}), 4);
    effects::no_stop_leaves_half(&TOOL, &json!({"path": "a/b"}), 6);
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    effects::signals_end_it(&TOOL, &json!({"path": "d/new"}));
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    refusals::refused_before_work(&TOOL, &json!({"path": "n/".repeat(2_049)}), &[], "path_too_long");
}

// covers: 11
#[test]
fn what_is_made_is_there_and_making_it_again_changes_nothing() {
    let kit = file_kit(TOOL.setting()).build();
    for path in ["a/b", "d/new", "a/b/c", "大きさ"] {
        let call = || kit.call_blocking("make_dir", json!({"path": path})).unwrap().data()["created"].clone();
        assert_eq!((call(), call()), (json!(true), json!(false)), "{path}");
        let found = kit.call_blocking("file_exists", json!({"path": path})).unwrap().data();
        assert_eq!(found, json!({"exists": true, "type": "dir"}));
    }
}

// covers: 12
#[test]
fn help_names_everything() {
    proofs::help_names_everything(&TOOL);
}

// covers: 13
#[test]
fn no_attack_gets_through() {
    let protected = [".git/hooks/new", ".git/config/x"];
    refusals::attacks_do_not_get_through(
        &TOOL,
        |path| json!({"path": format!("{path}/new")}),
        &protected[..1],
        "d/twin",
    );
}

// covers: 14
#[test]
fn recovery_keeps_its_promise() {
    effects::recovery_keeps_its_promise(&TOOL, &json!({"path": "d/new"}));
}
