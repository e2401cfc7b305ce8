//! `doctor`: what is set and by whom, what is missing, and what to do about it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::ffi::OsString;
use std::process::Command;

use serde_json::{Value, json};
use tests::captured::Captured;
use tool_cli::doctor::{Check, Limit, Probe};
use tool_cli::{Cli, ExitCode, Io};
use tool_core::Registry;
use tool_core::prelude::*;

struct Mailer;

/// Sends mail.
#[tool(
    side_effect,
    idempotent,
    group = "mail",
    requires(secret = "SMTP_URL"),
    tags = ["allow:description-short"],
    register = false
)]
fn send_email(
    /// Who gets it.
    #[arg(positional, env = "MAIL_TO")]
    to: &str,
    #[ctx] mailer: &Mailer,
) {
    let _ = (to, mailer);
}

/// Finds the shirts of a size.
#[tool(register = false)]
fn find_shirts(
    /// The size.
    #[arg(positional, pattern = "^[SML]$")]
    item: &str,
) -> String {
    item.to_owned()
}

/// Buys a shirt of a size.
#[tool(side_effect, idempotent = false, register = false)]
fn buy_shirt() {}

fn program() -> Cli {
    let registry = Registry::builder().add::<SendEmailTool>().build().unwrap();
    Cli::new(registry).name("demo").version("1.0.0")
}

/// A program that provides what its tool asks for.
fn whole() -> Cli {
    program().context(|settings| Ok(ToolContext::builder().secrets(settings.secrets()).provide(Mailer)))
}

fn run(cli: &Cli, words: &[&str], env: &[(&str, &str)]) -> (ExitCode, String, String) {
    let (stdout, stderr) = (Captured::default(), Captured::default());
    let io = Io {
        stdout: Box::new(stdout.clone()),
        stderr: Box::new(stderr.clone()),
        env: env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect(),
        ..Io::detached("/tmp")
    };
    let code = cli.run_from(words.iter().copied(), io);
    let text = Captured::text;
    (code, text(&stdout), text(&stderr))
}

/// Where a journal would be; doctor makes none.
fn nowhere() -> String {
    std::env::temp_dir().join("tool-cli-nowhere").display().to_string()
}

fn report(cli: &Cli, words: &[&str], env: &[(&str, &str)]) -> (ExitCode, Value) {
    let nowhere = nowhere();
    let env = [&[("XDG_STATE_HOME", nowhere.as_str())], env].concat();
    let (code, stdout, stderr) = run(cli, &[&["doctor", "--json"], words].concat(), &env);
    assert_eq!(stderr, "");
    (code, serde_json::from_str(&stdout).unwrap())
}

fn check(report: &Value, name: &str) -> Value {
    let found: Vec<&Value> =
        report["checks"].as_array().unwrap().iter().filter(|check| check["name"] == name).collect();
    assert_eq!(found.len(), 1, "{name} in {report}");
    found[0].clone()
}

#[test]
fn each_setting_names_who_decided_it() {
    let directory = tool_trials::directory();
    let file = directory.path().join("config.toml");
    std::fs::write(&file, "\ncolor = \"never\"\n").unwrap();
    let config = file.to_str().unwrap();
    let env = [("DEMO_TIMEOUT", "3s"), ("SMTP_URL", "s"), ("DEMO_CONFIG", config)];
    let (code, report) = report(&whole(), &["--root", "/"], &env);
    assert_eq!(code, ExitCode::SUCCESS);
    let told = |name: &str| json!([check(&report, name)["value"], check(&report, name)["source"]]);
    assert_eq!(told("root"), json!(["/", "option"]));
    assert_eq!(told("timeout"), json!(["3s", "$DEMO_TIMEOUT"]));
    assert_eq!(told("color"), json!(["never", format!("{config}:2")]));
    assert_eq!(told("log"), json!(["warn", "default"]));
    assert_eq!(told("config"), json!([config, "$DEMO_CONFIG"]));
}

