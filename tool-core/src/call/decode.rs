//! The decode step: name, frame, parameters, normal form.
//!
//! It enters the tool's first half, which takes every parameter and returns all issues at once or a [`Run`]. The `Run` is
//! kept for the first try; the normal form is only built where somebody looks at it: a layer, a record, the key of the call.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Call;
use super::current::AtOnce;
use super::panic::guard;
use super::redact::KnownSecrets;
use crate::args::{Args, Coerce, MAX_ARGS_BYTES, MAX_DEPTH, Notes, parse_arguments};
use crate::def::{Handler, Run, ToolDef};
use crate::depth;
use crate::error::ToolError;

/// A call whose arguments fit.
pub(super) struct Decoded {
    pub(super) run: Run,
    pub(super) normal: Option<Arc<Value>>,
    /// The parameters that the caller gave, where that was asked for.
    pub(super) given: Vec<String>,
    pub(super) notes: Notes,
}

/// What of a call is wanted besides the tool's second half.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keep {
    /// The normal form of its arguments.
    pub(super) normal: bool,
    /// Which parameters were given.
    pub(super) given: bool,
}

/// How arguments are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// How lenient decoding is.
    pub(super) coerce: Coerce,
    /// The most bytes of text, or of compact JSON.
    pub(super) max_bytes: usize,
}

impl Default for Reading {
    fn default() -> Reading {
        Reading { coerce: Coerce::Lenient, max_bytes: MAX_ARGS_BYTES }
    }
}

/// What a surface asks for: a call, or the text of its arguments.
pub(super) enum Asked<'t> {
    Call(Call),
    /// A call that comes after the end of its run: it is told of like any other, and refused.
    Late(Call),
    Text {
        tool: &'t str,
        text: &'t str,
        call_id: Option<String>,
    },
}

/// A call whose arguments may be walked by recursion: what is too deep stays too deep, but no deeper.
fn pruned(mut call: Call) -> Call {
    depth::prune(&mut call.args, MAX_DEPTH + 1);
    call
}

impl Asked<'_> {
    /// A call of a tool.
    pub(super) fn call(call: Call) -> Self {
        Asked::Call(pruned(call))
    }

    /// A call after the end of its run.
    pub(super) fn late(call: Call) -> Self {
        Asked::Late(pruned(call))
    }

    pub(super) fn is_late(&self) -> bool {
        matches!(self, Asked::Late(_))
    }

    pub(super) fn tool(&self) -> &str {
        match self {
            Asked::Call(call) | Asked::Late(call) => &call.tool,
            Asked::Text { tool, .. } => tool,
        }
    }

    #[inline]
    pub(super) fn take_call_id(&mut self) -> Option<String> {
        match self {
            Asked::Call(call) | Asked::Late(call) => call.call_id.take(),
            Asked::Text { call_id, .. } => call_id.take(),
        }
    }

    #[inline]
    pub(super) fn take_key(&mut self) -> Option<String> {
        match self {
            Asked::Call(call) | Asked::Late(call) => {
                call.idempotency_key.take().filter(|key| !key.is_empty())
            }
            Asked::Text { .. } => None,
        }
    }

    /// The id of the call, made where the caller gave none.
    pub(super) fn give_call_id(&mut self) -> String {
        let own = self.take_call_id().unwrap_or_else(|| uuid::Uuid::now_v7().to_string());
        match self {
            Asked::Call(call) | Asked::Late(call) => call.call_id = Some(own.clone()),
            Asked::Text { call_id, .. } => *call_id = Some(own.clone()),
        }
        own
    }

    /// The arguments as they came.
    pub(super) fn raw_args(&self) -> Value {
        match self {
            Asked::Call(Call { args: Value::String(text), .. })
            | Asked::Late(Call { args: Value::String(text), .. }) => {
                serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))
            }
            Asked::Call(call) | Asked::Late(call) => call.args.clone(),
            Asked::Text { text, .. } => {
                serde_json::from_str(text).unwrap_or_else(|_| Value::String((*text).to_owned()))
            }
        }
    }

    /// Takes the arguments away. A panic on the way becomes `internal`, like one of the tool itself; `secrets` are kept out of
    /// its text.
    pub(super) fn decode<'s>(
        &mut self,
        def: &ToolDef<'_>,
        reading: Reading,
        keep: Keep,
        secrets: impl FnOnce() -> Option<&'s KnownSecrets>,
    ) -> Result<Decoded, ToolError> {
        guard(def.name, secrets, || match self {
            Asked::Call(call) | Asked::Late(call) => decode(def, std::mem::take(call), reading, keep),
            Asked::Text { text, .. } => decode_text(def, text, reading, keep),
        })
    }
}

