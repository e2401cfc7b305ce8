//! A workspace built for one case: the setup steps, placeholders and checks of the vector files `files` and `paths`.

pub(crate) mod engine;
#[path = "../support/records.rs"]
pub(crate) mod records;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use records::Records;
use serde_json::{Map, Value, json};
use tool_core::{Call, Caller, Registry, ToolContext, ToolError};
use tool_std::workspace::{Rule, Workspace, WorkspacePolicy};

/// What no answer may hold unless it was asked for.
pub(crate) const CANARY: &str = "canary-5f1c0f8a7e";

/// A root and a directory beside it.
pub(crate) struct Scene {
    _base: tool_trials::Directory,
    root: PathBuf,
    /// The root without links, where it is one.
    real: PathBuf,
}

impl Scene {
    /// Builds the tree of a case.
    pub(crate) fn new(case: &Value) -> Self {
        let base = tool_trials::directory();
        let path = fs::canonicalize(base.path()).unwrap();
        let is_link = steps(case).any(|step| step[0] == "root_is_link");
        let real = path.join(if is_link { "real" } else { "root" });
        let root = path.join("root");
        if !steps(case).any(|step| step[0] == "root_is_missing") {
            fs::create_dir(&real).unwrap();
        }
        fs::create_dir(path.join("out")).unwrap();
        if is_link {
            symlink(&real, &root).unwrap();
        }
        let scene = Self { _base: base, root, real };
        if case.to_string().contains("{JOURNAL}") {
            fs::create_dir(scene.state()).unwrap();
            for file in [scene.journal(), shared_memory(&scene.journal())] {
                fs::write(file, "SECRET").unwrap();
            }
        }
        steps(case).for_each(|step| scene.step(step));
        scene
    }

    /// Opens the workspace as the case configures it.
    pub(crate) fn open(&self, case: &Value) -> Result<Workspace, ToolError> {
        let mut policy = WorkspacePolicy::default();
        for (name, value) in case["limits"].as_object().into_iter().flatten() {
            policy.limits.set(name, value.as_u64().unwrap())?;
        }
        for (name, value) in case["config"].as_object().into_iter().flatten() {
            let rule = || if value == "deny" { Rule::Deny } else { Rule::Allow };
            match name.as_str() {
                "workspace.max_bytes" => policy.max_bytes = value.as_u64(),
                "workspace.max_files" => policy.max_files = value.as_u64(),
                "workspace.hardlinks" => policy.hardlinks = rule(),
                "workspace.mounts" => policy.mounts = rule(),
                other => panic!("unknown configuration {other}"),
            }
        }
        if self.state().exists() {
            let journal = self.journal();
            policy.sealed = vec![self.state()];
            policy.sealed_files = vec![journal.clone(), shared_memory(&journal)];
        }
        let missing: &[&str] = match std::env::var("TOOLBOX_SANDBOX_FORCE_MISSING").as_deref() {
            Ok("openat2") => &["openat2"],
            _ => &[],
        };
        Workspace::open_with(&self.root, policy, missing)
    }

    /// Runs a tool of the case through the executor.
    pub(crate) fn call(&self, case: &Value, call: &Value) -> Result<Value, ToolError> {
        self.call_recorded(case, call, &Records::new())
    }

    /// The same, with what is recorded of it.
    pub(crate) fn call_recorded(
        &self,
        case: &Value,
        call: &Value,
        records: &Records,
    ) -> Result<Value, ToolError> {
        let workspace = self.open(case)?;
        steps(case).for_each(|step| self.step_at_runtime(step));
        self.call_in(workspace, call, records)
    }

    fn call_in(&self, workspace: Workspace, call: &Value, records: &Records) -> Result<Value, ToolError> {
        let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
        let registry =
            Registry::builder().add_set(&tool_std::file::FILE_TOOLS).build().expect("the tools fit together");
        let executor = records.executor(registry);
        let tool = call["tool"].as_str().unwrap();
        let result = match call.get("raw_args") {
            Some(text) => {
                let text = self.fill(text);
                executor.call_text_blocking(tool, text.as_str().unwrap(), &ctx, Caller::Test)
            }
            None => executor.call_blocking(Call::new(tool, self.fill(&call["args"])), &ctx, Caller::Test),
        };
        result.map(|output| output.data())
    }

