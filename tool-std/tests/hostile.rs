//! What a hostile tree, a hostile neighbour or a hostile caller gets: each refusal beside the same call where it is allowed.

#![cfg(test)]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};
use tool_core::{Call, Caller, Executor, Registry, ToolContext, ToolError};
use tool_std::workspace::{Access, Rule};
use tool_std::{Workspace, WorkspacePolicy};
use tool_trials::patience;

/// A root with a directory beside it.
struct Tree {
    _base: tool_trials::Directory,
    root: PathBuf,
    out: PathBuf,
}

impl Tree {
    fn new() -> Self {
        let base = tool_trials::directory();
        let (root, out) = (base.path().join("root"), base.path().join("out"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&out).unwrap();
        Self { _base: base, root, out }
    }

    fn tools(&self, policy: WorkspacePolicy) -> Tools {
        Tools::of(Workspace::open(&self.root, policy).unwrap())
    }
}

/// The tools of a workspace, called as a surface calls them.
struct Tools {
    executor: Executor,
    ctx: ToolContext,
}

impl Tools {
    fn of(workspace: Workspace) -> Self {
        let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
        let registry = Registry::builder().discover().build().unwrap();
        Self { executor: Executor::standard(registry).build().unwrap(), ctx }
    }

    fn call(&self, tool: &str, args: Value) -> Result<Value, ToolError> {
        self.executor
            .call_blocking(Call::new(tool, args), &self.ctx, Caller::Test)
            .map(|output| output.data())
    }

    fn code(&self, tool: &str, args: Value) -> String {
        match self.call(tool, args) {
            Ok(data) => format!("ok {data}"),
            Err(error) => error.code_str().to_owned(),
        }
    }
}

#[test]
fn special_files_are_refused_at_once_and_a_regular_one_is_read() {
    let tree = Tree::new();
    let tools = tree.tools(WorkspacePolicy::default());
    let path = |name: &str| tree.root.join(name);
    assert!(std::process::Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
    drop(std::os::unix::net::UnixListener::bind(path("socket")).unwrap());
    let mut names = vec!["fifo", "socket"];
    let device = std::process::Command::new("mknod").arg(path("zero")).args(["c", "1", "5"]).status();
    if device.is_ok_and(|status| status.success())
        && fs::metadata(path("zero")).unwrap().file_type().is_char_device()
    {
        names.push("zero");
    }
    let start = Instant::now();
    for name in names {
        for tool in ["read_file", "search_files", "write_file"] {
            let args = json!({"path": name, "pattern": "x", "content": "x"});
            let fitting = match tool {
                "read_file" => json!({"path": name}),
                "search_files" => json!({"path": name, "pattern": "x"}),
                _ => json!({"path": name, "content": args["content"]}),
            };
            assert_eq!(tools.code(tool, fitting), "not_regular_file", "{tool} {name}");
        }
    }
    assert!(start.elapsed() < patience());
    fs::write(path("regular"), "x").unwrap();
    assert_eq!(tools.call("read_file", json!({"path": "regular"})).unwrap()["content"], "x");
    let types: Vec<String> = tools.call("list_dir", json!({})).unwrap()["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["type"].as_str().unwrap().to_owned())
        .collect();
    assert!(types.contains(&"other".to_owned()) && types.contains(&"file".to_owned()));
}

#[test]
fn a_sparse_file_of_a_tebibyte_is_an_error_and_its_last_bytes_are_not() {
    let tree = Tree::new();
    let size = 1_u64 << 40;
    let file = fs::File::create(tree.root.join("sparse")).unwrap();
    if file.set_len(size).is_err() {
        println!("skipped: the file system has no sparse files of this size");
        return;
    }
    let tools = tree.tools(WorkspacePolicy::default());
    let start = Instant::now();
    assert_eq!(tools.code("read_file", json!({"path": "sparse"})), "file_too_large");
    assert_eq!(tools.code("search_files", json!({"path": "sparse", "pattern": "x"})), "file_too_large");
    let skipped = tools.call("search_files", json!({"pattern": "x"})).unwrap();
    assert_eq!(skipped["skipped"]["too_large"], 1);
    let args = json!({"path": "sparse", "binary": true, "byte_offset": size - 6, "byte_limit": 6});
    let tail = tools.call("read_file", args).unwrap();
    assert_eq!((&tail["content"], &tail["version"]), (&json!("AAAAAAAA"), &Value::Null));
    assert!(start.elapsed() < patience());
}

#[test]
fn a_file_that_grows_is_read_to_where_it_ended() {
    let tree = Tree::new();
    let path = tree.root.join("log");
    fs::write(&path, "line\n").unwrap();
    let tools = tree.tools(WorkspacePolicy::default());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use std::io::Write;
            let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
            while !done.load(Ordering::Relaxed) && file.metadata().unwrap().len() < 4 << 20 {
                file.write_all(&b"line\n".repeat(100)).unwrap();
            }
        });
        let start = Instant::now();
        for _ in 0..5 {
            // What is added becomes visible page by page: an end in the middle of a line is one, too.
            let before = fs::metadata(&path).unwrap().len();
            let read = tools.call("read_file", json!({"path": "log"})).unwrap();
            let size = read["size"].as_u64().unwrap();
            assert!((before..=fs::metadata(&path).unwrap().len()).contains(&size), "{size}");
            let text = read["content"].as_str().unwrap();
            assert!(!text.is_empty() && "line\n".repeat(text.len() / 5 + 1).starts_with(text), "{text}");
            tools.call("search_files", json!({"path": "log", "pattern": "nothing"})).unwrap();
        }
        done.store(true, Ordering::Relaxed);
        assert!(start.elapsed() < 6 * patience());
    });
}

