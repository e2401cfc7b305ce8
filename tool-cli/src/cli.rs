//! The program: a registry, what it is called, and what its tools find in their context.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use tool_core::{
    ApprovalLevel, ArgIssue, Caller, ContextBuilder, Executor, ExecutorBuilder, Policy, Registry, RowSource,
    Tool, ToolDef, ToolError,
};

use crate::doctor::Probe;
use crate::exit::ExitCode;
use crate::fault::Fault;
use crate::flags::Table;
use crate::globals::AllGiven;
use crate::hooks::{End, Measure, Subscribe};
use crate::io::Io;
use crate::provided::provided;
use crate::session::{Next, Session};
use crate::settings::{self, OwnKey, Owner, Settings};
#[cfg(feature = "store")]
use crate::store::Recorded;
use crate::tree::Tree;
use crate::{command_line, schema};

/// Makes the context of a call from what the person asked for.
pub(crate) type Provide = dyn Fn(&Settings) -> Result<ContextBuilder, ToolError> + Send + Sync;

/// Adds what tools find in the context of a server alone.
#[cfg(feature = "mcp")]
pub(crate) type Serving = dyn Fn(ContextBuilder) -> ContextBuilder + Send + Sync;

/// Adds layers to the executor of the program's tools.
pub(crate) type Layers =
    dyn Fn(ExecutorBuilder, &Settings) -> Result<ExecutorBuilder, ToolError> + Send + Sync;

/// Reads a policy file for the tools of a registry.
pub(crate) type ReadPolicy =
    dyn Fn(&Path, &Settings, &Registry) -> Result<Arc<dyn Policy>, ToolError> + Send + Sync;

/// The rows that are stored for an agent: each pattern with its source.
pub(crate) type StoredRows =
    dyn Fn(&Settings, &str) -> Result<Vec<(String, RowSource)>, ToolError> + Send + Sync;

/// What is recorded of calls: nothing, in a program without a store.
#[cfg(not(feature = "store"))]
#[derive(PartialEq, Eq)]
struct Recorded;

#[cfg(not(feature = "store"))]
impl Recorded {
    fn of(_: &Settings) -> Recorded {
        Recorded
    }
}

/// Finds out about a part of the program for `doctor`.
pub(crate) type Inspect = dyn Fn(&Settings) -> Result<Probe, ToolError> + Send + Sync;

/// Judges a limit of the settings file by its key and value.
pub(crate) type Judge = dyn Fn(&str, u64) -> Result<(), ToolError> + Send + Sync;

/// A registry as a command line program.
///
/// ```
/// use serde_json::json;
/// use tool_cli::{Cli, ExitCode, Io};
/// use tool_core::{Behavior, DynTool, Registry, ToolOutput};
///
/// let ping = DynTool::builder("ping")
///     .description("Answers pong.")
///     .behavior(Behavior::READ)
///     .input_schema(json!({"type": "object"}))
///     .handler_sync(|_, _| Ok(ToolOutput::text("pong")))
///     .build()?;
/// let cli = Cli::new(Registry::builder().add_dyn(ping).build()?).name("demo");
/// assert_eq!(cli.run_from(["ping"], Io::detached("/")), ExitCode::SUCCESS);
/// assert_eq!(cli.run_from(["pong"], Io::detached("/")), ExitCode(3));
/// # Ok::<(), tool_core::RegistryError>(())
/// ```
pub struct Cli {
    pub(crate) registry: Source,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) about: String,
    pub(crate) groups: BTreeMap<String, String>,
    pub(crate) executor: Option<Result<Executor, ToolError>>,
    /// The executor of a program that has none of its own: it remembers what a person approved for good.
    /// Runs that record their calls elsewhere or otherwise have one each.
    standard: Mutex<Vec<(Recorded, Executor)>>,
    pub(crate) layers: Option<Arc<Layers>>,
    pub(crate) provide: Option<Arc<Provide>>,
    #[cfg(feature = "store")]
    pub(crate) store: crate::store::Store,
    #[cfg(feature = "mcp")]
    pub(crate) serving: Option<Box<Serving>>,
    #[cfg(feature = "mcp")]
    pub(crate) serving_layers: Option<Box<Layers>>,
    #[cfg(feature = "mcp")]
    pub(crate) served: Option<Arc<crate::server::Closing>>,
    pub(crate) subscriber: Option<Arc<Subscribe>>,
    pub(crate) metrics: Option<Arc<Measure>>,
    pub(crate) ended: Option<Box<End>>,
    pub(crate) probes: Vec<(String, Box<Inspect>)>,
    pub(crate) tables: Vec<OwnTable>,
    pub(crate) keys: Vec<OwnKey>,
    pub(crate) variables: Vec<(&'static str, &'static str)>,
    pub(crate) policy: Option<Arc<ReadPolicy>>,
    pub(crate) commands: Vec<&'static ToolDef<'static>>,
    pub(crate) limits: Option<Box<Judge>>,
    pub(crate) rows: Option<Arc<StoredRows>>,
}

