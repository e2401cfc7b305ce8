//! The Model Context Protocol: tools, calls and results as they stand in its messages.
//! <https://modelcontextprotocol.io/specification/2026-07-28/server/tools>

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::call::{Found, ModelCall, Reply, Stop, args_of, bad_response};
use super::descriptor::{description, schema};
use super::id::DialectId;
use super::limits::Limits;
use super::plan::{Plan, Planned};
use super::put::put;
use super::result::blocks;
use super::schema::{Compiled, WRAPPER, compile};
use super::wire::Wire;
use crate::error::ToolError;
use crate::fingerprint::fingerprint;
use crate::output::{Content, McpBlock, ToolOutput, ToolResult};
use crate::registry::ToolEntry;
use crate::structured::Verbatim;

/// The member `tools` of `tools/list`.
pub(super) fn tools(plan: &Plan) -> Value {
    plan.tools.iter().map(|tool| descriptor(plan, tool)).collect()
}

fn descriptor(plan: &Plan, tool: &Planned) -> Value {
    let def = tool.entry.def();
    let mut descriptor = Map::new();
    let mut put = |key: &str, value: Value| descriptor.insert(key.to_owned(), value);
    put("name", tool.name().into());
    if let Some(title) = def.title {
        put("title", title.into());
    }
    put("description", description(plan, tool).into());
    put("inputSchema", input_schema(plan.dialect, tool));
    if let Some(schema) = def.output_schema() {
        put("outputSchema", output_schema(plan.dialect, schema));
    }
    let behavior = def.behavior;
    put(
        "annotations",
        json!({
            "readOnlyHint": !behavior.side_effect,
            "destructiveHint": behavior.destructive,
            "idempotentHint": behavior.idempotent,
            "openWorldHint": behavior.open_world,
        }),
    );
    if let Some(group) = def.group {
        put("_meta", json!({"toolbox/group": group}));
    }
    Value::Object(descriptor)
}

/// A descriptor as a server sends it: with the fingerprint of the tool, by which a client knows that it has changed.
pub fn listed(entry: &ToolEntry, mut descriptor: Value) -> Value {
    if let Some(members) = descriptor.as_object_mut() {
        let meta = members.entry("_meta").or_insert_with(|| Value::Object(Map::new()));
        if let Some(meta) = meta.as_object_mut() {
            meta.insert("toolbox/fingerprint".to_owned(), json!(fingerprint(entry)));
        }
    }
    descriptor
}

/// Parameters are mirrored into headers from 2026-07-28 on.
fn input_schema(dialect: DialectId, tool: &Planned) -> Value {
    let def = tool.entry.def();
    if let Some(given) = def.input.filter(|_| def.verbatim) {
        return given.clone();
    }
    let mut schema = schema(tool);
    if dialect == DialectId::Mcp20251125 {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for property in properties.into_iter().flat_map(|properties| properties.values_mut()) {
            if let Value::Object(property) = property {
                property.remove("x-mcp-header");
            }
        }
    }
    schema
}

fn output_schema(dialect: DialectId, schema: &Value) -> Value {
    let mut inner = portable(schema);
    if dialect == DialectId::Mcp20260728 {
        return inner;
    }
    if takes_objects_only(schema) {
        // A choice between objects is one, too, but clients of that revision look for the word.
        put(&mut inner, "type", json!("object"));
        return inner;
    }
    let definitions = inner.as_object_mut().and_then(|schema| schema.remove("$defs"));
    let mut outer = json!({"type": "object", "properties": {"result": inner}, "required": ["result"]});
    if let Some(definitions) = definitions {
        put(&mut outer, "$defs", definitions);
    }
    outer
}

/// Whether every value that a schema takes is an object, as far as its root tells: a result is wrapped exactly where its schema is.
fn takes_objects_only(root: &Value) -> bool {
    fn takes(schema: &Value, root: &Value, steps: u8) -> bool {
        // A definition may lead to itself.
        let Some(left) = steps.checked_sub(1) else { return false };
        if let Some(kind) = schema.get("type") {
            return kind == "object";
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = target.strip_prefix("#/$defs/").and_then(|name| root.get("$defs")?.get(name));
            return target.is_some_and(|target| takes(target, root, left));
        }
        let choices = ["anyOf", "oneOf"].into_iter().find_map(|key| schema.get(key)?.as_array());
        choices.is_some_and(|choices| {
            !choices.is_empty() && choices.iter().all(|choice| takes(choice, root, left))
        })
    }
    takes(root, root, 8)
}

/// The schema without what clients trip over: lists of types, boolean schemas, keywords of our own.
pub(crate) fn portable(schema: &Value) -> Value {
    let Compiled { schema: Some(mut sent), wrapped, .. } = compile(schema, Wire::Mcp) else {
        return schema.clone();
    };
    if !wrapped {
        return sent;
    }
    // Arguments are an object; a result need not be one.
    let definitions = sent.as_object_mut().and_then(|sent| sent.remove("$defs"));
    let inner = sent.pointer_mut(&format!("/properties/{WRAPPER}")).map(Value::take);
    let mut inner = inner.unwrap_or_else(|| schema.clone());
    if let Some(definitions) = definitions {
        put(&mut inner, "$defs", definitions);
    }
    inner
}

/// The parameters of `tools/call`; a message has one call.
pub(super) fn encode_calls(calls: &[ModelCall]) -> Value {
    let params = |call: &ModelCall| {
        let args = call.args.as_ref().map_or_else(|_| json!({}), Value::clone);
        json!({"name": call.name, "arguments": args})
    };
    calls.first().map_or(Value::Null, params)
}

