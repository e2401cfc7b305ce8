//! Which tools an agent sees, as a pure function with reasons. (calls.md §3)
//!
//! [`gate`] looks at one tool and one [`Snapshot`], and at nothing else: no clock, no files, no global. The same function
//! serves listing, calling, prompts and `tools why`. Closed by default: without a row there is no tool.

mod agents;
mod pattern;
mod reason;
mod snapshot;
mod step;
mod subset;

use serde_json::{Map, Value, json};

pub use agents::{AGENT_TIMEOUT, Agent, AskAgent, MAX_AGENT_DEPTH, agent_tool_name};
pub use pattern::Pattern;
pub use reason::{Hidden, Reason};
pub use snapshot::{Row, RowSource, Runtime, Snapshot, SnapshotBuilder};
pub use step::Snapshots;
pub(super) use step::{Admitted, Gatekeeper, Judge};
pub use subset::spawn_subset;

use crate::registry::ToolEntry;
use agents::Target;

/// The tool that starts sub-agents.
const SPAWN: &str = "spawn";

/// What the tags of a tool begin with that only a harness offers.
const HARNESS: &str = "harness:";

/// Whether an agent sees a tool.
#[derive(Clone, Debug, PartialEq)]
pub enum Gate {
    /// It does.
    Visible,
    /// It does not, and this is the first reason.
    Hidden(Hidden),
}

/// Whether a tool is visible, with the first reason why not.
///
/// ```
/// use tool_core::{Registry, Snapshot, gate, prelude::*};
///
/// /// Adds two numbers.
/// #[tool(register = false)]
/// fn add(/** The first. */ a: i64, /** The second. */ b: i64) -> i64 { a + b }
///
/// let registry = Registry::builder().add::<AddTool>().build().unwrap();
/// let add = registry.get("add").unwrap();
/// let nothing = Snapshot::builder("bot").build(&registry)?;
/// assert!(matches!(gate(add, &nothing), tool_core::Gate::Hidden(hidden) if hidden.reason.as_str() == "not_enabled"));
/// let all = Snapshot::builder("bot").row("*", tool_core::RowSource::Manual).build(&registry)?;
/// assert_eq!(gate(add, &all), tool_core::Gate::Visible);
/// # Ok::<(), ToolError>(())
/// ```
pub fn gate(tool: &ToolEntry, snapshot: &Snapshot) -> Gate {
    // Every call asks: what comes behind the first reason is not looked at.
    let seen = Seen::of(tool, snapshot);
    match RULES.iter().find_map(|rule| rule(&seen).into_iter().next()) {
        None => Gate::Visible,
        Some(hidden) => Gate::Hidden(hidden),
    }
}

/// Every reason why a tool is hidden, in the order of the specification; none for a visible one.
pub fn explain(tool: &ToolEntry, snapshot: &Snapshot) -> Vec<Hidden> {
    let seen = Seen::of(tool, snapshot);
    RULES.iter().flat_map(|rule| rule(&seen)).collect()
}

/// The rules, in the order in which their reasons are told.
const RULES: [fn(&Seen<'_>) -> Vec<Hidden>; 10] =
    [surface, harness, excluded, not_enabled, spawned, flags, terminal, agent, capabilities, secrets];

/// One tool as the rules look at it.
struct Seen<'a> {
    tool: &'a ToolEntry,
    snapshot: &'a Snapshot,
    /// The agent that it asks, if it is an agent tool.
    target: Option<Target<'a>>,
    /// The categories of harness tools that it belongs to.
    categories: Vec<&'a str>,
}

impl<'a> Seen<'a> {
    fn of(tool: &'a ToolEntry, snapshot: &'a Snapshot) -> Seen<'a> {
        let target = snapshot.target(tool.name());
        let categories = tool.def().tags.iter().filter_map(|tag| tag.strip_prefix(HARNESS)).collect();
        Seen { tool, snapshot, target, categories }
    }

    fn spawned(&self) -> bool {
        self.snapshot.subset().is_some()
    }
}

fn one(reason: Reason, detail: Value) -> Vec<Hidden> {
    vec![Hidden::new(reason, detail)]
}

