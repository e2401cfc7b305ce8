//! Tools that only the macro makes: types of their own, examples, defaults.

use serde_json::Value;
use tool_core::tool;

/// Finds by a word in lower case.
#[tool(register = false)]
#[example("beyond", { "word": "A" })]
pub(crate) fn find_beyond(
    /** A word. */
    #[arg(pattern = "^[a-z]$")]
    word: &str,
) -> String {
    word.to_owned()
}

/// Finds by a word in lower case.
#[tool(register = false)]
#[example("within", { "word": "a" })]
pub(crate) fn find_within(
    /** A word. */
    #[arg(pattern = "^[a-z]$")]
    word: &str,
) -> String {
    word.to_owned()
}

/// The number where none is given: asked for when the tool runs, so that no compiler sees it.
pub(crate) fn eleven() -> u8 {
    11
}

pub(crate) fn ten() -> u8 {
    10
}

/// Adds one to a small number.
#[tool(register = false)]
pub(crate) fn add_to_eleven(
    /** A number. */
    #[arg(range = 1..=10, default = eleven())]
    number: u8,
) -> String {
    number.to_string()
}

/// Adds one to a small number.
#[tool(register = false)]
pub(crate) fn add_to_ten(
    /** A number. */
    #[arg(range = 1..=10, default = ten())]
    number: u8,
    /** Must be given. */
    other: u8,
) -> String {
    format!("{number}{other}")
}

/// Finds by a pattern that is cut off.
#[tool(register = false)]
pub(crate) fn find_open(
    /** A word. */
    #[arg(pattern = "^[a-z")]
    word: &str,
) -> String {
    word.to_owned()
}

/// Finds by a whole pattern.
#[tool(register = false)]
pub(crate) fn find_closed(
    /** A word. */
    #[arg(pattern = "^[a-z]$")]
    word: &str,
) -> String {
    word.to_owned()
}

/// A type that no value is of.
#[derive(serde::Deserialize)]
pub(crate) struct Never;

impl schemars::JsonSchema for Never {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Never".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        false.into()
    }
}

/// Finds what can never be asked for.
#[tool(register = false)]
pub(crate) fn find_never(
    /** Nothing fits. */
    never: Never,
) -> String {
    let Never = never;
    String::new()
}

/// A type that does not know its schema.
#[derive(serde::Deserialize)]
pub(crate) struct Panics;

impl schemars::JsonSchema for Panics {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Panics".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        "".parse::<u8>().map(|_| true.into()).unwrap()
    }
}

/// Finds what cannot be described.
#[tool(register = false)]
pub(crate) fn find_panics(
    /** Unknown. */
    what: Panics,
) -> String {
    let Panics = what;
    String::new()
}

/// An even number, of which its schema does not say that it is even.
#[derive(serde::Deserialize)]
#[serde(try_from = "u8")]
pub(crate) struct Even(u8);

impl TryFrom<u8> for Even {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Even, &'static str> {
        if number.is_multiple_of(2) { Ok(Even(number)) } else { Err("an even number") }
    }
}

impl schemars::JsonSchema for Even {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Even".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "integer", "minimum": 0, "maximum": 255})
    }
}

/// Adds one to an even number.
#[tool(register = false)]
pub(crate) fn add_to_even(
    /** A number. */
    number: Even,
) -> String {
    number.0.to_string()
}

/// Adds one to a number, or to two.
#[tool(register = false, exactly_one(one, other))]
pub(crate) fn add_to_either(
    /** A number. */
    one: Option<u8>,
    /** A number. */
    other: Option<u8>,
) -> String {
    format!("{one:?}{other:?}")
}

/// Sends a letter, again and again.
#[tool(side_effect, idempotent = false, register = false)]
pub(crate) fn send_letter() -> String {
    String::new()
}

/// Sends a letter, once for each key.
#[tool(side_effect, idempotent = false, register = false)]
pub(crate) fn send_letter_once(ctx: &tool_core::ToolContext) -> String {
    ctx.idempotency_key().to_owned()
}

#[derive(serde::Serialize)]
pub(crate) struct Bare {
    size: u8,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Told {
    size: u8,
}

/// Measures a thing without a schema.
#[tool(register = false)]
pub(crate) fn measure_bare() -> Result<Bare, std::fmt::Error> {
    Ok(Bare { size: 1 })
}

/// Measures a thing with a schema.
#[tool(register = false)]
pub(crate) fn measure_told() -> Result<Told, std::fmt::Error> {
    Ok(Told { size: 1 })
}

/// Measures a thing as any value.
#[tool(register = false)]
pub(crate) fn measure_any() -> Value {
    Value::Null
}

/// A word that nothing can be made of.
#[derive(serde::Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Fragile(String);

impl TryFrom<String> for Fragile {
    type Error = &'static str;

    fn try_from(word: String) -> Result<Fragile, Self::Error> {
        assert!(word.len() > 1_000_000, "too short");
        Ok(Fragile(word))
    }
}

impl schemars::JsonSchema for Fragile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Fragile".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string"})
    }
}

/// Finds what its type cannot hold.
#[tool(register = false)]
#[example("any", { "word": "a" })]
pub(crate) fn find_fragile(
    /** A word. */
    word: Fragile,
) -> String {
    word.0
}

/// Finds by a pattern that is cut off, as an example shows.
#[tool(register = false)]
#[example("any", { "word": "a" })]
pub(crate) fn find_open_shown(
    /** A word. */
    #[arg(pattern = "^[a-z")]
    word: &str,
) -> String {
    word.to_owned()
}

/// Finds by a pattern that no common text matches.
#[tool(register = false)]
pub(crate) fn find_odd(
    /** A word. */
    #[arg(pattern = "^[x-z]{5}$")]
    word: &str,
) -> String {
    word.to_owned()
}

/// Finds what `lock_door` has closed.
#[tool(register = false, requires(secret = "DOOR_KEY"))]
pub(crate) fn find_locked() {}
