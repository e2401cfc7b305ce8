//! What the tools that change files promise, in the form of the vectors: a tree, a call, its answer, the tree after it.

#![cfg(test)]

#[allow(dead_code, reason = "a test file uses what it needs of a scene")]
mod scene;

use std::time::Instant;

use scene::Scene;
use serde_json::{Value, json};

/// Runs a case and reports all that is wrong.
#[track_caller]
fn holds(case: Value) {
    let scene = Scene::new(&case);
    let start = Instant::now();
    let result = scene.call(&case, &case["call"]);
    let mut wrong = scene::compare(&scene.fill(&case["expect"]), &case, &result);
    wrong.extend(scene.check_after(&case));
    if scene::is_late(&case, start) {
        wrong.push(format!("took {:?}", start.elapsed()));
    }
    assert!(wrong.is_empty(), "{}: {wrong:?}", case["call"]);
}

#[track_caller]
fn refused(setup: Value, tool: &str, args: Value, error: Value, rest: Value) {
    let case = json!({"setup": setup, "call": {"tool": tool, "args": args}, "expect": {"error": error}});
    holds(with(case, rest));
}

#[track_caller]
fn succeeds(setup: Value, tool: &str, args: Value, ok: Value, rest: Value) {
    let case = json!({"setup": setup, "call": {"tool": tool, "args": args}, "expect": {"ok": ok}});
    holds(with(case, rest));
}

fn with(mut case: Value, rest: Value) -> Value {
    for (key, value) in rest.as_object().into_iter().flatten() {
        case[key] = value.clone();
    }
    case
}

#[test]
fn a_name_that_is_taken_is_not_moved_or_copied_into() {
    let setup = json!([["write", "{ROOT}/a", "1"], ["write", "{ROOT}/d/x", "2"], ["write", "{ROOT}/b", "3"]]);
    for tool in ["move_file", "copy_file"] {
        for overwrite in [false, true] {
            refused(
                setup.clone(),
                tool,
                json!({"from": "a", "to": "d", "overwrite": overwrite}),
                json!({"code": "already_exists", "hint_contains": "to = \"d/a\""}),
                json!({"after": {"{ROOT}/a": "1", "{ROOT}/d/x": "2"}}),
            );
        }
        let error = json!({"kind": "conflict", "code": "already_exists", "message": "b exists already."});
        refused(
            setup.clone(),
            tool,
            json!({"from": "a", "to": "b"}),
            error,
            json!({"after": {"{ROOT}/b": "3"}}),
        );
        let args = json!({"from": "a", "to": "b", "overwrite": true});
        succeeds(setup.clone(), tool, args, json!({}), json!({"after": {"{ROOT}/b": "1"}}));
        let entries = json!({"{ROOT}/d": ["a", "x"]});
        succeeds(
            setup.clone(),
            tool,
            json!({"from": "a", "to": "d/a"}),
            json!({}),
            json!({"entries": entries}),
        );
    }
}

#[test]
fn a_directory_replaces_an_empty_one_and_no_other() {
    let setup =
        json!([["write", "{ROOT}/d/x", "1"], ["write", "{ROOT}/full/y", "2"], ["mkdir", "{ROOT}/empty"]]);
    for (tool, recursive) in [("move_file", json!({})), ("copy_file", json!({"recursive": true}))] {
        let args = |to: &str| with(json!({"from": "d", "to": to, "overwrite": true}), recursive.clone());
        let error = json!({"kind": "conflict", "code": "directory_not_empty"});
        let after = json!({"after": {"{ROOT}/d/x": "1", "{ROOT}/full/y": "2"}, "entries": {"{ROOT}": ["d", "empty", "full"]}});
        refused(setup.clone(), tool, args("full"), error, after);
        succeeds(setup.clone(), tool, args("empty"), json!({}), json!({"after": {"{ROOT}/empty/x": "1"}}));
    }
}

#[test]
fn nothing_is_moved_or_copied_into_itself() {
    let setup = json!([["write", "{ROOT}/d/x", "1"], ["symlink", "d", "{ROOT}/l"]]);
    let error = json!({"kind": "invalid_args", "code": "moves_into_itself"});
    for to in ["d", "d/e", "l/e", "./d/../d/e"] {
        let args = json!({"from": "d", "to": to, "overwrite": true});
        refused(setup.clone(), "move_file", args.clone(), error.clone(), json!({}));
        let args = with(args, json!({"recursive": true}));
        refused(setup.clone(), "copy_file", args, error.clone(), json!({"entries": {"{ROOT}/d": ["x"]}}));
    }
    let args = json!({"from": "d", "to": "d2"});
    succeeds(setup, "move_file", args, json!({"type": "dir"}), json!({"after": {"{ROOT}/d2/x": "1"}}));
}

