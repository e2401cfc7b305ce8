//! `toolbox journal …`: recorded calls, and what is done about those whose outcome is not known. (journal.md §14)

mod look;
mod mend;
pub(crate) mod mode;
pub(crate) mod place;

use std::sync::Arc;

use tool_cli::Surroundings;
use tool_core::journal::{Journal as _, Row, RowQuery};
use tool_core::{Executor, JournalMode, ToolContext, ToolError};
use tool_store::SqliteJournal;

pub(crate) use look::{
    JournalExportTool, JournalHeadTool, JournalListTool, JournalShowTool, JournalVerifyTool,
};
pub(crate) use mend::{
    JournalPruneTool, JournalRecoverTool, JournalResolveTool, JournalRevertTool, JournalSalvageTool,
};

/// What the commands work on.
struct Opened {
    journal: Arc<SqliteJournal>,
    /// The program's own tools, recorded in the same journal.
    executor: Executor,
    ctx: ToolContext,
}

/// The store alone, for what is kept beside the journal.
pub(crate) fn stored(_: &Surroundings) -> Result<Arc<SqliteJournal>, ToolError> {
    let path = place::path().ok_or_else(off)?;
    Ok(Arc::new(SqliteJournal::open(path, place::options())?))
}

fn off() -> ToolError {
    ToolError::not_configured(format!("There is no journal: {}.", place::why_none())).code("journal_off")
}

/// Opens the journal for a command, where there is one.
fn open(around: &Surroundings) -> Result<Option<Opened>, ToolError> {
    let Some(journal) = place::existing()? else { return Ok(None) };
    let program = concat!("toolbox ", env!("CARGO_PKG_VERSION"));
    let recorder = Arc::clone(&journal);
    let executor = Executor::standard(around.registry.clone());
    let executor = executor.journal(recorder, JournalMode::Effects, program).build()?;
    let ctx = crate::plain(&around.settings)?.build();
    Ok(Some(Opened { journal, executor, ctx }))
}

impl Opened {
    /// The rows that a question is about; none where there is no journal.
    async fn rows(opened: Option<&Opened>, query: &RowQuery) -> Result<Vec<Row>, ToolError> {
        match opened {
            Some(opened) => Ok(opened.journal.rows(query).await?),
            None => Ok(Vec::new()),
        }
    }
}

/// Why there is nothing to be looked through.
fn missing() -> ToolError {
    ToolError::not_found("There is no journal yet: no call was recorded.").code("journal_missing")
}
