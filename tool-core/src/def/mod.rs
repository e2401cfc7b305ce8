//! The definition of a tool: one plain table that `#[tool]` emits as a `static` and that everything else reads.
//!
//! A [`ToolDef`] borrows all it says, so that the macro writes it as a `const` initialiser: no allocation, no schema and
//! no text work before `main`. What is computed from it on first use is kept in its [`Cache`]. Tools that are only
//! known at run time ([`crate::DynTool`]) own the same table.

mod behavior;
mod cache;
mod capability;
mod doc;
mod example;
mod handler;
mod kind;
mod origin;
mod param;
mod secret;
mod surface;

use std::ops::Deref;
use std::time::Duration;

use crate::journal::{Handle, Reconcile, Revert};

pub use behavior::Behavior;
pub use cache::Cache;
pub use capability::CapabilityDef;
pub use doc::Doc;
pub use example::Example;
pub use handler::{BoxFuture, DynHandler, Enter, Handler, Run};
pub use kind::ParamKind;
pub use origin::{Origin, Source};
pub use param::{Bounds, CliDef, Hint, LogMode, Number, ParamDef, ParamKeys, Range, SchemaSource};
pub use secret::SecretDef;
pub use surface::{Surface, Surfaces};

/// Builds the schema of a type inside a generator that collects the definitions it refers to.
pub type SchemaFn = fn(&mut schemars::SchemaGenerator) -> schemars::Schema;

/// Makes the JSON form of a default or of example values.
pub type ValueFn = fn() -> serde_json::Value;

/// A rule between parameters, looked at when every argument fits on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint<'a> {
    /// Exactly one of these parameters is given.
    ExactlyOne(&'a [&'a str]),
    /// One or more of these parameters are given.
    AtLeastOne(&'a [&'a str]),
}

/// Everything that is known of a tool.
///
/// The rows of all tools are prepared by the loader at every start of a program, a page at a time: what most tools do not say is
/// behind [`ToolDef::keys`], and reads like a field of the row.
#[derive(Clone, Copy, Debug)]
pub struct ToolDef<'a> {
    /// Wire name, `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`.
    pub name: &'a str,
    /// Section of the command line and the catalogue.
    pub group: Option<&'a str>,
    /// The text for models, as written; read it through [`ToolDef::description`].
    pub doc: Doc<'a>,
    /// What a call changes.
    pub behavior: Behavior,
    /// Whether the function takes the `ToolContext`.
    pub takes_context: bool,
    /// The parameters in declaration order, at most 32.
    pub params: &'a [ParamDef<'a>],
    /// The schema of the structured result, if there is one.
    pub output: Option<OutputFn>,
    /// How a call enters the tool.
    pub handler: Handler<'a>,
    /// Where it is defined.
    pub origin: Origin<'a>,
    /// What is computed on first use.
    pub cache: &'a Cache,
    /// What its author said of it beyond that.
    pub keys: &'a ToolKeys<'a>,
}

/// What the rarer keys of `#[tool]` say. Most tools have none and share [`ToolKeys::NONE`], which keeps their rows small.
#[derive(Clone, Copy, Debug)]
pub struct ToolKeys<'a> {
    /// Display name for people.
    pub title: Option<&'a str>,
    /// Further names that calls may use; never listed.
    pub aliases: &'a [&'a str],
    /// Words for selection and policy, sorted.
    pub tags: &'a [&'a str],
    /// The one line for lists, where it is not the first paragraph of the description.
    pub summary: Option<&'a str>,
    /// The input schema of a tool that has no parameter table (schema-only tools).
    pub input: Option<&'a serde_json::Value>,
    /// What the context must provide.
    pub capabilities: &'a [CapabilityDef],
    /// The secrets the tool may ask for.
    pub secrets: &'a [SecretDef<'a>],
    /// Calls that show how it is used.
    pub examples: &'a [Example<'a>],
    /// Rules between parameters.
    pub constraints: &'a [Constraint<'a>],
    /// The longest run; `None` is the executor's default.
    pub timeout: Option<Duration>,
    /// Where the tool is offered.
    pub surfaces: Surfaces,
    /// Left out of help and indexes, still callable.
    pub hidden: bool,
    /// A success ends an agent's run.
    pub terminal: bool,
    /// The result carries its own continuation.
    pub paged: bool,
    /// A repeat of a call in doubt always needs a person.
    pub replay_manual: bool,
    /// What to use instead.
    pub deprecated: Option<&'a str>,
    /// Redaction mode of the result.
    pub log: LogMode,
    /// Its effects are not stated; the worst is assumed.
    pub behavior_assumed: bool,
    /// MCP clients get `input` letter for letter.
    pub verbatim: bool,
    /// The function that finds out whether an effect happened.
    pub reconcile: Option<Handle<'a, Reconcile>>,
    /// The function that undoes the effect.
    pub revert: Option<Handle<'a, Revert>>,
}

