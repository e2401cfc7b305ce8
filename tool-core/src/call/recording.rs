//! What a running call knows of its own record: its id, its keys, and who settles it when its outcome comes late.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::CallScope;
use super::coordinates::RunScope;
use crate::canonical;
use crate::context::ToolContext;
use crate::journal::Equal;
use crate::journal::key::{Keys, Named, Pepper, Place, canonical_arguments, effect_key};
use crate::output::ToolResult;

/// Who hears of an outcome that comes when nobody waits for it any more.
pub(crate) type Late = Box<dyn Fn(&ToolResult) + Send + Sync>;

/// What a call knows of its record.
#[derive(Default)]
pub(crate) struct Recording {
    pub(crate) run: Option<Arc<RunScope>>,
    /// The key that the caller gave.
    pub(crate) explicit: Option<String>,
    id: OnceLock<String>,
    /// Boxed, since most calls have none and every call is moved.
    identity: OnceLock<Box<Identity>>,
    key_read: AtomicBool,
    /// Whether anything is written about the call.
    begun: AtomicBool,
    late: OnceLock<Late>,
}

/// What makes a call the same as another one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity {
    pub(crate) keys: Keys,
    pub(crate) ordinal: u32,
    /// What the ordinal was reserved among.
    pub(crate) equal: Option<Equal>,
    pub(crate) args_sha256: String,
    /// The keys under the tool's former names.
    pub(crate) former: Vec<(String, String)>,
}

impl Recording {
    pub(crate) fn new(run: Option<Arc<RunScope>>, explicit: Option<String>) -> Recording {
        Recording { run, explicit, ..Recording::default() }
    }

    pub(crate) fn set_identity(&self, identity: Identity) -> &Identity {
        self.identity.get_or_init(|| Box::new(identity))
    }

    pub(crate) fn identity(&self) -> Option<&Identity> {
        self.identity.get().map(|identity| &**identity)
    }

    pub(crate) fn set_begun(&self) {
        self.begun.store(true, Ordering::Relaxed);
    }

    /// The call ended with a question: it is begun anew with the answer.
    pub(crate) fn suspend(&self) {
        self.begun.store(false, Ordering::Relaxed);
    }

    pub(crate) fn is_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed)
    }

    pub(crate) fn key_was_read(&self) -> bool {
        self.key_read.load(Ordering::Relaxed)
    }

    pub(crate) fn on_late(&self, late: Late) {
        let _ = self.late.set(late);
    }

    /// Hands on an outcome that nobody waits for.
    pub(crate) fn late(&self, result: &ToolResult) {
        if let Some(late) = self.late.get() {
            late(result);
        }
    }
}

impl CallScope {
    /// The id of the call: the caller's, else one that is made when it is first asked for.
    pub fn id(&self) -> &str {
        match self.call_id() {
            Some(given) => given,
            None => self.recording().id.get_or_init(|| uuid::Uuid::now_v7().to_string()),
        }
    }

    /// The key of the call.
    pub(crate) fn key(&self) -> &str {
        let identity = self.recording().identity.get_or_init(|| {
            let nothing = Value::Null;
            let args = self.args().map_or(&nothing, |args| args);
            let identity = self.tool_def().map(|(name, def)| {
                let arguments = canonical_arguments(def, args, &Pepper::default());
                let args_sha256 = canonical::sha256(&arguments);
                self.identify(name, &[], (&arguments, args_sha256), &[])
            });
            Box::new(identity.unwrap_or_default())
        });
        &identity.keys.tool_key
    }

    /// Finds out which call this is, by its canonical arguments and their digest; `taken` are the ordinals that equal calls have
    /// in the journal.
    pub(crate) fn identify(
        &self,
        name: &str,
        aliases: &[&str],
        (arguments, args_sha256): (&Value, String),
        taken: &[u32],
    ) -> Identity {
        let recording = self.recording();
        let run = recording.run.as_deref();
        if let Some(row) = run.and_then(|run| run.recovers.as_deref()) {
            let keys =
                Keys { form: row.key_form, tool_key: row.tool_key.clone(), call_key: row.call_key.clone() };
            let args_sha256 = row.args_sha256.clone();
            return Identity { keys, ordinal: row.ordinal, args_sha256, ..Identity::default() };
        }
        let explicit = recording.explicit.as_deref();
        let parent_key = self.parent().map(|parent| parent.key().to_owned());
        let at = run.map(|run| &run.at);
        let equal = at.filter(|at| !at.run_id.is_empty() && explicit.is_none()).map(|at| Equal {
            attempt: at.attempt,
            parent_key: parent_key.clone(),
            tool: name.to_owned(),
            args_sha256: args_sha256.clone(),
        });
        let ordinal = match (&equal, run) {
            (Some(equal), Some(run)) => run.ordinals.reserve(equal, taken.iter().copied()),
            _ => 0,
        };
        let place = Place {
            tenant: at.map_or("", |at| &at.tenant),
            run: at.map_or("", |at| &at.run_id),
            node: at.map_or("", |at| &at.node_id),
            iteration: at.map_or(0, |at| at.iteration),
            parent_key: parent_key.as_deref(),
        };
        let named = |tool| Named { tool, arguments, ordinal, call_id: self.id() };
        let legacy = at.is_some_and(|at| at.legacy_keys);
        let keys = place.keys(named(name), explicit, legacy);
        let former = aliases
            .iter()
            .map(|alias| ((*alias).to_owned(), place.keys(named(alias), explicit, legacy).call_key))
            .collect();
        Identity { keys, ordinal, equal, args_sha256, former }
    }
}

impl ToolContext {
    /// The key of this call: hand it to whatever has the effect, so that a repeat has none. Equal calls of later attempts
    /// have the same key. Empty outside of a call.
    ///
    /// A bank that knows the header of <https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/> takes the
    /// money once, however often the process dies and the run is started again:
    ///
    /// ```
    /// use tool_core::prelude::*;
    ///
    /// /// Pays for an order.
    /// #[tool(side_effect, idempotent = false, open_world)]
    /// fn pay(
    ///     /// What for.
    ///     order: &str,
    ///     /// How much.
    ///     amount: u64,
    ///     ctx: &ToolContext,
    /// ) -> Result<String, ToolError> {
    ///     let body = format!("{{\"order\":\"{order}\",\"amount\":{amount}}}");
    ///     post(&[("Idempotency-Key", ctx.idempotency_key())], &body)
    ///         .map_err(|error| ToolError::unavailable("The bank cannot be reached.").source(error))
    /// }
    /// # fn post(_: &[(&str, &str)], _: &str) -> std::io::Result<String> { Ok(String::new()) }
    /// ```
    pub fn idempotency_key(&self) -> &str {
        self.running().map_or("", |call| {
            call.recording().key_read.store(true, Ordering::Relaxed);
            call.key()
        })
    }

    /// The key of one step of a call with several effects.
    pub fn effect_key(&self, step: &str) -> String {
        effect_key(self.idempotency_key(), step)
    }
}
