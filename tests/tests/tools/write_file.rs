//! `write_file`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Conflict, Denied, Failed, InvalidArgs, NotFound};
use tool_core::tree;
use tool_std::file::{WriteMode, write_file};
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Subject, fails, file_kit, files, gives, pipe};
use crate::{effects, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "write_file",
    files,
    cases,
    codes: &[
        "path_not_found",
        "already_exists",
        "version_mismatch",
        "path_invalid",
        "path_too_long",
        "path_escape",
        "protected_path",
        "hardlink_refused",
        "is_a_directory",
        "not_a_directory",
        "not_regular_file",
        "symlink_loop",
        "content_too_large",
        "encoding_unknown",
        "unmappable_character",
        "base64_invalid",
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
        gives("a new file", json!({"path": "new.txt", "content": "a\r\nb"}), json!({"created": true, "unchanged": false, "bytes_written": 4, "size": 4, "previous_version": null})),
        gives("over what is there", json!({"path": "notes.txt", "content": "x\n"}), json!({"created": false, "size": 2})),
        gives("at the end", json!({"path": "notes.txt", "content": "Salt\n", "mode": "append"}), json!({"created": false, "bytes_written": 5, "size": 27})),
        gives("what is there already", json!({"path": "todo.txt", "content": "Wash\nSweep\n"}), json!({"unchanged": true, "bytes_written": 0})),
        gives("with its directories", json!({"path": "x/y/z.txt", "content": "z"}), json!({"path": "x/y/z.txt", "created": true})),
        gives("bytes", json!({"path": "b.bin", "content": "AP8A", "encoding": "base64"}), json!({"bytes_written": 3, "version": "2c8d07cd986f58eb"})),
        gives("another encoding", json!({"path": "l.txt", "content": "café", "encoding": "latin1"}), json!({"bytes_written": 4})),
        gives("behind a link", json!({"path": "in", "content": "x"}), json!({"path": "in", "created": false})),
        gives("nothing", json!({"path": "new.txt", "content": ""}), json!({"created": true, "size": 0, "version": "e3b0c44298fc1c14"})),
        gives("the version that is expected", json!({"path": "none.txt", "content": "x", "expected_version": "E3B0C44298FC1C149AFB"}), json!({"previous_version": "e3b0c44298fc1c14"})),
        fails("only what is new", json!({"path": "notes.txt", "content": "", "mode": "create_new"}), Conflict, "already_exists", "notes.txt exists already.\nhint: use mode = overwrite, or an edit tool"),
        fails("another version", json!({"path": "none.txt", "content": "x", "expected_version": "0123456789abcdef"}), Conflict, "version_mismatch", "none.txt changed: expected version 0123456789abcdef, found e3b0c44298fc1c14.\nhint: read it again and repeat the change"),
        fails("no parent", json!({"path": "x/y", "content": "", "parents": false}), NotFound, "path_not_found", "x/y does not exist."),
        fails("a name with a slash", json!({"path": "new/", "content": ""}), InvalidArgs, "path_invalid", "new/ is not a valid path: it names a directory."),
        fails("a long name", json!({"path": "n".repeat(256), "content": ""}), InvalidArgs, "path_too_long", "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn is too long (256 bytes; the limit is 255)."),
        fails("above the root", json!({"path": "../a", "content": ""}), Denied, "path_escape", "../a is outside the workspace."),
        fails("a hook", json!({"path": ".git/hooks/pre-commit", "content": ""}), Denied, "protected_path", ".git/hooks/pre-commit is a protected path."),
        fails("at the end of a file with two names", json!({"path": "twin", "content": "x", "mode": "append"}), Denied, "hardlink_refused", "twin has more than one name.\nhint: write the whole file, which replaces this name alone, or copy it first").prepare(twin),
        fails("a directory", json!({"path": "d", "content": ""}), Failed, "is_a_directory", "d is a directory."),
        fails("below a file", json!({"path": "notes.txt/x", "content": ""}), Failed, "not_a_directory", "notes.txt/x is not a directory."),
        fails("a pipe", json!({"path": "pipe", "content": ""}), Failed, "not_regular_file", "pipe is not a regular file (it is a FIFO).").prepare(pipe),
        fails("a loop", json!({"path": "loop", "content": ""}), Failed, "symlink_loop", "loop leads through a loop of links."),
        fails("too much", json!({"path": "new.txt", "content": "12345"}), InvalidArgs, "content_too_large", "Content too large (5 bytes; the limit is 4).").limit("max_write_bytes", 4),
        fails("no encoding", json!({"path": "new.txt", "content": "", "encoding": "klingon"}), InvalidArgs, "encoding_unknown", "There is no encoding called klingon.\nhint: use utf-8, auto, or a label of the Encoding Standard such as windows-1252, shift_jis, utf-16le"),
        fails("what the encoding lacks", json!({"path": "new.txt", "content": "大", "encoding": "latin1"}), InvalidArgs, "unmappable_character", "windows-1252 has no character for U+5927.\nhint: write it in utf-8"),
        fails("no base64", json!({"path": "new.txt", "content": "A", "encoding": "base64"}), InvalidArgs, "base64_invalid", "The content is not base64 (RFC 4648, padded)."),
        fails("a file that nobody may write", json!({"path": "locked.txt", "content": ""}), Denied, "permission_denied", "locked.txt does not permit this."),
        fails("no such mode", json!({"path": "new.txt", "mode": "prepend"}), InvalidArgs, "invalid_args", "2 arguments do not fit.\n/content: missing; expected string\n/mode: expected one of \"overwrite\", \"append\", \"create_new\", got string \"prepend\""),
        fails("a full device", json!({"path": "notes.txt", "content": "x"}), Failed, "disk_full", "The disk is full.").fault(Operation::Write, Fault::DiskFull),
        fails("a broken device", json!({"path": "notes.txt", "content": "x"}), Failed, "io_error", "notes.txt could not be read or written.").fault(Operation::Sync, Fault::Broken),
    ]
}

