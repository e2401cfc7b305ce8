//! What `doctor` tells of the model APIs: what their providers allow, and how the tools of this program fit into a request.

use serde_json::{Value, json};
use tool_core::Registry;
use tool_core::def::Surface;
use tool_core::dialect::limits::{self, Amount};
use tool_core::dialect::{Dialect as _, DialectId, Limit, PlanOptions};

use crate::doctor::Check;

/// The table of limits and the plan of each dialect, for programs.
pub(crate) fn section(registry: &Registry) -> Value {
    let row = |limit: &Limit| {
        let value = match limit.value {
            Amount::Number(number) => json!(number),
            Amount::Text(text) => json!(text),
            Amount::List(list) => json!(list),
        };
        json!({"of": limit.of, "name": limit.name, "value": value, "source": limit.source, "as_of": limit.as_of})
    };
    let limits: Vec<Value> = limits::ALL.iter().map(row).collect();
    let plans: Vec<Value> = DialectId::ALL.iter().map(|(dialect, _)| plan(*dialect, registry)).collect();
    json!({"limits": limits, "plans": plans})
}

/// Every tool that is made for models with whether it is strict or why not, or the reason why they are no request.
fn plan(dialect: DialectId, registry: &Registry) -> Value {
    let offered: Vec<_> =
        registry.iter().filter(|entry| entry.def().surfaces.contains(Surface::Llm)).collect();
    match dialect.plan(&offered, &PlanOptions::default()) {
        Ok(plan) => plan.report(),
        Err(error) => json!({"dialect": dialect, "error": error.to_json()}),
    }
}

/// The table for people: a line for each limit with the page that says so.
pub(crate) fn limits() -> Vec<Check> {
    let line = |limit: &Limit| {
        let source = format!("{}, {}", limit.source, limit.as_of);
        Check::ok(format!("limit {}", limit.name), limit.value.to_string()).from(source)
    };
    limits::ALL.iter().map(line).collect()
}
