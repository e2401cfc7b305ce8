//! Command lines that are wrong, given to the program by a shell: each has its message and its status, and nothing is on
//! standard output.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

const DEMO: &str = env!("CARGO_BIN_EXE_demo");

/// Exit status and streams of the program in a directory, with this standard input.
fn run(
    directory: &Path,
    argv: &[impl AsRef<OsStr>],
    stdin: &[u8],
    env: &[(&str, &str)],
) -> (Option<i32>, String, String) {
    let mut child = Command::new(DEMO)
        .args(argv)
        .current_dir(directory)
        .env_clear()
        .envs(env.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read may have ended before.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Command lines, their status, their first line and a further part of what they print on standard error.
const WRONG: [(&[&str], i32, &str, &str); 15] = [
    (&["nope"], 3, "error[unknown_command]: no command 'nope' in 'demo'\n", ""),
    (
        &["store", "serch", "x"],
        3,
        "error[unknown_command]: no command 'serch' in 'demo store'\n",
        "hint: did you mean 'demo store search'?",
    ),
    (&["call", "store_serch"], 3, "error[unknown_tool]: ", "did you mean: store_search?"),
    (&["--nope", "ping"], 2, "error[invalid_args]: ", "--nope"),
    (
        &["store", "search", "x", "--lmit", "5"],
        2,
        "error[invalid_args]: 1 argument does not fit.\n",
        "\n  --lmit  unknown; did you mean --limit?\n",
    ),
    (
        &["store", "search", "x", "--limit", "many"],
        2,
        "error[invalid_args]: 1 argument does not fit.\n",
        "\n  --limit  expected integer 1..=100, got string \"many\"\n",
    ),
    (
        &["ping", "-o", "xml"],
        2,
        "error[invalid_args]: 1 argument does not fit.\n",
        "\n  --format  expected one of \"text\", \"json\", \"jsonl\", \"yaml\", \"table\", got string \"xml\"",
    ),
    (&["ping", "--timeout", "5"], 2, "error[invalid_args]: 1 argument does not fit.\n", "--timeout"),
    (
        &["draw", "shapes", "--shape", "@none.json"],
        2,
        "error[invalid_args]: 1 argument does not fit.\n",
        "cannot read 'none.json': no such file",
    ),
    (
        &["draw", "shapes", "--shape", "@."],
        2,
        "error[invalid_args]: 1 argument does not fit.\n",
        "cannot read '.': it is a directory",
    ),
    (
        &["note", "write", "T", "--body", "-", "--attachment", "-"],
        2,
        "error[invalid_args]: 1 argument does not fit.\n",
        "it can be read only once",
    ),
    (
        &["draw", "shapes", "--shape", "{\"kind\":}"],
        2,
        "error[invalid_args]: 1 argument does not fit.\n",
        "line 1, column 9",
    ),
    (
        &["draw", "shapes", "--shape", "@bad.json"],
        2,
        "error[invalid_args]: 1 argument does not fit.\n",
        "got line 2, column 8: {\\n\"kind\":}\n",
    ),
    (
        &["store", "search", "--input", "{\"query\":\n 1,,}"],
        2,
        "error[malformed_json]: The arguments are not valid JSON.\n",
        "line 2, column 4",
    ),
    (
        &["store", "search", "--input", "[]"],
        2,
        "error[not_an_object]: The arguments must be a JSON object.\n",
        "--input  expected a JSON object, got array of 0 items",
    ),
];

#[test]
fn each_mistake_has_its_message_its_status_and_no_output() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.json"), "{\n\"kind\":}").unwrap();
    for (argv, code, first, part) in WRONG {
        let (found, stdout, stderr) = run(folder.path(), argv, b"", &[]);
        assert_eq!((found, stdout.as_str()), (Some(code), ""), "{argv:?}: {stderr}");
        assert!(stderr.starts_with(first), "{argv:?}: {stderr}");
        assert!(stderr.contains(part), "{argv:?}: {stderr}");

        if argv.contains(&"-o") {
            continue;
        }
        // The same for programs, on one line.
        let (found, stdout, stderr) = run(folder.path(), argv, b"", &[("DEMO_FORMAT", "json")]);
        let error: Value = serde_json::from_str(stderr.trim_end()).unwrap_or_default();
        assert_eq!(
            (found, stdout.as_str(), stderr.lines().count()),
            (Some(code), "", 1),
            "{argv:?}: {stderr}"
        );
        assert_eq!(error["ok"], json!(false), "{argv:?}: {stderr}");
    }
}

#[test]
fn words_that_are_no_text_are_told_by_place_and_other_words_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let broken: &OsStr = OsStr::from_bytes(b"ok\xff");
    let word = |text: &str| OsString::from(text);
    for argv in [
        vec![word("store"), word("search"), broken.to_owned()],
        vec![word("store"), word("search"), word("x"), word("--tag"), broken.to_owned()],
        vec![word("store"), word("search"), word("--input"), broken.to_owned()],
    ] {
        let (code, stdout, stderr) = run(folder.path(), &argv, b"", &[]);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{argv:?}: {stderr}");
        assert!(stderr.contains("not UTF-8 at byte 2"), "{argv:?}: {stderr}");
    }
    let (code, stdout, _) = run(folder.path(), &[broken], b"", &[]);
    assert_eq!((code, stdout.as_str()), (Some(3), ""));
    // A path is not text.
    let name = OsStr::from_bytes(b"\xff.txt");
    std::fs::write(folder.path().join(name), "{\"kind\":\"circle\",\"radius\":1}").unwrap();
    let (code, _, stderr) = run(folder.path(), &["store", "search", "okay"].map(OsString::from), b"", &[]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
}

#[test]
fn what_is_too_large_is_refused_in_few_words_and_what_is_not_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let text = "a".repeat(17 * 1024 * 1024);
    std::fs::write(folder.path().join("large"), &text).unwrap();
    std::fs::write(folder.path().join("large.json"), json!({"title": "T", "body": text}).to_string())
        .unwrap();
    for (argv, stdin) in [
        (&["note", "write", "T", "--body", "-"][..], text.as_str()),
        (&["note", "write", "T", "--body", "@large"], ""),
        (&["note", "write", "--input", "@large.json"], ""),
        (&["draw", "shapes", "--shape", "-"], text.as_str()),
    ] {
        let (code, stdout, stderr) = run(folder.path(), argv, stdin.as_bytes(), &[]);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{argv:?}: {}", stderr.len());
        assert!(stderr.contains("16777216") && stderr.len() < 1000, "{argv:?}: {} bytes", stderr.len());
    }
    // Two MiB are within the limit.
    let fits = &text[..2 * 1024 * 1024];
    let (code, stdout, stderr) =
        run(folder.path(), &["note", "write", "T", "--body", "-", "-o", "json"], fits.as_bytes(), &[]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    assert!(stdout.contains(fits));
    // The longest single argument that the kernel passes on.
    let most = "a".repeat(128 * 1024 - 1);
    let (code, stdout, _) =
        run(folder.path(), &["note", "write", "T", "--body", &most, "-o", "json"], b"", &[]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains(&most));
    let (code, stdout, stderr) = run(folder.path(), &["note", "write", "T", "--bdy", &most], b"", &[]);
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("did you mean --body?") && stderr.len() < 1000, "{} bytes", stderr.len());
    let (code, stdout, stderr) = run(folder.path(), &[most.as_str()], b"", &[]);
    assert_eq!((code, stdout.as_str()), (Some(3), ""));
    assert!(stderr.len() < 1000, "{} bytes", stderr.len());
}

#[test]
fn a_closed_standard_input_is_an_empty_one_and_stops_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let closed = |line: &str| {
        let line = format!("exec {DEMO} {line} <&-");
        let output = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    assert_eq!(closed("ping -o json"), (Some(0), "\"pong\"\n".to_owned(), String::new()));
    let (code, stdout, stderr) = closed("draw shapes --shape -");
    assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
    assert!(stderr.contains("--shape"), "{stderr}");
    let (code, stdout, _) = closed("note write T --body - -o json");
    assert_eq!(code, Some(0));
    assert!(stdout.contains("\"body\":\"\""), "{stdout}");
    assert_eq!(closed("call --jsonl -"), (Some(0), String::new(), String::new()));
}
