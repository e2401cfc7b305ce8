//! `find_files`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Denied, Failed, InvalidArgs, NotFound};
use tool_std::file::{FindType, find_files};
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Subject, fails, file_kit, files, gives};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "find_files",
    files,
    cases,
    codes: &[
        "path_not_found",
        "path_invalid",
        "path_too_long",
        "path_escape",
        "symlink_loop",
        "not_a_directory",
        "glob_invalid",
        "cursor_invalid",
        "permission_denied",
        "io_error",
        "invalid_args",
    ],
    varying: &[],
    kit: file_kit,
};

fn cases() -> Vec<Case> {
    vec![
        gives(
            "by name, at any depth",
            json!({"pattern": "f.txt"}),
            json!({"files": [{"path": "d/deep/f.txt", "type": "file", "size": 8, "modified": "2026-01-01T00:00:00.000Z"}], "truncated": false}),
        ),
        gives(
            "by path",
            json!({"pattern": "src/**/*.rs"}),
            json!({"files": [{"path": "src/main.rs"}, {"path": "src/parser/mod.rs"}]}),
        ),
        gives(
            "below a directory",
            json!({"pattern": "*.txt", "path": "d"}),
            json!({"files": [{"path": "d/deep/f.txt"}, {"path": "d/e.txt"}]}),
        ),
        gives(
            "directories",
            json!({"pattern": "*", "path": "d", "type": "dir"}),
            json!({"files": [{"path": "d/deep", "type": "dir", "size": null}]}),
        ),
        gives(
            "without some",
            json!({"pattern": "*.txt", "path": "d", "exclude": ["deep"]}),
            json!({"files": [{"path": "d/e.txt"}]}),
        ),
        gives(
            "whatever the case",
            json!({"pattern": "CARGO.TOML", "ignore_case": true}),
            json!({"files": [{"path": "Cargo.toml"}]}),
        ),
        gives(
            "hidden ones",
            json!({"pattern": ".hid*", "hidden": true}),
            json!({"files": [{"path": ".hidden"}]}),
        ),
        gives(
            "ignored ones",
            json!({"pattern": "*.log", "gitignore": false}),
            json!({"files": [{"path": "target.log"}]}),
        ),
        gives("nothing", json!({"pattern": "*.log"}), json!({"files": [], "truncated": false})),
        gives(
            "a page",
            json!({"pattern": "*.txt", "path": "d", "limit": 1}),
            json!({"files": [{"path": "d/deep/f.txt"}], "truncated_by": "limit"}),
        ),
        fails(
            "what is not there",
            json!({"pattern": "*", "path": "gone"}),
            NotFound,
            "path_not_found",
            "gone does not exist.",
        ),
        fails(
            "an empty path",
            json!({"pattern": "*", "path": ""}),
            InvalidArgs,
            "path_invalid",
            " is not a valid path: it is empty.",
        ),
        fails(
            "a long path",
            json!({"pattern": "*", "path": "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"}),
            InvalidArgs,
            "path_too_long",
            "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn is too long (256 bytes; the limit is 255).",
        ),
        fails(
            "above the root",
            json!({"pattern": "*", "path": "../a"}),
            Denied,
            "path_escape",
            "../a is outside the workspace.",
        ),
        fails(
            "a loop",
            json!({"pattern": "*", "path": "loop"}),
            Failed,
            "symlink_loop",
            "loop leads through a loop of links.",
        ),
        fails(
            "what is not permitted",
            json!({"pattern": "*", "path": "."}),
            Denied,
            "permission_denied",
            ". does not permit this.",
        )
        .fault(Operation::Open, Fault::Denied),
        fails(
            "a broken device",
            json!({"pattern": "*", "path": "."}),
            Failed,
            "io_error",
            ". could not be read or written.",
        )
        .fault(Operation::Open, Fault::Broken),
        fails(
            "in a file",
            json!({"pattern": "*", "path": "notes.txt"}),
            Failed,
            "not_a_directory",
            "notes.txt is not a directory.",
        ),
        fails(
            "no glob",
            json!({"pattern": "[a"}),
            InvalidArgs,
            "glob_invalid",
            "`[a` is not a valid glob: unclosed character class; missing ']'.",
        ),
        fails(
            "no cursor",
            json!({"pattern": "*", "cursor": "?"}),
            InvalidArgs,
            "cursor_invalid",
            "The cursor is not one that this tool gave.\nhint: use next_cursor of the page before, or none",
        ),
        fails(
            "no such type",
            json!({"type": "pipe", "exclude": [1.5]}),
            InvalidArgs,
            "invalid_args",
            "3 arguments do not fit.\n/pattern: missing; expected string\n/type: expected one of \"file\", \"dir\", \"any\", got string \"pipe\"\n/exclude/0: expected string, got number 1.5; send it in quotes",
        ),
    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(files());
    let find = |kind, limit| {
        find_files("*", Path::new("d"), kind, &[], false, false, true, limit, None, &place.workspace).unwrap()
    };
    assert_eq!(find(FindType::Dir, 1_000).files[0].path, "d/deep");
    assert_eq!((find(FindType::Any, 1_000).files.len(), find(FindType::File, 1).truncated), (3, true));
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
    let mut bounds =
        refusals::bounds_of_paths(|path| json!({"pattern": "*", "path": path}), Some("path_not_found"));
    let globs = |count: usize| json!({"pattern": "*", "exclude": vec!["größe"; count]});
    bounds.extend::<[refusals::Bound; _]>([
        (json!({"pattern": "*", "limit": 0}), &[], Some("invalid_args")),
        (json!({"pattern": "*", "limit": 10_000}), &[], None),
        (json!({"pattern": "*", "limit": 10_001}), &[], Some("invalid_args")),
        (json!({"pattern": "x".repeat(1_024)}), &[], None),
        (json!({"pattern": "x".repeat(1_025)}), &[], Some("glob_invalid")),
        (globs(64), &[], None),
        (globs(65), &[], Some("glob_invalid")),
        (globs(0), &[], None),
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
    effects::no_fault_leaves_half(&TOOL, &json!({"pattern": "*", "path": "d"}), 3);
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"pattern": "*", "path": "d"}), 3);
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    effects::signals_end_it(&TOOL, &json!({"pattern": "*", "path": "d"}));
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    refusals::refused_before_work(&TOOL, &json!({"pattern": "x".repeat(1_025)}), &[], "glob_invalid");
    let globs = json!({"pattern": "*", "exclude": vec!["x"; 65]});
    refusals::refused_before_work(&TOOL, &globs, &[], "glob_invalid");
    for (limit, value, by) in
        [("list_limit", 1, "limit"), ("walk_entries", 2, "entries"), ("walk_depth_max", 1, "depth")]
    {
        let setting = crate::common::Setting { limits: vec![(limit, value)], ..TOOL.setting() };
        let page = TOOL.call(setting, &json!({"pattern": "*", "path": "d"})).1.unwrap().data();
        assert_eq!((&page["truncated"], &page["truncated_by"]), (&json!(true), &json!(by)));
        assert_eq!(page["files"].as_array().unwrap().len(), 1, "{limit}");
    }
}