/// A table of the settings file that the program reads itself.
#[derive(Clone)]
pub(crate) struct OwnTable {
    /// Its name.
    pub(crate) name: &'static str,
    /// What finds everything that is wrong with it.
    pub(crate) judge: Arc<TableJudge>,
}

/// What is wrong with a table of the settings file.
pub(crate) type TableJudge = dyn Fn(&str, &Value) -> Result<Vec<ArgIssue>, ToolError> + Send + Sync;

/// Where the tools come from.
pub(crate) enum Source {
    /// They are collected already.
    Ready(Registry),
    /// They are the ones that are linked; collected when a command needs them.
    Discover,
}

impl Cli {
    /// A program with the tools of a registry.
    pub fn new(registry: Registry) -> Cli {
        Cli::with(Source::Ready(registry))
    }

    /// A program with the tools that are linked into it.
    pub fn discover() -> Cli {
        Cli::with(Source::Discover)
    }

    fn with(registry: Source) -> Cli {
        Cli {
            registry,
            name: "tool".to_owned(),
            version: String::new(),
            about: String::new(),
            groups: BTreeMap::new(),
            executor: None,
            standard: Mutex::default(),
            layers: None,
            provide: None,
            #[cfg(feature = "store")]
            store: crate::store::Store::default(),
            #[cfg(feature = "mcp")]
            serving: None,
            #[cfg(feature = "mcp")]
            serving_layers: None,
            #[cfg(feature = "mcp")]
            served: None,
            subscriber: None,
            metrics: None,
            ended: None,
            probes: Vec::new(),
            #[cfg(feature = "store")]
            tables: vec![OwnTable {
                name: crate::store::table::JOURNAL,
                judge: Arc::new(|_, table| crate::store::table::misfits(table)),
            }],
            #[cfg(not(feature = "store"))]
            tables: Vec::new(),
            #[cfg(feature = "store")]
            keys: crate::store::mode::KEYS.to_vec(),
            #[cfg(not(feature = "store"))]
            keys: Vec::new(),
            variables: Vec::new(),
            policy: None,
            commands: Vec::new(),
            limits: None,
            rows: None,
        }
    }

