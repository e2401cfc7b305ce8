//! `move_file`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Conflict, Denied, Failed, InvalidArgs};
use tool_core::tree;
use tool_std::file::move_file;
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Subject, fails, file_kit, files, gives};
use crate::{effects, proofs, refusals, two_names};

const TOOL: Subject = Subject {
    tool: "move_file",
    files,
    cases,
    codes: &[
        "path_not_found",
        "already_exists",
        "path_invalid",
        "path_too_long",
        "path_escape",
        "protected_path",
        "moves_into_itself",
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
    let own = vec![
        gives(
            "a file",
            json!({"from": "notes.txt", "to": "moved.txt"}),
            json!({"from": "notes.txt", "to": "moved.txt", "type": "file"}),
        ),
        gives("a directory", json!({"from": "d", "to": "e"}), json!({"to": "e", "type": "dir"})),
        gives(
            "a link, not what it leads to",
            json!({"from": "in", "to": "link"}),
            json!({"type": "symlink"}),
        ),
        gives(
            "over what is there",
            json!({"from": "notes.txt", "to": "todo.txt", "overwrite": true}),
            json!({"to": "todo.txt"}),
        ),
        gives(
            "with its directories",
            json!({"from": "notes.txt", "to": "x/y/z.txt", "parents": true}),
            json!({"to": "x/y/z.txt"}),
        ),
        gives("to another script", json!({"from": "none.txt", "to": "大きさ"}), json!({"to": "大きさ"})),
        fails(
            "into itself",
            json!({"from": "d", "to": "d/deep/d"}),
            InvalidArgs,
            "moves_into_itself",
            "d/deep/d would lie in itself.",
        ),
        fails(
            "a file over a directory",
            json!({"from": "notes.txt", "to": "hollow", "overwrite": true}),
            Conflict,
            "already_exists",
            "hollow exists already.\nhint: to = \"hollow/notes.txt\"",
        ),
        fails(
            "from above the root",
            json!({"from": "../a", "to": "new.txt"}),
            Denied,
            "path_escape",
            "../a is outside the workspace.",
        ),
        fails(
            "what is not permitted",
            json!({"from": "notes.txt", "to": "new.txt"}),
            Denied,
            "permission_denied",
            "new.txt does not permit this.",
        )
        .fault(Operation::Lock, Fault::Denied),
        fails(
            "a full device",
            json!({"from": "notes.txt", "to": "new.txt"}),
            Failed,
            "disk_full",
            "The disk is full.",
        )
        .fault(Operation::Rename, Fault::DiskFull),
        fails(
            "a broken device",
            json!({"from": "notes.txt", "to": "new.txt"}),
            Failed,
            "io_error",
            "new.txt could not be read or written.",
        )
        .fault(Operation::Rename, Fault::Broken),
    ];
    own.into_iter().chain(two_names::cases()).collect()
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(tree! { "a.txt": "a\n", "b.txt": "b\n" });
    let move_to = |to, overwrite, parents| {
        move_file(Path::new("a.txt"), Path::new(to), overwrite, parents, &place.workspace)
    };
    assert_eq!(move_to("b.txt", false, false).unwrap_err().code_str(), "already_exists");
    assert_eq!(move_to("x/c.txt", false, true).unwrap().to, "x/c.txt");
    assert_eq!(place.files(), tree! { "b.txt": "b\n", "x": { "c.txt": "a\n" } });
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
    let mut bounds = refusals::bounds_of_paths(|path| json!({"from": "notes.txt", "to": path}), None);
    bounds.extend(refusals::bounds_of_paths(
        |path| json!({"from": path, "to": "new.txt"}),
        Some("path_not_found"),
    ));
    bounds.extend::<[refusals::Bound; _]>([
        (json!({"from": "none.txt", "to": "new.txt"}), &[], None),
        (json!({"from": "bytes.bin", "to": "new.txt"}), &[], None),
        (json!({"from": "crlf.txt", "to": "new.txt"}), &[], None),
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
    effects::no_fault_leaves_half(&TOOL, &json!({"from": "notes.txt", "to": "new.txt"}), 11);
    effects::no_fault_leaves_half(
        &TOOL,
        &json!({"from": "notes.txt", "to": "x/y/new.txt", "parents": true}),
        21,
    );
    effects::no_fault_leaves_half(
        &TOOL,
        &json!({"from": "notes.txt", "to": "todo.txt", "overwrite": true}),
        9,
    );
    effects::no_fault_leaves_half(&TOOL, &json!({"from": "d", "to": "e"}), 9);
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"from": "notes.txt", "to": "new.txt"}), 11);
    effects::no_stop_leaves_half(
        &TOOL,
        &json!({"from": "notes.txt", "to": "x/y/new.txt", "parents": true}),
        21,
    );
    effects::no_stop_leaves_half(
        &TOOL,
        &json!({"from": "notes.txt", "to": "todo.txt", "overwrite": true}),
        9,
    );
    effects::no_stop_leaves_half(&TOOL, &json!({"from": "d", "to": "e"}), 9);
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    effects::signals_end_it(&TOOL, &json!({"from": "notes.txt", "to": "new.txt"}));
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    let long = "n/".repeat(2_049);
    refusals::refused_before_work(&TOOL, &json!({"from": long, "to": "new.txt"}), &[], "path_too_long");
    refusals::refused_before_work(&TOOL, &json!({"from": "notes.txt", "to": long}), &[], "path_too_long");
}

// covers: 11
#[test]
fn moving_there_and_back_is_nothing() {
    for (from, to) in
        [("notes.txt", "new.txt"), ("d", "e"), ("in", "link"), ("locked.txt", "d/l"), ("bytes.bin", "大きさ")]
    {
        let kit = file_kit(TOOL.setting()).build();
        kit.call_blocking("move_file", json!({"from": from, "to": to})).unwrap();
        assert_ne!(crate::common::place(&kit).files(), files(), "{from}");
        kit.call_blocking("move_file", json!({"from": to, "to": from})).unwrap();
        assert_eq!(crate::common::place(&kit).files(), files(), "{from}");
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
    let protected = [".git/hooks/new", ".netrc"];
    refusals::attacks_do_not_get_through(
        &TOOL,
        |path| json!({"from": path, "to": "new.txt"}),
        &protected,
        "d/e.txt",
    );
    refusals::attacks_do_not_get_through(
        &TOOL,
        |path| json!({"from": "notes.txt", "to": path}),
        &protected,
        "d/new.txt",
    );
}

// covers: 14
#[test]
fn recovery_keeps_its_promise() {
    effects::recovery_keeps_its_promise(&TOOL, &json!({"from": "notes.txt", "to": "new.txt"}));
    effects::recovery_keeps_its_promise(
        &TOOL,
        &json!({"from": "notes.txt", "to": "x/y/new.txt", "parents": true}),
    );
}
