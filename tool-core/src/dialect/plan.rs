//! The tools of one request: which are strict, which are deferred, and what does not fit a provider's limits.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde_json::{Value, json};

use super::Dialect as _;
use super::id::DialectId;
use super::issue::{Action, DialectIssue, SchemaIssue};
use super::limits::{self, Limit, Limits};
use super::put::put;
use super::schema::{Budget, Compiled, compile, compile_with_items_described, max_items, openai_rows};
use super::wire::Wire;
use crate::error::ToolError;
use crate::registry::ToolEntry;

/// Whether a tool is to be sent strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrictPolicy {
    /// Never.
    Never,
    /// Where it can be and the request has room.
    Prefer,
    /// A plan without it is an error.
    Always,
}

/// What happens with more tools than a request may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    /// The plan is an error.
    #[default]
    Fail,
    /// The search tools and the pinned ones are sent instead.
    Search,
    /// All but the pinned ones are marked to be loaded when the provider's search finds them.
    Defer,
}

/// What happens with the examples of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Examples {
    /// They are sent where the API has a place for them.
    #[default]
    Native,
    /// They are told in the description.
    Describe,
    /// They are left out.
    Omit,
}

/// The tools that stand for all others under [`Overflow::Search`].
pub const SEARCH_TOOLS: [&str; 4] = ["search_tools", "describe_tools", "call_read_tool", "call_write_tool"];

/// How a request is planned.
#[derive(Clone, Debug, Default)]
pub struct PlanOptions {
    /// For tools that `per_tool` does not name; `None` is the dialect's own: never for Anthropic, prefer for OpenAI.
    pub strict: Option<StrictPolicy>,
    /// For tools by name.
    pub per_tool: BTreeMap<String, StrictPolicy>,
    /// Tools that are sent whatever becomes of the others.
    pub pinned: Vec<String>,
    /// More tools than fit.
    pub overflow: Overflow,
    /// Examples.
    pub examples: Examples,
    /// Whether groups become namespaces, where the API has them.
    pub namespaces: bool,
    /// The table of limits with what is set otherwise.
    pub limits: Limits,
}

/// Why a tool is not sent strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Reason {
    /// The policy says so.
    #[serde(rename = "policy")]
    Policy,
    /// The form cannot carry it strictly.
    #[serde(rename = "downgraded")]
    Downgraded,
    /// The request has enough strict tools.
    #[serde(rename = "budget:tools")]
    Tools,
    /// The request has enough optional parameters.
    #[serde(rename = "budget:optional")]
    Optional,
    /// The request has enough unions.
    #[serde(rename = "budget:unions")]
    Unions,
}

/// A tool of a request.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The tool.
    pub entry: ToolEntry,
    /// What its schema became.
    pub compiled: Arc<Compiled>,
    /// The form of its schema.
    wire: Wire,
    /// Why it is not strict, where it could be asked for.
    pub reason: Option<Reason>,
    /// Whether it is loaded later.
    pub deferred: bool,
}

impl Planned {
    /// Its effective name.
    pub fn name(&self) -> &str {
        self.entry.name()
    }

    /// Whether it is sent strict.
    pub fn strict(&self) -> bool {
        self.wire.is_strict()
    }

    pub(super) fn wire(&self) -> Wire {
        self.wire
    }

    /// The schema that its arguments are decoded by.
    pub(super) fn canonical(&self) -> Option<&Value> {
        self.entry.def().input_schema().ok().map(|schema| schema.decoded())
    }
}

/// The tools of one request, sorted by name.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The dialect.
    pub dialect: DialectId,
    /// The tools, sorted by name.
    pub tools: Vec<Planned>,
    /// What strict tools cost together.
    pub used: Used,
    /// What is not wrong, and not good either.
    pub warnings: Vec<String>,
    pub(super) examples: Examples,
    pub(super) namespaces: bool,
    pub(super) limits: Limits,
    text: OnceLock<Arc<str>>,
}

/// What the strict tools of a request cost together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Used {
    /// Tools.
    pub tools: usize,
    /// Optional parameters.
    pub optional: usize,
    /// Unions.
    pub unions: usize,
}

impl Plan {
    /// The tool of a name, as a model calls it.
    pub fn tool(&self, name: &str) -> Option<&Planned> {
        self.tools.binary_search_by(|tool| tool.name().cmp(name)).ok().and_then(|i| self.tools.get(i))
    }

