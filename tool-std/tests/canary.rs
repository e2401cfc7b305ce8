//! The vectors of the file group with a canary in every content: no record of any call has it, and each records the digest of
//! what stood there instead. (files.md §13, acceptance 13)

#![cfg(test)]
#![allow(clippy::print_stdout)]

#[allow(dead_code, reason = "a test file uses what it needs of a scene")]
mod scene;

use std::sync::Arc;

use scene::{Scene, engine};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tool_core::journal::{Journal, MemoryJournal, RowQuery};
use tool_core::{
    AuditSettings, AuditSink, Call, Caller, Executor, JournalMode, JsonLines, Registry, ToolContext,
    TracingAudit,
};

/// What is in every content.
const CANARY: &str = "canary-7d20b1c4f6";
/// The arguments that are content.
const CONTENT: [&str; 5] = ["content", "patch", "old", "new", "expect"];

/// Where in a line the canary stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Behind a blank wide enough that no quoted line reaches it: errors have none of it either.
    BehindQuotes,
    /// Where errors quote it. Only records are without it.
    InQuotes,
}

/// Puts the canary at the end of a text.
fn marked(text: &str, place: Place) -> String {
    let line = match place {
        Place::BehindQuotes => format!("{}{CANARY}", " ".repeat(100)),
        Place::InQuotes => CANARY.to_owned(),
    };
    match text.strip_suffix('\n') {
        Some(text) => format!("{text}{line}\n"),
        None => format!("{text}{line}"),
    }
}

fn mark_arguments(args: &mut Value, place: Place) {
    match args {
        Value::Object(members) => {
            for (name, value) in members {
                match value.as_str() {
                    Some(text) if CONTENT.contains(&name.as_str()) => *value = marked(text, place).into(),
                    _ => mark_arguments(value, place),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mark_arguments(item, place)),
        _ => {}
    }
}

/// A case with the canary in its files and in its arguments.
fn with_canary(case: &Value, place: Place) -> Value {
    let mut case = case.clone();
    for step in case["setup"].as_array_mut().into_iter().flatten() {
        if step[0] == "write"
            && let Some(text) = step[2].as_str()
        {
            step[2] = marked(text, place).into();
        }
    }
    mark_arguments(&mut case["call"]["args"], place);
    case
}

/// The digests of the texts of the arguments that are content.
fn digests(args: &Value, found: &mut Vec<String>) {
    match args {
        Value::Object(members) => {
            for (name, value) in members {
                match value.as_str() {
                    Some(text) if CONTENT.contains(&name.as_str()) => {
                        found.push(Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect());
                    }
                    _ => digests(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| digests(item, found)),
        _ => {}
    }
}

/// What one call leaves: its journal rows, its audit lines, and its error.
struct Left {
    rows: String,
    audit: String,
    error: String,
    is_ok: bool,
}

fn call(case: &Value) -> Option<Left> {
    if scene::unmet(case).is_some() || case["call"]["raw_args"].is_string() {
        return None;
    }
    let scene = Scene::new(case);
    let workspace = scene.open(case).ok()?;
    let ctx = ToolContext::builder().provide_with(move |ctx| Arc::new(workspace.for_call(ctx))).build();
    let (journal, audit) = (MemoryJournal::new(), scene.out().with_file_name("audit.jsonl"));
    let registry = Registry::builder().add_set(&tool_std::file::FILE_TOOLS).build().unwrap();
    let sinks: Vec<Box<dyn AuditSink>> = vec![Box::new(JsonLines::new(&audit)), Box::new(TracingAudit)];
    let settings = AuditSettings { sinks, ..Default::default() };
    let executor = Executor::standard(registry)
        .journal(Arc::new(journal.another()), JournalMode::All, "test 1")
        .audit(settings)
        .build()
        .unwrap();
    let args = scene.fill(&case["call"]["args"]);
    let name = case["call"]["tool"].as_str().unwrap();
    let result = executor.call_blocking(Call::new(name, args), &ctx, Caller::Llm);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let rows = runtime.block_on(journal.rows(&RowQuery::default())).unwrap();
    Some(Left {
        rows: format!("{rows:?}"),
        audit: std::fs::read_to_string(audit).unwrap(),
        is_ok: result.is_ok(),
        error: result.err().map(|error| format!("{error:?} {}", error.to_json())).unwrap_or_default(),
    })
}

fn cases(file: &str) -> Vec<Value> {
    tool_trials::vectors::cases(file).map(|found| found.0).unwrap_or_default()
}

#[test]
fn no_record_of_a_call_has_content_and_each_has_its_digest() {
    let log = tool_trials::Log::default();
    log.of_this_program();
    let mut all = cases("files.json");
    all.extend(cases("paths.json").into_iter().filter(|case| case["call"].is_object()));
    let of =
        |file, tool, argument| cases(file).into_iter().map(move |case| engine::case(&case, tool, argument));
    all.extend(of("edit_unified.json", "edit_file", "patch"));
    all.extend(of("edit_lines.json", "edit_lines", "patches"));
    let (mut calls, mut ended_well, mut told, mut quoting, mut wrong) = (0, 0, 0, 0, Vec::new());
    let files = || all.iter().filter(|case| case["call"]["tool"] != "bash");
    let both = [Place::BehindQuotes, Place::InQuotes];
    for (case, stands) in both.into_iter().flat_map(|at| files().map(move |case| (with_canary(case, at), at)))
    {
        let Some(left) = call(&case) else { continue };
        calls += 1;
        ended_well += usize::from(left.is_ok);
        quoting += usize::from(stands == Place::InQuotes && left.error.contains(CANARY));
        for (place, text) in [("journal", &left.rows), ("audit", &left.audit), ("error", &left.error)] {
            if text.contains(CANARY) && (place != "error" || stands == Place::BehindQuotes) {
                let at = text.find(CANARY).unwrap_or_default();
                let around: String = text.chars().skip(at.saturating_sub(300)).take(400).collect();
                wrong.push(format!("{} {place}: {around}", case["id"]));
            }
        }
        let mut wanted = Vec::new();
        digests(&case["call"]["args"], &mut wanted);
        // A call that is refused by its arguments has nothing but their digest.
        if left.is_ok {
            for digest in wanted {
                told += 1;
                if !left.rows.contains(&digest) || !left.audit.contains(&digest) {
                    wrong.push(format!("{}: {digest} is not recorded: {}", case["id"], left.audit));
                }
            }
        }
    }
    let log = log.text();
    println!(
        "{calls} calls, {ended_well} ended well, {quoting} errors quoted content, {told} digests of content, {} bytes of log",
        log.len()
    );
    assert!(!log.contains(CANARY) && (calls == 0 || log.contains("write_file")), "{} bytes", log.len());
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(calls == 0 || (ended_well > 200 && told > 100 && quoting > 20), "{ended_well} {told} {quoting}");
}
