//! The standard tools come to the same on every surface: called directly, from the command line, over both eras of MCP, and by
//! models in each dialect. (testing.md, acceptance 3)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tool_core::ErrorKind::{self, Conflict, Denied, Failed, InvalidArgs, NotFound};
use tool_core::test::{Answer, KitBuilder, ToolKit, Tree, answer, file, link};
use tool_core::tree;
use tool_std::file::FILE_TOOLS;
use tool_std::test::FilesExt as _;

/// How many calls are made and how many refused, and of how many tools each. (testing.md, acceptance 3)
const CALLS: usize = 20;
const TOOLS: usize = 10;

/// What every call finds.
fn files() -> Tree {
    tree! {
        "a.txt": "one\ntwo\nthree\n",
        "bytes.bin": b"\x00\xff\x00",
        "latest": link("a.txt"),
        "locked.txt": file("old\n").mode(0o444),
        "empty/": {},
        "src": { "main.rs": "fn main() {\n    println!(\"grün\");\n}\n", "deep/er.rs": "// two\n" },
        ".env": "SECRET=1\n",
    }
}

fn kit() -> KitBuilder {
    let surfaces = [tool_cli::test::surfaces(), tool_mcp::test::surfaces()].concat();
    ToolKit::new(&FILE_TOOLS).files(files()).surfaces(surfaces)
}

/// Two calls of each of ten tools that are made.
fn good() -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({"path": "a.txt"})),
        ("read_file", json!({"path": "a.txt", "offset": "-1", "line_numbers": true})),
        ("write_file", json!({"path": "new/b.txt", "content": "\"quoted\" – and\r\nmore\u{1f600}\n"})),
        ("write_file", json!({"path": "a.txt", "content": "four\n", "mode": "APPEND"})),
        ("edit_file", json!({"path": "a.txt", "patch": "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"})),
        ("edit_file", json!({"path": "src/main.rs", "patch": "@@ -3,1 +3,2 @@\n }\n+// end\n"})),
        ("replace_text", json!({"path": "a.txt", "old": "two", "new": ""})),
        ("replace_text", json!({"path": "a.txt", "old": "t", "new": "--t", "all": "true"})),
        ("list_dir", json!({})),
        ("list_dir", json!({"path": ".", "depth": 3.0, "hidden": true, "sort": "name"})),
        ("find_files", json!({"pattern": "**/*.rs"})),
        ("find_files", json!({"pattern": "*", "type": "dir", "exclude": "src"})),
        ("search_files", json!({"pattern": "two"})),
        ("search_files", json!({"pattern": "PRINTLN!(", "literal": true, "ignore_case": true, "context": 1})),
        ("file_info", json!({"path": "a.txt"})),
        ("file_info", json!({"path": "latest", "follow": false})),
        ("move_file", json!({"from": "a.txt", "to": "moved/a.txt", "parents": true})),
        ("move_file", json!({"from": "empty", "to": "full"})),
        ("delete_file", json!({"path": "a.txt"})),
        ("delete_file", json!({"path": "src", "recursive": true})),
    ]
}

/// Two calls of each that are refused: one for its arguments, one for what is there. Each has the kind of its error.
fn bad() -> Vec<(&'static str, Value, ErrorKind)> {
    vec![
        ("read_file", json!({"path": 5.5, "limit": 0, "offst": 1}), InvalidArgs),
        ("read_file", json!({"path": "b.txt"}), NotFound),
        ("write_file", json!({"path": "c.txt", "mode": "prepend"}), InvalidArgs),
        ("write_file", json!({"path": "a.txt", "content": "", "mode": "create_new"}), Conflict),
        ("edit_file", json!({"patch": ["@@ -1 +1 @@", 2]}), InvalidArgs),
        ("edit_file", json!({"path": "a.txt", "patch": "@@ -1,1 +1,1 @@\n-zero\n+0\n"}), Conflict),
        ("replace_text", json!({"path": null, "old": "", "new": {}}), InvalidArgs),
        ("replace_text", json!({"path": "a.txt", "old": "t", "new": "T"}), Conflict),
        ("list_dir", json!({"depth": 129, "limit": "many", "sort": "sise"}), InvalidArgs),
        ("list_dir", json!({"path": "a.txt"}), Failed),
        ("find_files", json!({"type": "pipe", "exclude": [1.5]}), InvalidArgs),
        ("find_files", json!({"pattern": "*", "path": "nowhere"}), NotFound),
        ("search_files", json!({"pattern": true, "before": 21, "types": 7}), InvalidArgs),
        ("search_files", json!({"pattern": "two", "path": "src/lost.rs"}), NotFound),
        ("file_info", json!({"follow": "perhaps"}), InvalidArgs),
        ("file_info", json!({"path": "../a.txt"}), Denied),
        ("move_file", json!({"from": "a.txt", "to": 1, "overwrite": "no!"}), InvalidArgs),
        ("move_file", json!({"from": "a.txt", "to": "locked.txt"}), Conflict),
        ("delete_file", json!({"paths": ["a.txt"]}), InvalidArgs),
        ("delete_file", json!({"path": "empty/nothing"}), NotFound),
    ]
}

/// The answers that a call of a tool needs if it comes so far.
fn answers(tool: &str) -> Vec<Answer> {
    if tool == "delete_file" { vec![answer::yes(tool)] } else { Vec::new() }
}

