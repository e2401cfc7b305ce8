//! The cases of calls.json: replies decoded, whole and in pieces, results encoded, and arguments there and back.

use serde_json::{Value, json};
use tool_core::dialect::{
    Dialect as _, DialectId, Limits, ModelCall, Plan, PlanOptions, StrictPolicy, limits, mcp,
};
use tool_core::{
    ArgIssue, Call, Caller, Content, DynTool, ErrorKind, Executor, Registry, ResourceBody, ToolContext,
    ToolError, ToolOutput, ToolResult,
};

use super::adapters::equal;
use super::judge_all;

/// Fewer cases mean that the file was cut.
const LEAST: usize = 90;

#[test]
fn vectors_calls() {
    judge_all("calls", LEAST, |case| match case["kind"].as_str() {
        Some("decode") => decodes(case, whole),
        Some("stream") => decodes(case, in_pieces),
        Some("encode") => encodes(case),
        Some("roundtrip") => comes_back(case),
        _ => Err(format!("unknown kind {}", case["kind"])),
    });
}

fn dialect(case: &Value) -> DialectId {
    match (case["dialect"].as_str(), case["era"].as_str()) {
        (Some("mcp"), Some("2025-11-25")) => DialectId::Mcp20251125,
        (Some("mcp"), _) => DialectId::Mcp20260728,
        (Some(name), _) => name.parse().unwrap_or_else(|()| panic!("unknown dialect {name}")),
        (None, _) => panic!("a case names its dialect"),
    }
}

/// The tools of a case; each answers with the arguments that reached it.
fn registry(case: &Value) -> Registry {
    let tools = case["tools"].as_array().into_iter().flatten().map(|tool| {
        let name = tool["name"].as_str().expect("a tool has a name");
        let tool = DynTool::builder(name).description("Does it.").input_schema(tool["canonical"].clone());
        tool.handler_sync(|args, _| Ok(ToolOutput::structured(args))).build().expect("a schema")
    });
    tools.fold(Registry::builder(), |builder, tool| builder.add_dyn(tool)).build().expect("a registry")
}

fn plan(dialect: DialectId, registry: &Registry, strict: bool) -> Result<Plan, String> {
    let policy = if strict { StrictPolicy::Always } else { StrictPolicy::Never };
    let options = PlanOptions { strict: Some(policy), ..PlanOptions::default() };
    dialect.plan(&registry.iter().collect::<Vec<_>>(), &options).map_err(|error| error.to_string())
}

// ---- decode and stream --------------------------------------------------------------------------------------------------

type Decode = fn(DialectId, &Plan, &Value) -> Result<tool_core::dialect::Decoded, ToolError>;

fn whole(dialect: DialectId, plan: &Plan, payload: &Value) -> Result<tool_core::dialect::Decoded, ToolError> {
    dialect.decode(plan, payload, 0)
}

fn in_pieces(
    dialect: DialectId,
    plan: &Plan,
    payload: &Value,
) -> Result<tool_core::dialect::Decoded, ToolError> {
    let mut assembler = dialect.assembler(plan, 0);
    for event in payload.as_array().into_iter().flatten() {
        let _ = assembler.feed(event);
    }
    assembler.finish()
}

fn decodes(case: &Value, decode: Decode) -> Result<(), String> {
    let (dialect, registry) = (dialect(case), registry(case));
    let plan = plan(dialect, &registry, case["strict"] == true)?;
    let decoded = decode(dialect, &plan, &case["payload"]).map_err(|error| error.to_string())?;
    let expect = &case["expect"];
    equal("text", &json!(decoded.text), &expect["text"])?;
    equal("stop", &json!(decoded.stop.as_str()), &expect["stop"])?;
    let expected = expect["calls"].as_array().expect("a list of calls");
    equal("number of calls", &json!(decoded.calls.len()), &json!(expected.len()))?;
    for (i, (call, expected)) in decoded.calls.iter().zip(expected).enumerate() {
        judge(call, expected, case, &registry).map_err(|difference| format!("call {i}: {difference}"))?;
    }
    Ok(())
}

fn judge(call: &ModelCall, expected: &Value, case: &Value, registry: &Registry) -> Result<(), String> {
    if !expected["id"].is_null() {
        equal("id", &json!(call.id), &expected["id"])?;
    }
    equal("wire_id", &json!(call.wire_id), &expected["wire_id"])?;
    equal("name", &json!(call.name), &expected["name"])?;
    let args = match (&call.args, expected.get("error")) {
        (Ok(args), None) => args,
        (Ok(args), Some(error)) => return Err(format!("{args}, not {error}")),
        (Err(error), None) => return Err(error.to_json().to_string()),
        (Err(error), Some(expected)) => return judge_error(error, expected),
    };
    equal("args", args, &expected["args"])?;
    let tools = case["tools"].as_array().into_iter().flatten();
    let canonical =
        tools.filter(|tool| tool["name"] == expected["name"]).map(|tool| &tool["canonical"]).next();
    if let (Some(canonical), Some(valid)) = (canonical, expected.get("valid")) {
        equal("valid", &json!(jsonschema::draft202012::is_valid(canonical, args)), valid)?;
    }
    if let Some(decoded) = expected.get("decoded") {
        let executor = Executor::standard(registry.clone()).build().expect("an executor");
        let call = Call::new(call.name.clone(), args.clone());
        let output = executor.call_blocking(call, &ToolContext::empty(), Caller::Llm);
        equal("decoded", &output.map_err(|error| error.to_string())?.data(), decoded)?;
    }
    Ok(())
}

