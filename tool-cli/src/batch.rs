//! `call --jsonl`: one call a line, one answer a line, in the same order, each flushed at once.
//!
//! Only reads overlap; a side effect waits for all before it, and all behind it wait. Nobody is asked.

mod frame;
mod lines;
mod warnings;

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::time::Instant;

use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tool_core::def::Surface;
use tool_core::{
    Call, Caller, Executor, Plan, Registry, ToolContext, ToolError, ToolOutput, ToolResult, envelope,
};

pub(crate) use self::lines::open;
pub(crate) use self::warnings::Warnings;

use self::frame::Frame;
use self::lines::{Broken, Line, read_ahead};

use crate::builtin::call::unknown_tool;
use crate::exit::ExitCode;
use crate::fault::Fault;
use crate::flags::Table;
use crate::format::Format;
use crate::globals::{AllGiven, Global};
use crate::out;
use crate::schema;
use crate::settings::Settings;
use crate::settled::Settled;
use crate::tree::Tree;
use crate::visible::visible;
use crate::{answer, refused};

/// Calls from JSON Lines.
pub(crate) struct Batch {
    /// The program's name.
    pub(crate) program: String,
    pub(crate) executor: Executor,
    pub(crate) ctx: ToolContext,
    pub(crate) settings: Settings,
    /// What was named as the input, and the input.
    pub(crate) jsonl: String,
    pub(crate) input: Box<dyn Read + Send>,
    /// How many reads may run at once.
    pub(crate) jobs: usize,
    pub(crate) cancel: CancellationToken,
    /// Whether standard output is a terminal.
    pub(crate) terminal: bool,
    /// Where a person is warned, if that is wanted.
    pub(crate) warnings: Option<Warnings>,
}

/// What keeps results from any other form.
const LINES: &str = "the output is one JSON line for each call";

/// Global options that make no sense for many calls, with the reason.
const REFUSED: [(&[Global], &str); 4] = [
    (&[Global::Envelope, Global::Out, Global::Json], LINES),
    (&[Global::Input], "the arguments of a call stand in its line, as \"args\""),
    (&[Global::IdempotencyKey], "one key would make one call of many"),
    (&[Global::Schema], "a schema is that of one tool; ask for it with the tool's own command"),
];

/// The faults of global options that make no sense for many answers.
pub(crate) fn refused(given: &AllGiven, settings: &Settings) -> Vec<Fault> {
    let format = settings.format.is_some_and(|format| format != Format::Jsonl);
    let format: &[Global] = if format { &[Global::Format] } else { &[] };
    let rows = REFUSED.into_iter().chain([(format, LINES)]);
    rows.flat_map(|(options, because)| refused::refused(given, options, because)).collect()
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
    /// A call of a tool that the command line does not have, with how that is told.
    Nobody(Call, ToolError),
    /// Nothing that can be called.
    Wrong(ToolError),
}

impl Batch {
    /// Answers every line.
    ///
    /// # Errors
    /// `failed`, code `output_write`, when an answer cannot be written although somebody reads, and `input_read`, when a line
    /// cannot be read; `invalid_args` when none can.
    pub(crate) async fn run(self, stdout: &mut (dyn Write + Send)) -> Result<ExitCode, Settled> {
        let Batch { input, jobs, jsonl, .. } = self;
        let mut lines = read_ahead(input, 2 * jobs, self.settings.max_args_bytes());
        let batch = Answers {
            program: self.program,
            executor: self.executor,
            ctx: self.ctx,
            settings: self.settings,
            stdout,
            terminal: self.terminal,
            warnings: self.warnings,
            failed: false,
            broken: None,
        };
        batch.run(&mut lines, jobs, &self.cancel, &jsonl).await
    }
}

/// The answers as they are written.
struct Answers<'w> {
    program: String,
    executor: Executor,
    ctx: ToolContext,
    settings: Settings,
    stdout: &'w mut (dyn Write + Send),
    terminal: bool,
    warnings: Option<Warnings>,
    failed: bool,
    broken: Option<Broken>,
}

/// Why no more answers can be written.
struct Unwritten(io::ErrorKind);

