//! Why a tool is hidden, and what to do about it.

use std::fmt;

use serde_json::{Map, Value};

/// A reason, in the order in which reasons are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The definition's surfaces lack the caller's.
    Surface,
    /// The runtime does not carry the tool's harness category.
    HarnessNotInRuntime,
    /// A spawned agent gets no harness tools.
    HarnessNotForSubAgents,
    /// A row excludes it.
    Excluded,
    /// No row enables it.
    NotEnabled,
    /// A spawned agent was not given it.
    NotInSubset,
    /// A spawned agent does not spawn.
    SpawnNested,
    /// A spawned agent asks no other.
    AgentNotForSubAgents,
    /// A flag named like one of its tags is off.
    FlagOff,
    /// It ends a run, and there is none to end.
    TerminalNotInRuntime,
    /// The agent to ask does not exist.
    AgentUnknown,
    /// The agent to ask is not there.
    AgentOffline,
    /// An agent does not ask itself.
    AgentSelf,
    /// The agent to ask waits for this one.
    AgentCycle,
    /// Agents have asked agents deep enough.
    AgentDepth,
    /// The host does not provide what it needs.
    CapabilityMissing,
    /// A secret that it needs has no value.
    SecretMissing,
}

/// Every reason with its word and what an operator can do about it.
const REASONS: [(Reason, &str, &str); 17] = [
    (Reason::Surface, "surface", "call it from a surface that it is offered on"),
    (
        Reason::HarnessNotInRuntime,
        "harness_not_in_runtime",
        "only a runtime that carries the category offers it",
    ),
    (
        Reason::HarnessNotForSubAgents,
        "harness_not_for_sub_agents",
        "let the agent that spawned this one call it",
    ),
    (Reason::Excluded, "excluded", "remove the row that excludes it"),
    (Reason::NotEnabled, "not_enabled", "add a row that matches it to the agent's tools"),
    (Reason::NotInSubset, "not_in_subset", "name it in the tools that spawn is called with"),
    (Reason::SpawnNested, "spawn_nested", "let the agent that spawned this one spawn"),
    (Reason::AgentNotForSubAgents, "agent_not_for_sub_agents", "let the agent that spawned this one ask"),
    (Reason::FlagOff, "flag_off", "turn the flag on"),
    (Reason::TerminalNotInRuntime, "terminal_not_in_runtime", "call it in a run that can end"),
    (Reason::AgentUnknown, "agent_unknown", "correct the slug in the row, or create the agent"),
    (Reason::AgentOffline, "agent_offline", "start the agent"),
    (Reason::AgentSelf, "agent_self", "an agent cannot ask itself"),
    (Reason::AgentCycle, "agent_cycle", "the agent is waiting for this one already"),
    (Reason::AgentDepth, "agent_depth", "raise max_agent_depth, or ask from an agent further up"),
    (Reason::CapabilityMissing, "capability_missing", "provide the type in the program's context"),
    (Reason::SecretMissing, "secret_missing", "set the secret"),
];

impl Reason {
    /// Every reason, in order.
    pub fn all() -> impl Iterator<Item = Reason> {
        REASONS.iter().map(|row| row.0)
    }

    /// The word on the wire; `tool_` in front of it is the code of a refused call.
    pub fn as_str(self) -> &'static str {
        REASONS.iter().find(|row| row.0 == self).map_or("hidden", |row| row.1)
    }

    /// What an operator can do.
    pub fn advice(self) -> &'static str {
        REASONS.iter().find(|row| row.0 == self).map_or("", |row| row.2)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One reason with what is known of it. Only operators see the detail.
#[derive(Clone, Debug, PartialEq)]
pub struct Hidden {
    /// The reason.
    pub reason: Reason,
    /// Its data, an object: which flags, secrets, rows …
    pub detail: Map<String, Value>,
}

impl Hidden {
    pub(super) fn new(reason: Reason, detail: Value) -> Hidden {
        let detail = match detail {
            Value::Object(detail) => detail,
            _ => Map::new(),
        };
        Hidden { reason, detail }
    }

    /// `{"reason": …}` with the members of the detail.
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        json.insert("reason".to_owned(), Value::from(self.reason.as_str()));
        json.extend(self.detail.clone());
        Value::Object(json)
    }
}
