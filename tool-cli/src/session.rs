//! One run of the program: from its words to a call, and from the result to its exit.
//!
//! Everything but the call itself is synchronous, so that [`crate::Cli::run_from`] and its twin inside a runtime differ only in
//! how they wait.

mod indirect;
mod surroundings;

use std::ffi::OsString;
use std::io;

use clap_lex::RawArgs;
use tool_core::{Call, Coerce, Executor, IssueCode, Registry, ToolContext, ToolEntry, ToolError};

use crate::batch::Batch;
use crate::builtin;
use crate::clash;
use crate::cli::Cli;
use crate::exit::ExitCode;
use crate::fault::{Fault, text};
use crate::flags::Table;
use crate::gather::{Gathered, Words, gather};
use crate::globals::Global;
use crate::help::Page;
use crate::io::Io;
use crate::lex::{Lexed, Lexer};
use crate::live::Live;
use crate::llms;
use crate::progress::{Running, Shared};
use crate::route::{self, Route};
use crate::schema;
use crate::select::no_such_part;
use crate::settings::{Settings, Source};
use crate::settled::Settled;
use crate::sources::Sources;
use crate::tree::{Command, Tree};

/// How a run goes on.
pub(crate) enum Next {
    /// It is over.
    Done(ExitCode),
    /// A tool is to be called.
    Call(Box<Ready>),
    /// Something else takes its time.
    Waiting(Box<Waiting>),
}

/// What takes its time and is no single call.
pub(crate) enum Waiting {
    /// A dry run.
    Plan(Box<Ready>),
    /// Calls from JSON Lines.
    Batch(Box<Batch>, Box<Stage>),
}

/// A call that can be made, with all that its result needs.
pub(crate) struct Ready {
    pub(crate) executor: Executor,
    pub(crate) call: Call,
    pub(crate) ctx: ToolContext,
    pub(crate) stage: Stage,
    pub(crate) gathered: Gathered,
    pub(crate) progress: Option<Running>,
    pub(crate) live: Option<Live>,
}

/// Where an error happened: what was reached before it.
#[derive(Default)]
pub(crate) struct Stage {
    pub(crate) settings: Option<Settings>,
    pub(crate) tool: Option<String>,
    pub(crate) command: Option<Vec<String>>,
    pub(crate) table: Table,
    /// Whether it is one of the commands that every program has.
    pub(crate) builtin: bool,
    /// Whether a schema is shown, whose form is the target's own unless an option asks for another.
    pub(crate) shows_schema: bool,
}

impl Stage {
    /// What envelopes and errors call the tool: a command that every program has goes by its words.
    pub(crate) fn told(&self) -> Option<String> {
        let words = self.command.as_ref().filter(|_| self.builtin).map(|words| words.join(" "));
        words.or_else(|| self.tool.clone())
    }

    /// Whether a page is printed, and no result of a call.
    pub(crate) fn is_page(&self) -> bool {
        match self.tool.as_deref() {
            Some(tool) => self.builtin && builtin::is_page(tool),
            None => true,
        }
    }
}

/// Why a run ends before a call.
struct Refusal {
    settled: Settled,
    stage: Stage,
}

impl Refusal {
    fn at(settled: Settled, stage: Stage) -> Box<Refusal> {
        Box::new(Refusal { settled, stage })
    }
}

impl From<Settled> for Box<Refusal> {
    fn from(settled: Settled) -> Self {
        Refusal::at(settled, Stage::default())
    }
}

impl From<ToolError> for Box<Refusal> {
    fn from(error: ToolError) -> Self {
        Settled::plain(error).into()
    }
}

/// One run.
pub(crate) struct Session<'c> {
    pub(crate) cli: &'c Cli,
    pub(crate) argv: Vec<OsString>,
    pub(crate) io: Io,
    /// Standard output, where the output of a tool may come while it runs.
    pub(crate) stdout: Shared,
    /// Standard error, where progress may be drawn while a call runs.
    pub(crate) stderr: Shared,
}

