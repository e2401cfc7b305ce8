//! `search_files`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Denied, Failed, InvalidArgs, NotFound};
use tool_std::file::{SearchOutput, SearchSort, search_files};
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Subject, fails, file_kit, files, gives};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "search_files",
    files,
    cases,
    codes: &[
        "path_not_found",
        "path_invalid",
        "path_too_long",
        "path_escape",
        "protected_path",
        "symlink_loop",
        "not_regular_file",
        "file_too_large",
        "line_too_long",
        "glob_invalid",
        "regex_invalid",
        "regex_too_large",
        "encoding_unknown",
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
            "a line",
            json!({"pattern": "Bre.d"}),
            json!({"matches": [{"path": "notes.txt", "line": 2, "column": 1, "text": "Bread", "submatches": [{"start": 0, "end": 5}]}], "matched_lines": 1, "truncated": false}),
        ),
        gives(
            "plain text",
            json!({"pattern": "a.b(c)", "literal": true, "path": "src"}),
            json!({"matches": [{"path": "src/main.rs", "line": 2}]}),
        ),
        gives(
            "with its surroundings",
            json!({"pattern": "Bread", "path": "notes.txt", "context": 1}),
            json!({"matches": [{"before": ["Milk"], "after": ["two loaves"]}]}),
        ),
        gives(
            "whatever the case",
            json!({"pattern": "BREAD", "ignore_case": true}),
            json!({"matched_lines": 1}),
        ),
        gives(
            "whole words",
            json!({"pattern": "Brea", "word": true}),
            json!({"matches": [], "matched_lines": 0}),
        ),
        gives(
            "lines that do not match",
            json!({"pattern": "Bread", "path": "notes.txt", "invert": true}),
            json!({"matches": [{"line": 1}, {"line": 3}]}),
        ),
        gives(
            "over lines",
            json!({"pattern": "Milk\nBread", "path": "notes.txt", "multiline": true}),
            json!({"matches": [{"line": 1, "text": "Milk\nBread"}]}),
        ),
        gives(
            "the paths",
            json!({"pattern": "below|deepest", "output": "files"}),
            json!({"files": ["d/deep/f.txt", "d/e.txt"]}),
        ),
        gives(
            "the counts",
            json!({"pattern": "println", "output": "counts"}),
            json!({"counts": [{"path": "src/main.rs", "lines": 2}]}),
        ),
        gives(
            "a type",
            json!({"pattern": "r", "types": ["rust"], "output": "files"}),
            json!({"files": ["src/main.rs", "src/parser/mod.rs"]}),
        ),
        gives(
            "a line end is none of the text",
            json!({"pattern": "one$", "path": "crlf.txt"}),
            json!({"matches": [{"text": "one"}]}),
        ),
        gives("a leading hyphen", json!({"pattern": "-world"}), json!({"matches": []})),
        gives(
            "no text",
            json!({"pattern": "x", "glob": ["*.bin"]}),
            json!({"matches": [], "skipped": {"binary": 1}}),
        ),
        fails(
            "what is not there",
            json!({"pattern": "e", "path": "gone"}),
            NotFound,
            "path_not_found",
            "gone does not exist.",
        ),
        fails(
            "an empty path",
            json!({"pattern": "e", "path": ""}),
            InvalidArgs,
            "path_invalid",
            " is not a valid path: it is empty.",
        ),
        fails(
            "a long path",
            json!({"pattern": "e", "path": "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"}),
            InvalidArgs,
            "path_too_long",
            "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn is too long (256 bytes; the limit is 255).",
        ),
        fails(
            "above the root",
            json!({"pattern": "e", "path": "../a"}),
            Denied,
            "path_escape",
            "../a is outside the workspace.",
        ),
        fails(
            "a loop",
            json!({"pattern": "e", "path": "loop"}),
            Failed,
            "symlink_loop",
            "loop leads through a loop of links.",
        ),
        fails(
            "what is not permitted",
            json!({"pattern": "e", "path": "."}),
            Denied,
            "permission_denied",
            ". does not permit this.",
        )
        .fault(Operation::Open, Fault::Denied),
        fails(
            "a broken device",
            json!({"pattern": "e", "path": "."}),
            Failed,
            "io_error",
            ". could not be read or written.",
        )
        .fault(Operation::Open, Fault::Broken),
        fails(
            "credentials",
            json!({"pattern": "c", "path": ".netrc"}),
            Denied,
            "protected_path",
            ".netrc is a protected path.",
        )
        .prepare(crate::common::hostile),
        fails(
            "a pipe",
            json!({"pattern": "x", "path": "pipe"}),
            Failed,
            "not_regular_file",
            "pipe is not a regular file (it is a FIFO).",
        )
        .prepare(crate::common::pipe),
        fails(
            "a large file",
            json!({"pattern": "x", "path": "notes.txt"}),
            Failed,
            "file_too_large",
            "File too large (22 bytes; the limit is 21).",
        )
        .limit("max_read_file_bytes", 21),
        fails(
            "a long line",
            json!({"pattern": "x", "path": "long"}),
            Failed,
            "line_too_long",
            "long has a line of more than 4096 bytes.",
        )
        .limit("search_line_bytes", 4_096)
        .prepare(long),
        fails(
            "no glob",
            json!({"pattern": "x", "glob": ["[a"]}),
            InvalidArgs,
            "glob_invalid",
            "`[a` is not a valid glob: unclosed character class; missing ']'.",
        ),
        fails(
            "no expression",
            json!({"pattern": "(a"}),
            InvalidArgs,
            "regex_invalid",
            "The pattern is not valid at character 1: unclosed group.",
        ),
        fails(
            "looking around",
            json!({"pattern": "(?=a)"}),
            InvalidArgs,
            "regex_invalid",
            "The pattern is not valid at character 1: look-around, including look-ahead and look-behind, is not supported.",
        ),
        fails(
            "a large expression",
            json!({"pattern": "(\\w{1000}){1000}"}),
            InvalidArgs,
            "regex_too_large",
            "The pattern is too large when compiled (the limit is 10485760 bytes).\nhint: use fewer or smaller repetitions and classes",
        ),
        fails(
            "no encoding",
            json!({"pattern": "x", "encoding": "klingon"}),
            InvalidArgs,
            "encoding_unknown",
            "There is no encoding called klingon.\nhint: use utf-8, auto, or a label of the Encoding Standard such as windows-1252, shift_jis, utf-16le",
        ),
        fails(
            "no such type",
            json!({"pattern": "x", "types": ["rusd"]}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/types/0: expected the name of a file type, such as rust or json, got string \"rusd\"; did you mean `rust` or `usd`?",
        ),
    ]
}

