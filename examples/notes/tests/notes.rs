//! The tools are plain methods, and the same through the registry.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use notes::{NOTEBOOK_TOOLS, Notebook, Order, Tag, template_tools};
use serde_json::json;
use tool_core::{Call, Caller, ErrorKind, Executor, Registry, Secret, ToolContext, ToolResult};

fn tag(word: &str) -> Tag {
    Tag { word: word.to_owned(), weight: 1 }
}

#[test]
fn tools_are_plain_methods() {
    let notebook = Notebook::default();
    notebook.add_note("b", vec![tag("x")]);
    notebook.add_note("a", vec![]);
    let texts = |notes: Vec<notes::Note>| notes.into_iter().map(|note| note.text).collect::<Vec<_>>();
    assert_eq!(texts(notebook.list_notes(None, Order::Newest, 10)), ["a", "b"]);
    assert_eq!(texts(notebook.list_notes(Some("x"), Order::Text, 10)), ["b"]);
    assert!(notebook.sign_note(3, &Secret::new("k")).is_err());
    assert_eq!(notebook.sign_note(1, &Secret::new("k")).unwrap().len(), 18);
}

struct App {
    executor: Executor,
    ctx: ToolContext,
}

impl App {
    fn new(secrets: &[(&str, &str)]) -> App {
        let shopping = template_tools("add_shopping", "Buy {amount} {item}").unwrap();
        let registry = Registry::builder().add_set(&NOTEBOOK_TOOLS).add_dyn(shopping).build().unwrap();
        let secrets: std::collections::HashMap<String, String> =
            secrets.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        let ctx = ToolContext::builder().provide(Notebook::default()).secrets(secrets).build();
        App { executor: Executor::standard(registry).build().unwrap(), ctx }
    }

    fn call(&self, tool: &str, args: serde_json::Value) -> ToolResult {
        self.executor.call_blocking(Call::new(tool, args), &self.ctx, Caller::Test)
    }
}

#[test]
fn the_registry_runs_the_same_tools_and_the_one_made_at_run_time() {
    let app = App::new(&[("NOTES_KEY", "k")]);
    app.call("add_note", json!({"text": "plants", "tags": {"word": "home"}})).unwrap();
    app.call("add_shopping", json!({"amount": 2, "item": "pears"})).unwrap();
    let listed = app.call("notes", json!({"order": "OLDEST", "limit": "5"})).unwrap();
    assert_eq!(
        listed.structured.unwrap(),
        json!([
            {"id": 1, "text": "plants", "tags": [{"word": "home", "weight": 1}]},
            {"id": 2, "text": "Buy 2 pears", "tags": []},
        ])
    );
    assert!(app.call("sign_note", json!({"id": 1})).is_ok());
}

#[test]
fn a_bad_call_lists_every_issue() {
    let error = App::new(&[])
        .call("add_note", json!({"txt": "x", "tags": [{"word": "a", "weight": 9}]}))
        .unwrap_err();
    let issues: Vec<_> =
        error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.code.as_str())).collect();
    assert_eq!(issues, [("/text", "missing"), ("/tags/0/weight", "range"), ("/txt", "unknown")]);
}

#[test]
fn a_missing_secret_is_not_configured() {
    let app = App::new(&[]);
    app.call("add_note", json!({"text": "x"})).unwrap();
    let error = app.call("sign_note", json!({"id": 1})).unwrap_err();
    assert_eq!((error.kind(), error.code_str()), (ErrorKind::NotConfigured, "secret_missing"));
}