#[test]
fn a_root_that_is_replaced_changes_nothing() {
    let tree = Tree::new();
    fs::write(tree.root.join("ok"), "in").unwrap();
    fs::write(tree.out.join("secret"), "SECRET").unwrap();
    let tools = tree.tools(WorkspacePolicy::default());
    fs::rename(&tree.root, tree.out.join("moved")).unwrap();
    symlink(&tree.out, &tree.root).unwrap();
    assert_eq!(tools.code("read_file", json!({"path": "secret"})), "path_not_found");
    assert_eq!(tools.call("read_file", json!({"path": "ok"})).unwrap()["content"], "in");
    tools.call("write_file", json!({"path": "new", "content": "x"})).unwrap();
    assert!(tree.out.join("moved/new").exists() && !tree.out.join("new").exists());
}

#[test]
fn hard_links_are_read_and_replaced_but_never_written_through() {
    let tree = Tree::new();
    let outside = tree.out.join("s");
    fs::write(&outside, "old").unwrap();
    fs::hard_link(&outside, tree.root.join("h")).unwrap();
    let append = json!({"path": "h", "content": "x", "mode": "append"});
    let tools = tree.tools(WorkspacePolicy::default());
    assert_eq!(tools.code("write_file", append.clone()), "hardlink_refused");
    let denying = tree.tools(WorkspacePolicy { hardlinks: Rule::Deny, ..Default::default() });
    assert_eq!(denying.code("read_file", json!({"path": "h"})), "hardlink_refused");
    assert_eq!(denying.code("write_file", json!({"path": "h", "content": "x"})), "hardlink_refused");
    assert_eq!(tools.call("read_file", json!({"path": "h"})).unwrap()["content"], "old");
    tools.call("write_file", json!({"path": "h", "content": "new"})).unwrap();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "old");
    tools.call("write_file", append).unwrap();
    assert_eq!(fs::read_to_string(tree.root.join("h")).unwrap(), "newx");
    assert_eq!(denying.call("read_file", json!({"path": "h"})).unwrap()["content"], "newx");
}