/// Makes a file of one long line.
fn long(root: &Path) {
    std::fs::write(root.join("long"), "x".repeat(4_097)).unwrap();
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(files());
    let search = |output| {
        search_files(
            "ea",
            Path::new("."),
            true,
            false,
            false,
            false,
            false,
            false,
            0,
            0,
            0,
            &[],
            &[],
            &[],
            false,
            true,
            output,
            SearchSort::Path,
            1_000,
            None,
            "auto",
            &place.workspace,
        )
    };
    assert_eq!(search(SearchOutput::Files).unwrap().data()["files"], json!(["notes.txt"]));
    assert_eq!(search(SearchOutput::Matches).unwrap().data()["matches"][0]["line"], 2);
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
        refusals::bounds_of_paths(|path| json!({"pattern": "x", "path": path}), Some("path_not_found"));
    for (name, least, most) in
        [("before", 0, 20), ("after", 0, 20), ("context", 0, 20), ("max_results", 1, 10_000)]
    {
        bounds.extend::<[refusals::Bound; _]>([
            (json!({"pattern": "größe", name: least - 1}), &[], Some("invalid_args")),
            (json!({"pattern": "größe", name: least}), &[], None),
            (json!({"pattern": "größe", name: most}), &[], None),
            (json!({"pattern": "größe", name: most + 1}), &[], Some("invalid_args")),
        ]);
    }
    bounds.extend::<[refusals::Bound; _]>([
        (json!({"pattern": "x", "max_per_file": 0}), &[], Some("invalid_args")),
        (json!({"pattern": "x", "max_per_file": 1}), &[], None),
        (json!({"pattern": ""}), &[], None),
        (json!({"pattern": "x".repeat(8_192)}), &[], None),
        (json!({"pattern": "x".repeat(8_193)}), &[], Some("invalid_args")),
        (json!({"pattern": "x", "glob": vec!["*"; 64]}), &[], None),
        (json!({"pattern": "x", "glob": vec!["*"; 65]}), &[], Some("glob_invalid")),
        (json!({"pattern": "x", "path": "notes.txt"}), &[("max_read_file_bytes", 22)], None),
        (
            json!({"pattern": "x", "path": "notes.txt"}),
            &[("max_read_file_bytes", 21)],
            Some("file_too_large"),
        ),
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
    effects::no_fault_leaves_half(&TOOL, &json!({"pattern": "e", "path": "d"}), 4);
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"pattern": "e", "path": "d"}), 4);
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    effects::signals_end_it(&TOOL, &json!({"pattern": "e", "path": "d"}));
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    refusals::refused_before_work(&TOOL, &json!({"pattern": "(\\w{1000}){1000}"}), &[], "regex_too_large");
    refusals::refused_before_work(&TOOL, &json!({"pattern": "x".repeat(8_193)}), &[], "invalid_args");
    let search = |limit, value, args| {
        let setting = crate::common::Setting { limits: vec![(limit, value)], ..TOOL.setting() };
        TOOL.call(setting, &args).1.unwrap()
    };
    let results = search("search_results", 1, json!({"pattern": "println", "path": "src"}));
    assert_eq!(
        (&results.data()["matched_lines"], &results.data()["truncated_by"]),
        (&json!(1), &json!("limit"))
    );
    let text = format!("{:?}", results.content);
    assert!(text.contains("[truncated: "), "{text}");
    let bytes = search("max_read_bytes", 10, json!({"pattern": ".", "path": "notes.txt"})).data();
    assert_eq!(bytes["truncated_by"], "bytes", "{bytes}");
    let line = search("search_line_chars", 4, json!({"pattern": "Bread"})).data();
    assert_eq!((&line["matches"][0]["text"], &line["matches"][0]["cut"]), (&json!("Brea"), &json!(true)));
}

