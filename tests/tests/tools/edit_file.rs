//! `edit_file`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Conflict, Denied, Failed, InvalidArgs, NotFound};
use tool_core::tree;
use tool_std::file::edit_file;
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Subject, fails, file_kit, files, gives};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "edit_file",
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
        "patch_empty",
        "patch_invalid",
        "patch_count_mismatch",
        "patch_unsupported",
        "patch_multiple_files",
        "patch_overlap",
        "patch_out_of_range",
        "patch_no_change",
        "patch_too_large",
        "patch_context_mismatch",
        "patch_ambiguous",
    ],
    varying: &[],
    kit: file_kit,
};

fn cases() -> Vec<Case> {
    vec![
        gives(
            "a line replaced",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            json!({"lines_added": 1, "lines_removed": 1, "size": 23, "warnings": []}),
        ),
        gives(
            "line ends are kept",
            json!({"path": "crlf.txt", "patch": "@@ -1 +1 @@\n-one\n+three\n"}),
            json!({"size": 12}),
        ),
        gives(
            "a hunk that has moved",
            json!({"path": "notes.txt", "patch": "@@ -1 +1 @@\n-Bread\n+Butter\n"}),
            json!({"hunks": [{"old_start": 2, "shift": 1}]}),
        ),
        gives(
            "another name",
            json!({"path": "notes.txt", "patch": "--- a/other.txt\n+++ b/other.txt\n@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            json!({"warnings": ["The patch names other.txt; it was applied to notes.txt."]}),
        ),
        fails(
            "what is not there",
            json!({"path": "gone.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            NotFound,
            "path_not_found",
            "gone.txt does not exist.\nhint: did you mean `none.txt` or `notes.txt`?",
        ),
        fails(
            "an empty path",
            json!({"path": "", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            InvalidArgs,
            "path_invalid",
            " is not a valid path: it is empty.",
        ),
        fails(
            "a long path",
            json!({"path": "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            InvalidArgs,
            "path_too_long",
            "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn is too long (256 bytes; the limit is 255).",
        ),
        fails(
            "above the root",
            json!({"path": "../a", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            Denied,
            "path_escape",
            "../a is outside the workspace.",
        ),
        fails(
            "a directory",
            json!({"path": "d", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            Failed,
            "is_a_directory",
            "d is a directory.",
        ),
        fails(
            "below a file",
            json!({"path": "notes.txt/x", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            Failed,
            "not_a_directory",
            "notes.txt/x is not a directory.",
        ),
        fails(
            "a pipe",
            json!({"path": "pipe", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            Failed,
            "not_regular_file",
            "pipe is not a regular file (it is a FIFO).",
        )
        .prepare(crate::common::pipe),
        fails(
            "a loop",
            json!({"path": "loop", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            Failed,
            "symlink_loop",
            "loop leads through a loop of links.",
        ),
        fails(
            "a hook",
            json!({"path": ".git/config", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            Denied,
            "protected_path",
            ".git/config is a protected path.",
        )
        .prepare(crate::common::hostile),
        fails(
            "a large file",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            Failed,
            "file_too_large",
            "File too large (22 bytes; the limit is 21).",
        )
        .limit("max_edit_file_bytes", 21),
        fails(
            "a version that is none",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n", "expected_version": "xyz"}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/expected_version: expected string of 16..=64 hex digits, as `version` of a result, got string \"xyz\"",
        ),
        fails(
            "another version",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n", "expected_version": "0123456789abcdef"}),
            Conflict,
            "version_mismatch",
            "notes.txt changed: expected version 0123456789abcdef, found 479dbc5582385070.\nhint: read it again and repeat the change",
        ),
        fails(
            "what is not permitted",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            Denied,
            "permission_denied",
            "notes.txt does not permit this.",
        )
        .fault(Operation::Create, Fault::Denied),
        fails(
            "a full device",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            Failed,
            "disk_full",
            "The disk is full.",
        )
        .fault(Operation::Write, Fault::DiskFull),
        fails(
            "a broken device",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            Failed,
            "io_error",
            "notes.txt could not be read or written.",
        )
        .fault(Operation::Sync, Fault::Broken),
        fails(
            "a large result",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            InvalidArgs,
            "content_too_large",
            "Content too large (23 bytes; the limit is 22).",
        )
        .limit("max_edit_file_bytes", 22),
        fails(
            "no hunk",
            json!({"path": "notes.txt", "patch": "nothing"}),
            InvalidArgs,
            "patch_empty",
            "The patch has no hunk.\nhint: a hunk is `@@ -START,COUNT +START,COUNT @@` and lines that start with a space, `-` or `+`",
        ),
        fails(
            "a header that is none",
            json!({"path": "notes.txt", "patch": "@@@ -1 +1\n"}),
            InvalidArgs,
            "patch_invalid",
            "Line 1 of the patch is not the header of a hunk: \"@@@ -1 +1\".\nhint: write `@@ -START,COUNT +START,COUNT @@` with the line numbers of the file",
        ),
        fails(
            "a wrong count",
            json!({"path": "notes.txt", "patch": "@@ -2 +2,2 @@\n-Bread\n+Butter\n"}),
            InvalidArgs,
            "patch_count_mismatch",
            "Hunk 1 (line 1) declares 1 old and 2 new lines, its body has 1 and 1. Write @@ -2,1 +2,1 @@.",
        ),
        fails(
            "a form of its own",
            json!({"path": "notes.txt", "patch": "*** Begin Patch\n"}),
            InvalidArgs,
            "patch_unsupported",
            "Line 1 of the patch is not supported: \"*** Begin Patch\".\nhint: only the unified diff of an existing text file is applied",
        ),
        fails(
            "two files",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}),
            InvalidArgs,
            "patch_multiple_files",
            "Line 4 starts the patch of another file: \"--- a/x\".\nhint: send one call per file",
        ),
        fails(
            "out of order",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n@@ -1 +1 @@\n-Milk\n+Oil\n"}),
            InvalidArgs,
            "patch_overlap",
            "Hunk 2 (line 4) starts before the last changed line of hunk 1.\nhint: sort the hunks by line number, and join those that overlap",
        ),
        fails(
            "behind the end",
            json!({"path": "notes.txt", "patch": "@@ -9,0 +10 @@\n+Salt\n"}),
            InvalidArgs,
            "patch_out_of_range",
            "Hunk 1 adds lines after line 9; the file has 3.",
        ),
        fails(
            "nothing new",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Bread\n"}),
            InvalidArgs,
            "patch_no_change",
            "The file would stay as it is.",
        ),
        fails(
            "a large patch",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
            InvalidArgs,
            "patch_too_large",
            "Patch too large (27 bytes; the limit is 26).",
        )
        .limit("max_patch_bytes", 26),
        fails(
            "other lines",
            json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bred\n+Butter\n"}),
            Conflict,
            "patch_context_mismatch",
            "Hunk 1 does not match at line 2: expected \"Bred\", found \"Bread\".",
        ),
        fails(
            "two places",
            json!({"path": "same.txt", "patch": "@@ -9 +9 @@\n-a\n+b\n"}),
            Conflict,
            "patch_ambiguous",
            "Hunk 1 fits at several places: lines 1, 2.\nhint: give more context lines, or the right line numbers",
        ),
    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(tree! { "a.txt": "one\r\ntwo\r\n" });
    let edit = |patch| edit_file(Path::new("a.txt"), patch, None, &place.workspace);
    assert_eq!(edit("@@ -2 +2 @@\n-two\n+2\n").unwrap().lines_added, 1);
    assert_eq!(edit("@@ -2 +2 @@\n-two\n+2\n").unwrap_err().code_str(), "patch_context_mismatch");
    assert_eq!(place.files(), tree! { "a.txt": "one\r\n2\r\n" });
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
    let patch = |path: &str| json!({"path": path, "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"});
    let mut bounds = refusals::bounds_of_paths(patch, Some("path_not_found"));
    let hunks =
        json!({"path": "notes.txt", "patch": "@@ -1 +1 @@\n-Milk\n+Oil\n@@ -3 +3 @@\n-two loaves\n+größe\n"});
    bounds.extend::<[refusals::Bound; _]>([
        (patch("notes.txt"), &[("max_patch_bytes", 27)], None),
        (patch("notes.txt"), &[("max_patch_bytes", 26)], Some("patch_too_large")),
        (patch("notes.txt"), &[("max_edit_file_bytes", 23)], None),
        (patch("notes.txt"), &[("max_edit_file_bytes", 22)], Some("content_too_large")),
        (patch("notes.txt"), &[("max_edit_file_bytes", 21)], Some("file_too_large")),
        (hunks.clone(), &[("max_hunks", 2)], None),
        (hunks, &[("max_hunks", 1)], Some("patch_too_large")),
        (json!({"path": "none.txt", "patch": "@@ -0,0 +1 @@\n+first\n"}), &[], None),
        (json!({"path": "bytes.bin", "patch": "@@ -0,0 +1 @@\n+first\n"}), &[], None),
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
    effects::no_fault_leaves_half(
        &TOOL,
        &json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
        14,
    );
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(
        &TOOL,
        &json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
        14,
    );
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    effects::signals_end_it(&TOOL, &json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}));
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    let args = json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"});
    refusals::refused_before_work(&TOOL, &args, &[("max_patch_bytes", 26)], "patch_too_large");
    // The excerpts of a result are cut to their budget.
    let edited = |limit| {
        let setting = crate::common::Setting { limits: vec![("excerpt_bytes", limit)], ..TOOL.setting() };
        TOOL.call(setting, &args).1.unwrap().data()["excerpts"].clone()
    };
    assert_eq!(edited(23)[0]["text"], "Milk\nButter\ntwo loaves\n");
    assert_eq!((&edited(22)[0]["cut"], &edited(23)[0]["cut"]), (&json!(true), &serde_json::Value::Null));
}

// covers: 11
#[test]
fn a_patch_and_its_inverse_are_nothing() {
    let hunks = [
        ("@@ -2 +2 @@", "-Bread\n", "+Butter\n"),
        ("@@ -1 +1 @@", "-Milk\n", "+größe\n"),
        ("@@ -3 +3 @@", "-two loaves\n", "+\n"),
    ];
    for (header, old, new) in hunks {
        let kit = file_kit(TOOL.setting()).build();
        let back = |line: &str| match line.split_at(1) {
            ("-", rest) => format!("+{rest}"),
            (_, rest) => format!("-{rest}"),
        };
        let edit = |old: &str, new: &str| {
            let patch = format!("{header}\n{old}{new}");
            kit.call_blocking("edit_file", json!({"path": "notes.txt", "patch": patch})).unwrap();
        };
        edit(old, new);
        assert_ne!(crate::common::place(&kit).files(), files());
        edit(&back(new), &back(old));
        assert_eq!(crate::common::place(&kit).files(), files(), "{header}");
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
        |path| json!({"path": path, "patch": "@@ -0,0 +1 @@\n+x\n"}),
        &protected,
        "none.txt",
    );
    // No name in a patch chooses a file.
    let patch = "--- a/../secret.txt\n+++ b/../secret.txt\n@@ -2 +2 @@\n-Bread\n+Butter\n";
    let error = TOOL.result(&json!({"path": "notes.txt", "patch": patch})).unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (Denied, "path_escape"));
}

// covers: 14
#[test]
fn recovery_keeps_its_promise() {
    effects::recovery_keeps_its_promise(
        &TOOL,
        &json!({"path": "notes.txt", "patch": "@@ -2 +2 @@\n-Bread\n+Butter\n"}),
    );
}