    /// The member `tools` of a request body in writing, as [`tools`](super::Dialect::tools) of the dialect has it. It is written
    /// once, for every request with this plan.
    ///
    /// ```
    /// use tool_core::dialect::{Dialect as _, DialectId, PlanOptions};
    /// let plan = DialectId::Anthropic.plan(&[], &PlanOptions::default())?;
    /// assert_eq!(plan.text(), "[]");
    /// # Ok::<(), tool_core::ToolError>(())
    /// ```
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| self.dialect.tools(self).to_string().into())
    }

    /// What the dialect could not carry as it is, by tool.
    pub fn issues(&self) -> impl Iterator<Item = DialectIssue> + '_ {
        self.tools.iter().flat_map(|tool| {
            tool.compiled.issues.iter().map(|issue| DialectIssue {
                tool: tool.name().to_owned(),
                dialect: self.dialect,
                issue: issue.clone(),
            })
        })
    }

    /// Every tool with strict or the reason, and what the strict ones cost together.
    pub fn report(&self) -> Value {
        let tool = |tool: &Planned| {
            let mut row = json!({"name": tool.name(), "strict": tool.strict()});
            if let Some(reason) = tool.reason {
                put(&mut row, "reason", json!(reason));
            }
            row
        };
        let tools: Vec<Value> = self.tools.iter().map(tool).collect();
        json!({"dialect": self.dialect, "tools": tools, "used": self.used, "warnings": self.warnings})
    }
}

/// Plans the tools of one request.
///
/// # Errors
/// `failed`: `dialect_refused` with the issues; `too_many_tools` with the limit; `strict_budget` and `strict_impossible`
/// for tools that must be strict. `internal` for a tool whose schema is none.
pub(super) fn plan(
    dialect: DialectId,
    tools: &[&ToolEntry],
    options: &PlanOptions,
) -> Result<Plan, ToolError> {
    let mut entries: Vec<ToolEntry> = tools.iter().map(|entry| (*entry).clone()).collect();
    entries.sort_by(|a, b| a.name().cmp(b.name()));
    let family = Family::of(dialect);
    let deferring = counted(&family, &mut entries, options)?;
    let mut plan = Plan {
        dialect,
        tools: Vec::with_capacity(entries.len()),
        used: Used::default(),
        warnings: Vec::new(),
        examples: options.examples,
        namespaces: options.namespaces,
        limits: options.limits.clone(),
        text: OnceLock::new(),
    };
    for entry in entries {
        let deferred = deferring && !options.pinned.iter().any(|name| name == entry.name());
        let compiled = compiled(&entry, dialect.wire(false))?;
        plan.tools.push(Planned { entry, compiled, wire: dialect.wire(false), reason: None, deferred });
    }
    match dialect {
        DialectId::Anthropic => spend(&mut plan, options)?,
        DialectId::OpenAiChat | DialectId::OpenAiResponses => make_strict(&mut plan, options)?,
        DialectId::Gemini => describe_items(&mut plan, options),
        DialectId::Mcp20251125 | DialectId::Mcp20260728 => {}
    }
    refuse(&plan)?;
    let sent = plan.tools.iter().filter(|tool| !tool.deferred).count();
    if let Some(advised) = family.advised.map(|limit| options.limits.get(limit)).filter(|most| sent > *most) {
        plan.warnings.push(format!("{sent} tools are offered; {dialect} advises at most {advised}"));
    }
    Ok(plan)
}

/// What the providers of a dialect allow and advise.
struct Family {
    most: Option<Limit>,
    advised: Option<Limit>,
    defers: bool,
}

impl Family {
    fn of(dialect: DialectId) -> Family {
        let (most, advised, defers) = match dialect {
            DialectId::Anthropic => (limits::ANTHROPIC_TOOLS, limits::ANTHROPIC_TOOLS_ADVISED, true),
            DialectId::OpenAiChat => (limits::OPENAI_TOOLS, limits::OPENAI_TOOLS_ADVISED, false),
            DialectId::OpenAiResponses => (limits::OPENAI_TOOLS, limits::OPENAI_TOOLS_ADVISED, true),
            DialectId::Gemini => (limits::GEMINI_TOOLS, limits::GEMINI_TOOLS_ADVISED, false),
            DialectId::Mcp20251125 | DialectId::Mcp20260728 => {
                return Family { most: None, advised: None, defers: false };
            }
        };
        Family { most: Some(most), advised: Some(advised), defers }
    }
}

