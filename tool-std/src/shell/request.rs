//! What both tools take, in the order in which it is looked at, and how a run becomes an answer (shell.md §3, §5).

use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{ArgIssue, Content, Effect, ErrorKind, IssueCode, ToolError, ToolOutput};

use super::guard::{self, Finding};
use super::processes::Processes;
use crate::limits::Limits;
use crate::sandbox::{Command, CommandResult, Confinement, Finished, Mode, Network, Sandbox};
use crate::workspace::{WorkspacePath, refusal};

/// Seconds that a command in the background gets when the call does not say.
const BACKGROUND_SECONDS: f64 = 3_600.0;
/// What a refusal by the network guard advises; a command that failed on the network gets the first sentence.
const NETWORK_IS_OFF: &str = "Network is off for commands.";
const NETWORK_ADVICE: &str = "Network is off for commands. An operator can allow it with sandbox.network, or turn this \
                              early check off with sandbox.network_guard.";
/// The same where nothing else keeps commands from the network.
const GUARD_ADVICE: &str =
    "Only this early check is against it. An operator can turn it off with sandbox.network_guard.";
/// What programs write when they cannot reach the network.
const NETWORK_ERRORS: [&str; 8] = [
    "could not resolve",
    "name resolution",
    "name or service not known",
    "unknown host",
    "network is unreachable",
    "connection refused",
    "could not connect",
    "failed to connect",
];
/// What they write when they are refused something, and what was: a socket, if it was the network.
const REFUSED: &str = "operation not permitted";
const SOCKETS: [&str; 2] = ["socket", "connect"];

/// Collects what does not fit, so that one answer names all of it; an issue's hint is the sentence.
#[derive(Debug, Default)]
pub(super) struct Misfits(Vec<ArgIssue>);

impl Misfits {
    /// `misfit` is what would fit, and what was given.
    pub(super) fn add(
        &mut self,
        code: IssueCode,
        path: &str,
        misfit: [impl Into<String>; 2],
        sentence: impl Into<String>,
    ) {
        let [expected, got] = misfit.map(Into::into);
        self.0.push(ArgIssue { path: path.to_owned(), code, expected, got, hint: Some(sentence.into()) });
    }

    /// Looks at the text that names the program, or is the line.
    pub(super) fn command(&mut self, name: &str, text: &str, limits: &Limits) {
        let path = format!("/{name}");
        if text.trim().is_empty() {
            let misfit = ["a text that is not blank", "a blank text"];
            self.add(IssueCode::Length, &path, misfit, format!("{name} must be a non-empty string."));
        }
        self.length(&path, name, text, limits.max_command_chars);
        self.nul(&path, name, text);
    }

    /// Looks at arguments, alone and together with their program.
    pub(super) fn arguments(&mut self, program: &str, arguments: &[String], limits: &Limits) {
        if arguments.len() as u64 > limits.max_args {
            let misfit =
                [format!("at most {} entries", limits.max_args), format!("{} entries", arguments.len())];
            self.add(
                IssueCode::Length,
                "/args",
                misfit,
                format!("args exceeds {} entries.", limits.max_args),
            );
        }
        let before = self.0.len();
        for (at, text) in arguments.iter().enumerate() {
            let (path, name) = (format!("/args/{at}"), format!("args[{at}]"));
            self.length(&path, &name, text, limits.max_arg_chars);
            self.nul(&path, &name, text);
        }
        let together: u64 =
            characters(program) + arguments.iter().map(|text| characters(text) + 1).sum::<u64>();
        if self.0.len() == before && together > limits.max_command_chars {
            let most = limits.max_command_chars;
            let misfit = [
                format!("at most {most} characters together with the program"),
                format!("{together} characters"),
            ];
            self.add(IssueCode::Length, "/args", misfit, format!("command exceeds {most} characters."));
        }
    }

    /// Looks at where and how long.
    pub(super) fn surroundings(&mut self, cwd: &Path, time: Time, limits: &Limits) {
        let cwd = cwd.to_string_lossy();
        self.length("/cwd", "cwd", &cwd, limits.max_cwd_chars);
        self.nul("/cwd", "cwd", &cwd);
        let most = if time.background { limits.max_background_seconds } else { limits.max_timeout_seconds };
        let misfit = [format!("seconds above 0, at most {most}"), format!("{} seconds", time.seconds)];
        if time.seconds.is_nan() || time.seconds <= 0.0 {
            self.add(IssueCode::Range, "/timeout", misfit, "timeout must be positive.");
        } else if time.seconds > most as f64 {
            self.add(IssueCode::Range, "/timeout", misfit, format!("timeout exceeds {most}."));
        }
    }

    /// Notes a parameter that means nothing in the background.
    pub(super) fn left_alone(&mut self, changed: bool, path: &str) {
        if changed {
            let name = path.trim_start_matches('/');
            let misfit = ["its default", "another value"];
            self.add(IssueCode::Constraint, path, misfit, format!("{name} means nothing with background."));
        }
    }