#[test]
fn a_link_is_moved_and_deleted_itself() {
    let setup = json!([
        ["write", "{ROOT}/f", "1"],
        ["symlink", "f", "{ROOT}/l"],
        ["symlink", "none", "{ROOT}/dangling"]
    ]);
    let moved = json!({"links": {"{ROOT}/m": "f"}, "after": {"{ROOT}/f": "1"}, "absent": ["{ROOT}/l"]});
    succeeds(setup.clone(), "move_file", json!({"from": "l", "to": "m"}), json!({"type": "symlink"}), moved);
    let moved = json!({"links": {"{ROOT}/m": "none"}});
    succeeds(setup.clone(), "move_file", json!({"from": "dangling", "to": "m"}), json!({}), moved);
    let gone = json!({"absent": ["{ROOT}/l"], "after": {"{ROOT}/f": "1"}});
    succeeds(setup.clone(), "delete_file", json!({"path": "l"}), json!({"entries": 1}), gone);
    let error = json!({"code": "not_a_directory"});
    refused(setup, "delete_file", json!({"path": "l/"}), error, json!({"links": {"{ROOT}/l": "f"}}));
    let outside = json!([["symlink", "../{OUTNAME}", "{ROOT}/l"]]);
    let error = json!({"code": "path_escape"});
    refused(
        outside,
        "move_file",
        json!({"from": "l", "to": "m"}),
        error,
        json!({"links": {"{ROOT}/l": "../{OUTNAME}"}}),
    );
}

#[test]
fn writing_through_a_link_keeps_the_link() {
    let setup =
        json!([["write", "{ROOT}/f", "old\n"], ["symlink", "f", "{ROOT}/l"], ["write", "{ROOT}/a", "new\n"]]);
    let after = json!({"links": {"{ROOT}/l": "f"}, "after": {"{ROOT}/f": "new\n"}});
    let calls = [
        ("edit_file", json!({"path": "l", "patch": "@@ -1 +1 @@\n-old\n+new\n"})),
        ("edit_lines", json!({"path": "l", "patches": [{"start_line": 1, "end_line": 1, "content": "new"}]})),
        ("replace_text", json!({"path": "l", "old": "old", "new": "new"})),
        ("copy_file", json!({"from": "a", "to": "l", "overwrite": true})),
        ("move_file", json!({"from": "a", "to": "l", "overwrite": true})),
    ];
    for (tool, args) in calls {
        succeeds(setup.clone(), tool, args, json!({}), after.clone());
    }
}

#[test]
fn a_tree_that_cannot_be_copied_whole_is_not_copied_at_all() {
    let args = json!({"from": "d", "to": "e", "recursive": true});
    let nothing = json!({"entries": {"{ROOT}": ["d"]}});
    let rows = [
        (json!([["write", "{ROOT}/d/x", "1"], ["mkfifo", "{ROOT}/d/p"]]), "not_regular_file"),
        (json!([["write", "{ROOT}/d/x", "1"], ["write", "{ROOT}/d/s/.git/config", "1"]]), "protected_path"),
        (json!([["write", "{ROOT}/d/x", "1"], ["write", "{ROOT}/d/.bashrc", "1"]]), "protected_path"),
        (json!([["write", "{ROOT}/d/x", "1"], ["mkdir", "{ROOT}/d/.aws"]]), "protected_path"),
        (json!([["write", "{ROOT}/d/x", "1"], ["symlink", "/etc/passwd", "{ROOT}/d/l"]]), "path_escape"),
        (json!([["write", "{ROOT}/d/x", "1"], ["symlink", "../../x", "{ROOT}/d/l"]]), "path_escape"),
    ];
    for (setup, code) in rows {
        refused(setup, "copy_file", args.clone(), json!({"code": code}), nothing.clone());
    }
    let setup = json!([
        ["write", "{ROOT}/d/x", "1"],
        ["symlink", "../x", "{ROOT}/d/l"],
        ["chmod", "{ROOT}/d", "0750"]
    ]);
    let after = json!({"links": {"{ROOT}/e/l": "../x"}, "modes": {"{ROOT}/e": "0750"}});
    succeeds(setup, "copy_file", args, json!({"entries": 3, "bytes": 1}), after);
}

