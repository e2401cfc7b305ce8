//! The journal of a program: its calls are recorded by the settings of a run, and the commands around it look at what was
//! recorded. (calls.md §7, journal.md §14)
//!
//! Where it is says `place`, what is recorded `mode`, and which run the calls belong to `coordinates`.

pub(crate) mod check;
mod coordinates;
mod ledger;
pub(crate) mod mode;
pub(crate) mod place;
pub(crate) mod table;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tool_core::journal::Row;
use tool_core::{ContextBuilder, ExecutorBuilder, JournalMode, MemoryResults, ResultStore, ToolError};
use tool_store::sqlite::{Key, OnLost};
use tool_store::{LazyJournal, Meter, SqliteOptions, StoredApprovals, StoredResults};

pub(crate) use self::ledger::Ledger;
pub use self::place::Place;
use self::table::JournalTable;
use crate::cli::Cli;
use crate::hooks::Measure;
use crate::settings::Settings;

/// Hears of a call whose process died.
pub(crate) type Lost = dyn Fn(&Settings, &Row) + Send + Sync;

/// Forgets what a program kept about calls, by their keys, and says how much that was.
pub(crate) type Forget = dyn Fn(&Settings, &[String]) -> Result<usize, ToolError> + Send + Sync;

/// The journals, by where they are.
type Opened = Mutex<BTreeMap<PathBuf, Arc<LazyJournal>>>;

/// The journals of a program, each opened when the first call needs it.
#[derive(Clone, Default)]
pub(crate) struct Store {
    opened: Arc<Opened>,
    pub(crate) lost: Option<Arc<Lost>>,
    /// What is forgotten with a call, under what name it is told.
    pub(crate) pruned: Option<(&'static str, Arc<Forget>)>,
}

/// The same as settings know it. A journal knows the settings that it was opened with, and must end with the program all the
/// same: they do not hold it.
#[derive(Clone, Default)]
pub(crate) struct Lent {
    opened: Weak<Opened>,
    lost: Option<Arc<Lost>>,
    metrics: Option<Arc<Measure>>,
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lent(…)")
    }
}

/// What is recorded of calls, and where. Runs that differ in it have an executor each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    path: Option<PathBuf>,
    mode: Option<JournalMode>,
    replay_reads: bool,
    wait: Duration,
}

impl Recorded {
    pub(crate) fn of(settings: &Settings) -> Recorded {
        Recorded {
            path: settings.journal().path().map(PathBuf::from),
            mode: mode::calls(settings),
            replay_reads: mode::replays_reads(settings),
            wait: JournalTable::of(settings).wait(),
        }
    }
}

impl Store {
    /// What settings know of it, and of who measures.
    pub(crate) fn lend(&self, metrics: Option<&Arc<Measure>>) -> Lent {
        Lent { opened: Arc::downgrade(&self.opened), lost: self.lost.clone(), metrics: metrics.cloned() }
    }

    /// The journal of a run; `None` where there is to be none. Two that have the same file open in one process would take each
    /// other's locks, so that there is one for each place.
    pub(crate) fn journal(&self, settings: &Settings) -> Result<Option<Arc<LazyJournal>>, ToolError> {
        let Some(path) = settings.journal().path() else { return Ok(None) };
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(journal) = opened.get(path) {
            return Ok(Some(Arc::clone(journal)));
        }
        let journal = Arc::new(LazyJournal::new(path, self.options(settings)?));
        opened.insert(path.to_owned(), Arc::clone(&journal));
        Ok(Some(journal))
    }

    /// The journal, where calls are recorded in it.
    fn recording(&self, settings: &Settings) -> Result<Option<Arc<LazyJournal>>, ToolError> {
        match mode::calls(settings) {
            Some(_) => self.journal(settings),
            None => Ok(None),
        }
    }

    /// The same where tools cannot change it. The usual place is the person's own, wherever the workspace is; a chosen one must
    /// not lie in it.
    pub(crate) fn recording_outside(
        &self,
        settings: &Settings,
    ) -> Result<Option<Arc<LazyJournal>>, ToolError> {
        let journal = self.recording(settings)?;
        if let Some(journal) = journal.as_ref().filter(|_| settings.journal().is_named()) {
            journal.outside_of(&settings.root);
        }
        Ok(journal)
    }