    fn length(&mut self, path: &str, name: &str, text: &str, most: u64) {
        let count = characters(text);
        if count > most {
            let misfit = [format!("at most {most} characters"), format!("{count} characters")];
            self.add(IssueCode::Length, path, misfit, format!("{name} exceeds {most} characters."));
        }
    }

    fn nul(&mut self, path: &str, name: &str, text: &str) {
        if text.contains('\0') {
            let misfit = ["text without NUL", "text with NUL"];
            self.add(IssueCode::Pattern, path, misfit, format!("{name} contains a NUL character."));
        }
    }

    /// Fails with every issue, if there is one; a single one is the message too.
    ///
    /// # Errors
    /// `invalid_args`.
    pub(super) fn finish(self) -> Result<(), ToolError> {
        let message = match self.0.as_slice() {
            [] => return Ok(()),
            [only] => only.hint.clone().unwrap_or_default(),
            many => format!("{} arguments do not fit.", many.len()),
        };
        Err(ToolError::invalid_args(message).issues(self.0).effect(Effect::None))
    }
}

fn characters(text: &str) -> u64 {
    text.chars().count() as u64
}

/// How long a command may run.
#[derive(Clone, Copy)]
pub(super) struct Time {
    seconds: f64,
    background: bool,
}

impl Time {
    /// What the call says, else the default of where the command runs.
    pub(super) fn new(given: Option<f64>, foreground: f64, background: bool) -> Self {
        let default = if background { BACKGROUND_SECONDS } else { foreground };
        Self { seconds: given.unwrap_or(default), background }
    }
}

/// A background process that was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Started {
    /// Its name for `process_output` and `process_stop`.
    pub process_id: String,
    /// Its words.
    pub argv: Vec<String>,
    /// When it was started: RFC 3339, UTC.
    pub started: String,
    /// The sandbox that it runs in, where guarantees are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-log" = "full"))]
    pub sandbox: Option<Confinement>,
}

/// What the tools that run commands give back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ShellOutput {
    /// A command that has ended.
    Ended(CommandResult),
    /// A command that goes on.
    Started(Started),
}

/// A command whose arguments fit.
pub(super) struct Request<'a> {
    pub(super) tool: &'static str,
    pub(super) argv: Vec<String>,
    pub(super) cwd: &'a Path,
    pub(super) time: Time,
    pub(super) check: bool,
    pub(super) background: bool,
}

impl Request<'_> {
    /// Refuses words that would want the network.
    ///
    /// # Errors
    /// `network_denied`, `git_remote_denied`.
    pub(super) fn guard_words(&self, sandbox: &Sandbox) -> Result<(), ToolError> {
        self.guard(sandbox, self.argv.iter().map(String::as_str))
    }

    /// Refuses a line that would want the network.
    ///
    /// # Errors
    /// `network_denied`, `git_remote_denied`.
    pub(super) fn guard_text(&self, sandbox: &Sandbox, text: &str) -> Result<(), ToolError> {
        self.guard(sandbox, std::iter::once(text))
    }

    fn guard<'t>(
        &self,
        sandbox: &Sandbox,
        texts: impl Iterator<Item = &'t str> + Clone,
    ) -> Result<(), ToolError> {
        if !sandbox.policy().guards_tokens() {
            return Ok(());
        }
        let tool = self.tool;
        let (code, message, token) = match guard::check(texts) {
            None => return Ok(()),
            Some(Finding::Network(token)) => {
                ("network_denied", format!("Network access is disabled for {tool} tool"), token)
            }
            Some(Finding::GitRemote(token)) => {
                ("git_remote_denied", format!("Git remote operations are disabled for {tool} tool"), token)
            }
        };
        Err(ToolError::denied(message)
            .code(code)
            .detail("token", refusal::echo(token, sandbox.policy().limits.echo_chars))
            .hint(if sandbox.policy().mode == Mode::Off { GUARD_ADVICE } else { NETWORK_ADVICE })
            .effect(Effect::None))
    }

    /// Runs it in the sandbox.
    ///
    /// # Errors
    /// Those of shell.md §3.
    pub(super) async fn run(
        self,
        sandbox: &Sandbox,
        processes: Option<&Processes>,
    ) -> Result<ToolOutput, ToolError> {
        let directory = self.directory(sandbox)?;
        let program = self.argv.first().cloned().unwrap_or_default();
        let command = Command::new(program.clone(), Duration::from_secs_f64(self.time.seconds))
            .args(self.argv.iter().skip(1).cloned())
            .directory(directory.clone());
        if self.background {
            return self.start(sandbox, processes, command, directory.shown()).await;
        }
        let finished = sandbox.run(command).await.map_err(|error| with_advice(error, &program))?;
        answer(&finished, self.check, sandbox)
    }

    /// Starts it and leaves it running.
    async fn start(
        self,
        sandbox: &Sandbox,
        processes: Option<&Processes>,
        command: Command,
        cwd: String,
    ) -> Result<ToolOutput, ToolError> {
        let processes = processes.ok_or_else(|| {
            ToolError::denied("This program ends after one call.")
                .code("background_unsupported")
                .effect(Effect::None)
        })?;
        let place = processes.reserve(sandbox.policy().limits.max_background)?;
        let program = self.argv.first().cloned().unwrap_or_default();
        let running = sandbox.start(command).await.map_err(|error| with_advice(error, &program))?;
        let process = place.add(self.tool, self.argv, cwd, running, sandbox.call());
        let started = Started {
            process_id: process.id.clone(),
            argv: process.argv.clone(),
            started: process.started.clone(),
            sandbox: Some(sandbox.report().confinement()).filter(|sandbox| !sandbox.missing.is_empty()),
        };
        let text = format!("Started {}.", started.process_id);
        structured(&ShellOutput::Started(started), text)
    }

    /// The directory to start in, in the words of this group.
    fn directory(&self, sandbox: &Sandbox) -> Result<WorkspacePath, ToolError> {
        let workspace = sandbox.workspace();
        let path = workspace.resolve(self.cwd)?;
        let shown = path.given();
        match workspace.directory(&path) {
            Ok(_) => Ok(path),
            Err(error) if error.code_str() == "path_not_found" => {
                Err(ToolError::not_found(format!("cwd {shown} does not exist."))
                    .code("path_not_found")
                    .effect(Effect::None))
            }
            Err(error) if error.code_str() == "not_a_directory" => {
                Err(ToolError::failed(format!("cwd {shown} is not a directory."))
                    .code("not_a_directory")
                    .effect(Effect::None))
            }
            Err(error) => Err(error),
        }
    }
}

