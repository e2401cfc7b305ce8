//! A program with the feature `store` has a journal, without a word in its `main`. (calls.md §7, cli.md §1, §10, journal.md)

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tests::captured::Captured;
use tests::demo;
use tool_cli::{Cli, Io};
use tool_core::Registry;
use tool_core::prelude::*;

/// A home, and in it a directory to work in.
struct Home(tool_trials::Directory);

impl Home {
    fn new() -> Home {
        let home = Home(tool_trials::directory());
        std::fs::create_dir(home.work()).unwrap();
        home
    }

    fn work(&self) -> PathBuf {
        self.0.path().join("work")
    }

    fn journal(&self) -> PathBuf {
        self.0.path().join("state/demo/journal.db")
    }

    fn io(&self, env: &[(&str, &str)]) -> (Io, Captured, Captured) {
        let (stdout, stderr) = (Captured::default(), Captured::default());
        let state = self.0.path().join("state");
        let own = [("XDG_STATE_HOME".into(), state.into())];
        let env = env.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let io = Io {
            stdout: Box::new(stdout.clone()),
            stderr: Box::new(stderr.clone()),
            env: own.into_iter().chain(env).collect(),
            ..Io::detached(self.work())
        };
        (io, stdout, stderr)
    }

    fn run(&self, cli: &Cli, env: &[(&str, &str)], line: &[&str]) -> (u8, String, String) {
        let (io, stdout, stderr) = self.io(env);
        let code = cli.run_from(line, io).0;
        (code, stdout.text(), stderr.text())
    }

    /// Tool, status and attempt of the recorded calls.
    fn rows(&self, cli: &Cli) -> Vec<(String, String, u64)> {
        let (code, stdout, stderr) = self.run(cli, &[], &["journal", "list", "--json"]);
        assert_eq!(code, 0, "{stderr}");
        let rows: Vec<Value> = serde_json::from_str(&stdout).unwrap();
        let text = |row: &Value, member: &str| row[member].as_str().unwrap().to_owned();
        rows.iter()
            .map(|row| (text(row, "tool_name"), text(row, "status"), row["attempt"].as_u64().unwrap()))
            .collect()
    }

    fn tools(&self, cli: &Cli) -> Vec<String> {
        self.rows(cli).into_iter().map(|row| row.0).collect()
    }

    fn settings(&self, text: &str) -> String {
        let path = self.0.path().join("settings.toml");
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

fn demo() -> Cli {
    demo::demo(&Value::Null).unwrap().0
}

const READ: [&str; 1] = ["ping"];
const EFFECT: [&str; 3] = ["store", "prune", "30d"];

#[test]
fn every_call_is_recorded_in_the_order_of_calls_reads_too_where_nothing_is_said() {
    let home = Home::new();
    let cli = demo();
    assert_eq!(home.run(&cli, &[], &["journal", "list", "--json"]).1, "[]\n");
    assert!(!home.journal().exists(), "who only looks makes none");
    for line in [&READ[..], &EFFECT, &["store", "search", "lamp"]] {
        let (code, _, stderr) = home.run(&cli, &[], line);
        assert_eq!((code, stderr.as_str()), (0, ""), "{line:?}");
    }
    assert_eq!(home.tools(&cli), ["ping", "store_prune", "store_search"]);
    assert!(home.journal().exists());
    // A refused call and one of the program's own commands are none.
    assert_eq!(home.run(&cli, &[], &["store", "delete", "42"]).0, 5);
    home.run(&cli, &[], &["tools", "list"]);
    assert_eq!(home.rows(&cli).len(), 3);
    // Another value, as another process would have: what was recorded is there.
    drop(cli);
    let (_, stdout, _) = home.run(&demo(), &[], &["journal", "export", "--json"]);
    let rows: Vec<Value> = serde_json::from_str(&stdout).unwrap();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| row["program"] == "demo 1.0.0" && row["caller"] == "cli"), "{rows:?}");
    assert_eq!(rows[0]["output_json"]["content"][0]["text"], "pong");
}

