//! The generated command line (`cli.json`): every case through [`Cli::run_from`], in process, on the tools of [`crate::demo`].

use std::ffi::OsString;
use std::io;

use crate::captured::Captured;
use serde_json::{Map, Value, json};
use tool_cli::select::Selection;
use tool_cli::{Cli, Io, Terminal, Tty, duration, words};

use super::cli_judge::{Outcome, contains, directory, equal, judge_printed, same, stdin};
use super::judge_all_in;
use crate::demo::{Reached, demo};

/// Fewer cases are a broken file.
const LEAST: usize = 300;

#[test]
fn vectors_cli() {
    judge_all_in(
        "cli",
        LEAST,
        |file| demo(&file["results"]).unwrap(),
        |(cli, reached), case| check(cli, reached, case),
    );
}

fn check(cli: &Cli, reached: &Reached, case: &Value) -> Result<(), String> {
    let expect = &case["expect"];
    match case["op"].as_str().unwrap() {
        "run" => run(cli, reached, case, expect),
        "command" => {
            let found = words::command(case["tool"].as_str().unwrap(), case["group"].as_str());
            equal("words", &json!(found), &expect["words"])
        }
        "duration" => {
            let found =
                duration::parse(case["text"].as_str().unwrap()).map(|length| length.as_millis() as u64);
            equal("ms", &json!(found), &expect["ms"])
        }
        "select" => select(case, expect),
        "line" => line(cli, reached, case, expect),
        "flags" => super::cli_defs::flags(&case["tool"], expect),
        "clash" => super::cli_defs::clashes(&case["tools"], expect),
        other => Err(format!("unknown op {other}")),
    }
}

// ---- run -------------------------------------------------------------------------------------------------------------

fn run(cli: &Cli, reached: &Reached, case: &Value, expect: &Value) -> Result<(), String> {
    let outcome = start(cli, reached, case);
    let shown =
        format!("\n  stdout: {}\n  stderr: {}", String::from_utf8_lossy(&outcome.stdout), outcome.stderr);
    judge(&outcome, expect).map_err(|why| format!("{why}{shown}"))?;
    let mut found = Value::Null;
    if expect.get("kind").is_some() {
        let error = error_of(cli, reached, case).map_err(|why| format!("{why}{shown}"))?;
        if let Some(error) = error {
            judge_error(&error, expect).map_err(|why| format!("{why}{shown}"))?;
            let issues = error["issues"].as_array().into_iter().flatten();
            found = issues.map(|issue| json!([issue["path"], issue["expected"]])).collect();
        }
    }
    if case.get("parity").is_none() {
        return Ok(());
    }
    let reached_args = outcome.reached.as_ref().map(|(_, args)| args);
    super::cli_defs::parity(case, reached_args, &found).map_err(|why| format!("parity: {why}{shown}"))
}

