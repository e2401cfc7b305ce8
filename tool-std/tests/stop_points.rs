//! Each operation of a tool that writes fails once in each way, and is once the last: the file is the old one or the new one,
//! and nothing temporary is left. (testing.md, acceptance 6)
//!
//! `faults.rs` does the same to system calls of another process, by `strace`; this needs nothing, and visits every index.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tool_core::ErrorKind;
use tool_core::test::{CallResult, ToolKit, Tree, file};
use tool_core::tree;
use tool_std::file::FILE_TOOLS;
use tool_std::test::{FaultFs, FilesExt as _, WorkspaceExt as _};
use tool_std::workspace::{Fault, Operation, Workspace};
use tool_trials::by_effort;

/// What can be wrong with one operation.
const FAULTS: [Fault; 5] =
    [Fault::DiskFull, Fault::ShortWrite, Fault::Denied, Fault::Vanished, Fault::Broken];

/// What a temporary name begins with.
const TEMPORARY: &str = ".toolbox-tmp-";

/// A call, what it is made in, what is there when it is done, and how many operations it takes at least. The count may grow; one
/// that shrinks is an operation that nobody fails any more.
struct Change {
    name: &'static str,
    tool: &'static str,
    args: Value,
    old: Tree,
    new: Tree,
    least: usize,
}

fn changes() -> Vec<Change> {
    let two = || tree! { "a.txt": file("one\ntwo\n").mode(0o640), "b.txt": "other\n" };
    let change = |name, tool, args, new, least| Change { name, tool, args, old: two(), new, least };
    let rewritten = |text: &str| tree! { "a.txt": file(text).mode(0o640), "b.txt": "other\n" };
    let large = "x".repeat(200_000);
    vec![
        change(
            "a new file",
            "write_file",
            json!({"path": "c.txt", "content": "new\n"}),
            tree! { "a.txt": file("one\ntwo\n").mode(0o640), "b.txt": "other\n", "c.txt": "new\n" },
            10,
        ),
        change(
            "a new file in new directories",
            "write_file",
            json!({"path": "d/e/c.txt", "content": "new\n"}),
            tree! { "a.txt": file("one\ntwo\n").mode(0o640), "b.txt": "other\n", "d/e/c.txt": "new\n" },
            20,
        ),
        change(
            "a file written anew",
            "write_file",
            json!({"path": "a.txt", "content": "new\n"}),
            rewritten("new\n"),
            12,
        ),
        change(
            "a large file written anew",
            "write_file",
            json!({"path": "a.txt", "content": large}),
            rewritten(&large),
            15,
        ),
        change(
            "an appended file",
            "write_file",
            json!({"path": "a.txt", "content": "three\n", "mode": "append"}),
            rewritten("one\ntwo\nthree\n"),
            7,
        ),
        change(
            "an edited file",
            "edit_file",
            json!({"path": "a.txt", "patch": "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"}),
            rewritten("one\n2\n"),
            14,
        ),
        change(
            "a moved file",
            "move_file",
            json!({"from": "a.txt", "to": "c.txt"}),
            tree! { "c.txt": file("one\ntwo\n").mode(0o640), "b.txt": "other\n" },
            11,
        ),
        change(
            "a file moved over another",
            "move_file",
            json!({"from": "a.txt", "to": "b.txt", "overwrite": true}),
            tree! { "b.txt": file("one\ntwo\n").mode(0o640) },
            9,
        ),
        change(
            "a file moved into new directories",
            "move_file",
            json!({"from": "a.txt", "to": "d/e/c.txt", "parents": true}),
            tree! { "b.txt": "other\n", "d/e/c.txt": file("one\ntwo\n").mode(0o640) },
            21,
        ),
    ]
}

/// Makes a change while one operation goes wrong.
fn made(change: &Change, faults: FaultFs) -> (ToolKit, Arc<FaultFs>, CallResult) {
    let faults = Arc::new(faults);
    let kit = ToolKit::new(&FILE_TOOLS).files_failing(change.old.clone(), faults.clone()).build();
    let result = kit.call_blocking(change.tool, change.args.clone());
    (kit, faults, result)
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TEMPORARY))
}

fn temporaries(tree: &Tree) -> Vec<PathBuf> {
    tree.paths().into_iter().filter(|path| is_temporary(path)).collect()
}

/// The files of a tree, without temporary ones; directories that are empty do not count.
fn contents(tree: &Tree) -> Vec<(PathBuf, Vec<u8>)> {
    let files = tree.paths().into_iter().filter(|path| !is_temporary(path));
    files.filter_map(|path| Some((path.clone(), tree.file(&path)?.to_vec()))).collect()
}