#[test]
fn sealed_files_are_refused_under_any_name_and_sealed_directories_are_not_shown() {
    let tree = Tree::new();
    let state = tree.root.join("state");
    fs::create_dir(&state).unwrap();
    fs::write(state.join("journal.db"), "SECRET").unwrap();
    fs::hard_link(state.join("journal.db"), tree.root.join("j")).unwrap();
    fs::write(tree.root.join("policy.toml"), "version = 1").unwrap();
    let policy = WorkspacePolicy {
        sealed: vec![state.clone()],
        sealed_files: vec![state.join("journal.db")],
        guarded_files: vec![tree.root.join("policy.toml")],
        ..Default::default()
    };
    let tools = tree.tools(policy);
    for path in ["j", "state/journal.db", "STATE/journal.db"] {
        assert_eq!(tools.code("read_file", json!({"path": path})), "protected_path", "{path}");
        assert_eq!(
            tools.code("write_file", json!({"path": path, "content": "x"})),
            "protected_path",
            "{path}"
        );
    }
    let listed = tools.call("list_dir", json!({"depth": 3})).unwrap().to_string();
    assert!(!listed.contains("state") && listed.contains("policy.toml"));
    assert_eq!(tools.call("search_files", json!({"pattern": "SECRET"})).unwrap()["matched_lines"], 0);
    assert_eq!(tools.code("write_file", json!({"path": "policy.toml", "content": "x"})), "protected_path");
    assert_eq!(tools.call("read_file", json!({"path": "policy.toml"})).unwrap()["content"], "version = 1");
    let open = tree.tools(WorkspacePolicy::default());
    assert_eq!(open.call("read_file", json!({"path": "j"})).unwrap()["content"], "SECRET");
}

#[test]
fn a_policy_named_through_links_is_not_replaced_by_replacing_one_of_them() {
    let tree = Tree::new();
    let root = &tree.root;
    fs::create_dir_all(root.join("real/deep")).unwrap();
    fs::create_dir_all(root.join("aside")).unwrap();
    fs::write(root.join("real/deep/policy.toml"), "version = 1").unwrap();
    symlink("../real", root.join("aside/first")).unwrap();
    fs::create_dir(root.join("between")).unwrap();
    symlink("between/../aside/first/deep", root.join("second")).unwrap();
    symlink("policy.toml", root.join("real/deep/link.toml")).unwrap();
    let named = root.join("second/link.toml");
    let tools = tree.tools(WorkspacePolicy { guarded_files: vec![named.clone()], ..Default::default() });
    for path in [
        "second/link.toml",
        "real/deep/link.toml",
        "second",
        "aside/first",
        "aside",
        "real",
        "real/deep",
        "between",
    ] {
        let delete = json!({"path": path, "recursive": true});
        assert_eq!(tools.code("delete_file", delete), "protected_path", "{path}");
        let away = json!({"from": path, "to": "away"});
        assert_eq!(tools.code("move_file", away), "protected_path", "{path}");
    }
    let write = json!({"path": "second/link.toml", "content": "x"});
    assert_eq!(tools.code("write_file", write.clone()), "protected_path");
    let over = json!({"from": "free", "to": "second/link.toml", "overwrite": true});
    symlink("real", root.join("free")).unwrap();
    assert_eq!(tools.code("move_file", over), "protected_path");
    assert_eq!(fs::read_to_string(&named).unwrap(), "version = 1");
    // What only lies beside the policy is free, by either name, and so is everything where nothing is guarded.
    tools.call("write_file", json!({"path": "second/new", "content": "x"})).unwrap();
    tools.call("move_file", json!({"from": "second/new", "to": "aside/new"})).unwrap();
    tools.call("delete_file", json!({"path": "free"})).unwrap();
    let open = tree.tools(WorkspacePolicy::default());
    open.call("delete_file", json!({"path": "second/link.toml"})).unwrap();
    open.call("write_file", write).unwrap();
    open.call("delete_file", json!({"path": "second"})).unwrap();
}