#[test]
fn a_link_that_would_leave_the_root_from_its_new_place_is_not_copied() {
    let setup = json!([
        ["write", "{ROOT}/a/b/x", "1"],
        ["symlink", "../../y", "{ROOT}/a/b/l"],
        ["write", "{ROOT}/y", "2"]
    ]);
    let args = |to: &str| json!({"from": "a/b", "to": to, "recursive": true, "parents": true});
    let error = json!({"kind": "denied", "code": "path_escape"});
    refused(setup.clone(), "copy_file", args("c"), error, json!({"absent": ["{ROOT}/c"]}));
    succeeds(
        setup,
        "copy_file",
        args("c/d"),
        json!({"entries": 3}),
        json!({"links": {"{ROOT}/c/d/l": "../../y"}}),
    );
}

#[test]
fn copies_keep_to_their_limits() {
    let setup = json!([["write", "{ROOT}/a", "12345"]]);
    let args = json!({"from": "a", "to": "b"});
    let limited = |bytes: u64| json!({"limits": {"copy_bytes": bytes}});
    refused(setup.clone(), "copy_file", args.clone(), json!({"code": "file_too_large"}), limited(4));
    succeeds(setup.clone(), "copy_file", args.clone(), json!({"bytes": 5}), limited(5));
    let quota = |bytes: u64| json!({"config": {"workspace.max_bytes": bytes}});
    refused(setup.clone(), "copy_file", args.clone(), json!({"code": "quota_exceeded"}), quota(9));
    succeeds(setup, "copy_file", args, json!({"bytes": 5}), quota(10));
    let setup = json!([["write", "{ROOT}/d/x", "1"]]);
    let args = json!({"from": "d", "to": "e"});
    let error = json!({"kind": "failed", "code": "is_a_directory"});
    refused(setup.clone(), "copy_file", args.clone(), error, json!({"absent": ["{ROOT}/e"]}));
    let args = with(args, json!({"recursive": true}));
    let entries = |entries: u64| json!({"limits": {"tree_entries": entries}});
    refused(setup.clone(), "copy_file", args.clone(), json!({"code": "too_many_entries"}), entries(1));
    succeeds(setup, "copy_file", args, json!({"entries": 2}), entries(2));
}

#[test]
fn a_tree_is_deleted_whole_or_not_at_all() {
    let args = json!({"path": "d", "recursive": true});
    let setup =
        |name: &str| json!([["write", "{ROOT}/d/a", "1"], ["write", format!("{{ROOT}}/d/s/{name}"), "2"]]);
    for name in [".netrc", ".git/HEAD", ".vscode/tasks.json", ".config/x"] {
        let after = json!({"after": {"{ROOT}/d/a": "1", format!("{{ROOT}}/d/s/{name}"): "2"}});
        refused(setup(name), "delete_file", args.clone(), json!({"code": "protected_path"}), after);
    }
    let gone = json!({"entries": {"{ROOT}": []}});
    succeeds(setup("x"), "delete_file", args.clone(), json!({"deleted": true, "entries": 4}), gone.clone());
    let limits = |entries: u64| json!({"limits": {"tree_entries": entries}});
    let error = json!({"kind": "failed", "code": "too_many_entries"});
    refused(
        setup("x"),
        "delete_file",
        args.clone(),
        error,
        with(limits(3), json!({"after": {"{ROOT}/d/a": "1"}})),
    );
    succeeds(setup("x"), "delete_file", args, json!({"entries": 4}), limits(4));
    succeeds(
        json!([["mkdir", "{ROOT}/d"]]),
        "delete_file",
        json!({"path": "d/"}),
        json!({"entries": 1}),
        gone,
    );
    let error = json!({"kind": "invalid_args", "code": "path_invalid"});
    refused(
        setup("x"),
        "delete_file",
        json!({"path": ".", "recursive": true}),
        error,
        json!({"entries": {"{ROOT}": ["d"]}}),
    );
}

