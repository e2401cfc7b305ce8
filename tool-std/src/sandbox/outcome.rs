//! How a command ended: its result for callers, and the errors that it can end in (sandbox.md §10, shell.md §3, §5).

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tool_core::{Effect, ErrorKind, ToolError};

use super::capture::Captured;
use super::policy::Network;
use crate::limits::Limits;
use crate::workspace::refusal;

/// What became of protected names that a command made.
const MOVED_AWAY: &str = "what the command wrote there was moved away; everything else it did stays";
const PUT_BACK: &str =
    "what is new there was moved to the quarantine and the former file put back; everything else stays";
const COULD_NOT_BE_MOVED: &str =
    "what is there now could not be moved away: remove it before git or a shell reads it";

/// Why a command was ended before its own end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Its time was over.
    TimedOut,
    /// The caller went away.
    Cancelled,
    /// It wrote more than allowed.
    Output,
    /// It wrote a file larger than allowed.
    FileSize,
    /// It used more memory than allowed.
    Memory,
    /// It had more processes than allowed.
    Processes,
    /// It used more CPU time than allowed.
    Cpu,
    /// The disk ran full.
    Disk,
}

impl Stop {
    pub(super) fn kind_and_code(self) -> (ErrorKind, &'static str) {
        match self {
            Self::TimedOut => (ErrorKind::Timeout, "timeout"),
            Self::Cancelled => (ErrorKind::Cancelled, "cancelled"),
            Self::Output => (ErrorKind::Failed, "limit_output"),
            Self::FileSize => (ErrorKind::Failed, "limit_file_size"),
            Self::Memory => (ErrorKind::Failed, "limit_memory"),
            Self::Processes => (ErrorKind::Failed, "limit_processes"),
            Self::Cpu => (ErrorKind::Failed, "limit_cpu"),
            Self::Disk => (ErrorKind::Failed, "limit_disk"),
        }
    }

    fn sentence(self, finished: &Finished, limits: &Limits) -> String {
        let stopped = |what: String| format!("Command was stopped: it {what}.");
        match self {
            Self::TimedOut => format!("Command timed out after {}ms", finished.timeout.as_millis()),
            Self::Cancelled => format!("Command was cancelled after {}ms", finished.duration.as_millis()),
            Self::Output => stopped(format!("wrote more than {} bytes", limits.max_total_output_bytes)),
            Self::FileSize => stopped(format!("wrote a file of more than {} bytes", limits.max_file_bytes)),
            Self::Memory => stopped(format!("used more than {} bytes of memory", limits.max_memory_bytes)),
            Self::Processes => stopped(format!("had more than {} processes", limits.max_processes)),
            Self::Cpu if limits.max_cpu_seconds > 0 => {
                stopped(format!("used more than {} seconds of CPU time", limits.max_cpu_seconds))
            }
            Self::Cpu => stopped("used more CPU time than its timeout allows".to_owned()),
            Self::Disk => "Command was stopped: the disk or the quota of the workspace is full.".to_owned(),
        }
    }

    fn effect(self) -> Effect {
        match self {
            Self::TimedOut | Self::Cancelled => Effect::Unknown,
            _ => Effect::Done,
        }
    }
}

/// How the command itself ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With a status.
    Exit(i32),
    /// By a signal.
    Signal(i32),
}

/// A command that has ended, with everything that was kept of it.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How the command itself ended.
    pub end: End,
    /// Why it was ended before its own end, if it was.
    pub stopped: Option<Stop>,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// From the start to the end.
    pub duration: Duration,
    /// What it was given.
    pub timeout: Duration,
    /// CPU time of all its processes.
    pub cpu: Duration,
    /// Memory of its largest process, in bytes.
    pub max_rss_bytes: u64,
    /// Processes that were killed after the command's own end.
    pub strays: u32,
    /// Protected names that it made or replaced, and that were moved away.
    pub quarantined: Vec<String>,
    /// Of these, the names under which the former file was put back.
    pub restored: Vec<String>,
    /// Protected names that it made or replaced, and that could not be moved away.
    pub left: Vec<String>,
    /// The sandbox that it ran in.
    pub sandbox: Confinement,
}