#[test]
fn secret_files_are_listed_and_never_opened() {
    let tree = Tree::new();
    fs::create_dir(tree.root.join(".ssh")).unwrap();
    fs::write(tree.root.join(".ssh/id_rsa"), "SECRET").unwrap();
    fs::write(tree.root.join("notes"), "SECRET").unwrap();
    symlink(".ssh/id_rsa", tree.root.join("innocent")).unwrap();
    symlink(".ssh", tree.root.join("dir")).unwrap();
    let tools = tree.tools(WorkspacePolicy::default());
    for path in [".ssh/id_rsa", ".SSH/ID_RSA", "innocent", "dir/id_rsa", "dir/new"] {
        let read = tools.code("read_file", json!({"path": path}));
        let write = tools.code("write_file", json!({"path": path, "content": "x"}));
        assert!(["protected_path", "path_not_found"].contains(&read.as_str()), "{path}: {read}");
        assert_eq!(write, "protected_path", "{path}");
    }
    let listed = tools.call("list_dir", json!({"hidden": true, "depth": 2})).unwrap().to_string();
    assert!(listed.contains(".ssh/id_rsa"));
    let found = tools.call("search_files", json!({"pattern": "SECRET", "hidden": true})).unwrap();
    assert_eq!(found["matches"][0]["path"], "notes");
    assert_eq!(found["matched_lines"], 1);
}

#[test]
fn names_that_are_not_text_can_be_used_in_the_form_they_are_shown_in() {
    use std::os::unix::ffi::OsStrExt;
    let tree = Tree::new();
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfe.t");
    fs::write(tree.root.join(name), "one\n").unwrap();
    let tools = tree.tools(WorkspacePolicy::default());
    let entry = tools.call("list_dir", json!({})).unwrap()["entries"][0].clone();
    let path = entry["path"].as_str().unwrap();
    assert_eq!(path, "raw:%FF%FE.t");
    assert_eq!(tools.call("read_file", json!({"path": path})).unwrap()["path"], path);
    assert_eq!(tools.call("search_files", json!({"pattern": "one"})).unwrap()["matches"][0]["path"], path);
    tools.call("write_file", json!({"path": path, "content": "two"})).unwrap();
    assert_eq!(fs::read_to_string(tree.root.join(name)).unwrap(), "two");
}

#[test]
fn a_read_tool_cannot_write_through_its_workspace() {
    let tree = Tree::new();
    fs::write(tree.root.join("f"), "x").unwrap();
    let workspace = Workspace::open(&tree.root, WorkspacePolicy::default()).unwrap();
    let path = workspace.resolve(Path::new("f")).unwrap();
    assert!(workspace.open_file(&path, Access::Append).is_ok());

    /// Tries to write, though it says that it only reads.
    #[tool_core::tool(register = false)]
    fn sneak(#[ctx] workspace: &Workspace) -> Result<(), ToolError> {
        let path = workspace.resolve(Path::new("f"))?;
        workspace.open_file(&path, Access::Append).map(drop)
    }
    /// Writes as it says.
    #[tool_core::tool(side_effect, idempotent, register = false)]
    fn honest(#[ctx] workspace: &Workspace) -> Result<(), ToolError> {
        let path = workspace.resolve(Path::new("f"))?;
        let mut file = workspace.open_file(&path, Access::Append)?;
        file.write_all(b"y").map_err(|error| ToolError::failed("It was not written.").source(error))
    }
    let registry = Registry::builder().add::<SneakTool>().add::<HonestTool>().build().unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
    let error = executor.call_blocking(Call::new("sneak", json!({})), &ctx, Caller::Test).unwrap_err();
    assert_eq!((error.kind().as_str(), error.code_str()), ("denied", "effect_not_declared"));
    assert_eq!(fs::read_to_string(tree.root.join("f")).unwrap(), "x", "the file is as it was");
    executor.call_blocking(Call::new("honest", json!({})), &ctx, Caller::Test).unwrap();
    assert_eq!(fs::read_to_string(tree.root.join("f")).unwrap(), "xy");
}

