//! What is proved of every tool that works on files, by who records, breaks or stops the operations: effects, faults, stops,
//! signals and recovery.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tool_core::journal::state::{self, Recovery};
use tool_core::journal::{Journal as _, Reconciled, RecordedCall, Row, RowQuery, Status};
use tool_core::test::{CallResult, ToolKit, Tree};
use tool_core::{ErrorKind, ToolContext};
use tool_std::test::FaultFs;
use tool_std::workspace::{Fault, FileFaults, Operation};
use tool_trials::{ENDING, by_effort, load_factor};

use crate::common::{Place, Setting, Subject, place};

/// What can be wrong with one operation.
const FAULTS: [Fault; 5] =
    [Fault::DiskFull, Fault::ShortWrite, Fault::Denied, Fault::Vanished, Fault::Broken];

/// Operations that change something.
const CHANGING: [Operation; 7] = [
    Operation::MakeDirectory,
    Operation::Create,
    Operation::Write,
    Operation::SetMode,
    Operation::Rename,
    Operation::Truncate,
    Operation::Remove,
];

pub(crate) fn faulty(subject: &Subject, faults: &Arc<FaultFs>) -> Setting {
    Setting { faults: Some(faults.clone()), ..subject.setting() }
}

/// What is left of a call: the names, bytes and modes.
fn left(kit: &ToolKit) -> Tree {
    place(kit).files()
}

/// The definition says of the effects what the recorded operations show.
pub(crate) fn effects_are_told_truly(subject: &Subject) {
    let behavior = subject.def().behavior;
    let needs: Vec<&str> = subject.def().capabilities.iter().map(|need| need.short_name()).collect();
    // The kit's network refuses everything; who asks it fails the test.
    assert!(!behavior.open_world && needs == ["Workspace"], "{} {needs:?}", subject.tool);
    let (mut changed, mut destroyed) = (false, false);
    for args in subject.successes() {
        let old = (subject.files)();
        let faults = Arc::new(FaultFs::counting());
        let kit = subject.recipe(faulty(subject, &faults)).build();
        let first = kit.call_blocking(subject.tool, args.clone()).unwrap().data();
        let used = kit.io();
        assert!(!used.is_empty() && used.iter().all(|io| io.capability == "files"), "{args}: {used:?}");
        let operations = faults.operations();
        let changing: Vec<&Operation> = operations.iter().filter(|at| CHANGING.contains(at)).collect();
        let once = left(&kit);
        let second = kit.call_blocking(subject.tool, args.clone());
        kit.script().forgive();
        if !behavior.side_effect {
            assert!(changing.is_empty(), "{args}: {changing:?}");
            assert!(used.iter().all(|io| !io.what.starts_with("write ")), "{args}: {used:?}");
            assert_eq!((&once, left(&kit)), (&old, old.clone()), "{args}");
            assert_eq!(second.unwrap().data(), first, "{args}");
        } else if behavior.idempotent {
            assert_eq!(second.is_ok().then(|| left(&kit)), Some(once.clone()), "{args}");
        }
        assert!(once == old || !changing.is_empty(), "{args} changes what it does not announce");
        changed |= once != old;
        destroyed |= contents(&old).iter().any(|entry| !contents(&once).contains(entry));
    }
    assert_eq!(changed, behavior.side_effect, "{}", subject.tool);
    assert!(destroyed || !behavior.destructive, "{} destroys nothing", subject.tool);
}

