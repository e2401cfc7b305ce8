//! Where the journal of this program is, and where its calls stand in a run.

use std::path::PathBuf;
use std::sync::Arc;

use tool_cli::Settings;
use tool_core::journal::{Journal as _, RowQuery, resume};
use tool_core::{Coordinates, ToolError};
use tool_store::sqlite::OnLost;
use tool_store::{LazyJournal, SqliteJournal, SqliteOptions};

/// The variable that names the journal; `off` for none.
const JOURNAL: &str = "TOOLBOX_JOURNAL";

/// The path of the journal: `TOOLBOX_JOURNAL`, else `toolbox/journal.db` among the person's state. `None` when it is off.
pub(crate) fn path() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    match std::env::var_os(JOURNAL) {
        Some(off) if off == "off" => None,
        Some(path) if !path.is_empty() => Some(path.into()),
        _ => {
            let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))?;
            Some(state.join("toolbox/journal.db"))
        }
    }
}

/// Whether somebody chose the place. The usual one is sealed, wherever the workspace is; a chosen one must not lie in it.
pub(crate) fn is_named() -> bool {
    std::env::var_os(JOURNAL).is_some_and(|path| !path.is_empty())
}

/// Why there is no journal, where there is none.
pub(crate) fn why_none() -> &'static str {
    match std::env::var_os(JOURNAL) {
        Some(off) if off == "off" => "TOOLBOX_JOURNAL is off",
        _ => "neither XDG_STATE_HOME nor HOME is an absolute path",
    }
}

/// The files of the journal, which no file tool touches: closing one drops the locks that this program has on it. The audit
/// rows lie beside it.
pub(crate) fn files() -> Vec<PathBuf> {
    let own = path().map(|path| tool_store::sqlite::protected(&path)).unwrap_or_default();
    own.into_iter().chain(crate::audit::files()).collect()
}

/// How the journal is opened: calls whose process died are audited by who finds them.
pub(crate) fn options() -> SqliteOptions {
    let mut options = SqliteOptions::default();
    options.on_lost = Some(OnLost::new(crate::audit::lost));
    options
}

/// The journal where there is one: who only looks makes none. A seal without its journal is opened too, and tells of it.
pub(crate) fn existing() -> Result<Option<Arc<SqliteJournal>>, ToolError> {
    let path = path().ok_or_else(|| {
        ToolError::not_configured(format!("There is no journal: {}.", why_none())).code("journal_off")
    })?;
    if !path.exists() && !path.with_extension("seal").exists() {
        return Ok(None);
    }
    Ok(Some(Arc::new(SqliteJournal::open(path, options())?)))
}

/// The journal, opened when a call needs it.
pub(crate) fn journal() -> Option<LazyJournal> {
    path().map(|path| LazyJournal::new(path, options()))
}

/// The run that the environment names: `TOOLBOX_RUN`, with `TOOLBOX_NODE`, `TOOLBOX_ITERATION` and `TOOLBOX_ATTEMPT`.
///
/// Without an attempt it is the next one, and what earlier ones did is warned about.
pub(crate) fn coordinates(
    settings: &Settings,
    journal: Option<&LazyJournal>,
) -> Result<Option<Coordinates>, ToolError> {
    let Some(run) = settings.variable("TOOLBOX_RUN").filter(|run| !run.is_empty()) else { return Ok(None) };
    let number = |name: &str| -> Result<Option<u64>, ToolError> {
        let Some(text) = settings.variable(name) else { return Ok(None) };
        text.parse().map(Some).map_err(|_| {
            ToolError::invalid_args(format!("{name} must be a whole number.")).code("bad_variable")
        })
    };
    let at = Coordinates::new(run)
        .node(settings.variable("TOOLBOX_NODE").unwrap_or_default())
        .iteration(number("TOOLBOX_ITERATION")?.unwrap_or(0));
    let given = number("TOOLBOX_ATTEMPT")?.and_then(|attempt| u32::try_from(attempt).ok());
    let (attempt, Some(journal)) = (given, journal) else { return Ok(Some(at.attempt(given.unwrap_or(1)))) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| ToolError::internal("No runtime could be started.").source(error))?;
    runtime.block_on(async {
        let attempt = match attempt {
            Some(attempt) => attempt,
            None => journal.next_attempt(&at.task()).await?,
        };
        let rows = journal.rows(&RowQuery { task: Some(at.task()), ..RowQuery::default() }).await?;
        if let Some(warning) = resume::warning(&rows, attempt, None) {
            tracing::warn!(target: "toolbox::journal", "{warning}");
        }
        Ok(Some(at.attempt(attempt)))
    })
}
