//! `call --jsonl`: one call a line, one answer a line, in the same order, each flushed at once.
//!
//! Only reads overlap; a side effect waits for all before it, and all behind it wait. Nobody is asked.

mod frame;

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::thread;

use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tool_core::args::MAX_ARGS_BYTES;
use tool_core::def::Surface;
use tool_core::{
    Call, Caller, Executor, IssueCode, Plan, Registry, ToolContext, ToolError, ToolOutput, ToolResult,
    envelope,
};

use frame::Frame;

use crate::answer;
use crate::builtin::call::unknown_tool;
use crate::exit::ExitCode;
use crate::fault::{Fault, text};
use crate::flags::Table;
use crate::format::Format;
use crate::globals::{AllGiven, Global};
use crate::out;
use crate::schema;
use crate::settings::Settings;
use crate::sources::unreadable_file;
use crate::tree::Tree;

/// Calls from JSON Lines.
pub(crate) struct Batch {
    /// The program's name.
    pub(crate) program: String,
    pub(crate) executor: Executor,
    pub(crate) ctx: ToolContext,
    pub(crate) settings: Settings,
    pub(crate) input: Box<dyn Read + Send>,
    /// How many reads may run at once.
    pub(crate) jobs: usize,
    pub(crate) cancel: CancellationToken,
}

/// The file or standard input that the lines come from.
pub(crate) fn open(
    jsonl: &str,
    stdin: Box<dyn Read + Send>,
    cwd: &Path,
) -> Result<Box<dyn Read + Send>, Box<Fault>> {
    if jsonl == "-" {
        return Ok(stdin);
    }
    match File::open(cwd.join(jsonl)) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(Box::new(unreadable_file(OsStr::new(jsonl), &error).at("jsonl").flag("--jsonl"))),
    }
}

/// The global options that make no sense for many answers.
pub(crate) fn refused(given: &AllGiven, settings: &Settings) -> Vec<Fault> {
    let mut faults = Vec::new();
    let other_format = settings.format.is_some_and(|format| format != Format::Jsonl);
    let rows = [
        (Global::Envelope, "--envelope", true),
        (Global::IdempotencyKey, "--idempotency-key", true),
        (Global::Out, "--out", true),
        (Global::Format, "--format", other_format),
        (Global::Json, "--json", true),
        (Global::Input, "--input", true),
        (Global::Schema, "--schema", true),
    ];
    for (global, flag, refused) in rows {
        if let Some(found) = given.last(global).filter(|_| refused) {
            let fault = Fault::new(IssueCode::Constraint, "one JSON line for each call", text(flag));
            faults.push(fault.flag(flag).words(found.words.clone()));
        }
    }
    faults
}

/// A line of the input, numbered from 1.
struct Line {
    number: usize,
    /// `None` when it is too long to be read.
    text: Option<Vec<u8>>,
}

/// What a line asks for.
struct Head {
    id: Value,
    line: usize,
    tool: Value,
}

/// A line that is answered in its turn.
struct Running {
    head: Head,
    result: JoinHandle<ToolResult>,
}

/// What a line turned out to be.
enum Asked {
    /// A call; whether it has a side effect.
    Call(Call, bool),
    /// Nothing that can be called.
    Wrong(ToolError),
}

impl Batch {
    /// Answers every line.
    ///
    /// # Errors
    /// `failed`, code `output_write`, when an answer cannot be written although somebody reads.
    pub(crate) async fn run(self, stdout: &mut (dyn Write + Send)) -> Result<ExitCode, ToolError> {
        let Batch { input, jobs, .. } = self;
        let mut lines = read_ahead(input, 2 * jobs);
        let batch = Answers {
            program: self.program,
            executor: self.executor,
            ctx: self.ctx,
            settings: self.settings,
            stdout,
            failed: false,
        };
        batch.run(&mut lines, jobs, &self.cancel).await
    }
}

/// The answers as they are written.
struct Answers<'w> {
    program: String,
    executor: Executor,
    ctx: ToolContext,
    settings: Settings,
    stdout: &'w mut (dyn Write + Send),
    failed: bool,
}

/// Why no more answers can be written.
struct Unwritten(io::ErrorKind);