#[test]
fn the_settings_say_which_calls_are_recorded() {
    for (settings, recorded) in [
        ("journal = \"off\"\n", &[][..]),
        ("journal = \"effects\"\n", &["store_prune"]),
        ("journal = \"all\"\n", &["ping", "store_prune"]),
    ] {
        let (home, cli) = (Home::new(), demo());
        let file = home.settings(settings);
        for line in [&READ[..], &EFFECT] {
            assert_eq!(home.run(&cli, &[("DEMO_CONFIG", &file)], line).0, 0);
        }
        assert_eq!(home.tools(&cli), recorded, "{settings}");
    }
    let (home, file) = (Home::new(), "journal = \"some\"\n");
    let file = home.settings(file);
    let (code, _, stderr) = home.run(&demo(), &[("DEMO_CONFIG", &file)], &READ);
    assert!(code == 6 && stderr.contains("settings.toml:1:11: `journal`"), "{stderr}");
}

#[test]
fn without_a_journal_calls_run_and_the_commands_say_why() {
    let home = Home::new();
    let off = [("DEMO_JOURNAL", "off")];
    assert_eq!(home.run(&demo(), &off, &EFFECT).0, 0);
    let (code, _, stderr) = home.run(&demo(), &off, &["journal", "list"]);
    assert!(
        code == 6 && stderr.contains("journal_off") && stderr.contains("DEMO_JOURNAL is off"),
        "{stderr}"
    );
    assert!(!home.journal().exists());
    let (_, stdout, _) = home.run(&demo(), &off, &["doctor", "--json"]);
    let told = |stdout: &str| {
        let report: Value = serde_json::from_str(stdout).unwrap();
        let check = report["checks"].as_array().unwrap().iter().find(|check| check["name"] == "journal");
        (check.unwrap()["status"].clone(), report["journal"]["in_doubt"].clone())
    };
    assert_eq!(told(&stdout), (json!("warn"), Value::Null));
    let (_, stdout, _) = home.run(&demo(), &[], &["doctor", "--json"]);
    assert_eq!(told(&stdout), (json!("ok"), json!(0)));
    assert!(!home.journal().exists(), "doctor only looks");
}

#[test]
fn a_journal_that_cannot_be_opened_keeps_side_effects_from_running_and_reads_not() {
    let home = Home::new();
    let inside = home.work().join("journal.db");
    let chosen = [("DEMO_JOURNAL", inside.to_str().unwrap())];
    let (code, stdout, _) = home.run(&demo(), &chosen, &READ);
    assert_eq!((code, stdout.as_str()), (0, "pong\n"));
    let (code, _, stderr) = home.run(&demo(), &chosen, &EFFECT);
    assert!(code == 6 && stderr.contains("journal_inside_workspace"), "{stderr}");
    assert!(!inside.exists());
    // Its twin lies elsewhere.
    let outside = home.0.path().join("journal.db");
    let chosen = [("DEMO_JOURNAL", outside.to_str().unwrap())];
    assert_eq!(home.run(&demo(), &chosen, &EFFECT).0, 0);
    assert!(outside.exists());
    let (code, _, stderr) = home.run(&demo(), &[("DEMO_JOURNAL_KEY", "ab")], &EFFECT);
    assert!(code == 6 && stderr.contains("DEMO_JOURNAL_KEY must be 64 hex digits"), "{stderr}");
}

#[test]
fn runs_of_one_value_are_each_recorded_where_their_own_environment_says() {
    let cli = demo();
    let homes = [Home::new(), Home::new()];
    std::thread::scope(|scope| {
        for (home, line) in homes.iter().zip([&READ[..], &EFFECT]) {
            let cli = &cli;
            scope.spawn(move || (0..5).for_each(|_| assert_eq!(home.run(cli, &[], line).0, 0)));
        }
    });
    assert_eq!(homes[0].tools(&cli), ["ping"; 5]);
    assert_eq!(homes[1].tools(&cli), ["store_prune"; 5]);
}

