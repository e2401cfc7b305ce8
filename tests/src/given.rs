//! Tools that a case describes, which the macro would refuse, built as definitions.

use serde_json::{Map, Value, json};
use tool_core::args::Args;
use tool_core::def::{
    Cache, CliDef, Doc, Handler, Origin, ParamDef, ParamKeys, ParamKind, Run, SchemaSource,
};
use tool_core::{DynTool, ToolDef, ToolError, ToolOutput};

fn enter(_: &mut Args<'_>) -> Result<Run, ToolError> {
    Ok(Run::blocking(|_| Ok(ToolOutput::default())))
}

/// A tool as the macro would write it.
pub(crate) fn definition(tool: &Value) -> &'static ToolDef<'static> {
    let params: Vec<ParamDef<'static>> = tool["params"].as_array().unwrap().iter().map(param).collect();
    let cache: &'static Cache = Box::leak(Box::default());
    let name = leak(&tool["name"]).unwrap();
    let base = ToolDef::new(name, Doc::Text("A tool."), Handler::Sync(enter), Origin::DYNAMIC, cache);
    Box::leak(Box::new(ToolDef { group: leak(&tool["group"]), params: Box::leak(params.into()), ..base }))
}

fn param(param: &Value) -> ParamDef<'static> {
    let (kind, schema) = type_of(&param["type"]);
    let schema = SchemaSource::Given(Box::leak(Box::new(schema)));
    let aliases: Vec<&'static str> =
        param["aliases"].as_array().into_iter().flatten().filter_map(leak).collect();
    let cli = CliDef {
        long: leak(&param["long"]),
        short: param["short"].as_str().and_then(|short| short.chars().next()),
        positional: param["positional"] == true,
        ..CliDef::NONE
    };
    let base = ParamDef::new(leak(&param["name"]).unwrap(), Doc::Text("x"), kind, schema);
    let keys = ParamKeys {
        aliases: Box::leak(aliases.into()),
        secret: param["secret"] == true,
        cli,
        ..ParamKeys::NONE
    };
    ParamDef { keys: Box::leak(Box::new(keys)), ..base }
}

fn type_of(kind: &Value) -> (ParamKind, Value) {
    match kind {
        Value::String(name) if name == "bool" => (ParamKind::Flag, json!({"type": "boolean"})),
        Value::String(name) if name == "string" => (ParamKind::Required, json!({"type": "string"})),
        Value::String(_) => (ParamKind::Required, json!({"type": "integer"})),
        Value::Object(outer) if outer.contains_key("option") => {
            (ParamKind::Optional, type_of(&kind["option"]).1)
        }
        Value::Object(outer) if outer.contains_key("list") => {
            (ParamKind::List, json!({"type": "array", "items": type_of(&kind["list"]).1}))
        }
        other => panic!("no type {other}"),
    }
}

/// A tool that is made at run time.
pub(crate) fn dynamic(tool: &Value) -> DynTool {
    let params = tool["params"].as_array().unwrap();
    let properties: Map<String, Value> = params
        .iter()
        .map(|param| (param["name"].as_str().unwrap().to_owned(), type_of(&param["type"]).1))
        .collect();
    let builder = DynTool::builder(tool["name"].as_str().unwrap())
        .description("A tool.")
        .group(tool["group"].as_str().unwrap())
        .input_schema(json!({"type": "object", "properties": properties, "additionalProperties": false}))
        .handler_sync(|_, _| Ok(ToolOutput::default()));
    builder.build().unwrap()
}

fn leak(text: &Value) -> Option<&'static str> {
    text.as_str().map(|text| &*Box::leak(text.to_owned().into_boxed_str()))
}
