//! What of an error may be written down. Its details repeat arguments and parts of a result, so what the schemas of the tool
//! mark is hidden in them under the same names; so is what the error itself says to be content.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::mode::{Nodes, strictest};
use super::output::{hides, in_its_type};
use super::{Form, KnownSecrets, redact};
use crate::args::ArgIssue;
use crate::call::run::PARTIAL;
use crate::def::{LogMode, ToolDef};
use crate::error::ToolError;

/// An error for the journal. Kind, code, effect and retry rule are its own.
pub(crate) fn recordable(def: &ToolDef<'_>, error: &ToolError) -> ToolError {
    let marks = Marks::of(def);
    let issues = error.arg_issues().iter().map(|issue| marks.issue(issue)).collect();
    let mut details = Map::new();
    for (key, value) in error.details() {
        let kept = match def.output_schema() {
            _ if error.is_content(key) => Some(without_texts(value)),
            Some(schema) if key == PARTIAL => Some(by_schema(value, schema)),
            _ => marks.member(key, value),
        };
        details.extend(kept.map(|kept| (key.clone(), kept)));
    }
    error.for_record(issues, details)
}

/// The modes that the schemas of a tool give to members, by their names wherever they stand.
struct Marks(HashMap<String, LogMode>);

impl Marks {
    fn of(def: &ToolDef<'_>) -> Marks {
        let mut marks = Marks(HashMap::new());
        if let Ok(input) = def.input_schema() {
            marks.read(input.schema(), input.schema());
        }
        if let Some(output) = def.output_schema() {
            marks.read(output, output);
        }
        marks
    }

    fn read(&mut self, root: &Value, node: &Value) {
        match node {
            Value::Object(members) => {
                for (key, below) in members {
                    if let ("properties", Some(properties)) = (key.as_str(), below.as_object()) {
                        properties.iter().for_each(|(name, schema)| self.note(name, root, schema));
                    }
                    self.read(root, below);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.read(root, item)),
            _ => {}
        }
    }

    /// Of several members with one name the strictest mode holds.
    fn note(&mut self, name: &str, root: &Value, schema: &Value) {
        let Some(mode) = Nodes::of(root, schema).mode().filter(|mode| hides(*mode)) else { return };
        let known = self.0.get(name).copied();
        self.0.extend(strictest(known.into_iter().chain([mode])).map(|mode| (name.to_owned(), mode)));
    }

    /// What is kept of a member; `None` where it is left out.
    fn member(&self, name: &str, value: &Value) -> Option<Value> {
        match self.0.get(name) {
            Some(LogMode::Omit) => None,
            Some(mode) => Some(hidden(value, *mode)),
            None => Some(self.below(value)),
        }
    }

    fn below(&self, value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let kept = |(key, value)| Some((String::clone(key), self.member(key, value)?));
                Value::Object(members.iter().filter_map(kept).collect())
            }
            Value::Array(items) => items.iter().map(|item| self.below(item)).collect(),
            other => other.clone(),
        }
    }

    /// An issue without what it found in an argument that is hidden.
    fn issue(&self, issue: &ArgIssue) -> ArgIssue {
        let mut issue = issue.clone();
        let modes = issue.path.split('/').filter_map(|name| self.0.get(name).copied());
        if let Some(mode) = strictest(modes) {
            let got = hidden(&Value::from(std::mem::take(&mut issue.got)), mode);
            issue.got = got.as_str().unwrap_or_default().to_owned();
        }
        issue
    }
}

fn hidden(value: &Value, mode: LogMode) -> Value {
    by_schema(value, &json!({"x-log": mode.as_str()}))
}

fn by_schema(value: &Value, schema: &Value) -> Value {
    in_its_type(value, redact(value, schema, &KnownSecrets::default(), Form::Journal).value)
}

/// Content with each text of it hidden. Numbers tell where something stands, so they stay.
fn without_texts(value: &Value) -> Value {
    match value {
        Value::String(_) => hidden(value, LogMode::Hash),
        Value::Array(items) => items.iter().map(without_texts).collect(),
        Value::Object(members) => {
            let kept = members.iter().map(|(key, value)| (key.clone(), without_texts(value)));
            Value::Object(kept.collect())
        }
        scalar => scalar.clone(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

    use schemars::JsonSchema;
    use serde::Serialize;

    use super::*;
    use crate::registry::Registry;
    use crate::tool;

    #[derive(Serialize, JsonSchema)]
    #[schemars(extend("x-log" = "hash"))]
    struct Word(String);

    /// Says a word.
    #[tool(register = false)]
    fn word() -> Word {
        Word(String::new())
    }

    #[test]
    fn what_a_late_call_returned_is_hidden_whole_where_the_result_is_marked_as_a_whole() {
        let registry = Registry::builder().add::<WordTool>().build().unwrap();
        let error = ToolError::timeout("Late.").detail(PARTIAL, "abc").detail("other", "abc");
        let kept = recordable(registry.get("word").unwrap().def(), &error);
        let partial = kept.details().get(PARTIAL).and_then(Value::as_str).unwrap_or_default();
        assert!(partial.starts_with("[hash: 3 bytes"), "{partial}");
        assert_eq!(kept.details().get("other"), Some(&json!("abc")));
    }
}