#[test]
fn a_missing_secret_warns_and_is_marked_and_one_that_is_set_does_neither() {
    let (code, without) = report(&whole(), &[], &[]);
    assert_eq!((code, &without["status"]), (ExitCode::SUCCESS, &json!("warn")));
    let told = check(&without, "secret SMTP_URL");
    assert_eq!((&told["status"], &told["value"]), (&json!("warn"), &json!("not set")));
    assert_eq!(told["advice"], "set SMTP_URL; send_email cannot run without it");
    let (_, with) = report(&whole(), &[], &[("SMTP_URL", "hunter2")]);
    assert_eq!(
        check(&with, "secret SMTP_URL"),
        json!({"status": "ok", "name": "secret SMTP_URL", "value": "set"})
    );
    assert!(!with.to_string().contains("hunter2"));

    let marked = "Sends mail. [side effect] [needs SMTP_URL]";
    let tables: [(&[&str], &str); 3] = [
        (&["--help"], marked),
        (&["mail", "-h"], marked),
        (&["tools", "list", "-o", "text"], "Sends mail. [needs SMTP_URL]"),
    ];
    for (words, mark) in tables {
        assert!(run(&whole(), words, &[]).1.contains(mark), "{words:?}");
        let set = run(&whole(), words, &[("SMTP_URL", "hunter2")]).1;
        assert!(set.contains("Sends mail.") && !set.contains("[needs"), "{words:?}");
    }
    assert!(
        run(&whole(), &["mail", "send-email", "-h"], &[]).1.starts_with("Sends mail. [needs SMTP_URL]\n")
    );
    assert!(run(&whole(), &["--llms"], &[]).1.contains("Sends mail. [side effect]\n"));
}

#[test]
fn a_capability_that_nobody_provides_fails_with_the_status_of_not_configured() {
    let env = [("SMTP_URL", "s")];
    let (code, without) = report(&program(), &[], &env);
    assert_eq!((code, &without["status"]), (ExitCode(6), &json!("fail")));
    let told = check(&without, "capability Mailer");
    assert_eq!((&told["status"], &told["value"]), (&json!("fail"), &json!("not provided")));
    let (code, with) = report(&whole(), &[], &env);
    assert_eq!((code, &with["status"]), (ExitCode::SUCCESS, &json!("ok")));
    assert_eq!(check(&with, "capability Mailer")["value"], "provided");
}

#[test]
fn what_stops_calls_is_told_and_does_not_stop_the_report() {
    let directory = tool_trials::directory();
    let file = directory.path().join("config.toml");
    std::fs::write(&file, "rot = 1\nyes = true\n").unwrap();
    let config = file.to_str().unwrap();
    let words = ["--config", config, "--root", "/no-such", "-o", "text"];
    let (code, stdout, stderr) = run(&whole(), &[&["doctor"][..], &words].concat(), &[]);
    assert_eq!((code, stderr.as_str()), (ExitCode(6), ""));
    for line in
        ["config.toml:1:1: unknown key `rot`", "config.toml:2:1: `yes`", "'/no-such' is not a directory"]
    {
        assert!(stdout.contains(line), "{line} in {stdout}");
    }
    assert_eq!(
        run(&whole(), &[&["mail", "send-email", "x", "--dry-run"][..], &words].concat(), &[]).0,
        ExitCode(6)
    );
}

#[test]
fn every_limit_has_a_value_its_source_and_a_meaning_and_people_see_them_when_they_ask() {
    let (_, told) = report(&whole(), &[], &[]);
    let limits = told["limits"].as_array().unwrap();
    assert!(limits.len() >= 15);
    for limit in limits {
        assert!(limit["value"].as_u64().is_some_and(|value| value > 0), "{limit}");
        assert_eq!((&limit["value"], &limit["from"]), (&limit["default"], &json!("default")), "{limit}");
        assert!(limit["meaning"].as_str().is_some_and(|text| text.ends_with('.')), "{limit}");
    }
    let (nowhere, text) = (nowhere(), ["doctor", "-o", "text"]);
    let env = [("XDG_STATE_HOME", nowhere.as_str())];
    let brief = run(&whole(), &text, &env).1;
    let long = run(&whole(), &[&text[..], &["--limits"]].concat(), &env).1;
    for limit in limits {
        let row = format!("limit {} ", limit["name"].as_str().unwrap());
        assert!(long.contains(&row), "{row} in {long}");
        assert!(!brief.contains(&row), "{row} in {brief}");
    }
}

#[test]
fn a_program_adds_what_it_knows_and_an_error_of_its_probe_is_a_failed_check() {
    let knows = |_: &tool_cli::Settings| {
        let checks = vec![Check::warn("queue", "nearly full", "empty it").from("default")];
        let limits = vec![Limit::fixed("queue_max", 9, "Mails that wait.")];
        Ok(Probe { section: json!({"waiting": 8}), checks, limits })
    };
    let (code, told) = report(&whole().probe("queue", knows), &[], &[]);
    assert_eq!((code, &told["queue"]), (ExitCode::SUCCESS, &json!({"waiting": 8})));
    assert_eq!(check(&told, "queue")["advice"], "empty it");
    assert!(told["limits"].as_array().unwrap().iter().any(|limit| limit["name"] == "queue_max"));

    let broken = |_: &tool_cli::Settings| Err(ToolError::unavailable("No queue answers.").hint("start it"));
    let (code, told) = report(&whole().probe("queue", broken), &[], &[]);
    assert_eq!(code, ExitCode(6));
    let told = check(&told, "queue");
    assert_eq!((&told["value"], &told["advice"]), (&json!("No queue answers."), &json!("start it")));
}

