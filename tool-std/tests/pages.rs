//! Listings and pages: what one answer holds, where the next begins, and what a budget cuts off.

#![cfg(test)]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::{Call, Caller, Executor, Registry, ToolContext, ToolError, ToolOutput};
use tool_std::{Workspace, WorkspacePolicy};

struct Tools {
    executor: Executor,
    ctx: ToolContext,
}

impl Tools {
    fn new(root: &Path, limits: &[(&str, u64)]) -> Self {
        let mut policy = WorkspacePolicy::default();
        limits.iter().for_each(|(name, value)| policy.limits.set(name, *value).unwrap());
        let workspace = Workspace::open(root, policy).unwrap();
        let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
        let registry = Registry::builder().discover().build().unwrap();
        Self { executor: Executor::standard(registry).build().unwrap(), ctx }
    }

    fn output(&self, tool: &str, args: Value) -> Result<ToolOutput, ToolError> {
        self.executor.call_blocking(Call::new(tool, args), &self.ctx, Caller::Test)
    }

    fn call(&self, tool: &str, args: Value) -> Value {
        self.output(tool, args).unwrap().data()
    }

    /// The last text block: the form for models.
    fn text(&self, tool: &str, args: Value) -> String {
        match self.output(tool, args).unwrap().content.last() {
            Some(tool_core::Content::Text { text }) => text.clone(),
            other => panic!("no text but {other:?}"),
        }
    }
}

fn paths(page: &Value) -> Vec<String> {
    page["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["path"].as_str().unwrap().to_owned())
        .collect()
}

fn tree(files: &[&str]) -> tool_trials::Directory {
    let dir = tool_trials::directory();
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file).unwrap();
    }
    dir
}

/// Every page of a listing, joined.
fn all_pages(tools: &Tools, args: &Value, mut between: impl FnMut(usize)) -> Vec<String> {
    let mut all = Vec::new();
    let mut args = args.clone();
    for number in 0.. {
        let page = tools.call("list_dir", args.clone());
        all.extend(paths(&page));
        match page.get("next_cursor") {
            Some(cursor) => args["cursor"] = cursor.clone(),
            None => break,
        }
        between(number);
    }
    all
}

const FILES: [&str; 9] = ["a", "a.b", "b/c", "b/d/e", "b/d/f", "b.x", "b/z", "c/é", "c/日"];
/// By components: what is in `b` stands before `b.x`.
const ORDER: [&str; 12] = ["a", "a.b", "b", "b/c", "b/d", "b/d/e", "b/d/f", "b/z", "b.x", "c", "c/é", "c/日"];

#[test]
fn pages_of_any_size_joined_are_the_listing_in_the_order_of_components() {
    let dir = tree(&FILES);
    let tools = Tools::new(dir.path(), &[]);
    assert_eq!(paths(&tools.call("list_dir", json!({"depth": 9}))), ORDER);
    for limit in 1..=ORDER.len() + 1 {
        assert_eq!(all_pages(&tools, &json!({"depth": 9, "limit": limit}), |_| {}), ORDER, "limit {limit}");
    }
    let b = all_pages(&tools, &json!({"path": "b", "depth": 9, "limit": 2}), |_| {});
    assert_eq!(b, ["b/c", "b/d", "b/d/e", "b/d/f", "b/z"]);
}

#[test]
fn a_directory_that_changes_between_pages_neither_repeats_nor_fails() {
    let dir = tree(&FILES);
    let tools = Tools::new(dir.path(), &[]);
    let all = all_pages(&tools, &json!({"depth": 9, "limit": 3}), |page| match page {
        0 => fs::remove_dir_all(dir.path().join("b")).unwrap(),
        1 => fs::write(dir.path().join("aa"), "").unwrap(),
        _ => {}
    });
    assert_eq!(all, ["a", "a.b", "b", "b.x", "c", "c/é", "c/日"]);
}

#[test]
fn a_limit_that_is_met_exactly_is_no_truncation() {
    let dir = tree(&["a", "b"]);
    let tools = Tools::new(dir.path(), &[]);
    let page = tools.call("list_dir", json!({"limit": 2}));
    assert_eq!((&page["truncated"], page.get("next_cursor")), (&json!(false), None));
    let page = tools.call("list_dir", json!({"limit": 1}));
    assert_eq!((&page["truncated"], &page["truncated_by"]), (&json!(true), &json!("limit")));
}