#[test]
fn a_directory_with_protected_names_is_moved_as_a_whole_only() {
    let setup = json!([
        ["write", "{ROOT}/d/.netrc", "1"],
        ["write", "{ROOT}/c/credentials", "2"],
        ["mkdir", "{ROOT}/.kube"]
    ]);
    succeeds(
        setup.clone(),
        "move_file",
        json!({"from": "d", "to": "e"}),
        json!({}),
        json!({"after": {"{ROOT}/e/.netrc": "1"}}),
    );
    let error = json!({"kind": "denied", "code": "protected_path"});
    for (from, to) in [("d/.netrc", "n"), (".kube", "k"), ("c", ".aws"), ("c", "x/.Config"), ("c", ".ssh")] {
        refused(
            setup.clone(),
            "move_file",
            json!({"from": from, "to": to, "parents": true}),
            error.clone(),
            json!({}),
        );
    }
    refused(setup, "delete_file", json!({"path": ".kube"}), error, json!({"entries": {"{ROOT}/.kube": []}}));
}

#[test]
fn a_directory_is_made_once_and_not_over_a_file() {
    let setup = json!([["write", "{ROOT}/f", "1"], ["symlink", "new", "{ROOT}/l"]]);
    let args = |path: &str| json!({"path": path});
    succeeds(
        setup.clone(),
        "make_dir",
        args("a/b/c"),
        json!({"path": "a/b/c", "created": true}),
        json!({"entries": {"{ROOT}/a/b/c": []}}),
    );
    succeeds(setup.clone(), "make_dir", args("."), json!({"path": ".", "created": false}), json!({}));
    succeeds(
        setup.clone(),
        "make_dir",
        args("l"),
        json!({"created": true}),
        json!({"entries": {"{ROOT}/new": []}}),
    );
    refused(
        setup.clone(),
        "make_dir",
        args("f"),
        json!({"kind": "conflict", "code": "already_exists"}),
        json!({}),
    );
    refused(setup, "make_dir", args("f/x"), json!({"kind": "failed", "code": "not_a_directory"}), json!({}));
}

#[test]
fn what_may_not_be_read_may_be_named_and_not_looked_into() {
    let setup =
        json!([["write", "{ROOT}/.netrc", "S"], ["write", "{ROOT}/f", "1"], ["symlink", "none", "{ROOT}/l"]]);
    succeeds(
        setup.clone(),
        "file_exists",
        json!({"path": ".netrc"}),
        json!({"exists": true, "type": "file"}),
        json!({}),
    );
    succeeds(
        setup.clone(),
        "file_exists",
        json!({"path": "l"}),
        json!({"exists": true, "type": "symlink"}),
        json!({}),
    );
    succeeds(setup.clone(), "file_exists", json!({"path": "f/"}), json!({"exists": false}), json!({}));
    refused(
        setup.clone(),
        "file_info",
        json!({"path": ".netrc"}),
        json!({"code": "protected_path"}),
        json!({}),
    );
    refused(setup.clone(), "file_info", json!({"path": "l"}), json!({"code": "path_not_found"}), json!({}));
    refused(setup.clone(), "file_info", json!({"path": "f/"}), json!({"code": "not_a_directory"}), json!({}));
    succeeds(
        setup.clone(),
        "file_info",
        json!({"path": "f"}),
        json!({"type": "file", "size": 1}),
        json!({"has": ["created"]}),
    );
    succeeds(setup, "file_info", json!({"path": "."}), json!({"path": ".", "type": "dir"}), json!({}));
}

#[test]
fn the_version_must_be_that_of_the_file_and_the_file_must_be_there() {
    let calls = [
        ("edit_file", json!({"path": "f", "patch": "@@ -1 +1 @@\n-a\n+b\n"})),
        ("edit_lines", json!({"path": "f", "patches": [{"start_line": 1, "end_line": 1, "content": "b"}]})),
        ("replace_text", json!({"path": "f", "old": "a", "new": "b"})),
    ];
    for (tool, args) in calls {
        let args = with(args, json!({"expected_version": "87428fc522803d31"}));
        let error = json!({"kind": "conflict", "code": "version_mismatch", "details": {"version": null}});
        refused(json!([]), tool, args.clone(), error, json!({"absent": ["{ROOT}/f"]}));
        let setup = json!([["write", "{ROOT}/f", "a\n"], ["chmod", "{ROOT}/f", "0640"]]);
        let ok =
            json!({"previous_version": "87428fc522803d31", "size": 2, "lines_added": 1, "lines_removed": 1});
        let after = json!({"after": {"{ROOT}/f": "b\n"}, "modes": {"{ROOT}/f": "0640"}, "entries": {"{ROOT}": ["f"]}});
        succeeds(setup.clone(), tool, args.clone(), ok, after);
        let setup = json!([["write", "{ROOT}/f", "a\n"], ["chmod", "{ROOT}/f", "0440"]]);
        refused(
            setup,
            tool,
            args,
            json!({"code": "permission_denied"}),
            json!({"after": {"{ROOT}/f": "a\n"}}),
        );
    }
}