/// The sandbox as results show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Confinement {
    /// `full` when nothing is missing, `partial`, or `none`.
    pub level: String,
    /// What commands reach of the network: `deny`, `loopback` or `allow`.
    pub network: String,
    /// Guarantees that are not given here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What is not covered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CommandResult {
    /// 0 to 255; null when a signal ended it.
    pub exit_code: Option<i32>,
    /// Name of the signal that ended it, such as `SIGKILL`.
    pub signal: Option<String>,
    /// Standard output; the middle is left out when it is long.
    #[schemars(extend("x-log" = "hash"))]
    pub stdout: String,
    /// Standard error; the middle is left out when it is long.
    #[schemars(extend("x-log" = "hash"))]
    pub stderr: String,
    /// Bytes written to standard output in all.
    pub stdout_bytes: u64,
    /// Bytes written to standard error in all.
    pub stderr_bytes: u64,
    /// Streams of which the middle is left out.
    pub truncated: Vec<String>,
    /// Streams with bytes that are no text.
    pub lossy: Vec<String>,
    /// Milliseconds from start to end.
    pub duration_ms: u64,
    /// Milliseconds of CPU time of all processes.
    pub cpu_ms: u64,
    /// Bytes of memory of the largest process.
    pub max_rss_bytes: u64,
    /// Processes that were killed after the command's own end.
    pub strays: u32,
    /// The sandbox that it ran in.
    #[schemars(extend("x-log" = "full"))]
    pub sandbox: Confinement,
}

impl Confinement {
    /// One in which nothing is missing.
    pub(super) fn whole(network: Network) -> Confinement {
        let network = network.as_str().to_owned();
        Confinement { level: "full".to_owned(), network, missing: Vec::new(), gaps: Vec::new() }
    }
}

impl Finished {
    /// The result for callers.
    pub fn result(&self) -> CommandResult {
        let (exit_code, signal) = match self.end {
            End::Exit(code) => (Some(code), None),
            End::Signal(number) => (None, Some(signal_name(number))),
        };
        let streams = [("stdout", &self.stdout), ("stderr", &self.stderr)];
        let named = |wanted: fn(&Captured) -> bool| {
            let of_interest = streams.iter().filter(|(_, stream)| wanted(stream));
            of_interest.map(|(name, _)| (*name).to_owned()).collect()
        };
        CommandResult {
            exit_code,
            signal,
            stdout: self.stdout.text.clone(),
            stderr: self.stderr.text.clone(),
            stdout_bytes: self.stdout.total,
            stderr_bytes: self.stderr.total,
            truncated: named(Captured::truncated),
            lossy: named(|stream| stream.lossy),
            duration_ms: millis(self.duration),
            cpu_ms: millis(self.cpu),
            max_rss_bytes: self.max_rss_bytes,
            strays: self.strays,
            sandbox: self.sandbox.clone(),
        }
    }

    /// The error that this end is: always when it was stopped, and for any end but status 0 when that is checked.
    pub fn error(&self, check: bool, limits: &Limits) -> Option<ToolError> {
        let error = match (self.stopped, self.end) {
            _ if !self.quarantined.is_empty() || !self.left.is_empty() => self.protected_path(limits),
            (Some(stop), _) => {
                let (kind, code) = stop.kind_and_code();
                ToolError::new(kind, stop.sentence(self, limits)).code(code).effect(stop.effect())
            }
            (None, End::Exit(0)) => return None,
            (None, _) if !check => return None,
            (None, end) => ToolError::failed(end.sentence()).code("command_failed").effect(Effect::Done),
        };
        Some(self.with_details(error))
    }

    fn protected_path(&self, limits: &Limits) -> ToolError {
        let first = self.left.first().or(self.quarantined.first()).map_or("", String::as_str);
        let shown = refusal::echo(first, limits.echo_chars);
        let (message, hint) = if !self.left.is_empty() {
            (format!("{shown} is a protected path."), COULD_NOT_BE_MOVED)
        } else if self.restored.iter().any(|name| name == first) {
            (format!("{shown} is a protected path: it was replaced while the command ran."), PUT_BACK)
        } else {
            (format!("{shown} is a protected path."), MOVED_AWAY)
        };
        let mut error = ToolError::denied(message).code("protected_path").hint(hint).effect(Effect::Done);
        error = error.detail("quarantined", self.quarantined.clone());
        for (name, paths) in [("restored", &self.restored), ("left", &self.left)] {
            if !paths.is_empty() {
                error = error.detail(name, paths.clone());
            }
        }
        error
    }

    fn with_details(&self, error: ToolError) -> ToolError {
        match serde_json::to_value(self.result()) {
            Ok(Value::Object(details)) => {
                details.into_iter().fold(error, |error, (key, value)| match key.as_str() {
                    // Said here too: the error may go through tools whose schemas know nothing of streams.
                    "stdout" | "stderr" => error.content_detail(key, value),
                    _ => error.detail(key, value),
                })
            }
            _ => error,
        }
    }
}

impl End {
    fn sentence(self) -> String {
        match self {
            Self::Exit(code) => format!("Command failed with exit code {code}"),
            Self::Signal(number) => format!("Command was ended by signal {} ({number})", signal_name(number)),
        }
    }
}