fn bare(reason: Reason) -> Vec<Hidden> {
    one(reason, Value::Object(Map::new()))
}

fn surface(seen: &Seen<'_>) -> Vec<Hidden> {
    match seen.snapshot.surface() {
        Some(surface) if !seen.tool.def().surfaces.contains(surface) => {
            one(Reason::Surface, json!({"surface": surface.as_str()}))
        }
        _ => Vec::new(),
    }
}

fn harness(seen: &Seen<'_>) -> Vec<Hidden> {
    let carried = &seen.snapshot.runtime().harness;
    let missing: Vec<&str> =
        seen.categories.iter().copied().filter(|category| !carried.contains(*category)).collect();
    match seen.categories.is_empty() {
        false if seen.spawned() => bare(Reason::HarnessNotForSubAgents),
        false if !missing.is_empty() => one(Reason::HarnessNotInRuntime, json!({"categories": missing})),
        _ => Vec::new(),
    }
}

fn excluded(seen: &Seen<'_>) -> Vec<Hidden> {
    let by = seen.snapshot.rows().iter().map(Row::pattern).find(|pattern| {
        pattern.is_negative() && pattern.covers(seen.tool, seen.target.as_ref().map(Target::slug))
    });
    by.map_or_else(Vec::new, |by| one(Reason::Excluded, json!({"by": by.as_str()})))
}

fn not_enabled(seen: &Seen<'_>) -> Vec<Hidden> {
    let slug = seen.target.as_ref().map(Target::slug);
    let enables = |row: &Row| !row.pattern().is_negative() && row.pattern().grants(seen.tool, slug);
    let enabled = !seen.categories.is_empty()
        || seen.snapshot.offers(seen.tool.name())
        || seen.snapshot.rows().iter().any(enables);
    if enabled { Vec::new() } else { bare(Reason::NotEnabled) }
}

fn spawned(seen: &Seen<'_>) -> Vec<Hidden> {
    let Some(subset) = seen.snapshot.subset() else { return Vec::new() };
    if !seen.categories.is_empty() {
        // The harness rule has said so already.
        return Vec::new();
    }
    match seen.tool.name() {
        _ if seen.target.is_some() => bare(Reason::AgentNotForSubAgents),
        _ if seen.tool.def().name == SPAWN => bare(Reason::SpawnNested),
        name if !subset.contains(name) => bare(Reason::NotInSubset),
        _ => Vec::new(),
    }
}

fn flags(seen: &Seen<'_>) -> Vec<Hidden> {
    let off = |tag: &&&str| seen.snapshot.flag(tag) == Some(false);
    let off: Vec<&str> = seen.tool.def().tags.iter().filter(off).copied().collect();
    if off.is_empty() { Vec::new() } else { one(Reason::FlagOff, json!({"flags": off})) }
}

fn terminal(seen: &Seen<'_>) -> Vec<Hidden> {
    let ends = seen.tool.def().terminal && !seen.snapshot.runtime().terminal;
    if ends { bare(Reason::TerminalNotInRuntime) } else { Vec::new() }
}

fn agent(seen: &Seen<'_>) -> Vec<Hidden> {
    seen.target.as_ref().map_or_else(Vec::new, |target| target.refusals(seen.snapshot))
}

fn capabilities(seen: &Seen<'_>) -> Vec<Hidden> {
    let missing: Vec<&str> = seen
        .tool
        .def()
        .capabilities
        .iter()
        .filter(|wanted| !wanted.optional && !seen.snapshot.provides((wanted.id)()))
        .map(|wanted| wanted.short_name())
        .collect();
    if missing.is_empty() {
        return Vec::new();
    }
    one(Reason::CapabilityMissing, json!({"capabilities": missing}))
}

fn secrets(seen: &Seen<'_>) -> Vec<Hidden> {
    let missing: Vec<&str> = seen
        .tool
        .def()
        .secrets
        .iter()
        .filter(|wanted| !wanted.optional && !seen.snapshot.has_secret(wanted.key))
        .map(|wanted| wanted.key)
        .collect();
    if missing.is_empty() { Vec::new() } else { one(Reason::SecretMissing, json!({"secrets": missing})) }
}
