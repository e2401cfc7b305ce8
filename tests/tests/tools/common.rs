//! What the files of all tools share: how a tool and its cases are told, and the kit that they run in.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use tool_core::def::ToolDef;
use tool_core::test::{
    CallResult, Fixture, KitBuilder, TemporaryDirectory, ToolKit, Tree, answer, file, link,
};
use tool_core::{ErrorKind, Registry, ToolEntry, ToolError, tree};
use tool_std::file::FILE_TOOLS;
use tool_std::workspace::{Fault, FileFaults, Operation};
use tool_std::{Workspace, WorkspacePolicy};

use crate::commands::Owned;

/// A tool, what its calls find, and what they come to.
pub(crate) struct Subject {
    pub(crate) tool: &'static str,
    pub(crate) files: fn() -> Tree,
    pub(crate) cases: fn() -> Vec<Case>,
    /// Every code that is documented for it; `invalid_args` where the issues say it all.
    pub(crate) codes: &'static [&'static str],
    /// Members of its results that are other values in each kit.
    pub(crate) varying: &'static [&'static str],
    /// The recipe of a kit.
    pub(crate) kit: fn(Setting) -> KitBuilder,
}

/// What is special about the place of a call.
#[derive(Clone, Default)]
pub(crate) struct Setting {
    pub(crate) files: Tree,
    pub(crate) limits: Vec<(&'static str, u64)>,
    pub(crate) faults: Option<Arc<dyn FileFaults>>,
    /// Makes what a tree does not say, such as a pipe.
    pub(crate) prepare: Option<fn(&Path)>,
}

/// A call and what it comes to.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) args: Value,
    limits: Vec<(&'static str, u64)>,
    fault: Option<EveryTime>,
    prepare: Option<fn(&Path)>,
    /// Its outcome tells of times, which are others on each surface.
    pub(crate) tells_times: bool,
    pub(crate) expected: Expected,
}

/// What a call comes to: a result that says at least this, or an error with this kind, code and text: message, issues and hint.
pub(crate) enum Expected {
    Data(Value),
    Error(ErrorKind, &'static str, &'static str),
}

/// A call with a result that says at least this.
pub(crate) fn gives(name: &'static str, args: Value, data: Value) -> Case {
    Case {
        name,
        args,
        limits: Vec::new(),
        fault: None,
        prepare: None,
        tells_times: false,
        expected: Expected::Data(data),
    }
}

/// A call that fails.
pub(crate) fn fails(
    name: &'static str,
    args: Value,
    kind: ErrorKind,
    code: &'static str,
    text: &'static str,
) -> Case {
    Case { expected: Expected::Error(kind, code, text), ..gives(name, args, Value::Null) }
}

impl Case {
    pub(crate) fn limit(mut self, name: &'static str, value: u64) -> Self {
        self.limits.push((name, value));
        self
    }

    /// Every operation of a kind fails so.
    pub(crate) fn fault(mut self, operation: Operation, fault: Fault) -> Self {
        self.fault = Some(EveryTime(operation, fault));
        self
    }

    pub(crate) fn telling_times(mut self) -> Self {
        self.tells_times = true;
        self
    }

    pub(crate) fn prepare(mut self, make: fn(&Path)) -> Self {
        self.prepare = Some(make);
        self
    }

    pub(crate) fn setting(&self, files: Tree) -> Setting {
        let faults = self.fault.map(|fault| Arc::new(fault) as Arc<dyn FileFaults>);
        Setting { files, limits: self.limits.clone(), faults, prepare: self.prepare }
    }

    /// What is wrong with an outcome.
    pub(crate) fn wrong(&self, result: &CallResult) -> Option<String> {
        let is_so = match (&self.expected, result) {
            (Expected::Data(data), Ok(output)) => tool_core::test::says_all_of(data, &output.data()),
            (Expected::Error(kind, code, text), Err(error)) => {
                let told: &ToolError = error;
                (told.kind(), told.code_str(), told.to_string()) == (*kind, *code, (*text).to_owned())
            }
            _ => false,
        };
        (!is_so).then(|| format!("{}: {result:?}", self.name))
    }
}

/// Operations of one kind fail, whoever asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EveryTime(Operation, Fault);

impl FileFaults for EveryTime {
    fn before(&self, operation: Operation) -> Option<Fault> {
        (operation == self.0).then_some(self.1)
    }
}

impl Subject {
    pub(crate) fn entry(&self) -> &'static ToolEntry {
        registry().get(self.tool).unwrap()
    }

    pub(crate) fn def(&self) -> &'static ToolDef<'static> {
        self.entry().def()
    }

    /// A setting in which nothing is special.
    pub(crate) fn setting(&self) -> Setting {
        Setting { files: (self.files)(), ..Setting::default() }
    }

    /// The recipe of a kit whose calls are let run.
    pub(crate) fn recipe(&self, setting: Setting) -> KitBuilder {
        let answers = if self.def().behavior.destructive { 4 } else { 0 };
        (self.kit)(setting).answers((0..answers).map(|_| answer::yes(self.tool)))
    }

    /// Calls the tool once in a setting, and gives back the kit for a look at what is left.
    pub(crate) fn call(&self, setting: Setting, args: &Value) -> (ToolKit, CallResult) {
        let kit = self.recipe(setting).build();
        let result = kit.call_blocking(self.tool, args.clone());
        kit.script().forgive();
        (kit, result)
    }

    /// The same where nothing is special.
    pub(crate) fn result(&self, args: &Value) -> CallResult {
        self.call(self.setting(), args).1
    }

