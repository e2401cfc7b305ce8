//! One field of a question: what is shown of it, and what a typed line means.

use serde_json::{Map, Value, json};
use tool_core::Question;
use tool_core::args;

use crate::visible::visible;

/// A field.
pub(super) struct Field {
    name: String,
    schema: Value,
    required: bool,
}

/// What a line is to a field.
pub(super) enum Answer {
    /// Its value.
    Value(Value),
    /// It is left out.
    Nothing,
    /// No answer; why.
    Wrong(String),
}

impl Field {
    /// The fields of a question, in order.
    pub(super) fn all(question: &Question) -> Vec<Field> {
        let schema = question.schema();
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let field = |(name, schema): (&String, &Value)| Field {
            name: name.clone(),
            schema: schema.clone(),
            required: required.contains(&name.as_str()),
        };
        fields.map(field).collect()
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What a person is asked: `size: How large. (one of small, large) [default: small]`.
    pub(super) fn text(&self) -> String {
        let text = |key| self.schema.get(key).and_then(Value::as_str);
        let about = text("description").or_else(|| text("title"));
        let about = about.map(|about| format!(": {about}")).unwrap_or_default();
        let without = match (self.default(), self.required) {
            (Some(default), _) => format!(" [default: {}]", typed(default)),
            (None, false) => " [optional]".to_owned(),
            (None, true) => String::new(),
        };
        visible(&format!("{}{about} ({}){without}", self.name, self.expected())).replace('\n', " ")
    }

    /// What a line means.
    pub(super) fn answer(&self, line: &str) -> Answer {
        let line = line.trim_end_matches(['\r', '\n']);
        if line.trim().is_empty() {
            return match (self.default(), self.required) {
                (Some(default), _) => Answer::Value(default.clone()),
                (None, false) => Answer::Nothing,
                (None, true) => Answer::Wrong("a value is needed".to_owned()),
            };
        }
        let alone = Question::new("").field(self.name.as_str(), self.schema.clone(), true);
        let read = self.read(line).filter(|value| alone.fits(&json!({&self.name: value})).is_ok());
        read.map_or_else(|| Answer::Wrong(format!("expected {}", self.expected())), Answer::Value)
    }

    /// The value that a line is of this type, whatever its bounds.
    fn read(&self, line: &str) -> Option<Value> {
        let word = line.trim();
        match self.kind() {
            "boolean" => match word {
                "y" | "yes" | "true" => Some(Value::Bool(true)),
                "n" | "no" | "false" => Some(Value::Bool(false)),
                _ => None,
            },
            "integer" | "number" => word.parse().ok().map(Value::Number),
            "array" => Some(word.split(',').map(str::trim).filter(|word| !word.is_empty()).collect()),
            _ if self.choices().is_empty() => Some(Value::from(line)),
            _ => Some(Value::from(word)),
        }
    }

    fn expected(&self) -> String {
        let choices = self.choices().join(", ");
        match self.kind() {
            "boolean" => "y or n".to_owned(),
            "array" => format!("some of {choices}, separated by commas"),
            _ if choices.is_empty() => args::expected(&self.schema, &Map::new()),
            _ => format!("one of {choices}"),
        }
    }

    fn kind(&self) -> &str {
        self.schema.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    fn default(&self) -> Option<&Value> {
        self.schema.get("default").filter(|default| !default.is_null())
    }

    /// The words of which an answer is one, or some; with what they mean, where that is said.
    fn choices(&self) -> Vec<String> {
        let schema = self.schema.get("items").unwrap_or(&self.schema);
        let list = |key| schema.get(key).and_then(Value::as_array).into_iter().flatten();
        let names: Vec<&Value> = list("enumNames").collect();
        let plain =
            list("enum").enumerate().filter_map(|(at, word)| Some((word.as_str()?, names.get(at).copied())));
        let titled = list("oneOf").chain(list("anyOf"));
        let titled = titled.filter_map(|case| Some((case.get("const")?.as_str()?, case.get("title"))));
        let shown = |(word, title): (&str, Option<&Value>)| match title.and_then(Value::as_str) {
            Some(title) => format!("{word} ({title})"),
            None => word.to_owned(),
        };
        plain.chain(titled).map(shown).collect()
    }
}

/// A value as it would be typed.
fn typed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(flag) => if *flag { "y" } else { "n" }.to_owned(),
        Value::Array(items) => items.iter().map(typed).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