/// Every operation fails once in every way: what is left is the old or the new, without anything temporary.
pub(crate) fn no_fault_leaves_half(subject: &Subject, args: &Value, least: usize) {
    let (kit, result) = subject.call(subject.setting(), args);
    result.unwrap();
    let (old, new) = ((subject.files)(), left(&kit));
    let mut visited = 0;
    for n in 0.. {
        let each = by_effort(FAULTS.len(), 2);
        let mut hits = 0;
        for (_, fault) in FAULTS.iter().enumerate().filter(|(at, _)| (at + n) % FAULTS.len() < each) {
            let faults = Arc::new(FaultFs::fail_at(n, *fault));
            let (kit, result) = subject.call(faulty(subject, &faults), args);
            let Some(hit) = faults.hit() else { continue };
            hits += 1;
            let (at, left) = (format!("{args}: {hit:?} ({n}) {fault:?}: {result:?}"), left(&kit));
            // What could not be removed is gone under its name, and swept later.
            let is_kept = hit == Operation::Remove && !temporaries(&left).is_empty();
            let is = |tree: &Tree| left == *tree || (is_kept && names(&left) == names(tree));
            assert!(is_kept || temporaries(&left).is_empty(), "{at}\n{left:?}");
            match result {
                Ok(_) => assert!(is(&new), "{at}"),
                Err(error) => {
                    assert!(is(&old) || is(&new), "{at}\n{left:?}");
                    assert!(
                        subject.codes.contains(&error.code_str()) || is_of_the_system(error.code_str()),
                        "{at}"
                    );
                    assert_ne!(error.kind(), ErrorKind::Internal, "{at}");
                }
            }
        }
        if hits == 0 {
            break;
        }
        visited += 1;
    }
    assert!(visited >= least, "{args}: only {visited} operations were failed");
}

/// The codes of files.md §3 that any operation of the system may come to.
fn is_of_the_system(code: &str) -> bool {
    [
        "sandbox_unavailable",
        "io_error",
        "disk_full",
        "permission_denied",
        "path_not_found",
        "path_changed",
        "quota_exceeded",
    ]
    .contains(&code)
}

/// Wherever the process ends, the old or the new is on disk.
pub(crate) fn no_stop_leaves_half(subject: &Subject, args: &Value, least: usize) {
    let (kit, result) = subject.call(subject.setting(), args);
    result.unwrap();
    let (old, new) = (contents(&(subject.files)()), contents(&left(&kit)));
    let mut visited = 0;
    for n in 0.. {
        let faults = Arc::new(FaultFs::stop_at(n));
        let (kit, result) = subject.call(faulty(subject, &faults), args);
        let Some(hit) = faults.hit() else { break };
        visited += 1;
        let left = left(&kit);
        let found = contents(&left);
        assert!(found == old || found == new, "{args}: stopped before {hit:?} ({n}): {result:?}\n{left:?}");
        assert!(result.is_err() || found == new, "{args}: {hit:?} ({n})");
    }
    assert!(visited >= least, "{args}: only {visited} stops");
}

/// Cancels when the n-th operation is about to be done, and notes when that was.
#[derive(Debug)]
struct CancelAt {
    n: usize,
    token: CancellationToken,
    seen: Mutex<(usize, Option<Instant>)>,
}

impl FileFaults for CancelAt {
    fn before(&self, _: Operation) -> Option<Fault> {
        let mut seen = self.seen.lock().unwrap();
        if seen.0 == self.n {
            seen.1 = Some(Instant::now());
            self.token.cancel();
        }
        seen.0 += 1;
        None
    }
}

/// Cancelled at any operation, or over time from the start, a call ends soon, and what is left is the old or the new.
pub(crate) fn signals_end_it(subject: &Subject, args: &Value) {
    let (kit, result) = subject.call(subject.setting(), args);
    result.unwrap();
    let (old, new) = ((subject.files)(), left(&kit));
    let token = CancellationToken::new();
    token.cancel();
    let kit = subject.recipe(subject.setting()).context(move |ctx| ctx.cancellation(token.clone())).build();
    assert_eq!(ended(&kit, subject, args).unwrap_err().kind(), ErrorKind::Cancelled, "{args}");
    assert_eq!(left(&kit), old, "{args}");
    for n in 0.. {
        let token = CancellationToken::new();
        let cancel = Arc::new(CancelAt { n, token: token.clone(), seen: Mutex::default() });
        let setting = Setting { faults: Some(cancel.clone()), ..subject.setting() };
        let kit = subject.recipe(setting).context(move |ctx| ctx.cancellation(token.clone())).build();
        let result = ended(&kit, subject, args);
        let Some(signal) = cancel.seen.lock().unwrap().1 else { break };
        assert!(signal.elapsed() < ENDING * load_factor(), "{args}: {n}");
        let left = contents(&left(&kit));
        assert!(left == contents(&old) || left == contents(&new), "{args}: {n}: {result:?}");
        match result {
            Ok(_) => assert_eq!(left, contents(&new), "{args}: {n}"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Cancelled, "{args}: {n}"),
        }
    }
    let began = Instant::now();
    let late = subject.recipe(subject.setting()).context(move |ctx| ctx.deadline(began)).build();
    let error = ended(&late, subject, args).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error:?}");
    assert!(began.elapsed() < ENDING * load_factor());
    assert_eq!(left(&late), old, "{args}");
}

