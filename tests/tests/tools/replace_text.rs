//! `replace_text`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Conflict, Denied, Failed, InvalidArgs, NotFound};
use tool_core::tree;
use tool_std::file::replace_text;
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Subject, fails, file_kit, files, gives};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "replace_text",
    files,
    cases,
    codes: &[
        "path_not_found",
        "path_invalid",
        "path_too_long",
        "path_escape",
        "protected_path",
        "is_a_directory",
        "not_a_directory",
        "not_regular_file",
        "symlink_loop",
        "file_too_large",
        "version_mismatch",
        "content_too_large",
        "permission_denied",
        "disk_full",
        "io_error",
        "invalid_args",
        "old_empty",
        "patch_no_change",
        "text_not_found",
        "text_ambiguous",
    ],
    varying: &[],
    kit: file_kit,
};

fn cases() -> Vec<Case> {
    vec![
        gives(
            "a word",
            json!({"path": "notes.txt", "old": "Bread", "new": "Butter"}),
            json!({"replacements": 1, "size": 23, "lines_added": 1, "lines_removed": 1}),
        ),
        gives(
            "every occurrence",
            json!({"path": "src/main.rs", "old": "println!", "new": "eprintln!", "all": true}),
            json!({"replacements": 2}),
        ),
        gives(
            "nothing instead",
            json!({"path": "notes.txt", "old": "Bread\n", "new": ""}),
            json!({"replacements": 1, "size": 16}),
        ),
        gives(
            "over line ends",
            json!({"path": "crlf.txt", "old": "one\ntwo", "new": "1\n2nd!"}),
            json!({"replacements": 1, "size": 9}),
        ),
        gives(
            "bytes that are no text",
            json!({"path": "latin.txt", "old": "caf", "new": "CAF"}),
            json!({"replacements": 1}),
        ),
        gives(
            "no pattern",
            json!({"path": "src/main.rs", "old": "a.b(c)", "new": ".*"}),
            json!({"replacements": 1}),
        ),
        fails(
            "what is not there",
            json!({"path": "gone.txt", "old": "Bread", "new": "Butter"}),
            NotFound,
            "path_not_found",
            "gone.txt does not exist.\nhint: did you mean `none.txt` or `notes.txt`?",
        ),
        fails(
            "an empty path",
            json!({"path": "", "old": "Bread", "new": "Butter"}),
            InvalidArgs,
            "path_invalid",
            " is not a valid path: it is empty.",
        ),
        fails(
            "a long path",
            json!({"path": "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn", "old": "Bread", "new": "Butter"}),
            InvalidArgs,
            "path_too_long",
            "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn is too long (256 bytes; the limit is 255).",
        ),
        fails(
            "above the root",
            json!({"path": "../a", "old": "Bread", "new": "Butter"}),
            Denied,
            "path_escape",
            "../a is outside the workspace.",
        ),
        fails(
            "a directory",
            json!({"path": "d", "old": "Bread", "new": "Butter"}),
            Failed,
            "is_a_directory",
            "d is a directory.",
        ),
        fails(
            "below a file",
            json!({"path": "notes.txt/x", "old": "Bread", "new": "Butter"}),
            Failed,
            "not_a_directory",
            "notes.txt/x is not a directory.",
        ),
        fails(
            "a pipe",
            json!({"path": "pipe", "old": "Bread", "new": "Butter"}),
            Failed,
            "not_regular_file",
            "pipe is not a regular file (it is a FIFO).",
        )
        .prepare(crate::common::pipe),
        fails(
            "a loop",
            json!({"path": "loop", "old": "Bread", "new": "Butter"}),
            Failed,
            "symlink_loop",
            "loop leads through a loop of links.",
        ),
        fails(
            "a hook",
            json!({"path": ".git/config", "old": "Bread", "new": "Butter"}),
            Denied,
            "protected_path",
            ".git/config is a protected path.",
        )
        .prepare(crate::common::hostile),
        fails(
            "a large file",
            json!({"path": "notes.txt", "old": "Bread", "new": "Butter"}),
            Failed,
            "file_too_large",
            "File too large (22 bytes; the limit is 21).",
        )
        .limit("max_edit_file_bytes", 21),
        fails(
            "a version that is none",
            json!({"path": "notes.txt", "old": "Bread", "new": "Butter", "expected_version": "xyz"}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/expected_version: expected string of 16..=64 hex digits, as `version` of a result, got string \"xyz\"",
        ),
        fails(
            "another version",
            json!({"path": "notes.txt", "old": "Bread", "new": "Butter", "expected_version": "0123456789abcdef"}),
            Conflict,
            "version_mismatch",
            "notes.txt changed: expected version 0123456789abcdef, found 479dbc5582385070.\nhint: read it again and repeat the change",
        ),
        fails(
            "what is not permitted",
            json!({"path": "notes.txt", "old": "Bread", "new": "Butter"}),
            Denied,
            "permission_denied",
            "notes.txt does not permit this.",
        )
        .fault(Operation::Create, Fault::Denied),
        fails(
            "a full device",
            json!({"path": "notes.txt", "old": "Bread", "new": "Butter"}),
            Failed,
            "disk_full",
            "The disk is full.",
        )
        .fault(Operation::Write, Fault::DiskFull),
        fails(
            "a broken device",
            json!({"path": "notes.txt", "old": "Bread", "new": "Butter"}),
            Failed,
            "io_error",
            "notes.txt could not be read or written.",
        )
        .fault(Operation::Sync, Fault::Broken),
        fails(
            "a large result",
            json!({"path": "notes.txt", "old": "Bread", "new": "Butter"}),
            InvalidArgs,
            "content_too_large",
            "Content too large (23 bytes; the limit is 22).",
        )
        .limit("max_edit_file_bytes", 22),
        fails(
            "nothing to look for",
            json!({"path": "notes.txt", "old": "", "new": "x"}),
            InvalidArgs,
            "old_empty",
            "The text to replace is empty.\nhint: edit_lines inserts by line number, write_file writes a whole file",
        ),
        fails(
            "nothing new",
            json!({"path": "notes.txt", "old": "Bread", "new": "Bread"}),
            InvalidArgs,
            "patch_no_change",
            "The file would stay as it is.",
        ),
        fails(
            "what is not there at all",
            json!({"path": "notes.txt", "old": "Bred", "new": "x"}),
            NotFound,
            "text_not_found",
            "The text does not occur in the file.\nhint: the nearest line is 2: \"Bread\"",
        ),
        fails(
            "two places",
            json!({"path": "src/main.rs", "old": "println!", "new": "x"}),
            Conflict,
            "text_ambiguous",
            "The text occurs 2 times, in lines 2, 3.\nhint: give more of the text around it, or all = true",
        ),
    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(tree! { "a.txt": "a a\r\n" });
    let replace = |all| replace_text(Path::new("a.txt"), "a", "b", all, None, &place.workspace);
    assert_eq!(replace(false).unwrap_err().code_str(), "text_ambiguous");
    replace(true).unwrap();
    assert_eq!(place.files(), tree! { "a.txt": "b b\r\n" });
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
    let args = |path: &str| json!({"path": path, "old": "Bread", "new": "Butter"});
    let mut bounds = refusals::bounds_of_paths(args, Some("path_not_found"));
    bounds.extend::<[refusals::Bound; _]>([
        (args("notes.txt"), &[("max_edit_file_bytes", 23)], None),
        (args("notes.txt"), &[("max_edit_file_bytes", 22)], Some("content_too_large")),
        (args("notes.txt"), &[("max_edit_file_bytes", 21)], Some("file_too_large")),
        (json!({"path": "mark.txt", "old": "ü", "new": "🦀"}), &[], None),
        (json!({"path": "none.txt", "old": "x", "new": "y"}), &[], Some("text_not_found")),
        (json!({"path": "bytes.bin", "old": "\0", "new": "x", "all": true}), &[], None),
        (json!({"path": "crlf.txt", "old": "one\r\n", "new": ""}), &[], None),
        (json!({"path": "large.txt", "old": "x".repeat(999), "new": ""}), &[], None),
        (json!({"path": "large.txt", "old": "x".repeat(1_000), "new": ""}), &[], Some("text_not_found")),
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
    effects::no_fault_leaves_half(&TOOL, &json!({"path": "notes.txt", "old": "Bread", "new": "Butter"}), 14);
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"path": "notes.txt", "old": "Bread", "new": "Butter"}), 14);
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    effects::signals_end_it(&TOOL, &json!({"path": "notes.txt", "old": "Bread", "new": "Butter"}));
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    refusals::refused_before_work(
        &TOOL,
        &json!({"path": "notes.txt", "old": "", "new": "x"}),
        &[],
        "old_empty",
    );
    // The size of the result is computed before it is built: one byte becomes more than fits, a thousand times.
    let args = json!({"path": "large.txt", "old": "x", "new": "x".repeat(20_000), "all": true});
    let (kit, result) = TOOL.call(TOOL.setting(), &args);
    assert_eq!(result.unwrap_err().code_str(), "content_too_large");
    assert_eq!(crate::common::place(&kit).files(), files());
}

// covers: 11
#[test]
fn replacing_and_replacing_back_is_nothing() {
    for (path, old, new) in [
        ("notes.txt", "Bread", "größe"),
        ("crlf.txt", "one\n", "1\n2\n"),
        ("latin.txt", "caf", "\u{1f600}"),
        ("src/main.rs", "println!", "x!"),
    ] {
        let kit = file_kit(TOOL.setting()).build();
        for (old, new) in [(old, new), (new, old)] {
            kit.call_blocking("replace_text", json!({"path": path, "old": old, "new": new, "all": true}))
                .unwrap();
        }
        assert_eq!(crate::common::place(&kit).files(), files(), "{path}");
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
        |path| json!({"path": path, "old": "below", "new": "x"}),
        &protected,
        "d/e.txt",
    );
}

// covers: 14
#[test]
fn recovery_keeps_its_promise() {
    effects::recovery_keeps_its_promise(
        &TOOL,
        &json!({"path": "notes.txt", "old": "Bread", "new": "Butter"}),
    );
}
