//! Calls that a journal records, one for each way in which a file tool changes something.
#![allow(dead_code, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tool_core::journal::{Journal, MemoryJournal, Reconciled, RecordedCall, Row, RowQuery};
use tool_core::{Call, Caller, Executor, JournalMode, Registry, ToolContext, ToolError, ToolResult};
use tool_std::{Workspace, WorkspacePolicy};

/// A call and what it changes.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) tool: &'static str,
    args: &'static str,
    /// The file that is another one afterwards.
    pub(crate) changes: &'static str,
    pub(crate) is_undone: bool,
}

impl Change {
    pub(crate) fn args(&self) -> Value {
        serde_json::from_str(self.args).unwrap()
    }

    /// Whether it has old bytes to keep.
    pub(crate) fn is_replacing(&self) -> bool {
        self.changes == "a.txt"
    }
}

const fn change(tool: &'static str, args: &'static str, changes: &'static str, is_undone: bool) -> Change {
    Change { tool, args, changes, is_undone }
}

/// Every way.
pub(crate) const CHANGES: &[Change] = &[
    change("write_file", r#"{"path": "a.txt", "content": "new\n"}"#, "a.txt", true),
    change("write_file", r#"{"path": "sub/n.txt", "content": "new\n"}"#, "sub/n.txt", true),
    change("write_file", r#"{"path": "a.txt", "content": "more\n", "mode": "append"}"#, "a.txt", true),
    change("edit_file", r#"{"path": "a.txt", "patch": "@@ -2 +2 @@\n-two\n+2\n"}"#, "a.txt", true),
    change("replace_text", r#"{"path": "a.txt", "old": "two", "new": "2"}"#, "a.txt", true),
    change(
        "edit_lines",
        r#"{"path": "a.txt", "patches": [{"start_line": 1, "end_line": 1, "content": "1"}]}"#,
        "a.txt",
        true,
    ),
    change("write_file", r#"{"path": "sub/p/q/n.txt", "content": "new\n"}"#, "sub/p/q/n.txt", true),
    change("make_dir", r#"{"path": "x/y/z"}"#, "x/y/z", true),
    change("move_file", r#"{"from": "a.txt", "to": "sub/c.txt"}"#, "sub/c.txt", true),
    change("move_file", r#"{"from": "a.txt", "to": "b.txt", "overwrite": true}"#, "b.txt", true),
    change("move_file", r#"{"from": "a.txt", "to": "p/q/c.txt", "parents": true}"#, "p/q/c.txt", true),
    change("copy_file", r#"{"from": "a.txt", "to": "p/q/c.txt", "parents": true}"#, "p/q/c.txt", true),
    change("copy_file", r#"{"from": "a.txt", "to": "c.txt"}"#, "c.txt", true),
    change("copy_file", r#"{"from": "a.txt", "to": "b.txt", "overwrite": true}"#, "b.txt", true),
    change("copy_file", r#"{"from": "sub", "to": "tree", "recursive": true}"#, "tree", false),
    change("delete_file", r#"{"path": "a.txt"}"#, "a.txt", false),
    change("delete_file", r#"{"path": "sub", "recursive": true}"#, "sub", false),
];

/// Every tool that only looks.
pub(crate) const LOOKS: &[Change] = &[
    change("read_file", r#"{"path": "a.txt"}"#, "", false),
    change("read_file", r#"{"path": "a.txt", "binary": true}"#, "", false),
    change("search_files", r#"{"pattern": "o"}"#, "", false),
    change("list_dir", r#"{"depth": 9}"#, "", false),
    change("find_files", r#"{"pattern": "*"}"#, "", false),
    change("file_info", r#"{"path": "a.txt"}"#, "", false),
    change("file_exists", r#"{"path": "sub/k.txt"}"#, "", false),
];

/// The mode of `a.txt`, which no new file has.
pub(crate) const MODE: u32 = 0o640;

/// What a handler says.
#[derive(Debug, PartialEq)]
pub(crate) enum Told {
    Done(Value),
    NotDone,
    Unknown,
}

/// A workspace and a state directory beside it.
pub(crate) struct Recorded {
    directory: tool_trials::Directory,
    change: &'static Change,
    journal: MemoryJournal,
    workspace: Workspace,
}

/// The files that every change begins with.
pub(crate) fn plant(root: &Path) {
    let _ = fs::remove_dir_all(root);
    fs::create_dir_all(root.join("sub/inner")).unwrap();
    for (name, text) in [
        ("a.txt", "one\ntwo\nthree\n"),
        ("b.txt", "other\n"),
        ("sub/k.txt", "kept\n"),
        ("sub/inner/l.txt", "l\n"),
    ] {
        fs::write(root.join(name), text).unwrap();
    }
    fs::set_permissions(root.join("a.txt"), fs::Permissions::from_mode(MODE)).unwrap();
}

/// A tree: paths with modes and bytes; directories have none.
pub(crate) type Picture = BTreeMap<PathBuf, Option<(u32, Vec<u8>)>>;

pub(crate) fn picture(root: &Path) -> Picture {
    let (mut found, mut left) = (BTreeMap::new(), vec![root.to_path_buf()]);
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let mode = || path.metadata().unwrap().permissions().mode();
            let file = if path.is_dir() { None } else { Some((mode(), fs::read(&path).unwrap())) };
            if file.is_none() {
                left.push(path.clone());
            }
            found.insert(path.strip_prefix(root).unwrap().to_owned(), file);
        }
    }
    found
}

/// An executor of the file tools with a journal.
pub(crate) fn executor(journal: Option<Arc<dyn Journal>>) -> Executor {
    let registry = Registry::builder().add_set(&tool_std::file::FILE_TOOLS).build().unwrap();
    let builder = Executor::standard(registry);
    match journal {
        Some(journal) => builder.journal(journal, JournalMode::Effects, "test 1").build().unwrap(),
        None => builder.build().unwrap(),
    }
}

pub(crate) fn context(workspace: &Workspace) -> ToolContext {
    let workspace = workspace.clone();
    ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build()
}

impl Recorded {
    pub(crate) fn new(change: &'static Change) -> Self {
        Self::with(change, |_| {})
    }

    pub(crate) fn with(change: &'static Change, set: impl FnOnce(&mut WorkspacePolicy)) -> Self {
        let directory = tool_trials::directory();
        plant(&directory.path().join("root"));
        let effects = Some(directory.path().join("state/effects"));
        let mut policy = WorkspacePolicy { effects, ..Default::default() };
        set(&mut policy);
        let workspace = Workspace::open(&directory.path().join("root"), policy).unwrap();
        Self { directory, change, journal: MemoryJournal::new(), workspace }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    pub(crate) fn effects(&self) -> PathBuf {
        self.directory.path().join("state/effects")
    }

    pub(crate) fn picture(&self) -> Picture {
        picture(&self.root())
    }

    /// Everything as it was, under the same root handle.
    pub(crate) fn reset(&self) {
        for entry in fs::read_dir(self.root()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
        let other = self.directory.path().join("other");
        plant(&other);
        for entry in fs::read_dir(&other).unwrap() {
            let entry = entry.unwrap();
            fs::rename(entry.path(), self.root().join(entry.file_name())).unwrap();
        }
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    pub(crate) fn call(&self) -> ToolResult {
        self.call_with(self.change.args(), "first")
    }

    pub(crate) fn call_with(&self, args: Value, key: &str) -> ToolResult {
        let executor = executor(Some(Arc::new(self.journal.another())));
        let call = Call { idempotency_key: Some(key.to_owned()), ..Call::new(self.change.tool, args) };
        Self::block_on(executor.call(call, &context(&self.workspace), Caller::Test))
    }

    pub(crate) fn call_unrecorded(&self) -> ToolResult {
        let call = Call::new(self.change.tool, self.change.args());
        Self::block_on(executor(None).call(call, &context(&self.workspace), Caller::Test))
    }

    fn row(&self, key: &str) -> Row {
        let rows = Self::block_on(self.journal.rows(&RowQuery::default())).unwrap();
        rows.into_iter().find(|row| row.tool_key == key).unwrap()
    }

    pub(crate) fn reconcile(&self) -> Told {
        let call = RecordedCall::of(&self.row("first"), None);
        reconcile(self.change.tool, &call, &self.workspace)
    }

    pub(crate) fn revert(&self) -> Result<(), ToolError> {
        self.revert_of("first")
    }

    /// As `toolbox journal revert` does it.
    pub(crate) fn revert_of(&self, key: &str) -> Result<(), ToolError> {
        let executor = executor(None);
        let handler = executor.registry().get(self.change.tool).unwrap().def().revert;
        let Some(handler) = handler else { return Err(ToolError::failed("none").code("no_handler")) };
        let call = RecordedCall::of(&self.row(key), None);
        Self::block_on((handler.run)(&call, &context(&self.workspace)))
    }
}

/// What the handler of a tool says about a call.
pub(crate) fn reconcile(tool: &str, call: &RecordedCall, workspace: &Workspace) -> Told {
    let executor = executor(None);
    let handler = executor.registry().get(tool).unwrap().def().reconcile.unwrap();
    match Recorded::block_on((handler.run)(call, &context(workspace))) {
        Reconciled::Done(output) => Told::Done(output.structured.unwrap_or_default().into_value()),
        Reconciled::NotDone => Told::NotDone,
        Reconciled::Failed(_) | Reconciled::Unknown => Told::Unknown,
    }
}
