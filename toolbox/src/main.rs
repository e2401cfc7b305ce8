//! The standard tools as one program: `tool_cli` over what is linked here, with a workspace at `--root`
//! and a sandbox for the commands that they run.

mod approvals;
mod audit;
mod catalogue;
mod journal;
mod mcp;
mod policy;
mod probe;

use std::process::ExitCode;
use std::sync::{Arc, LazyLock};

use tool_cli::{Cli, Settings};
use tool_core::args::suggest;
use tool_core::journal::Journal;
use tool_core::redact::KnownSecrets;
use tool_core::{ContextBuilder, ExecutorBuilder, LimitSettings, ShapeSettings, ToolContext, ToolError};
use tool_std::configuration::Rules;
use tool_std::limits::Limits;
use tool_std::{Sandbox, Workspace};
use tool_store::{LazyJournal, StoredApprovals};

fn main() -> ExitCode {
    // Each command that a tool runs is built by this program, started once more.
    Sandbox::init();
    let cli = Cli::discover()
        .name("toolbox")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .layers(recorded)
        .limits(limit)
        .tables(tool_std::configuration::TABLES, tool_std::configuration::misfits)
        .keys(journal::mode::KEYS)
        .context(context)
        .command::<journal::JournalListTool>()
        .command::<journal::JournalShowTool>()
        .command::<journal::JournalVerifyTool>()
        .command::<journal::JournalHeadTool>()
        .command::<journal::JournalExportTool>()
        .command::<journal::JournalRecoverTool>()
        .command::<journal::JournalResolveTool>()
        .command::<journal::JournalRevertTool>()
        .command::<journal::JournalPruneTool>()
        .command::<journal::JournalSalvageTool>()
        .command::<approvals::ApprovalsListTool>()
        .command::<approvals::ApprovalsAllowTool>()
        .command::<approvals::ApprovalsDenyTool>()
        .command::<approvals::ApprovalsRevokeTool>()
        .command::<audit::AuditTool>()
        .command::<catalogue::ToolsSyncTool>()
        .command::<catalogue::ToolsEnableTool>()
        .command::<catalogue::ToolsDisableTool>()
        .command::<catalogue::SkillsOnTool>()
        .command::<catalogue::SkillsOffTool>()
        .rows(catalogue::rows)
        .policy(policy::read)
        .command::<policy::PolicyCheckTool>()
        .command::<policy::PolicyExplainTool>()
        .command::<mcp::McpServeTool>()
        .command::<mcp::add::McpAddTool>()
        .command::<mcp::add::McpRemoveTool>()
        .probe("workspace", probe::workspace)
        .probe("journal", probe::journal)
        .probe("sandbox", probe::sandbox);
    let cli = cli.variables(VARIABLES);
    let cli = GROUPS.iter().fold(cli, |cli, (name, about)| cli.group(*name, *about));
    let code = tool_cli::main(Ok(cli));
    close();
    code
}

/// Writes down what is still queued: a read is recorded without being waited for.
fn close() {
    if let Some(journal) = JOURNAL.as_ref() {
        journal.close();
    }
}

/// What the program is.
const ABOUT: &str = "The standard tools as one program.";

/// What the program reads of its environment besides what every such program does.
const VARIABLES: [(&str, &str); 7] = [
    ("TOOLBOX_JOURNAL", "Path of the journal, or off [default: toolbox/journal.db in XDG_STATE_HOME]"),
    ("TOOLBOX_JOURNAL_KEY", "What keyed digests in the journal are made with, 64 hex digits"),
    ("TOOLBOX_RUN", "The run that calls belong to"),
    ("TOOLBOX_NODE", "The step of that run"),
    ("TOOLBOX_ITERATION", "The round of that step"),
    ("TOOLBOX_ATTEMPT", "The attempt of that run [default: the next one]"),
    ("XDG_STATE_HOME", "Where the state directory is, else $HOME/.local/state"),
];

/// The groups of tools, and what they are for.
const GROUPS: [(&str, &str); 2] = [("file", "Files of the workspace"), ("shell", "Programs, in a sandbox")];

