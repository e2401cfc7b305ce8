//! The program at one workspace, as an operator sets it up for a case, and its two surfaces.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::survivors;

/// How a call reaches the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Surface {
    /// `toolbox call`.
    Cli,
    /// `toolbox mcp serve`, on standard input and output.
    Mcp,
}

/// What happens to the program while its command runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// The caller goes away.
    Cancel,
    /// It is killed.
    Kill,
}

/// The exit status of each kind. (cli.md)
const STATUS: [(&str, i32); 11] = [
    ("invalid_args", 2),
    ("not_found", 3),
    ("conflict", 4),
    ("denied", 5),
    ("not_configured", 6),
    ("unavailable", 7),
    ("rate_limited", 75),
    ("timeout", 124),
    ("cancelled", 130),
    ("failed", 1),
    ("internal", 70),
];
/// The longest text that is sure to fit in one word of a command line; Linux takes 128 KiB.
const LONGEST_WORD: usize = 100_000;
/// How long a command may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// What was told: the result or the error as JSON, and all that was written.
pub(crate) struct Told {
    pub(crate) outcome: Result<Value, Value>,
    pub(crate) written: String,
}

/// The program at one workspace.
pub(crate) struct Program {
    root: PathBuf,
    /// Where its settings and its state are.
    own: tool_trials::Directory,
    words: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Program {
    /// The program with the limits and the configuration of a case. Its own directory is in memory, where that is
    /// possible: its journal is written durably.
    pub(crate) fn new(case: &Value, root: &Path) -> Self {
        let own: tool_trials::Directory =
            tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap().into();
        let mut settings = json!({});
        let (mut environment, mut policy) = (Vec::new(), None);
        for (name, value) in case["limits"].as_object().into_iter().flatten() {
            settings["limits"][name] = value.clone();
        }
        for (name, value) in case["config"].as_object().into_iter().flatten() {
            match (name.as_str(), name.split_once('.')) {
                ("environment", _) => {
                    let pairs = value.as_object().unwrap().iter();
                    environment.extend(
                        pairs.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())),
                    );
                }
                ("policy", _) => policy = Some(value.clone()),
                (_, Some((table, key))) => settings[table][key] = value.clone(),
                (other, None) => panic!("configuration {other}"),
            }
        }
        let mut words = vec!["--root".to_owned(), root.to_str().unwrap().to_owned()];
        let mut file = |option: &str, name: &str, content: &Value| {
            let file = own.path().join(name);
            fs::write(&file, toml("", content)).unwrap();
            words.extend([option.to_owned(), file.to_str().unwrap().to_owned()]);
        };
        file("--config", "settings.toml", &settings);
        if let Some(mut rules) = policy {
            rules["tools"] = json!(["*"]);
            rules["approve"] = json!("never");
            file(
                "--policy",
                "policy.toml",
                &json!({"version": 1, "agents": {"operator": rules, "mcp": rules}}),
            );
        }
        Self { root: root.to_owned(), own, words, environment }
    }

    /// Makes one call with a text of arguments.
    pub(crate) fn call(&self, surface: Surface, tool: &str, args: &str, fault: Fault) -> Told {
        match surface {
            Surface::Cli => self.on_the_command_line(tool, args, fault),
            Surface::Mcp => self.over_mcp(tool, args, fault),
        }
    }

    fn start(&self, words: &[&str]) -> Alive {
        let mut program = Command::new(env!("CARGO_BIN_EXE_toolbox"));
        program.args(&self.words).args(words).current_dir(&self.own).env_clear();
        program.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.own.path());
        program.env("XDG_STATE_HOME", self.own.path().join("state")).envs(self.environment.iter().cloned());
        program
            .env("TOOLBOX_FORMAT", "json")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Alive(program.spawn().unwrap())
    }

    fn on_the_command_line(&self, tool: &str, args: &str, fault: Fault) -> Told {
        let input = if args.len() > LONGEST_WORD { "-" } else { args };
        let mut program = self.start(&["--yes", "call", tool, "--input", input, "--json"]);
        let mut stdin = program.0.stdin.take().unwrap();
        if input == "-" {
            // A text above the limit is not read to its end.
            let _ = stdin.write_all(args.as_bytes());
        }
        drop(stdin);
        let signal = match fault {
            Fault::None => None,
            Fault::Cancel => Some(Signal::INT),
            Fault::Kill => Some(Signal::KILL),
        };
        if let Some(signal) = signal {
            self.until_the_command_runs();
            kill_process(Pid::from_raw(i32::try_from(program.0.id()).unwrap()).unwrap(), signal).unwrap();
        }
        let (stdout, stderr) = program.read_both();
        let status = program.0.wait().unwrap().code();
        let written = format!("{stdout}{stderr}");
        let outcome = match (status, fault) {
            (Some(0), _) => {
                Ok(serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {written}")))
            }
            (_, Fault::Kill) => Err(Value::Null),
            (status, _) => {
                let error = error_in(&stderr).unwrap_or_else(|| panic!("{status:?}: {written}"));
                let of_kind = STATUS.iter().find(|(kind, _)| error["kind"] == *kind);
                assert_eq!(status, of_kind.map(|(_, status)| *status), "the exit status of {error}");
                Err(error)
            }
        };
        Told { outcome, written }
    }

    fn over_mcp(&self, tool: &str, args: &str, fault: Fault) -> Told {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let (name, meta) = (json!(tool), meta.to_string());
        let params = format!(r#"{{"name":{name},"arguments":{args},"_meta":{meta}}}"#);
        let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let mut words = vec!["mcp", "serve", "--confirm", "client"];
        // A server of one tool starts sooner; aliases are known to a server of all, and a policy says itself what is served.
        if (tool.contains('_') || tool == "bash") && !self.words.iter().any(|word| word == "--policy") {
            words.extend(["--only", tool]);
        }
        let mut program = self.start(&words);
        let mut stdin = program.0.stdin.take().unwrap();
        let _ = writeln!(stdin, "{call}");
        match fault {
            Fault::None => {}
            Fault::Cancel => {
                self.until_the_command_runs();
                let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": {"requestId": 1, "_meta": serde_json::from_str::<Value>(&meta).unwrap()}});
                writeln!(stdin, "{cancel}").unwrap();
            }
            Fault::Kill => {
                self.until_the_command_runs();
                program.0.kill().unwrap();
            }
        }
        drop(stdin);
        let (stdout, stderr) = program.read_both();
        let _ = program.0.wait().unwrap();
        let mut answers = stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let outcome = match answers.find(|answer| answer["id"] == 1) {
            Some(answer) => told_over_mcp(&answer),
            // A request that its client gave up is not answered.
            None if fault != Fault::None => Err(Value::Null),
            None => Err(error_in(&stderr).unwrap_or_else(|| panic!("no answer: {stdout}{stderr}"))),
        };
        Told { outcome, written: format!("{stdout}{stderr}") }
    }

    fn until_the_command_runs(&self) {
        let until = Instant::now() + PATIENCE;
        while !survivors::is_alive(&self.root) {
            assert!(Instant::now() < until, "the command does not start");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// An object as TOML: a line with a dotted key for each value, which reads the same in both.
fn toml(at: &str, object: &Value) -> String {
    let line = |(key, value): (&String, &Value)| match value {
        Value::Object(_) => toml(&format!("{at}{key}."), value),
        value => format!("{at}{key} = {value}\n"),
    };
    object.as_object().into_iter().flatten().map(line).collect()
}

/// A program that runs; killed when the test ends before it.
struct Alive(Child);

impl Alive {
    /// Both streams to their ends.
    fn read_both(&mut self) -> (String, String) {
        let mut stderr = self.0.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        let mut stdout = String::new();
        let mut reader = BufReader::new(self.0.stdout.take().unwrap());
        while reader.read_line(&mut stdout).unwrap() > 0 {}
        (stdout, errors.join().unwrap())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The error in the last line that the program wrote for programs.
fn error_in(stderr: &str) -> Option<Value> {
    let mut last: Value = serde_json::from_str(stderr.lines().last()?).ok()?;
    Some(last["error"].take()).filter(Value::is_object)
}

fn told_over_mcp(answer: &Value) -> Result<Value, Value> {
    let result = &answer["result"];
    if result["isError"] != true {
        assert!(result.is_object(), "{answer}");
        return Ok(result["structuredContent"].clone());
    }
    let text = result["content"][0]["text"].as_str().unwrap();
    // What models are told is cut where it is too long (dialects.md §9): what comes before the details is whole.
    let whole = match text.split_once(",\"details\":") {
        Some((head, rest)) if rest.contains("\n[truncated: showing ") => format!("{head},\"cut\":true}}}}"),
        _ => text.to_owned(),
    };
    let mut told: Value = serde_json::from_str(&whole).unwrap_or_else(|error| panic!("{error}: {whole}"));
    Err(told["error"].take())
}