impl CommandResult {
    /// The form for models: standard output, then standard error, then how it ended unless that was well.
    pub fn text(&self) -> String {
        let mut text = self.stdout.clone();
        let mut section = |head: &str, body: &str| {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(head);
            text.push_str(body);
        };
        if !self.stderr.is_empty() {
            section("[stderr]\n", &self.stderr);
        }
        let trailer = self.trailer();
        if !trailer.is_empty() {
            section(&trailer, "");
        }
        text
    }

    /// What the text says behind the streams: how the command ended, unless by exit code 0.
    pub fn trailer(&self) -> String {
        match (self.exit_code, &self.signal) {
            (Some(0), _) | (None, None) => String::new(),
            (Some(code), _) => format!("[exit code {code}]"),
            (None, Some(signal)) => format!("[signal {signal}]"),
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Names of the signals that end processes.
const SIGNALS: [(i32, &str); 24] = [
    (libc::SIGHUP, "SIGHUP"),
    (libc::SIGINT, "SIGINT"),
    (libc::SIGQUIT, "SIGQUIT"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGKILL, "SIGKILL"),
    (libc::SIGUSR1, "SIGUSR1"),
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGUSR2, "SIGUSR2"),
    (libc::SIGPIPE, "SIGPIPE"),
    (libc::SIGALRM, "SIGALRM"),
    (libc::SIGTERM, "SIGTERM"),
    (libc::SIGSTKFLT, "SIGSTKFLT"),
    (libc::SIGXCPU, "SIGXCPU"),
    (libc::SIGXFSZ, "SIGXFSZ"),
    (libc::SIGVTALRM, "SIGVTALRM"),
    (libc::SIGPROF, "SIGPROF"),
    (libc::SIGIO, "SIGIO"),
    (libc::SIGPWR, "SIGPWR"),
    (libc::SIGSYS, "SIGSYS"),
    (libc::SIGCHLD, "SIGCHLD"),
];

/// The name of a signal, such as `SIGKILL`.
pub(crate) fn signal_name(number: i32) -> String {
    match SIGNALS.iter().find(|(known, _)| *known == number) {
        Some((_, name)) => (*name).to_owned(),
        None => format!("SIG{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::capture::Capture;

    fn finished(end: End, stopped: Option<Stop>) -> Finished {
        let stream = |text: &[u8]| {
            let mut capture = Capture::new(100);
            capture.push(text);
            capture.finish()
        };
        Finished {
            end,
            stopped,
            stdout: stream(b"out"),
            stderr: stream(b"err\n"),
            duration: Duration::from_millis(200),
            timeout: Duration::from_millis(1_500),
            cpu: Duration::ZERO,
            max_rss_bytes: 0,
            strays: 0,
            quarantined: Vec::new(),
            restored: Vec::new(),
            left: Vec::new(),
            sandbox: Confinement {
                level: "full".to_owned(),
                network: "deny".to_owned(),
                missing: Vec::new(),
                gaps: Vec::new(),
            },
        }
    }

    #[test]
    fn a_bad_end_is_an_error_only_when_it_is_checked() {
        let limits = Limits::default();
        let seven = finished(End::Exit(7), None);
        assert!(seven.error(false, &limits).is_none());
        let error = seven.error(true, &limits).unwrap();
        assert_eq!(error.message(), "Command failed with exit code 7");
        assert_eq!(error.details()["stderr"], "err\n");
        assert!(finished(End::Exit(0), None).error(true, &limits).is_none());
        let killed = finished(End::Signal(9), None).error(true, &limits).unwrap();
        assert_eq!(killed.message(), "Command was ended by signal SIGKILL (9)");
    }

    #[test]
    fn a_command_that_was_stopped_is_an_error_whatever_is_checked() {
        let limits = Limits::default();
        let error = |stop| finished(End::Exit(0), Some(stop)).error(false, &limits).unwrap();
        assert_eq!(error(Stop::TimedOut).message(), "Command timed out after 1500ms");
        assert_eq!(error(Stop::Cancelled).message(), "Command was cancelled after 200ms");
        assert_eq!(error(Stop::Output).message(), "Command was stopped: it wrote more than 268435456 bytes.");
        assert_eq!(error(Stop::TimedOut).effect_value(), Some(Effect::Unknown));
    }

    #[test]
    fn the_text_form_has_both_streams_and_a_bad_end() {
        assert_eq!(finished(End::Exit(7), None).result().text(), "out\n[stderr]\nerr\n[exit code 7]");
        assert_eq!(finished(End::Exit(0), None).result().text(), "out\n[stderr]\nerr\n");
    }
}
