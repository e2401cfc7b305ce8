//! What somebody is told who is not quite right: one message about the mistake that was made, with what would be right.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::path::Path;

use serde_json::Value;
use tests::captured::{self, Captured};
use tests::demo;
use tool_cli::{Cli, Io};
use tool_core::Registry;
use tool_core::prelude::*;

/// A run of the demo in a directory: its exit status, standard output and standard error.
fn run(directory: &Path, words: &[&str], env: &[(&str, &str)]) -> (u8, String, String) {
    let (cli, _) = demo::demo(&Value::Null).unwrap();
    let (stdout, stderr) = (Captured::default(), Captured::default());
    let env = env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    let io = Io {
        stdout: Box::new(stdout.clone()),
        stderr: Box::new(stderr.clone()),
        env,
        ..Io::detached(directory)
    };
    (cli.run_from(words.iter().copied(), io).0, stdout.text(), stderr.text())
}

fn split(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Lines with their status, and all that the message says beside the line itself and its help.
const LINES: [(&str, u8, &str); 29] = [
    // Either a tool or a file with many calls; what else stands there is about one of them.
    ("call --jsonl - ping", 2, "arguments  expected exactly one of <NAME>, --jsonl, got 2 given"),
    ("call ping --jsonl -", 2, "arguments  expected exactly one of <NAME>, --jsonl, got 2 given"),
    (
        "call --jsonl=- store_search lamp --limit 5",
        2,
        "arguments  expected exactly one of <NAME>, --jsonl, got 2 given",
    ),
    ("call --jobs 4 ping", 2, "--jobs  expected --jsonl as well, got --jsonl missing"),
    // An option that does not exist may have been meant to take the next word, short or long.
    (
        "store search lamp -z foo",
        2,
        "-z  unknown; expected one of <QUERY>, --limit, --level, --tag, --min-score, --strict; to pass it as text, \
         put -- before it",
    ),
    (
        "store search lamp --zzz foo",
        2,
        "--zzz  unknown; expected one of <QUERY>, --limit, --level, --tag, --min-score, --strict",
    ),
    (
        "store search -z foo",
        2,
        "-z  unknown; expected one of <QUERY>, --limit, --level, --tag, --min-score, --strict; to pass it as text, \
         put -- before it",
    ),
    // An option without its value says what it takes.
    (
        "ping -o",
        2,
        "--format  missing; expected one of \"text\", \"json\", \"jsonl\", \"yaml\", \"table\"; for a value that begins \
         with '-', write --format=VALUE",
    ),
    (
        "ping --timeout",
        2,
        "--timeout  missing; expected a time of 1ms to 1h, such as 30s; for a value that begins with '-', write \
         --timeout=VALUE",
    ),
    (
        "ping --root",
        2,
        "--root  missing; expected a directory; for a value that begins with '-', write --root=VALUE",
    ),
    (
        "ping --select",
        2,
        "--select  missing; expected paths such as name, a.b[0], /pointer or $.query; for a value that begins with '-', \
         write --select=VALUE",
    ),
    // An option that a command has no use for is named with its value.
    (
        "call --jsonl - --out x",
        2,
        "--out  expected no --out, got --out x; the output is one JSON line for each call",
    ),
    (
        "mcp serve --select a.b",
        2,
        "--select  expected no --select, got --select a.b; standard output has messages of the protocol alone",
    ),
    (
        "call --jsonl - --idempotency-key k",
        2,
        "--idempotency-key  expected no --idempotency-key, got --idempotency-key k; one key would make one call of many",
    ),
    (
        "call --jsonl - --input {}",
        2,
        "--input  expected no --input, got --input {}; the arguments of a call stand in its line, as \"args\"",
    ),
    // What has no name is no place.
    ("ping --out=", 2, "--out  expected a file, got string \"\""),
    ("ping --root=", 2, "--root  expected a directory, got string \"\""),
    (
        "ping --input @",
        2,
        "--input  expected a readable file, got string \"@\"; cannot read a file without a name: name one",
    ),
    (
        "call --jsonl=",
        2,
        "--jsonl  expected a readable file, got string \"\"; cannot read a file without a name: name one",
    ),
    // A word behind the words of a page is one too many.
    ("help store search extra", 2, "<WORDS> /2  unknown; expected no more arguments"),
    ("help exit-codes extra", 2, "<WORDS> /1  unknown; expected no more arguments"),
    // An option that resembles what turns something off.
    ("file list --no-sortd", 2, "--no-sortd  unknown; did you mean --no-sorted?"),
    // A query that is none.
    (
        "ping --select $[",
        2,
        "--select  expected paths such as name, a.b[0], /pointer or $.query, got string \"$[\"; no query at character \
         2; write `$.name`, `$.list[0]` or `$.list[*].name`",
    ),
    (
        "deploy app --input {\"zone\":\"a\",\"region\":\"b\"}",
        2,
        "--input /region  expected --region once, got also given as `zone`",
    ),
    // Names that are near nothing.
    (
        "skill --group zzz",
        3,
        "error[unknown_group]: There is no group `zzz`.\nhint: the groups are deploy, draw, file, math, note, probe, \
         process, store",
    ),
    ("skill --group stor", 3, "error[unknown_group]: There is no group `stor`.\nhint: did you mean `store`?"),
    (
        "tools list store",
        1,
        "error[selection_empty]: the pattern `store` matches no tool\nhint: 'group:store' keeps the tools of a group",
    ),
    (
        "tools list elet",
        1,
        "error[selection_empty]: the pattern `elet` matches no tool\nhint: names that contain it: 'store_delete'",
    ),
    (
        "tools list zzz",
        1,
        "error[selection_empty]: the pattern `zzz` matches no tool\nhint: without a pattern all tools are listed; '*' \
         stands for any letters in a name",
    ),
];

#[test]
fn each_mistake_is_one_message_with_what_would_be_right() {
    let folder = tool_trials::directory();
    for (line, status, told) in LINES {
        let (code, stdout, stderr) = run(folder.path(), &split(line), &[]);
        assert_eq!((code, stdout.as_str()), (status, ""), "{line}: {stderr}");
        let said = if told.starts_with("error[") {
            format!("{told}\n")
        } else {
            format!("error[invalid_args]: 1 argument does not fit.\n\n  {told}\n")
        };
        assert!(stderr.starts_with(&said), "{line}: {stderr}");
    }
    // What they are told to write is right.
    for line in
        ["call ping", "call --jsonl - --jobs 4", "store search lamp", "ping -o json", "ping --timeout 30s"]
    {
        assert_eq!(run(folder.path(), &split(line), &[]).0, 0, "{line}");
    }
    for line in ["skill --group store", "tools list group:store", "tools list store_*"] {
        assert_eq!(run(folder.path(), &split(line), &[]).0, 0, "{line}");
    }
}

#[test]
fn a_surplus_word_that_could_stand_behind_dashes_says_so() {
    let folder = tool_trials::directory();
    let told = |line: &str| run(folder.path(), &split(line), &[]);
    let (code, _, stderr) = told("process run ls /srv");
    assert!(code == 2 && stderr.contains("\nhint: words for <ARGS> stand behind --\n"), "{stderr}");
    assert_eq!(told("process run ls --dry-run -- /srv").0, 0);
    let (code, _, stderr) = told("file copy a b c");
    assert!(code == 2 && !stderr.contains("hint:"), "{stderr}");
}

#[test]
fn all_words_at_fault_are_marked() {
    let folder = tool_trials::directory();
    for (line, marks) in [
        ("store search x -n 5 -n 6", "  demo store search x -n 5 -n 6\n                      ^^^^ ^^^^\n"),
        ("call --jsonl nope", "  demo call --jsonl nope\n            ^^^^^^^^^^^^\n"),
        ("ping --root /nope --frob", "  demo ping --root /nope --frob\n            ^^^^^^^^^^^^ ^^^^^^\n"),
        ("help ping extra", "  demo help ping extra\n                 ^^^^^\n"),
    ] {
        let (code, _, stderr) = run(folder.path(), &split(line), &[]);
        assert_eq!((code, stderr.contains(marks)), (2, true), "{line}: {stderr}");
    }
}

#[test]
fn what_is_not_listed_is_counted_and_what_programs_get_is_said() {
    let line = |count: usize| {
        let options = (0..count).map(|number| format!("--zzz{number:02}=1"));
        let words: Vec<String> = std::iter::once("ping".to_owned()).chain(options).collect();
        words
    };
    let told = |count: usize, more: &[&str]| {
        let words = line(count);
        let words: Vec<&str> = words.iter().map(String::as_str).chain(more.iter().copied()).collect();
        run(Path::new("/"), &words, &[]).2
    };
    let many = told(60, &[]);
    assert!(
        many.contains("60 arguments do not fit.") && many.contains("  … 40 more; --json lists 50\n"),
        "{many}"
    );
    let some = told(30, &[]);
    assert!(
        some.contains("30 arguments do not fit.") && some.contains("  … 10 more; --json lists all\n"),
        "{some}"
    );
    let error: Value = serde_json::from_str(&told(60, &["--json"])).unwrap();
    assert_eq!(error["error"]["issues"].as_array().unwrap().len(), 50);
    assert_eq!(error["error"]["details"]["more"], 10);
}

#[test]
fn a_secret_under_a_wrong_name_is_led_to_the_right_one_and_not_repeated() {
    let (code, _, stderr) = run(Path::new("/"), &split("login ann --password-fil hunter2"), &[]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("--password-fil   unknown; did you mean --password-file?"), "{stderr}");
    assert!(!stderr.contains("hunter2"), "{stderr}");
}

#[test]
fn who_named_the_policy_is_told_how_to_leave_it_out() {
    let hint = |words: &[&str], env: &[(&str, &str)]| {
        let (code, _, stderr) = run(Path::new("/"), words, env);
        assert_eq!(code, 6, "{stderr}");
        stderr.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap_or_default().to_owned()
    };
    assert_eq!(hint(&["ping"], &[("DEMO_POLICY", "/nope")]), "unset DEMO_POLICY");
    assert_eq!(hint(&["ping", "--policy", "/nope"], &[]), "leave out --policy");
}

#[test]
fn a_page_or_script_has_its_own_form_unless_an_option_asks_for_another() {
    let folder = tool_trials::directory();
    let env = [("DEMO_FORMAT", "json")];
    for line in ["completions bash", "man", "help ping", "help environment"] {
        let plain = run(folder.path(), &split(line), &[]);
        assert_eq!(run(folder.path(), &split(line), &env), plain, "{line}");
        let (code, stdout, _) = run(folder.path(), &split(&format!("{line} --json")), &[]);
        let text: String = serde_json::from_str(&stdout).unwrap();
        assert_eq!((code, text.trim_end()), (0, plain.1.trim_end()), "{line}");
    }
    std::fs::write(folder.path().join("c.toml"), "format = 'json'\n").unwrap();
    let (_, stdout, _) = run(folder.path(), &split("completions bash --config c.toml"), &[]);
    assert!(!stdout.starts_with('"'), "{stdout:.80}");
    assert_eq!(run(folder.path(), &["ping"], &env).1, "\"pong\"\n", "a call obeys it");
}

#[test]
fn a_variable_that_is_wrong_stops_calls_alone() {
    let folder = tool_trials::directory();
    for env in [("DEMO_TIMEOUT", "bad"), ("DEMO_FORMAT", "xml"), ("DEMO_COLOR", "blue"), ("DEMO_LOG", "loud")]
    {
        for line in ["completions bash", "man", "help ping"] {
            let (code, stdout, stderr) = run(folder.path(), &split(line), &[env]);
            assert_eq!((code, stdout.is_empty(), stderr.as_str()), (0, false, ""), "{env:?} {line}");
        }
        let (code, stdout, stderr) = run(folder.path(), &["doctor"], &[env]);
        assert_eq!((code, stderr.as_str()), (6, ""), "{env:?}");
        assert!(stdout.contains(&format!("correct {}, or unset it", env.0)), "{env:?}: {stdout}");
        assert_eq!(run(folder.path(), &["ping"], &[env]).0, 2, "{env:?}");
        // A word of the command line stops them as well.
        assert_eq!(run(folder.path(), &["help", "ping", "--timeout", "5"], &[env]).0, 2, "{env:?}");
    }
}

#[test]
fn the_dry_run_of_a_command_that_writes_files_says_where() {
    let folder = tool_trials::directory();
    let planned = |line: &str| -> Value {
        let (code, stdout, stderr) = run(folder.path(), &split(line), &[]);
        assert_eq!(code, 0, "{stderr}");
        serde_json::from_str(&stdout).unwrap()
    };
    assert_eq!(planned("man --out mm --dry-run --json")["command"], "demo man --out mm");
    assert_eq!(
        planned("skill --out s --group store --dry-run --json")["command"],
        "demo skill --group store --out s"
    );
    assert_eq!(planned("man --dry-run --json")["command"], "demo man");
    assert!(!folder.path().join("mm").exists());
}

/// Is in no list.
#[tool(group = "vault", hidden, register = false)]
fn vault_open() {}

#[test]
fn a_group_of_hidden_tools_is_suggested_nowhere_and_callable() {
    let run = |words: &[&str]| {
        let registry = Registry::builder().add::<VaultOpenTool>().build().unwrap();
        captured::run(&Cli::new(registry).name("demo"), Path::new("/"), words)
    };
    let (code, _, stderr) = run(&["valt", "open"]);
    assert_eq!((code, stderr.contains("vault")), (3, false), "{stderr}");
    let (code, _, stderr) = run(&["skill", "--group", "valt"]);
    assert_eq!((code, stderr.contains("vault")), (3, false), "{stderr}");
    for shell in ["bash", "zsh", "fish"] {
        let (code, script, _) = run(&["completions", shell]);
        assert_eq!((code, script.contains("vault")), (0, false), "{shell}");
    }
    assert_eq!(run(&["vault", "open"]).0, 0);
}

#[test]
fn help_beats_a_tool_that_does_not_exist() {
    let folder = tool_trials::directory();
    let page = |line: &str| run(folder.path(), &split(line), &[]);
    for (line, same) in [("call zzz --help", "call --help"), ("call zzz -h", "call -h")] {
        assert_eq!(page(line), page(same), "{line}");
        assert_eq!(page(line).0, 0, "{line}");
    }
    assert_eq!(page("call zzz -- --help").0, 3);
    assert!(page("call store_search --help").1.contains("Searches the catalogue."));
}

#[test]
fn a_root_that_is_none_is_told_with_who_named_it() {
    let folder = tool_trials::directory();
    let file = folder.path().join("c.toml");
    std::fs::write(&file, "root = 'nowhere'\n").unwrap();
    let config = file.display().to_string();
    let (named, from_file) = (["--config", config.as_str()], format!("{config}:1"));
    let in_env = [("DEMO_ROOT", "/nope")];
    let by_option = ["--root", "/nope"];
    for (options, env, source) in
        [(&by_option[..], &[][..], ""), (&[], &in_env, "$DEMO_ROOT"), (&named, &[], &from_file)]
    {
        let (code, _, stderr) = run(folder.path(), &[&["ping"], options].concat(), env);
        assert_eq!(code, 3, "{stderr}");
        let from = if source.is_empty() { String::new() } else { format!(", from {source},") };
        assert!(stderr.contains(&format!("'{from} is not a directory.\nhint: name an existing")), "{stderr}");
        // Beside another mistake it is one of two.
        let (code, _, stderr) = run(folder.path(), &[&["ping", "--nope"], options].concat(), env);
        assert_eq!(code, 2, "{stderr}");
        let flag = if source.is_empty() { "--root" } else { source };
        let line = stderr.lines().find(|line| line.trim_start().starts_with(flag));
        assert!(line.is_some_and(|line| line.contains("an existing directory")), "{stderr}");
    }
    assert_eq!(run(folder.path(), &["ping"], &[("DEMO_ROOT", "/")]).0, 0);
}

#[test]
fn a_result_that_fits_into_no_file_names_the_file() {
    let folder = tool_trials::directory();
    std::fs::create_dir(folder.path().join("there")).unwrap();
    for path in ["new/", "there", "there/"] {
        let (code, stdout, stderr) = run(folder.path(), &["ping", "--out", path], &[]);
        assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
        let told = format!(
            "error[output_write]: The call succeeded, but its result could not be written to '{path}': it is a \
             directory.\nhint: name a file with --out\n"
        );
        assert_eq!(stderr, told);
    }
    assert!(!folder.path().join("new").exists(), "nothing is left behind");
    assert_eq!(run(folder.path(), &["ping", "--out", "new/file"], &[]).0, 0);
    assert_eq!(std::fs::read_to_string(folder.path().join("new/file")).unwrap(), "pong\n");
}

#[test]
fn details_are_indented_yaml() {
    let (_, _, stderr) = run(Path::new("/"), &["store", "search", "x", "--limit", "many", "-v"], &[]);
    assert!(stderr.contains("\ndetails:\n  flags:\n  - "), "{stderr}");
}

#[test]
fn a_tool_that_is_no_command_is_listed_by_its_name() {
    let (_, stdout, _) = run(Path::new("/"), &["tools", "list", "-o", "table"], &[]);
    assert!(stdout.lines().all(|line| !line.starts_with(' ')), "{stdout}");
    let row = stdout.lines().find(|line| line.starts_with("note_rank ")).unwrap();
    assert!(row.ends_with("For models only. [no command; for llm, mcp]"), "{row}");
}

#[test]
fn what_a_target_loses_is_warned_of_like_anything_else() {
    let one = run(Path::new("/"), &["store", "assign", "--schema", "openai"], &[]).2;
    let many = run(Path::new("/"), &["tools", "schema", "store_assign", "--target", "openai"], &[]);
    assert!(one.starts_with("warning: store_assign: "), "{one}");
    assert_eq!(many.2, one);
    let quiet = run(Path::new("/"), &["tools", "schema", "store_assign", "--target", "openai", "-q"], &[]);
    assert_eq!((quiet.1, quiet.2.as_str()), (many.1, ""));
    let none = run(Path::new("/"), &["tools", "schema", "ping", "--target", "input"], &[]);
    assert_eq!((none.0, none.2.as_str()), (0, ""));
}

#[test]
fn a_long_word_is_never_repeated_whole() {
    let folder = tool_trials::directory();
    let word = "x".repeat(130_000);
    let at = format!("@{word}");
    let lines: [&[&str]; 24] = [
        &[&word],
        &["store", &word],
        &["call", &word],
        &["call", "--jsonl", &word],
        &["call", "--jsonl", "-", "--out", &word],
        &["help", &word],
        &["completions", &word],
        &["tools", "show", &word],
        &["tools", "list", &word],
        &["skill", "--group", &word],
        &["ping", &word],
        &["ping", "--select", &word],
        &["ping", "--config", &word],
        &["ping", "--root", &word],
        &["ping", "--out", &word],
        &["ping", "--format", &word],
        &["ping", "--color", &word],
        &["ping", "--timeout", &word],
        &["ping", "--schema", &word],
        &["ping", "--input", &at],
        &["note", "write", "T", "--body", &at],
        &["draw", "shapes", "--shape", &at],
        &["login", "ann", "--password-file", &word],
        &["probe", "fail", &word],
    ];
    for line in lines {
        let (code, _, stderr) = run(folder.path(), line, &[]);
        let shown: Vec<&str> = line.iter().copied().filter(|word| word.len() < 80).collect();
        // A result without the part that is asked for is warned of, and is one all the same.
        assert_eq!(code == 0, shown == ["ping", "--select"], "{shown:?}");
        assert!((1..2_000).contains(&stderr.len()), "{shown:?}: {} bytes", stderr.len());
    }
}