/// Makes the tools fit the number that is allowed; says whether they are deferred.
fn counted(family: &Family, entries: &mut Vec<ToolEntry>, options: &PlanOptions) -> Result<bool, ToolError> {
    let Some(most) = family.most.map(|limit| options.limits.get(limit)) else { return Ok(false) };
    let defers = options.overflow == Overflow::Defer && family.defers;
    if entries.len() <= most || defers {
        return Ok(defers);
    }
    if options.overflow == Overflow::Search && SEARCH_TOOLS.iter().all(|name| has(entries, name)) {
        entries.retain(|entry| {
            SEARCH_TOOLS.contains(&entry.name()) || options.pinned.iter().any(|name| name == entry.name())
        });
        if entries.len() <= most {
            return Ok(false);
        }
    }
    let text = format!("{} tools do not fit into one request, which takes {most}.", entries.len());
    Err(ToolError::failed(text)
        .code("too_many_tools")
        .hint("Offer fewer, or let the model search them.")
        .detail("limit", most))
}

fn has(entries: &[ToolEntry], name: &str) -> bool {
    entries.iter().any(|entry| entry.name() == name)
}

/// The compiled schema of a tool, made once.
pub(super) fn compiled(entry: &ToolEntry, wire: Wire) -> Result<Arc<Compiled>, ToolError> {
    let def = entry.def();
    let schema = def.input_schema()?;
    let cell = Wire::ALL.iter().position(|form| *form == wire).and_then(|i| def.cache.computed().wire.get(i));
    let make = || Arc::new(compile(schema.decoded(), wire));
    Ok(cell.map_or_else(make, |cell| Arc::clone(cell.get_or_init(make))))
}

fn policy(plan: &Plan, options: &PlanOptions, tool: &Planned) -> StrictPolicy {
    let own = match plan.dialect {
        DialectId::Anthropic => StrictPolicy::Never,
        _ => StrictPolicy::Prefer,
    };
    options.per_tool.get(tool.name()).copied().or(options.strict).unwrap_or(own)
}

/// Anthropic: strict tools share three budgets. Those that must be strict come first, then the cheapest.
fn spend(plan: &mut Plan, options: &PlanOptions) -> Result<(), ToolError> {
    let mut bids: Vec<(bool, usize, usize, Arc<Compiled>)> = Vec::new();
    for i in 0..plan.tools.len() {
        let Some(tool) = plan.tools.get(i) else { continue };
        let policy = policy(plan, options, tool);
        if policy == StrictPolicy::Never {
            note(plan, i, Reason::Policy, None);
            continue;
        }
        let strict = compiled(&tool.entry, Wire::AnthropicStrict)?;
        let Budget { optional, unions } = strict.budget;
        let must = policy == StrictPolicy::Always;
        match (strict.strict, must) {
            (true, _) => bids.push((!must, if must { 0 } else { optional + unions }, i, strict)),
            (false, true) => return Err(impossible(plan.dialect, tool, &strict)),
            (false, false) => note(plan, i, Reason::Downgraded, Some(strict)),
        }
    }
    // Tools are sorted by name already.
    bids.sort_by_key(|bid| (bid.0, bid.1, bid.2));
    let most = |limit| options.limits.get(limit);
    for (may_be_loose, _, i, strict) in bids {
        let used = plan.used;
        let next = Used {
            tools: used.tools + 1,
            optional: used.optional + strict.budget.optional,
            unions: used.unions + strict.budget.unions,
        };
        let over = [
            (next.tools > most(limits::ANTHROPIC_STRICT_TOOLS), Reason::Tools),
            (next.optional > most(limits::ANTHROPIC_STRICT_OPTIONAL), Reason::Optional),
            (next.unions > most(limits::ANTHROPIC_STRICT_UNIONS), Reason::Unions),
        ];
        let reason = over.iter().find(|row| row.0).map(|row| row.1);
        let Some(tool) = plan.tools.get_mut(i) else { continue };
        match reason {
            None => {
                plan.used = next;
                (tool.compiled, tool.wire) = (strict, Wire::AnthropicStrict);
            }
            Some(reason) if may_be_loose => tool.reason = Some(reason),
            Some(reason) => {
                let text = format!("`{}` must be strict and does not fit into the request.", tool.name());
                return Err(ToolError::failed(text).code("strict_budget").detail("reason", json!(reason)));
            }
        }
    }
    Ok(())
}

