//! `file_info`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Denied, Failed, InvalidArgs, NotFound};
use tool_std::file::file_info;
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Setting, Subject, fails, file_kit, files, gives};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "file_info",
    files,
    cases,
    codes: &[
        "path_not_found",
        "path_invalid",
        "path_too_long",
        "path_escape",
        "protected_path",
        "not_a_directory",
        "symlink_loop",
        "permission_denied",
        "io_error",
        "invalid_args",
    ],
    varying: &["/created"],
    kit: file_kit,
};

fn cases() -> Vec<Case> {
    vec![
        gives(
            "a file",
            json!({"path": "notes.txt"}),
            json!({"path": "notes.txt", "type": "file", "size": 22, "mode": "0644", "links": 1, "modified": "2026-01-01T00:00:00.000Z"}),
        ),
        gives(
            "a directory",
            json!({"path": "d"}),
            json!({"type": "dir", "size": null, "version": null, "mode": "0755"}),
        ),
        gives("the root", json!({"path": "."}), json!({"path": ".", "type": "dir"})),
        gives("behind a link", json!({"path": "in"}), json!({"type": "file", "size": 6})),
        gives(
            "a link itself",
            json!({"path": "latest", "follow": false}),
            json!({"type": "symlink", "target": "notes.txt", "size": null}),
        ),
        gives(
            "a link that leads nowhere",
            json!({"path": "nowhere", "follow": false}),
            json!({"type": "symlink", "target": "gone.txt"}),
        ),
        gives("another mode", json!({"path": "locked.txt"}), json!({"mode": "0444"})),
        gives(
            "an empty file",
            json!({"path": "none.txt"}),
            json!({"size": 0, "version": "e3b0c44298fc1c14"}),
        ),
        gives("a file too large to hash", json!({"path": "notes.txt"}), json!({"size": 22, "version": null}))
            .limit("max_read_file_bytes", 21),
        fails(
            "what is not there",
            json!({"path": "note.txt"}),
            NotFound,
            "path_not_found",
            "note.txt does not exist.\nhint: did you mean `none.txt` or `notes.txt`?",
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
            "credentials",
            json!({"path": ".netrc"}),
            Denied,
            "protected_path",
            ".netrc is a protected path.",
        )
        .prepare(crate::common::hostile),
        fails(
            "a file is no directory",
            json!({"path": "notes.txt/"}),
            Failed,
            "not_a_directory",
            "notes.txt/ is not a directory.",
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
            "neither yes nor no",
            json!({"path": "d", "follow": "perhaps"}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/follow: expected boolean, got string \"perhaps\"",
        ),
    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(files());
    let link = |follow| file_info(Path::new("latest"), follow, &place.workspace).unwrap();
    assert_eq!((link(true).size, link(true).target), (Some(22), None));
    assert_eq!((link(false).size, link(false).target.as_deref()), (None, Some("notes.txt")));
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
    bounds.push((json!({"path": "bytes.bin"}), &[], None));
    refusals::bounds_hold(&TOOL, &bounds);
    for (limit, is_hashed) in [(22, true), (21, false)] {
        let setting = Setting { limits: vec![("max_read_file_bytes", limit)], ..TOOL.setting() };
        let info = TOOL.call(setting, &json!({"path": "notes.txt"})).1.unwrap().data();
        assert_eq!(info["version"].is_string(), is_hashed, "{limit}");
    }
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
    effects::signals_end_it(&TOOL, &json!({"path": "large.txt"}));
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    refusals::refused_before_work(&TOOL, &json!({"path": "n/".repeat(2_049)}), &[], "path_too_long");
}

// covers: 11
#[test]
fn its_version_is_that_of_what_is_read() {
    for path in ["notes.txt", "bytes.bin", "large.txt", "none.txt", "in"] {
        let kit = file_kit(TOOL.setting()).build();
        let info = kit.call_blocking("file_info", json!({"path": path})).unwrap().data();
        let read = kit.call_blocking("read_file", json!({"path": path, "binary": true})).unwrap().data();
        assert_eq!((&info["version"], &info["size"]), (&read["version"], &read["size"]), "{path}");
        let found = kit.call_blocking("file_exists", json!({"path": path})).unwrap().data();
        assert_eq!(info["type"], found["type"], "{path}");
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
    let protected = [".netrc", ".git/config"];
    refusals::attacks_do_not_get_through(&TOOL, |path| json!({"path": path}), &protected, "d/e.txt");
}