/// How a call ended, when nothing of it runs any more.
fn ended(kit: &ToolKit, subject: &Subject, args: &Value) -> CallResult {
    let result = kit.call_blocking(subject.tool, args.clone());
    block_on(kit.executor().shutdown(ENDING * load_factor()));
    kit.script().forgive();
    result
}

/// A process that ends at any operation leaves a row in doubt, and what is done about it is what its class promises.
pub(crate) fn recovery_keeps_its_promise(subject: &Subject, args: &Value) {
    let (kit, result) = subject.call(subject.setting(), args);
    let told = result.unwrap().data();
    let (old, new) = ((subject.files)(), left(&kit));
    let (mut done, mut not_done) = (0, 0);
    for n in 0.. {
        let faults = Arc::new(FaultFs::stop_at(n));
        let (kit, _) = subject.call(faulty(subject, &faults), args);
        let left = left(&kit);
        let row = row(&kit);
        let dead = Row { status: Status::Running, effect: None, ..row };
        match state::recover(&dead, false) {
            Recovery::Reconcile => match reconciled(subject, &dead, place(&kit)) {
                Reconciled::Done(output) => {
                    assert_eq!(contents(&left), contents(&new), "{args}: {n}");
                    assert_eq!(output.data(), told, "{args}: {n}");
                    done += 1;
                }
                Reconciled::NotDone => {
                    assert_eq!(contents(&left), contents(&old), "{args}: {n}");
                    not_done += 1;
                }
                other => panic!("{args}: {n}: {other:?}\n{left:?}"),
            },
            Recovery::Rerun => {
                let was_made = left == new;
                let again = Setting { files: left, ..subject.setting() };
                let (kit, result) = subject.call(again, args);
                result.unwrap();
                assert_eq!(self::left(&kit), new, "{args}: {n}");
                *(if was_made { &mut done } else { &mut not_done }) += 1;
            }
            other => panic!("{args}: {other:?}"),
        }
        if faults.hit().is_none() {
            break;
        }
    }
    assert!(done > 0 && not_done > 0, "{args}: done {done}, not done {not_done}");
}

/// The row of the only call of a kit.
pub(crate) fn row(kit: &ToolKit) -> Row {
    let rows = block_on(kit.journal().rows(&RowQuery::default())).unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    rows.into_iter().next().unwrap()
}

fn reconciled(subject: &Subject, row: &Row, place: &Place) -> Reconciled {
    let workspace = place.reopened();
    let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
    let handler = subject.def().reconcile.unwrap();
    block_on((handler.run)(&RecordedCall::of(row, None), &ctx))
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn temporaries(tree: &Tree) -> Vec<PathBuf> {
    let is_temporary = |path: &PathBuf| path.to_string_lossy().contains(".toolbox-tmp-");
    tree.paths().into_iter().filter(is_temporary).collect()
}

/// Everything that has a name of its own, with the bytes of files.
fn names(tree: &Tree) -> Vec<(PathBuf, Option<&[u8]>)> {
    let paths = tree.paths().into_iter().filter(|path| !path.to_string_lossy().contains(".toolbox-tmp-"));
    paths.map(|path| (path.clone(), tree.file(&path))).collect()
}

/// The files of a tree and their bytes; nothing temporary, and no directory that waits for a file.
fn contents(tree: &Tree) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = tree.paths().into_iter().filter(|path| !path.to_string_lossy().contains(".toolbox-tmp-"));
    paths.filter_map(|path| Some((path.clone(), tree.file(&path)?.to_vec()))).collect()
}
