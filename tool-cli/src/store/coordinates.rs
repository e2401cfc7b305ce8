//! The run that the environment names: `DEMO_RUN`, with `DEMO_NODE`, `DEMO_ITERATION` and `DEMO_ATTEMPT`.

use tool_core::journal::{Journal as _, RowQuery, resume};
use tool_core::{Coordinates, ToolError};
use tool_store::LazyJournal;

use crate::runtime;
use crate::settings::Settings;

/// Where calls stand in a run. Without an attempt it is the next one, and what earlier ones did is warned about.
pub(super) fn of(
    settings: &Settings,
    journal: Option<&LazyJournal>,
) -> Result<Option<Coordinates>, ToolError> {
    let variable = |ending: &str| settings.variable(&settings.journal().variable(ending));
    let number = |ending: &str| -> Result<Option<u64>, ToolError> {
        let Some(text) = variable(ending) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| {
            let name = settings.journal().variable(ending);
            ToolError::invalid_args(format!("{name} must be a whole number.")).code("bad_variable")
        })
    };
    let Some(run) = variable("RUN") else { return Ok(None) };
    let at = Coordinates::new(run)
        .node(variable("NODE").unwrap_or_default())
        .iteration(number("ITERATION")?.unwrap_or(0));
    let given = match number("ATTEMPT")? {
        None => None,
        Some(number) => Some(u32::try_from(number).ok().filter(|attempt| *attempt > 0).ok_or_else(|| {
            let name = settings.journal().variable("ATTEMPT");
            let text = format!("{name} must be a whole number from 1 to {}.", u32::MAX);
            ToolError::invalid_args(text).code("bad_variable")
        })?),
    };
    match journal {
        Some(journal) => blocking(attempt(at, given, journal)).map(Some),
        None => Ok(Some(at.attempt(given.unwrap_or(1)))),
    }
}

async fn attempt(
    at: Coordinates,
    given: Option<u32>,
    journal: &LazyJournal,
) -> Result<Coordinates, ToolError> {
    let attempt = match given {
        Some(attempt) => attempt,
        None => journal.next_attempt(&at.task()).await?,
    };
    let rows = journal.rows(&RowQuery { task: Some(at.task()), ..RowQuery::default() }).await?;
    if let Some(warning) = resume::warning(&rows, attempt, None) {
        tracing::warn!(target: "toolbox::journal", "{warning}");
    }
    Ok(at.attempt(attempt))
}

/// Waits on a thread of its own, with a runtime that lives and ends there: the caller may be in one.
fn blocking<T: Send>(future: impl Future<Output = Result<T, ToolError>> + Send) -> Result<T, ToolError> {
    let wait = || runtime::current_thread()?.block_on(future);
    let done = std::thread::scope(|scope| scope.spawn(wait).join());
    done.unwrap_or_else(|_| Err(ToolError::internal("The journal stopped unexpectedly.")))
}
