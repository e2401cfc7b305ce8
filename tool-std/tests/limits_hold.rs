//! Every limit of the file tools holds at its value and not beyond it, and moves with its configuration. (files.md §2,
//! acceptance 14)
//!
//! A row names a limit, the value that is set, and a call of a size; the call must be within the limit at the value, beyond it
//! one above, and within it again when the limit is set one higher.

#![cfg(test)]
#![allow(clippy::print_stdout)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_core::{Call, Caller, Executor, Registry, ToolContext};
use tool_std::{Limits, Workspace, WorkspacePolicy};

/// A fresh workspace with one limit set.
struct Place {
    _base: tool_trials::Directory,
    root: PathBuf,
    executor: Executor,
    ctx: ToolContext,
}

impl Place {
    fn new(limit: &str, value: u64) -> Self {
        let base = tool_trials::directory();
        let root = base.path().join("root");
        fs::create_dir(&root).unwrap();
        let mut policy = WorkspacePolicy::default();
        policy.limits.set(limit, value).unwrap();
        let workspace = Workspace::open(&root, policy).unwrap();
        let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
        let registry = Registry::builder().add_set(&tool_std::file::FILE_TOOLS).build().unwrap();
        Self { _base: base, root, executor: Executor::standard(registry).build().unwrap(), ctx }
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn many(&self, directory: &str, count: u64) {
        (0..count).for_each(|number| self.write(&format!("{directory}/f{number}"), "x"));
    }

    /// The result, or the error as JSON.
    fn call(&self, tool: &str, args: Value) -> Result<Value, Value> {
        let result = self.executor.call_blocking(Call::new(tool, args), &self.ctx, Caller::Test);
        result.map(|output| output.data()).map_err(|error| error.to_json())
    }

    fn is_ok(&self, tool: &str, args: Value) -> bool {
        self.call(tool, args).is_ok()
    }

    fn is_whole(&self, tool: &str, args: Value) -> bool {
        self.call(tool, args).is_ok_and(|data| data["truncated"] == false)
    }
}

/// A line of that many characters with its end.
fn line(characters: u64) -> String {
    format!("{}\n", "x".repeat(usize::try_from(characters).unwrap()))
}

/// A limit, the value that is set, and whether a call of a size is within it.
type Row = (&'static str, u64, fn(&Place, u64) -> bool);

const ROWS: &[Row] = &[
    ("max_read_bytes", 8, |place, size| {
        place.write("f", &line(size - 1));
        place.is_whole("read_file", json!({"path": "f"}))
    }),
    ("max_binary_read_bytes", 8, |place, size| {
        place.write("f", &line(size - 1));
        place.is_whole("read_file", json!({"path": "f", "binary": true}))
    }),
    ("max_read_file_bytes", 8, |place, size| {
        place.write("f", &line(size - 1));
        place.is_ok("read_file", json!({"path": "f"}))
    }),
    ("max_edit_file_bytes", 8, |place, size| {
        place.write("f", &line(size - 1));
        place.is_ok(
            "edit_lines",
            json!({"path": "f", "patches": [{"start_line": 1, "end_line": 1, "content": "y"}]}),
        )
    }),
    ("max_write_bytes", 8, |place, size| {
        place.is_ok("write_file", json!({"path": "f", "content": line(size - 1)}))
    }),
    ("max_patch_bytes", 40, |place, size| {
        place.write("f", "a\n");
        let (head, body) = ("@@ -1 +1 @@ ", "\n-a\n+b\n");
        let name = "n".repeat(usize::try_from(size).unwrap() - head.len() - body.len());
        place.is_ok("edit_file", json!({"path": "f", "patch": format!("{head}{name}{body}")}))
    }),
    ("max_hunks", 2, |place, size| {
        place.write("f", &(0..20).map(|number| format!("{number}\n")).collect::<String>());
        let hunk = |at: u64| format!("@@ -{at} +{at} @@\n-{}\n+new\n", at - 1);
        let patch: String = (0..size).map(|number| hunk(number * 5 + 1)).collect();
        place.is_ok("edit_file", json!({"path": "f", "patch": patch}))
    }),
    ("max_line_patches", 2, |place, size| {
        place.write("f", "a\nb\nc\nd\n");
        let patch = |at: u64| json!({"start_line": at, "end_line": at, "content": "x"});
        let patches: Vec<Value> = (1..=size).map(patch).collect();
        place.is_ok("edit_lines", json!({"path": "f", "patches": patches}))
    }),
    ("echo_chars", 8, |place, size| {
        let name = "n".repeat(usize::try_from(size).unwrap());
        place.write("f", "other\n");
        let error = |tool: &str, args: Value| place.call(tool, args).unwrap_err().to_string();
        let told = [
            error("read_file", json!({"path": name})),
            error("read_file", json!({"path": "f", "encoding": name})),
            error("find_files", json!({"pattern": format!("[{}", &name[1..])})),
            error("edit_file", json!({"path": "f", "patch": format!("@@ -1 +1 @@\n-{name}\n+b\n")})),
            error("edit_file", json!({"path": "f", "patch": format!("@@@{}\n", &name[3..])})),
        ];
        let whole = [&*name, &*name, &name[1..], &*name, &name[3..]];
        let count = told.iter().zip(whole).filter(|(told, whole)| told.contains(whole)).count();
        assert!([0, told.len()].contains(&count), "{told:?}");
        count > 0
    }),
    ("excerpt_lines", 2, |place, size| {
        place.write("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        let patch = json!({"start_line": 5, "end_line": 5, "content": "new"});
        let edited = place.call("edit_lines", json!({"path": "f", "patches": [patch]})).unwrap();
        edited["excerpts"][0]["start_line"].as_u64().unwrap() <= 5 - size
    }),
    ("excerpt_bytes", 20, |place, size| {
        place.write("f", "a\n");
        let patch = json!({"start_line": 1, "end_line": 1, "content": line(size - 1)});
        let edited = place.call("edit_lines", json!({"path": "f", "patches": [patch]})).unwrap();
        edited["excerpts"][0]["text"].as_str().is_some_and(|text| text.len() as u64 == size)
    }),
    ("list_limit", 2, |place, size| {
        place.many("d", size);
        place.is_whole("list_dir", json!({"path": "d"}))
    }),
    ("list_limit_max", 2, |place, size| {
        place.many("d", size);
        place.is_whole("list_dir", json!({"path": "d", "limit": size}))
    }),
    ("walk_depth_max", 3, |place, size| {
        let below: String = (1..size).map(|number| format!("d{number}/")).collect();
        place.write(&format!("{below}f"), "x");
        place.is_whole("find_files", json!({"pattern": "*"}))
    }),
    ("walk_entries", 3, |place, size| {
        place.many(".", size);
        place.is_whole("find_files", json!({"pattern": "*"}))
    }),
    ("pattern_bytes", 8, |place, size| {
        place.is_ok("search_files", json!({"pattern": "x".repeat(usize::try_from(size).unwrap())}))
    }),
    ("glob_bytes", 8, |place, size| {
        place.is_ok("find_files", json!({"pattern": "x".repeat(usize::try_from(size).unwrap())}))
    }),
    ("globs_max", 2, |place, size| {
        let globs: Vec<String> = (0..size).map(|number| format!("*.{number}")).collect();
        place.is_ok("search_files", json!({"pattern": "x", "glob": globs}))
    }),
    ("regex_nest_limit", 4, |place, size| {
        let (open, close) =
            ("(".repeat(usize::try_from(size - 1).unwrap()), ")".repeat(usize::try_from(size - 1).unwrap()));
        place.is_ok("search_files", json!({"pattern": format!("{open}x{close}")}))
    }),
    ("search_line_bytes", 4_096, |place, size| {
        place.write("f", &line(size));
        place.is_ok("search_files", json!({"pattern": "x", "path": "f"}))
    }),
    ("search_multiline_file_bytes", 8, |place, size| {
        place.write("f", &line(size - 1));
        place.is_ok("search_files", json!({"pattern": "x", "path": "f", "multiline": true}))
    }),
    ("search_results", 2, |place, size| {
        place.write("f", &line(1).repeat(usize::try_from(size).unwrap()));
        place.is_whole("search_files", json!({"pattern": "x"}))
    }),
    ("search_results_max", 2, |place, size| {
        place.write("f", &line(1).repeat(usize::try_from(size).unwrap()));
        place.is_whole("search_files", json!({"pattern": "x", "max_results": size}))
    }),
    ("search_context_max", 2, |place, size| {
        place.write("f", "1\n2\n3\n4\nx\n6\n7\n8\n9\n");
        let found = place.call("search_files", json!({"pattern": "x", "context": size}));
        found.is_ok_and(|data| data["matches"][0]["before"].as_array().unwrap().len() as u64 == size)
    }),
    ("search_line_chars", 8, |place, size| {
        place.write("f", &line(size));
        place.call("search_files", json!({"pattern": "x"})).unwrap()["matches"][0]["cut"].is_null()
    }),
    ("submatches_max", 2, |place, size| {
        place.write("f", &line(size));
        let found = place.call("search_files", json!({"pattern": "x"})).unwrap();
        found["matches"][0]["submatches"].as_array().unwrap().len() as u64 == size
    }),
    ("tree_entries", 3, |place, size| {
        place.many("d", size - 1);
        place.is_ok("delete_file", json!({"path": "d", "recursive": true}))
    }),
    ("copy_bytes", 8, |place, size| {
        place.write("f", &line(size - 1));
        place.is_ok("copy_file", json!({"from": "f", "to": "g"}))
    }),
    ("ignore_file_bytes", 8, |place, size| {
        place.write(".gitignore", &format!("f{}", "\n".repeat(usize::try_from(size - 1).unwrap())));
        place.write("f", "x");
        place.call("find_files", json!({"pattern": "*"})).unwrap()["files"] == json!([])
    }),
];

/// Limits that no call of a size meets exactly, and where they are looked at.
const ELSEWHERE: [(&str, &str); 5] = [
    ("walk_seconds", "the clock is moved in budget.rs"),
    ("regex_size_limit", "below"),
    ("regex_dfa_size_limit", "below"),
    ("free_space_floor", "hostile.rs"),
    ("undo_bytes", "evidence.rs"),
];

#[test]
fn every_limit_holds_at_its_value_and_not_beyond() {
    let mut wrong = Vec::new();
    for (limit, value, within) in ROWS {
        for (set, size, expected) in
            [(*value, *value, true), (*value, value + 1, false), (value + 1, value + 1, true)]
        {
            if within(&Place::new(limit, set), size) != expected {
                wrong.push(format!(
                    "{limit} = {set}: a call of size {size} is {}within",
                    if expected { "not " } else { "" }
                ));
            }
        }
    }
    println!("{} limits at their values and one above", ROWS.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_limit_of_the_file_tools_is_left_out() {
    let tested: BTreeSet<&str> =
        ROWS.iter().map(|row| row.0).chain(ELSEWHERE.iter().map(|row| row.0)).collect();
    let rows = Limits::default().rows();
    // Those of commands come behind them.
    let files = rows.iter().take_while(|row| row.name != "max_timeout_seconds").map(|row| row.name);
    assert_eq!(tested, files.collect());
}

#[test]
fn a_compiled_expression_is_refused_from_one_size_on() {
    let fits =
        |limit| Place::new("regex_size_limit", limit).is_ok("search_files", json!({"pattern": "\\w{20}"}));
    let (mut refused, mut taken) = (1, 10_485_760);
    assert!(fits(taken) && !fits(refused));
    while taken - refused > 1 {
        let middle = refused.midpoint(taken);
        *(if fits(middle) { &mut taken } else { &mut refused }) = middle;
    }
    println!("the expression takes {taken} bytes");
    assert!(fits(taken) && !fits(taken - 1));
    // A lazy automaton without room is given up, and the answer is the same.
    let place = Place::new("regex_dfa_size_limit", 1);
    place.write("f", "one two\n");
    assert_eq!(place.call("search_files", json!({"pattern": "\\w+ \\w+"})).unwrap()["matched_lines"], 1);
}
