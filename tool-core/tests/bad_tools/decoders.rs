//! Decoders that take another set of values than their schemas, or tell less.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use tool_core::args::Args;
use tool_core::def::{Cache, Handler, ParamDef, Run, SchemaSource, ToolDef};
use tool_core::prelude::*;

/// An even number, of which its schema does not say that it is even.
#[derive(Deserialize)]
#[serde(try_from = "u8")]
pub(crate) struct Even(u8);

impl TryFrom<u8> for Even {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Even, &'static str> {
        if number.is_multiple_of(2) { Ok(Even(number)) } else { Err("an even number") }
    }
}

impl JsonSchema for Even {
    fn schema_name() -> Cow<'static, str> {
        "Even".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": 0, "maximum": 254})
    }
}

/// Adds one to an even number.
#[tool(register = false)]
pub(crate) fn add_to_even(
    /// A number.
    number: Even,
) -> String {
    number.0.to_string()
}

/// Adds one to a number.
#[tool(register = false)]
pub(crate) fn add_to_byte(
    /// A number.
    value: u8,
) -> String {
    value.to_string()
}

/// A default that grows with use, beyond its own bound in the end.
fn grown() -> u32 {
    static USES: AtomicU32 = AtomicU32::new(0);
    if USES.fetch_add(1, Ordering::Relaxed) < 250 { 1 } else { 50 }
}

/// Keeps a number of things.
#[tool(register = false)]
pub(crate) fn keep_growing(
    /// How many.
    #[arg(range = 1..=2, default = grown())]
    count: u32,
    /// Which.
    thing: &str,
) -> String {
    format!("{count} {thing}")
}

/// Keeps a number of things.
#[tool(register = false)]
pub(crate) fn keep(
    /// How many.
    #[arg(range = 1..=2, default = 1)]
    count: u32,
    /// Which.
    thing: &str,
) -> String {
    format!("{count} {thing}")
}

/// A colour, of which its schema says more than its decoding checks.
#[derive(Deserialize)]
pub(crate) struct AnyColour(String);

impl JsonSchema for AnyColour {
    fn schema_name() -> Cow<'static, str> {
        "AnyColour".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": ["red", "blue"]})
    }
}

/// Paints a wall.
#[tool(register = false)]
pub(crate) fn paint_laxly(
    /// The colour.
    colour: AnyColour,
) -> String {
    colour.0
}

/// A colour.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Colour {
    Red,
    Blue,
}

/// Paints a wall.
#[tool(register = false)]
pub(crate) fn paint(
    /// The colour.
    colour: Colour,
) -> String {
    format!("{colour:?}")
}

/// Cuts paper.
#[tool(register = false)]
pub(crate) fn cut_paper(
    /// Where, in mm.
    length: u32,
) -> String {
    length.to_string()
}

fn lengths(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "integer", "minimum": 10, "maximum": 100})
}

/// The parameter of a tool with another schema; `told` says that its type says all that there is to check.
const fn param(
    of: &'static ToolDef<'static>,
    schema: SchemaSource<'static>,
    told: bool,
) -> ParamDef<'static> {
    match of.params {
        [param, ..] => ParamDef { schema, simple: told, ..*param },
        [] => panic!("it has a parameter"),
    }
}

static LENGTH_TOLD: [ParamDef<'static>; 1] = [param(CutPaperTool::DEF, SchemaSource::Type(lengths), true)];
static LENGTH: [ParamDef<'static>; 1] = [param(CutPaperTool::DEF, SchemaSource::Type(lengths), false)];

static CACHES: [Cache; 3] = [Cache::new(), Cache::new(), Cache::new()];

/// It takes every length, though its schema has bounds.
pub(crate) static CUT_LAXLY: ToolDef<'static> =
    ToolDef { params: &LENGTH_TOLD, cache: &CACHES[0], ..*CutPaperTool::DEF };
pub(crate) static CUT: ToolDef<'static> =
    ToolDef { params: &LENGTH, cache: &CACHES[1], ..*CutPaperTool::DEF };

/// Tells what is wrong.
#[tool(register = false)]
pub(crate) fn tell_all(
    /// A number.
    number: u8,
    /// A word.
    word: &str,
    /// More words.
    words: Vec<String>,
) -> String {
    format!("{number} {word} {words:?}")
}

/// Only the first of several issues.
fn first_only(args: &mut Args<'_>) -> Result<Run, ToolError> {
    let (Handler::Sync(enter) | Handler::Async(enter)) = TellAllTool::DEF.handler else {
        return Err(ToolError::internal("It is made by the macro."));
    };
    enter(args).map_err(|error| match error.arg_issues() {
        [first, _, ..] => ToolError::invalid_args("1 argument does not fit.").issue(first.clone()),
        _ => error,
    })
}

/// It tells of the first issue alone.
pub(crate) static TELL_FIRST: ToolDef<'static> =
    ToolDef { handler: Handler::Sync(first_only), cache: &CACHES[2], ..*TellAllTool::DEF };
