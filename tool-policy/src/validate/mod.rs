//! One validator for both syntaxes: a tree becomes agents, or mistakes, each at its place.

mod agent;
mod rules;
mod tool_config;

pub(crate) use tool_config::{COMMAND_HINTS, DOMAIN_HINTS, PATH_HINTS};

use std::collections::BTreeMap;

use tool_core::{Registry, Row, ToolEntry};

use crate::mistake::{Mistake, MistakeCode, Position};
use crate::nearest::nearest;
use crate::paths::Paths;
use crate::policy::{AgentPolicy, Syntax};
use crate::tree::{Key, Kind, Node};
use agent::AgentKeys;

const TOP: [&str; 4] = ["version", "defaults", "agents", "listeners"];

/// The agents of a file.
pub(crate) fn validate(
    root: &Node,
    syntax: Syntax,
    registry: &Registry,
    paths: &Paths,
) -> Result<BTreeMap<String, AgentPolicy>, Vec<Mistake>> {
    let mut validator = Validator { registry, paths, mistakes: Vec::new() };
    let agents = validator.file(root, syntax);
    let mut mistakes = validator.mistakes;
    mistakes.sort_by_key(|mistake| mistake.at);
    if mistakes.is_empty() { Ok(agents) } else { Err(mistakes) }
}

pub(crate) struct Validator<'a> {
    registry: &'a Registry,
    paths: &'a Paths,
    mistakes: Vec<Mistake>,
}

impl<'a> Validator<'a> {
    fn file(&mut self, root: &Node, syntax: Syntax) -> BTreeMap<String, AgentPolicy> {
        let (mut version, mut defaults, mut forms) = (None, AgentKeys::default(), Vec::new());
        for (key, value) in self.members(root, &TOP) {
            match key.text.as_str() {
                "version" => version = Some(value),
                "defaults" => defaults = self.agent_keys(value, &[]),
                _ => forms.push((key, value)),
            }
        }
        match version.map(|node| (node.at, &node.kind)) {
            None if syntax == Syntax::Toml => {
                self.wrong(Position::START, MistakeCode::Version, "version = 1 is missing");
            }
            Some((at, kind)) if !matches!(kind, Kind::Integer(1)) => {
                self.wrong(at, MistakeCode::Version, "the version must be 1");
            }
            _ => {}
        }
        if let [_, (second, _)] = forms.as_slice() {
            let text = "agents and listeners cannot both be in one file";
            self.wrong(second.at, MistakeCode::Duplicate, text);
        }
        let mut agents = BTreeMap::new();
        for (key, value) in forms {
            let named = if key.text == "agents" { self.map_form(value) } else { self.list_form(value) };
            for (name, at, keys) in named {
                let merged = self.finish(keys, &defaults);
                if agents.insert(name.clone(), merged).is_some() {
                    let text = format!("the agent \"{name}\" stands here twice");
                    self.wrong(at, MistakeCode::Duplicate, text);
                }
            }
        }
        for (name, (at, _)) in defaults.tools.iter().flatten() {
            let is_enabled =
                |tool: &ToolEntry| agents.values().any(|agent: &AgentPolicy| enables(&agent.rows, tool));
            if !self.registry.get(name).is_none_or(is_enabled) {
                let text = format!("{name} is not among the tools of any agent");
                self.wrong(*at, MistakeCode::NoEffect, text);
            }
        }
        agents
    }

    fn map_form(&mut self, agents: &Node) -> Vec<(String, Position, AgentKeys)> {
        let members = self.table(agents);
        members.iter().map(|(key, value)| (key.text.clone(), key.at, self.agent_keys(value, &[]))).collect()
    }

    fn list_form(&mut self, listeners: &Node) -> Vec<(String, Position, AgentKeys)> {
        let Kind::List(items) = &listeners.kind else {
            self.expected(listeners, "a list of agents, each with a name");
            return Vec::new();
        };
        let mut named = Vec::new();
        for item in items {
            let keys = self.agent_keys(item, &["name"]);
            let Kind::Map(members) = &item.kind else { continue };
            match members.iter().find(|(key, _)| key.text == "name").map(|(_, name)| name) {
                Some(Node { at, kind: Kind::Text(name) }) if !name.is_empty() => {
                    named.push((name.clone(), *at, keys));
                }
                Some(other) => self.expected(other, "the agent's name"),
                None => self.wrong(item.at, MistakeCode::BadValue, "the agent's name is missing"),
            }
        }
        named
    }