impl Answers<'_> {
    async fn run(
        mut self,
        lines: &mut mpsc::Receiver<Line>,
        jobs: usize,
        cancel: &CancellationToken,
    ) -> Result<ExitCode, ToolError> {
        Ok(match self.answer_all(lines, jobs, cancel).await {
            Err(Unwritten(io::ErrorKind::BrokenPipe)) => ExitCode::SUCCESS,
            Err(Unwritten(kind)) => return Err(out::unwritten(&kind.into())),
            Ok(()) if cancel.is_cancelled() => tool_core::ErrorKind::Cancelled.into(),
            Ok(()) if self.failed => ExitCode::FAILURE,
            Ok(()) => ExitCode::SUCCESS,
        })
    }

    async fn answer_all(
        &mut self,
        lines: &mut mpsc::Receiver<Line>,
        jobs: usize,
        cancel: &CancellationToken,
    ) -> Result<(), Unwritten> {
        let mut running: VecDeque<Running> = VecDeque::new();
        let mut open = true;
        while open || !running.is_empty() {
            tokio::select! {
                biased;
                result = front(&mut running), if !running.is_empty() => self.answer_front(&mut running, result)?,
                () = cancel.cancelled(), if open => open = false,
                line = lines.recv(), if open && running.len() < jobs => match line {
                    Some(line) => self.start(line, &mut running).await?,
                    None => open = false,
                },
            }
        }
        Ok(())
    }

    /// Starts the call of a line. A side effect is waited for, behind all calls before it.
    async fn start(&mut self, line: Line, running: &mut VecDeque<Running>) -> Result<(), Unwritten> {
        if line.text.as_ref().is_some_and(|text| text.trim_ascii().is_empty()) {
            return Ok(());
        }
        let (head, asked) = self.read(line);
        match asked {
            Asked::Wrong(error) => {
                let result = tokio::spawn(std::future::ready(Err(error)));
                running.push_back(Running { head, result });
            }
            Asked::Call(call, side_effect) => {
                if side_effect {
                    self.drain(running).await?;
                }
                let result = self.spawn(call);
                running.push_back(Running { head, result });
                if side_effect {
                    self.drain(running).await?;
                }
            }
        }
        Ok(())
    }

    fn spawn(&self, call: Call) -> JoinHandle<ToolResult> {
        let (executor, ctx, limit) = (self.executor.clone(), self.ctx.clone(), self.settings.timeout);
        let (dry_run, yes, program) = (self.settings.dry_run, self.settings.yes, self.program.clone());
        tokio::spawn(async move {
            let run = async {
                if dry_run {
                    let plan = executor.plan(call, &ctx, Caller::Cli).await?;
                    return planned(&program, executor.registry(), plan, yes).map(ToolOutput::structured);
                }
                executor.call(call, &ctx, Caller::Cli).await
            };
            match limit {
                None => run.await,
                Some(limit) => {
                    let late = |_| Err(ToolError::timeout("The tool did not finish in time."));
                    tokio::time::timeout(limit, run).await.unwrap_or_else(late)
                }
            }
        })
    }

    async fn drain(&mut self, running: &mut VecDeque<Running>) -> Result<(), Unwritten> {
        while !running.is_empty() {
            let result = front(running).await;
            self.answer_front(running, result)?;
        }
        Ok(())
    }

    fn answer_front(&mut self, running: &mut VecDeque<Running>, result: ToolResult) -> Result<(), Unwritten> {
        match running.pop_front() {
            Some(Running { head, .. }) => self.answer(head, result),
            None => Ok(()),
        }
    }

    fn answer(&mut self, head: Head, result: ToolResult) -> Result<(), Unwritten> {
        self.failed |= result.is_err();
        let result = result.map(|output| self.selected(output));
        let mut line = Map::from_iter([("id".to_owned(), head.id), ("line".to_owned(), head.line.into())]);
        if let Value::Object(outcome) = envelope("", &result) {
            line.extend(outcome);
        }
        line.insert("tool".to_owned(), head.tool);
        let text = format!("{}\n", Value::Object(line));
        let written = self.stdout.write_all(text.as_bytes()).and_then(|()| self.stdout.flush());
        written.map_err(|error| Unwritten(error.kind()))
    }

    fn selected(&self, mut output: ToolOutput) -> ToolOutput {
        if let (Some(selection), Some(value)) = (&self.settings.select, &output.structured) {
            output.structured = Some(selection.apply(value).value);
            output.content.clear();
        }
        output
    }

    // ---- lines -------------------------------------------------------------------------------------------------------

    fn read(&self, line: Line) -> (Head, Asked) {
        let Frame { id, tool, args } = Frame::read(line.text, line.number);
        let mut head = Head { id, line: line.number, tool };
        let asked = args.and_then(|args| self.asked(args, &mut head));
        (head, asked.unwrap_or_else(Asked::Wrong))
    }

    fn asked(&self, args: Value, head: &mut Head) -> Result<Asked, ToolError> {
        let tool = head.tool.as_str().unwrap_or_default().to_owned();
        let registry = self.executor.registry();
        let entry = registry.get(&tool).filter(|entry| entry.def().surfaces.contains(Surface::Cli));
        head.tool = Value::from(entry.map_or(tool.as_str(), |entry| entry.name()));
        let entry = entry.ok_or_else(|| unknown_tool(registry, &tool))?;
        let side_effect = entry.def().behavior.side_effect;
        Ok(Asked::Call(Call::new(tool, args), side_effect))
    }
}

/// What a dry run tells of a line.
fn planned(program: &str, registry: &Registry, plan: Plan, yes: bool) -> Result<Value, ToolError> {
    let tree = Tree::new(registry);
    let command = registry.get(&plan.tool).and_then(|entry| tree.of(entry));
    let Some(command) = command else { return Err(unknown_tool(registry, &plan.tool)) };
    let def = command.entry.def();
    let table = Table::new(def, &schema::canonical(def)?);
    Ok(answer::planned(program, &command.words(), &table, plan, yes))
}

/// The result of the first call that runs; a panic outside the tool is a bug of ours.
async fn front(running: &mut VecDeque<Running>) -> ToolResult {
    match running.front_mut() {
        Some(first) => (&mut first.result)
            .await
            .unwrap_or_else(|error| Err(ToolError::internal("The call stopped unexpectedly.").source(error))),
        None => std::future::pending().await,
    }
}

/// Reads lines on a thread of its own, at most `ahead` before they are asked for.
fn read_ahead(input: Box<dyn Read + Send>, ahead: usize) -> mpsc::Receiver<Line> {
    let (sender, receiver) = mpsc::channel(ahead.max(1));
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        let mut number = 0;
        while let Ok(Some(text)) = next_line(&mut input) {
            number += 1;
            if sender.blocking_send(Line { number, text }).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The next line without its end; `Some(None)` for one that is too long.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Option<Vec<u8>>>> {
    let mut line = Vec::new();
    let most = MAX_ARGS_BYTES as u64 + 1;
    if input.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() > MAX_ARGS_BYTES && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        return Ok(Some(None));
    }
    if line.ends_with(b"\n") {
        line.pop();
    }
    Ok(Some(Some(line)))
}
