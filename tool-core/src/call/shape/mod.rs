//! The shape step: no secret leaves, nothing is longer than it may be, and what is long is parked for the model to read in
//! pages. (calls.md §10)

mod page;
mod read_result;
mod scrub;
mod store;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use self::page::{byte_of, pages};
pub use self::read_result::{READ_RESULT, ReadResultTool, read_result};
pub(crate) use self::scrub::{scrub, scrub_json};
pub use self::store::{
    MemoryResults, Parked, RESULT_LIFE, RESULTS_GONE_MAX, RESULTS_MAX, ResultLimits, ResultScope, ResultStore,
};
use super::facts::Facts;
use super::gate::Admitted;
use super::layer::{Invocation, Layer, Next};
use super::redact::KnownSecrets;
use super::redact::output::has_secret_parts;
use super::who::Who;
use super::{CallScope, Caller};
use crate::context::ToolContext;
use crate::def::BoxFuture;
use crate::error::ToolError;
use crate::output::{Content, ToolOutput, ToolResult};
use crate::registry::ToolEntry;
use crate::structured::Structured;

/// Bytes of a result where nobody says otherwise.
pub const MAX_OUTPUT_BYTES: usize = 10 * 1024 * 1024;

/// Characters of a result that a model gets whole.
pub const INLINE_LIMIT: usize = 10_000;

/// Characters of the result of a tool that pages itself.
const PAGED_LIMIT: usize = 200_000;

/// Characters of the message of an error.
const ERROR_LIMIT: usize = 4_000;

/// Characters of the beginning and of the end in a stub.
const STUB: (usize, usize) = (1_500, 500);

/// How results are shaped.
#[derive(Clone)]
pub struct ShapeSettings {
    /// What must never leave.
    pub secrets: Arc<KnownSecrets>,
    /// Tools whose results are not searched for secrets.
    pub unscrubbed: BTreeSet<String>,
    /// Bytes of a result.
    pub max_output_bytes: usize,
    /// Characters that a model gets whole.
    pub inline_limit: usize,
    /// Where longer ones are parked; `None` parks nothing.
    pub results: Option<Arc<dyn ResultStore>>,
}

impl Default for ShapeSettings {
    /// Parks in memory; knows no secrets.
    fn default() -> Self {
        ShapeSettings {
            secrets: Arc::default(),
            unscrubbed: BTreeSet::new(),
            max_output_bytes: MAX_OUTPUT_BYTES,
            inline_limit: INLINE_LIMIT,
            results: Some(Arc::new(MemoryResults::default())),
        }
    }
}

impl std::fmt::Debug for ShapeSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShapeSettings")
            .field("secrets", &self.secrets)
            .field("max_output_bytes", &self.max_output_bytes)
            .field("inline_limit", &self.inline_limit)
            .finish_non_exhaustive()
    }
}

/// The layer.
pub(super) struct Shape(pub(super) Arc<ShapeSettings>);

/// Whose results a caller may read: those of its run, else those of its agent.
pub(super) fn scope_of(ctx: &ToolContext) -> ResultScope {
    let who = Who::of(ctx);
    let run = if who.run.is_empty() { format!("agent:{}", who.agent) } else { who.run.to_owned() };
    ResultScope { tenant: who.tenant.to_owned(), run }
}

/// What a call leaves behind for its result to be shaped.
struct Seen<'a> {
    tool: &'a ToolEntry,
    ctx: &'a ToolContext,
    caller: Caller,
    max_bytes: usize,
    facts: Option<Arc<Facts>>,
}

impl Seen<'_> {
    /// Puts one text in the place of all that a model would read.
    fn replace_text(&self, output: &mut ToolOutput, text: String) {
        output.content.retain(|block| text_of(block).is_none());
        output.content.insert(0, Content::text(text));
        // MCP promises the structured value of a tool with an output schema; a model reads the text.
        if self.caller != Caller::Mcp || self.tool.def().output_schema().is_none() {
            output.structured = None;
        }
    }

    /// A result that could not be parked: as much of it as a model gets whole, from both ends.
    fn inline(&self, mut output: ToolOutput, payload: &str, limit: usize, error: &ToolError) -> ToolOutput {
        tracing::warn!(target: "toolbox::results", tool = self.tool.name(), %error, "a result is not parked");
        let characters = payload.chars().count();
        let (head, tail) = (limit - limit / 4, limit / 4);
        let (start, end) = (byte_of(payload, head), byte_of(payload, characters - tail));
        let (start, end) = (payload.get(..start).unwrap_or_default(), payload.get(end..).unwrap_or_default());
        let text = format!(
            "{start}\n…\n{end}\n[cut: {limit} of {characters} characters are shown; the rest could not be kept]"
        );
        let bytes = start.len() + end.len();
        self.replace_text(&mut output, text);
        output.meta.insert("truncated".to_owned(), json!({"bytes": bytes, "total": payload.len()}));
        output
    }
}