impl Answers<'_> {
    async fn run(
        mut self,
        lines: &mut mpsc::Receiver<Result<Line, Broken>>,
        jobs: usize,
        cancel: &CancellationToken,
        jsonl: &str,
    ) -> Result<ExitCode, Settled> {
        let answered = self.answer_all(lines, jobs, cancel).await;
        Ok(match (answered, self.broken) {
            (Err(Unwritten(io::ErrorKind::BrokenPipe)), _) => ExitCode::SUCCESS,
            (Err(Unwritten(kind)), _) => return Err(Settled::plain(out::unwritten(&kind.into()))),
            // Waiting for input ends with an error then.
            (Ok(()), _) if cancel.is_cancelled() => tool_core::ErrorKind::Cancelled.into(),
            (Ok(()), Some(broken)) => return Err(broken.settled(jsonl)),
            (Ok(()), None) if self.failed => ExitCode::FAILURE,
            (Ok(()), None) => ExitCode::SUCCESS,
        })
    }

    async fn answer_all(
        &mut self,
        lines: &mut mpsc::Receiver<Result<Line, Broken>>,
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
                    Some(Ok(line)) => self.start(line, &mut running).await?,
                    Some(Err(broken)) => (open, self.broken) = (false, Some(broken)),
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
            Asked::Nobody(call, error) => {
                let result = self.spawn_refused(call, error);
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
        let (executor, ctx) = (self.executor.clone(), self.timed());
        let (dry_run, yes, program) = (self.settings.dry_run, self.settings.yes, self.program.clone());
        tokio::spawn(async move {
            if dry_run {
                let plan = executor.plan(call, &ctx, Caller::Cli).await?;
                return planned(&program, executor.registry(), plan, yes).map(ToolOutput::structured);
            }
            executor.call(call, &ctx, Caller::Cli).await
        })
    }

    /// Refuses a call of no tool. The executor refuses it, too, so that it is recorded as any other; one that the executor knows
    /// is not of the command line, and must not run.
    fn spawn_refused(&self, call: Call, error: ToolError) -> JoinHandle<ToolResult> {
        let (executor, ctx) = (self.executor.clone(), self.timed());
        let is_recorded = !self.settings.dry_run && executor.registry().get(&call.tool).is_none();
        tokio::spawn(async move {
            if is_recorded {
                let _ = executor.call(call, &ctx, Caller::Cli).await;
            }
            Err(error)
        })
    }

    /// The context of a line that begins now: a call that takes too long ends as it does alone.
    fn timed(&self) -> ToolContext {
        match self.settings.timeout {
            Some(limit) => self.ctx.to_builder().deadline(Instant::now() + limit).build(),
            None => self.ctx.clone(),
        }
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
        let result = result.map(|output| self.selected(output, head.line));
        let mut line = Map::from_iter([("id".to_owned(), head.id), ("line".to_owned(), head.line.into())]);
        if let Value::Object(outcome) = envelope("", &result) {
            line.extend(outcome);
        }
        line.insert("tool".to_owned(), head.tool);
        let text = format!("{}\n", Value::Object(line));
        let text = if self.terminal { visible(&text) } else { text };
        let written = self.stdout.write_all(text.as_bytes()).and_then(|()| self.stdout.flush());
        written.map_err(|error| Unwritten(error.kind()))
    }

    fn selected(&mut self, mut output: ToolOutput, line: usize) -> ToolOutput {
        let Some(selection) = &self.settings.select else { return output };
        let told = selection.keep(&mut output);
        if let Some(warnings) = &mut self.warnings {
            told.iter().for_each(|warning| warnings.tell(line, warning));
        }
        output
    }

    // ---- lines -------------------------------------------------------------------------------------------------------

    fn read(&self, line: Line) -> (Head, Asked) {
        let Frame { id, tool, args } = Frame::read(line.text, line.number, self.settings.max_args_bytes());
        let mut head = Head { id, line: line.number, tool };
        let asked = args.and_then(|args| self.asked(args, &mut head));
        (head, asked.unwrap_or_else(Asked::Wrong))
    }

    fn asked(&self, args: Value, head: &mut Head) -> Result<Asked, ToolError> {
        let tool = head.tool.as_str().unwrap_or_default().to_owned();
        let registry = self.executor.registry();
        let entry = registry.get(&tool).filter(|entry| entry.def().surfaces.contains(Surface::Cli));
        head.tool = Value::from(entry.map_or(tool.as_str(), |entry| entry.name()));
        let Some(entry) = entry else {
            let error = unknown_tool(&self.program, registry, &tool);
            return Ok(Asked::Nobody(Call::new(tool, args), error));
        };
        let side_effect = entry.def().behavior.side_effect;
        Ok(Asked::Call(Call::new(tool, args), side_effect))
    }
}

/// What a dry run tells of a line.
fn planned(program: &str, registry: &Registry, plan: Plan, yes: bool) -> Result<Value, ToolError> {
    let tree = Tree::new(registry);
    let command = registry.get(&plan.tool).and_then(|entry| tree.of(entry));
    let Some(command) = command else { return Err(unknown_tool(program, registry, &plan.tool)) };
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
