//! What was approved, or waits for somebody to decide: consent is bound to exact arguments. (calls.md §5)

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::canonical;
use crate::error::ToolError;
use crate::fingerprint::fingerprint;
use crate::journal::now_ms;
use crate::registry::ToolEntry;

/// Questions that may be open for one agent at once.
pub const QUESTIONS_OPEN: usize = 4;

/// Questions that one agent may lead to in [`QUESTIONS_PERIOD`].
pub const QUESTIONS_MAX: usize = 30;

/// How long a question stays open that nobody answers, and an answer that no call takes. Consent for good stays until it is
/// revoked.
pub const APPROVAL_LIFE: Duration = Duration::from_secs(30 * 24 * 3_600);

/// The period of [`QUESTIONS_MAX`].
pub const QUESTIONS_PERIOD: Duration = Duration::from_secs(3_600);

/// The id of an approval.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ApprovalId(pub String);

impl std::fmt::Display for ApprovalId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalState {
    /// Nobody has decided.
    Pending,
    /// The next call may run.
    Once,
    /// All calls may run until it is revoked.
    Always,
    /// It may not run.
    Denied {
        /// What the person says about it.
        reason: Option<String>,
    },
}

/// One approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// Its id.
    pub id: ApprovalId,
    /// What it is bound to.
    pub hash: String,
    /// Whose call it is.
    pub tenant: String,
    /// Who calls.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// The arguments, redacted as in an audit row: for whoever decides later.
    pub args: Value,
    /// What became of it.
    pub state: ApprovalState,
    /// Since when that holds, in milliseconds since 1970.
    pub at_ms: i64,
}

/// Where approvals are kept. One per hash: a later one replaces it.
pub trait Approvals: Send + Sync {
    /// Whether there is anything to look into: a store that is made when it is first written need not be made to be read.
    fn is_there(&self) -> bool {
        true
    }

    /// The approval of a hash.
    ///
    /// # Errors
    /// `unavailable` where it cannot be known.
    fn find(&self, hash: &str) -> Result<Option<Approval>, ToolError>;

    /// Keeps an approval.
    ///
    /// # Errors
    /// `unavailable` where it cannot be kept.
    fn put(&self, approval: Approval) -> Result<(), ToolError>;

    /// All approvals, by id.
    ///
    /// # Errors
    /// `unavailable` where they cannot be known.
    fn list(&self) -> Result<Vec<Approval>, ToolError>;

    /// Forgets an approval. Says whether there was one.
    ///
    /// # Errors
    /// `unavailable` where it cannot be forgotten.
    fn revoke(&self, id: &ApprovalId) -> Result<bool, ToolError>;

    /// What secret arguments are digested with, where the store keeps such a key.
    fn key(&self) -> Option<[u8; 32]> {
        None
    }

    /// Decides a question later. Says whether there was one.
    ///
    /// # Errors
    /// Those of [`list`](Self::list) and [`put`](Self::put).
    fn decide(&self, id: &ApprovalId, state: ApprovalState) -> Result<bool, ToolError> {
        match self.list()?.into_iter().find(|approval| approval.id == *id) {
            Some(approval) => self.put(Approval { state, at_ms: now_ms(), ..approval }).map(|()| true),
            None => Ok(false),
        }
    }
}

/// Approvals that last as long as the process.
#[derive(Debug, Default)]
pub struct MemoryApprovals(Mutex<BTreeMap<String, Approval>>);

impl MemoryApprovals {
    fn held(&self) -> MutexGuard<'_, BTreeMap<String, Approval>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Approval {
    /// Whether it is over: a question that nobody has answered, or an answer that no call has taken, for
    /// [`APPROVAL_LIFE`].
    pub fn is_over(&self, now_ms: i64) -> bool {
        let life = i64::try_from(APPROVAL_LIFE.as_millis()).unwrap_or(i64::MAX);
        self.state != ApprovalState::Always && now_ms.saturating_sub(self.at_ms) > life
    }
}

impl Approvals for MemoryApprovals {
    fn find(&self, hash: &str) -> Result<Option<Approval>, ToolError> {
        Ok(self.held().get(hash).filter(|approval| !approval.is_over(now_ms())).cloned())
    }

    fn put(&self, approval: Approval) -> Result<(), ToolError> {
        let mut held = self.held();
        held.retain(|_, approval| !approval.is_over(now_ms()));
        held.insert(approval.hash.clone(), approval);
        Ok(())
    }

    fn list(&self) -> Result<Vec<Approval>, ToolError> {
        let mut all: Vec<Approval> = self.held().values().cloned().collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(all)
    }

    fn revoke(&self, id: &ApprovalId) -> Result<bool, ToolError> {
        let mut held = self.held();
        let before = held.len();
        held.retain(|_, approval| approval.id != *id);
        Ok(held.len() < before)
    }
}

/// Shared approvals.
impl<T: Approvals + ?Sized> Approvals for Arc<T> {
    fn is_there(&self) -> bool {
        (**self).is_there()
    }

    fn find(&self, hash: &str) -> Result<Option<Approval>, ToolError> {
        (**self).find(hash)
    }

    fn put(&self, approval: Approval) -> Result<(), ToolError> {
        (**self).put(approval)
    }

    fn list(&self) -> Result<Vec<Approval>, ToolError> {
        (**self).list()
    }

    fn revoke(&self, id: &ApprovalId) -> Result<bool, ToolError> {
        (**self).revoke(id)
    }

    fn key(&self) -> Option<[u8; 32]> {
        (**self).key()
    }
}

