//! The output formats and the choice between them when none was asked for.
//!
//! A format turns a result into bytes for standard output and notes for standard error; it decides nothing about the call.

use serde_json::Value;
use tool_core::{Content, ToolOutput};

use crate::{table, text, yaml};

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON value.
    Json,
    /// One JSON value a line.
    Jsonl,
    /// YAML.
    Yaml,
    /// Rows and columns.
    Table,
}

impl Format {
    /// Every format with its word.
    pub const ALL: [(Format, &'static str); 5] = [
        (Format::Text, "text"),
        (Format::Json, "json"),
        (Format::Jsonl, "jsonl"),
        (Format::Yaml, "yaml"),
        (Format::Table, "table"),
    ];

    /// The format of a word.
    pub fn parse(word: &str) -> Option<Format> {
        Self::ALL.iter().find(|row| row.1 == word).map(|row| row.0)
    }

    /// The word of the format.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    /// Whether programs read it, so that errors are JSON as well.
    pub fn is_structured(self) -> bool {
        matches!(self, Format::Json | Format::Jsonl | Format::Yaml)
    }

    /// The format of a result when none was asked for.
    pub fn of(output: &ToolOutput, terminal: bool) -> Format {
        let has_text = output.content.iter().any(|block| matches!(block, Content::Text { .. }));
        match (&output.structured, output.content.is_empty()) {
            _ if has_text || terminal => Format::Text,
            (None, false) => Format::Text,
            _ => Format::Json,
        }
    }
}

/// Where output goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Target {
    /// Columns, when it is a terminal.
    pub terminal: Option<usize>,
}

/// A rendered result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// What goes to standard output.
    pub bytes: Vec<u8>,
    /// What the person should know.
    pub notes: Vec<String>,
}

impl Rendered {
    /// A text, made visible on a terminal, with exactly one final line feed unless it is empty.
    pub(crate) fn text(text: &str, target: Target) -> Rendered {
        let mut shown =
            if target.terminal.is_some() { crate::visible::visible(text) } else { text.to_owned() };
        if !shown.is_empty() && !shown.ends_with('\n') {
            shown.push('\n');
        }
        Rendered { bytes: shown.into_bytes(), notes: Vec::new() }
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Rendered {
        self.notes.push(note.into());
        self
    }
}

/// A result in a format.
pub fn render(output: &ToolOutput, format: Format, target: Target) -> Rendered {
    match format {
        Format::Text => text::render(output, target),
        Format::Table => match &output.structured {
            None if !output.content.is_empty() => text::render(output, target),
            _ => as_table(&output.data(), target),
        },
        Format::Json => Rendered::text(&json(&output.data(), target), target),
        Format::Jsonl => Rendered::text(&lines(&output.data()), target),
        Format::Yaml => Rendered::text(&yaml::render(&output.data()), target),
    }
}

/// A value as a table; an empty list is nothing.
pub(crate) fn as_table(value: &Value, target: Target) -> Rendered {
    if value.as_array().is_some_and(Vec::is_empty) {
        return nothing(target);
    }
    let table = table::render(value, target.terminal);
    let rendered = Rendered { bytes: table.text.into_bytes(), notes: Vec::new() };
    match table.cut {
        0 => rendered,
        1 => rendered.note("1 cell cut; -o json shows all"),
        cut => rendered.note(format!("{cut} cells cut; -o json shows all")),
    }
}

/// No lines, which a person at a terminal is told.
pub(crate) fn nothing(target: Target) -> Rendered {
    match target.terminal {
        Some(_) => Rendered::default().note("no results"),
        None => Rendered::default(),
    }
}

/// Pretty on a terminal, else one line.
fn json(value: &Value, target: Target) -> String {
    match target.terminal {
        Some(_) => serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()),
        None => value.to_string(),
    }
}

/// The elements of a list, one a line; any other value in one line.
fn lines(value: &Value) -> String {
    match value {
        Value::Array(items) => items.iter().map(|item| format!("{item}\n")).collect(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PIPE: Target = Target { terminal: None };
    const SCREEN: Target = Target { terminal: Some(80) };

    fn shown(output: &ToolOutput, format: Format, target: Target) -> String {
        String::from_utf8(render(output, format, target).bytes).unwrap()
    }

    #[test]
    fn text_wins_and_a_value_alone_is_json_for_programs() {
        assert_eq!(Format::of(&ToolOutput::text("a"), false), Format::Text);
        assert_eq!(Format::of(&ToolOutput::structured(json!(1)), false), Format::Json);
        assert_eq!(Format::of(&ToolOutput::structured(json!(1)), true), Format::Text);
        assert_eq!(Format::of(&ToolOutput::default(), false), Format::Json);
    }

    #[test]
    fn json_is_one_line_in_a_pipe_and_pretty_on_a_terminal() {
        let output = ToolOutput::structured(json!({"b": 1, "a": 2}));
        assert_eq!(shown(&output, Format::Json, PIPE), "{\"b\":1,\"a\":2}\n");
        assert_eq!(shown(&output, Format::Json, SCREEN), "{\n  \"b\": 1,\n  \"a\": 2\n}\n");
        assert_eq!(shown(&ToolOutput::text("hello"), Format::Json, PIPE), "\"hello\"\n");
    }

    #[test]
    fn an_empty_list_is_nothing_and_a_terminal_is_told_so() {
        let output = ToolOutput::structured(json!([]));
        for format in [Format::Jsonl, Format::Table, Format::Text] {
            assert_eq!(shown(&output, format, PIPE), "", "{format:?}");
        }
        assert_eq!(render(&output, Format::Table, SCREEN).notes, ["no results"]);
        assert!(render(&output, Format::Table, PIPE).notes.is_empty());
    }
}
