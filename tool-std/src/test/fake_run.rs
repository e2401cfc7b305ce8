//! Commands that go as a test has written down.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tool_core::test::{FakeClock, Scripted, Words};
use tool_core::{Clock, ToolError};

use crate::sandbox::{End, NotStarted, Part, StandIn, Step, Stream};

/// Whether a command is the one that is expected.
type Matcher = Arc<dyn Fn(&[String]) -> bool + Send + Sync>;

/// Commands that are expected, each with how it goes: [`command`](Self::command) and [`program`](Self::program) write down the next
/// one, the methods after it what it does. Each goes once; equal ones in the order in which they were written. A command that is not
/// expected is refused, and fails the test; so does one that nobody runs. No process is started, and no time passes but that of the
/// clock. Clones are the same.
///
/// ```
/// use serde_json::json;
/// use tool_core::test::{ToolKit, answer};
/// use tool_core::tree;
/// use tool_core::Registry;
/// use tool_std::shell::RunCommandTool;
/// use tool_std::test::FilesExt as _;
///
/// let registry = Registry::builder().add::<RunCommandTool>().build().unwrap();
/// let kit = ToolKit::of(registry)
///     .files_and_commands(tree! { "a.txt": "hi" }, |run| {
///         run.command(["make", "check"]).out("compiling\n").err("1 warning\n").exit(2)
///     })
///     .answers([answer::yes("run_command")])
///     .build();
/// let done = kit.call_blocking("run_command", json!({"command": "make check"})).unwrap();
/// assert_eq!((&done.data()["stdout"], &done.data()["exit_code"]), (&json!("compiling\n"), &json!(2)));
/// assert_eq!(kit.io()[0].to_string(), "run_command (call_1) commands: make check");
/// ```
#[derive(Clone)]
pub struct FakeRun {
    told: Arc<Told>,
    clock: Arc<dyn Clock>,
}

struct Told {
    script: Scripted<Expected>,
    runs: Mutex<Vec<Vec<String>>>,
}

/// A command that is expected, and how it goes.
#[derive(Clone)]
struct Expected {
    name: String,
    matches: Vec<Matcher>,
    part: Part,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Default for FakeRun {
    fn default() -> Self {
        FakeRun::new(FakeClock::default())
    }
}

impl FakeRun {
    /// Nobody is expected to run anything. Commands keep the time of a clock.
    pub fn new(clock: impl Clock + 'static) -> FakeRun {
        let words = Words { things: "commands", did: "ran", done: "run" };
        let told = Told { script: Scripted::new(words), runs: Mutex::default() };
        FakeRun { told: Arc::new(told), clock: Arc::new(clock) }
    }

    /// Expects a program with these arguments; it ends well at once unless something else is said of it.
    #[must_use]
    pub fn command<'w>(self, words: impl IntoIterator<Item = &'w str>) -> FakeRun {
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let name = words.join(" ");
        self.expect(name, move |argv| *argv == words)
    }

    /// Expects a program, whatever its arguments.
    #[must_use]
    pub fn program(self, name: &str) -> FakeRun {
        let program = name.to_owned();
        self.expect(format!("{name} …"), move |argv| argv.first() == Some(&program))
    }

    fn expect(self, name: String, is: impl Fn(&[String]) -> bool + Send + Sync + 'static) -> FakeRun {
        let part = Part { end: Some(End::Exit(0)), ..Part::default() };
        self.told.script.expect(Expected { name, matches: vec![Arc::new(is)], part });
        self
    }

    /// The command is one like this: its program comes first.
    #[must_use]
    pub fn with(self, holds: impl Fn(&[String]) -> bool + Send + Sync + 'static) -> FakeRun {
        self.told.script.last(|expected| expected.matches.push(Arc::new(holds)));
        self
    }

    /// Writes a piece to standard output.
    #[must_use]
    pub fn out(self, piece: impl Into<Vec<u8>>) -> FakeRun {
        self.step(Step::Write(Stream::Out, piece.into()))
    }

    /// Writes a piece to standard error.
    #[must_use]
    pub fn err(self, piece: impl Into<Vec<u8>>) -> FakeRun {
        self.step(Step::Write(Stream::Err, piece.into()))
    }

    /// Does nothing for a time.
    #[must_use]
    pub fn wait(self, time: Duration) -> FakeRun {
        self.step(Step::Wait(time))
    }

    /// Ends with a status.
    #[must_use]
    pub fn exit(self, status: i32) -> FakeRun {
        self.part(|part| part.end = Some(End::Exit(status)))
    }

    /// Is ended by a signal, by its number.
    #[must_use]
    pub fn signal(self, number: i32) -> FakeRun {
        self.part(|part| part.end = Some(End::Signal(number)))
    }

    /// Does not end by itself.
    #[must_use]
    pub fn never(self) -> FakeRun {
        self.part(|part| part.end = None)
    }

    /// Goes on when it is asked to end, until it is killed.
    #[must_use]
    pub fn ignores_signals(self) -> FakeRun {
        self.part(|part| part.ignores_signals = true)
    }

    /// Is not started.
    #[must_use]
    pub fn fails(self, why: NotStarted) -> FakeRun {
        self.part(|part| part.refused = Some(why))
    }

    /// Expects the same once more, so many times in all.
    #[must_use]
    pub fn times(self, count: usize) -> FakeRun {
        self.told.script.times(count);
        self
    }

    fn step(self, step: Step) -> FakeRun {
        self.part(|part| part.steps.push(step))
    }

    fn part(self, change: impl FnOnce(&mut Part)) -> FakeRun {
        self.told.script.last(|expected| change(&mut expected.part));
        self
    }

    /// What was run, in order: programs with their arguments.
    pub fn runs(&self) -> Vec<Vec<String>> {
        self.told.runs().clone()
    }

    /// Forgets what is left and what went wrong: the test has looked at it itself. Gives both as texts.
    pub fn forgive(&self) -> Vec<String> {
        self.told.script.wrong()
    }
}

impl Told {
    fn runs(&self) -> MutexGuard<'_, Vec<Vec<String>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StandIn for FakeRun {
    fn part(&self, argv: &[String]) -> Result<Part, ToolError> {
        self.told.runs().push(argv.to_vec());
        let program = argv.first().map_or("", String::as_str);
        let meant = |expected: &Expected| expected.matches.iter().all(|matches| matches(argv));
        self.told.script.take(meant, &argv.join(" "), program).map(|expected| expected.part)
    }

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock)
    }
}

impl fmt::Debug for FakeRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeRun").field("left", &self.told.script.left()).finish_non_exhaustive()
    }
}