    /// What the program is called; its variables begin with the name in upper case.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Cli {
        self.name = name.into();
        self
    }

    /// What `--version` prints behind the name.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Cli {
        self.version = version.into();
        self
    }

    /// The first line of its help.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Cli {
        self.about = about.into();
        self
    }

    /// What a group of tools is for.
    #[must_use]
    pub fn group(mut self, name: impl Into<String>, about: impl Into<String>) -> Cli {
        self.groups.insert(crate::words::kebab(&name.into()), about.into());
        self
    }

    /// An executor with more layers than the standard one. It must run the tools of the same registry.
    #[must_use]
    pub fn executor(mut self, builder: ExecutorBuilder) -> Cli {
        self.executor = Some(for_command_line(builder).build());
        self
    }

    /// Adds layers to the executor of the program's own tools, once they are collected. It is built once for all runs of this
    /// value that record their calls in one place, with the settings of the first.
    #[must_use]
    pub fn layers<F>(mut self, add: F) -> Cli
    where
        F: Fn(ExecutorBuilder, &Settings) -> Result<ExecutorBuilder, ToolError> + Send + Sync + 'static,
    {
        self.layers = Some(Arc::new(add));
        self
    }

    /// Makes the context in which tools find what they need. Without it there is one with the secrets of the environment.
    ///
    /// Cancellation and time limit are added by the program, and, unless they are provided here, a clock, the environment of
    /// the run and randomness.
    #[must_use]
    pub fn context<F>(mut self, provide: F) -> Cli
    where
        F: Fn(&Settings) -> Result<ContextBuilder, ToolError> + Send + Sync + 'static,
    {
        self.provide = Some(Arc::new(provide));
        self
    }

    /// Adds what tools find in the context of `mcp serve` alone, which lives on between calls.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn serving<F>(mut self, add: F) -> Cli
    where
        F: Fn(ContextBuilder) -> ContextBuilder + Send + Sync + 'static,
    {
        self.serving = Some(Box::new(add));
        self
    }

    /// Adds layers to the executor of `mcp serve` alone, behind those of all calls.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn serving_layers<F>(mut self, add: F) -> Cli
    where
        F: Fn(ExecutorBuilder, &Settings) -> Result<ExecutorBuilder, ToolError> + Send + Sync + 'static,
    {
        self.serving_layers = Some(Box::new(add));
        self
    }

    /// Says what is done when `mcp serve` has answered its last call, before the program ends.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn served<F, Fut>(mut self, close: F) -> Cli
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.served = Some(Arc::new(move || Box::pin(close())));
        self
    }

    /// Reads the file behind `--policy`; a program without it refuses the option.
    #[must_use]
    pub fn policy<F>(mut self, read: F) -> Cli
    where
        F: Fn(&Path, &Settings, &Registry) -> Result<Arc<dyn Policy>, ToolError> + Send + Sync + 'static,
    {
        self.policy = Some(Arc::new(read));
        self
    }

    /// Where rows of agents are stored, by the agent. They are united with those of the policy and of the program.
    #[must_use]
    pub fn rows<F>(mut self, stored: F) -> Cli
    where
        F: Fn(&Settings, &str) -> Result<Vec<(String, RowSource)>, ToolError> + Send + Sync + 'static,
    {
        self.rows = Some(Arc::new(stored));
        self
    }

    /// The stored rows of an agent.
    pub(crate) fn rows_of(
        &self,
        settings: &Settings,
        agent: &str,
    ) -> Result<Vec<(String, RowSource)>, ToolError> {
        self.rows.as_ref().map_or(Ok(Vec::new()), |stored| stored(settings, agent))
    }

    /// Adds a command beside the built-in ones, under a word that no tool may have. It finds the program's tools and what the
    /// person asked for in [`Surroundings`](crate::Surroundings).
    #[must_use]
    pub fn command<T: Tool>(mut self) -> Cli {
        self.commands.push(T::DEF);
        self
    }

    /// Adds what `doctor` tells of a part of the program: its checks, its limits, and a section of that name for programs.
    ///
    /// An error is a check that failed.
    #[must_use]
    pub fn probe<F>(mut self, name: impl Into<String>, inspect: F) -> Cli
    where
        F: Fn(&Settings) -> Result<Probe, ToolError> + Send + Sync + 'static,
    {
        self.probes.push((name.into(), Box::new(inspect)));
        self
    }

    /// Tells of variables that the program reads itself, each with what it is for, in `help environment`.
    #[must_use]
    pub fn variables(mut self, rows: impl IntoIterator<Item = (&'static str, &'static str)>) -> Cli {
        self.variables.extend(rows);
        self
    }

    /// Lets the settings file have tables that the program reads itself, by [`Settings::table`]. `judge` gets the name of a
    /// table and its value, and tells everything that is wrong with it ([`tool_core::args::misfits`]); the settings file is
    /// refused with the line and column of each.
    #[must_use]
    pub fn tables<F>(mut self, names: impl IntoIterator<Item = &'static str>, judge: F) -> Cli
    where
        F: Fn(&str, &Value) -> Result<Vec<ArgIssue>, ToolError> + Send + Sync + 'static,
    {
        let judge: Arc<TableJudge> = Arc::new(judge);
        self.tables.extend(names.into_iter().map(|name| OwnTable { name, judge: Arc::clone(&judge) }));
        self
    }

    /// Lets the settings file have keys that the program reads itself, by [`Settings::key`]: each one of some words, or true or
    /// false. What is neither is a mistake with its place.
    #[must_use]
    pub fn keys(mut self, keys: impl IntoIterator<Item = OwnKey>) -> Cli {
        self.keys.extend(keys);
        self
    }

    /// Lets the settings file set limits, under `[limits]`. `judge` refuses a key that no limit has (code `limit_unknown`) and a
    /// value out of its range; what was set is in [`Settings::limits`].
    #[must_use]
    pub fn limits<F>(mut self, judge: F) -> Cli
    where
        F: Fn(&str, u64) -> Result<(), ToolError> + Send + Sync + 'static,
    {
        self.limits = Some(Box::new(judge));
        self
    }

    /// Runs one command line, without the program's name. Touches nothing but `io`.
    pub fn run_from(&self, argv: impl IntoIterator<Item: Into<OsString>>, io: Io) -> ExitCode {
        let mut session = Session::new(self, argv, io);
        match session.prepare() {
            Next::Done(code) => code,
            Next::Call(mut ready) => {
                let call = std::mem::take(&mut ready.call);
                let result = ready.executor.call_blocking(call, &ready.ctx, Caller::Cli);
                session.finish(&ready, result)
            }
            Next::Waiting(waiting) => match crate::runtime::current_thread() {
                Ok(runtime) => runtime.block_on(session.wait(*waiting)),
                Err(error) => session.refuse(error),
            },
        }
    }

    /// Ends a program that could not be built.
    pub(crate) fn fail(&self, argv: &[OsString], error: ToolError, io: Io) -> ExitCode {
        Session::new(self, argv, io).refuse(error)
    }

    /// The same inside a runtime.
    pub async fn run_from_async(&self, argv: impl IntoIterator<Item: Into<OsString>>, io: Io) -> ExitCode {
        let mut session = Session::new(self, argv, io);
        match session.prepare() {
            Next::Done(code) => code,
            Next::Call(mut ready) => {
                let call = std::mem::take(&mut ready.call);
                let result = ready.executor.call(call, &ready.ctx, Caller::Cli).await;
                session.finish(&ready, result)
            }
            Next::Waiting(waiting) => session.wait(*waiting).await,
        }
    }

    /// The command line, without the program's name, that calls a tool with these arguments.
    ///
    /// # Errors
    /// `not_found` for a tool that the command line does not have.
    pub fn command_line(&self, tool: &str, args: &Map<String, Value>) -> Result<Vec<String>, ToolError> {
        let registry = self.tools()?;
        let tree = Tree::new(&registry);
        let command = registry.get(tool).and_then(|entry| tree.of(entry));
        let command =
            command.ok_or_else(|| crate::builtin::call::unknown_tool(&self.name, &registry, tool))?;
        let def = command.entry.def();
        let table = Table::new(def, &schema::canonical(def)?);
        Ok([command.words(), command_line::words(&table, args)].concat())
    }

    /// The tools, collected if they are not yet.
    pub(crate) fn tools(&self) -> Result<Registry, ToolError> {
        match &self.registry {
            Source::Ready(registry) => Ok(registry.clone()),
            Source::Discover => Registry::builder().discover().build().map_err(ToolError::from),
        }
    }

    /// The executor of the tools.
    pub(crate) fn executor_of(
        &self,
        registry: &Registry,
        settings: &Settings,
    ) -> Result<Executor, ToolError> {
        match &self.executor {
            Some(Ok(executor)) => Ok(executor.clone()),
            Some(Err(error)) => {
                Err(ToolError::new(error.kind(), error.message().to_owned())
                    .code(error.code_str().to_owned()))
            }
            None => {
                let recorded = Recorded::of(settings);
                let mut standard = self.standard.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((_, executor)) = standard.iter().find(|row| row.0 == recorded) {
                    return Ok(executor.clone());
                }
                let builder = self.layered(Executor::standard(registry.clone()), settings)?;
                let executor = for_command_line(builder).build()?;
                standard.push((recorded, executor.clone()));
                Ok(executor)
            }
        }
    }

    /// With the journal of the run, and the layers that the program adds.
    pub(crate) fn layered(
        &self,
        builder: ExecutorBuilder,
        settings: &Settings,
    ) -> Result<ExecutorBuilder, ToolError> {
        let builder = builder.max_args_bytes(settings.max_args_bytes());
        let builder = match self.metrics.as_ref().and_then(|metrics| metrics(settings)) {
            Some(metrics) => builder.metrics(metrics),
            None => builder,
        };
        #[cfg(feature = "store")]
        let builder = self.recorded(builder, settings)?;
        match &self.layers {
            Some(add) => add(builder, settings),
            None => Ok(builder),
        }
    }

    /// The context of calls, as far as it does not depend on the single call.
    pub(crate) fn context_of(&self, settings: &Settings, io: &Io) -> Result<ContextBuilder, ToolError> {
        Ok(self.provided(settings)?.cancellation(io.cancel.clone()))
    }

    /// The context that the program provides.
    pub(crate) fn provided(&self, settings: &Settings) -> Result<ContextBuilder, ToolError> {
        let built = provided(self.provide.as_deref(), settings)?;
        // As OpenTelemetry's carrier in environment variables has it.
        Ok(match settings.variable("TRACEPARENT") {
            Some(parent) => built.traceparent(parent),
            None => built,
        })
    }

    /// The context of calls at their place in a run, where the environment names one.
    #[cfg(not(feature = "store"))]
    pub(crate) fn placed(&self, builder: ContextBuilder, _: &Settings) -> Result<ContextBuilder, ToolError> {
        Ok(builder)
    }

    /// Writes what is still queued, before the process ends.
    pub(crate) fn close(&self) {
        #[cfg(feature = "store")]
        self.store.close();
        if let Some(end) = &self.ended {
            end();
        }
    }

    /// What the options, variables and settings file of a run say, and what is wrong with their words.
    pub(crate) fn settings(&self, given: &AllGiven, io: &Io) -> (Settings, Vec<Fault>) {
        let prefix = self.prefix();
        let owner = Owner {
            name: &self.name,
            prefix: &prefix,
            limits: self.limits.as_deref(),
            tables: &self.tables,
            keys: &self.keys,
        };
        let (settings, faults) = settings::read(given, io, owner);
        #[cfg(feature = "store")]
        let settings = Settings { store: self.store.lend(self.metrics.as_ref()), ..settings };
        (settings, faults)
    }

    /// The prefix of the program's variables.
    pub(crate) fn prefix(&self) -> String {
        self.name.to_uppercase().replace('-', "_")
    }
}

/// How the command line runs tools: a person consents to what destroys.
pub(crate) fn for_command_line(builder: ExecutorBuilder) -> ExecutorBuilder {
    builder.approve(ApprovalLevel::Destructive)
}

impl std::fmt::Debug for Cli {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cli")
            .field("name", &self.name)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
