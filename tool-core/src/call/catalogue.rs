//! The stored catalogue and the rows of agents, as pure operations: what a store reads, applies and writes in one
//! transaction. (calls.md §3)
//!
//! A tool that is gone is only retired: its rows are kept and dormant until it is back. Nothing but `prune` deletes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::gate::{Pattern, RowSource};
use crate::error::ToolError;
use crate::registry::{Registry, is_valid, unknown_tool};

/// What the tags of a tool begin with that only a harness offers.
const HARNESS: &str = "harness:";

/// A tool as the catalogue keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Effective name.
    pub name: String,
    /// Further names.
    pub aliases: Vec<String>,
    /// Group.
    pub group: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Fingerprint of the definition.
    pub fingerprint: String,
}

/// The tools of a registry as a catalogue lists them.
pub fn listed(registry: &Registry, fingerprint: impl Fn(&crate::ToolEntry) -> String) -> Vec<Listed> {
    let list = |tool: &crate::ToolEntry| Listed {
        name: tool.name().to_owned(),
        aliases: tool.aliases().map(str::to_owned).collect(),
        group: tool.def().group.map(str::to_owned),
        tags: tool.def().tags.iter().map(|tag| (*tag).to_owned()).collect(),
        fingerprint: fingerprint(tool),
    };
    registry.iter().map(list).collect()
}

/// A stored row: agent, pattern, source.
pub type StoredRow = (String, String, RowSource);

/// The catalogue with everybody's rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// The tools by name, each with whether it is live.
    pub tools: BTreeMap<String, (Listed, bool)>,
    /// The rows, sorted.
    pub rows: BTreeSet<StoredRow>,
}

/// How to bring a catalogue up to a registry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncOptions {
    /// Delete retired tools with their rows.
    pub prune: bool,
    /// Change nothing.
    pub dry_run: bool,
    /// Accept a registry without tools.
    pub allow_empty: bool,
}

/// What a sync did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncReport {
    /// New tools.
    pub added: Vec<String>,
    /// Tools whose definition changed.
    pub changed: Vec<String>,
    /// Tools under another name: the old one, the new one.
    pub renamed: Vec<(String, String)>,
    /// Tools that are gone.
    pub retired: Vec<String>,
    /// Tools that are back.
    pub returned: Vec<String>,
    /// Retired tools that were deleted.
    pub pruned: Vec<String>,
    /// The rows that went with them.
    pub lost_rows: Vec<StoredRow>,
    /// Rows that mean no live tool.
    pub dormant: Vec<StoredRow>,
}

impl SyncReport {
    /// The report as JSON, without empty lists.
    pub fn to_json(&self) -> Value {
        let rows = |rows: &[StoredRow]| -> Value {
            rows.iter().map(|(agent, pattern, source)| json!([agent, pattern, source.to_string()])).collect()
        };
        let members = [
            ("added", json!(self.added)),
            ("changed", json!(self.changed)),
            ("renamed", json!(self.renamed)),
            ("retired", json!(self.retired)),
            ("returned", json!(self.returned)),
            ("pruned", json!(self.pruned)),
            ("lost_rows", rows(&self.lost_rows)),
            ("warnings", self.dormant.iter().map(dormant_json).collect()),
        ];
        let told =
            members.into_iter().filter(|(_, list)| list.as_array().is_some_and(|list| !list.is_empty()));
        told.map(|(name, list)| (name.to_owned(), list)).collect::<serde_json::Map<_, _>>().into()
    }
}

/// The warning for a row that means no live tool.
pub fn dormant_json((agent, pattern, source): &StoredRow) -> Value {
    let (code, tool) = match pattern.strip_prefix('!') {
        Some(tool) => ("exclusion_dormant", tool),
        None => ("row_dormant", pattern.as_str()),
    };
    json!({"code": code, "agent": agent, "tool": tool, "source": source.to_string()})
}

impl Catalogue {
    /// Brings the catalogue up to a registry.
    ///
    /// # Errors
    /// `invalid_args`, code `bad_tool_name`, with all bad names; `conflict`, code `registry_empty`, without tools. Nothing is
    /// changed then.
    pub fn sync(&mut self, registry: &[Listed], options: SyncOptions) -> Result<SyncReport, ToolError> {
        let bad: Vec<&str> =
            registry.iter().map(|tool| tool.name.as_str()).filter(|name| !is_valid(name)).collect();
        if !bad.is_empty() {
            let text = format!("{} names cannot be names of tools.", bad.len());
            return Err(ToolError::invalid_args(text).code("bad_tool_name").detail("names", bad));
        }
        if registry.is_empty() && !options.allow_empty {
            return Err(ToolError::conflict("The registry has no tools.")
                .code("registry_empty")
                .hint("check what is linked, or say --allow-empty"));
        }
        let mut next = self.clone();
        let report = next.apply(registry, options.prune);
        if !options.dry_run {
            *self = next;
        }
        Ok(report)
    }