/// The keys of every tool that has none, at one address.
static NO_KEYS: ToolKeys<'static> = ToolKeys::NONE;

impl ToolKeys<'_> {
    /// No key.
    pub const NONE: ToolKeys<'static> = ToolKeys {
        title: None,
        aliases: &[],
        tags: &[],
        summary: None,
        input: None,
        capabilities: &[],
        secrets: &[],
        examples: &[],
        constraints: &[],
        timeout: None,
        surfaces: Surfaces::ALL,
        hidden: false,
        terminal: false,
        paged: false,
        replay_manual: false,
        deprecated: None,
        log: LogMode::Preview,
        behavior_assumed: false,
        verbatim: false,
        reconcile: None,
        revert: None,
    };
}

impl<'a> Deref for ToolDef<'a> {
    type Target = ToolKeys<'a>;

    fn deref(&self) -> &ToolKeys<'a> {
        self.keys
    }
}

/// Builds the schema of a structured result; `None` when the type has none.
pub type OutputFn = fn(&mut schemars::SchemaGenerator) -> Option<schemars::Schema>;

impl<'a> ToolDef<'a> {
    /// A definition of which only the given is known: a pure read without parameters, offered everywhere.
    pub const fn new(
        name: &'a str,
        doc: Doc<'a>,
        handler: Handler<'a>,
        origin: Origin<'a>,
        cache: &'a Cache,
    ) -> ToolDef<'a> {
        ToolDef {
            name,
            group: None,
            doc,
            behavior: Behavior::READ,
            takes_context: false,
            params: &[],
            output: None,
            handler,
            origin,
            cache,
            keys: &NO_KEYS,
        }
    }

    /// The text for models: the documentation, the sentences of the constraints, and the deprecation.
    pub fn description(&self) -> &'a str {
        self.cache.computed().description.get_or_init(|| {
            let mut text = self.doc.text().into_owned();
            for sentence in self.sentences() {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&sentence);
            }
            if let Some(instead) = self.deprecated {
                if !text.is_empty() {
                    text.push_str("\n\n");
                }
                text.push_str("Deprecated: ");
                text.push_str(instead);
            }
            text.into_boxed_str()
        })
    }

    /// The one line for lists: `summary`, else the first paragraph of the documentation.
    pub fn summary(&self) -> &'a str {
        match self.summary {
            Some(summary) => summary,
            None => self.doc.summary().unwrap_or_else(|| doc::first_paragraph(self.description())),
        }
    }

    /// The constraints between parameters as sentences for a description.
    fn sentences(&self) -> impl Iterator<Item = String> + '_ {
        let tool = self.constraints.iter().map(|constraint| match constraint {
            Constraint::ExactlyOne(names) => format!("Give exactly one of {}.", names.join(", ")),
            Constraint::AtLeastOne(names) => format!("Give at least one of {}.", names.join(", ")),
        });
        let params = self.params.iter().flat_map(|param| {
            let conflicts = param
                .keys
                .conflicts_with
                .iter()
                .map(|other| format!("{} cannot be combined with {other}.", param.name));
            conflicts.chain(param.keys.requires.iter().map(|other| format!("{} needs {other}.", param.name)))
        });
        tool.chain(params)
    }
}