// covers: 11
#[test]
fn the_pages_joined_are_everything_that_is_found() {
    let all = TOOL.result(&json!({"pattern": "*"})).unwrap().data()["files"].clone();
    assert!(all.as_array().unwrap().len() > 5, "{all}");
    for limit in 1..=all.as_array().unwrap().len() + 1 {
        let kit = file_kit(TOOL.setting()).build();
        let mut args = json!({"pattern": "*"});
        args["limit"] = json!(limit);
        let mut joined = Vec::new();
        loop {
            let page = kit.call_blocking(TOOL.tool, args.clone()).unwrap().data();
            joined.extend(page["files"].as_array().unwrap().iter().map(|entry| entry["path"].clone()));
            assert_eq!(page["truncated"] == true, page["next_cursor"].is_string());
            match page.get("next_cursor") {
                Some(cursor) => args["cursor"] = cursor.clone(),
                None => break,
            }
        }
        let whole = all.as_array().unwrap().iter().map(|entry| entry["path"].clone());
        assert_eq!(joined, whole.collect::<Vec<_>>(), "pages of {limit}");
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
    let args = |path: &str| json!({"pattern": "*", "path": path.trim_end_matches("/secret.txt")});
    refusals::attacks_do_not_get_through(&TOOL, args, &[], "d");
    // A link is not followed, and a glob does not lead out.
    for pattern in ["secret.txt", "outside/*", "../**", "**/secret.txt"] {
        let setting = crate::common::Setting { prepare: Some(crate::common::hostile), ..TOOL.setting() };
        let args = json!({"pattern": pattern, "hidden": true, "gitignore": false});
        let found = TOOL.call(setting, &args).1.unwrap().data();
        assert_eq!(found["files"], json!([]), "{pattern}");
    }
}