    fn apply(&mut self, registry: &[Listed], prune: bool) -> SyncReport {
        let mut report = SyncReport::default();
        let names: BTreeSet<&str> = registry.iter().map(|tool| tool.name.as_str()).collect();
        for tool in registry {
            let former = tool
                .aliases
                .iter()
                .find(|alias| self.tools.contains_key(*alias) && !names.contains(alias.as_str()));
            if let Some(former) = former.cloned() {
                self.rename(&former, &tool.name);
                report.renamed.push((former, tool.name.clone()));
            } else {
                match self.tools.get(&tool.name) {
                    None => report.added.push(tool.name.clone()),
                    Some((_, false)) => report.returned.push(tool.name.clone()),
                    Some((stored, true)) if stored.fingerprint != tool.fingerprint => {
                        report.changed.push(tool.name.clone());
                    }
                    Some(_) => {}
                }
            }
            self.tools.insert(tool.name.clone(), (tool.clone(), true));
        }
        for (name, (_, live)) in self.tools.iter_mut().filter(|(name, _)| !names.contains(name.as_str())) {
            if std::mem::replace(live, false) {
                report.retired.push(name.clone());
            }
        }
        report.dormant = self.dormant().cloned().collect();
        if prune {
            report.pruned =
                self.tools.iter().filter(|(_, tool)| !tool.1).map(|(name, _)| name.clone()).collect();
            self.tools.retain(|_, tool| tool.1);
            let gone: BTreeSet<StoredRow> =
                self.rows.iter().filter(|row| is_about(row, &report.pruned)).cloned().collect();
            self.rows.retain(|row| !gone.contains(row));
            report.lost_rows = gone.into_iter().collect();
        }
        report
    }

    /// Takes a tool and its rows to another name.
    fn rename(&mut self, from: &str, to: &str) {
        self.tools.remove(from);
        self.rows = std::mem::take(&mut self.rows)
            .into_iter()
            .map(|(agent, pattern, source)| {
                let renamed = match pattern.strip_prefix('!') {
                    _ if pattern == from => to.to_owned(),
                    Some(excluded) if excluded == from => format!("!{to}"),
                    _ => pattern,
                };
                (agent, renamed, source)
            })
            .collect();
    }

    /// The rows that name a tool which is not live.
    pub fn dormant(&self) -> impl Iterator<Item = &StoredRow> {
        let is_live = |name: &str| self.tools.get(name).is_some_and(|tool| tool.1);
        self.rows.iter().filter(move |row| exact(&row.1).is_some_and(|name| !is_live(&name)))
    }

    /// Adds a manual row. Says whether it is new.
    ///
    /// # Errors
    /// `bad_agent`, `bad_pattern` and `bad_agent_slug`; `not_found`, code `unknown_tool`, for a name that no live tool has;
    /// `harness_not_grantable` for one that only a harness offers.
    pub fn enable(&mut self, agent: &str, pattern: &str) -> Result<bool, ToolError> {
        check_agent(agent)?;
        Pattern::parse(pattern)?;
        let mut row = pattern.to_owned();
        if let Some(name) = exact(pattern) {
            let resolved = self.resolve(std::slice::from_ref(&name), false)?.remove(0);
            row = row.replace(&name, &resolved);
        }
        Ok(self.rows.insert((agent.to_owned(), row, RowSource::Manual)))
    }

    /// Removes a manual row. Says whether there was one, and the rows that still enable what it enabled.
    ///
    /// # Errors
    /// `bad_agent`, `bad_pattern` and `bad_agent_slug`; `not_found`, code `unknown_tool`, for a name that no tool has, be it a
    /// retired one.
    pub fn disable(&mut self, agent: &str, pattern: &str) -> Result<(bool, Vec<StoredRow>), ToolError> {
        check_agent(agent)?;
        let parsed = Pattern::parse(pattern)?;
        let row = |pattern: String| (agent.to_owned(), pattern, RowSource::Manual);
        let mut changed = self.rows.remove(&row(pattern.to_owned()));
        if let (false, Some(name)) = (changed, exact(pattern)) {
            let known = self.live().find(|tool| tool.aliases.contains(&name)).map(|tool| tool.name.clone());
            match known.filter(|_| !self.tools.contains_key(&name)) {
                Some(resolved) => changed = self.rows.remove(&row(pattern.replace(&name, &resolved))),
                None if self.tools.contains_key(&name) => {}
                None => return Err(self.unknown(&[&name])),
            }
        }
        let meant = |tool: &&Listed| means(&parsed, tool);
        let tools: Vec<&Listed> = self.live().filter(meant).collect();
        let rows = self.rows.iter().filter(|row| row.0 == agent && !row.1.starts_with('!'));
        let still = rows.filter(|row| {
            Pattern::parse(&row.1).is_ok_and(|other| tools.iter().any(|tool| means(&other, tool)))
        });
        Ok((changed, still.cloned().collect()))
    }

