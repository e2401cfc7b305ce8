//! Sets of one or a few tools, each with one thing said of it.

use serde_json::{Value, json};
use tool_core::def::{Cache, ParamDef, ParamKeys, ToolKeys};
use tool_core::registry::RegistryBuilder;
use tool_core::{Behavior, DynTool, Registry, Tool, ToolDef, ToolOutput, tool};

pub(crate) type Tweak = fn(tool_core::registry::DynToolBuilder) -> tool_core::registry::DynToolBuilder;

/// A schema-only tool that fires nothing, with one more thing said.
pub(crate) fn with(name: &str, schema: Value, tweak: Tweak) -> DynTool {
    let tool = DynTool::builder(name)
        .description("Finds what was asked for.")
        .input_schema(schema)
        .behavior(Behavior::READ)
        .handler_sync(|args, _| Ok(ToolOutput::structured(args)));
    tweak(tool).build().unwrap()
}

pub(crate) fn set(tools: impl IntoIterator<Item = DynTool>) -> Registry {
    tools.into_iter().fold(Registry::builder(), RegistryBuilder::add_dyn).build().unwrap()
}

pub(crate) fn one(schema: Value) -> Registry {
    set([with("find_things", schema, |tool| tool)])
}

pub(crate) fn said(tweak: Tweak) -> Registry {
    set([with(
        "find_things",
        json!({"type": "object", "properties": {}, "additionalProperties": false}),
        tweak,
    )])
}

pub(crate) fn named(name: &str) -> Registry {
    set([with(name, closed(json!({}), &[]), |tool| tool)])
}

pub(crate) fn closed(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// A tool with one required parameter, described unless it describes itself.
pub(crate) fn param(name: &str, mut schema: Value) -> Registry {
    let words = schema.as_object_mut().unwrap();
    words.entry("description").or_insert_with(|| "What to look for.".into());
    one(closed(json!({ name: schema }), &[name]))
}

/// As [`param`], with more said of the parameter.
pub(crate) fn param_with(name: &'static str, tweak: Tweak) -> Registry {
    let schema = closed(json!({name: {"type": "string", "description": "What to look for."}}), &[name]);
    set([with("find_things", schema, tweak)])
}

pub(crate) fn typed<T: Tool>() -> Registry {
    Registry::builder().add::<T>().build().unwrap()
}

/// A definition that the macro refuses, as a host could write it.
pub(crate) fn written(change: impl FnOnce(&mut ToolDef<'static>, &mut ToolKeys<'static>)) -> Registry {
    let mut keys = *PickTool::DEF.keys;
    let mut def = ToolDef { cache: Box::leak(Box::new(Cache::new())), ..*PickTool::DEF };
    change(&mut def, &mut keys);
    def.keys = Box::leak(Box::new(keys));
    Registry::builder().add_def(Box::leak(Box::new(def))).build().unwrap()
}

/// The parameters of [`pick`], with the keys of some.
pub(crate) fn params(keys: &[(&str, ParamKeys<'static>)]) -> &'static [ParamDef<'static>] {
    let param = |param: &ParamDef<'static>| {
        let said = keys.iter().find(|row| row.0 == param.name);
        ParamDef { keys: said.map_or(param.keys, |row| Box::leak(Box::new(row.1))), ..*param }
    };
    PickTool::DEF.params.iter().map(param).collect::<Vec<_>>().leak()
}

/// Picks what was asked for.
#[tool(register = false)]
pub(crate) fn pick(
    /// Always given.
    always: String,
    /// The first.
    first: Option<String>,
    /// The second.
    second: Option<String>,
    /// The third.
    third: Option<String>,
) -> String {
    format!("{always}{first:?}{second:?}{third:?}")
}
