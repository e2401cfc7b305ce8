//! What of a call may be written down: arguments for audit and journal, texts for logs. (calls.md §12)
//!
//! Driven by the schema: each value is shown as the strictest mode of the nodes that can describe it says. Then every text is
//! cleared of known secrets and of what URLs carry. Encrypted or reversed secrets are not caught.

pub(crate) mod error;
mod known;
mod mode;
pub(crate) mod output;
mod url;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

pub use known::KnownSecrets;
pub(crate) use mode::reads_like_credential;
use mode::{Node, Nodes};

use crate::canonical;
use crate::def::LogMode;

/// Characters of a text that audit shows.
const PREVIEW: usize = 100;
/// Elements of an array that audit shows.
const ITEMS: usize = 20;
/// Members of an object that audit shows.
const MEMBERS: usize = 50;
/// Levels that audit shows.
const DEPTH: usize = 8;
/// Bytes of the arguments in an audit row; larger ones are told of by [`envelope`].
pub const AUDIT_ARGS_MAX: usize = 16 * 1024;
/// Bytes that are shown of what is larger.
pub const AUDIT_ARGS_PREVIEW: usize = 1024;

/// The place that a URL names, without what else it carries.
#[cfg(feature = "http")]
pub(crate) fn place_of(url: &str) -> String {
    url::hide_whole(url, Form::Audit).0
}

/// For whom a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// To be read: long values are cut, queries of URLs hidden.
    Audit,
    /// To be run again: whole where it can be.
    Journal,
}

/// What may be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Redacted {
    /// The value with everything hidden that must be.
    pub value: Value,
    /// Whether nothing was hidden, so that a call can run again from it. (Cuts of the audit form do not count.)
    pub complete: bool,
}

/// Redacts a value that a schema describes. The modes are `x-log` and `writeOnly` of its nodes.
///
/// ```
/// use serde_json::json;
/// use tool_core::redact::{Form, KnownSecrets, redact};
/// let schema = json!({"type": "object", "properties": {"pin": {"type": "string", "x-log": "secret"}}});
/// let shown = redact(&json!({"pin": "1234", "to": "Ann"}), &schema, &KnownSecrets::default(), Form::Journal);
/// assert_eq!(shown.value, json!({"pin": {"$redacted": "secret"}, "to": "Ann"}));
/// assert!(!shown.complete);
/// ```
pub fn redact(value: &Value, schema: &Value, secrets: &KnownSecrets, form: Form) -> Redacted {
    let mut walk = Walk { root: schema, secrets, form, complete: true };
    let at = Node { nodes: Nodes::of(schema, schema), inherited: None, depth: 0 };
    let value = walk.value(value, &at).unwrap_or_else(|| json!({"$redacted": "omit"}));
    Redacted { value, complete: walk.complete }
}

/// A text without known secrets and without what URLs in it carry: for messages, hints and logs.
pub fn redact_text(text: &str, secrets: &KnownSecrets) -> String {
    url::hide_in_text(&secrets.scrub(text), Form::Audit).0
}

/// The value, or where its canonical text is longer than `max` bytes, its size, digest and first bytes.
pub fn envelope(value: Value, max: usize, preview: usize) -> Value {
    let text = canonical::text(&value);
    if text.len() <= max {
        return value;
    }
    let shown = text.get(..text.floor_char_boundary(preview)).unwrap_or_default();
    json!({"$truncated": true, "bytes": text.len(), "sha256": sha256(&text), "preview": shown})
}

pub(crate) fn sha256(text: &str) -> String {
    canonical::hex(&Sha256::digest(text))
}

struct Walk<'a> {
    root: &'a Value,
    secrets: &'a KnownSecrets,
    form: Form,
    complete: bool,
}

impl<'a> Walk<'a> {
    /// What is written of a value; `None` where it is left out.
    fn value(&mut self, value: &Value, at: &Node<'a>) -> Option<Value> {
        let mode = at.mode();
        let hidden = match mode {
            Some(LogMode::Omit) => None,
            Some(LogMode::Secret) => Some(json!({"$redacted": "secret"})),
            Some(LogMode::Hash) => {
                let text = plain(value);
                Some(json!({"$redacted": "hash", "bytes": text.len(), "sha256": sha256(&text)}))
            }
            Some(LogMode::Length) => Some(json!({"$redacted": "length", "bytes": plain(value).len()})),
            None | Some(LogMode::Preview | LogMode::Full) => return Some(self.shown(value, at, mode)),
        };
        self.complete = false;
        hidden
    }

    fn shown(&mut self, value: &Value, at: &Node<'a>, mode: Option<LogMode>) -> Value {
        match value {
            Value::String(text) => self.text(text, at, mode),
            Value::Array(_) | Value::Object(_) if self.form == Form::Audit && at.depth >= DEPTH => {
                json!({"$redacted": "depth", "bytes": canonical::text(value).len()})
            }
            Value::Array(items) => self.array(items, at, mode),
            Value::Object(members) => self.object(members, at, mode),
            scalar => scalar.clone(),
        }
    }

    fn text(&mut self, text: &str, at: &Node<'a>, mode: Option<LogMode>) -> Value {
        let scrubbed = self.secrets.scrub_value(text);
        let (clean, changed) = if at.nodes.is_url() {
            url::hide_whole(&scrubbed, self.form)
        } else {
            url::hide_in_text(&scrubbed, self.form)
        };
        self.complete &= !changed && clean == text;
        let end = clean.char_indices().nth(PREVIEW).map(|found| found.0);
        match end {
            Some(end) if self.form == Form::Audit && mode != Some(LogMode::Full) => {
                json!({"$preview": clean.get(..end), "bytes": text.len()})
            }
            _ => Value::String(clean),
        }
    }

    fn array(&mut self, items: &[Value], at: &Node<'a>, mode: Option<LogMode>) -> Value {
        let most = if self.form == Form::Audit { ITEMS } else { usize::MAX };
        let mut shown = Vec::new();
        for (index, item) in items.iter().enumerate().take(most) {
            let below = at.below(at.nodes.item(self.root, index), mode);
            shown.push(self.value(item, &below).unwrap_or_else(|| json!({"$redacted": "omit"})));
        }
        if items.len() > most {
            shown.push(json!({"$more": items.len() - most}));
        }
        Value::Array(shown)
    }

    fn object(&mut self, members: &Map<String, Value>, at: &Node<'a>, mode: Option<LogMode>) -> Value {
        let most = if self.form == Form::Audit { MEMBERS } else { usize::MAX };
        let (mut shown, mut omitted) = (Map::new(), Vec::new());
        for (key, value) in members.iter().take(most) {
            let mut below = at.below(at.nodes.member(self.root, key), mode);
            if mode::reads_like_credential(key) && below.is_undecided() {
                below.inherited = Some(LogMode::Secret);
            }
            let written = self.secrets.scrub_value(key);
            self.complete &= written == *key;
            match self.value(value, &below) {
                Some(value) => {
                    shown.insert(written, value);
                }
                None => omitted.push(Value::String(written)),
            }
        }
        if !omitted.is_empty() {
            shown.insert("$omitted".to_owned(), Value::Array(omitted));
        }
        if members.len() > most {
            shown.insert("$more".to_owned(), Value::from(members.len() - most));
        }
        Value::Object(shown)
    }
}

/// The text itself, or the canonical JSON of another value.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => canonical::text(other),
    }
}
