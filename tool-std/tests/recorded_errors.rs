//! Errors that show content to the caller: the journal and the audit have its digest, or nothing of it. (files.md §13, shell.md §7)

#![cfg(test)]

mod support;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use support::Bench;
use tool_core::journal::{Journal, MemoryJournal, RowQuery};
use tool_core::{
    AuditSettings, Call, Caller, Coordinates, Executor, JournalMode, JsonLines, Registry, ToolContext,
    canonical,
};
use tool_std::sandbox::layers::Layer;
use tool_std::sandbox::{Mode, SandboxPolicy};
use tool_std::shell::{BashTool, RunCommandTool};
use tool_std::{Workspace, WorkspacePolicy};

/// What stands in the file, in the arguments, and in the output of commands.
const CANARY: &str = "canary-93e0ab517c";

/// A file whose lines all have the canary.
fn file() -> String {
    ["one", "two", "three"].map(|word| format!("{CANARY} {word}\n")).concat()
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files and commands of a workspace, whose calls are recorded.
struct Recorded {
    bench: Bench,
    journal: MemoryJournal,
}

impl Recorded {
    fn new() -> Self {
        Self::with(SandboxPolicy::default())
    }

    fn with(policy: SandboxPolicy) -> Self {
        let bench = Bench::with(policy);
        std::fs::write(bench.root().join("f"), file()).unwrap();
        Self { bench, journal: MemoryJournal::new() }
    }

    fn audit(&self) -> std::path::PathBuf {
        self.bench.out().join("audit.jsonl")
    }

    /// A process: an owner of its own.
    fn executor(&self) -> Executor {
        let registry = Registry::builder()
            .add_set(&tool_std::file::FILE_TOOLS)
            .add::<BashTool>()
            .add::<RunCommandTool>()
            .build()
            .unwrap();
        let audit =
            AuditSettings { sinks: vec![Box::new(JsonLines::new(self.audit()))], ..Default::default() };
        Executor::standard(registry)
            .journal(Arc::new(self.journal.another()), JournalMode::All, "test 1")
            .audit(audit)
            .build()
            .unwrap()
    }

    fn ctx(&self, attempt: u32) -> ToolContext {
        let sandbox = self.bench.sandbox.clone();
        let workspace = Workspace::open(Path::new(&self.bench.root()), WorkspacePolicy::default()).unwrap();
        ToolContext::builder()
            .provide_with(move |ctx| Arc::new(sandbox.for_call(ctx)))
            .provide_with(move |ctx| Arc::new(workspace.for_call(ctx)))
            .at(Coordinates::new("run").node("n").attempt(attempt))
            .build()
    }

    /// What the audit shows of the last call.
    fn preview(&self) -> String {
        let audit = std::fs::read_to_string(self.audit()).unwrap();
        let row: Value = serde_json::from_str(audit.lines().last().unwrap()).unwrap();
        row["output"]["preview"].as_str().unwrap().to_owned()
    }

    /// Makes a call that fails: its error as its caller sees it, and as it is recorded.
    async fn fail(&self, tool: &str, args: Value) -> (Value, Value) {
        let call = Call::new(tool, args);
        let error = self.executor().call(call, &self.ctx(1), Caller::Llm).await.unwrap_err();
        let rows = self.journal.rows(&RowQuery::default()).await.unwrap();
        let recorded = rows.last().unwrap().error_json.clone().unwrap();
        assert!(!format!("{rows:?}").contains(CANARY), "{rows:?}");
        let audit = std::fs::read_to_string(self.audit()).unwrap();
        assert!(audit.contains(error.code_str()) && !audit.contains(CANARY), "{audit}");
        (error.to_json(), serde_json::from_str(&recorded).unwrap())
    }
}

/// Whether all but the sentences and details of two errors is the same, and of the details all but the named.
fn assert_differ_in(shown: &Value, recorded: &Value, hidden: &[&str]) {
    for member in ["kind", "code", "retryable", "issues"] {
        assert_eq!(shown[member], recorded[member], "{member}");
    }
    for (name, value) in shown["details"].as_object().unwrap() {
        // The journal's note is added when the outcome is recorded.
        if name != "journal" && !hidden.contains(&name.as_str()) {
            assert_eq!(*value, recorded["details"][name], "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn output_of_a_command_that_failed_is_shown_and_recorded_as_its_digest() {
    for (script, args, code) in [
        ("cat f; echo no; cat f >&2; exit 3", json!({"check": true}), "command_failed"),
        ("cat f; echo no; cat f >&2; exec sleep 60", json!({"timeout": 1}), "timeout"),
    ] {
        for tool in ["bash", "run_command"] {
            let scene = Recorded::new();
            let mut args = args.clone();
            if tool == "bash" {
                args["cmd"] = json!("sh");
                args["args"] = json!(["-c", script]);
            } else {
                args["command"] = json!(format!("sh -c '{script}'"));
            }
            let (shown, recorded) = scene.fail(tool, args).await;
            assert_eq!(shown["code"], code, "{shown}");
            let (stdout, stderr) = (format!("{}no\n", file()), file());
            assert_eq!(
                (&shown["details"]["stdout"], &shown["details"]["stderr"]),
                (&json!(stdout), &json!(stderr))
            );
            for (name, text) in [("stdout", stdout), ("stderr", stderr)] {
                let hidden = format!("[hash: {} bytes, sha256 {}]", text.len(), digest(&text));
                assert_eq!(recorded["details"][name], hidden, "{tool} {name}");
            }
            assert_differ_in(&shown, &recorded, &["stdout", "stderr"]);
            assert_eq!(shown["message"], recorded["message"]);
        }
    }
}

/// Whoever runs with what works must be able to see afterwards what ran without what (sandbox.md §13).
#[tokio::test(flavor = "multi_thread")]
async fn what_ran_without_a_guarantee_is_whole_in_the_journal_and_the_audit_however_it_ended() {
    let missing = vec![Layer::Userns, Layer::Landlock];
    let lax =
        || SandboxPolicy { mode: Mode::BestEffort, missing: missing.clone(), ..SandboxPolicy::default() };
    // Long enough that what the audit shows of other results ends before.
    let script =
        |end: u8| json!({"cmd": "sh", "args": ["-c", format!("cat f f f f; cat f >&2; exit {end}")]});
    for (policy, is_told) in [(lax(), true), (SandboxPolicy::default(), false)] {
        for end in [0, 3] {
            let scene = Recorded::with(policy.clone());
            let confinement = serde_json::to_value(scene.bench.sandbox.report().confinement()).unwrap();
            let result =
                scene.executor().call(Call::new("bash", script(end)), &scene.ctx(1), Caller::Llm).await;
            assert_eq!(result.is_ok(), end == 0);
            let whole = canonical::text(&confinement);
            let preview = scene.preview();
            assert!(preview.contains(&format!("\"sandbox\":{whole}")), "{preview}\n{whole}");
            assert_eq!(preview.contains("no write isolation"), is_told, "{preview}");
            let wrote = digest(&file().repeat(4));
            assert!(preview.contains(&wrote) && !preview.contains(CANARY), "{preview}");
            assert!(preview.contains(&format!("\"exit_code\":{end}")), "{preview}");
            let rows = scene.journal.rows(&RowQuery::default()).await.unwrap();
            let row = rows.last().unwrap();
            let recorded =
                [&row.output_json, &row.error_json].map(|json| json.clone().unwrap_or_default()).concat();
            let recorded: Value = serde_json::from_str(&recorded).unwrap();
            let pointers = ["/structured/sandbox", "/details/sandbox"];
            let told = pointers.iter().find_map(|pointer| recorded.pointer(pointer));
            assert_eq!(told, Some(&confinement), "{recorded}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_an_edit_did_not_expect_are_shown_and_recorded_as_their_digest() {
    let patch =
        json!({"start_line": 2, "end_line": 2, "content": "x\n", "expect": format!("{CANARY} other\n")});
    let scene = Recorded::new();
    let (shown, recorded) = scene.fail("edit_lines", json!({"path": "f", "patches": [patch]})).await;
    let found = format!("{CANARY} two");
    assert_eq!((&shown["code"], &shown["details"]["found"]), (&json!("lines_mismatch"), &json!(found)));
    let hidden = format!("[hash: {} bytes, sha256 {}]", found.len(), digest(&found));
    assert_eq!(recorded["details"]["found"], hidden);
    assert_differ_in(&shown, &recorded, &["found"]);
    assert_eq!(shown["hint"], recorded["hint"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hunk_that_does_not_fit_is_shown_with_lines_and_recorded_without() {
    let patch = format!("@@ -2 +2 @@\n-{CANARY} other\n+{CANARY} new\n");
    let scene = Recorded::new();
    let (shown, recorded) = scene.fail("edit_file", json!({"path": "f", "patch": patch})).await;
    let (expected, found) = (format!("{CANARY} other"), format!("{CANARY} two"));
    let sentence = "Hunk 1 does not match at line 2";
    assert_eq!(shown["message"], format!("{sentence}: expected \"{expected}\", found \"{found}\"."));
    assert_eq!(recorded["message"], format!("{sentence}."));
    let difference = json!({"line": 2, "expected": expected, "found": found});
    assert_eq!(shown["details"]["first_difference"], difference);
    let difference = &recorded["details"]["first_difference"];
    assert_eq!(difference["line"], 2);
    assert!(difference["found"].as_str().unwrap().contains(&digest(&found)), "{difference}");
    assert!(difference["expected"].as_str().unwrap().contains(&digest(&expected)), "{difference}");
    assert_differ_in(&shown, &recorded, &["first_difference"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_patch_that_cannot_be_read_is_quoted_to_the_caller_only() {
    let body = format!("@@ -1,2 +1,2 @@\n-{CANARY} one\n+x\n");
    for (patch, sentence) in [
        (format!("{body}{CANARY} two\n"), "Line 4 of the patch has no marker (hunk 1)"),
        (
            format!("--- a/f\n+++ b/f\n{CANARY}\n"),
            "Line 3 of the patch stands between the file headers and the first hunk",
        ),
        (
            format!("--- a/../{CANARY}\n+++ b/f\n{body}"),
            "A name in line 1 of the patch is outside the workspace",
        ),
    ] {
        let scene = Recorded::new();
        let (shown, recorded) = scene.fail("edit_file", json!({"path": "f", "patch": patch})).await;
        assert!(shown["message"].as_str().unwrap().contains(CANARY), "{shown}");
        assert_eq!(recorded["message"], format!("{sentence}."), "{shown}");
        assert_differ_in(&shown, &recorded, &[]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_line_nearest_to_a_text_is_shown_and_recorded_by_its_number() {
    let scene = Recorded::new();
    let args = json!({"path": "f", "old": format!("{CANARY} twice"), "new": CANARY});
    let (shown, recorded) = scene.fail("replace_text", args).await;
    let nearest = format!("{CANARY} two");
    assert_eq!(shown["hint"], format!("the nearest line is 2: \"{nearest}\""));
    assert_eq!(recorded["hint"], "the nearest line is 2");
    assert_eq!(shown["details"]["nearest"], json!({"line": 2, "text": nearest}));
    assert_eq!(recorded["details"]["nearest"]["line"], 2);
    assert!(
        recorded["details"]["nearest"]["text"].as_str().unwrap().contains(&digest(&nearest)),
        "{recorded}"
    );
    assert_differ_in(&shown, &recorded, &["nearest"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_error_is_given_again_as_it_was_recorded() {
    let scene = Recorded::new();
    let args = json!({"cmd": "sh", "args": ["-c", "cat f; exit 3"], "check": true});
    let (_, recorded) = scene.fail("bash", args.clone()).await;
    let again = scene.executor().call(Call::new("bash", args), &scene.ctx(2), Caller::Llm).await.unwrap_err();
    assert_eq!((again.details()["replayed"].clone(), again.code_str()), (json!(true), "command_failed"));
    assert_eq!(again.details()["stdout"], recorded["details"]["stdout"]);
}