#[test]
fn what_is_left_out_is_counted() {
    let dir = tree(&[".a", ".b/c", "x.log", "y", ".gitignore", ".toolbox-tmp-0123456789abcdef"]);
    fs::write(dir.path().join(".gitignore"), "*.log\n").unwrap();
    let tools = Tools::new(dir.path(), &[]);
    let page = tools.call("list_dir", json!({"gitignore": true}));
    assert_eq!((paths(&page), &page["skipped"]), (vec!["y".to_owned()], &json!({"hidden": 3, "ignored": 1})));
    let page = tools.call("list_dir", json!({"hidden": true, "depth": 2}));
    assert_eq!(paths(&page), [".a", ".b", ".b/c", ".gitignore", "x.log", "y"]);
}

#[test]
fn git_directories_are_shown_and_not_entered() {
    let dir = tree(&[".git/HEAD", "sub/.git/config", "sub/f"]);
    let tools = Tools::new(dir.path(), &[]);
    let page = tools.call("list_dir", json!({"hidden": true, "depth": 5}));
    assert_eq!(paths(&page), [".git", "sub", "sub/.git", "sub/f"]);
    assert_eq!(paths(&tools.call("list_dir", json!({"path": ".git", "hidden": true}))), [".git/HEAD"]);
}

#[test]
fn a_pattern_is_about_names_and_directories_are_entered_all_the_same() {
    let dir = tree(&["a.rs", "b/c.rs", "b/d.txt"]);
    let tools = Tools::new(dir.path(), &[]);
    assert_eq!(paths(&tools.call("list_dir", json!({"pattern": "*.rs", "depth": 2}))), ["a.rs", "b/c.rs"]);
}

#[test]
fn the_greatest_come_first_within_the_limit() {
    let dir = tree(&[]);
    for (name, bytes) in [("a", 1), ("b", 3), ("c", 2), ("d", 3)] {
        fs::write(dir.path().join(name), "x".repeat(bytes)).unwrap();
    }
    let tools = Tools::new(dir.path(), &[]);
    let page = tools.call("list_dir", json!({"sort": "size", "limit": 3}));
    assert_eq!(
        (paths(&page), &page["truncated_by"]),
        (["b", "d", "c"].map(String::from).to_vec(), &json!("limit"))
    );
    assert_eq!(page.get("next_cursor"), None);
    let error = tools.output("list_dir", json!({"sort": "size", "cursor": "AWE"})).unwrap_err();
    assert_eq!(error.arg_issues()[0].path, "/cursor");
}

#[test]
fn a_link_shows_where_it_leads_and_is_listed_under_the_name_that_was_asked_for() {
    let dir = tree(&["real/f"]);
    std::os::unix::fs::symlink("real", dir.path().join("l")).unwrap();
    std::os::unix::fs::symlink("../outside", dir.path().join("o")).unwrap();
    let tools = Tools::new(dir.path(), &[]);
    let page = tools.call("list_dir", json!({}));
    let targets: Vec<&Value> =
        page["entries"].as_array().unwrap().iter().map(|entry| &entry["target"]).collect();
    assert_eq!(targets, [&json!("real"), &json!("../outside"), &Value::Null]);
    assert_eq!(paths(&tools.call("list_dir", json!({"path": "l"}))), ["l/f"]);
    assert_eq!(tools.call("search_files", json!({"pattern": "f", "path": "l"}))["matches"][0]["path"], "l/f");
}

