//! Settings: option over variable over file over default, each with its source; the file is strict.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may fail the test")]

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tests::captured::Captured;
use tool_cli::{Cli, ExitCode, Io, Settings};
use tool_core::Registry;
use tool_core::prelude::*;

/// Answers pong.
#[tool(register = false)]
fn ping() -> &'static str {
    "pong"
}

/// A directory with a home, a workspace for each source, and a working directory.
struct Place(tool_trials::Directory);

/// The end of a run, the settings that its call saw, and its errors.
struct Run {
    code: ExitCode,
    settings: Option<Settings>,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new() -> Place {
        let place = Place(tool_trials::directory());
        for name in ["work", "option", "variable", "home/demo/file"] {
            fs::create_dir_all(place.path().join(name)).unwrap();
        }
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes the settings file of the user.
    fn file(&self, text: &str) -> String {
        let path = self.path().join("home/demo/config.toml");
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    fn run(&self, argv: &[&str], env: &[(&str, &str)]) -> Run {
        let seen = Arc::new(Mutex::new(None));
        let [saw, saw_too] = [(); 2].map(|()| Arc::clone(&seen));
        let cli = Cli::new(Registry::builder().add::<PingTool>().build().unwrap())
            .name("demo")
            .version("1.0.0")
            .context(move |settings| {
                *saw.lock().unwrap() = Some(settings.clone());
                Ok(ToolContext::builder())
            })
            .policy(move |_, settings, _| {
                *saw_too.lock().unwrap() = Some(settings.clone());
                Err(ToolError::not_configured("There is no such policy."))
            });
        let (stdout, stderr) = (Captured::default(), Captured::default());
        let home = self.path().join("home");
        let mut all: Vec<(OsString, OsString)> = vec![("XDG_CONFIG_HOME".into(), home.into())];
        all.extend(env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
        let io = Io {
            stdout: Box::new(stdout.clone()),
            stderr: Box::new(stderr.clone()),
            env: all.into_iter().collect(),
            ..Io::detached(self.path().join("work"))
        };
        let code = cli.run_from(argv, io);
        let text = Captured::text;
        let settings = seen.lock().unwrap().take();
        Run { code, settings, stdout: text(&stdout), stderr: text(&stderr) }
    }
}

impl Run {
    /// Value and source of a setting.
    fn setting(&self, name: &str) -> (String, String) {
        let settings = self.settings.as_ref().unwrap_or_else(|| panic!("{}", self.stderr));
        let found = settings.sources().iter().find(|setting| setting.name == name).unwrap();
        (found.value.clone().unwrap_or_default(), found.source.to_string())
    }
}

/// A setting, its option, its variable, and its line in the file; then its value by each of them and without any.
type Row<'a> = (&'a str, [&'a str; 2], [&'a str; 2], &'a str, [&'a str; 4]);

#[test]
fn each_source_wins_over_all_behind_it_and_is_named() {
    let place = Place::new();
    let at = |name: &str| place.path().join(name).display().to_string();
    let (option, variable, file, work) = (at("option"), at("variable"), at("home/demo/file"), at("work"));
    let rows: [Row<'_>; 4] = [
        (
            "format",
            ["-o", "yaml"],
            ["DEMO_FORMAT", "jsonl"],
            "format = 'table'",
            ["yaml", "jsonl", "table", ""],
        ),
        (
            "root",
            ["--root", &option],
            ["DEMO_ROOT", &variable],
            "root = 'file'",
            [&option, &variable, &file, &work],
        ),
        ("timeout", ["--timeout", "3s"], ["DEMO_TIMEOUT", "2s"], "timeout = '1s'", ["3s", "2s", "1s", ""]),
        (
            "color",
            ["--color", "never"],
            ["DEMO_COLOR", "always"],
            "color = 'never'",
            ["never", "always", "never", "auto"],
        ),
    ];
    for (name, option, variable, line, values) in rows {
        let path = place.file(&format!("# settings\n\n{line}\n"));
        let [by_option, by_variable, by_file, by_default] = values;
        let env = [(variable[0], variable[1])];
        let found =
            |argv: &[&str], env: &[(&str, &str)]| place.run(&[&["ping"], argv].concat(), env).setting(name);
        let told = |value: &str, source: &str| (value.to_owned(), source.to_owned());
        assert_eq!(found(&option, &env), told(by_option, "option"));
        assert_eq!(found(&[], &env), told(by_variable, &format!("${}", variable[0])));
        assert_eq!(found(&[], &[]), told(by_file, &format!("{path}:3")));
        fs::remove_file(&path).unwrap();
        assert_eq!(found(&[], &[]), told(by_default, "default"));
    }
}

#[test]
fn a_policy_file_is_named_by_each_source_and_an_empty_name_is_none() {
    let place = Place::new();
    let path = place.file("# settings\n\npolicy = 'p.toml'\n");
    let at = |name: &str| place.path().join(name).display().to_string();
    let held = |argv: &[&str], env: &[(&str, &str)]| {
        let run = place.run(&[&["ping"], argv].concat(), env);
        let policy = run.setting("policy");
        assert_eq!(
            run.code,
            if policy.0.is_empty() { ExitCode::SUCCESS } else { ExitCode(6) },
            "{}",
            run.stderr
        );
        policy
    };
    let told = |value: &str, source: &str| (value.to_owned(), source.to_owned());
    let env = [("DEMO_POLICY", "v.toml")];
    assert_eq!(held(&["--policy", "o.toml"], &env), told(&at("work/o.toml"), "option"));
    assert_eq!(held(&[], &env), told(&at("work/v.toml"), "$DEMO_POLICY"));
    assert_eq!(held(&[], &[]), told(&at("home/demo/p.toml"), &format!("{path}:3")));
    assert_eq!(held(&["--policy", ""], &env), told("", "option"));
    assert_eq!(held(&[], &[("DEMO_POLICY", "")]), told("", "$DEMO_POLICY"));
    place.file("policy = ''\n");
    assert_eq!(held(&[], &[]).0, "");
    // None is looked for where none is named.
    fs::remove_file(&path).unwrap();
    for name in ["home/demo/policy.toml", "work/policy.toml"] {
        fs::write(place.path().join(name), "version = 1\n").unwrap();
    }
    assert_eq!(held(&[], &[]), told("", "default"));
}

#[test]
fn the_log_is_decided_by_the_switches_before_variable_and_file() {
    let place = Place::new();
    place.file("log = 'error'\n");
    let log =
        |argv: &[&str], env: &[(&str, &str)]| place.run(&[&["ping"], argv].concat(), env).setting("log").0;
    assert_eq!(log(&["-vv"], &[("DEMO_LOG", "info")]), "debug");
    assert_eq!(log(&["-q"], &[("DEMO_LOG", "info")]), "error");
    assert_eq!(log(&[], &[("DEMO_LOG", "warn,tool_core=trace")]), "warn,tool_core=trace");
    assert_eq!(log(&[], &[]), "error");
    assert_eq!(place.run(&["ping"], &[("DEMO_LOG", "loud")]).code, ExitCode(2));
}

#[test]
fn the_working_directory_configures_nothing() {
    let place = Place::new();
    for name in ["config.toml", "demo.toml", ".demo.toml", "demo/config.toml", ".config/demo/config.toml"] {
        let path = place.path().join("work").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "format = 'yaml'\nyes = true\n").unwrap();
    }
    let run = place.run(&["ping"], &[]);
    assert_eq!((run.code, run.setting("format").1.as_str()), (ExitCode::SUCCESS, "default"));
    let named = place.run(&["ping", "--config", "config.toml"], &[]);
    assert_eq!(named.code, ExitCode(6), "the same file, named");
}

