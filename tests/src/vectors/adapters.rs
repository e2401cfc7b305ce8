//! The cases of adapters.json: canonical schemas compiled to every wire form, and the planning of one request.

use serde_json::{Value, json};
use tool_core::dialect::{Compiled, Wire, compile};

use super::arguments_schema::same;
use super::judge_all;

/// Fewer cases mean that the file was cut.
const LEAST: usize = 50;

/// The names of the wire forms in the file.
const WIRES: [(&str, Wire); 5] = [
    ("loose", Wire::Loose),
    ("openai_strict", Wire::OpenAiStrict),
    ("anthropic_strict", Wire::AnthropicStrict),
    ("gemini", Wire::Gemini),
    ("mcp", Wire::Mcp),
];

#[test]
fn vectors_adapters() {
    judge_all("adapters", LEAST, |case| match case["kind"].as_str() {
        Some("compile") => compiles(case),
        Some("plan") => super::adapters_plan::plans(case),
        _ => Err(format!("unknown kind {}", case["kind"])),
    });
}

fn compiles(case: &Value) -> Result<(), String> {
    let expected = case["expect"].as_object().expect("an entry per form");
    for (name, expected) in expected {
        let wire = WIRES.iter().find(|row| row.0 == name).ok_or_else(|| format!("unknown form {name}"))?.1;
        let compiled = compile(&case["canonical"], wire);
        judge(&compiled, wire, expected).map_err(|difference| format!("{name}: {difference}"))?;
        again(&case["canonical"], &compiled, wire)
            .map_err(|difference| format!("{name}, compiled again: {difference}"))?;
    }
    Ok(())
}

fn judge(compiled: &Compiled, wire: Wire, expected: &Value) -> Result<(), String> {
    if wire.is_strict() {
        equal("strict", &json!(compiled.strict), &expected["strict"])?;
    }
    equal("issues", &json!(compiled.issues), &expected["issues"])?;
    if let Some(schema) = expected.get("schema") {
        equal("wrapped", &json!(compiled.wrapped), &expected["wrapped"])?;
        same(&json!(compiled.schema), schema, "")?;
    }
    match expected.get("budget") {
        None => Ok(()),
        Some(budget) => {
            let own = json!({"optional": compiled.budget.optional, "unions": compiled.budget.unions});
            equal("budget", &own, budget)
        }
    }
}

/// What was compiled is at rest, and a valid schema. A null that is kept is not told from one that is added, and under
/// Gemini a recursive type is expanded once more.
fn again(canonical: &Value, compiled: &Compiled, wire: Wire) -> Result<(), String> {
    let Some(schema) = &compiled.schema else { return Ok(()) };
    jsonschema::draft202012::meta::validate(schema).map_err(|error| error.to_string())?;
    let recursive = wire == Wire::Gemini && schema.get("$defs").is_some();
    let keeps_null = canonical.to_string().contains("\"x-keep-null\"");
    if recursive || keeps_null || !compiled.strict && wire.is_strict() {
        return Ok(());
    }
    same(&json!(compile(schema, wire).schema), schema, "")
}

pub(crate) fn equal(what: &str, got: &Value, expected: &Value) -> Result<(), String> {
    if got == expected { Ok(()) } else { Err(format!("{what}: {got}, not {expected}")) }
}
