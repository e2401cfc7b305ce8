//! What every descriptor has: the name, the description, and examples.

use serde_json::Value;

use super::args::Encoding;
use super::plan::{Examples, Plan, Planned};

/// The most examples of one tool.
const MOST_EXAMPLES: usize = 3;

/// The text for the model, with examples where they are told.
pub(super) fn description(plan: &Plan, tool: &Planned) -> String {
    let mut text = tool.entry.def().description().to_owned();
    if plan.examples == Examples::Describe {
        for example in examples(tool) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&format!("Example: {example}."));
        }
    }
    text
}

/// The schema that is sent; of a tool whose form could not be compiled strictly, the loose one.
pub(super) fn schema(tool: &Planned) -> Value {
    tool.compiled.schema.clone().unwrap_or_else(|| serde_json::json!({"type": "object", "properties": {}}))
}

/// The examples that fit the canonical schema, as they travel.
pub(super) fn examples(tool: &Planned) -> Vec<Value> {
    let Some(canonical) = tool.canonical() else { return Vec::new() };
    let Ok(validator) = jsonschema::draft202012::new(canonical) else { return Vec::new() };
    let encoding = Encoding::new(canonical, tool.wire(), tool.compiled.wrapped);
    let args = tool.entry.def().examples.iter().filter_map(|example| serde_json::from_str(example.args).ok());
    args.filter(|args| validator.is_valid(args))
        .take(MOST_EXAMPLES)
        .map(|args: Value| encoding.encode(&args))
        .collect()
}