impl Shape {
    fn shape(&self, seen: &Seen<'_>, result: ToolResult) -> ToolResult {
        let settings = &*self.0;
        let own = seen.tool.name() == READ_RESULT;
        let result = match settings.unscrubbed.contains(seen.tool.name()) {
            true => result,
            false => scrub(result, self.secrets(seen.ctx)),
        };
        match result {
            Ok(output) if own => Ok(output),
            Ok(output) => {
                let output = cap(output, seen.max_bytes);
                match &settings.results {
                    Some(results) => self.park(seen, results, output),
                    None => Ok(output),
                }
            }
            Err(error) => Err(cap_details(error.map_message(|message| shortened(&message)), seen.max_bytes)),
        }
    }

    /// What must not leave a call.
    fn secrets<'a>(&'a self, ctx: &'a ToolContext) -> &'a KnownSecrets {
        ctx.running().and_then(CallScope::known_secrets).unwrap_or(&self.0.secrets)
    }

    fn park(&self, seen: &Seen<'_>, results: &Arc<dyn ResultStore>, mut output: ToolOutput) -> ToolResult {
        let limit = if seen.tool.def().paged { PAGED_LIMIT } else { self.0.inline_limit };
        if !matches!(seen.caller, Caller::Llm | Caller::Mcp) {
            return Ok(output);
        }
        let Some((payload, media)) = payload(&output) else { return Ok(output) };
        let characters = payload.chars().count();
        if characters <= limit {
            return Ok(output);
        }
        let count = pages(&payload).len();
        let shape = outline(&output);
        let parked = Parked {
            text: payload.as_str().into(),
            media: media.to_owned(),
            tool: seen.tool.name().to_owned(),
            call_id: seen.ctx.running().map(|call| call.id().to_owned()),
            is_private: has_secret_parts(seen.tool.def())
                || self.secrets(seen.ctx).scrub(&payload) != payload,
        };
        let id = match results.put(&scope_of(seen.ctx), parked) {
            Ok(id) => id,
            // The tool has run: what there is room for is better than nothing.
            Err(error) => return Ok(seen.inline(output, &payload, limit, &error)),
        };
        let (head, tail) = (byte_of(&payload, STUB.0), byte_of(&payload, characters - STUB.1));
        let stub = format!(
            "[result {id} parked: {characters} characters, {count} pages, {media}; {shape}]\n{}\n…\n{}\n\
             [read more: read_result(id=\"{id}\", page=1..{count})]",
            payload.get(..head).unwrap_or_default(),
            payload.get(tail..).unwrap_or_default(),
        );
        seen.replace_text(&mut output, stub);
        output.meta.insert("parked".to_owned(), Value::from(id));
        if let Some(facts) = &seen.facts {
            facts.known().parked = true;
        }
        Ok(output)
    }
}

/// The text of a result, as it is parked: text as it is, a structured value as indented JSON.
fn payload(output: &ToolOutput) -> Option<(String, &'static str)> {
    let texts: Vec<Cow<'_, str>> = output.content.iter().filter_map(text_of).collect();
    match (texts.is_empty(), &output.structured) {
        (false, _) => {
            let text = texts.join("\n");
            let json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            Some((text, if json { "application/json" } else { "text/plain" }))
        }
        (true, Some(value)) => match value.as_value() {
            Value::String(text) => Some((text.clone(), "text/plain")),
            value => Some((serde_json::to_string_pretty(value).ok()?, "application/json")),
        },
        (true, None) => None,
    }
}

/// What a model reads of a block.
fn text_of(block: &Content) -> Option<Cow<'_, str>> {
    match block {
        Content::Text { text } => Some(Cow::Borrowed(text)),
        Content::Json { value } => Some(Cow::Owned(value.to_string())),
        _ => None,
    }
}

