//! Keys: what makes two calls the same call. (journal.md §3)

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Map, Value, json};
use sha2::Sha256;

use super::words::KeyForm;
use crate::args::Args;
use crate::canonical::{self, hex};
use crate::def::ToolDef;
use crate::error::ToolError;

/// How many hex digits of the digest a key has: with its prefix 44 characters, short enough for APIs that cap keys at 45.
const DIGITS: usize = 40;

/// The longest key that a caller may give.
pub const MAX_EXPLICIT: usize = 255;

/// What secret arguments are digested with, so that their digests differ between installations.
#[derive(Clone, Copy, Default)]
pub struct Pepper(pub [u8; 32]);

impl std::fmt::Debug for Pepper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pepper(…)")
    }
}

/// Where a call stands: everything that its key is made of but the call itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place<'a> {
    /// Whose call it is.
    pub tenant: &'a str,
    /// The run; empty where there is none.
    pub run: &'a str,
    /// The node of the run.
    pub node: &'a str,
    /// Which time the node is run for.
    pub iteration: u64,
    /// The key of the call that makes this one.
    pub parent_key: Option<&'a str>,
}

/// The keys of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// How they came about.
    pub form: KeyForm,
    /// What the tool sees.
    pub tool_key: String,
    /// What equal calls share.
    pub call_key: String,
}

impl Place<'_> {
    /// The keys of a call.
    ///
    /// `explicit` is the key that the caller gave (empty is none), `legacy` asks for the form of systems that stored such
    /// keys.
    pub fn keys(&self, call: Named<'_>, explicit: Option<&str>, legacy: bool) -> Keys {
        if let Some(text) = explicit.filter(|text| !text.is_empty()) {
            return Keys {
                form: KeyForm::Explicit,
                tool_key: text.to_owned(),
                call_key: format!("x:{text}"),
            };
        }
        let key = self.key(call);
        if legacy && !self.run.is_empty() && !self.node.is_empty() {
            let text = format!("smithers:{}:{}:{}", self.run, self.node, self.iteration);
            return Keys { form: KeyForm::Legacy, tool_key: text, call_key: key };
        }
        let form = if self.run.is_empty() { KeyForm::CallId } else { KeyForm::Call };
        Keys { form, tool_key: key.clone(), call_key: key }
    }

    /// The default key of a call.
    pub fn key(&self, call: Named<'_>) -> String {
        let source = if self.run.is_empty() {
            json!(["tk1c", call.call_id])
        } else {
            json!([
                "tk1",
                self.tenant,
                self.run,
                self.node,
                self.iteration,
                self.parent_key,
                call.tool,
                call.arguments,
                call.ordinal
            ])
        };
        short("tk1_", &source)
    }
}

/// The call itself.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// The effective name of the tool, or the name it had.
    pub tool: &'a str,
    /// The canonical arguments.
    pub arguments: &'a Value,
    /// Its position among equal calls.
    pub ordinal: u32,
    /// Its id.
    pub call_id: &'a str,
}

/// The key of one step of a call with several effects.
pub fn effect_key(key: &str, step: &str) -> String {
    short("ek1_", &json!(["ek1", key, step]))
}

fn short(prefix: &str, source: &Value) -> String {
    let mut key = canonical::sha256(source);
    key.truncate(DIGITS);
    key.insert_str(0, prefix);
    key
}

/// Checks a key that a caller gave; empty is none.
///
/// # Errors
/// `invalid_args`, code `bad_idempotency_key`.
pub fn check_explicit(key: &str) -> Result<(), ToolError> {
    if key.len() <= MAX_EXPLICIT && key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(());
    }
    let text = format!("An idempotency key has 1 to {MAX_EXPLICIT} visible ASCII characters.");
    Err(ToolError::invalid_args(text).code("bad_idempotency_key"))
}

/// The canonical arguments of a call: its normal form without what says nothing, and without its secrets.
///
/// Parameters whose value is their default and null optionals are left out, so that a tool that gains a defaulted parameter
/// keeps its keys. A secret enters as its keyed digest.
pub fn canonical_arguments(tool: &ToolDef<'_>, normal: &Value, pepper: &Pepper) -> Value {
    let Some(members) = normal.as_object() else { return Value::Object(Map::new()) };
    let mut members = members.clone();
    let Ok(args) = Args::new(tool, Value::Null, crate::args::Coerce::Lenient) else {
        return Value::Object(members);
    };
    for (i, param) in args.parameters().iter().enumerate().filter(|(_, param)| !param.keys.flatten) {
        let Some(value) = members.get_mut(param.name) else { continue };
        let null = value.is_null() && !param.null_is_value();
        if null || args.default_value(i).is_some_and(|default| canonical::equal(value, &default)) {
            members.shift_remove(param.name);
        } else if param.keys.secret {
            *value = json!({"$secret": keyed_digest(value, pepper)});
        }
    }
    Value::Object(members)
}

/// HMAC-SHA-256 of a text, or of the canonical form of anything else, in hex.
fn keyed_digest(value: &Value, pepper: &Pepper) -> String {
    // A key of 32 bytes is shorter than a block: none is refused.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&pepper.0) else { return String::new() };
    match value {
        Value::String(text) => mac.update(text.as_bytes()),
        other => mac.update(canonical::text(other).as_bytes()),
    }
    hex(&mac.finalize().into_bytes())
}
