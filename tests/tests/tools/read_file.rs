//! `read_file`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Denied, Failed, InvalidArgs, NotFound};
use tool_std::file::read_file;
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Setting, Subject, fails, file_kit, files, gives, pipe};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "read_file",
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
        "not_text",
        "binary_file",
        "line_out_of_range",
        "encoding_unknown",
        "invalid_args",
        "permission_denied",
        "io_error",
    ],
    varying: &[],
    kit: file_kit,
};

fn cases() -> Vec<Case> {
    vec![
        gives(
            "a whole file",
            json!({"path": "notes.txt"}),
            json!({"content": "Milk\nBread\ntwo loaves\n", "total_lines": 3, "end_line": 3, "truncated": false, "eol": "lf", "final_newline": true, "bom": false}),
        ),
        gives(
            "a page",
            json!({"path": "notes.txt", "offset": 2, "limit": 1}),
            json!({"content": "Bread\n", "next_offset": 3, "truncated": true}),
        ),
        gives(
            "the last line",
            json!({"path": "open.txt", "offset": -1}),
            json!({"content": "last", "final_newline": false}),
        ),
        gives(
            "numbers",
            json!({"path": "notes.txt", "offset": 2, "limit": 1, "line_numbers": true}),
            json!({"content": "2\tBread\n"}),
        ),
        gives(
            "line ends are kept",
            json!({"path": "crlf.txt"}),
            json!({"content": "one\r\ntwo\r\n", "eol": "crlf"}),
        ),
        gives(
            "bytes",
            json!({"path": "bytes.bin", "binary": true}),
            json!({"content": "AP8A", "encoding": "base64", "byte_length": 3}),
        ),
        gives(
            "an encoding",
            json!({"path": "latin.txt", "encoding": "latin1"}),
            json!({"content": "café\n", "encoding": "windows-1252"}),
        ),
        gives("a mark stays", json!({"path": "mark.txt"}), json!({"content": "\u{feff}grün\n", "bom": true})),
        gives(
            "nothing",
            json!({"path": "none.txt"}),
            json!({"content": "", "start_line": 1, "end_line": 0, "total_lines": 0, "eol": "none"}),
        ),
        gives("a link inside", json!({"path": "in"}), json!({"content": "below\n"})),
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
        fails("a directory", json!({"path": "d"}), Failed, "is_a_directory", "d is a directory."),
        fails(
            "below a file",
            json!({"path": "notes.txt/x"}),
            Failed,
            "not_a_directory",
            "notes.txt/x is not a directory.",
        ),
        fails(
            "a pipe",
            json!({"path": "pipe"}),
            Failed,
            "not_regular_file",
            "pipe is not a regular file (it is a FIFO).",
        )
        .prepare(pipe),
        fails(
            "a loop",
            json!({"path": "loop"}),
            Failed,
            "symlink_loop",
            "loop leads through a loop of links.",
        ),
        fails(
            "a large file",
            json!({"path": "notes.txt"}),
            Failed,
            "file_too_large",
            "File too large (22 bytes; the limit is 21).",
        )
        .limit("max_read_file_bytes", 21),
        fails(
            "no text",
            json!({"path": "latin.txt"}),
            Failed,
            "not_text",
            "latin.txt is not valid UTF-8 (first bad byte at offset 3).\nhint: Read it with binary = true, or name its encoding.",
        ),
        fails(
            "no text at all",
            json!({"path": "bytes.bin"}),
            Failed,
            "binary_file",
            "bytes.bin looks binary (3 bytes, NUL at offset 0).\nhint: Read it with binary = true.",
        ),
        fails(
            "behind the end",
            json!({"path": "notes.txt", "offset": 4}),
            InvalidArgs,
            "line_out_of_range",
            "There is no line 4: the file has 3 lines.",
        ),
        fails(
            "no encoding",
            json!({"path": "notes.txt", "encoding": "klingon"}),
            InvalidArgs,
            "encoding_unknown",
            "There is no encoding called klingon.\nhint: use utf-8, auto, or a label of the Encoding Standard such as windows-1252, shift_jis, utf-16le",
        ),
        fails(
            "line nought, and lines of bytes",
            json!({"path": "notes.txt", "offset": 0, "limit": 2, "binary": true}),
            InvalidArgs,
            "invalid_args",
            "2 arguments do not fit.\n/offset: expected integer of at least 1, or negative to count from the end, got integer 0\n/limit: expected not together with `binary`, got both given",
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
        .fault(Operation::Read, Fault::Broken),
    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(files());
    let read = |binary| {
        read_file(Path::new("notes.txt"), 1, 2_000, "utf-8", binary, 0, 150_000, false, &place.workspace)
    };
    assert_eq!(read(false).unwrap().data()["content"], "Milk\nBread\ntwo loaves\n");
    assert_eq!(read(true).unwrap().data()["encoding"], "base64");
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
    bounds.extend::<[refusals::Bound; _]>([
        (json!({"path": "notes.txt", "limit": 1}), &[], None),
        (json!({"path": "notes.txt", "limit": 0}), &[], Some("invalid_args")),
        (json!({"path": "notes.txt", "limit": 10_000}), &[], None),
        (json!({"path": "notes.txt", "limit": 10_001}), &[], Some("invalid_args")),
        (json!({"path": "notes.txt", "offset": 3}), &[], None),
        (json!({"path": "notes.txt", "offset": 4}), &[], Some("line_out_of_range")),
        (json!({"path": "notes.txt", "offset": i64::MIN}), &[], None),
        (json!({"path": "none.txt", "offset": 1}), &[], None),
        (json!({"path": "none.txt", "offset": 2}), &[], Some("line_out_of_range")),
        (json!({"path": "bytes.bin", "binary": true, "byte_limit": 150_000}), &[], None),
        (json!({"path": "bytes.bin", "binary": true, "byte_limit": 150_001}), &[], Some("invalid_args")),
        (json!({"path": "bytes.bin", "binary": true, "byte_limit": 0}), &[], Some("invalid_args")),
        (json!({"path": "bytes.bin", "binary": true, "byte_offset": 3}), &[], None),
        (json!({"path": "bytes.bin", "binary": true, "byte_offset": 4}), &[], Some("invalid_args")),
        (json!({"path": "notes.txt"}), &[("max_read_file_bytes", 22)], None),
        (json!({"path": "notes.txt"}), &[("max_read_file_bytes", 21)], Some("file_too_large")),
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
    effects::no_fault_leaves_half(&TOOL, &json!({"path": "d/e.txt"}), 2);
    effects::no_fault_leaves_half(&TOOL, &json!({"path": "large.txt"}), 2);
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"path": "d/e.txt"}), 2);
    effects::no_stop_leaves_half(&TOOL, &json!({"path": "large.txt"}), 2);
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
    let read = |args, limit| {
        let setting = Setting { limits: vec![("max_read_bytes", limit)], ..TOOL.setting() };
        TOOL.call(setting, &args).1.unwrap()
    };
    // A page ends before the line that would pass the limit, and says how to go on.
    let page = read(json!({"path": "notes.txt"}), 12);
    assert_eq!((&page.data()["content"], &page.data()["next_offset"]), (&json!("Milk\nBread\n"), &json!(3)));
    let text = format!("{:?}", page.content);
    assert!(text.contains("[lines 1-2 of 3; continue with offset 3]"), "{text}");
    let whole = read(json!({"path": "notes.txt"}), 22);
    assert_eq!(whole.data()["truncated"], false);
    // A line that is too long alone is cut at a character.
    let cut = read(json!({"path": "mark.txt"}), 6).data();
    assert_eq!((&cut["content"], &cut["line_cut"]), (&json!("\u{feff}gr"), &json!(true)));
}

// covers: 11
#[test]
fn the_pages_of_a_file_joined_are_the_file() {
    let whole = TOOL.result(&json!({"path": "large.txt"})).unwrap().data();
    for (path, limit) in
        [("notes.txt", 1), ("notes.txt", 2), ("crlf.txt", 1), ("open.txt", 1), ("large.txt", 1)]
    {
        let expected = files().file(path).unwrap().to_vec();
        let (mut joined, mut offset) = (String::new(), json!(1));
        while !offset.is_null() {
            let page = TOOL.result(&json!({"path": path, "limit": limit, "offset": offset})).unwrap().data();
            joined += page["content"].as_str().unwrap();
            offset = page["next_offset"].clone();
        }
        assert_eq!(joined.as_bytes(), expected, "{path} by {limit}");
    }
    let (mut bytes, mut offset) = (0, json!(0));
    while !offset.is_null() {
        let args = json!({"path": "large.txt", "binary": true, "byte_limit": 700, "byte_offset": offset});
        let page = TOOL.result(&args).unwrap().data();
        assert_eq!(page["version"], whole["version"]);
        bytes += page["byte_length"].as_u64().unwrap();
        offset = page["next_byte_offset"].clone();
    }
    assert_eq!(json!(bytes), whole["size"]);
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