fn with_advice(error: ToolError, program: &str) -> ToolError {
    match error.code_str() {
        "command_not_found" if program.contains(char::is_whitespace) => {
            error.hint("cmd is one executable: put the rest in args, or use run_command.")
        }
        _ => error,
    }
}

fn answer(finished: &Finished, check: bool, sandbox: &Sandbox) -> Result<ToolOutput, ToolError> {
    let policy = sandbox.policy();
    if let Some(error) = finished.error(check, &policy.limits) {
        let network = sandbox.report().network() == Network::Deny && error.code_str() == "command_failed";
        let blamed = network && blames_network(&finished.stderr.text);
        return Err(if blamed { error.hint(NETWORK_IS_OFF) } else { error });
    }
    let result = finished.result();
    let (text, trailer) = (result.text(), result.trailer());
    Ok(structured(&ShellOutput::Ended(result), text)?.with_trailer(trailer))
}

fn structured(value: &ShellOutput, text: String) -> Result<ToolOutput, ToolError> {
    let value =
        serde_json::to_value(value).map_err(|error| ToolError::foreign(ErrorKind::Internal, error))?;
    Ok(ToolOutput::structured(value).with_content(Content::text(text)))
}

fn blames_network(stderr: &str) -> bool {
    let stderr = stderr.to_lowercase();
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| stderr.contains(phrase));
    has(&NETWORK_ERRORS) || (has(&[REFUSED]) && has(&SOCKETS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_an_issue_of_its_own_and_a_single_one_is_the_message() {
        let limits = Limits::default();
        let mut misfits = Misfits::default();
        misfits.command("cmd", "", &limits);
        misfits.arguments("", &vec!["x".to_owned(); 129], &limits);
        misfits.surroundings(Path::new("."), Time::new(Some(-1.0), 60.0, false), &limits);
        let error = misfits.finish().unwrap_err();
        let paths: Vec<&str> = error.arg_issues().iter().map(|issue| issue.path.as_str()).collect();
        assert_eq!(paths, ["/cmd", "/args", "/timeout"]);
        let mut misfits = Misfits::default();
        misfits.surroundings(Path::new("."), Time::new(Some(3_600.001), 60.0, false), &limits);
        assert_eq!(misfits.finish().unwrap_err().message(), "timeout exceeds 3600.");
    }

    #[test]
    fn the_network_is_blamed_for_what_it_did_and_not_for_every_refusal() {
        for text in [
            "curl: (6) Could not resolve host: example.org",
            "nc: socket: Operation not permitted",
            "  File \"/usr/lib/python3/socket.py\", line 1\nPermissionError: [Errno 1] Operation not permitted",
        ] {
            assert!(blames_network(text), "{text}");
        }
        for text in
            ["unshare: unshare failed: Operation not permitted", "chown: a: Operation not permitted", ""]
        {
            assert!(!blames_network(text), "{text}");
        }
    }

    #[test]
    fn limits_are_inclusive_and_count_characters() {
        let limits = Limits::default();
        let mut misfits = Misfits::default();
        misfits.arguments("true", &["é".repeat(8_187)], &limits);
        misfits.surroundings(Path::new("."), Time::new(Some(3_600.0), 60.0, false), &limits);
        assert!(misfits.finish().is_ok());
        let mut misfits = Misfits::default();
        misfits.arguments("true", &["é".repeat(8_188)], &limits);
        assert_eq!(misfits.finish().unwrap_err().message(), "command exceeds 8192 characters.");
    }
}
