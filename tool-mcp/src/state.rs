//! What a suspended call comes back with: its rounds and answers, sealed so that a client can carry them and not change them.
//! (mcp.md §6)

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tool_core::{ToolEntry, ToolError, fingerprint};
use uuid::Uuid;

/// How long a question may be answered.
pub const STATE_LIFE: Duration = Duration::from_secs(10 * 60);

/// The least length of a key, in bytes.
const KEY_BYTES: usize = 32;

/// The key of the question whether a call may run, and what the keys of those of nested calls begin with.
pub(crate) const APPROVAL: &str = "approval";

/// The version of what is sealed.
const VERSION: u8 = 1;

/// A call between two rounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    v: u8,
    pub(crate) call_id: String,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) round: u32,
    /// How often a key was answered with what does not fit.
    pub(crate) tries: BTreeMap<String, u32>,
    /// What was answered before.
    pub(crate) answers: BTreeMap<String, Value>,
    /// The keys whose answers are awaited: no other is taken.
    pub(crate) open: BTreeSet<String>,
}

impl State {
    /// A call in its first round.
    pub(crate) fn first(idempotency_key: Option<String>) -> State {
        let call_id = Uuid::now_v7().to_string();
        State { v: VERSION, call_id, idempotency_key, ..State::default() }
    }

    /// Takes answers that came with the first round, before they were asked for. Consent is none of them: nobody has seen what
    /// it would be to.
    pub(crate) fn foresee<'a>(&mut self, answers: impl Iterator<Item = (&'a String, &'a Value)>) {
        let own = answers.filter(|(key, _)| !key.starts_with(APPROVAL));
        self.answers.extend(own.map(|(key, answer)| (key.clone(), answer.clone())));
    }

    /// Takes the answers that are awaited.
    pub(crate) fn take(&mut self, answers: &BTreeMap<String, Value>) {
        for key in std::mem::take(&mut self.open) {
            if let Some(answer) = answers.get(&key).filter(|answer| !answer.is_null()) {
                self.answers.insert(key, answer.clone());
            }
        }
    }
}

/// What seals states.
pub(crate) struct Seal(RequestStateCodec);

impl Seal {
    /// A seal of this process alone.
    pub(crate) fn of_process() -> Seal {
        let key = [Uuid::new_v4().into_bytes(), Uuid::new_v4().into_bytes(), Uuid::new_v4().into_bytes()];
        Seal(RequestStateCodec::new_unchecked(key.concat()))
    }

    /// A seal that several processes share.
    pub(crate) fn shared(key: &[u8]) -> Result<Seal, ToolError> {
        RequestStateCodec::try_new(key).map(Seal).map_err(|_| {
            ToolError::invalid_args(format!("The state secret has fewer than {KEY_BYTES} bytes."))
                .code("state_secret_short")
        })
    }

    pub(crate) fn seal(&self, state: &State, bound: &[u8]) -> Option<String> {
        self.seal_for(state, bound, STATE_LIFE)
    }

    fn seal_for(&self, state: &State, bound: &[u8], life: Duration) -> Option<String> {
        let options = SealOptions::new().associated_data(bound).ttl(life);
        self.0.seal_json_with(state, &options).ok()
    }

    /// The state; `None` for one that is forged, expired or another call's.
    pub(crate) fn open(&self, sealed: &str, bound: &[u8]) -> Option<State> {
        self.0.open_json_with::<State>(sealed, bound).ok().filter(|state| state.v == VERSION)
    }
}

/// What a state is bound to: who calls which tool, as it is now, with which arguments.
pub(crate) fn bound(principal: &str, tool: &ToolEntry, args: &Value) -> [u8; 32] {
    let call = json!([principal, tool.name(), canonical(args), fingerprint(tool)]);
    Sha256::digest(call.to_string()).into()
}

/// A value with the members of its objects in order.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let sorted: BTreeMap<&String, Value> =
                members.iter().map(|(key, value)| (key, canonical(value))).collect();
            json!(sorted)
        }
        Value::Array(items) => items.iter().map(canonical).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_awaited_answers_are_taken() {
        let mut state = State::first(None);
        state.open.insert("name".to_owned());
        let answers = BTreeMap::from([
            ("name".to_owned(), json!({"action": "accept"})),
            ("approval".to_owned(), json!(1)),
        ]);
        state.take(&answers);
        assert_eq!(state.answers.keys().collect::<Vec<_>>(), ["name"]);
        state.take(&answers);
        assert_eq!(state.answers.len(), 1, "nothing is awaited any more");
    }

    #[test]
    fn a_state_is_not_opened_after_its_life() {
        assert_eq!(STATE_LIFE, Duration::from_secs(600));
        let (seal, state) = (Seal::of_process(), State::first(None));
        let sealed = seal.seal_for(&state, b"this", Duration::from_millis(1)).unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(10);
        while seal.open(&sealed, b"this").is_some() {
            assert!(std::time::Instant::now() < deadline, "it is over after a millisecond");
        }
        assert!(seal.open(&seal.seal(&state, b"this").unwrap(), b"this").is_some());
    }

    #[test]
    fn a_state_is_opened_by_what_it_is_bound_to_and_nothing_else() {
        let (seal, state) = (Seal::of_process(), State::first(Some("k".to_owned())));
        let sealed = seal.seal(&state, b"this").unwrap();
        assert_eq!(seal.open(&sealed, b"this"), Some(state));
        assert_eq!(seal.open(&sealed, b"that"), None);
        assert_eq!(Seal::of_process().open(&sealed, b"this"), None);
        for at in 0..sealed.len() {
            let mut flipped = sealed.clone().into_bytes();
            flipped[at] ^= 1;
            let flipped = String::from_utf8(flipped).unwrap();
            assert_eq!(seal.open(&flipped, b"this"), None, "byte {at}");
        }
        assert!(Seal::shared(b"short").is_err());
        assert!(Seal::shared(&[7; 32]).is_ok());
    }
}