#[test]
fn without_a_fault_each_change_is_made_and_no_operation_is_lost() {
    let mut counts = Vec::new();
    let mut shrunk = false;
    for change in changes() {
        let (kit, faults, result) = made(&change, FaultFs::counting());
        result.unwrap();
        assert_eq!(kit.files(), change.new, "{}", change.name);
        let count = faults.operations().len();
        shrunk |= count < change.least;
        counts.push(format!("{}: {count}, once {}: {:?}", change.name, change.least, faults.operations()));
    }
    assert!(!shrunk, "fewer operations are announced than once:\n{}", counts.join("\n"));
}

#[test]
fn the_name_of_each_directory_that_is_made_is_made_durable() {
    let copy = json!({"from": "a.txt", "to": "d/e/c.txt", "parents": true});
    for (tool, args) in [
        ("write_file", json!({"path": "d/e/c.txt", "content": "new\n"})),
        ("move_file", copy.clone()),
        ("copy_file", copy),
        ("make_dir", json!({"path": "d/e"})),
    ] {
        let faults = Arc::new(FaultFs::counting());
        let kit = ToolKit::new(&FILE_TOOLS).files_failing(tree! { "a.txt": "one\n" }, faults.clone()).build();
        kit.call_blocking(tool, args).unwrap();
        let operations = faults.operations();
        let made = |operation: &Operation| *operation == Operation::MakeDirectory;
        assert_eq!(
            operations.iter().filter(|operation| made(operation)).count(),
            2,
            "{tool}: {operations:?}"
        );
        for (at, _) in operations.iter().enumerate().filter(|(_, operation)| made(operation)) {
            let then = &operations[at + 1..at + 3];
            assert_eq!(then, [Operation::Open, Operation::SyncDirectory], "{tool}: {operations:?}");
        }
    }
}

/// The faults of one operation: all of them, or each time another one.
fn faults(n: usize) -> Vec<Fault> {
    let each = by_effort(FAULTS.len(), 1);
    FAULTS.into_iter().enumerate().filter(|(at, _)| (at + n) % FAULTS.len() < each).map(|row| row.1).collect()
}

#[test]
fn after_each_failed_operation_the_file_is_old_or_new_and_nothing_temporary_is_left() {
    for change in changes() {
        let mut visited = 0;
        for n in 0.. {
            let hit = faults(n).into_iter().filter(|fault| failed(&change, n, *fault)).count();
            if hit == 0 {
                break;
            }
            visited += 1;
        }
        assert!(visited >= change.least, "{}: {visited} operations were failed", change.name);
    }
}

/// Makes a change while its n-th operation fails, and looks at what is left; says whether there was such an operation.
fn failed(change: &Change, n: usize, fault: Fault) -> bool {
    let (kit, faults, result) = made(change, FaultFs::fail_at(n, fault));
    let Some(hit) = faults.hit() else { return false };
    let (at, left) = (format!("{}: {hit:?} ({n}) {fault:?}", change.name), kit.files());
    assert!(temporaries(&left).is_empty(), "{at}: {left:?}");
    match result {
        Ok(_) => assert_eq!(left, change.new, "{at}"),
        Err(error) => {
            assert!(left == change.old || left == change.new, "{at}: {error}\n{left:?}");
            assert_ne!(error.kind(), ErrorKind::Internal, "{at}");
        }
    }
    true
}

#[test]
fn wherever_the_process_ends_the_file_is_old_or_new_and_leftovers_are_swept() {
    let old_enough = SystemTime::now() - Duration::from_secs(2 * 3_600);
    let mut leftovers = 0;
    for change in changes() {
        let mut visited = 0;
        for n in 0.. {
            let (kit, faults, result) = made(&change, FaultFs::stop_at(n));
            let Some(hit) = faults.hit() else { break };
            visited += 1;
            let (at, left) = (format!("{}: stopped before {hit:?} ({n})", change.name), kit.files());
            let found = contents(&left);
            match result {
                // It was only about to clean up.
                Ok(_) => assert_eq!(found, contents(&change.new), "{at}"),
                Err(_) => assert!(
                    found == contents(&change.old) || found == contents(&change.new),
                    "{at}: {left:?}"
                ),
            }
            for path in temporaries(&left) {
                leftovers += 1;
                File::open(kit.root().join(path)).unwrap().set_modified(old_enough).unwrap();
            }
            Workspace::open(kit.root(), Default::default()).unwrap();
            assert!(temporaries(&kit.files()).is_empty(), "{at}: {:?}", fs::read_dir(kit.root()));
        }
        assert!(visited >= change.least, "{}: {visited} stops", change.name);
    }
    assert!(leftovers > 10, "only {leftovers} stops left something to be swept");
}