/// What a result looks like, in a few words.
fn outline(output: &ToolOutput) -> String {
    let keys = |members: &serde_json::Map<String, Value>| {
        members.keys().take(8).map(String::as_str).collect::<Vec<_>>().join(", ")
    };
    let parsed = payload(output).and_then(|(text, _)| serde_json::from_str::<Value>(&text).ok());
    match parsed {
        Some(Value::Array(items)) => match items.first() {
            Some(Value::Object(first)) => {
                format!("array of {} objects with keys {}", items.len(), keys(first))
            }
            _ => format!("array of {} values", items.len()),
        },
        Some(Value::Object(members)) => format!("object with keys {}", keys(&members)),
        _ => {
            let lines = payload(output).map_or(0, |(text, _)| text.lines().count());
            format!("{lines} lines")
        }
    }
}

/// Cuts what is longer than it may be.
fn cap(mut output: ToolOutput, max: usize) -> ToolOutput {
    let text_bytes: usize = output.content.iter().filter_map(text_of).map(|text| text.len()).sum();
    let structured = output.structured.as_ref().map(Structured::text).filter(|json| json.len() > max);
    let structured = structured.map(Cow::into_owned);
    if let Some(json) = &structured {
        // Half a value is none: its text is what is left of it.
        output.structured = None;
        if text_bytes == 0 {
            output.content = vec![Content::text(json.as_str())];
        }
    }
    let total = structured.map_or(text_bytes, |json| json.len().max(text_bytes));
    if total <= max {
        return output;
    }
    let mut left = max;
    for block in &mut output.content {
        let Some(text) = text_of(block) else { continue };
        let end = text.floor_char_boundary(left);
        left -= end;
        if end < text.len() {
            *block = Content::text(text.get(..end).unwrap_or_default());
        }
    }
    let kept = max - left;
    output.content.push(Content::text(format!("[cut: {kept} of {total} bytes are shown]")));
    output.meta.insert("truncated".to_owned(), json!({"bytes": kept, "total": total}));
    output
}

/// Cuts the texts of an error's details, such as the output that there was before it, where together they are longer than a
/// result may be.
fn cap_details(mut error: ToolError, max: usize) -> ToolError {
    let total: usize = error.details().values().map(text_bytes).sum();
    if total > max {
        let mut left = max;
        error.details_mut().values_mut().for_each(|value| cut_texts(value, &mut left));
        error = error.detail("truncated", json!({"bytes": max - left, "total": total}));
    }
    error
}

fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(text_bytes).sum(),
        Value::Object(members) => members.values().map(text_bytes).sum(),
        _ => 0,
    }
}

fn cut_texts(value: &mut Value, left: &mut usize) {
    match value {
        Value::String(text) => {
            text.truncate(text.floor_char_boundary(*left));
            *left -= text.len();
        }
        Value::Array(items) => items.iter_mut().for_each(|item| cut_texts(item, left)),
        Value::Object(members) => members.values_mut().for_each(|member| cut_texts(member, left)),
        _ => {}
    }
}

/// A message with its beginning and its end.
fn shortened(message: &str) -> String {
    let characters = message.chars().count();
    if characters <= ERROR_LIMIT {
        return message.to_owned();
    }
    let (head, tail) = (byte_of(message, ERROR_LIMIT - 1_001), byte_of(message, characters - 1_000));
    let (head, tail) = (message.get(..head).unwrap_or_default(), message.get(tail..).unwrap_or_default());
    format!("{head}…{tail}")
}

impl Layer for Shape {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let policy = inv.ext.get::<Admitted>().and_then(|own| own.tool_limits(inv.tool).max_output_bytes);
            let max_bytes = policy.map_or(self.0.max_output_bytes, |own| own.min(self.0.max_output_bytes));
            let facts = inv.ext.get::<Arc<Facts>>().cloned();
            let seen = Seen { tool: inv.tool, ctx: inv.ctx, caller: inv.caller, max_bytes, facts };
            let result = next.run(inv).await;
            self.shape(&seen, result)
        })
    }
}

/// Why an executor cannot be built: results would be parked that nobody could read.
pub(super) fn no_reader() -> ToolError {
    ToolError::internal("Long results are parked, and the registry has no read_result.")
        .code("read_result_missing")
        .hint("add::<tool_core::ReadResultTool>() to the registry, or set results = None")
}
