//! `tool_config`: what holds for one tool of an agent.

use std::collections::BTreeMap;
use std::time::Duration;

use tool_core::def::Hint;
use tool_core::{ToolApproval, ToolEntry};

use super::Validator;
use crate::mistake::{MistakeCode, Position};
use crate::policy::ToolPolicy;
use crate::rules::commands::CommandPattern;
use crate::rules::domains::DomainPattern;
use crate::rules::paths::PathPattern;
use crate::rules::recipients::RecipientPattern;
use crate::tree::{Key, Kind, Node};

const KEYS: [&str; 15] = [
    "args",
    "allowed_paths",
    "denied_paths",
    "allowed_domains",
    "denied_domains",
    "allowed_recipients",
    "denied_recipients",
    "allowed_commands",
    "denied_commands",
    "approve",
    "rate",
    "burst",
    "max_concurrent",
    "max_calls_per_run",
    "timeout",
];

/// The last key, beside the others.
const OUTPUT: &str = "max_output_bytes";

const APPROVALS: [(&str, ToolApproval); 2] = [("ask", ToolApproval::Ask), ("never", ToolApproval::Never)];

/// The longest `timeout`.
const TIMEOUT_MAX: Duration = Duration::from_secs(3_600);

/// The units of a duration, longest word first.
const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// The hints of the parameters that a kind of lists judges.
pub(crate) const PATH_HINTS: [Hint; 3] = [Hint::File, Hint::Dir, Hint::Path];
pub(crate) const DOMAIN_HINTS: [Hint; 2] = [Hint::Url, Hint::Host];
pub(crate) const COMMAND_HINTS: [Hint; 2] = [Hint::Command, Hint::Shell];

impl Validator<'_> {
    pub(super) fn tool_configs(&mut self, node: &Node) -> BTreeMap<String, (Position, ToolPolicy)> {
        let mut tools = BTreeMap::new();
        for (key, value) in self.table(node) {
            let Some(tool) = self.tool(&key.text, key.at) else { continue };
            let policy = self.tool_config(tool, value);
            if tools.insert(tool.name().to_owned(), (key.at, policy)).is_some() {
                let text = format!("{} is configured here twice", tool.name());
                self.wrong(key.at, MistakeCode::Duplicate, text);
            }
        }
        tools
    }

    fn tool_config(&mut self, tool: &ToolEntry, node: &Node) -> ToolPolicy {
        let mut policy = ToolPolicy::default();
        let (mut rate, mut burst) = (None, None);
        let known: Vec<&str> = KEYS.into_iter().chain([OUTPUT]).collect();
        for (key, value) in self.members(node, &known) {
            match key.text.as_str() {
                "args" => policy.args = self.args(tool, value),
                "approve" => policy.approve = self.word(value, &APPROVALS),
                "rate" => rate = self.rate(value),
                "burst" => burst = self.burst(value).map(|burst| (key.at, burst)),
                "max_concurrent" => policy.limits.max_concurrent = self.small_count(value),
                "max_calls_per_run" => policy.limits.max_calls_per_run = self.count(value, i64::MAX),
                "timeout" => policy.limits.timeout = self.timeout(value),
                OUTPUT => {
                    policy.limits.max_output_bytes =
                        self.count(value, i64::MAX).and_then(|count| usize::try_from(count).ok());
                }
                list => self.list(tool, list, key, value, &mut policy),
            }
        }
        policy.limits.rate = self.own_rate(rate, burst);
        policy
    }

    /// One of the lists of what is allowed or denied.
    fn list(&mut self, tool: &ToolEntry, list: &str, key: &Key, value: &Node, policy: &mut ToolPolicy) {
        let allowed = list.starts_with("allowed");
        let has = |hints: &[Hint]| {
            tool.def().params.iter().any(|param| param.keys.hint.is_some_and(|hint| hints.contains(&hint)))
        };
        let (judged, enforced) = match list.split_once('_').map_or("", |split| split.1) {
            "paths" => (has(&PATH_HINTS), true),
            "domains" => (has(&DOMAIN_HINTS), true),
            "recipients" => (has(&[Hint::Email]), true),
            // What a shell makes of a line cannot be known, so nothing can be kept out of it.
            _ => (has(&COMMAND_HINTS), allowed || !has(&[Hint::Shell])),
        };
        if !judged {
            let text = format!("{} has no parameter that {list} could judge", tool.name());
            self.wrong(key.at, MistakeCode::NoEffect, text);
        } else if !enforced {
            let text = format!("{list} cannot be enforced on a shell line; use allowed_commands");
            self.wrong(key.at, MistakeCode::NoEffect, text);
        }
        let Some(texts) = self.texts(value, "patterns") else { return };
        let paths = self.paths.clone();
        match list.split_once('_').map_or("", |split| split.1) {
            "paths" => {
                let list = self.patterns(texts, |text| PathPattern::parse(text, &paths));
                *slot(allowed, &mut policy.paths.allowed, &mut policy.paths.denied) = Some(list);
            }
            "domains" => {
                let list = self.patterns(texts, DomainPattern::parse);
                *slot(allowed, &mut policy.domains.allowed, &mut policy.domains.denied) = Some(list);
            }
            "recipients" => {
                let list = self.patterns(texts, RecipientPattern::parse);
                *slot(allowed, &mut policy.recipients.allowed, &mut policy.recipients.denied) = Some(list);
            }
            _ => {
                let list = self.patterns(texts, CommandPattern::parse);
                policy.command_positions.push(key.at);
                *slot(allowed, &mut policy.commands.allowed, &mut policy.commands.denied) = Some(list);
            }
        }
    }

    fn patterns<P>(
        &mut self,
        texts: Vec<(Position, String)>,
        parse: impl Fn(&str) -> Result<P, String>,
    ) -> Vec<(String, P)> {
        let mut patterns = Vec::new();
        for (at, text) in texts {
            match parse(&text) {
                Ok(pattern) => patterns.push((text, pattern)),
                Err(why) => {
                    let shown: String = text.chars().take(80).collect();
                    self.wrong(at, MistakeCode::BadPattern, format!("\"{shown}\" is no pattern here: {why}"));
                }
            }
        }
        patterns
    }

    fn timeout(&mut self, node: &Node) -> Option<Duration> {
        let timeout = match &node.kind {
            Kind::Text(text) => duration(text).filter(|limit| (Duration::ZERO..=TIMEOUT_MAX).contains(limit)),
            _ => None,
        };
        let timeout = timeout.filter(|limit| !limit.is_zero());
        if timeout.is_none() {
            self.expected(node, "a time such as \"20s\", from 1ms to 1h");
        }
        timeout
    }
}

fn slot<'s, T>(allowed: bool, first: &'s mut T, second: &'s mut T) -> &'s mut T {
    if allowed { first } else { second }
}

fn duration(text: &str) -> Option<Duration> {
    let (digits, factor) =
        UNITS.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)))?;
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let count: u64 = digits.parse().ok().filter(|_| plain)?;
    count.checked_mul(factor).map(Duration::from_millis)
}
