//! The `plan` cases of adapters.json: tools of the given cost are made and planned.

use serde_json::{Map, Value, json};
use tool_core::dialect::{Dialect as _, DialectId, PlanOptions, StrictPolicy};
use tool_core::{DynTool, Registry, ToolOutput};

use super::adapters::equal;

/// The plan of a case must be the expected one.
pub(crate) fn plans(case: &Value) -> Result<(), String> {
    let dialect = match case["dialect"].as_str() {
        Some("anthropic") => DialectId::Anthropic,
        Some("openai") => DialectId::OpenAiChat,
        Some("gemini") => DialectId::Gemini,
        _ => return Err(format!("unknown dialect {}", case["dialect"])),
    };
    let tools: Vec<Value> = match case["count"].as_u64() {
        Some(count) => (0..count).map(|i| json!({"name": format!("tool_{i}")})).collect(),
        None => case["tools"].as_array().cloned().unwrap_or_default(),
    };
    let mut options = PlanOptions::default();
    let mut builder = Registry::builder();
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        let policy = match tool["strict"].as_str() {
            Some("always") => Some(StrictPolicy::Always),
            Some("prefer") => Some(StrictPolicy::Prefer),
            Some("never") => Some(StrictPolicy::Never),
            _ => None,
        };
        options.per_tool.extend(policy.map(|policy| (name.to_owned(), policy)));
        let tool = DynTool::builder(name).description("Does it.").input_schema(schema(tool));
        builder = builder.add_dyn(tool.handler_sync(|_, _| Ok(ToolOutput::default())).build().unwrap());
    }
    let registry = if tools.is_empty() { None } else { Some(builder.build().unwrap()) };
    let entries: Vec<_> = registry.iter().flat_map(Registry::iter).collect();
    let expect = &case["expect"];
    let plan = match (dialect.plan(&entries, &options), expect.get("error")) {
        (Ok(plan), None) => plan,
        (Ok(_), Some(error)) => return Err(format!("planned, not {error}")),
        (Err(error), None) => return Err(error.to_string()),
        (Err(error), Some(expected)) => {
            let got = json!({"kind": error.kind().as_str(), "code": error.code_str(), "limit": error.details()["limit"]});
            return equal("error", &got, expected);
        }
    };
    if let Some(count) = expect.get("count") {
        equal(
            "count",
            &json!(dialect.tools(&plan)[0].get("functionDeclarations").map_or_else(
                || dialect.tools(&plan).as_array().map_or(0, Vec::len),
                |declarations| declarations.as_array().map_or(0, Vec::len),
            )),
            count,
        )?;
    }
    if let Some(described) = expect.get("described") {
        let told = plan
            .tools
            .iter()
            .filter(|tool| tool.compiled.issues.iter().any(|issue| issue.keyword == "maxItems"));
        equal("described", &told.map(|tool| tool.name()).collect(), described)?;
    }
    if let Some(strict) = expect.get("strict") {
        let names = plan.tools.iter().filter(|tool| tool.strict()).map(|tool| tool.name());
        equal("strict", &names.collect(), strict)?;
        let loose = plan.tools.iter().filter(|tool| !tool.strict());
        let loose: Vec<Value> =
            loose.map(|tool| json!({"name": tool.name(), "reason": tool.reason})).collect();
        equal("loose", &json!(loose), &expect["loose"])?;
        equal("used", &json!(plan.used), &expect["used"])?;
    }
    Ok(())
}

/// A schema of the given cost.
fn schema(tool: &Value) -> Value {
    let count = |key: &str| tool[key].as_u64().unwrap_or(0);
    let mut properties = Map::new();
    for i in 0..count("optional") {
        properties.insert(format!("optional_{i}"), json!({"type": "string"}));
    }
    let union = json!({"anyOf": [{"type": "string"}, {"type": "integer"}]});
    let unions: Vec<String> = (0..count("unions")).map(|i| format!("union_{i}")).collect();
    properties.extend(unions.iter().map(|name| (name.clone(), union.clone())));
    if count("max_items") > 0 {
        let list = json!({"type": "array", "items": {"type": "string"}, "maxItems": count("max_items")});
        properties.insert("list".to_owned(), list);
    }
    json!({"type": "object", "properties": properties, "required": unions, "additionalProperties": false})
}
