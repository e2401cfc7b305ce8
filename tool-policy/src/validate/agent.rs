//! The keys of an agent.

use std::collections::BTreeMap;

use tool_core::{ApprovalLevel, Limits, Pattern, Rate, Row, RowSource, ToolApproval};

use super::{Validator, enables};
use crate::mistake::{MistakeCode, Position};
use crate::policy::{AgentPolicy, ToolPolicy};
use crate::tree::{Kind, Node};

/// The keys of an agent, besides the name that a list of agents has.
pub(crate) const AGENT_KEYS: [&str; 8] =
    ["tools", "flags", "approve", "rate", "burst", "max_concurrent", "max_calls_per_run", "tool_config"];

const LEVELS: [(&str, ToolApproval); 4] = [
    ("never", ToolApproval::Never),
    ("destructive", ToolApproval::Level(ApprovalLevel::Destructive)),
    ("side_effect", ToolApproval::Level(ApprovalLevel::SideEffect)),
    ("always", ToolApproval::Level(ApprovalLevel::Always)),
];

/// What an agent, or the defaults, say.
#[derive(Clone, Debug, Default)]
pub(crate) struct AgentKeys {
    rows: Option<Vec<Row>>,
    flags: Option<BTreeMap<String, bool>>,
    approve: Option<ToolApproval>,
    rate: Rates,
    max_concurrent: Option<u32>,
    max_calls_per_run: Option<u64>,
    pub(super) tools: Option<BTreeMap<String, (Position, ToolPolicy)>>,
}

/// A rate and a burst as they stand in a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    rate: Option<Rate>,
    burst: Option<(Position, u32)>,
}

impl Rates {
    /// Both together, the missing one from somewhere else.
    fn or(&self, other: &Rates) -> (Option<Rate>, Option<Position>) {
        let rate = self.rate.or(other.rate);
        let burst = self.burst.or(other.burst.filter(|_| self.rate.is_none()));
        match (rate, burst) {
            (Some(rate), Some((_, burst))) => (Some(Rate { burst, ..rate }), None),
            (rate, burst) => (rate, burst.map(|burst| burst.0)),
        }
    }
}

impl Validator<'_> {
    pub(super) fn agent_keys(&mut self, node: &Node, more: &[&str]) -> AgentKeys {
        let known: Vec<&str> = AGENT_KEYS.iter().chain(more).copied().collect();
        let mut keys = AgentKeys::default();
        for (key, value) in self.members(node, &known) {
            match key.text.as_str() {
                "tools" => keys.rows = self.rows(value),
                "flags" => keys.flags = Some(self.flags(value)),
                "approve" => keys.approve = self.word(value, &LEVELS),
                "rate" => keys.rate.rate = self.rate(value),
                "burst" => keys.rate.burst = self.burst(value).map(|burst| (key.at, burst)),
                "max_concurrent" => keys.max_concurrent = self.small_count(value),
                "max_calls_per_run" => keys.max_calls_per_run = self.count(value, i64::MAX),
                "tool_config" => keys.tools = Some(self.tool_configs(value)),
                _ => {}
            }
        }
        keys
    }

    /// An agent with what the defaults say where it says nothing.
    pub(super) fn finish(&mut self, own: AgentKeys, defaults: &AgentKeys) -> AgentPolicy {
        let (rate, alone) = own.rate.or(&defaults.rate);
        if let Some(at) = alone {
            self.wrong(at, MistakeCode::NoEffect, "burst does nothing without rate");
        }
        let rows = own.rows.or_else(|| defaults.rows.clone()).unwrap_or_default();
        for (name, (at, _)) in own.tools.iter().flatten() {
            let enabled = self.registry.get(name).is_none_or(|tool| enables(&rows, tool));
            if !enabled {
                let text = format!("{name} is not among the tools of this agent");
                self.wrong(*at, MistakeCode::NoEffect, text);
            }
        }
        let tools = own.tools.or_else(|| defaults.tools.clone()).unwrap_or_default();
        AgentPolicy {
            rows,
            flags: own.flags.or_else(|| defaults.flags.clone()).unwrap_or_default(),
            approve: own
                .approve
                .or(defaults.approve)
                .unwrap_or(ToolApproval::Level(ApprovalLevel::Destructive)),
            limits: Limits {
                rate,
                max_concurrent: own.max_concurrent.or(defaults.max_concurrent),
                max_calls_per_run: own.max_calls_per_run.or(defaults.max_calls_per_run),
                ..Limits::default()
            },
            tools: tools.into_iter().map(|(name, (_, tool))| (name, tool)).collect(),
        }
    }

    fn rows(&mut self, node: &Node) -> Option<Vec<Row>> {
        let texts = self.texts(node, "tools")?;
        let mut rows = Vec::new();
        for (at, text) in texts {
            match Pattern::parse(&text) {
                Err(error) => {
                    let text = error.message().trim_end_matches('.').to_owned();
                    self.wrong(at, MistakeCode::BadPattern, text);
                }
                Ok(pattern) => {
                    match pattern.exact_name() {
                        Some(name) => {
                            self.tool(name, at);
                        }
                        None if pattern.is_agent() => {}
                        None if self.registry.iter().any(|tool| pattern.matches(tool)) => {}
                        None => {
                            let text = format!("\"{text}\" matches no tool");
                            self.wrong(at, MistakeCode::NoEffect, text);
                        }
                    }
                    rows.push(Row::new(pattern, RowSource::Policy));
                }
            }
        }
        Some(rows)
    }

    fn flags(&mut self, node: &Node) -> BTreeMap<String, bool> {
        let mut flags = BTreeMap::new();
        for (key, value) in self.table(node) {
            match value.kind {
                Kind::Bool(on) => {
                    flags.insert(key.text.clone(), on);
                }
                _ => self.expected(value, "true or false"),
            }
        }
        flags
    }

    pub(super) fn rate(&mut self, node: &Node) -> Option<Rate> {
        let rate = match &node.kind {
            Kind::Text(text) => Rate::parse(text, None),
            _ => None,
        };
        if rate.is_none() {
            self.expected(node, "a rate such as \"100/min\": N/s, N/min, N/h or N/day, N up to 1000000");
        }
        rate
    }

    pub(super) fn burst(&mut self, node: &Node) -> Option<u32> {
        self.count(node, 1_000_000).and_then(|count| u32::try_from(count).ok())
    }

    pub(super) fn small_count(&mut self, node: &Node) -> Option<u32> {
        self.count(node, i64::from(u32::MAX)).and_then(|count| u32::try_from(count).ok())
    }

    /// A rate with its burst, where there is no other place for either.
    pub(super) fn own_rate(&mut self, rate: Option<Rate>, burst: Option<(Position, u32)>) -> Option<Rate> {
        let (rate, alone) = Rates { rate, burst }.or(&Rates::default());
        if let Some(at) = alone {
            self.wrong(at, MistakeCode::NoEffect, "burst does nothing without rate");
        }
        rate
    }
}