/// The error as programs see it: the same command line, asked for JSON in a way that changes nothing else.
fn error_of(cli: &Cli, reached: &Reached, case: &Value) -> Result<Option<Value>, String> {
    if case["expect"]["special"] == "help" {
        return Ok(None);
    }
    let mut again = case.clone();
    let argv: Vec<&str> = case["argv"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let asked = argv.iter().any(|word| ["-o", "--format", "--json", "--envelope"].contains(word));
    if asked || case["env"].get("DEMO_FORMAT").is_some() {
        again["argv"] = json!([vec!["--envelope"], argv].concat());
    } else {
        again["env"]["DEMO_FORMAT"] = json!("json");
    }
    let outcome = start(cli, reached, &again);
    let stdout = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let texts = [stdout.as_str(), outcome.stderr.lines().last().unwrap_or_default()];
    let value = texts.into_iter().find_map(|text| serde_json::from_str::<Value>(text).ok());
    match value.map(|value| value["error"].clone()).filter(Value::is_object) {
        Some(error) => Ok(Some(error)),
        None => Err(format!("no error for programs in {stdout:?} {:?}", outcome.stderr)),
    }
}

fn start(cli: &Cli, reached: &Reached, case: &Value) -> Outcome {
    let directory = directory(case);
    let (stdout, stderr) = (Captured::default(), Captured::default());
    let tty = |stream: &str| case["tty"][stream].as_bool().unwrap_or(false);
    let env = case["env"].as_object().into_iter().flatten();
    let io = Io {
        stdin: Box::new(io::Cursor::new(stdin(case))),
        stdout: Box::new(stdout.clone()),
        stderr: Box::new(stderr.clone()),
        tty: Tty { stdin: tty("stdin"), stdout: tty("stdout"), stderr: tty("stderr") },
        terminal: case["answer"]
            .as_str()
            .map(|answer| Box::new(Answers(answer.to_owned())) as Box<dyn Terminal>),
        env: env
            .map(|(name, value)| (OsString::from(name), OsString::from(value.as_str().unwrap())))
            .collect(),
        ..Io::detached(directory.path())
    };
    let argv: Vec<String> = serde_json::from_value(case["argv"].clone()).unwrap();
    reached.take();
    let code = cli.run_from(argv, io);
    let stderr = stderr.text();
    let stdout = stdout.bytes();
    Outcome { code, reached: reached.take(), stdout, stderr, directory }
}

/// A person who has typed these lines.
struct Answers(String);

impl Terminal for Answers {
    fn ask(&mut self, _: &str) -> io::Result<Option<String>> {
        let (line, rest) = match self.0.split_once('\n') {
            Some((line, rest)) => (line.to_owned(), rest.to_owned()),
            None if self.0.is_empty() => return Ok(None),
            None => (self.0.clone(), String::new()),
        };
        self.0 = rest;
        Ok(Some(line))
    }

    fn ask_hidden(&mut self, question: &str) -> io::Result<Option<String>> {
        self.ask(question)
    }
}

fn judge(outcome: &Outcome, expect: &Value) -> Result<(), String> {
    if let Some(args) = expect.get("args") {
        let (tool, found) = outcome.reached.clone().unwrap_or_default();
        if expect.get("special").is_none() {
            equal("tool", &json!(tool), &expect["tool"])?;
            same("args", &found, args)?;
        }
    }
    if expect.get("tool").is_some_and(Value::is_null) && outcome.reached.is_some() {
        return Err("a tool was reached".to_owned());
    }
    judge_printed(outcome, expect)
}

fn judge_error(error: &Value, expect: &Value) -> Result<(), String> {
    equal("kind", &error["kind"], &expect["kind"])?;
    if let Some(code) = expect.get("code") {
        equal("code", &error["code"], code)?;
    }
    if let Some(part) = expect["hint_contains"].as_str() {
        contains("hint", error["hint"].as_str().unwrap_or_default(), part)?;
    }
    match expect["issues"].as_array() {
        Some(issues) => judge_issues(error, issues),
        None => Ok(()),
    }
}

fn judge_issues(error: &Value, expected: &[Value]) -> Result<(), String> {
    let none = Vec::new();
    let found = error["issues"].as_array().unwrap_or(&none);
    if found.len() != expected.len() {
        return Err(format!("{} issues instead of {}: {}", found.len(), expected.len(), json!(found)));
    }
    for (at, (issue, expected)) in found.iter().zip(expected).enumerate() {
        for (key, value) in expected.as_object().unwrap() {
            match key.strip_suffix("_contains") {
                Some(key) => contains(key, issue[key].as_str().unwrap_or_default(), value.as_str().unwrap())?,
                None if key == "flag" => equal("flag", &error["details"]["flags"][at], value)?,
                None => equal(key, &issue[key.as_str()], value)?,
            }
        }
    }
    Ok(())
}

// ---- other operations ------------------------------------------------------------------------------------------------

fn select(case: &Value, expect: &Value) -> Result<(), String> {
    let selection = Selection::parse(case["select"].as_str().unwrap());
    match (selection, expect.get("error")) {
        (Err(_), Some(_)) => Ok(()),
        (Err(why), None) => Err(why),
        (Ok(_), Some(_)) => Err("it was accepted".to_owned()),
        (Ok(selection), None) => {
            let selected = selection.apply(&case["data"]);
            same("value", &selected.value, &expect["value"])?;
            equal("warnings", &json!(selected.warnings.len()), &expect["warnings"])
        }
    }
}

/// The printed line, and that reading it again gives the same normal form.
fn line(cli: &Cli, reached: &Reached, case: &Value, expect: &Value) -> Result<(), String> {
    let args = case["args"].as_object().unwrap();
    let argv = cli.command_line(case["tool"].as_str().unwrap(), args).map_err(|error| error.to_string())?;
    let quoted: Vec<String> = argv.iter().map(|word| tool_cli::quote::quote(word)).collect();
    equal("line", &json!(format!("demo {}", quoted.join(" "))), &expect["line"])?;
    let mut again = case.clone();
    again["argv"] = json!([vec!["--yes".to_owned()], argv].concat());
    let outcome = start(cli, reached, &again);
    let Some((_, found)) = outcome.reached else { return Err(format!("not read back: {}", outcome.stderr)) };
    let found: Map<String, Value> = found.as_object().unwrap().clone();
    args.iter().try_for_each(|(name, value)| match found.get(name) {
        Some(found) if name != "owner" => same(name, found, value),
        Some(_) => Ok(()),
        None => Err(format!("{name} is lost")),
    })
}