    /// A value of the case with its placeholders and repetitions written out.
    pub(crate) fn fill(&self, value: &Value) -> Value {
        match expand(value) {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(map) => map
                .iter()
                .map(|(key, value)| (self.text(key), self.fill(value)))
                .collect::<Map<_, _>>()
                .into(),
            other => other,
        }
    }

    fn text(&self, text: &str) -> String {
        let out = self.out();
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        text.replace("{ROOTNAME}", &name(&self.root))
            .replace("{OUTNAME}", &name(&out))
            .replace("{REALROOT}", self.real.to_str().unwrap())
            .replace("{ROOT}", self.root.to_str().unwrap())
            .replace("{OUT}", out.to_str().unwrap())
            .replace("{JOURNAL}", self.journal().to_str().unwrap())
            .replace("{CANARY}", CANARY)
    }

    /// Where the program keeps its state, if the case has any.
    pub(crate) fn state(&self) -> PathBuf {
        self.root.parent().unwrap().join("state")
    }

    /// The journal of the program.
    pub(crate) fn journal(&self) -> PathBuf {
        self.state().join("journal.db")
    }

    /// The root as it was named.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// What happens to the tree when the workspace is open already.
    fn step_at_runtime(&self, step: &Value) {
        if step[0] != "at_runtime" {
            return;
        }
        assert_eq!(step[1], "replace {ROOT} by symlink to {OUT}");
        fs::rename(&self.root, self.root.with_extension("old")).unwrap();
        symlink(self.out(), &self.root).unwrap();
    }

    /// The directory beside the root.
    pub(crate) fn out(&self) -> PathBuf {
        self.root.parent().unwrap().join("out")
    }

    fn step(&self, step: &Value) {
        let arg = |index: usize| {
            let value = self.fill(&step[index]);
            value.as_str().map_or_else(|| value.to_string(), str::to_owned)
        };
        let path = |index: usize| PathBuf::from(arg(index));
        let with_parents = |index: usize| {
            let path = path(index);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            path
        };
        match step[0].as_str().unwrap() {
            "root_is_link" | "root_is_missing" | "at_runtime" => {}
            "bind" => {
                let target = path(2);
                fs::create_dir_all(&target).unwrap();
                run("mount", &["--bind".into(), path(1), target]);
            }
            // One line of that length: a hole is a line of NUL bytes.
            "bigline" => {
                fs::File::create(with_parents(1)).unwrap().set_len(step[2].as_u64().unwrap()).unwrap()
            }
            "mkfiles" => {
                let directory = path(1);
                fs::create_dir_all(&directory).unwrap();
                // A million files take a minute to make: all of them on demand.
                let share = tool_trials::by_effort(1, 20);
                for number in 0..step[2].as_u64().unwrap() / share {
                    fs::File::create(directory.join(number.to_string())).unwrap();
                }
            }
            "mkdir" => fs::create_dir_all(path(1)).unwrap(),
            "write" => fs::write(with_parents(1), arg(2)).unwrap(),
            "writehex" => fs::write(with_parents(1), bytes(&arg(2))).unwrap(),
            "symlink" => symlink(arg(1), with_parents(2)).unwrap(),
            "hardlink" => fs::hard_link(path(1), with_parents(2)).unwrap(),
            "mkfifo" => run("mkfifo", &[with_parents(1)]),
            "unixsock" => drop(std::os::unix::net::UnixListener::bind(with_parents(1)).unwrap()),
            "mknod" => run("mknod", &[with_parents(1), path(2), path(3), path(4)]),
            "chmod" => {
                let mode = u32::from_str_radix(&arg(2), 8).unwrap();
                fs::set_permissions(path(1), fs::Permissions::from_mode(mode)).unwrap();
            }
            "truncate" => {
                let file =
                    fs::OpenOptions::new().create(true).truncate(false).write(true).open(with_parents(1));
                file.unwrap().set_len(step[2].as_u64().unwrap()).unwrap();
            }
            "mtime" => {
                let time = UNIX_EPOCH + Duration::from_secs(step[2].as_u64().unwrap());
                fs::File::open(path(1)).unwrap().set_modified(time).unwrap();
            }
            "rename_raw" => {
                let name = bytes(&arg(2));
                let to = path(1).parent().unwrap().join(OsStr::from_bytes(&name));
                fs::rename(path(1), to).unwrap();
            }
            "repeat" => {
                fs::write(with_parents(1), arg(2).repeat(step[3].as_u64().unwrap() as usize)).unwrap()
            }
            other => panic!("unknown setup step {other}"),
        }
    }