    fn options(&self, settings: &Settings) -> Result<SqliteOptions, ToolError> {
        let mut options = SqliteOptions::default();
        options.min_free = JournalTable::of(settings).min_free();
        let place = settings.journal().variable("JOURNAL");
        options.advice = Some(format!("set {place} to a writable place, or off"));
        let name = settings.journal().key_variable();
        options.key = match settings.variable(&name) {
            Some(text) => Key::of_text(&name, text)?,
            None => Key::File,
        };
        let metrics = settings.store.metrics.as_ref().and_then(|metrics| metrics(settings));
        options.meter = metrics.map(Meter::new).unwrap_or_default();
        if let Some(lost) = &self.lost {
            let (lost, settings) = (Arc::clone(lost), settings.clone());
            options.on_lost = Some(OnLost::new(move |row| lost(&settings, row)));
        }
        Ok(options)
    }

    /// Writes what is queued, and records no more.
    pub(crate) fn close(&self) {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.values().for_each(|journal| journal.close());
    }
}

impl Settings {
    /// The journal of the program and what is kept beside it, opened when it is first needed; `None` where there is to be none,
    /// and when the program has ended.
    ///
    /// # Errors
    /// `not_configured`, code `journal_bad_key`.
    pub fn store(&self) -> Result<Option<Arc<LazyJournal>>, ToolError> {
        let Lent { opened, lost, .. } = self.store.clone();
        match opened.upgrade() {
            Some(opened) => Store { opened, lost, pruned: None }.journal(self),
            None => Ok(None),
        }
    }
}

impl Settings {
    /// Where results are parked that are too long for a model: beside the calls, where calls are recorded, so that the next
    /// process finds them; else in memory.
    ///
    /// # Errors
    /// Those of [`store`](Self::store).
    pub fn results(&self) -> Result<Arc<dyn ResultStore>, ToolError> {
        let journal = if mode::calls(self).is_some() { self.store()? } else { None };
        Ok(match journal {
            Some(journal) => Arc::new(StoredResults::new(journal)),
            None => Arc::new(MemoryResults::default()),
        })
    }
}

impl Cli {
    /// Says who hears of a recorded call whose process died, when the journal is opened the next time.
    #[must_use]
    pub fn lost<F>(mut self, tell: F) -> Cli
    where
        F: Fn(&Settings, &Row) + Send + Sync + 'static,
    {
        self.store.lost = Some(Arc::new(tell));
        self
    }

    /// Forgets what the program kept about calls that `journal prune` removes, by their keys; how much that was is told under
    /// `name`.
    #[must_use]
    pub fn pruned<F>(mut self, name: &'static str, forget: F) -> Cli
    where
        F: Fn(&Settings, &[String]) -> Result<usize, ToolError> + Send + Sync + 'static,
    {
        self.store.pruned = Some((name, Arc::new(forget)));
        self
    }

    /// Records calls as the settings say, and keeps what was approved for good.
    pub(crate) fn recorded(
        &self,
        builder: ExecutorBuilder,
        settings: &Settings,
    ) -> Result<ExecutorBuilder, ToolError> {
        let Some(journal) = self.store.journal(settings)? else { return Ok(builder) };
        let builder = builder.approvals(StoredApprovals(Arc::clone(&journal)), [0; 32]);
        let Some(mode) = mode::calls(settings) else { return Ok(builder) };
        let builder = builder.journal(journal, mode, self.signature());
        let builder = builder.journal_wait(JournalTable::of(settings).wait());
        Ok(if mode::replays_reads(settings) { builder.replay_reads() } else { builder })
    }

    /// What rows say of the program: name and version.
    pub(crate) fn signature(&self) -> String {
        format!("{} {}", self.name, self.version).trim_end().to_owned()
    }

    /// The context of calls at their place in a run, where the environment names one.
    pub(crate) fn placed(
        &self,
        builder: ContextBuilder,
        settings: &Settings,
    ) -> Result<ContextBuilder, ToolError> {
        let journal = self.store.recording_outside(settings)?;
        // A dry run takes no attempt.
        let journal = journal.as_deref().filter(|_| !settings.dry_run);
        Ok(match coordinates::of(settings, journal)? {
            Some(at) => builder.at(at),
            None => builder,
        })
    }
}