/// What consent is bound to: SHA-256 of the canonical `["ap1", tenant, agent, tool, fingerprint, arguments]`, where the
/// arguments are in their normal form and secret ones stand as their digest under `key`.
pub fn approval_hash(tenant: &str, agent: &str, tool: &ToolEntry, args: &Value, key: &[u8; 32]) -> String {
    let args = without_secrets(tool, args, key);
    canonical::sha256(&json!(["ap1", tenant, agent, tool.name(), fingerprint(tool), args]))
}

/// Arguments with the digest of each secret in its place.
pub(super) fn without_secrets(tool: &ToolEntry, args: &Value, key: &[u8; 32]) -> Value {
    let mut args = args.clone();
    for param in tool.def().params.iter().filter(|param| param.keys.secret) {
        if let Some(value) = args.get_mut(param.name).filter(|value| !value.is_null()) {
            *value = json!({"$secret": keyed_digest(value, key)});
        }
    }
    args
}

/// HMAC-SHA-256 of the canonical form, in hex.
fn keyed_digest(value: &Value, key: &[u8; 32]) -> String {
    // A key of 32 bytes is shorter than a block: none is refused.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return String::new() };
    mac.update(canonical::text(value).as_bytes());
    canonical::hex(&mac.finalize().into_bytes())
}

/// How many questions agents lead to: a model cannot wear a person down.
#[derive(Debug, Default)]
pub(super) struct Flood(Mutex<HashMap<String, Asked>>);

#[derive(Debug, Default)]
struct Asked {
    open: usize,
    recent: VecDeque<Instant>,
}

impl Flood {
    /// Opens a question for an agent until the guard is dropped; `None` where there are too many.
    pub(super) fn open(&self, agent: &str, now: Instant) -> Option<Question<'_>> {
        let mut agents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = agents.entry(agent.to_owned()).or_default();
        while asked.recent.front().is_some_and(|first| now.duration_since(*first) >= QUESTIONS_PERIOD) {
            asked.recent.pop_front();
        }
        if asked.open >= QUESTIONS_OPEN || asked.recent.len() >= QUESTIONS_MAX {
            return None;
        }
        asked.open += 1;
        asked.recent.push_back(now);
        Some(Question { flood: self, agent: agent.to_owned() })
    }
}

/// An open question.
pub(super) struct Question<'a> {
    flood: &'a Flood,
    agent: String,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        let mut agents = self.flood.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asked) = agents.get_mut(&self.agent) {
            asked.open = asked.open.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_answers_or_takes_is_over_after_its_life_and_consent_for_good_is_not() {
        let kept = MemoryApprovals::default();
        let life = i64::try_from(APPROVAL_LIFE.as_millis()).unwrap();
        let put = |hash: &str, state: ApprovalState, age: i64| {
            let id = ApprovalId(hash.to_owned());
            let (tenant, agent, tool) = (String::new(), "bot".to_owned(), "t".to_owned());
            let (hash, args, at_ms) = (hash.to_owned(), json!({}), now_ms() - age);
            kept.put(Approval { id, hash, tenant, agent, tool, args, state, at_ms }).unwrap();
        };
        let denied = || ApprovalState::Denied { reason: None };
        for (age, left) in [(life - 60_000, 4), (life + 1, 1)] {
            let states = [ApprovalState::Pending, ApprovalState::Once, denied(), ApprovalState::Always];
            for (nth, state) in states.into_iter().enumerate() {
                put(&nth.to_string(), state, age);
            }
            let found = |nth: usize| kept.find(&nth.to_string()).unwrap().is_some();
            assert_eq!((0..4).filter(|nth| found(*nth)).count(), left);
        }
        put("new", ApprovalState::Pending, 0);
        assert_eq!(kept.list().unwrap().len(), 2, "what is over goes when something is written");
    }

    /// Keeps nothing, is not there, and has a key.
    struct Elsewhere;

    impl Approvals for Elsewhere {
        fn is_there(&self) -> bool {
            false
        }
        fn find(&self, _: &str) -> Result<Option<Approval>, ToolError> {
            Ok(None)
        }
        fn put(&self, _: Approval) -> Result<(), ToolError> {
            Ok(())
        }
        fn list(&self) -> Result<Vec<Approval>, ToolError> {
            Ok(Vec::new())
        }
        fn revoke(&self, _: &ApprovalId) -> Result<bool, ToolError> {
            Ok(false)
        }
        fn key(&self) -> Option<[u8; 32]> {
            Some([7; 32])
        }
    }

    #[test]
    fn a_store_that_says_nothing_is_there_without_a_key_and_a_shared_one_is_like_the_one_that_is_shared() {
        let said = |approvals: &dyn Approvals| (approvals.is_there(), approvals.key());
        assert_eq!(said(&MemoryApprovals::default()), (true, None));
        assert_eq!(said(&Arc::new(MemoryApprovals::default())), (true, None));
        assert_eq!(said(&Arc::new(Elsewhere)), (false, Some([7; 32])));
    }

    #[test]
    fn four_questions_are_open_at_once_and_thirty_an_hour() {
        let flood = Flood::default();
        let start = Instant::now();
        let open: Vec<_> = (0..4).map(|_| flood.open("bot", start).unwrap()).collect();
        assert!(flood.open("bot", start).is_none());
        assert!(flood.open("other", start).is_some(), "agents do not count for each other");
        drop(open);
        for _ in 4..30 {
            assert!(flood.open("bot", start).is_some());
        }
        assert!(flood.open("bot", start + QUESTIONS_PERIOD - Duration::from_millis(1)).is_none());
        assert!(flood.open("bot", start + QUESTIONS_PERIOD).is_some());
    }
}