impl<'c> Session<'c> {
    pub(crate) fn new(cli: &'c Cli, argv: impl IntoIterator<Item: Into<OsString>>, mut io: Io) -> Self {
        let stdout = Shared::new(std::mem::replace(&mut io.stdout, Box::new(io::sink())));
        io.stdout = Box::new(stdout.clone());
        let stderr = Shared::new(std::mem::replace(&mut io.stderr, Box::new(io::sink())));
        io.stderr = Box::new(stderr.clone());
        Session { cli, argv: argv.into_iter().map(Into::into).collect(), io, stdout, stderr }
    }

    /// Everything up to the call.
    pub(crate) fn prepare(&mut self) -> Next {
        match self.read() {
            Ok(next) => next,
            Err(refusal) => Next::Done(self.report(&refusal.settled, &refusal.stage)),
        }
    }

    /// Ends a run with an error that is not about its words, which say in which form to report it.
    pub(crate) fn refuse(&mut self, error: ToolError) -> ExitCode {
        let (raw, none) = (RawArgs::new(self.argv.iter()), Table::default());
        let refusal = self.early(Lexer::new(&raw, &none), Settled::plain(error));
        self.report(&refusal.settled, &refusal.stage)
    }

    fn read(&mut self) -> Result<Next, Box<Refusal>> {
        let raw = RawArgs::new(self.argv.iter());
        let none = Table::default();
        let mut lexer = Lexer::new(&raw, &none);
        if route::wants_version(&self.argv) {
            let line = format!("{} {}", self.cli.name, self.cli.version);
            return Ok(Next::Done(self.print(&format!("{}\n", line.trim_end()))));
        }
        let registry = match self.cli.tools().and_then(clash::unclashing) {
            Ok(registry) => registry,
            Err(error) => return Err(self.early(lexer, Settled::plain(error))),
        };
        #[cfg(feature = "dynamic-completion")]
        if let Some(completion) = self.dynamic_completion(&registry)? {
            return Ok(Next::Done(self.print_bytes(&completion, &Stage::default())));
        }
        let builtins = match builtin::registry_with(&self.cli.commands) {
            Ok(builtins) => builtins,
            Err(error) => return Err(self.early(lexer, Settled::plain(error))),
        };
        let (tree, own) = (Tree::new(&registry), Tree::new(&builtins));
        let route = route::route(&mut lexer, &self.cli.name, &tree, &own);
        let help = lexer.help();
        if help.is_none() && lexer.so_far().globals.has(Global::Llms) {
            let page = llms::page(&self.cli.name, &self.cli.about, &self.cli.groups, &tree);
            return Ok(Next::Done(self.print(&page)));
        }
        match route {
            Route::Tool(command) => self.tool(lexer, command, &registry, None),
            Route::Builtin(command) if command.entry.name() == "call" => self.call(lexer, command, &registry),
            Route::Builtin(command) => self.tool(lexer, command, &builtins, Some(&registry)),
            Route::Root => self.overview(lexer, &registry, |page| page.root(&tree, &own)),
            Route::Group(tree, group) => self.overview(lexer, &registry, |page| page.group(tree, group)),
            Route::Unknown(error) => Err(self.early(lexer, Settled::plain(error))),
            Route::Fault(fault) => Err(self.early(lexer, Settled::of_faults(vec![*fault]))),
        }
    }

    /// The settings of the run, and what is wrong with their words.
    fn settings(&mut self, lexed: &Lexed) -> (Settings, Vec<Fault>) {
        let (settings, faults) = self.cli.settings(&lexed.globals, &self.io);
        if let Some(settled) = self.io.settled.take() {
            settled(&settings);
        }
        (settings, faults)
    }