/// Gives a file a second name.
fn twin(root: &Path) {
    std::fs::hard_link(root.join("notes.txt"), root.join("twin")).unwrap();
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(tree! { "a.txt": "old\n" });
    let write =
        |path, mode| write_file(Path::new(path), "new\n", mode, "utf-8", true, None, &place.workspace);
    assert!(write("d/b.txt", WriteMode::CreateNew).unwrap().created);
    assert!(!write("a.txt", WriteMode::Append).unwrap().created);
    assert_eq!(write("a.txt", WriteMode::CreateNew).unwrap_err().code_str(), "already_exists");
    assert_eq!(place.files(), tree! { "a.txt": "old\nnew\n", "d": { "b.txt": "new\n" } });
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
    let mut bounds = refusals::bounds_of_paths(|path| json!({"path": path, "content": "größe\r\n"}), None);
    let write = |content: &str| json!({"path": "new.txt", "content": content});
    let version = |digits: usize| {
        let whole = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        json!({"path": "none.txt", "content": "x", "expected_version": format!("{whole}0")[..digits]})
    };
    bounds.extend::<[refusals::Bound; _]>([
        (write("1234"), &[("max_write_bytes", 4)], None),
        (write("12345"), &[("max_write_bytes", 4)], Some("content_too_large")),
        (write(""), &[("max_write_bytes", 1)], None),
        (json!({"path": "b", "content": "AAECAw==", "encoding": "base64"}), &[("max_write_bytes", 4)], None),
        (
            json!({"path": "b", "content": "AAECAwQ=", "encoding": "base64"}),
            &[("max_write_bytes", 4)],
            Some("content_too_large"),
        ),
        (version(15), &[], Some("invalid_args")),
        (version(16), &[], None),
        (version(64), &[], None),
        (version(65), &[], Some("invalid_args")),
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
    effects::no_fault_leaves_half(&TOOL, &json!({"path": "notes.txt", "content": "new\n"}), 12);
    effects::no_fault_leaves_half(&TOOL, &json!({"path": "x/y/new.txt", "content": "new\n"}), 20);
    effects::no_fault_leaves_half(
        &TOOL,
        &json!({"path": "notes.txt", "content": "new\n", "mode": "append"}),
        7,
    );
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"path": "notes.txt", "content": "new\n"}), 12);
    effects::no_stop_leaves_half(&TOOL, &json!({"path": "x/y/new.txt", "content": "new\n"}), 20);
    effects::no_stop_leaves_half(
        &TOOL,
        &json!({"path": "notes.txt", "content": "new\n", "mode": "append"}),
        7,
    );
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    effects::signals_end_it(&TOOL, &json!({"path": "notes.txt", "content": "new\n"}));
}

// covers: 10
#[test]
fn what_is_too_large_is_refused_or_cut() {
    let args = json!({"path": "notes.txt", "content": "12345"});
    refusals::refused_before_work(&TOOL, &args, &[("max_write_bytes", 4)], "content_too_large");
    let bytes = "x".repeat(10_485_761);
    refusals::refused_before_work(&TOOL, &json!({"path": "a", "content": bytes}), &[], "content_too_large");
}

// covers: 11
#[test]
fn what_is_written_is_what_is_read() {
    for (content, encoding) in [
        ("a\r\nb\n", "utf-8"),
        ("", "utf-8"),
        ("\u{feff}größe", "utf-8"),
        ("大きさ 🦀\n", "utf-16le"),
        ("größe\n", "utf-16be"),
        ("café", "windows-1252"),
        ("AP8AAQ==", "base64"),
    ] {
        let kit = file_kit(TOOL.setting()).build();
        let args = json!({"path": "new.txt", "content": content, "encoding": encoding});
        let written = kit.call_blocking("write_file", args).unwrap().data();
        let args = match encoding {
            "base64" => json!({"path": "new.txt", "binary": true}),
            _ => json!({"path": "new.txt", "encoding": encoding}),
        };
        let read = kit.call_blocking("read_file", args).unwrap().data();
        assert_eq!(
            (&read["content"], &read["version"]),
            (&json!(content), &written["version"]),
            "{encoding}"
        );
    }
    // What is appended piece by piece is what is written at once.
    let kit = file_kit(TOOL.setting()).build();
    for piece in ["a\r\n", "", "größe", "\n"] {
        kit.call_blocking("write_file", json!({"path": "new.txt", "content": piece, "mode": "append"}))
            .unwrap();
    }
    assert_eq!(crate::common::place(&kit).files().file("new.txt").unwrap(), "a\r\ngröße\n".as_bytes());
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
        |path| json!({"path": path, "content": "x"}),
        &protected,
        "d/e.txt",
    );
}

// covers: 14
#[test]
fn recovery_keeps_its_promise() {
    effects::recovery_keeps_its_promise(&TOOL, &json!({"path": "notes.txt", "content": "new\n"}));
    effects::recovery_keeps_its_promise(&TOOL, &json!({"path": "x/y/new.txt", "content": "new\n"}));
    effects::recovery_keeps_its_promise(
        &TOOL,
        &json!({"path": "notes.txt", "content": "new\n", "mode": "append"}),
    );
}