    fn wrong(&mut self, at: Position, code: MistakeCode, text: impl Into<String>) {
        let mistake = Mistake { at, code, text: text.into(), suggestion: None };
        // What the defaults have wrong is met by each agent that takes them.
        if !self.mistakes.contains(&mistake) {
            self.mistakes.push(mistake);
        }
    }

    /// A value of the wrong type.
    fn expected(&mut self, node: &Node, what: &str) {
        self.wrong(node.at, MistakeCode::BadValue, format!("expected {what}, found {}", node.what()));
    }

    /// The members of a table.
    fn table<'n>(&mut self, node: &'n Node) -> &'n [(Key, Node)] {
        match &node.kind {
            Kind::Map(members) => members,
            Kind::Null => &[],
            _ => {
                self.expected(node, "a table");
                &[]
            }
        }
    }

    /// The members of a table whose keys are known; the others are mistakes.
    fn members<'n>(&mut self, node: &'n Node, known: &[&str]) -> Vec<(&'n Key, &'n Node)> {
        let mut found = Vec::new();
        for (key, value) in self.table(node) {
            if known.contains(&key.text.as_str()) {
                found.push((key, value));
            } else {
                self.unknown_key(key, known.iter().copied());
            }
        }
        found
    }

    fn unknown_key<'k>(&mut self, key: &Key, known: impl Iterator<Item = &'k str>) {
        let suggestion = nearest(&key.text, known);
        let shown: String = key.text.chars().take(80).collect();
        let text = format!("unknown key \"{shown}\"");
        self.mistakes.push(Mistake { at: key.at, code: MistakeCode::UnknownKey, text, suggestion });
    }

    /// The tool of a name or alias.
    fn tool(&mut self, name: &str, at: Position) -> Option<&'a ToolEntry> {
        let found = self.registry.get(name);
        if found.is_none() {
            let names = self.registry.iter().flat_map(ToolEntry::names);
            let shown: String = name.chars().take(80).collect();
            let (text, suggestion) = (format!("unknown tool \"{shown}\""), nearest(name, names));
            self.mistakes.push(Mistake { at, code: MistakeCode::UnknownTool, text, suggestion });
        }
        found
    }

    /// The texts of a list, each once.
    fn texts(&mut self, node: &Node, what: &str) -> Option<Vec<(Position, String)>> {
        let Kind::List(items) = &node.kind else {
            self.expected(node, &format!("a list of {what}"));
            return None;
        };
        let mut texts: Vec<(Position, String)> = Vec::new();
        for item in items {
            match &item.kind {
                Kind::Text(text) if texts.iter().any(|known| known.1 == *text) => {
                    let text = format!("\"{text}\" stands here twice");
                    self.wrong(item.at, MistakeCode::Duplicate, text);
                }
                Kind::Text(text) => texts.push((item.at, text.clone())),
                _ => self.expected(item, "a text"),
            }
        }
        Some(texts)
    }

    fn word<T: Copy>(&mut self, node: &Node, words: &[(&str, T)]) -> Option<T> {
        let found = match &node.kind {
            Kind::Text(text) => words.iter().find(|row| row.0 == text).map(|row| row.1),
            _ => None,
        };
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|row| row.0).collect();
            let text = format!("expected one of {}", known.join(", "));
            let suggestion = match &node.kind {
                Kind::Text(given) => nearest(given, known),
                _ => None,
            };
            self.mistakes.push(Mistake { at: node.at, code: MistakeCode::BadValue, text, suggestion });
        }
        found
    }

    fn count(&mut self, node: &Node, max: i64) -> Option<u64> {
        match node.kind {
            Kind::Integer(count) if (1..=max).contains(&count) => u64::try_from(count).ok(),
            _ => {
                self.expected(node, &format!("a whole number from 1 to {max}"));
                None
            }
        }
    }
}

/// Whether rows enable a tool.
pub(crate) fn enables(rows: &[Row], tool: &ToolEntry) -> bool {
    let matches = |negative: bool| {
        rows.iter().any(|row| row.pattern().is_negative() == negative && row.pattern().matches(tool))
    };
    matches(false) && !matches(true)
}