#[test]
fn too_large_a_patch_is_refused_before_its_path_is_looked_at() {
    let args = json!({"path": "../outside", "patch": {"repeat": "x", "count": 11}});
    let error = json!({"code": "patch_too_large", "message": "Patch too large (11 bytes; the limit is 10)."});
    refused(json!([]), "edit_file", args.clone(), error, json!({"limits": {"max_patch_bytes": 10}}));
    refused(
        json!([]),
        "edit_file",
        args,
        json!({"code": "path_escape"}),
        json!({"limits": {"max_patch_bytes": 11}}),
    );
}

#[test]
fn pages_of_what_was_found_are_the_whole() {
    let setup: Vec<Value> =
        (0..25).map(|n| json!(["write", format!("{{ROOT}}/d{}/f{n}.txt", n % 3), "x"])).collect();
    let case = json!({"setup": setup});
    let scene = Scene::new(&case);
    let find = |args: Value| scene.call(&case, &json!({"tool": "find_files", "args": args})).unwrap();
    let paths = |page: &Value| -> Vec<Value> {
        page["files"].as_array().unwrap().iter().map(|file| file["path"].clone()).collect()
    };
    let all = paths(&find(json!({"pattern": "*.txt"})));
    assert_eq!(all.len(), 25);
    let (mut pages, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let page = find(json!({"pattern": "*.txt", "limit": 4, "cursor": cursor}));
        pages.extend(paths(&page));
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(pages, all);
    let directories = find(json!({"pattern": "d?", "type": "dir", "exclude": ["d1"]}));
    assert_eq!(paths(&directories), ["d0", "d2"]);
}

/// A directory below a root that lies on another mount.
struct Mounted(std::path::PathBuf);

impl Mounted {
    fn new(args: &[&std::ffi::OsStr], at: std::path::PathBuf) -> Option<Self> {
        let mounted = std::process::Command::new("mount").args(args).arg(&at).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self(at))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn nothing_is_deleted_on_another_mount_and_files_alone_are_moved_there() {
    let case = json!({"setup": [["mkdir", "{ROOT}/d/m"], ["write", "{ROOT}/d/a", "1"], ["write", "{ROOT}/t/x", "2"],
        ["write", "{ROOT}/f", "3"], ["chmod", "{ROOT}/f", "0640"], ["mtime", "{ROOT}/f", 1_000_000_000],
        ["write", "{OUT}/kept", "4"]]});
    for is_bind in [false, true] {
        let scene = Scene::new(&case);
        let path = |text: &str| std::path::PathBuf::from(scene.fill(&json!(text)).as_str().unwrap());
        let out = path("{OUT}");
        let kind: [&std::ffi::OsStr; 2] = match is_bind {
            true => ["--bind".as_ref(), out.as_os_str()],
            false => ["-ttmpfs".as_ref(), "none".as_ref()],
        };
        let Some(mounted) = Mounted::new(&kind, path("{ROOT}/d/m")) else {
            println!("skipped: cannot mount here");
            return;
        };
        let call = |tool: &str, args: Value| {
            let result = scene.call(&case, &json!({"tool": tool, "args": args}));
            result.map_err(|error| error.code_str().to_owned())
        };
        assert_eq!(
            call("delete_file", json!({"path": "d", "recursive": true})),
            Err("cross_device".to_owned())
        );
        assert_eq!(call("move_file", json!({"from": "t", "to": "d/m/t"})), Err("cross_device".to_owned()));
        let moved = call("move_file", json!({"from": "f", "to": "d/m/g"}));
        assert_eq!(moved, Ok(json!({"from": "f", "to": "d/m/g", "type": "file"})));
        let after = json!({
            "after": {"{ROOT}/d/a": "1", "{ROOT}/t/x": "2", "{ROOT}/d/m/g": "3", "{OUT}/kept": "4"},
            "modes": {"{ROOT}/d/m/g": "0640"}, "mtime": {"{ROOT}/d/m/g": 1_000_000_000},
            "absent": ["{ROOT}/f"],
        });
        assert_eq!(scene.check_after(&after), [""; 0]);
        drop(mounted);
        assert_eq!(call("delete_file", json!({"path": "d", "recursive": true})).unwrap()["deleted"], true);
    }
}
