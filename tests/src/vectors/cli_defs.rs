//! What `cli.json` says of tools that the macro would refuse, and the executor's own answer for comparison.

use serde_json::{Map, Value, json};
use tool_cli::clash;
use tool_cli::flags::Table;
use tool_core::{AnyTool, Call, Caller, Coerce, DynTool, Executor, ToolContext};

use super::cli_judge::{equal, same};
use crate::given;

/// The long option of each parameter of a tool.
pub(super) fn flags(tool: &Value, expect: &Value) -> Result<(), String> {
    let dynamic = tool["dynamic"] == true;
    let built = dynamic.then(|| given::dynamic(tool));
    let def = built.as_ref().map_or_else(|| *given::definition(tool), |tool| *tool.def());
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
        tools.iter().map(|tool| (tool["dynamic"] == true).then(|| given::dynamic(tool))).collect();
    let defs = tools.iter().zip(&dynamic).map(|(tool, dynamic)| match dynamic {
        Some(dynamic) => dynamic.def(),
        None => given::definition(tool),
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