#[test]
fn a_cancelled_call_ends_between_two_files() {
    let tree = Tree::new();
    fs::write(tree.root.join("f"), "x").unwrap();
    let tools = tree.tools(WorkspacePolicy::default());
    for (tool, args) in [
        ("read_file", json!({"path": "f"})),
        ("list_dir", json!({})),
        ("search_files", json!({"pattern": "x"})),
        ("write_file", json!({"path": "f", "content": "y"})),
    ] {
        assert!(tools.call(tool, args.clone()).is_ok(), "{tool}");
        let cancelled = Tools::of(Workspace::open(&tree.root, WorkspacePolicy::default()).unwrap());
        cancelled.ctx.cancel();
        assert_eq!(cancelled.code(tool, args), "cancelled", "{tool}");
    }
}

#[test]
fn a_cancelled_copy_of_a_large_file_ends_within_it_and_leaves_nothing() {
    let tree = Tree::new();
    // A hole: it takes long to read and no room.
    fs::File::create(tree.root.join("large")).unwrap().set_len(1 << 30).unwrap();
    fs::write(tree.root.join("small"), "x").unwrap();
    let copy = |from: &str| json!({"from": from, "to": "copy"});
    let tools = tree.tools(WorkspacePolicy::default());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Once the copy has begun.
            let begun = || names(&tree.root).iter().any(|name| name.starts_with(".toolbox-tmp-"));
            let deadline = Instant::now() + tool_trials::patience();
            while !begun() && Instant::now() < deadline {
                std::thread::yield_now();
            }
            tools.ctx.cancel();
        });
        assert_eq!(tools.code("copy_file", copy("large")), "cancelled");
    });
    assert_eq!(names(&tree.root), ["large", "small"]);
    let others = tree.tools(WorkspacePolicy::default());
    assert!(others.call("copy_file", copy("small")).is_ok());
}

