//! Typos that the whole program finds before anything happens: in a word that it adds, and in the name of a part of a result.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::path::Path;
use std::process::Command;

/// Exit status, standard output and standard error.
fn toolbox(folder: &Path, argv: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_toolbox"))
        .args(argv)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_word_that_the_program_adds_is_listed_and_suggested() {
    let folder = tool_trials::directory();
    for (typo, word) in [("polcy", "policy"), ("jornal", "journal"), ("mpc", "mcp"), ("docter", "doctor")] {
        let hint = format!(
            "error[unknown_command]: no command '{typo}' in 'toolbox'\nhint: did you mean 'toolbox {word}'?\n"
        );
        assert_eq!(toolbox(folder.path(), &[typo]), (Some(3), String::new(), hint));
        let (status, help, _) = toolbox(folder.path(), &["--help"]);
        assert!(status == Some(0) && help.contains(&format!("\n  {word} ")), "{help}");
    }
}

#[test]
fn a_part_that_no_result_has_is_refused_before_the_call() {
    let folder = tool_trials::directory();
    let file = folder.path().join("new.txt");
    let write = |select| {
        toolbox(
            folder.path(),
            &["file", "write", "new.txt", "--content", "text", "--select", select, "--json"],
        )
    };
    let (status, stdout, stderr) = write("paht");
    assert_eq!((status, stdout.as_str(), file.exists()), (Some(2), "", false), "{stderr}");
    assert!(stderr.contains(r#""hint":"did you mean `path`?""#), "{stderr}");
    assert!(stderr.contains(r#""flags":["--select"]"#), "{stderr}");
    let (status, stdout, stderr) = write("path");
    assert_eq!((status, stdout.as_str(), file.exists()), (Some(0), "\"new.txt\"\n", true), "{stderr}");
}