#[test]
fn the_file_is_named_by_option_or_variable_and_an_empty_name_is_none() {
    let place = Place::new();
    place.file("format = 'yaml'\n");
    fs::write(place.path().join("work/other.toml"), "format = 'table'\n").unwrap();
    let format =
        |argv: &[&str], env: &[(&str, &str)]| place.run(&[&["ping"], argv].concat(), env).setting("format").0;
    assert_eq!(format(&[], &[]), "yaml");
    assert_eq!(format(&["--config", "other.toml"], &[("DEMO_CONFIG", "none.toml")]), "table");
    assert_eq!(format(&[], &[("DEMO_CONFIG", "other.toml")]), "table");
    assert_eq!(format(&["--config", ""], &[("DEMO_CONFIG", "none.toml")]), "");
    assert_eq!(format(&[], &[("DEMO_CONFIG", "")]), "");
}

#[test]
fn a_file_with_mistakes_is_told_whole_and_stops_calls_alone() {
    let place = Place::new();
    let path = place.file("yes = true\nformat = 1\n");
    let run = place.run(&["ping"], &[]);
    assert_eq!((run.code, run.settings.is_none()), (ExitCode(6), true));
    assert_eq!(
        run.stderr,
        format!(
            "error[settings_invalid]: {path}:1:1: `yes` cannot be set here: consent is given for one call at a time, \
             with --yes\n{path}:2:10: `format`: expected string, got integer\n"
        )
    );
    for argv in [&["--version"][..], &["ping", "--help"], &["--help"], &["help", "exit-codes"]] {
        let run = place.run(argv, &[]);
        assert_eq!((run.code, run.stdout.is_empty()), (ExitCode::SUCCESS, false), "{argv:?}");
    }
}