#[test]
fn what_is_wrong_with_the_tools_is_told_and_an_error_decides_how_it_ends() {
    let fine = report(&whole(), &[], &[("SMTP_URL", "s")]);
    assert_eq!((fine.0, &fine.1["status"], &fine.1["lints"]), (ExitCode::SUCCESS, &json!("ok"), &json!([])));
    assert!(run(&whole(), &["doctor", "-o", "text"], &[]).1.contains("nothing found"));

    let shop =
        |registry: tool_core::registry::RegistryBuilder| Cli::new(registry.build().unwrap()).name("demo");
    let vague = || Registry::builder().add::<FindShirtsTool>();
    let (code, told) = report(&shop(vague()), &[], &[]);
    assert_eq!((code, &told["status"]), (ExitCode::SUCCESS, &json!("warn")));
    let ids = |told: &Value| -> Vec<String> {
        let lints = told["lints"].as_array().unwrap().iter();
        lints.map(|lint| lint["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&told), ["param-vague"]);
    let page = run(&shop(vague()), &["doctor", "-o", "text"], &[]).1;
    assert!(page.contains("warn  param-vague find_shirts /item\n      `item` says nothing"), "{page}");
    let (code, told) = report(&shop(vague()), &["--dialect", "gemini"], &[]);
    assert_eq!((code, ids(&told)), (ExitCode::SUCCESS, vec!["dialect-gemini".into(), "param-vague".into()]));
    assert_eq!(run(&shop(vague()), &["doctor", "--dialect", "latin"], &[]).0, ExitCode(2));

    let wrong = || shop(vague().add::<BuyShirtTool>());
    let (code, told) = report(&wrong(), &[], &[]);
    assert_eq!((code, &told["status"]), (ExitCode::FAILURE, &json!("fail")));
    assert_eq!(ids(&told), ["effect-without-context", "param-vague"]);
    // What stops calls here is worse than what is wrong with a tool anywhere.
    assert_eq!(run(&wrong(), &["doctor", "--root", "/no-such"], &[]).0, ExitCode(6));
}

#[test]
fn a_policy_file_that_cannot_be_read_is_a_failed_check_beside_its_source() {
    let env = [("SMTP_URL", "s"), ("DEMO_POLICY", "policy.toml")];
    let (code, told) = report(&whole(), &[], &env);
    let told = check(&told, "policy");
    assert_eq!(
        (code, &told["status"], &told["source"]),
        (ExitCode(6), &json!("fail"), &json!("$DEMO_POLICY"))
    );
    assert_eq!(told["value"], "This program reads no policy files.");
    assert_eq!(check(&report(&whole(), &[], &env[..1]).1, "policy")["status"], "ok");
}

#[test]
fn a_journal_that_could_not_be_kept_fails_before_a_call_does() {
    let folder = tool_trials::directory();
    let inside = folder.path().join("j.db");
    let (inside, root) = (inside.to_str().unwrap(), folder.path().to_str().unwrap());
    /// Words, a variable, and what is told of the journal with what is advised.
    type Refused<'a> = (&'a [&'a str], (&'a str, &'a str), &'a str, &'a str);
    let refused: [Refused<'_>; 3] = [
        (
            &[],
            ("XDG_STATE_HOME", "/proc/nowhere"),
            "cannot be opened: ",
            "set DEMO_JOURNAL to a writable place, or off",
        ),
        (
            &[],
            ("DEMO_JOURNAL_KEY", "xx"),
            "DEMO_JOURNAL_KEY must be 64 hex digits.",
            "unset DEMO_JOURNAL_KEY",
        ),
        (
            &["--root", root],
            ("DEMO_JOURNAL", inside),
            "lies inside the workspace",
            "set DEMO_JOURNAL to a writable place",
        ),
    ];
    for (words, variable, value, advice) in refused {
        let (code, told) = report(&whole(), words, &[("SMTP_URL", "s"), variable]);
        let told = check(&told, "journal");
        assert_eq!((code, &told["status"]), (ExitCode(6), &json!("fail")), "{told}");
        assert!(told["value"].as_str().unwrap().contains(value), "{told}");
        assert!(told["advice"].as_str().unwrap().starts_with(advice), "{told}");
    }
    let (code, told) = report(&whole(), &[], &[("SMTP_URL", "s"), ("XDG_STATE_HOME", root)]);
    assert_eq!((code, &check(&told, "journal")["status"]), (ExitCode::SUCCESS, &json!("ok")));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn a_variable_that_is_wrong_is_a_failed_check_of_its_setting() {
    let env = [("SMTP_URL", "s"), ("DEMO_TIMEOUT", "bad")];
    let (code, told) = report(&whole(), &[], &env);
    let told = check(&told, "timeout");
    assert_eq!(
        (code, &told["status"], &told["source"]),
        (ExitCode(6), &json!("fail"), &json!("$DEMO_TIMEOUT"))
    );
    assert!(told["value"].as_str().unwrap().starts_with("expected a time of 1ms to 1h"), "{told}");
    assert_eq!(report(&whole(), &[], &env[..1]).0, ExitCode::SUCCESS);
}

#[test]
fn the_settings_file_is_told_once_with_where_it_was_looked_for() {
    let home = tool_trials::directory();
    let env = [("SMTP_URL", "s"), ("XDG_CONFIG_HOME", home.path().to_str().unwrap())];
    let (_, told) = report(&whole(), &[], &env);
    let file = home.path().join("demo/config.toml");
    assert_eq!(check(&told, "config")["value"], format!("none at {}", file.display()));
    std::fs::create_dir(home.path().join("demo")).unwrap();
    std::fs::write(&file, "rot = 1\n").unwrap();
    let (code, told) = report(&whole(), &[], &env);
    assert_eq!(
        (code, &check(&told, "config")["status"]),
        (ExitCode(6), &json!("fail")),
        "once, as what it is"
    );
}

#[test]
fn a_working_directory_that_was_deleted_is_told_once() {
    let stderr = Captured::default();
    let io = Io { stderr: Box::new(stderr.clone()), ..Io::detached("") };
    let code = whole().run_from(["mail", "send-email", "x"], io);
    let told = "error[root_not_found]: The working directory was deleted.\n\
                hint: change to a directory that exists, or name one with --root\n";
    assert_eq!((code, stderr.text().as_str()), (ExitCode(3), told));
    let cli = whole().probe("ground", |_| Err(ToolError::not_found("There is no ground.")));
    let stdout = Captured::default();
    let io = Io { stdout: Box::new(stdout.clone()), ..Io::detached("") };
    assert_eq!(cli.run_from(["doctor", "--json"], io), ExitCode(6));
    let told: Value = serde_json::from_str(&stdout.text()).unwrap();
    let checks = told["checks"].as_array().unwrap().iter();
    let failed: Vec<&Value> =
        checks.filter(|check| check["status"] == "fail").map(|check| &check["name"]).collect();
    assert_eq!(failed, ["root"], "{told}");
    // Where there is a root, the same probe is heard.
    let cli = whole().probe("ground", |_| Err(ToolError::not_found("There is no ground.")));
    assert_eq!(check(&report(&cli, &[], &[]).1, "ground")["status"], "fail");
}

#[test]
fn every_topic_of_help_has_a_page_and_the_variables_are_those_that_are_read() {
    for (topic, part) in [
        ("exit-codes", "  130  cancelled"),
        ("input", "--input"),
        ("output", "--envelope"),
        ("environment", "DEMO_TIMEOUT"),
    ] {
        let (code, page, stderr) = run(&whole(), &["help", topic], &[]);
        assert_eq!((code, stderr.as_str()), (ExitCode::SUCCESS, ""));
        assert!(page.contains(part), "{topic}: {page}");
    }
    let page = run(&whole(), &["help", "environment"], &[]).1;
    for line in
        ["SMTP_URL         ", "MAIL_TO          ", "to of 'demo mail send-email'", "NO_COLOR", "DEMO_CONFIG"]
    {
        assert!(page.contains(line), "{line} in {page}");
    }
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("but for DEMO_CONFIG and DEMO_POLICY: there it means none."), "{page}");
    assert_eq!(run(&whole(), &["help", "environmnt"], &[]).0, ExitCode(3));
}

#[test]
fn the_toolbox_tells_each_limit_once() {
    let toolbox = tests::built::program("toolbox");
    let output = Command::new(toolbox).args(["doctor", "--json"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut names: Vec<&str> =
        report["limits"].as_array().unwrap().iter().map(|limit| limit["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"max_read_bytes") && names.contains(&"max_memory_bytes"), "{names:?}");
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}