/// What may run at once is bounded, every call is audited, no secret that a call was handed is in a result or a record, and
/// side effects are recorded, unless the journal is off.
fn recorded(builder: ExecutorBuilder, settings: &Settings) -> Result<ExecutorBuilder, ToolError> {
    let secrets: Arc<KnownSecrets> = Arc::default();
    // Nothing is parked: the tools that have much to tell do it in pages.
    let shape = ShapeSettings { secrets: Arc::clone(&secrets), results: None, ..ShapeSettings::default() };
    let builder = builder.limit(LimitSettings::default()).trace().shape(shape);
    let builder = match audit::settings(secrets) {
        Some(settings) => builder.audit(settings),
        None => builder,
    };
    let Some(journal) = JOURNAL.as_ref() else { return Ok(builder) };
    let builder = builder.approvals(StoredApprovals(Arc::clone(journal)), [0; 32]);
    let Some(mode) = journal::mode::calls(settings) else { return Ok(builder) };
    let program = concat!("toolbox ", env!("CARGO_PKG_VERSION"));
    let builder = builder.journal(Arc::clone(journal) as Arc<dyn Journal>, mode, program);
    Ok(if journal::mode::replays_reads(settings) { builder.replay_reads() } else { builder })
}

/// The journal of this process, opened by the first call that needs it.
static JOURNAL: LazyLock<Option<Arc<LazyJournal>>> =
    LazyLock::new(|| journal::place::journal().map(Arc::new));

/// What the standard tools find in their context, at a place of a run where the environment names one.
fn context(settings: &Settings) -> Result<ContextBuilder, ToolError> {
    let builder = plain(settings)?;
    if let Some(journal) = JOURNAL.as_deref().filter(|_| journal::place::is_named()) {
        journal.outside_of(&settings.root);
    }
    let journal = JOURNAL.as_deref().filter(|_| journal::mode::calls(settings).is_some());
    Ok(match journal::place::coordinates(settings, journal)? {
        Some(at) => builder.at(at),
        None => builder,
    })
}

/// The directory that the tools work in.
fn workspace(settings: &Settings) -> Result<Workspace, ToolError> {
    let mut policy = rules(settings)?.workspace;
    policy.sealed_files.extend(journal::place::files());
    // What decides about the tools is read by them at most.
    policy.guarded_files.extend(settings.policy.iter().cloned());
    // A settings file that is not there yet would be read by the next call.
    policy.guarded_files.extend(settings.file.iter().chain(&settings.usual_file).cloned());
    Workspace::open(&settings.root, policy)
}

/// What confines the commands that the tools run.
fn sandbox(settings: &Settings, workspace: &Workspace) -> Result<Sandbox, ToolError> {
    Sandbox::open(rules(settings)?.sandbox, workspace)
}

/// Judges a limit of the settings file.
fn limit(name: &str, value: u64) -> Result<(), ToolError> {
    let mut limits = Limits::default();
    let known = limits.rows();
    limits.set(name, value).map_err(|error| {
        match suggest(name, known.iter().map(|row| (row.name, row.name))).first() {
            Some(near) if error.code_str() == "limit_unknown" => {
                error.hint(format!("did you mean `{near}`?"))
            }
            _ => error,
        }
    })
}

/// The rules as the settings file has them.
fn rules(settings: &Settings) -> Result<Rules, ToolError> {
    Rules::read(|name| settings.table(name), &limits(settings)?)
}

/// The limits as the settings file has them.
fn limits(settings: &Settings) -> Result<Limits, ToolError> {
    let mut limits = Limits::default();
    settings.limits().try_for_each(|set| limits.set(&set.name, set.value))?;
    Ok(limits)
}

/// What the standard tools find in their context.
fn plain(settings: &Settings) -> Result<ContextBuilder, ToolError> {
    let workspace = workspace(settings)?;
    let sandbox = sandbox(settings, &workspace)?;
    Ok(ToolContext::builder()
        .secrets(settings.secrets())
        .provide_with(move |ctx| Arc::new(workspace.for_call(ctx)))
        .provide_with(move |ctx| Arc::new(sandbox.for_call(ctx))))
}