#[test]
fn budgets_cut_a_walk_off_and_say_so() {
    let names: Vec<String> = (0..50).map(|n| format!("f{n:02}")).collect();
    let dir = tree(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let by = |limit: &[(&str, u64)]| {
        let page = Tools::new(dir.path(), limit).call("list_dir", json!({}));
        (paths(&page).len(), page["truncated_by"].clone())
    };
    assert_eq!(by(&[("walk_entries", 49)]), (49, json!("entries")));
    assert_eq!(by(&[("walk_entries", 50)]), (50, Value::Null));

    let deep = tool_trials::directory();
    fs::create_dir_all(deep.path().join("a/b/c/d")).unwrap();
    fs::write(deep.path().join("a/b/c/d/f"), "x\n").unwrap();
    for (depth, expected) in [(4, json!("depth")), (5, Value::Null)] {
        let tools = Tools::new(deep.path(), &[("walk_depth_max", depth)]);
        let found = tools.call("search_files", json!({"pattern": "x"}));
        assert_eq!(found["truncated_by"], expected, "depth {depth}");
        assert_eq!(found["matched_lines"], u64::from(expected.is_null()));
    }
}

#[test]
fn a_tree_thousands_deep_ends_without_a_stack_overflow() {
    let dir = tool_trials::directory();
    let mut at = fs::File::open(dir.path()).unwrap();
    for _ in 0..3_000 {
        rustix::fs::mkdirat(&at, "d", rustix::fs::Mode::RWXU).unwrap();
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY;
        at = rustix::fs::openat(&at, "d", flags, rustix::fs::Mode::empty()).unwrap().into();
    }
    let tools = Tools::new(dir.path(), &[]);
    let page = tools.call("list_dir", json!({"depth": 128}));
    assert_eq!((paths(&page).len(), &page["truncated_by"]), (128, &json!("depth")));
    assert_eq!(tools.call("search_files", json!({"pattern": "x"}))["truncated_by"], "depth");
    // The library removes a tree with a descriptor per level, which an ordinary limit does not allow.
    std::process::Command::new("rm").arg("-rf").arg(dir.path().join("d")).status().unwrap();
}

#[test]
fn a_search_that_would_be_too_large_is_cut() {
    let dir = tree(&[]);
    fs::write(dir.path().join("f"), "x\n".repeat(100)).unwrap();
    let tools = Tools::new(dir.path(), &[("max_read_bytes", 20)]);
    let found = tools.call("search_files", json!({"pattern": "x"}));
    assert_eq!((&found["matched_lines"], &found["truncated_by"]), (&json!(10), &json!("bytes")));
    let whole = Tools::new(dir.path(), &[]).call("search_files", json!({"pattern": "x"}));
    assert_eq!((&whole["matched_lines"], &whole["truncated"]), (&json!(100), &json!(false)));
}

#[test]
fn texts_for_models_say_how_to_go_on() {
    let dir = tree(&[]);
    fs::write(dir.path().join("f"), "1\n2\n3\n4\n5").unwrap();
    let tools = Tools::new(dir.path(), &[]);
    let read = |args: Value| tools.text("read_file", args);
    assert_eq!(read(json!({"path": "f"})), "1\n2\n3\n4\n5");
    assert_eq!(read(json!({"path": "f", "limit": 2})), "1\n2\n[lines 1-2 of 5; continue with offset 3]");
    let binary = json!({"path": "f", "binary": true, "byte_limit": 3});
    assert_eq!(read(binary), "MQoy\n[bytes 0-2 of 9; continue with byte_offset 3]");
    let search = tools.text("search_files", json!({"pattern": "[24]", "context": 1, "max_results": 1}));
    assert_eq!(search, "f-1-1\nf:2:2\nf-3-3\n[truncated: limit]");
    assert_eq!(tools.text("search_files", json!({"pattern": "9"})), "");
    let counts = tools.text("search_files", json!({"pattern": ".", "output": "counts"}));
    assert_eq!(counts, "f:5");
}

#[test]
fn a_binary_file_that_was_named_is_searched_and_only_its_matching_is_told() {
    let dir = tool_trials::directory();
    fs::write(dir.path().join("b"), b"x\0x\nx\n").unwrap();
    let tools = Tools::new(dir.path(), &[]);
    let named = tools.call("search_files", json!({"pattern": "x", "path": "b"}));
    assert_eq!(named["matches"], json!([{"path": "b", "binary": true}]));
    assert!(named["matched_lines"].as_u64().unwrap() >= 2);
    let none = tools.call("search_files", json!({"pattern": "y", "path": "b"}));
    assert_eq!((&none["matches"], &none["matched_lines"]), (&json!([]), &json!(0)));
}

#[test]
fn a_file_of_any_encoding_is_read_page_by_page() {
    let dir = tool_trials::directory();
    let text = "zeile eins\nzeile zwei é\n".repeat(5);
    let utf_16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(dir.path().join("f"), &utf_16).unwrap();
    let tools = Tools::new(dir.path(), &[("max_read_bytes", 30)]);
    let mut joined = String::new();
    let mut offset = json!(1);
    loop {
        let page = tools.call("read_file", json!({"path": "f", "encoding": "auto", "offset": offset}));
        joined.push_str(page["content"].as_str().unwrap());
        assert_eq!(
            (&page["encoding"], &page["bom"], &page["total_lines"]),
            (&json!("utf-16le"), &json!(true), &json!(10))
        );
        match page.get("next_offset") {
            Some(next) => offset = next.clone(),
            None => break,
        }
    }
    assert_eq!(joined, format!("\u{feff}{text}"));
}