    /// Turns a skill on: its tools become rows of the agent. Returns its rows.
    ///
    /// # Errors
    /// `bad_agent`; `not_found`, code `unknown_tool`, with all unknown tools, unless they may be missing;
    /// `harness_not_grantable`.
    pub fn skill_on(
        &mut self,
        agent: &str,
        skill: &str,
        tools: &[String],
        allow_missing: bool,
    ) -> Result<Vec<StoredRow>, ToolError> {
        check_agent(agent)?;
        let names = self.resolve(tools, allow_missing)?;
        let source = RowSource::Skill(skill.to_owned());
        self.rows.retain(|row| row.0 != agent || row.2 != source);
        let rows: Vec<StoredRow> =
            names.into_iter().map(|name| (agent.to_owned(), name, source.clone())).collect();
        self.rows.extend(rows.iter().cloned());
        Ok(rows)
    }

    /// Turns a skill off. Returns the rows that are gone.
    ///
    /// # Errors
    /// `not_found`, code `unknown_skill`, where it is not on.
    pub fn skill_off(&mut self, agent: &str, skill: &str) -> Result<Vec<StoredRow>, ToolError> {
        let source = RowSource::Skill(skill.to_owned());
        let gone: Vec<StoredRow> =
            self.rows.iter().filter(|row| row.0 == agent && row.2 == source).cloned().collect();
        if gone.is_empty() {
            let shown: String = skill.chars().take(80).collect();
            let text = format!("The skill `{shown}` is not on for {agent}.");
            return Err(ToolError::not_found(text).code("unknown_skill"));
        }
        self.rows.retain(|row| !gone.contains(row));
        Ok(gone)
    }

    /// The live tools that an agent's rows allow, before flags, secrets and everything else.
    pub fn granted(&self, agent: &str) -> Vec<&str> {
        let rows = self.rows.iter().filter(|row| row.0 == agent);
        let patterns: Vec<Pattern> = rows.filter_map(|row| Pattern::parse(&row.1).ok()).collect();
        let granted = self.live().filter(|tool| {
            let matches = |negative| {
                patterns.iter().any(|pattern| pattern.is_negative() == negative && means(pattern, tool))
            };
            !is_harness(tool) && matches(false) && !matches(true)
        });
        granted.map(|tool| tool.name.as_str()).collect()
    }

    fn unknown(&self, names: &[&str]) -> ToolError {
        let live = self.live().map(|tool| (tool.name.as_str(), tool.name.as_str()));
        unknown_tool(names, live).detail("tools", names)
    }

    fn live(&self) -> impl Iterator<Item = &Listed> {
        self.tools.values().filter(|tool| tool.1).map(|tool| &tool.0)
    }

    /// The names of tools, in place of aliases.
    fn resolve(&self, tools: &[String], allow_missing: bool) -> Result<Vec<String>, ToolError> {
        let find = |name: &String| {
            let by_name = self.tools.get(name).filter(|tool| tool.1).map(|tool| &tool.0);
            by_name.or_else(|| self.live().find(|tool| tool.aliases.contains(name)))
        };
        let unknown: Vec<&str> =
            tools.iter().filter(|name| find(name).is_none()).map(String::as_str).collect();
        if !unknown.is_empty() && !allow_missing {
            return Err(self.unknown(&unknown));
        }
        let harness: Vec<&str> =
            tools.iter().filter(|name| find(name).is_some_and(is_harness)).map(String::as_str).collect();
        if !harness.is_empty() {
            let text = format!("Only a harness offers {}.", harness.join(", "));
            let error = ToolError::invalid_args(text).code("harness_not_grantable");
            return Err(error.detail("tools", harness));
        }
        Ok(tools.iter().map(|name| find(name).map_or(name, |tool| &tool.name).clone()).collect())
    }
}

/// Bytes of the name of an agent.
const AGENT_BYTES: usize = 200;

/// Refuses what cannot be the name of an agent: nothing, and what a terminal would not show as it is.
fn check_agent(agent: &str) -> Result<(), ToolError> {
    let why = match agent {
        "" => "it is empty",
        agent if agent.len() > AGENT_BYTES => "it is longer than 200 bytes",
        agent if agent.chars().any(char::is_control) => "it has control characters",
        _ => return Ok(()),
    };
    Err(ToolError::invalid_args(format!("This cannot be the name of an agent: {why}."))
        .code("bad_agent")
        .hint("an agent is named as in the policy file, such as `operator`, `mcp` or `writer`"))
}

fn means(pattern: &Pattern, tool: &Listed) -> bool {
    let names = std::iter::once(&tool.name).chain(&tool.aliases).map(String::as_str);
    pattern.describes(names, tool.group.as_deref(), tool.tags.iter().map(String::as_str))
}

fn is_harness(tool: &Listed) -> bool {
    tool.tags.iter().any(|tag| tag.starts_with(HARNESS))
}

fn is_about(row: &StoredRow, names: &[String]) -> bool {
    exact(&row.1).is_some_and(|name| names.contains(&name))
}

/// The one tool that a pattern names.
fn exact(pattern: &str) -> Option<String> {
    Pattern::parse(pattern).ok()?.exact_name().map(str::to_owned)
}
