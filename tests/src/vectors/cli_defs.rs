//! Tools of `cli.json` that the macro would refuse, built as definitions, and the executor's own answer for comparison.

use serde_json::{Map, Value, json};
use tool_cli::clash;
use tool_cli::flags::Table;
use tool_core::args::Args;
use tool_core::def::{
    Cache, CliDef, Doc, Handler, Origin, ParamDef, ParamKeys, ParamKind, Run, SchemaSource,
};
use tool_core::{
    AnyTool, Call, Caller, Coerce, DynTool, Executor, ToolContext, ToolDef, ToolError, ToolOutput,
};

use super::cli_judge::{equal, same};

/// The long option of each parameter of a tool.
pub(super) fn flags(tool: &Value, expect: &Value) -> Result<(), String> {
    let dynamic = tool["dynamic"] == true;
    let built = dynamic.then(|| dynamic_tool(tool));
    let def = built.as_ref().map_or_else(|| *definition(tool), |tool| *tool.def());
    let schema = def.input_schema().map_err(|error| error.to_string())?.schema().clone();
    let table = Table::new(&def, &schema);
    let flags: Map<String, Value> = table
        .params
        .iter()
        .map(|param| (param.name.clone(), json!(param.long.as_ref().map(|long| format!("--{long}")))))
        .collect();
    same("flags", &Value::Object(flags), &expect["flags"])
}

/// The clashes of a program with these tools, as a set.
pub(super) fn clashes(tools: &Value, expect: &Value) -> Result<(), String> {
    let tools = tools.as_array().unwrap();
    let dynamic: Vec<Option<DynTool>> =
        tools.iter().map(|tool| (tool["dynamic"] == true).then(|| dynamic_tool(tool))).collect();
    let defs = tools.iter().zip(&dynamic).map(|(tool, dynamic)| match dynamic {
        Some(dynamic) => dynamic.def(),
        None => definition(tool),
    });
    let mut found: Vec<Value> = clash::clashes(defs.map(|def| (def.name, def)))
        .into_iter()
        .map(|clash| json!({"name": clash.name, "with": clash.with}))
        .collect();
    let mut expected = expect["clashes"].as_array().unwrap().clone();
    found.sort_by_key(Value::to_string);
    expected.sort_by_key(Value::to_string);
    equal("clashes", &json!(found), &json!(expected))
}

/// Whether the executor says the same to the arguments as JSON: the same normal form, or the same places and types.
pub(super) fn parity(case: &Value, reached: Option<&Value>, issues: &Value) -> Result<(), String> {
    let executor = Executor::standard(crate::demo::registry().unwrap()).coerce(Coerce::Text).build().unwrap();
    let call = Call::new(case["expect"]["tool"].as_str().unwrap(), case["parity"].clone());
    let ctx = ToolContext::empty();
    let plan = executor.plan(call, &ctx, Caller::Cli);
    let plan = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(plan);
    match (plan, reached) {
        (Ok(plan), Some(args)) => same("normal form", args, &plan.args),
        (Err(error), None) => {
            let own = error.arg_issues().iter().map(|issue| json!([issue.path, issue.expected])).collect();
            equal("issues", issues, &own)
        }
        (Err(error), Some(_)) => Err(format!("the executor refuses: {error}")),
        (Ok(_), None) => Err("the executor accepts it".to_owned()),
    }
}

fn enter(_: &mut Args<'_>) -> Result<Run, ToolError> {
    Ok(Run::blocking(|_| Ok(ToolOutput::default())))
}

fn definition(tool: &Value) -> &'static ToolDef<'static> {
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

fn dynamic_tool(tool: &Value) -> DynTool {
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
