//! The standard tools as one program: `tool_cli` over what is linked here, with a workspace at `--root`
//! and a sandbox for the commands that they run.

mod approvals;
mod audit;
mod call_limits;
mod catalogue;
mod policy;
mod probe;
#[cfg(feature = "otel")]
mod telemetry;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use call_limits::CallLimits;
use tool_cli::{Cli, Settings};
use tool_core::args::suggest;
use tool_core::redact::KnownSecrets;
use tool_core::{CheckMode, ContextBuilder, ExecutorBuilder, ShapeSettings, ToolContext, ToolError};
use tool_std::configuration::Rules;
use tool_std::limits::Limits;
use tool_std::shell::Processes;
use tool_std::workspace::{evidence_places, forget_evidence};
use tool_std::{Sandbox, Workspace};

fn main() -> ExitCode {
    // Each command that a tool runs is built by this program, started once more.
    Sandbox::init();
    let ends = audit::Ends::default();
    let processes = Processes::new("").told({
        let ends = ends.clone();
        move |end| ends.told(end)
    });
    #[cfg(feature = "otel")]
    let telemetry = telemetry::Telemetry::default();
    #[cfg(feature = "otel")]
    let watched = telemetry.clone();
    let cli = Cli::discover()
        .name("toolbox")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .layers(move |builder, settings| {
            ends.beside(settings)?;
            #[cfg(feature = "otel")]
            let builder = watched.watch(builder, settings)?;
            audited(builder, settings)
        })
        .lost(audit::lost)
        .pruned("evidence", forgotten)
        .limits(limit)
        .tables(tool_std::configuration::TABLES, tool_std::configuration::misfits)
        .tables([audit::TABLE], audit::misfits)
        .context(context)
        .serving({
            let processes = processes.clone();
            move |context| serving(context, processes.clone())
        })
        .serving_layers(|builder, settings| builder.park(settings.results()?))
        .served(move || ended(processes.clone()))
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
        .probe("calls", probe::calls)
        .probe("workspace", probe::workspace)
        .probe("sandbox", probe::sandbox);
    #[cfg(feature = "otel")]
    let cli = cli
        .tables([telemetry::TABLE], telemetry::misfits)
        .subscriber({
            let telemetry = telemetry.clone();
            move |settings| telemetry.layer(settings)
        })
        .metrics({
            let telemetry = telemetry.clone();
            move |settings| telemetry.metrics(settings)
        })
        .ended(move || telemetry.end());
    let cli = GROUPS.iter().fold(cli, |cli, (name, about)| cli.group(*name, *about));
    tool_cli::main(Ok(cli))
}

/// What the program is.
const ABOUT: &str = "The standard tools as one program.";

/// The groups of tools, and what they are for.
const GROUPS: [(&str, &str); 2] = [("file", "Files of the workspace"), ("shell", "Programs, in a sandbox")];

/// What may run at once is bounded, what failed for now is tried again where that does no harm, every call is audited, and no
/// secret that a call was handed is in a result or a record.
fn audited(builder: ExecutorBuilder, settings: &Settings) -> Result<ExecutorBuilder, ToolError> {
    let secrets: Arc<KnownSecrets> = Arc::default();
    let CallLimits { limit, retries, inline_limit, max_output_bytes } = CallLimits::of(settings);
    // A person gets results whole. Those of a server are parked by its own layers.
    let (results, known) = (None, Arc::clone(&secrets));
    let shape =
        ShapeSettings { secrets: known, inline_limit, max_output_bytes, results, ..ShapeSettings::default() };
    let builder = builder.limit(limit).retries(retries).check(CheckMode::default()).trace().shape(shape);
    Ok(match audit::settings(settings, secrets)? {
        Some(settings) => builder.audit(settings),
        None => builder,
    })
}

/// Removes what was kept to undo calls that are gone.
fn forgotten(settings: &Settings, keys: &[String]) -> Result<usize, ToolError> {
    let Some(effects) = rules(settings)?.workspace.effects else { return Ok(0) };
    forget_evidence(&effects, keys.iter().map(String::as_str)).map_err(|error| {
        ToolError::failed("Evidence of calls that are gone could not be removed.").source(error)
    })
}

