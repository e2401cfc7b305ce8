//! One element of a list, as a line that can be written before the next one is known.

use std::borrow::Cow;

use serde_json::Value;
use tool_core::def::ToolDef;

use crate::format::Format;
use crate::select::Selection;
use crate::settings::Settings;
use crate::text;
use crate::visible::visible;

/// How the elements of a list are written one by one.
#[derive(Clone, Debug)]
pub(crate) struct ItemForm {
    lines: Lines,
    /// What is kept of each.
    select: Option<Selection>,
    terminal: bool,
}

#[derive(Clone, Copy, Debug)]
enum Lines {
    /// As JSON.
    Json,
    /// As text, where all are scalars.
    Text,
}

impl ItemForm {
    /// How a tool's elements are written, in the form that was asked for; `None` where a line cannot be written before the whole
    /// list is known: tables, whose columns depend on all rows, one JSON value, an envelope, a part of the list as a whole.
    pub(crate) fn of(settings: &Settings, def: &ToolDef<'_>, terminal: bool) -> Option<ItemForm> {
        if settings.envelope || settings.out.is_some() {
            return None;
        }
        let lines = match settings.format {
            Some(Format::Jsonl) => Lines::Json,
            None | Some(Format::Text) if terminal && gives_scalars(def) => Lines::Text,
            _ => return None,
        };
        let select = settings.select.clone();
        let is_each =
            select.as_ref().is_none_or(|select| select.is_of_elements() && matches!(lines, Lines::Json));
        is_each.then_some(ItemForm { lines, select, terminal })
    }

    /// Adds the line of an element, which is given as JSON.
    pub(super) fn add(&self, json: &str, lines: &mut String) {
        let item = || serde_json::from_str(json).unwrap_or(Value::Null);
        let line = match (self.lines, &self.select) {
            (Lines::Json, None) => Cow::Borrowed(json),
            (Lines::Json, Some(select)) => Cow::Owned(select.of_element(&item()).to_string()),
            (Lines::Text, _) => Cow::Owned(text::line(&item())),
        };
        lines.push_str(&if self.terminal { Cow::Owned(visible(&line)) } else { line });
        lines.push('\n');
    }
}

/// Whether the result of a tool is a list of what is one line each.
fn gives_scalars(def: &ToolDef<'_>) -> bool {
    let of = |value: &Value| matches!(value.as_str(), Some("string" | "number" | "integer" | "boolean"));
    let kind = def.output_schema().and_then(|schema| schema.pointer("/items/type"));
    kind.is_some_and(of)
}
