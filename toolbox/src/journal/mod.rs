//! `toolbox journal …`: recorded calls, and what is done about those whose outcome is not known. (journal.md §14)
//!
//! The commands are tools of a program of its own, so that options, help, formats and exit statuses are those of tools.

mod look;
mod mend;
pub(crate) mod place;

use std::process::ExitCode;
use std::sync::Arc;

use tool_cli::{Cli, Settings};
use tool_core::{ContextBuilder, Executor, JournalMode, Registry, ToolContext, ToolError};
use tool_store::SqliteJournal;

/// What the commands work on.
pub(crate) struct Opened {
    pub(crate) journal: Arc<SqliteJournal>,
    /// The program's own tools, recorded in the same journal.
    pub(crate) executor: Executor,
    pub(crate) ctx: ToolContext,
}

/// Runs the words behind `journal`.
pub(crate) fn main(context: fn(&Settings) -> Result<ContextBuilder, ToolError>) -> ExitCode {
    let registry = Registry::builder()
        .add::<look::ListTool>()
        .add::<look::ShowTool>()
        .add::<look::VerifyTool>()
        .add::<look::HeadTool>()
        .add::<look::ExportTool>()
        .add::<mend::RecoverTool>()
        .add::<mend::ResolveTool>()
        .add::<mend::RevertTool>()
        .add::<mend::PruneTool>()
        .add::<mend::SalvageTool>()
        .build();
    let cli = registry.map_err(ToolError::from).map(|registry| {
        Cli::new(registry)
            .name("toolbox journal")
            .version(env!("CARGO_PKG_VERSION"))
            .about("Look through recorded calls.")
            .context(move |settings| {
                Ok(ToolContext::builder().provide_with(opener(settings.clone(), context)?))
            })
    });
    tool_cli::main_from(cli, std::env::args_os().skip(2))
}

/// What opens the journal for the command that asks for it.
fn opener(
    settings: Settings,
    context: fn(&Settings) -> Result<ContextBuilder, ToolError>,
) -> Result<impl Fn(&ToolContext) -> Arc<Result<Opened, ToolError>> + Send + Sync, ToolError> {
    Ok(move |_: &ToolContext| Arc::new(open(&settings, context)))
}

fn open(
    settings: &Settings,
    context: fn(&Settings) -> Result<ContextBuilder, ToolError>,
) -> Result<Opened, ToolError> {
    let path = place::path().ok_or_else(|| {
        ToolError::not_configured("There is no journal: TOOLBOX_JOURNAL is off.").code("journal_off")
    })?;
    let journal = Arc::new(SqliteJournal::open(path, tool_store::SqliteOptions::default())?);
    let registry = Registry::builder().discover().build()?;
    let program = concat!("toolbox ", env!("CARGO_PKG_VERSION"));
    let recorder = Arc::clone(&journal);
    let executor = Executor::standard(registry).journal(recorder, JournalMode::Effects, program).build()?;
    let ctx = context(settings)?.build();
    Ok(Opened { journal, executor, ctx })
}

/// What the commands are given: the journal, or why there is none.
pub(crate) type Given = Result<Opened, ToolError>;

/// The journal, or the reason for which there is none.
pub(crate) fn opened(given: &Given) -> Result<&Opened, ToolError> {
    given.as_ref().map_err(|error| {
        ToolError::new(error.kind(), error.message().to_owned()).code(error.code_str().to_owned())
    })
}