/// OpenAI: every tool for itself.
fn make_strict(plan: &mut Plan, options: &PlanOptions) -> Result<(), ToolError> {
    for i in 0..plan.tools.len() {
        let Some(tool) = plan.tools.get(i) else { continue };
        let policy = policy(plan, options, tool);
        if policy == StrictPolicy::Never {
            note(plan, i, Reason::Policy, None);
            continue;
        }
        let mut strict = compiled(&tool.entry, Wire::OpenAiStrict)?;
        let rows = strict
            .schema
            .as_ref()
            .filter(|_| strict.strict)
            .map(|schema| openai_rows(schema, &options.limits));
        if let Some(rows) = rows.filter(|rows| !rows.is_empty()) {
            let issue = |row: &Limit| SchemaIssue {
                path: String::new(),
                keyword: row.name.to_owned(),
                action: Action::Downgraded,
            };
            let issues = rows.iter().map(issue).collect();
            // The loose form, which it has been compiled to.
            strict = Arc::new(Compiled { issues, ..(*tool.compiled).clone() });
        }
        if strict.strict {
            plan.used.tools += 1;
            if let Some(tool) = plan.tools.get_mut(i) {
                (tool.compiled, tool.wire) = (strict, Wire::OpenAiStrict);
            }
        } else if policy == StrictPolicy::Always {
            return Err(impossible(plan.dialect, tool, &strict));
        } else {
            note(plan, i, Reason::Downgraded, Some(strict));
        }
    }
    Ok(())
}

/// Notes why a tool is not strict; what stands in the way is reported where strictness was asked for.
fn note(plan: &mut Plan, i: usize, reason: Reason, reported: Option<Arc<Compiled>>) {
    let Some(tool) = plan.tools.get_mut(i) else { return };
    tool.reason = Some(reason);
    if let Some(compiled) = reported {
        tool.compiled = compiled;
    }
}

fn impossible(dialect: DialectId, tool: &Planned, strict: &Compiled) -> ToolError {
    let name = tool.name();
    let issue = |issue: &SchemaIssue| DialectIssue { tool: name.to_owned(), dialect, issue: issue.clone() };
    let issues: Vec<_> = strict.issues.iter().map(issue).collect();
    ToolError::failed(format!("`{name}` must be strict and cannot be."))
        .code("strict_impossible")
        .detail("issues", json!(issues))
}

/// Gemini: `maxItems` of all tools share one sum; the largest are told in words until it holds.
fn describe_items(plan: &mut Plan, options: &PlanOptions) {
    let most = options.limits.get(limits::GEMINI_MAX_ITEMS_SUM);
    let of = |tool: &Planned| tool.compiled.schema.as_ref().map_or(0, max_items);
    let mut sums: Vec<(usize, usize)> = plan.tools.iter().map(of).enumerate().collect();
    let mut total = sums.iter().fold(0_usize, |sum, row| sum.saturating_add(row.1));
    sums.sort_by_key(|(i, sum)| (std::cmp::Reverse(*sum), *i));
    for (i, sum) in sums {
        if total <= most {
            break;
        }
        total = total.saturating_sub(sum);
        let Some(tool) = plan.tools.get_mut(i) else { continue };
        let compiled =
            tool.canonical().map(|canonical| compile_with_items_described(canonical, Wire::Gemini));
        if let Some(compiled) = compiled {
            tool.compiled = Arc::new(compiled);
        }
    }
}

/// Nothing is dropped from a request in silence.
fn refuse(plan: &Plan) -> Result<(), ToolError> {
    let refused: Vec<DialectIssue> =
        plan.issues().filter(|issue| issue.issue.action == Action::Refused).collect();
    match refused.first() {
        None => Ok(()),
        Some(first) => Err(ToolError::failed(format!("{} cannot carry `{}`.", plan.dialect, first.tool))
            .code("dialect_refused")
            .detail("issues", json!(refused))),
    }
}