fn judge_error(error: &ToolError, expected: &Value) -> Result<(), String> {
    let got = error.to_json();
    for key in ["kind", "code"] {
        equal(key, &got[key], &expected[key])?;
    }
    let expected = expected["issues"].as_array().cloned().unwrap_or_default();
    let issues = got["issues"].as_array().cloned().unwrap_or_default();
    equal("number of issues", &json!(issues.len()), &json!(expected.len()))?;
    for (got, expected) in issues.iter().zip(&expected) {
        for (key, value) in expected.as_object().into_iter().flatten() {
            equal(&format!("issue, {key}"), &got[key], value)?;
        }
    }
    Ok(())
}

// ---- encode -------------------------------------------------------------------------------------------------------------

fn encodes(case: &Value) -> Result<(), String> {
    let dialect = dialect(case);
    let bytes = case["result_bytes"].as_u64().and_then(|bytes| usize::try_from(bytes).ok());
    let limits =
        bytes.map_or_else(Limits::default, |bytes| Limits::default().with(limits::RESULT_BYTES, bytes));
    let results: Vec<ToolResult> = case["results"].as_array().into_iter().flatten().map(result).collect();
    if let Some(expected) = case["expect"].get("result") {
        let tool = case["results"][0]["tool"].as_str().unwrap_or("read_file");
        return equal("result", &mcp::result(dialect, tool, None, &results[0], &limits), expected);
    }
    let options = PlanOptions { limits, ..PlanOptions::default() };
    let plan = dialect.plan(&[], &options).map_err(|error| error.to_string())?;
    let calls = case["calls"].as_array().into_iter().flatten().map(|call| ModelCall {
        id: call["id"].as_str().unwrap_or_default().to_owned(),
        wire_id: call["id"].as_str().map(str::to_owned),
        name: call["name"].as_str().unwrap_or_default().to_owned(),
        args: Ok(json!({})),
    });
    let results: Vec<(ModelCall, ToolResult)> = calls.zip(results).collect();
    equal("append", &json!(dialect.encode_results(&plan, &results)), &case["expect"]["append"])
}

fn result(case: &Value) -> ToolResult {
    if case["ok"] == false {
        return Err(error(&case["error"]));
    }
    Ok(ToolOutput {
        content: case["content"].as_array().into_iter().flatten().map(content).collect(),
        structured: case.get("structured").cloned().map(Into::into),
        truncated: case["truncated"].as_str().map(str::to_owned),
        ..ToolOutput::default()
    })
}

fn content(block: &Value) -> Content {
    let text = |key: &str| block[key].as_str().map(str::to_owned);
    let (mime_type, data) = (text("mime"), text("data").unwrap_or_default());
    let uri = text("uri").unwrap_or_default();
    match block["type"].as_str() {
        Some("text") => Content::text(text("text").unwrap_or_default()),
        Some("image") => Content::Image { data, mime_type: mime_type.unwrap_or_default() },
        Some("audio") => Content::Audio { data, mime_type: mime_type.unwrap_or_default() },
        Some("json") => Content::Json { value: block["value"].clone() },
        Some("link") => Content::ResourceLink { uri, name: text("name").unwrap_or_default(), mime_type },
        Some("resource") => {
            let body = text("text").map_or(ResourceBody::Blob(data), ResourceBody::Text);
            Content::Resource { uri, mime_type, body }
        }
        _ => panic!("unknown block {block}"),
    }
}

fn error(case: &Value) -> ToolError {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = ErrorKind::all().find(|kind| kind.as_str() == case["kind"]).expect("a kind");
    let mut error = ToolError::new(kind, text(&case["message"])).code(text(&case["code"]));
    error = error.retryable(case["retryable"] == true);
    if let Some(hint) = case["hint"].as_str() {
        error = error.hint(hint.to_owned());
    }
    if let Some(after) = case["retry_after_ms"].as_u64() {
        error = error.retry_after(std::time::Duration::from_millis(after));
    }
    let issues: Vec<ArgIssue> = serde_json::from_value(case["issues"].clone()).unwrap_or_default();
    error.issues(issues)
}

// ---- there and back -----------------------------------------------------------------------------------------------------

fn comes_back(case: &Value) -> Result<(), String> {
    const FORMS: [(&str, DialectId, bool); 7] = [
        ("loose", DialectId::Anthropic, false),
        ("loose", DialectId::OpenAiChat, false),
        ("openai_strict", DialectId::OpenAiChat, true),
        ("openai_strict", DialectId::OpenAiResponses, true),
        ("anthropic_strict", DialectId::Anthropic, true),
        ("gemini", DialectId::Gemini, false),
        ("mcp", DialectId::Mcp20260728, false),
    ];
    let registry = registry(case);
    for (form, dialect, strict) in FORMS {
        let Some(wire) = case["wire"].get(form) else { continue };
        let about = |difference: String| format!("{form}, {dialect}: {difference}");
        // A tool that cannot be strict travels loose.
        let policy = if strict { StrictPolicy::Prefer } else { StrictPolicy::Never };
        let options = PlanOptions { strict: Some(policy), ..PlanOptions::default() };
        let entries: Vec<_> = registry.iter().collect();
        let plan = dialect.plan(&entries, &options).map_err(|error| about(error.to_string()))?;
        let tool = &plan.tools[0];
        let sent = dialect.encode_args(tool, &case["args"]);
        equal("wire", &sent, wire).map_err(about)?;
        let call = ModelCall {
            id: "call_1".to_owned(),
            wire_id: None,
            name: tool.name().to_owned(),
            args: Ok(sent),
        };
        let body = dialect.encode_calls(&[call], "");
        let mut decoded = dialect.decode(&plan, &body, 0).map_err(|error| about(error.to_string()))?;
        let args = decoded.calls.remove(0).args.map_err(|error| about(error.to_string()))?;
        equal("args", &args, &case["args"]).map_err(about)?;
    }
    Ok(())
}
