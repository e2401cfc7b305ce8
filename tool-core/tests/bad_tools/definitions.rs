//! Definitions that say something wrong: of their effects, their schema, their examples and defaults.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tool_core::prelude::*;
use tool_core::{Behavior, DynTool, Registry};

/// Sends a letter, again and again.
#[tool(side_effect, idempotent = false, register = false)]
pub(crate) fn send_letter() -> String {
    String::new()
}

/// Sends a letter, once for each key.
#[tool(side_effect, idempotent = false, register = false)]
pub(crate) fn send_letter_once(ctx: &ToolContext) -> String {
    ctx.idempotency_key().to_owned()
}

/// A type that says something else of itself each time.
#[derive(Deserialize)]
pub(crate) struct Visits {
    count: u8,
}

impl JsonSchema for Visits {
    fn schema_name() -> Cow<'static, str> {
        "Visits".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        static ASKED: AtomicU32 = AtomicU32::new(0);
        let asked = ASKED.fetch_add(1, Ordering::Relaxed);
        let text = format!("How many; asked for {asked} times.");
        json_schema!({
            "type": "object", "required": ["count"], "additionalProperties": false,
            "properties": {"count": {"type": "integer", "minimum": 0, "maximum": 255, "description": text}},
        })
    }
}

/// Counts the visits of a page.
#[tool(register = false)]
pub(crate) fn count_visits(
    /// The visits.
    visits: Visits,
) -> String {
    visits.count.to_string()
}

/// Steps of a walk.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Steps {
    /// How many.
    count: u8,
}

/// Counts the steps of a walk.
#[tool(register = false)]
pub(crate) fn count_steps(
    /// The steps.
    steps: Steps,
) -> String {
    steps.count.to_string()
}

/// A result whose hand-written schema is none.
#[derive(Serialize)]
pub(crate) struct MadeUp {
    size: u8,
}

impl JsonSchema for MadeUp {
    fn schema_name() -> Cow<'static, str> {
        "MadeUp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", "properties": {"size": {"type": "integer", "minimum": "0"}}})
    }
}

/// Measures a thing by a schema of its own.
#[tool(register = false)]
pub(crate) fn measure_made_up() -> Result<MadeUp, std::fmt::Error> {
    Ok(MadeUp { size: 1 })
}

/// A result.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Told {
    /// How large.
    size: u8,
}

/// Measures a thing.
#[tool(register = false)]
pub(crate) fn measure_told() -> Result<Told, std::fmt::Error> {
    Ok(Told { size: 1 })
}

/// Adds two numbers.
#[tool(register = false)]
#[example("A small sum", { "one": 1, "other": 2 } => 4)]
#[example("A large sum", { "one": 100, "other": 20 } => 121)]
pub(crate) fn add_wrongly(
    /// One.
    one: u8,
    /// The other.
    other: u8,
) -> u16 {
    u16::from(one) + u16::from(other)
}

/// Adds two numbers.
#[tool(register = false)]
#[example("A small sum", { "one": 1, "other": 2 } => 3)]
pub(crate) fn add_rightly(
    /// One.
    one: u8,
    /// The other.
    other: u8,
) -> u16 {
    u16::from(one) + u16::from(other)
}

/// Finds by a word in lower case.
#[tool(register = false)]
#[example("beyond", { "word": "A" })]
#[example("within", { "word": "a" })]
pub(crate) fn find_beyond(
    /// A word.
    #[arg(pattern = "^[a-z]$")]
    word: &str,
) -> String {
    word.to_owned()
}

/// Finds by a word in lower case.
#[tool(register = false)]
#[example("within", { "word": "a" })]
pub(crate) fn find_within(
    /// A word.
    #[arg(pattern = "^[a-z]$")]
    word: &str,
) -> String {
    word.to_owned()
}

/// The number where none is given: asked for when the tool runs, so that no compiler sees it.
fn eleven() -> u8 {
    11
}

fn ten() -> u8 {
    10
}

/// Adds one to a small number.
#[tool(register = false)]
pub(crate) fn add_to_eleven(
    /// A number.
    #[arg(range = 1..=10, default = eleven())]
    number: u8,
) -> String {
    number.to_string()
}

/// Adds one to a small number.
#[tool(register = false)]
pub(crate) fn add_to_ten(
    /// A number.
    #[arg(range = 1..=10, default = ten())]
    number: u8,
) -> String {
    number.to_string()
}

/// A tool whose arguments depend on each other in a way that some API does not know.
pub(crate) fn depending(unknown: bool) -> Registry {
    let mut schema = json!({
        "type": "object", "additionalProperties": false,
        "properties": {
            "from": {"type": "string", "description": "Where from."}, "to": {"type": "string", "description": "Where to."},
        },
    });
    if unknown && let Some(schema) = schema.as_object_mut() {
        schema.insert("dependentRequired".to_owned(), json!({"from": ["to"]}));
    }
    let tool =
        DynTool::builder("find_way").description("Finds a way through the town.").behavior(Behavior::READ);
    let tool =
        tool.input_schema(schema).handler_sync(|args, _| Ok(ToolOutput::structured(args))).build().unwrap();
    Registry::builder().add_dyn(tool).build().unwrap()
}
