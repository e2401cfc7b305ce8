//! `copy_file`.

use std::path::Path;

use serde_json::json;
use tool_core::ErrorKind::{Denied, Failed, InvalidArgs};
use tool_core::tree;
use tool_std::file::copy_file;
use tool_std::workspace::{Fault, Operation};

use crate::common::{Case, Place, Subject, fails, file_kit, files, gives};
use crate::{effects, proofs, refusals, two_names};

const TOOL: Subject = Subject {
    tool: "copy_file",
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
        "is_a_directory",
        "not_a_directory",
        "not_regular_file",
        "file_too_large",
        "too_many_entries",
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
        gives("a file", json!({"from": "notes.txt", "to": "copy.txt"}), json!({"entries": 1, "bytes": 22})),
        gives(
            "a tree",
            json!({"from": "d", "to": "e", "recursive": true}),
            json!({"entries": 4, "bytes": 14}),
        ),
        gives(
            "what a link leads to",
            json!({"from": "in", "to": "copy.txt"}),
            json!({"entries": 1, "bytes": 6}),
        ),
        gives(
            "over what is there",
            json!({"from": "notes.txt", "to": "todo.txt", "overwrite": true}),
            json!({"bytes": 22}),
        ),
        gives(
            "with its directories",
            json!({"from": "notes.txt", "to": "x/y/z.txt", "parents": true}),
            json!({"entries": 1}),
        ),
        gives(
            "a file that nobody may write",
            json!({"from": "locked.txt", "to": "l.txt"}),
            json!({"bytes": 5}),
        ),
        fails(
            "a tree into itself",
            json!({"from": "d", "to": "d/deep/d", "recursive": true}),
            InvalidArgs,
            "moves_into_itself",
            "d/deep/d would lie in itself.",
        ),
        fails(
            "a directory without its files",
            json!({"from": "d", "to": "e"}),
            Failed,
            "is_a_directory",
            "d is a directory.\nhint: set recursive = true to copy everything in it",
        ),
        fails(
            "from above the root",
            json!({"from": "../a", "to": "new.txt"}),
            Denied,
            "path_escape",
            "../a is outside the workspace.",
        ),
        fails(
            "a pipe",
            json!({"from": "pipe", "to": "new.txt"}),
            Failed,
            "not_regular_file",
            "pipe is not a regular file (it is a FIFO).",
        )
        .prepare(crate::common::pipe),
        fails(
            "too many bytes",
            json!({"from": "notes.txt", "to": "new.txt"}),
            Failed,
            "file_too_large",
            "File too large (22 bytes; the limit is 21).",
        )
        .limit("copy_bytes", 21),
        fails(
            "too many entries",
            json!({"from": "d", "to": "e", "recursive": true}),
            Failed,
            "too_many_entries",
            "d has too many entries (the limit is 3).",
        )
        .limit("tree_entries", 3),
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
        .fault(Operation::Create, Fault::DiskFull),
        fails(
            "a broken device",
            json!({"from": "notes.txt", "to": "new.txt"}),
            Failed,
            "io_error",
            "new.txt could not be read or written.",
        )
        .fault(Operation::Create, Fault::Broken),
    ];
    own.into_iter().chain(two_names::cases()).collect()
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let place = Place::with(tree! { "a": { "b.txt": "b\n" } });
    let copy =
        |recursive| copy_file(Path::new("a"), Path::new("c"), false, recursive, false, &place.workspace);
    assert_eq!(copy(false).unwrap_err().code_str(), "is_a_directory");
    let copied = copy(true).unwrap();
    assert_eq!((copied.entries, copied.bytes), (2, 2));
    assert_eq!(place.files(), tree! { "a": { "b.txt": "b\n" }, "c": { "b.txt": "b\n" } });
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
    let (file, tree) =
        (json!({"from": "notes.txt", "to": "new"}), json!({"from": "d", "to": "new", "recursive": true}));
    bounds.extend::<[refusals::Bound; _]>([
        (file.clone(), &[("copy_bytes", 22)], None),
        (file, &[("copy_bytes", 21)], Some("file_too_large")),
        (tree.clone(), &[("copy_bytes", 14)], None),
        (tree.clone(), &[("copy_bytes", 13)], Some("file_too_large")),
        (tree.clone(), &[("tree_entries", 4)], None),
        (tree, &[("tree_entries", 3)], Some("too_many_entries")),
        (json!({"from": "none.txt", "to": "new"}), &[], None),
        (json!({"from": "bytes.bin", "to": "new"}), &[], None),
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
    effects::no_fault_leaves_half(&TOOL, &json!({"from": "notes.txt", "to": "new.txt"}), 10);
    effects::no_fault_leaves_half(
        &TOOL,
        &json!({"from": "notes.txt", "to": "x/y/new.txt", "parents": true}),
        16,
    );
    effects::no_fault_leaves_half(&TOOL, &json!({"from": "d", "to": "e", "recursive": true}), 10);
    effects::no_fault_leaves_half(
        &TOOL,
        &json!({"from": "notes.txt", "to": "todo.txt", "overwrite": true}),
        10,
    );
}

// covers: 8
#[test]
fn no_stop_leaves_half() {
    effects::no_stop_leaves_half(&TOOL, &json!({"from": "notes.txt", "to": "new.txt"}), 10);
    effects::no_stop_leaves_half(
        &TOOL,
        &json!({"from": "notes.txt", "to": "x/y/new.txt", "parents": true}),
        16,
    );
    effects::no_stop_leaves_half(&TOOL, &json!({"from": "d", "to": "e", "recursive": true}), 10);
    effects::no_stop_leaves_half(
        &TOOL,
        &json!({"from": "notes.txt", "to": "todo.txt", "overwrite": true}),
        10,
    );
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
fn a_copy_reads_as_its_original_and_deleting_it_is_going_back() {
    for (from, to) in
        [("notes.txt", "new.txt"), ("d", "e"), ("locked.txt", "d/l"), ("bytes.bin", "大きさ"), ("src", "s")]
    {
        let kit = file_kit(TOOL.setting()).answers([tool_core::test::answer::yes("delete_file")]).build();
        kit.call_blocking("copy_file", json!({"from": from, "to": to, "recursive": true})).unwrap();
        let left = crate::common::place(&kit).files();
        for path in left.paths().iter().filter(|path| path.starts_with(to)) {
            let original = Path::new(from).join(path.strip_prefix(to).unwrap());
            let original = if path == Path::new(to) { Path::new(from).to_owned() } else { original };
            assert_eq!(left.file(path), left.file(&original), "{path:?}");
        }
        kit.call_blocking("delete_file", json!({"path": to, "recursive": true})).unwrap();
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
        &[".netrc"],
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
