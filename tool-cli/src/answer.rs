//! What a run writes: results, errors and pages, each to its stream.

use std::borrow::Cow;
use std::io::{self, Write as _};

use serde_json::{Value, json};
use tool_core::{Caller, Content, ErrorKind, Plan, Registry, ToolError, ToolOutput, ToolResult};

use crate::approve::hide_secrets;
use crate::exit::ExitCode;
use crate::flags::Table;
use crate::format::{self, Format, Rendered, Target};
use crate::help::{self, Detail, Page};
use crate::live::{Live, Told};
use crate::people::{self, Scene};
use crate::quote::quote;
use crate::session::{Next, Ready, Session, Stage, Waiting};
use crate::settings::Settings;
use crate::settled::Settled;
use crate::style::Style;
use crate::visible::visible;
use crate::{binary, builtin, command_line, out, program, size};

impl Session<'_> {
    // ---- results -----------------------------------------------------------------------------------------------------

    /// Waits for what is no single call.
    pub(crate) async fn wait(&mut self, waiting: Waiting) -> ExitCode {
        match waiting {
            Waiting::Plan(mut ready) => {
                let call = std::mem::take(&mut ready.call);
                let plan = ready.executor.plan(call, &ready.ctx, Caller::Cli).await;
                let result = plan.map(|plan| {
                    let tool = ready.stage.told().unwrap_or_default();
                    ToolOutput::structured(self.planned(&ready, Plan { tool, ..plan }))
                });
                self.finish(&ready, result)
            }
            Waiting::Batch(batch, stage) => match batch.run(&mut *self.io.stdout).await {
                Ok(code) => code,
                Err(settled) => self.report(&settled, &stage),
            },
        }
    }

    /// What a dry run tells.
    fn planned(&self, ready: &Ready, plan: Plan) -> Value {
        let stage = &ready.stage;
        let words = stage.command.as_deref().unwrap_or_default();
        let settings = stage.settings.as_ref();
        let yes = settings.is_some_and(|settings| settings.yes);
        let mut planned = planned(&self.cli.name, words, &stage.table, plan, yes);
        // Where it writes files is no argument of the command, but without it the command prints them.
        let directory = settings.and_then(|settings| settings.directory.as_deref());
        if let (Some(directory), Some(Value::String(command))) = (directory, planned.get_mut("command")) {
            let typed = directory.strip_prefix(&self.io.cwd).unwrap_or(directory);
            command.push_str(&format!(" --out {}", quote(&typed.to_string_lossy())));
        }
        planned
    }

    /// Everything after the call.
    pub(crate) fn finish(&mut self, ready: &Ready, result: ToolResult) -> ExitCode {
        let told = ready.live.as_ref().and_then(Live::end);
        if let Some(progress) = &ready.progress {
            progress.end();
        }
        let shown = told.is_some();
        let result = match told {
            Some(Told { lost: Some(lost), .. }) => match self.cut_off(result, &lost) {
                Some(error) => Err(error),
                None => return ExitCode::SUCCESS,
            },
            Some(told) => {
                if !told.ended {
                    self.print("\n");
                }
                self.note_skipped(&told, &ready.stage);
                match result {
                    Ok(output) if told.items > 0 && output.trailer.is_some() => {
                        return self.seen(output, &ready.stage);
                    }
                    result => result.map(rest),
                }
            }
            None => result,
        };
        match &result {
            Ok(_) => tracing::info!(target: "toolbox::cli", tool = ready.stage.tool, "succeeded"),
            Err(error) => {
                tracing::info!(target: "toolbox::cli", tool = ready.stage.tool, code = error.code_str(), "failed");
            }
        }
        match result {
            Ok(output) => self.show(output, &ready.stage),
            Err(error) => {
                let settled = Settled::of_call(error, &ready.stage.table, &ready.gathered);
                self.report(&Settled { shown, ..settled }, &ready.stage)
            }
        }
    }

    /// What is told of a list whose elements have all been shown as they came.
    fn seen(&mut self, mut output: ToolOutput, stage: &Stage) -> ExitCode {
        tracing::info!(target: "toolbox::cli", tool = stage.tool, "succeeded");
        let settings = stage.settings.as_ref().filter(|settings| !settings.quiet);
        // A list that is too long for other surfaces was not for this one.
        let select = settings.and_then(|settings| settings.select.as_ref());
        if let (Some(select), Some(settings), true) = (select, settings, output.structured.is_some()) {
            let warnings = select.keep(&mut output);
            self.warn(settings, warnings.iter());
        }
        ExitCode::SUCCESS
    }

    /// What is told of a call whose output could not be shown any more, for which it was cancelled: nothing, where the reader
    /// went away, unless the call failed by itself.
    fn cut_off(&self, result: ToolResult, lost: &io::Error) -> Option<ToolError> {
        let went_away = lost.kind() == io::ErrorKind::BrokenPipe;
        match result {
            Err(error) if error.kind() != ErrorKind::Cancelled || self.io.cancel.is_cancelled() => {
                Some(error)
            }
            _ if went_away => None,
            Ok(_) => Some(out::unwritten(lost)),
            Err(_) => Some(out::cut_off(lost)),
        }
    }

    /// Tells how much of the output that came was not shown.
    fn note_skipped(&mut self, told: &Told, stage: &Stage) {
        let quiet = stage.settings.as_ref().is_some_and(|settings| settings.quiet);
        if told.skipped > 0 && !quiet {
            self.complain(&format!("{} bytes not shown; -o json shows all\n", told.skipped));
        }
    }

    pub(crate) fn show_value(&mut self, value: Value, stage: &Stage) -> ExitCode {
        self.show(ToolOutput::structured(value), stage)
    }

    /// Writes a result.
    fn show(&mut self, mut output: ToolOutput, stage: &Stage) -> ExitCode {
        let Some(settings) = stage.settings.as_ref() else { return ExitCode::SUCCESS };
        let own = stage.builtin && stage.tool.as_deref().is_some_and(builtin::owns_output);
        if own && !settings.dry_run {
            return ExitCode::SUCCESS;
        }
        let schema = (stage.shows_schema && !settings.is_format_an_option()).then(|| settings.as_json());
        let settings = schema.as_ref().unwrap_or(settings);
        let warnings = output.meta.get(builtin::WARNINGS).filter(|_| stage.builtin).and_then(Value::as_array);
        let warnings: Vec<String> =
            warnings.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        self.warn(settings, warnings.iter());
        let selection = settings.select.as_ref();
        let mut notes = selection.map(|selection| selection.keep(&mut output)).unwrap_or_default();
        notes.iter_mut().for_each(|note| note.insert_str(0, "warning: "));
        let target = Target { terminal: self.io.tty.stdout.then(|| self.columns()) };
        let written = match &settings.out {
            Some(path) => out::write(&mut output, path, &self.io.cwd, stage.told().as_deref(), settings),
            None => Ok(out::Kept::All(Vec::new())),
        };
        let rendered = match written {
            Err(error) => return self.report(&Settled::plain(error), stage),
            Ok(out::Kept::Nothing(note)) => Rendered { bytes: Vec::new(), notes: vec![note] },
            Ok(out::Kept::All(told)) => {
                let mut rendered = self.rendered(&output, settings, target, stage.told().as_deref());
                rendered.notes.extend(told);
                rendered
            }
        };
        notes.extend(rendered.notes);
        notes.extend(cut(&output));
        let code = self.print_bytes(&rendered.bytes, stage);
        if !settings.quiet {
            let lines: String = notes.iter().map(|note| format!("{note}\n")).collect();
            let lines = self.safe(&lines).into_owned();
            self.complain(&lines);
        }
        let decided = output.meta.get(builtin::EXIT).filter(|_| stage.builtin).and_then(Value::as_u64);
        match decided.and_then(|status| u8::try_from(status).ok()) {
            Some(status) if code == ExitCode::SUCCESS => ExitCode(status),
            _ => code,
        }
    }

    fn rendered(
        &self,
        output: &ToolOutput,
        settings: &Settings,
        target: Target,
        tool: Option<&str>,
    ) -> Rendered {
        if settings.envelope {
            let value = program::outcome(tool, &Ok(output.clone()));
            let text = program::render(&value, settings.format, target.terminal.is_some());
            return Rendered::text(&text, target);
        }
        if let (None, None, Some(bytes)) = (settings.format, target.terminal, binary::only(output)) {
            return Rendered { bytes, notes: Vec::new() };
        }
        let format = settings.format.unwrap_or_else(|| Format::of(output, target.terminal.is_some()));
        format::render(output, format, target)
    }

    // ---- errors ------------------------------------------------------------------------------------------------------

    /// Writes an error in the form that was asked for.
    pub(crate) fn report(&mut self, settled: &Settled, stage: &Stage) -> ExitCode {
        let settings = stage.settings.as_ref();
        let code = settled.error.kind().into();
        if let Some(settings) = settings.filter(|settings| settings.is_structured()) {
            return self.report_to_program(&settled.error, settings, stage);
        }
        let argv: Vec<String> = self.argv.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let scene = Scene {
            program: &self.cli.name,
            argv: &argv,
            command: stage.command.as_deref(),
            table: &stage.table,
            verbose: settings.is_some_and(|settings| settings.verbose > 0),
            terminal: self.io.tty.stderr,
            style: Style::of(settings.map_or_else(Default::default, |settings| settings.color), &self.io),
        };
        let text = people::render(settled, &scene);
        self.complain(&text);
        code
    }

    /// The failure form: in an envelope on standard output, else one line on standard error.
    fn report_to_program(&mut self, error: &ToolError, settings: &Settings, stage: &Stage) -> ExitCode {
        let form = |error: &ToolError| json!({"ok": false, "tool": stage.told(), "error": error.to_json()});
        if settings.envelope {
            let text = program::render(&form(error), settings.format, self.io.tty.stdout);
            let text = if self.io.tty.stdout { visible(&text) } else { text };
            let unwritten = match self.write(text.as_bytes()) {
                Err(unwritten) if unwritten.kind() != io::ErrorKind::BrokenPipe => unwritten,
                _ => return error.kind().into(),
            };
            let lost = (error.code_str() != out::UNWRITTEN).then(|| out::untold(error, &unwritten));
            let line = format!("{}\n", form(lost.as_ref().unwrap_or(error)));
            self.complain(&self.safe(&line));
            return ExitCode::FAILURE;
        }
        let line = format!("{}\n", form(error));
        self.complain(&self.safe(&line));
        error.kind().into()
    }

    pub(crate) fn warn<'w>(&mut self, settings: &Settings, warnings: impl Iterator<Item = &'w String>) {
        if settings.quiet {
            return;
        }
        let style = Style::of(settings.color, &self.io);
        let head = style.warning("warning");
        let lines: String = warnings.map(|warning| format!("{head}: {}\n", self.safe(warning))).collect();
        self.complain(&lines);
    }

    // ---- streams -----------------------------------------------------------------------------------------------------

    pub(crate) fn columns(&self) -> usize {
        self.io.width.map_or(help::HELP_WIDTH.0, usize::from)
    }

    /// Prints a page, which may tell what others wrote.
    pub(crate) fn print(&mut self, text: &str) -> ExitCode {
        let text = if self.io.tty.stdout { Cow::Owned(visible(text)) } else { Cow::Borrowed(text) };
        self.print_bytes(text.as_bytes(), &Stage::default())
    }

    /// Writes to standard output. A reader that went away is no error.
    pub(crate) fn print_bytes(&mut self, bytes: &[u8], stage: &Stage) -> ExitCode {
        match self.write(bytes) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(error) if stage.is_page() => self.report(&Settled::plain(out::unprinted(&error)), stage),
            Err(error) => self.report(&Settled::plain(out::unwritten(&error)), stage),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.io.stdout.write_all(bytes).and_then(|()| self.io.stdout.flush())
    }

    /// A text that may tell what others wrote, as standard error gets it.
    pub(crate) fn safe<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.io.tty.stderr { Cow::Owned(visible(text)) } else { Cow::Borrowed(text) }
    }

    /// Writes to standard error; there is nobody left to tell when that fails.
    pub(crate) fn complain(&mut self, text: &str) {
        let _ = self.io.stderr.write_all(text.as_bytes()).and_then(|()| self.io.stderr.flush());
    }

    // ---- pages -------------------------------------------------------------------------------------------------------

    pub(crate) fn page(
        &mut self,
        detail: Detail,
        registry: &Registry,
        make: impl FnOnce(Page<'_>) -> String,
    ) -> Next {
        let text = self.page_text(detail, registry, make);
        Next::Done(self.print(&text))
    }

    /// The short help on standard error, for a command line that names no command.
    pub(crate) fn short_help(&mut self, registry: &Registry, make: impl FnOnce(Page<'_>) -> String) -> Next {
        let text = self.page_text(Detail::Short, registry, make);
        let text = self.safe(&text).into_owned();
        self.complain(&text);
        Next::Done(ErrorKind::InvalidArgs.into())
    }

    fn page_text(
        &self,
        detail: Detail,
        registry: &Registry,
        make: impl FnOnce(Page<'_>) -> String,
    ) -> String {
        let prefix = self.cli.prefix();
        let width = self.io.width.map_or(help::HELP_WIDTH.0, usize::from);
        make(Page {
            program: &self.cli.name,
            about: &self.cli.about,
            prefix: &prefix,
            width,
            detail,
            groups: &self.cli.groups,
            missing: &self.missing_secrets(registry, None),
        })
    }
}

/// What is left of a result whose output has been shown as it came.
fn rest(output: ToolOutput) -> ToolOutput {
    match &output.trailer {
        Some(trailer) => ToolOutput { content: vec![Content::text(trailer)], ..output },
        None => output,
    }
}

/// The note of what was left out of a result (calls.md, `meta.truncated`).
fn cut(output: &ToolOutput) -> Option<String> {
    let truncated = output.meta.get("truncated")?;
    let number = |key| truncated.get(key).and_then(Value::as_u64);
    Some(format!("result cut: {}", size::part(number("bytes")?, number("total")?)))
}

/// What a dry run tells of a call: its normal form, whether somebody would be asked, and the command line that makes it.
pub(crate) fn planned(program: &str, command: &[String], table: &Table, plan: Plan, yes: bool) -> Value {
    let object = plan.args.as_object().cloned().unwrap_or_default();
    let line = [vec![program.to_owned()], command.to_vec(), command_line::words(table, &object)].concat();
    let line: Vec<String> = line.iter().map(|word| quote(word)).collect();
    json!({
        "dry_run": true,
        "tool": plan.tool,
        "args": hide_secrets(plan.args, table),
        "decision": if plan.asks && !yes { "ask" } else { "run" },
        "command": line.join(" "),
    })
}