/// The call in the parameters of `tools/call`.
pub(super) fn read(params: &Value) -> Result<Reply, ToolError> {
    let call = found(params).ok_or_else(|| bad_response(params, "name"))?;
    Ok(Reply { calls: vec![call], text: String::new(), stop: Stop::Tools, echo: Value::Null })
}

fn found(params: &Value) -> Option<Found> {
    let name = params.get("name")?.as_str()?.to_owned();
    Some(Found { wire_id: None, name, args: params.get("arguments").cloned().unwrap_or_default() })
}

/// The arguments of a call, for the argument decoder: what [`Dialect::decode`](super::Dialect::decode) finds in the parameters
/// of `tools/call`, for a surface that has read those itself.
///
/// # Errors
/// `invalid_args` for what is no object, or too large.
pub fn args(plan: &Plan, tool: &str, args: Value) -> Result<Value, ToolError> {
    args_of(plan, tool, args)
}

/// The result of `tools/call`, without what the protocol adds: as it is written.
#[derive(Debug, Serialize)]
pub struct CallResult<'r> {
    content: Vec<Block>,
    #[serde(rename = "structuredContent", skip_serializing_if = "Option::is_none")]
    structured: Option<Structured<'r>>,
    #[serde(rename = "isError", skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    notes: Option<Notes<'r>>,
}

/// What the journal says of a success: that it is the outcome of an earlier call, and of which; that nobody knows whether it is
/// recorded. Failures have it in their details. (journal.md §1)
#[derive(Debug, Serialize)]
struct Notes<'r> {
    #[serde(rename = "toolbox/replayed", skip_serializing_if = "Option::is_none")]
    replayed: Option<&'r Value>,
    #[serde(rename = "toolbox/callId", skip_serializing_if = "Option::is_none")]
    call_id: Option<&'r Value>,
    #[serde(rename = "toolbox/journal", skip_serializing_if = "Option::is_none")]
    journal: Option<&'r Value>,
}

impl<'r> Notes<'r> {
    /// Nothing else of what layers tell each other leaves.
    fn of(result: &'r ToolResult) -> Option<Notes<'r>> {
        let meta = &result.as_ref().ok()?.meta;
        let (replayed, journal) = (meta.get("replayed"), meta.get("journal"));
        let call_id = replayed.and_then(|_| meta.get("call_id"));
        (replayed.is_some() || journal.is_some()).then_some(Notes { replayed, call_id, journal })
    }
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Structured<'r> {
    Bare(Verbatim<'r>),
    Wrapped { result: Verbatim<'r> },
}

impl<'r> CallResult<'r> {
    /// The result of a tool's call; `output` is the schema of its results, where it has one.
    pub fn new(
        dialect: DialectId,
        tool: &str,
        output: Option<&Value>,
        result: &'r ToolResult,
        limits: &Limits,
    ) -> CallResult<'r> {
        let structured = result.as_ref().ok().and_then(|output| output.structured.as_ref());
        let has_text =
            |output: &ToolOutput| output.content.iter().any(|block| matches!(block, Content::Text { .. }));
        // Clients that do not read structured values read the text.
        let told = result.as_ref().ok().filter(|output| !output.content.is_empty() && !has_text(output));
        let told = told.and_then(|output| {
            let text = Content::text(output.structured.as_ref()?.to_string());
            let content = std::iter::once(text).chain(output.content.iter().cloned()).collect();
            Some(Ok(ToolOutput { content, ..output.clone() }))
        });
        let blocks = blocks(tool, told.as_ref().unwrap_or(result), shows, limits);
        let is_bare = |value: &Value| {
            dialect == DialectId::Mcp20260728 || (value.is_object() && output.is_none_or(takes_objects_only))
        };
        CallResult {
            content: blocks.into_iter().map(Block).collect(),
            structured: structured.map(|value| match is_bare(value) {
                true => Structured::Bare(Verbatim(value)),
                false => Structured::Wrapped { result: Verbatim(value) },
            }),
            is_error: result.is_err().then_some(true),
            notes: Notes::of(result),
        }
    }
}

/// The result of `tools/call` as a value.
pub fn result(
    dialect: DialectId,
    tool: &str,
    output: Option<&Value>,
    result: &ToolResult,
    limits: &Limits,
) -> Value {
    json!(CallResult::new(dialect, tool, output, result, limits))
}

pub(super) fn results(plan: &Plan, results: &[(ModelCall, ToolResult)]) -> Vec<Value> {
    let encode = |(call, outcome): &(ModelCall, ToolResult)| {
        let output = plan.tool(&call.name).and_then(|tool| tool.entry.def().output_schema());
        result(plan.dialect, &call.name, output.map(AsRef::as_ref), outcome, &plan.limits)
    };
    results.iter().map(encode).collect()
}

fn shows(block: &Content) -> bool {
    !matches!(block, Content::Json { .. })
}

/// A block as MCP writes it.
#[derive(Debug)]
struct Block(Content);

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        McpBlock(&self.0).serialize(serializer)
    }
}

/// The parameters of a call, which come whole.
#[derive(Debug, Default)]
pub(super) struct Message(Value);

impl super::stream::Assemble for Message {
    fn take(&mut self, event: &Value, _: &mut Vec<super::stream::StreamEvent>) {
        if self.0.get("name").is_none_or(|name| !name.is_string()) {
            self.0 = event.clone();
        }
    }

    fn body(&self) -> Value {
        self.0.clone()
    }

    fn call(&self, place: usize) -> Option<Found> {
        if place == 0 { found(&self.0) } else { None }
    }
}
