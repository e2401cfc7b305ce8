//! A command whose feature is off does not exist, and the program says which feature it lacks.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use tool_cli::{Cli, ExitCode, Io};
use tool_core::Registry;
use tool_core::prelude::*;

/// Answers.
#[tool(register = false)]
fn ping() -> &'static str {
    "pong"
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_command_is_there_exactly_when_its_feature_is() {
    let cli = Cli::new(Registry::builder().add::<PingTool>().build().unwrap()).name("demo");
    let rows = [
        (&["completions", "bash"][..], "completions", cfg!(feature = "completions")),
        (&["man"], "man", cfg!(feature = "man")),
        (&["mcp", "serve", "--dry-run"], "mcp", cfg!(feature = "mcp")),
        (&["journal", "list", "--dry-run"], "store", cfg!(feature = "store")),
    ];
    for (words, feature, on) in rows {
        let stderr = Sink::default();
        let io = Io { stderr: Box::new(stderr.clone()), ..Io::detached("/") };
        let code = cli.run_from(words.iter().copied(), io);
        let said = String::from_utf8(stderr.0.lock().unwrap().clone()).unwrap();
        let hint = format!("hint: this program is built without the feature {feature}\n");
        let told = if on { (ExitCode::SUCCESS, false) } else { (ExitCode(3), true) };
        assert_eq!((code, said.contains(&hint)), told, "{words:?}: {said}");
    }
}