impl Asked<'_> {
    /// Takes the arguments away and runs the function with them. Panics are the caller's to catch.
    pub(super) fn run_at_once(
        &mut self,
        def: &ToolDef<'_>,
        reading: Reading,
        run: &mut AtOnce,
    ) -> Result<Notes, ToolError> {
        let call = match self {
            Asked::Call(call) | Asked::Late(call) => std::mem::take(call),
            Asked::Text { text, .. } => {
                if text.len() <= reading.max_bytes
                    && let Some(args) = &mut Args::short(def)
                    && args.cut(text).is_some()
                {
                    args.run_at_once(run);
                    if run_entered(def, args).is_ok() {
                        return Ok(Notes::default());
                    }
                }
                Call { args: parse_arguments(text, reading.max_bytes)?, ..Call::default() }
            }
        };
        let mut args = framed(def, call, reading)?;
        args.run_at_once(run);
        run_entered(def, &mut args)?;
        Ok(args.take_notes())
    }
}

/// The arguments of a call, to be taken.
fn framed<'a>(def: &'a ToolDef<'a>, call: Call, reading: Reading) -> Result<Args<'a>, ToolError> {
    let coerce = call.coerce.unwrap_or(reading.coerce);
    let args = Args::within(def, call.args, coerce, reading.max_bytes)?;
    Ok(if call.issues.is_empty() { args } else { args.with_issues(call.issues) })
}

/// Decodes the arguments of a call.
fn decode(def: &ToolDef<'_>, call: Call, reading: Reading, keep: Keep) -> Result<Decoded, ToolError> {
    let mut args = framed(def, call, reading)?;
    let run = enter(def, &mut args)?;
    let given = if keep.given { args.given_names() } else { Vec::new() };
    let normal = keep.normal.then(|| Arc::new(Value::Object(args.normal().clone())));
    let notes = args.take_notes();
    Ok(Decoded { run, normal, given, notes })
}

/// Decodes a call whose arguments are text: the short way where nothing is wrong, else the whole one.
fn decode_text(def: &ToolDef<'_>, text: &str, reading: Reading, keep: Keep) -> Result<Decoded, ToolError> {
    if !keep.normal
        && text.len() <= reading.max_bytes
        && let Some(args) = &mut Args::short(def)
        && args.cut(text).is_some()
        && let Ok(run) = enter(def, args)
    {
        return Ok(Decoded { run, normal: None, given: Vec::new(), notes: Notes::default() });
    }
    let args = parse_arguments(text, reading.max_bytes)?;
    decode(def, Call { args, ..Call::default() }, reading, keep)
}

/// Enters a tool again with a normal form: it decodes to the same values without a note.
pub(super) fn decode_again<'s>(
    def: &ToolDef<'_>,
    normal: &Value,
    secrets: impl FnOnce() -> Option<&'s KnownSecrets>,
) -> Result<Run, ToolError> {
    guard(def.name, secrets, || {
        // Coercion and defaults may have made it larger than what came, which was measured.
        let mut args = Args::within(def, normal.clone(), Coerce::Lenient, usize::MAX)?;
        enter(def, &mut args)
    })
}

fn enter(def: &ToolDef<'_>, args: &mut Args<'_>) -> Result<Run, ToolError> {
    match def.handler {
        Handler::Sync(enter) | Handler::Async(enter) => enter(args),
        Handler::Dynamic(handler) => handler.enter(args),
    }
}

/// Enters a tool whose call runs at once; a definition made by hand leaves it to be run here.
#[inline]
fn run_entered(def: &ToolDef<'_>, args: &mut Args<'_>) -> Result<(), ToolError> {
    let made = enter(def, args)?;
    if let (Run::Sync(body), Some(call)) = (made, args.at_once()) {
        call.run(def, body);
    }
    Ok(())
}

/// Tells in `meta.coerced` what was not taken as it came, and in `meta.coerced_more` how much more there was.
pub(super) fn tell(notes: &Notes, meta: &mut Map<String, Value>) {
    let told = notes.first().iter().map(|note| json!({"path": note.path, "rule": note.rule})).collect();
    meta.insert("coerced".to_owned(), told);
    if notes.more() > 0 {
        meta.insert("coerced_more".to_owned(), notes.more().into());
    }
}
