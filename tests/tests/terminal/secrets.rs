//! Secrets and files, as the kernel sees them.

use std::fs;
use std::process::Command;

use crate::program::{PATIENT, has, homeless};

/// What a program started and opened, and how it ended.
fn traced(args: &[&str], env: &[(&str, &str)], folder: &std::path::Path) -> (Option<i32>, String) {
    let trace = folder.join("trace");
    let status = homeless(&mut Command::new("strace"))
        .args(["-f", "-s", "4096", "-e", "trace=execve,openat", "-o"])
        .arg(&trace)
        .arg(PATIENT)
        .args(args)
        .envs(env.iter().copied())
        .current_dir(folder)
        .output()
        .unwrap()
        .status;
    (status.code(), fs::read_to_string(trace).unwrap())
}

#[test]
fn a_secret_is_in_no_argument_list_and_no_unnamed_file_is_opened() {
    if !has("strace") {
        return;
    }
    let folder = tool_trials::directory();
    fs::write(folder.path().join("password"), "hunter2hunter2\n").unwrap();
    fs::write(folder.path().join("handle"), "text").unwrap();
    let (code, trace) = traced(&["login", "--password-file", "password"], &[], folder.path());
    assert_eq!(code, Some(0));
    assert!(trace.contains("\"password\"") && !trace.contains("hunter2"), "{trace}");
    let (code, trace) = traced(&["login"], &[("PATIENCE_PASSWORD", "hunter2hunter2")], folder.path());
    assert_eq!(code, Some(0));
    assert!(!trace.contains("hunter2"), "{trace}");
    let opened =
        |trace: &str| trace.lines().any(|line| line.contains("openat") && line.contains("/handle\""));
    let (code, trace) = traced(&["take", "--handle", "@handle"], &[], folder.path());
    assert_eq!((code, opened(&trace)), (Some(0), false), "{trace}");
    let (code, trace) = traced(&["take", "--body", "@handle"], &[], folder.path());
    assert_eq!((code, opened(&trace)), (Some(0), true), "the same word where it names a file: {trace}");
}