/// How long the commands in the background may take to end with the program. They need less: a command that was asked to
/// end is killed after `KILL_GRACE_MS`.
const PROCESSES_GRACE: Duration = Duration::from_secs(5);

/// A server lives on between calls: commands may go on in the background, each seen by the agent and run that started it.
fn serving(context: ContextBuilder, processes: Processes) -> ContextBuilder {
    context
        .provide_with(move |ctx| Arc::new(processes.owned_by(format!("{}\n{}", ctx.agent(), ctx.run_id()))))
}

/// What a server left in the background ends with it, and is told of.
async fn ended(processes: Processes) {
    let left = processes.close(PROCESSES_GRACE).await;
    if left > 0 {
        tracing::error!(left, "the ends of commands in the background are not recorded");
    }
}

/// The directory that the tools work in.
fn workspace(settings: &Settings) -> Result<Workspace, ToolError> {
    let mut policy = rules(settings)?.workspace;
    policy.sealed_files.extend(settings.journal().files());
    policy.sealed_files.extend(audit::files(settings));
    // What decides about the tools is read by them at most.
    policy.guarded_files.extend(settings.policy.iter().cloned());
    #[cfg(feature = "otel")]
    policy.guarded_files.extend(telemetry::file(settings));
    // A settings file that is not there yet would be read by the next call.
    policy.guarded_files.extend(settings.file.iter().chain(&settings.usual_file).cloned());
    Workspace::open(&settings.root, policy)
}

/// What confines the commands that the tools run.
fn sandbox(settings: &Settings, workspace: &Workspace) -> Result<Sandbox, ToolError> {
    Sandbox::open(rules(settings)?.sandbox, workspace)
}

/// Judges a limit of the settings file: one of calls, or one of the tools.
fn limit(name: &str, value: u64) -> Result<(), ToolError> {
    if let Some(judged) = call_limits::judge(name, value) {
        return judged;
    }
    let mut limits = Limits::default();
    let known = limits.rows();
    limits.set(name, value).map_err(|error| {
        let names = known.iter().map(|row| row.name).chain(call_limits::names());
        match suggest(name, names.map(|name| (name, name))).first() {
            Some(near) if error.code_str() == "limit_unknown" => {
                error.hint(format!("did you mean `{near}`?"))
            }
            _ => error,
        }
    })
}

/// The rules as the settings file has them.
fn rules(settings: &Settings) -> Result<Rules, ToolError> {
    let mut rules = Rules::read(|name| settings.table(name), &limits(settings)?)?;
    let journal = settings.journal();
    if let Some(file) = journal.path().filter(|_| journal.is_named()) {
        // As SQLite names what belongs to a database: what can be undone goes where the journal goes, and two journals that
        // know a call by one key do not undo each other's.
        let mut effects = OsString::from(file);
        effects.push("-effects");
        rules.workspace.sealed.extend(evidence_places(Path::new(&effects)));
        rules.workspace.effects = Some(effects.into());
    }
    Ok(rules)
}

/// The limits as the settings file has them.
fn limits(settings: &Settings) -> Result<Limits, ToolError> {
    let mut limits = Limits::default();
    let is_of_calls = |name: &str| call_limits::names().any(|own| own == name);
    let mut own = settings.limits().filter(|set| !is_of_calls(&set.name));
    own.try_for_each(|set| limits.set(&set.name, set.value))?;
    Ok(limits)
}

/// What the standard tools find in their context.
fn context(settings: &Settings) -> Result<ContextBuilder, ToolError> {
    let workspace = workspace(settings)?;
    let sandbox = sandbox(settings, &workspace)?;
    Ok(ToolContext::builder()
        .secrets(settings.secrets())
        .provide_with(move |ctx| Arc::new(workspace.for_call(ctx)))
        .provide_with(move |ctx| Arc::new(sandbox.for_call(ctx))))
}
