//! A home of its own for the real program: nothing of the person's is read or written.
#![allow(dead_code, reason = "each test file uses what it needs of it")]

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// A home and, in it, the directory that the tools work in.
pub(crate) struct Home(pub(crate) tool_trials::Directory);

impl Home {
    pub(crate) fn new() -> Home {
        let home = tool_trials::directory();
        std::fs::create_dir(home.path().join("work")).unwrap();
        Home(home)
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.0.path().join("work")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.0.path().join("state/toolbox")
    }

    pub(crate) fn toolbox(&self, env: &[(&str, &str)], args: &[&str]) -> Output {
        self.command(args).envs(env.iter().copied()).output().unwrap()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolbox"));
        command
            .args(args)
            .current_dir(self.work())
            .env_clear()
            .env("HOME", self.0.path())
            .env("XDG_STATE_HOME", self.0.path().join("state"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    pub(crate) fn told(&self, args: &[&str]) -> (Option<i32>, String) {
        let output = self.toolbox(&[], args);
        let text = [&output.stdout[..], &output.stderr[..]].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let output = self.toolbox(&[], &[args, &["--json"]].concat());
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| {
            panic!(
                "{args:?}: {}",
                String::from_utf8_lossy(&[&output.stdout[..], &output.stderr[..]].concat())
            )
        })
    }

    pub(crate) fn rows(&self) -> Vec<Value> {
        self.json(&["journal", "list"]).as_array().cloned().unwrap_or_default()
    }
}
