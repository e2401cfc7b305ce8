//! What the commands around the journal work on, and those of a program that keep something in its store.

use std::fmt;
use std::sync::Arc;

use tool_core::journal::{Journal as _, Row, RowQuery};
use tool_core::{Executor, JournalMode, Registry, ToolContext, ToolError};
use tool_store::SqliteJournal;
use tool_store::sqlite::Pruned;

use super::Store;
use crate::cli::{Cli, Layers, Provide, ReadPolicy, StoredRows, for_command_line};
use crate::provided::provided;
use crate::settings::Settings;
use crate::sight::{AgentSights, Surroundings, read_policy};

/// The store of a program, as its commands find it.
#[derive(Clone)]
pub(crate) struct Ledger {
    store: Store,
    settings: Settings,
    registry: Registry,
    provide: Option<Arc<Provide>>,
    layers: Option<Arc<Layers>>,
    policy: Option<Arc<ReadPolicy>>,
    rows: Option<Arc<StoredRows>>,
    /// What rows say of the program.
    pub(crate) signature: String,
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger").field("place", self.settings.journal()).finish_non_exhaustive()
    }
}

impl Ledger {
    pub(crate) fn new(cli: &Cli, settings: &Settings, registry: &Registry) -> Ledger {
        Ledger {
            store: cli.store.clone(),
            settings: settings.clone(),
            registry: registry.clone(),
            provide: cli.provide.clone(),
            layers: cli.layers.clone(),
            policy: cli.policy.clone(),
            rows: cli.rows.clone(),
            signature: cli.signature(),
        }
    }

    /// The journal, made where there is none.
    pub(crate) fn journal(&self) -> Result<Arc<SqliteJournal>, ToolError> {
        let journal = self.store.journal(&self.settings)?.ok_or_else(|| self.off())?;
        Ok(Arc::clone(journal.open()?))
    }

    /// The journal where there is one: who only looks makes none.
    pub(crate) fn existing(&self) -> Result<Option<Arc<SqliteJournal>>, ToolError> {
        let place = self.settings.journal();
        place.path().ok_or_else(|| self.off())?;
        place.existing().map(|_| self.journal()).transpose()
    }

    /// The recorded calls of a question; none where there is no journal.
    pub(crate) async fn rows(&self, query: &RowQuery) -> Result<Vec<Row>, ToolError> {
        let Some(journal) = self.existing()? else { return Ok(Vec::new()) };
        // What is still queued is written by then, where it is this program that recorded it.
        for row in journal.mark_lost().await? {
            self.store.lost.iter().for_each(|tell| tell(&self.settings, &row));
        }
        Ok(journal.rows(query).await?)
    }

    /// The program's own tools, recorded in the same journal and behind the same layers, gate and policy, and what they find in
    /// their context. Where somebody must consent, those are asked whom `people` has.
    pub(crate) fn tools(
        &self,
        journal: &Arc<SqliteJournal>,
        people: &ToolContext,
    ) -> Result<(Executor, ToolContext), ToolError> {
        let (registry, stored, settings) = (self.registry.clone(), self.rows.clone(), self.settings.clone());
        let policy = read_policy(self.policy.as_deref(), &registry, &settings)?;
        let builder = Executor::standard(registry.clone());
        let builder = builder.gate(AgentSights { registry, stored, settings });
        let builder = builder.approvals(Arc::clone(journal), journal.pepper().0);
        let builder = for_command_line(builder);
        let builder = match policy {
            Some(policy) => builder.policy(policy),
            None => builder,
        };
        let recorder = Arc::clone(journal);
        let builder = builder.journal(recorder, JournalMode::Effects, self.signature.as_str());
        let builder = match &self.layers {
            Some(add) => add(builder, &self.settings)?,
            None => builder,
        };
        let context = provided(self.provide.as_deref(), &self.settings)?;
        Ok((builder.build()?, context.asked_as(people).build()))
    }

    /// What a program forgets with calls that are gone: under what name, and how much it was.
    pub(crate) fn forgotten(&self, pruned: &Pruned) -> Result<Option<(&'static str, usize)>, ToolError> {
        let Some((name, forget)) = &self.store.pruned else { return Ok(None) };
        Ok(Some((name, forget(&self.settings, &pruned.keys)?)))
    }

    /// Why there is no journal.
    pub(crate) fn off(&self) -> ToolError {
        let why = self.settings.journal().why_none();
        ToolError::not_configured(format!("There is no journal: {why}.")).code("journal_off")
    }
}

impl Surroundings {
    /// The program's journal and what is kept beside it, made where there is none.
    ///
    /// # Errors
    /// `not_configured`, code `journal_off`, where there is to be none; those of [`SqliteJournal::open`].
    pub fn journal(&self) -> Result<Arc<SqliteJournal>, ToolError> {
        self.ledger.journal()
    }

    /// The same where there is one: who only looks makes none.
    ///
    /// # Errors
    /// Those of [`journal`](Self::journal).
    pub fn existing_journal(&self) -> Result<Option<Arc<SqliteJournal>>, ToolError> {
        self.ledger.existing()
    }
}
