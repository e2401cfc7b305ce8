//! Many processes, one explicit key: one effect, and the same answer for everybody. (journal.md, acceptance 6)

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test"
)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, JournalMode, Registry};
use tool_store::{SqliteJournal, SqliteOptions};

/// In a process of the test: the folder, and how much is ordered.
const FOLDER: &str = "TOOL_SAME_KEY_FOLDER";
const AMOUNT: &str = "TOOL_SAME_KEY_AMOUNT";

const PROCESSES: usize = 32;
const CALLS: usize = 50;

struct Outside(PathBuf);

/// Orders.
#[tool(side_effect, idempotent = false, register = false)]
fn order(
    /// How many.
    amount: u64,
    #[ctx] outside: &Outside,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&outside.0).unwrap();
    writeln!(file, "{amount} {}", ctx.idempotency_key()).unwrap();
    Ok(format!("{amount} by {}", std::process::id()))
}

/// One of the processes; nothing where the test did not start it.
#[test]
fn one_of_many() {
    let (Some(folder), Some(amount)) = (std::env::var_os(FOLDER), std::env::var_os(AMOUNT)) else { return };
    let folder = PathBuf::from(folder);
    let amount: u64 = amount.to_str().unwrap().parse().unwrap();
    // On a busy machine it may take longer than the journal lets one of them wait until all have had their turn.
    let deadline = Instant::now() + Duration::from_secs(120);
    let journal = loop {
        match SqliteJournal::open(folder.join("journal.db"), SqliteOptions::default()) {
            Ok(journal) => break journal,
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
    };
    let registry = Registry::builder().add::<OrderTool>().build().unwrap();
    let executor =
        Executor::standard(registry).journal(Arc::new(journal), JournalMode::All, "test 1").build().unwrap();
    let ctx = ToolContext::builder().provide(Outside(folder.join("outside"))).build();
    for _ in 0..CALLS {
        let answer = loop {
            let call = Call {
                idempotency_key: Some("order-7".to_owned()),
                ..Call::new("order", json!({"amount": amount}))
            };
            match executor.call_blocking(call, &ctx, Caller::Test) {
                Ok(output) => break format!("answer {}", output.data().as_str().unwrap()),
                // Again under the same key, as a caller would.
                Err(error) if error.code_str() == "journal_unavailable" && Instant::now() < deadline => {}
                Err(error) => break format!("error {} {}", error.code_str(), error.kind().exit_code()),
            }
        };
        println!("\n{answer}");
    }
}

fn start(folder: &Path, amount: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "one_of_many", "--nocapture"])
        .env(FOLDER, folder)
        .env(AMOUNT, amount.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn answers(child: Child) -> Vec<String> {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // The harness may have begun the line.
    let lines = text.lines().filter_map(|line| {
        let at = line.find("answer ").or_else(|| line.find("error "))?;
        Some(line[at..].to_owned())
    });
    lines.collect()
}

#[test]
fn thirty_two_processes_have_one_effect_and_equal_answers_and_other_arguments_conflict() {
    let folder = tool_trials::directory();
    let many: Vec<Child> = (0..PROCESSES).map(|_| start(folder.path(), 5)).collect();
    let all: Vec<String> = many.into_iter().flat_map(answers).collect();
    assert_eq!(all.len(), PROCESSES * CALLS);
    assert!(all[0].starts_with("answer 5 by "), "{}", all[0]);
    let other: Vec<&String> = all.iter().filter(|answer| **answer != all[0]).collect();
    assert!(other.is_empty(), "{} others, such as {:?}", other.len(), other.first());
    let outside = std::fs::read_to_string(folder.path().join("outside")).unwrap();
    assert_eq!(outside, "5 order-7\n");
    let conflict = answers(start(folder.path(), 6));
    assert_eq!(conflict, vec!["error idempotency_conflict 4"; CALLS]);
    assert_eq!(std::fs::read_to_string(folder.path().join("outside")).unwrap(), "5 order-7\n");
    println!("same key: {} equal answers, 1 effect, {} conflicts", all.len(), conflict.len());
}
