//! Two runs in one process give what each gives alone. (cli.md, acceptance 6)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::fs;
use std::io::{self};
use std::path::Path;
use std::sync::Barrier;
use std::thread;

use serde_json::Value;
use tests::captured::Captured;
use tests::demo;
use tool_cli::{Cli, Io, Terminal, Tty};

/// A person who always says the same.
struct Person(&'static str);

impl Terminal for Person {
    fn ask(&mut self, _: &str) -> io::Result<Option<String>> {
        Ok(Some(self.0.to_owned()))
    }

    fn ask_hidden(&mut self, question: &str) -> io::Result<Option<String>> {
        self.ask(question)
    }
}

/// Who runs something: where, with which variables, at which terminal.
struct Scene {
    env: &'static [(&'static str, &'static str)],
    tty: bool,
    answer: &'static str,
    directory: tool_trials::Directory,
}

const LINES: [&[&str]; 6] = [
    &["store", "search", "lamp"],
    &["store", "serch", "lamp"],
    &["note", "write", "t", "--attachment", "@file", "--body", "-"],
    &["store", "delete", "42"],
    &["deploy", "app"],
    &["login", "ann"],
];

fn scene(env: &'static [(&'static str, &'static str)], tty: bool, answer: &'static str, file: &str) -> Scene {
    let directory = tool_trials::directory();
    fs::write(directory.path().join("file"), file).unwrap();
    fs::write(
        directory.path().join("settings.toml"),
        format!("color = '{}'\n", if tty { "always" } else { "never" }),
    )
    .unwrap();
    Scene { env, tty, answer, directory }
}

impl Scene {
    fn run(&self, cli: &Cli, line: &[&str]) -> (u8, String, String) {
        let (stdout, stderr) = (Captured::default(), Captured::default());
        let tty = Tty { stdin: false, stdout: self.tty, stderr: true };
        let env = self.env.iter().chain(&[("DEMO_CONFIG", "settings.toml")]);
        let io = Io {
            stdin: Box::new(io::Cursor::new(self.answer)),
            stdout: Box::new(stdout.clone()),
            stderr: Box::new(stderr.clone()),
            tty,
            terminal: Some(Box::new(Person(self.answer))),
            width: self.tty.then_some(100),
            env: env.map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            ..Io::detached(self.path())
        };
        let code = cli.run_from(line, io).0;
        let text = Captured::text;
        (code, text(&stdout), text(&stderr))
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn all(&self, cli: &Cli) -> Vec<(u8, String, String)> {
        LINES.iter().map(|line| self.run(cli, line)).collect()
    }
}

#[test]
fn two_runs_at_once_give_what_each_gives_alone() {
    let (cli, _) = demo::demo(&Value::Null).unwrap();
    let scenes = [
        scene(&[("DEMO_LIMIT", "3"), ("DEMO_REGION", "us"), ("DEMO_PASSWORD", "one")], true, "y", "first"),
        scene(&[("DEMO_LIMIT", "x"), ("DEMO_FORMAT", "yaml"), ("DEMO_RETRIES", "7")], false, "n", "second"),
    ];
    let alone: Vec<_> = scenes.iter().map(|scene| scene.all(&cli)).collect();
    for (a, b) in alone[0].iter().zip(&alone[1]) {
        assert_ne!(a, b, "the two differ, or nothing is shown");
    }
    let start = Barrier::new(2);
    thread::scope(|scope| {
        for (scene, alone) in scenes.iter().zip(&alone) {
            let (cli, start) = (&cli, &start);
            scope.spawn(move || {
                for _ in 0..30 {
                    start.wait();
                    assert_eq!(scene.all(cli), *alone);
                }
            });
        }
    });
}
