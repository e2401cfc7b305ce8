//! The replay gate: a task that ran effects which no key protects is not started over without consent. (journal.md §7)

use serde_json::json;

use super::row::Row;
use crate::canonical;

/// What stands at the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayGate {
    /// Nothing: the attempt may start.
    Clear,
    /// Somebody must consent.
    Ask {
        /// What consent is bound to, together with the attempt.
        fingerprint: String,
        /// The calls: tool, attempt, seq.
        offending: Vec<(String, u32, u32)>,
        /// The question.
        prompt: String,
    },
}

/// An answer that was given before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayConsent {
    /// What it was given for.
    pub fingerprint: String,
    /// The attempt it was given for.
    pub attempt: u32,
    /// Whether the attempt may start.
    pub allow: bool,
}

/// Whether an attempt may start over: `rows` are those of one run, node and iteration, `me` is the owner that asks.
pub fn replay_gate(rows: &[Row], attempt: u32, me: Option<&str>) -> ReplayGate {
    let mut offending: Vec<(String, u32, u32)> = rows
        .iter()
        .filter(|row| is_offending(row, attempt, me))
        .map(|row| (row.tool_name.clone(), row.attempt, row.seq))
        .collect();
    if offending.is_empty() {
        return ReplayGate::Clear;
    }
    offending.sort();
    let fingerprint = canonical::sha256(&json!(offending));
    let calls: Vec<String> = offending
        .iter()
        .map(|(tool, attempt, seq)| format!("{tool} (attempt {attempt}, seq {seq})"))
        .collect();
    let prompt = format!(
        "Earlier attempts ran effects that may happen twice if they are repeated: {}. Go on all the same?",
        calls.join(", ")
    );
    ReplayGate::Ask { fingerprint, offending, prompt }
}

fn is_offending(row: &Row, attempt: u32, me: Option<&str>) -> bool {
    let before =
        row.attempt < attempt || (row.attempt == attempt && me.is_some() && row.owner.as_deref() != me);
    before
        && row.side_effect != Some(false)
        && row.idempotent != Some(true)
        && !row.takes_key
        && row.replay_of.is_none()
        && !row.is_reverted()
        && !row.did_nothing()
}

impl ReplayGate {
    /// The answer that covers what stands at the gate, if one was given: exactly this fingerprint and attempt.
    pub fn answered(&self, attempt: u32, consents: &[ReplayConsent]) -> Option<bool> {
        let ReplayGate::Ask { fingerprint, .. } = self else { return Some(true) };
        let given = consents.iter().rev();
        let mut given = given.filter(|one| one.attempt == attempt && one.fingerprint == *fingerprint);
        given.next().map(|one| one.allow)
    }
}
