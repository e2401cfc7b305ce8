//! The replay gate: a task that ran effects which no key protects is not started over without consent. (journal.md §7)

use serde_json::json;

use super::row::Row;
use super::store::Unprotected;
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
    let unprotected = Unprotected { before: attempt, except: me.map(str::to_owned) };
    let mut offending: Vec<(String, u32, u32)> = rows
        .iter()
        .filter(|row| unprotected.selects(row) && !row.is_reverted() && !row.did_nothing())
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

impl ReplayGate {
    /// The answer that covers what stands at the gate, if one was given: exactly this fingerprint and attempt.
    pub fn answered(&self, attempt: u32, consents: &[ReplayConsent]) -> Option<bool> {
        let ReplayGate::Ask { fingerprint, .. } = self else { return Some(true) };
        let given = consents.iter().rev();
        let mut given = given.filter(|one| one.attempt == attempt && one.fingerprint == *fingerprint);
        given.next().map(|one| one.allow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Effect;
    use crate::journal::{Resolution, RevertStatus, Status};

    /// A payment of the first attempt that succeeded, by another process.
    fn paid() -> Row {
        Row {
            tool_name: "pay".to_owned(),
            attempt: 1,
            seq: 3,
            status: Status::Ok,
            side_effect: Some(true),
            idempotent: Some(false),
            owner: Some("other".to_owned()),
            ..Row::default()
        }
    }

    fn stops(row: Row, attempt: u32, me: Option<&str>) -> bool {
        replay_gate(&[row], attempt, me) != ReplayGate::Clear
    }

    #[test]
    fn an_earlier_effect_stops_unless_a_repeat_does_no_harm() {
        assert!(stops(paid(), 2, None));
        assert!(
            stops(Row { side_effect: None, idempotent: None, ..paid() }, 2, None),
            "nothing is known of it"
        );
        let failed = Row { status: Status::Error, ..paid() };
        let settled = Row { status: Status::Reconciled, ..paid() };
        assert!(stops(failed.clone(), 2, None) && stops(settled.clone(), 2, None));
        for (why, harmless) in [
            ("a read", Row { side_effect: Some(false), ..paid() }),
            ("idempotent", Row { idempotent: Some(true), ..paid() }),
            ("keyed", Row { takes_key: true, ..paid() }),
            ("a replay", Row { replay_of: Some("1".to_owned()), ..paid() }),
            ("undone", Row { revert_status: Some(RevertStatus::Reverted), ..paid() }),
            ("nothing done", Row { effect: Some(Effect::None), ..failed }),
            ("found not done", Row { resolution: Some(Resolution::NotDone), ..settled }),
        ] {
            assert!(!stops(harmless, 2, None), "{why}");
        }
    }

    #[test]
    fn of_this_attempt_only_what_another_process_did_stops() {
        assert!(stops(paid(), 1, Some("me")));
        assert!(!stops(paid(), 1, Some("other")));
        assert!(!stops(paid(), 1, None));
        assert!(!stops(Row { attempt: 3, ..paid() }, 2, Some("me")));
    }

    #[test]
    fn an_answer_covers_these_calls_and_this_attempt() {
        let gate = replay_gate(&[paid(), Row { seq: 1, ..paid() }], 2, None);
        let ReplayGate::Ask { fingerprint, offending, prompt } = &gate else { panic!("{gate:?}") };
        assert_eq!(offending.iter().map(|call| call.2).collect::<Vec<_>>(), [1, 3]);
        assert!(prompt.contains("pay (attempt 1, seq 1), pay (attempt 1, seq 3)"), "{prompt}");
        let consent = |attempt, allow| ReplayConsent { fingerprint: fingerprint.clone(), attempt, allow };
        assert_eq!(gate.answered(2, &[consent(2, true)]), Some(true));
        assert_eq!(gate.answered(2, &[consent(2, true), consent(2, false)]), Some(false), "the last one");
        assert_eq!(gate.answered(3, &[consent(2, true)]), None);
        let other = replay_gate(&[paid()], 2, None);
        assert_eq!(other.answered(2, &[consent(2, true)]), None);
        assert_eq!(ReplayGate::Clear.answered(2, &[]), Some(true));
    }
}