#[test]
fn a_file_that_was_named_must_be_there() {
    let place = Place::new();
    for name in ["none.toml", "../home"] {
        let run = place.run(&["ping", "--config", name], &[]);
        assert_eq!(run.code, ExitCode(6), "{name}");
        assert!(run.stderr.contains("cannot be read: "), "{}", run.stderr);
    }
    assert_eq!(place.run(&["ping"], &[]).code, ExitCode::SUCCESS, "the user's own may be absent");
}

#[test]
fn the_size_of_arguments_is_limited_by_the_file_for_every_way_in() {
    let place = Place::new();
    let file = place.file("[limits]\nmax_args_bytes = 40\n");
    let input = |bytes: usize| format!("{{}}{}", " ".repeat(bytes - 2));
    let batch = |bytes: usize| {
        let line = r#"{"tool":"ping"}"#;
        format!("{line}{}", " ".repeat(bytes - line.len()))
    };
    for (bytes, code) in [(40, ExitCode::SUCCESS), (41, ExitCode(2))] {
        fs::write(place.path().join("work/input.json"), input(bytes)).unwrap();
        for word in [input(bytes).as_str(), "@input.json"] {
            let run = place.run(&["ping", "-o", "json", "--input", word], &[]);
            assert_eq!(run.code, code, "{bytes}: {}", run.stderr);
            assert_eq!(run.stderr.contains("args_too_large"), bytes == 41, "{}", run.stderr);
        }
        fs::write(place.path().join("work/lines"), batch(bytes)).unwrap();
        let run = place.run(&["call", "--jsonl", "lines"], &[]);
        assert_eq!(run.stdout.contains("args_too_large"), bytes == 41, "{}{}", run.stdout, run.stderr);
    }
    let doctor = place.run(&["doctor", "--json"], &[]);
    let report: Value = serde_json::from_str(&doctor.stdout).unwrap();
    let limits = report["data"]["limits"].as_array().or(report["limits"].as_array()).unwrap().clone();
    let told = limits.iter().find(|limit| limit["name"] == "max_args_bytes").unwrap();
    assert_eq!((&told["value"], &told["from"]), (&json!(40), &json!(format!("{file}:2"))));

    for (line, why) in [
        ("max_args_bytes = 0", "2:18: `max_args_bytes`: max_args_bytes is 0, outside 1 to 1073741824"),
        ("max_args_bytes = 'many'", "2:18: `max_args_bytes`: expected a whole number, got string"),
        (
            "max_arg_bytes = 9",
            "2:1: `max_arg_bytes`: There is no limit `max_arg_bytes`; did you mean `max_args_bytes`?",
        ),
    ] {
        place.file(&format!("[limits]\n{line}\nmore = 1\n"));
        let run = place.run(&["ping"], &[]);
        assert_eq!(run.code, ExitCode(6));
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
}