    /// Calls that succeed where nothing is special.
    pub(crate) fn successes(&self) -> Vec<Value> {
        let cases = (self.cases)().into_iter();
        let plain = cases.filter(|case| case.limits.is_empty() && case.prepare.is_none());
        let found: Vec<Value> =
            plain.filter(|case| matches!(case.expected, Expected::Data(_))).map(|case| case.args).collect();
        assert!(!found.is_empty(), "{} succeeds nowhere", self.tool);
        found
    }
}

/// The standard tools that are linked here.
pub(crate) fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let all = Registry::builder().discover().build().unwrap();
        let own = |entry: &&ToolEntry| entry.def().origin.source.krate == "tool-std";
        let names: Vec<&str> = all.iter().filter(own).map(ToolEntry::name).collect();
        assert_eq!(names.len(), 19, "{names:?}");
        all
    })
}

/// A root, and beside it what is kept for recovery.
pub(crate) struct Place {
    root: TemporaryDirectory,
    state: TemporaryDirectory,
    pub(crate) workspace: Workspace,
}

impl Fixture for Place {
    fn picture(&self) -> Value {
        self.root.picture()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.beside());
    }
}

impl Place {
    /// What only an attack reaches.
    pub(crate) fn beside(&self) -> std::path::PathBuf {
        self.root.path().with_extension("beside")
    }

    pub(crate) fn new(setting: &Setting) -> Place {
        let root = TemporaryDirectory::with(&setting.files).unwrap();
        let state = TemporaryDirectory::new().unwrap();
        if let Some(prepare) = setting.prepare {
            prepare(root.path());
        }
        let effects = Some(state.path().join("effects"));
        let mut policy = WorkspacePolicy { effects, ..WorkspacePolicy::default() };
        setting.limits.iter().for_each(|(name, value)| policy.limits.set(name, *value).unwrap());
        let workspace = Workspace::open(root.path(), policy).unwrap();
        if let Some(faults) = &setting.faults {
            workspace.inject(Arc::clone(faults));
        }
        Place { root, state, workspace }
    }

    /// A place with these files.
    pub(crate) fn with(files: Tree) -> Place {
        Place::new(&Setting { files, ..Setting::default() })
    }

    /// What is there now.
    pub(crate) fn files(&self) -> Tree {
        self.root.tree().unwrap()
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// The workspace as another process opens it, which nobody breaks.
    pub(crate) fn reopened(&self) -> Workspace {
        let effects = Some(self.state.path().join("effects"));
        Workspace::open(self.root.path(), WorkspacePolicy { effects, ..WorkspacePolicy::default() }).unwrap()
    }
}

/// The recipe of a kit for the tools that work on files.
pub(crate) fn file_kit(setting: Setting) -> KitBuilder {
    ToolKit::new(&FILE_TOOLS).fixture(move |ctx| {
        let place = Place::new(&setting);
        let workspace = place.workspace.clone();
        (ctx.provide_with(move |ctx| Arc::new(workspace.for_call(ctx))), place)
    })
}

/// What the calls of file tools find.
pub(crate) fn files() -> Tree {
    tree! {
        "notes.txt": "Milk\nBread\ntwo loaves\n",
        "todo.txt": "Wash\nSweep\n",
        "same.txt": "a\na\n",
        "shopping list.txt": "Salt\n",
        "crlf.txt": "one\r\ntwo\r\n",
        "open.txt": "first\nlast",
        "none.txt": "",
        "bytes.bin": b"\x00\xff\x00",
        "latin.txt": b"caf\xe9\n",
        "mark.txt": "\u{feff}grün\n",
        "locked.txt": file("kept\n").mode(0o444),
        "large.txt": "x".repeat(999) + "\n" + &"y".repeat(999) + "\n" + &"z".repeat(999) + "\n",
        "Cargo.toml": "[package]\n",
        "config.toml": "a = 1\n",
        "config.new.toml": "a = 2\n",
        "target.log": "done\n",
        ".hidden": "h\n",
        ".gitignore": "*.log\n",
        "target": { "out.o": "o\n" },
        "src": { "main.rs": "fn main() {\n    println!(\"a.b(c)\");\n    println!(\"grün\");\n}\n", "parser": { "mod.rs": "// parses\n" } },
        "d": { "e.txt": "below\n", "deep": { "f.txt": "deepest\n" } },
        "hollow/": {},
        "loop": link("loop"),
        "in": link("d/e.txt"),
        "latest": link("notes.txt"),
        "nowhere": link("gone.txt"),
    }
}

/// Makes a pipe, which nobody writes to.
pub(crate) fn pipe(root: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
}

/// Makes a link to what is beside the root, and something that is protected.
pub(crate) fn hostile(root: &Path) {
    let beside = root.with_extension("beside");
    std::fs::create_dir(&beside).unwrap();
    std::fs::write(beside.join("secret.txt"), CANARY).unwrap();
    std::os::unix::fs::symlink(&beside, root.join("outside")).unwrap();
    std::fs::create_dir_all(root.join(".git/hooks")).unwrap();
    std::fs::write(root.join(".git/config"), CANARY).unwrap();
    std::fs::write(root.join(".netrc"), CANARY).unwrap();
}

/// What no answer may hold.
pub(crate) const CANARY: &str = "canary-7d0e3b";

/// The place of a kit.
pub(crate) fn place(kit: &ToolKit) -> &Place {
    let alone = kit.fixture::<Place>();
    alone.or_else(|| kit.fixture::<Owned>().map(|owned| &owned.place)).unwrap()
}