// covers: 11
#[test]
fn a_search_and_its_inversion_share_the_lines_out() {
    for (path, pattern) in [
        ("notes.txt", "e"),
        ("notes.txt", "^$"),
        ("crlf.txt", "o"),
        ("src/main.rs", "print"),
        ("large.txt", "y"),
    ] {
        let lines = |args: serde_json::Value| {
            let found = TOOL.result(&args).unwrap().data();
            let lines = found["matches"].as_array().unwrap().iter().map(|row| row["line"].as_u64().unwrap());
            lines.collect::<Vec<_>>()
        };
        let with = lines(json!({"pattern": pattern, "path": path}));
        let without = lines(json!({"pattern": pattern, "path": path, "invert": true}));
        let mut all = [with, without].concat();
        all.sort_unstable();
        let total = files().file(path).unwrap().iter().filter(|byte| **byte == b'\n').count() as u64;
        assert_eq!(all, (1..=total).collect::<Vec<_>>(), "{path} {pattern}");
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
    refusals::attacks_do_not_get_through(
        &TOOL,
        |path| json!({"pattern": "canary", "path": path}),
        &protected,
        "d/e.txt",
    );
    // In a walk neither is read.
    let setting = crate::common::Setting { prepare: Some(crate::common::hostile), ..TOOL.setting() };
    let args = json!({"pattern": "canary", "hidden": true, "gitignore": false});
    let found = TOOL.call(setting, &args).1.unwrap().data();
    assert_eq!(found["matches"], json!([]), "{found}");
}
