//! `list_dir`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Denied, Failed, InvalidArgs, NotFound};
use tool_std::file::{ListSort, list_dir};
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Subject, fails, file_kit, files, gives};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "list_dir",
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
            "a directory",
            json!({"path": "d"}),
            json!({"path": "d", "entries": [{"name": "deep", "path": "d/deep", "type": "dir", "size": null}, {"name": "e.txt", "path": "d/e.txt", "type": "file", "size": 6, "modified": "2026-01-01T00:00:00.000Z"}], "truncated": false, "skipped": {"hidden": 0, "ignored": 0}}),
        ),
        gives(
            "further down",
            json!({"path": "d", "depth": 2}),
            json!({"entries": [{"path": "d/deep"}, {"path": "d/deep/f.txt"}, {"path": "d/e.txt"}]}),
        ),
        gives(
            "names that match",
            json!({"path": "src", "pattern": "*.rs", "depth": 2}),
            json!({"entries": [{"path": "src/main.rs"}, {"path": "src/parser/mod.rs"}]}),
        ),
        gives(
            "the largest",
            json!({"path": "d", "sort": "size", "depth": 2, "limit": 1}),
            json!({"entries": [{"path": "d/deep/f.txt"}], "truncated": true, "truncated_by": "limit"}),
        ),
        gives("an empty directory", json!({"path": "hollow"}), json!({"entries": []})),
        gives(
            "a page",
            json!({"path": "d", "limit": 1}),
            json!({"entries": [{"name": "deep"}], "truncated": true, "truncated_by": "limit"}),
        ),
        gives(
            "without what is ignored",
            json!({"pattern": "target*", "gitignore": true}),
            json!({"entries": [{"name": "target"}], "skipped": {"ignored": 1}}),
        ),
        fails(
            "what is not there",
            json!({"path": "gone"}),
            NotFound,
            "path_not_found",
            "gone does not exist.",
        ),
        fails(
            "an empty path",
            json!({"path": ""}),
            InvalidArgs,
            "path_invalid",
            " is not a valid path: it is empty.",
        ),
        fails(
            "a long path",
            json!({"path": "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"}),
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
            "a loop",
            json!({"path": "loop"}),
            Failed,
            "symlink_loop",
            "loop leads through a loop of links.",
        ),
        fails(
            "what is not permitted",
            json!({"path": "."}),
            Denied,
            "permission_denied",
            ". does not permit this.",
        )
        .fault(Operation::Open, Fault::Denied),
        fails("a broken device", json!({"path": "."}), Failed, "io_error", ". could not be read or written.")
            .fault(Operation::Open, Fault::Broken),
        fails(
            "a file",
            json!({"path": "notes.txt"}),
            Failed,
            "not_a_directory",
            "notes.txt is not a directory.",
        ),
        fails(
            "a pattern of paths",
            json!({"pattern": "d/*"}),
            InvalidArgs,
            "glob_invalid",
            "`d/*` is not a valid glob: it is about names, without `/` and `..`.\nhint: use find_files",
        ),
        fails(
            "no cursor",
            json!({"cursor": "?"}),
            InvalidArgs,
            "cursor_invalid",
            "The cursor is not one that this tool gave.\nhint: use next_cursor of the page before, or none",
        ),
        fails(
            "pages by size",
            json!({"sort": "size", "cursor": "AWE"}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/cursor: expected only with `sort` = name, got string \"AWE\"",
        ),
    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(files());
    let list = |pattern, limit| {
        list_dir(Path::new("d"), pattern, 9, false, false, ListSort::Name, limit, None, &place.workspace)
    };
    let page = list(Some("*.txt"), 1_000).unwrap();
    assert_eq!(
        page.entries.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(),
        ["d/deep/f.txt", "d/e.txt"]
    );
    assert!(list(None, 1).unwrap().truncated);
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
    for (name, most) in [("depth", 128), ("limit", 10_000)] {
        bounds.extend::<[refusals::Bound; _]>([
            (json!({name: 0}), &[], Some("invalid_args")),
            (json!({name: 1}), &[], None),
            (json!({name: most}), &[], None),
            (json!({name: most + 1}), &[], Some("invalid_args")),
        ]);
    }
    bounds.extend::<[refusals::Bound; _]>([
        (json!({"pattern": "12345678"}), &[("glob_bytes", 8)], None),
        (json!({"pattern": "123456789"}), &[("glob_bytes", 8)], Some("glob_invalid")),
        (json!({"pattern": "größe*"}), &[], None),
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
    effects::no_fault_leaves_half(&TOOL, &json!({"path": "d", "depth": 3}), 2);
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"path": "d", "depth": 3}), 2);
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    effects::signals_end_it(&TOOL, &json!({"path": "d", "depth": 3}));
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    let glob = json!({"pattern": "*".repeat(1_025)});
    refusals::refused_before_work(&TOOL, &glob, &[], "glob_invalid");
    for (limit, value, by) in
        [("list_limit", 2, "limit"), ("walk_entries", 2, "entries"), ("walk_depth_max", 1, "depth")]
    {
        let setting = crate::common::Setting { limits: vec![(limit, value)], ..TOOL.setting() };
        let page = TOOL.call(setting, &json!({"path": "d", "depth": 9})).1.unwrap().data();
        assert_eq!((&page["truncated"], &page["truncated_by"]), (&json!(true), &json!(by)));
        assert_eq!(page["entries"].as_array().unwrap().len(), 2, "{limit}");
    }
}

// covers: 11
#[test]
fn the_pages_of_a_listing_joined_are_the_listing() {
    let all = TOOL.result(&json!({"depth": 9})).unwrap().data()["entries"].clone();
    assert!(all.as_array().unwrap().len() > 5, "{all}");
    for limit in 1..=all.as_array().unwrap().len() + 1 {
        let kit = file_kit(TOOL.setting()).build();
        let mut args = json!({"depth": 9});
        args["limit"] = json!(limit);
        let mut joined = Vec::new();
        loop {
            let page = kit.call_blocking(TOOL.tool, args.clone()).unwrap().data();
            joined.extend(page["entries"].as_array().unwrap().iter().map(|entry| entry["path"].clone()));
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
    refusals::attacks_do_not_get_through(
        &TOOL,
        |path| json!({"path": path.trim_end_matches("/secret.txt")}),
        &[],
        "d",
    );
    // A link is shown and not followed.
    let setting = crate::common::Setting { prepare: Some(crate::common::hostile), ..TOOL.setting() };
    let page = TOOL.call(setting, &json!({"depth": 9, "hidden": true})).1.unwrap().data();
    assert!(page.to_string().contains("\"outside\"") && !page.to_string().contains("secret.txt"), "{page}");
}
