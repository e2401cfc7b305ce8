//! What an audit row keeps of a result: size, digest and beginning. (calls.md §12)
//!
//! Parts that the output schema marks come first and whole: a digest in place of content, or what is marked `full` since
//! whoever reads the row must know it. Of the rest it is a number of characters. An error that carries a part of the result
//! is told of in the same way.

use serde_json::Value;

use super::AuditOutput;
use crate::call::facts::Known;
use crate::call::redact::{self, KnownSecrets, redact_text, sha256};
use crate::canonical;
use crate::def::{LogMode, ToolDef};
use crate::output::{Content, ToolOutput, ToolResult};

/// Characters of a result that a row shows, besides the parts that are marked.
const PREVIEW: usize = 200;

/// What is kept of a result; `None` of an error that carries nothing of one.
pub(super) fn of(result: &ToolResult, known: &Known, secrets: &KnownSecrets) -> Option<AuditOutput> {
    let def = known.tool.as_ref().map(|tool| tool.def());
    let (value, text) = match result {
        Ok(output) => (output.data(), text(output)),
        Err(error) => {
            let carried = redact::output::carried(def?, error)?;
            let text = canonical::text(&carried);
            (carried, text)
        }
    };
    let shown = def.is_none_or(|def| matches!(def.log, LogMode::Preview | LogMode::Full));
    let preview = shown.then(|| {
        let marked = def.and_then(|def| beginning(def, &value, secrets));
        marked.unwrap_or_else(|| cut(&redact_text(&text, secrets)))
    });
    Some(AuditOutput { bytes: text.len(), sha256: sha256(&text), preview })
}

/// The texts of a result, else its value.
fn text(output: &ToolOutput) -> String {
    let texts = output.content.iter().filter_map(|block| match block {
        Content::Text { text } => Some(text.clone()),
        Content::Json { value } => Some(value.to_string()),
        _ => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    if text.is_empty() { canonical::text(&output.data()) } else { text }
}

/// The beginning of a value whose schema marks parts of it, as one JSON text that is cut; `None` where nothing is marked.
fn beginning(def: &ToolDef<'_>, value: &Value, secrets: &KnownSecrets) -> Option<String> {
    let (marked, rest) = redact::output::shown(def, value, secrets)?;
    let text = |value: &Value| redact_text(&canonical::text(value), secrets);
    let rest = text(&rest);
    if marked.is_empty() {
        return Some(cut(&rest));
    }
    let mut shown = text(&marked.into());
    if let Some(members) = rest.strip_prefix('{').filter(|members| *members != "}") {
        shown.pop();
        shown.push(',');
        shown.push_str(&cut(members));
    }
    Some(shown)
}

fn cut(text: &str) -> String {
    text.chars().take(PREVIEW).collect()
}