/// What is another value in each kit: when a file came to be, when a link was made.
fn varying(tool: &str, args: &Value) -> &'static [&'static str] {
    match tool {
        "file_info" if args["path"] == "latest" => &["/created", "/modified"],
        "file_info" => &["/created"],
        "list_dir" if args["hidden"] == true => &["/entries/4/modified"],
        "list_dir" => &["/entries/3/modified"],
        _ => &[],
    }
}

#[test]
fn what_a_tool_does_it_does_on_every_surface() {
    let (mut tools, mut surfaces, mut wrong) = (BTreeSet::new(), Vec::new(), Vec::new());
    for (tool, args) in good() {
        tools.insert(tool);
        let kit = kit().answers(answers(tool)).build();
        let outcomes = kit.everywhere(tool, args.clone()).varying(varying(tool, &args).iter().copied());
        let outcomes = outcomes.blocking();
        surfaces.push(outcomes.told().count());
        wrong.extend(outcomes.differences().into_iter().map(|how| format!("{tool} {args}: {how}")));
        if let Err(error) = outcomes.into_direct() {
            wrong.push(format!("{error:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((good().len(), tools.len()), (CALLS, TOOLS));
    // Four dialects, strict and not; the object on the command line; two eras. What fits as it stands is also said in words.
    assert!(surfaces.iter().all(|count| (11..=12).contains(count)), "{surfaces:?}");
    assert!(surfaces.iter().filter(|count| **count == 12).count() >= 14, "{surfaces:?}");
}

#[test]
fn what_is_refused_is_refused_alike_on_every_surface() {
    let (mut tools, mut wrong) = (BTreeSet::new(), Vec::new());
    for (tool, args, kind) in bad() {
        tools.insert(tool);
        let asked = if kind == InvalidArgs { Vec::new() } else { answers(tool) };
        let kit = kit().answers(asked).build();
        let outcomes = kit.everywhere(tool, args.clone()).blocking();
        // That the status is that of the kind is part of it.
        assert!(outcomes.told().any(|(_, told)| told.exit.is_some()));
        wrong.extend(outcomes.differences().into_iter().map(|how| format!("{tool} {args}: {how}")));
        match outcomes.into_direct() {
            Err(error) if error.kind() == kind => {}
            other => wrong.push(format!("not {kind:?}: {other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((bad().len(), tools.len()), (CALLS, TOOLS));
}

#[test]
fn a_surface_that_differs_is_named_with_how() {
    use std::sync::Arc;
    use tool_core::BoxFuture;
    use tool_core::test::{Case, SurfaceUnderTest, Told};

    /// Cuts what it is told.
    struct Cutting;

    impl SurfaceUnderTest for Cutting {
        fn name(&self) -> String {
            "cutting".to_owned()
        }

        fn call<'a>(&'a self, kit: &'a ToolKit, case: &'a Case<'a>) -> BoxFuture<'a, Option<Told>> {
            Box::pin(async move {
                let mut told = Told::of(&kit.call(case.tool, case.args.clone()).await).exit(9);
                if let Ok(data) = &mut told.result {
                    data["bytes_written"] = 0.into();
                }
                // It writes twice as much.
                let _ = kit.call("write_file", json!({"path": "more.txt", "content": "more"})).await;
                Some(told)
            })
        }
    }

    let kit = kit().surfaces([Arc::new(Cutting) as Arc<dyn SurfaceUnderTest>]).build();
    let args = json!({"path": "b.txt", "content": "text"});
    let wrong = kit.everywhere("write_file", args).blocking().differences();
    assert_eq!(wrong.len(), 3, "{wrong:?}");
    assert_eq!(wrong[0], "cutting /bytes_written: 0, not 4");
    assert_eq!(wrong[1], "cutting ended with Some(9), not 0");
    assert!(wrong[2].starts_with("cutting left /0/more.txt: \"644 4 bytes "), "{wrong:?}");
}

/// Keeps a key for somebody.
#[tool_core::tool(register = false, side_effect, idempotent)]
fn keep_key(
    /// Whose it is.
    owner: &str,
    /// The key.
    #[arg(secret, len = 4..=20)]
    key: &str,
    /// Words for it.
    #[arg(last)]
    words: Vec<String>,
) -> String {
    format!("{owner} {} {}", key.len(), words.join(" "))
}

/// On the command line a secret stands in a file, or comes on standard input.
#[test]
fn a_call_with_a_secret_comes_to_the_same_everywhere() {
    let registry = || tool_core::Registry::builder().add::<KeepKeyTool>().build().unwrap();
    let surfaces = [tool_cli::test::surfaces(), tool_mcp::test::surfaces()].concat();
    let kit = ToolKit::of(registry()).surfaces(surfaces).build();
    let called = |args: Value| kit.everywhere("keep_key", args).blocking();
    for key in ["--k 1\n23", "line end\n", "\n\n\n\n\n"] {
        let kept = called(json!({"owner": "Ann", "key": key, "words": ["-a", "--key-file", "b"]}));
        assert_eq!(kept.told().count(), 12, "{key:?}");
        assert_eq!(kept.assert_same().unwrap().data(), format!("Ann {} -a --key-file b", key.len()));
    }
    let refused = called(json!({"owner": "Ann", "key": "k"})).assert_same().unwrap_err();
    assert_eq!(refused.kind(), InvalidArgs);
    assert!(!refused.to_string().contains("\"k\""));
}