    /// What is wrong with the tree after the call.
    pub(crate) fn check_after(&self, case: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut expect = |is_so: bool, what: String| {
            if !is_so {
                wrong.push(what);
            }
        };
        let object = |name: &str| self.fill(&case[name]).as_object().cloned().unwrap_or_default();
        for (path, text) in object("after") {
            let got = fs::read_to_string(&path);
            expect(got.as_deref().ok() == text.as_str(), format!("{path} holds {got:?}"));
        }
        for (path, hex) in object("after_hex") {
            let got = fs::read(&path);
            expect(
                got.as_deref().ok() == Some(&bytes(hex.as_str().unwrap())),
                format!("{path} holds {got:?}"),
            );
        }
        for (path, target) in object("links") {
            let got = fs::read_link(&path);
            expect(got.as_deref().ok() == target.as_str().map(Path::new), format!("{path} leads to {got:?}"));
        }
        for (path, mode) in object("modes") {
            let got = format!("{:04o}", fs::metadata(&path).unwrap().mode() & 0o7777);
            expect(mode == got, format!("{path} has mode {got}"));
        }
        for (path, time) in object("mtime") {
            let got = fs::metadata(&path).unwrap().mtime();
            expect(time == got, format!("{path} has time {got}"));
        }
        for (path, names) in object("entries") {
            let read = fs::read_dir(&path).unwrap();
            let mut got: Vec<String> =
                read.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
            got.sort();
            expect(names == json!(got), format!("{path} has {got:?}"));
        }
        for path in self.fill(&case["absent"]).as_array().into_iter().flatten() {
            let path = path.as_str().unwrap();
            expect(fs::symlink_metadata(path).is_err(), format!("{path} exists"));
        }
        wrong
    }
}

/// Takes away what a case mounted, before its directory is removed with all that is in it.
impl Drop for Scene {
    fn drop(&mut self) {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let points = mounts.lines().filter_map(|line| line.split(' ').nth(1)).map(Path::new);
        points.filter(|point| point.starts_with(&self.real)).for_each(|point| run("umount", &[point.into()]));
    }
}

/// The file that SQLite shares the state of a journal by.
fn shared_memory(journal: &Path) -> PathBuf {
    let mut name = journal.as_os_str().to_owned();
    name.push("-shm");
    name.into()
}

fn steps(case: &Value) -> impl Iterator<Item = &Value> {
    case["setup"].as_array().into_iter().flatten()
}

/// Writes `{"repeat"}`, `{"concat"}` and `{"array_of"}` out.
pub(crate) fn expand(value: &Value) -> Value {
    let part = |value: &Value| expand(value).as_str().unwrap().to_owned();
    let count = || value["count"].as_u64().unwrap() as usize;
    match value.as_object() {
        Some(map) if map.contains_key("repeat") => part(&value["repeat"]).repeat(count()).into(),
        Some(map) if map.contains_key("concat") => {
            value["concat"].as_array().unwrap().iter().map(part).collect::<String>().into()
        }
        Some(map) if map.contains_key("array_of") => vec![expand(&value["array_of"]); count()].into(),
        _ => value.clone(),
    }
}

/// What is wrong with a result, by the rules of the vector files.
pub(crate) fn compare(expect: &Value, case: &Value, result: &Result<Value, ToolError>) -> Vec<String> {
    compare_told(expect, case, result.as_ref().map_err(ToolError::to_json))
}