#[test]
fn a_run_that_the_environment_names_goes_on_with_the_next_attempt_inside_a_runtime_too() {
    let (home, cli) = (Home::new(), demo());
    let run = [("DEMO_RUN", "r"), ("DEMO_NODE", "n")];
    let delete = ["store", "delete", "42", "--yes", "--envelope"];
    let (code, stdout, stderr) = home.run(&cli, &run, &delete);
    assert!(code == 0 && !stdout.contains("replayed"), "{stderr}");
    // A dry run, help and what only tells of tools take no attempt.
    for line in [&["store", "delete", "42", "--dry-run"][..], &["login", "-h"], &["tools", "why", "ping"]] {
        assert_eq!(home.run(&cli, &run, line).0, 0, "{line:?}");
    }
    let (io, stdout, stderr) = home.io(&run);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let code = runtime.block_on(cli.run_from_async(delete, io)).0;
    let told: Value = serde_json::from_str(&stdout.text()).unwrap();
    assert_eq!((code, &told["meta"]["replayed"]), (0, &json!(true)), "{}", stderr.text());
    let attempts: Vec<u64> = home.rows(&cli).into_iter().map(|row| row.2).collect();
    assert_eq!(attempts, [1, 2]);
    // An attempt that is given is used.
    let given = [("DEMO_RUN", "r"), ("DEMO_NODE", "n"), ("DEMO_ATTEMPT", "7")];
    assert_eq!(home.run(&cli, &given, &READ).0, 0);
    assert_eq!(home.rows(&cli).last().unwrap().2, 7);
    let wrong = [("DEMO_RUN", "r"), ("DEMO_ATTEMPT", "x")];
    let (code, _, stderr) = home.run(&cli, &wrong, &READ);
    assert!(code == 2 && stderr.contains("DEMO_ATTEMPT must be a whole number"), "{stderr}");
    for attempt in ["0", "4294967296"] {
        let wrong = [("DEMO_RUN", "r"), ("DEMO_ATTEMPT", attempt)];
        let (code, _, stderr) = home.run(&cli, &wrong, &READ);
        assert!(code == 2 && stderr.contains("from 1 to 4294967295"), "{stderr}");
    }
}

/// Numbers orders, and emits the numbers.
#[tool(side_effect, idempotent = false, register = false)]
async fn number_orders(ctx: &ToolContext, #[ctx] runs: &AtomicU32) -> Result<Items<u32>, ToolError> {
    runs.fetch_add(1, Ordering::Relaxed);
    let mut numbers = ctx.items();
    numbers.push(7)?;
    numbers.push(8)?;
    Ok(numbers)
}

#[test]
fn a_list_that_the_journal_answers_with_is_printed_whole_though_its_first_reader_saw_it_come() {
    let home = Home::new();
    let runs = Arc::<AtomicU32>::default();
    let own = Arc::clone(&runs);
    let cli = Cli::new(Registry::builder().add::<NumberOrdersTool>().build().unwrap())
        .name("demo")
        .context(move |_| Ok(ToolContext::builder().provide_arc::<AtomicU32>(Arc::clone(&own))));
    for (format, shown) in [("jsonl", "7\n8\n"), ("jsonl", "7\n8\n"), ("json", "[7,8]\n"), ("text", "7\n8\n")]
    {
        let line = ["number-orders", "--idempotency-key", "once", "-o", format];
        assert_eq!(home.run(&cli, &[], &line), (0, shown.to_owned(), String::new()), "{format}");
    }
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[test]
fn a_program_that_hears_of_lost_calls_lets_go_of_its_journal_when_it_ends() {
    let home = Home::new();
    let cli = demo().lost(|settings, row| panic!("{row:?} of {:?}", settings.journal()));
    assert_eq!(home.run(&cli, &[], &READ).0, 0);
    let owners = home.journal().with_file_name("owners");
    let count = || std::fs::read_dir(&owners).unwrap().count();
    assert_eq!(count(), 1);
    drop(cli);
    assert_eq!(count(), 0);
}

#[test]
fn a_process_records_what_it_did_before_it_ends() {
    let home = Home::new();
    let call = |words: &[&str]| {
        let mut demo = std::process::Command::new(env!("CARGO_BIN_EXE_demo"));
        demo.args(words).env_clear().env("HOME", home.0.path()).current_dir(home.work());
        demo.output().unwrap()
    };
    assert!(call(&READ).status.success());
    let listed: Value = serde_json::from_slice(&call(&["journal", "list", "--json"]).stdout).unwrap();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["tool_name"]), (1, &json!("ping")));
    let owners = |state: &Path| std::fs::read_dir(state.join("owners")).unwrap().count();
    assert_eq!(
        owners(&home.0.path().join(".local/state/demo")),
        0,
        "a process that ends takes its name back"
    );
}
