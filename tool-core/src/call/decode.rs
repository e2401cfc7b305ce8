//! The decode step: name, frame, parameters, normal form.
//!
//! It enters the tool's first half, which takes every parameter and returns all issues at once or a [`Run`]. The `Run` is
//! kept for the first try; the normal form is only built where a layer stands between decoding and the tool.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Call;
use crate::args::{Args, Coerce, Coercion, parse_arguments, suggest};
use crate::def::{Handler, Run, ToolDef};
use crate::error::ToolError;
use crate::registry::{Registry, ToolEntry};

/// The tool of a name or alias, with its place in the registry.
pub(super) fn find<'r>(registry: &'r Registry, name: &str) -> Result<(usize, &'r ToolEntry), ToolError> {
    registry.position(name).ok_or_else(|| unknown(registry, name))
}

/// The error for a name that no tool has.
fn unknown(registry: &Registry, name: &str) -> ToolError {
    let names = registry
        .iter()
        .filter(|entry| !entry.def().hidden)
        .flat_map(|entry| entry.names().map(move |spelling| (entry.name(), spelling)));
    let near = suggest(name, names);
    let shown: String = name.chars().take(80).collect();
    let error = ToolError::not_found(format!("There is no tool `{shown}`.")).code("unknown_tool");
    if near.is_empty() { error } else { error.hint(format!("did you mean: {}?", near.join(", "))) }
}

/// A call whose arguments fit.
pub(super) struct Decoded {
    pub(super) run: Run,
    pub(super) normal: Option<Arc<Value>>,
    pub(super) notes: Vec<Coercion>,
}

/// What a surface asks for: a call, or the text of its arguments.
pub(super) enum Asked<'t> {
    Call(Call),
    Text { tool: &'t str, text: &'t str },
}

impl Asked<'_> {
    pub(super) fn tool(&self) -> &str {
        match self {
            Asked::Call(call) => &call.tool,
            Asked::Text { tool, .. } => tool,
        }
    }

    pub(super) fn take_call_id(&mut self) -> Option<String> {
        match self {
            Asked::Call(call) => call.call_id.take(),
            Asked::Text { .. } => None,
        }
    }

    pub(super) fn take_key(&mut self) -> Option<String> {
        match self {
            Asked::Call(call) => call.idempotency_key.take().filter(|key| !key.is_empty()),
            Asked::Text { .. } => None,
        }
    }

    pub(super) fn decode(self, def: &ToolDef<'_>, mode: Coerce, keep: bool) -> Result<Decoded, ToolError> {
        match self {
            Asked::Call(call) => decode(def, call, mode, keep),
            Asked::Text { text, .. } => decode_text(def, text, mode, keep),
        }
    }
}

/// Decodes the arguments of a call; `keep` asks for the normal form as well.
fn decode(def: &ToolDef<'_>, call: Call, mode: Coerce, keep: bool) -> Result<Decoded, ToolError> {
    let mut args = Args::new(def, call.args, mode)?;
    if !call.issues.is_empty() {
        args = args.with_issues(call.issues);
    }
    let run = enter(def, &mut args)?;
    let normal = keep.then(|| Arc::new(Value::Object(args.normal().clone())));
    let notes = args.notes().to_vec();
    Ok(Decoded { run, normal, notes })
}

/// Decodes a call whose arguments are text: the short way where nothing is wrong, else the whole one.
fn decode_text(def: &ToolDef<'_>, text: &str, mode: Coerce, keep: bool) -> Result<Decoded, ToolError> {
    if !keep
        && let Some(mut args) = Args::direct(def, text)
        && let Ok(run) = enter(def, &mut args)
    {
        return Ok(Decoded { run, normal: None, notes: Vec::new() });
    }
    let args = parse_arguments(text)?;
    decode(def, Call { args, ..Call::default() }, mode, keep)
}

/// Enters a tool again with a normal form: it decodes to the same values without a note.
pub(super) fn decode_again(def: &ToolDef<'_>, normal: &Value) -> Result<Run, ToolError> {
    let mut args = Args::new(def, normal.clone(), Coerce::Lenient)?;
    enter(def, &mut args)
}

fn enter(def: &ToolDef<'_>, args: &mut Args<'_>) -> Result<Run, ToolError> {
    match def.handler {
        Handler::Sync(enter) | Handler::Async(enter) => enter(args),
        Handler::Dynamic(handler) => handler.enter(args),
    }
}

/// The value of `meta.coerced`.
pub(super) fn notes_json(notes: &[Coercion]) -> Value {
    notes.iter().map(|note| json!({"path": note.path, "rule": note.rule})).collect()
}