fn names(directory: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_workspace_that_is_not_there_is_told() {
    let tree = Tree::new();
    let open = |root: &std::path::Path| Workspace::open(root, WorkspacePolicy::default());
    let error = open(&tree.root.join("nowhere")).unwrap_err();
    assert_eq!((error.kind().as_str(), error.code_str()), ("not_found", "workspace_missing"));
    assert!(open(&tree.root).is_ok());
}

#[test]
fn a_full_quota_stops_writes_before_they_begin() {
    let tree = Tree::new();
    fs::write(tree.root.join("a"), "x".repeat(90)).unwrap();
    let tools =
        tree.tools(WorkspacePolicy { max_bytes: Some(100), max_files: Some(3), ..Default::default() });
    let write = |path: &str, bytes: usize| {
        tools.code("write_file", json!({"path": path, "content": "y".repeat(bytes)}))
    };
    assert_eq!(write("b", 11), "quota_exceeded");
    assert!(!tree.root.join("b").exists());
    assert!(write("b", 10).starts_with("ok"));
    assert_eq!(write("c", 1), "quota_exceeded");
    assert!(write("a", 80).starts_with("ok"));
    assert!(write("c", 1).starts_with("ok"));
    assert_eq!(write("d", 0), "quota_exceeded");
    assert_eq!(write("sub/d", 0), "quota_exceeded");
    assert!(!tree.root.join("sub").exists());
    // What is gone counts no more, whoever took it away.
    assert!(tools.code("delete_file", json!({"path": "c"})).starts_with("ok"));
    assert!(write("d", 1).starts_with("ok"));
    assert_eq!(write("e", 0), "quota_exceeded");
    fs::remove_file(tree.root.join("d")).unwrap();
    assert!(write("e", 1).starts_with("ok"));
}

#[test]
fn a_write_that_would_leave_too_little_free_space_is_refused() {
    let tree = Tree::new();
    let mut policy = WorkspacePolicy::default();
    policy.limits.set("free_space_floor", u64::MAX).unwrap();
    let args = json!({"path": "sub/f", "content": "x"});
    assert_eq!(tree.tools(policy).code("write_file", args.clone()), "disk_full");
    assert!(!tree.root.join("sub").exists());
    assert!(tree.tools(WorkspacePolicy::default()).call("write_file", args).is_ok());
}

#[test]
fn a_mount_point_is_refused_where_mounts_are_denied() {
    let tree = Tree::new();
    fs::create_dir(tree.root.join("m")).unwrap();
    fs::write(tree.out.join("f"), "x").unwrap();
    let is_mounted = std::process::Command::new("mount")
        .args(["--bind".as_ref(), tree.out.as_os_str(), tree.root.join("m").as_os_str()])
        .status()
        .is_ok_and(|status| status.success());
    if !is_mounted {
        println!("skipped: cannot mount here");
        return;
    }
    let results = [false, true].map(|without_openat2| {
        let missing: &[&str] = if without_openat2 { &["openat2"] } else { &[] };
        let open = |mounts| {
            let policy = WorkspacePolicy { mounts, ..Default::default() };
            Tools::of(Workspace::open_with(&tree.root, policy, missing).unwrap())
        };
        let args = json!({"path": "m/f"});
        let denied = open(Rule::Deny);
        let listed = denied.call("list_dir", json!({"depth": 2})).unwrap();
        (
            denied.code("read_file", args.clone()),
            denied.code("write_file", json!({"path": "m/f", "content": "y"})),
            denied.code("write_file", json!({"path": "m/new", "content": "y"})),
            listed["errors"][0]["code"].clone(),
            open(Rule::Allow).call("read_file", args).unwrap()["content"].clone(),
        )
    });
    assert!(std::process::Command::new("umount").arg(tree.root.join("m")).status().unwrap().success());
    for (read, write, new, listed, allowed) in results {
        assert_eq!([read, write, new], ["mount_refused"; 3]);
        assert_eq!((listed, allowed), (json!("mount_refused"), json!("x")));
    }
}

#[test]
fn a_replaced_file_keeps_mode_and_attributes() {
    use rustix::fs::{XattrFlags, fgetxattr, fsetxattr};
    let tree = Tree::new();
    let path = tree.root.join("f");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o750)).unwrap();
    let has_attributes =
        fsetxattr(fs::File::open(&path).unwrap(), "user.note", b"kept", XattrFlags::empty()).is_ok();
    let tools = tree.tools(WorkspacePolicy::default());
    tools.call("write_file", json!({"path": "f", "content": "new"})).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o750);
    if has_attributes {
        let mut value = [0u8; 16];
        let length = fgetxattr(fs::File::open(&path).unwrap(), "user.note", &mut value[..]).unwrap();
        assert_eq!(&value[..length], b"kept");
    }
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
    for mode in ["overwrite", "append"] {
        let args = json!({"path": "f", "content": "x", "mode": mode});
        assert_eq!(tools.code("write_file", args), "permission_denied", "{mode}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
}

#[test]
fn concurrent_writers_of_one_directory_lose_nothing() {
    let tree = Tree::new();
    let tools = tree.tools(WorkspacePolicy::default());
    std::thread::scope(|scope| {
        for n in 0..32 {
            let tools = &tools;
            scope.spawn(move || {
                let args = json!({"path": "sub/log", "content": format!("{n}\n"), "mode": "append"});
                tools.call("write_file", args).unwrap();
            });
        }
    });
    let mut lines: Vec<u32> = fs::read_to_string(tree.root.join("sub/log"))
        .unwrap()
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    lines.sort_unstable();
    assert_eq!(lines, (0..32).collect::<Vec<_>>());
}

#[test]
fn exactly_one_writer_wins_each_version() {
    let tree = Tree::new();
    fs::write(tree.root.join("f"), "0").unwrap();
    let tools = tree.tools(WorkspacePolicy::default());
    let version = tools.call("read_file", json!({"path": "f"})).unwrap()["version"].clone();
    let won = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for n in 1..=16 {
            let (tools, version, won) = (&tools, &version, &won);
            scope.spawn(move || {
                let args = json!({"path": "f", "content": format!("{n}"), "expected_version": version});
                match tools.code("write_file", args).as_str() {
                    "version_mismatch" => {}
                    other => {
                        assert!(other.starts_with("ok"), "{other}");
                        won.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(won.load(Ordering::Relaxed), 1);
    assert_eq!(fs::read_dir(&tree.root).unwrap().count(), 1, "temporary files are left");
}