    /// The page of the program or a group: the help that was asked for, else the short one on standard error, unless an option
    /// is wrong.
    fn overview(
        &mut self,
        lexer: Lexer<'_>,
        registry: &Registry,
        make: impl FnOnce(Page<'_>) -> String,
    ) -> Result<Next, Box<Refusal>> {
        if let Some(detail) = lexer.help() {
            return Ok(self.page(detail, registry, make));
        }
        let (settings, faults) = self.settings(&lexer.finish());
        if faults.is_empty() {
            return Ok(self.short_help(registry, make));
        }
        Err(Refusal::at(Settled::of_faults(faults), Stage { settings: Some(settings), ..Stage::default() }))
    }

    /// An error before any tool was reached; the words behind it still say in which form to report it.
    fn early(&mut self, lexer: Lexer<'_>, settled: Settled) -> Box<Refusal> {
        let none = Table::default();
        let mut lexer = lexer;
        lexer.enter(&none);
        let lexed = lexer.finish();
        let settings = self.settings(&lexed).0;
        Refusal::at(settled, Stage { settings: Some(settings), ..Stage::default() })
    }

    /// The call of one tool. `about` is the registry that a built-in command tells of.
    fn tool(
        &mut self,
        lexer: Lexer<'_>,
        command: &Command<'_>,
        registry: &Registry,
        about: Option<&Registry>,
    ) -> Result<Next, Box<Refusal>> {
        let def = command.entry.def();
        let table = Table::new(def, &schema::canonical(def)?);
        let mut lexer = lexer;
        lexer.enter(&table);
        let lexed = lexer.finish();
        if let Some(detail) = lexed.help() {
            return Ok(self.page(detail, registry, |page| page.tool(&command.words(), def, &table)));
        }
        let (mut settings, mut faults) = self.settings(&lexed);
        if about.is_some() && builtin::writes_files(command.entry.name()) {
            settings.directory = settings.out.take().map(|path| self.io.cwd.join(path));
        }
        if about.is_some() && builtin::is_page(command.entry.name()) {
            settings.ask_by_options_alone();
        }
        let tolerant = about.is_some() && builtin::needs_no_settings(command.entry.name());
        if tolerant {
            // What no word of the command line says wrongly keeps these from nothing.
            (faults, settings.misread) = faults.into_iter().partition(|fault| !fault.words.is_empty());
        }
        let stage = Stage {
            settings: Some(settings.clone()),
            tool: Some(command.entry.name().to_owned()),
            command: Some(command.words()),
            table,
            builtin: about.is_some(),
            shows_schema: lexed.globals.has(Global::Schema)
                || (about.is_some() && builtin::shows_schemas(command.entry.name()) && !settings.dry_run),
        };
        if lexed.globals.has(Global::Schema) {
            return match settings.schema.filter(|_| faults.is_empty()) {
                Some(target) => {
                    let (shown, lost) = target.of_one(command.entry)?;
                    let lost: Vec<String> = lost.iter().map(ToString::to_string).collect();
                    self.warn(&settings, lost.iter());
                    Ok(Next::Done(self.show_value(shown, &stage)))
                }
                None => Err(Refusal::at(Settled::of_faults(faults), stage)),
            };
        }
        faults.extend(no_such_part(&settings, &lexed, def));
        if about.is_some() {
            faults.extend(builtin::refused(command.entry.name(), &lexed.globals));
        }
        if !tolerant && let Err(error) = usable(&settings, &lexed, &mut faults) {
            return Err(Refusal::at(Settled::plain(error), stage));
        }
        let prepared = self.ready(lexed, faults, command.entry, registry, about, stage)?;
        Ok(if settings.dry_run {
            Next::Waiting(Box::new(Waiting::Plan(Box::new(prepared))))
        } else {
            Next::Call(Box::new(prepared))
        })
    }

    fn ready(
        &mut self,
        mut lexed: Lexed,
        faults: Vec<Fault>,
        entry: &ToolEntry,
        registry: &Registry,
        about: Option<&Registry>,
        stage: Stage,
    ) -> Result<Ready, Box<Refusal>> {
        let Some(settings) = &stage.settings else {
            return Err(ToolError::internal("No settings were read.").into());
        };
        let faults = [std::mem::take(&mut lexed.faults), faults].concat();
        let warnings = self.deprecations(&lexed, entry, &stage);
        let mut gathered = self.gathered(&lexed, faults, &stage.table, settings);
        if self.io.cancel.is_cancelled() {
            // Reading standard input was interrupted: what was read says nothing about the arguments.
            let error = ToolError::cancelled("The call was cancelled.");
            return Err(Refusal::at(Settled::plain(error), stage));
        }
        self.warn(settings, warnings.iter().chain(&gathered.warnings));
        let call = Call {
            tool: entry.name().to_owned(),
            args: std::mem::take(&mut gathered.args),
            issues: gathered.faults.iter().map(|fault| fault.issue.clone()).collect(),
            call_id: None,
            idempotency_key: settings.idempotency_key.clone(),
            coerce: is_of_words(&lexed).then_some(Coerce::Text),
        };
        let progress = self.progress(settings, &stage);
        let shown = progress.as_ref().map(Running::progress);
        let live = self.live(settings, entry.def(), shown);
        let made = self.environment(settings, &stage, shown, live.clone(), registry, about);
        let (executor, ctx) = match made {
            Ok(made) => made,
            Err(error) => return Err(Refusal::at(Settled::plain(error), stage)),
        };
        Ok(Ready { executor, call, ctx, stage, gathered, progress, live })
    }

    fn gathered(
        &mut self,
        lexed: &Lexed,
        faults: Vec<Fault>,
        table: &Table,
        settings: &Settings,
    ) -> Gathered {
        let words = Words {
            table,
            given: &lexed.given,
            unknown: &lexed.unknown,
            input: lexed.globals.last(Global::Input),
            env: &self.io.env,
        };
        let mut sources = Sources {
            stdin: &mut *self.io.stdin,
            stdin_is_terminal: self.io.tty.stdin,
            // A dry run asks nothing.
            no_input: settings.no_input || settings.dry_run,
            terminal: self.io.terminal.as_deref_mut(),
            notes: if settings.quiet { None } else { Some(&mut *self.io.stderr) },
            cwd: &self.io.cwd,
            limit: settings.max_args_bytes(),
        };
        gather(&words, faults, &mut sources)
    }

    fn deprecations(&self, lexed: &Lexed, entry: &ToolEntry, stage: &Stage) -> Vec<String> {
        let tool = entry.def().deprecated.map(|instead| {
            let words = stage.command.as_deref().unwrap_or_default().join(" ");
            format!("'{} {words}' is deprecated: {instead}", self.cli.name)
        });
        let options = lexed.given.iter().filter_map(|given| {
            let instead = stage.table.params.get(given.param)?.deprecated.as_ref()?;
            Some(format!("{} is deprecated: {instead}", given.flag))
        });
        tool.into_iter().chain(options).collect()
    }
}

/// Whether arguments are words of the command line, which are texts whatever they mean. An object that stands alone means what
/// it says, as on every other surface.
fn is_of_words(lexed: &Lexed) -> bool {
    lexed.globals.last(Global::Input).is_none() || !lexed.given.is_empty()
}

/// Whether the settings can be used. A root that is none is told beside what else is wrong with the words.
fn usable(settings: &Settings, lexed: &Lexed, faults: &mut Vec<Fault>) -> Result<(), ToolError> {
    settings.check_file()?;
    match settings.check_root() {
        Err(_) if !lexed.faults.is_empty() || !lexed.unknown.is_empty() || !faults.is_empty() => {
            let root = settings.root.to_string_lossy();
            let fault = Fault::new(IssueCode::Invalid, "an existing directory", text(&root));
            let source = settings.source_of_root();
            let given = lexed.globals.last(Global::Root).filter(|_| source == Source::Option);
            let fault = fault.maybe_words(given.map(|given| given.words.clone()));
            faults.push(fault.flag(match source {
                Source::Option | Source::Default => "--root".to_owned(),
                source => source.to_string(),
            }));
            Ok(())
        }
        checked => checked,
    }
}
