//! `edit_lines`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Conflict, Denied, Failed, InvalidArgs, NotFound};
use tool_core::tree;
use tool_std::edit::line_patch::LinePatch;
use tool_std::file::edit_lines;
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Subject, fails, file_kit, files, gives};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "edit_lines",
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
        "patch_no_change",
        "line_out_of_range",
        "end_before_start",
        "overlapping_patches",
        "empty_insert",
        "lines_mismatch",
    ],
    varying: &[],
    kit: file_kit,
};

fn cases() -> Vec<Case> {
    vec![
        gives("a line replaced", json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), json!({"lines_added": 1, "lines_removed": 1, "size": 23})),
        gives("a line inserted", json!({"path": "notes.txt", "patches": [{"start_line": 4, "end_line": 0, "content": "Salt"}]}), json!({"lines_added": 1, "lines_removed": 0})),
        gives("a line deleted", json!({"path": "notes.txt", "patches": [{"start_line": 3, "end_line": 3, "content": ""}]}), json!({"lines_added": 0, "lines_removed": 1, "size": 11})),
        gives("line ends are kept", json!({"path": "crlf.txt", "patches": [{"start_line": 1, "end_line": 1, "content": "three"}]}), json!({"size": 12})),
        gives("all numbers mean the file before", json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "B"}, {"start_line": 1, "end_line": 0, "content": "A"}]}), json!({"lines_added": 2, "lines_removed": 1})),
        gives("the first line of nothing", json!({"path": "none.txt", "patches": [{"start_line": 1, "end_line": 0, "content": "x"}]}), json!({"size": 2})),
        fails("what is not there", json!({"path": "gone.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), NotFound, "path_not_found", "gone.txt does not exist.\nhint: did you mean `none.txt` or `notes.txt`?"),
        fails("an empty path", json!({"path": "", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), InvalidArgs, "path_invalid", " is not a valid path: it is empty."),
        fails("a long path", json!({"path": "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), InvalidArgs, "path_too_long", "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn is too long (256 bytes; the limit is 255)."),
        fails("above the root", json!({"path": "../a", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), Denied, "path_escape", "../a is outside the workspace."),
        fails("a directory", json!({"path": "d", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), Failed, "is_a_directory", "d is a directory."),
        fails("below a file", json!({"path": "notes.txt/x", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), Failed, "not_a_directory", "notes.txt/x is not a directory."),
        fails("a pipe", json!({"path": "pipe", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), Failed, "not_regular_file", "pipe is not a regular file (it is a FIFO).").prepare(crate::common::pipe),
        fails("a loop", json!({"path": "loop", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), Failed, "symlink_loop", "loop leads through a loop of links."),
        fails("a hook", json!({"path": ".git/config", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), Denied, "protected_path", ".git/config is a protected path.").prepare(crate::common::hostile),
        fails("a large file", json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), Failed, "file_too_large", "File too large (22 bytes; the limit is 21).").limit("max_edit_file_bytes", 21),
        fails("a version that is none", json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}], "expected_version": "xyz"}), InvalidArgs, "invalid_args", "1 argument does not fit.\n/expected_version: expected string of 16..=64 hex digits, as `version` of a result, got string \"xyz\""),
        fails("another version", json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}], "expected_version": "0123456789abcdef"}), Conflict, "version_mismatch", "notes.txt changed: expected version 0123456789abcdef, found 479dbc5582385070.\nhint: read it again and repeat the change"),
        fails("what is not permitted", json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), Denied, "permission_denied", "notes.txt does not permit this.").fault(Operation::Create, Fault::Denied),
        fails("a full device", json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), Failed, "disk_full", "The disk is full.").fault(Operation::Write, Fault::DiskFull),
        fails("a broken device", json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), Failed, "io_error", "notes.txt could not be read or written.").fault(Operation::Sync, Fault::Broken),
        fails("a large result", json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}), InvalidArgs, "content_too_large", "Content too large (23 bytes; the limit is 22).").limit("max_edit_file_bytes", 22),
        fails("too many", json!({"path": "notes.txt", "patches": [{"start_line": 1, "end_line": 1, "content": "a"}, {"start_line": 2, "end_line": 2, "content": "b"}]}), InvalidArgs, "invalid_args", "Too many patches.\n/patches: expected 1 to 1 items, got 2 items; send them in several calls, the last lines first").limit("max_line_patches", 1),
        fails("no patch", json!({"path": "notes.txt", "patches": []}), InvalidArgs, "patch_empty", "There is no patch."),
        fails("nothing new", json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Bread"}]}), InvalidArgs, "patch_no_change", "The file would stay as it is."),
        fails("behind the end", json!({"path": "notes.txt", "patches": [{"start_line": 4, "end_line": 4, "content": "x"}]}), InvalidArgs, "line_out_of_range", "patches[0] replaces lines 4 to 4; the file has 3 lines."),
        fails("backwards", json!({"path": "notes.txt", "patches": [{"start_line": 3, "end_line": 2, "content": "x"}]}), InvalidArgs, "end_before_start", "patches[0] ends at line 2, before its start_line 3.\nhint: end_line is included; 0 inserts before start_line"),
        fails("one line twice", json!({"path": "notes.txt", "patches": [{"start_line": 1, "end_line": 2, "content": "x"}, {"start_line": 2, "end_line": 3, "content": "y"}]}), InvalidArgs, "overlapping_patches", "patches[0] and patches[1] change the same lines.\nhint: all line numbers mean the file as it is before the call; join these patches"),
        fails("nothing inserted", json!({"path": "notes.txt", "patches": [{"start_line": 1, "end_line": 0, "content": ""}]}), InvalidArgs, "empty_insert", "patches[0] inserts nothing.\nhint: a blank line is a newline alone"),
        fails("other lines", json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "x", "expect": "Bred"}]}), Conflict, "lines_mismatch", "patches[0] expects other lines than 2 to 2.\nhint: read the lines again; details.found has them"),

    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(tree! { "a.txt": "one\r\ntwo" });
    let patch = |start_line, end_line, content: &str| LinePatch {
        start_line,
        end_line,
        content: content.to_owned(),
        expect: None,
    };
    let edit = |patches: &[LinePatch]| edit_lines(Path::new("a.txt"), patches, None, &place.workspace);
    assert_eq!(edit(&[patch(1, 1, "1"), patch(2, 0, "x")]).unwrap().lines_added, 2);
    assert_eq!(edit(&[patch(9, 9, "")]).unwrap_err().code_str(), "line_out_of_range");
    assert_eq!(place.files(), tree! { "a.txt": "1\r\nx\r\ntwo" });
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
    let row = |start: u64, end: u64, content: &str| json!({"start_line": start, "end_line": end, "content": content});
    let edit = |path: &str, rows: &[serde_json::Value]| json!({"path": path, "patches": rows});
    let one = |path: &str| edit(path, &[row(2, 2, "Butter")]);
    let mut bounds = refusals::bounds_of_paths(one, Some("path_not_found"));
    let two = edit("notes.txt", &[row(1, 1, "größe"), row(3, 3, "a\r")]);
    bounds.extend::<[refusals::Bound; _]>([
        (one("notes.txt"), &[("max_edit_file_bytes", 23)], None),
        (one("notes.txt"), &[("max_edit_file_bytes", 22)], Some("content_too_large")),
        (one("notes.txt"), &[("max_edit_file_bytes", 21)], Some("file_too_large")),
        (two.clone(), &[("max_line_patches", 2)], None),
        (two, &[("max_line_patches", 1)], Some("invalid_args")),
        (edit("notes.txt", &[row(3, 3, "x")]), &[], None),
        (edit("notes.txt", &[row(4, 4, "x")]), &[], Some("line_out_of_range")),
        (edit("notes.txt", &[row(4, 0, "x")]), &[], None),
        (edit("notes.txt", &[row(5, 0, "x")]), &[], Some("line_out_of_range")),
        (edit("notes.txt", &[row(0, 0, "x")]), &[], Some("invalid_args")),
        (edit("none.txt", &[row(1, 0, "x")]), &[], None),
        (edit("bytes.bin", &[row(1, 1, "x")]), &[], None),
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
        &json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}),
        14,
    );
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(
        &TOOL,
        &json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}),
        14,
    );
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    effects::signals_end_it(
        &TOOL,
        &json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}),
    );
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    let patch = json!({"start_line": 1, "end_line": 0, "content": "x"});
    let args = json!({"path": "notes.txt", "patches": vec![patch; 1_001]});
    refusals::refused_before_work(&TOOL, &args, &[], "invalid_args");
    let setting = crate::common::Setting { limits: vec![("excerpt_bytes", 22)], ..TOOL.setting() };
    let cut = TOOL
        .call(
            setting,
            &json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}),
        )
        .1
        .unwrap()
        .data();
    assert_eq!(cut["excerpts"][0]["cut"], true, "{cut}");
}

// covers: 11
#[test]
fn deleting_what_was_inserted_is_nothing() {
    for line in 1..=4_u64 {
        let kit = file_kit(TOOL.setting()).build();
        let edit = |end: u64, content: &str, expect: Option<&str>| {
            let patch = json!({"start_line": line, "end_line": end, "content": content, "expect": expect});
            kit.call_blocking("edit_lines", json!({"path": "notes.txt", "patches": [patch]})).unwrap();
        };
        edit(0, "größe", None);
        assert_ne!(crate::common::place(&kit).files(), files());
        edit(line, "", Some("größe"));
        assert_eq!(crate::common::place(&kit).files(), files(), "{line}");
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
        |path| json!({"path": path, "patches": [{"start_line": 1, "end_line": 0, "content": "x"}]}),
        &protected,
        "d/e.txt",
    );
}

// covers: 14
#[test]
fn recovery_keeps_its_promise() {
    effects::recovery_keeps_its_promise(
        &TOOL,
        &json!({"path": "notes.txt", "patches": [{"start_line": 2, "end_line": 2, "content": "Butter"}]}),
    );
}
