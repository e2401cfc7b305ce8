//! From the canonical schema of a tool to what a wire form accepts, with a report of everything that it cannot carry.
//!
//! [`rules`] is the table, [`walk`] its interpreter; [`types`], [`exclusive`] and [`references`] are what takes more than
//! a row. Schemas are walked by position, so that a *property named* `title` or `$ref` stays a property.

mod cost;
mod exclusive;
mod references;
mod rules;
mod sentences;
mod types;
mod walk;

use serde_json::{Map, Value, json};

pub use cost::Budget;
pub(super) use cost::{max_items, openai_rows};
pub(crate) use exclusive::are_exclusive;
pub(crate) use rules::is_portable;
pub(super) use types::is_of;

use super::issue::{Action, SchemaIssue};
use super::wire::Wire;
use crate::schema::with_definitions;
use walk::Walker;

/// What a canonical schema became.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The schema that is sent; `None` where the form sends none for a tool without parameters.
    pub schema: Option<Value>,
    /// Whether the tool can be sent strict.
    pub strict: bool,
    /// Whether the arguments travel under `input`.
    pub wrapped: bool,
    /// What the form could not carry as it is, in schema order.
    pub issues: Vec<SchemaIssue>,
    /// What a strict tool costs of a request's budget.
    pub budget: Budget,
}

/// The name under which the arguments of a tool travel whose root is no object.
pub(super) const WRAPPER: &str = "input";

/// Compiles a canonical schema. Where a strict form cannot carry it, the schema is that of [`Wire::Loose`], and the
/// issues are the reasons.
pub fn compile(canonical: &Value, wire: Wire) -> Compiled {
    compile_by(canonical, wire, false)
}

/// [`compile`], with every `maxItems` told in words.
pub(super) fn compile_with_items_described(canonical: &Value, wire: Wire) -> Compiled {
    compile_by(canonical, wire, true)
}

fn compile_by(canonical: &Value, wire: Wire, describes_items: bool) -> Compiled {
    let none = Map::new();
    let definitions = canonical.get("$defs").and_then(Value::as_object).unwrap_or(&none);
    let mut walker = Walker::new(wire, describes_items, definitions);
    let root = walker.root(canonical);
    let compiled: Map<String, Value> =
        definitions.iter().map(|(name, schema)| (name.clone(), walker.definition(name, schema))).collect();
    let mut issues = walker.into_issues();
    if issues.iter().any(|issue| issue.action == Action::Downgraded) {
        issues.retain(|issue| issue.action == Action::Downgraded);
        return Compiled { issues, ..compile(canonical, Wire::Loose) };
    }
    let wrapped = !is_object(&root);
    let root = if wrapped { wrap(root) } else { root };
    let schema = with_definitions(root, compiled);
    let budget = if wire == Wire::AnthropicStrict { Budget::of(&schema) } else { Budget::default() };
    let left_out = wire == Wire::Gemini && has_no_parameters(&schema);
    Compiled { schema: (!left_out).then_some(schema), strict: wire.is_strict(), wrapped, issues, budget }
}

/// The schema of arguments that travel under one name.
fn wrap(schema: Value) -> Value {
    json!({
        "type": "object",
        "properties": {WRAPPER: schema},
        "required": [WRAPPER],
        "additionalProperties": false,
    })
}

fn is_object(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(_) => false,
        None => schema.get("properties").is_some(),
    }
}

fn has_no_parameters(schema: &Value) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.is_some_and(Map::is_empty) && schema.get("additionalProperties") == Some(&Value::Bool(false))
}