/// What is wrong with a result, or with the JSON of an error, as a surface tells it.
pub(crate) fn compare_told(expect: &Value, case: &Value, result: Result<&Value, Value>) -> Vec<String> {
    let mut wrong = Vec::new();
    match (result, expect.get("ok"), expect.get("error")) {
        (Ok(data), Some(expected), _) => {
            agree("", expected, &counted(case, data), &mut wrong);
            for field in case["has"].as_array().into_iter().flatten() {
                if data.get(field.as_str().unwrap()).is_none() {
                    wrong.push(format!("{field} is missing"));
                }
            }
        }
        (Err(error), _, Some(expected)) => compare_error(expected, &error, &mut wrong),
        (Ok(data), ..) => wrong.push(format!("succeeded with {}", cut(data))),
        (Err(error), ..) => wrong.push(format!("failed with {error}")),
    }
    wrong
}

/// A result in which the lists that a case only counts are numbers.
fn counted(case: &Value, data: &Value) -> Value {
    let mut data = data.clone();
    for field in case["counts"].as_array().into_iter().flatten() {
        let field = field.as_str().unwrap();
        data[field] = data[field].as_array().map_or(Value::Null, |list| list.len().into());
    }
    data
}

fn compare_error(expected: &Value, got: &Value, wrong: &mut Vec<String>) {
    for field in ["kind", "code", "message"] {
        if expected.get(field).is_some_and(|value| *value != got[field]) {
            wrong.push(format!("{field} is {}", got[field]));
        }
    }
    for (field, of) in [("message_contains", "message"), ("hint_contains", "hint")] {
        if let Some(part) = expected[field].as_str()
            && !got[of].as_str().unwrap_or_default().contains(part)
        {
            wrong.push(format!("{of} is {}", got[of]));
        }
    }
    for (key, value) in expected["details"].as_object().into_iter().flatten() {
        if got["details"].get(key) != Some(value) {
            wrong.push(format!("details are {}", got["details"]));
        }
    }
    for path in expected["issues"].as_array().into_iter().flatten() {
        let issues = got["issues"].as_array().cloned().unwrap_or_default();
        if !issues.iter().any(|issue| issue["path"] == *path) {
            wrong.push(format!("issues are {issues:?}"));
        }
    }
}

/// The given fields are equal; lists of objects have the same length and agree item by item.
fn agree(at: &str, expected: &Value, got: &Value, wrong: &mut Vec<String>) {
    match (expected, got) {
        (Value::Object(expected), Value::Object(fields)) => {
            for (key, value) in expected {
                match fields.get(key) {
                    Some(field) => agree(&format!("{at}/{key}"), value, field, wrong),
                    None => wrong.push(format!("{at}/{key} is missing")),
                }
            }
        }
        (Value::Array(expected), Value::Array(items)) if expected.len() == items.len() => {
            for (index, (expected, item)) in expected.iter().zip(items).enumerate() {
                agree(&format!("{at}/{index}"), expected, item, wrong);
            }
        }
        _ if expected == got => {}
        _ => wrong.push(format!("{at} is {}", cut(got))),
    }
}

fn cut(value: &Value) -> String {
    value.to_string().chars().take(400).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|digits| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap())
        .collect()
}

fn run(program: &str, args: &[PathBuf]) {
    assert!(std::process::Command::new(program).args(args).status().unwrap().success(), "{program}");
}

/// Whether something took longer than a case allows, on a machine that is shared.
pub(crate) fn is_late(case: &Value, start: Instant) -> bool {
    const LOAD: u64 = 30;
    case["within_ms"].as_u64().is_some_and(|limit| start.elapsed() > Duration::from_millis(limit * LOAD))
}

/// Why a case cannot run here.
pub(crate) fn unmet(case: &Value) -> Option<String> {
    let is_root = rustix::process::geteuid().is_root();
    case["needs"].as_array().into_iter().flatten().find_map(|need| {
        let is_met = match need.as_str().unwrap() {
            "root" | "mknod" => is_root,
            "non_root" => !is_root,
            "mount" => is_root,
            "disk_4gib" => true,
            _ => false,
        };
        (!is_met).then(|| need.to_string())
    })
}
