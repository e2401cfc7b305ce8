//! What stands for the placeholders of a case, and its repetitions written out.

use serde_json::Value;

/// What stands for the placeholders of one case.
pub(crate) struct Places(pub(crate) Vec<(&'static str, String)>);

impl Places {
    pub(crate) fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                Value::String(self.0.iter().fold(text.clone(), |text, (name, with)| text.replace(name, with)))
            }
            Value::Array(items) => Value::Array(items.iter().map(|item| self.fill(item)).collect()),
            Value::Object(members) => {
                if let (Some(text), Some(count)) = (members.get("repeat"), members.get("count")) {
                    let count = usize::try_from(count.as_u64().unwrap()).unwrap();
                    return Value::String(self.fill(text).as_str().unwrap().repeat(count));
                }
                if let Some(parts) = members.get("concat") {
                    let parts = parts.as_array().unwrap().iter();
                    return Value::String(
                        parts.map(|part| self.fill(part).as_str().unwrap().to_owned()).collect(),
                    );
                }
                if let (Some(item), Some(count)) = (members.get("array_of"), members.get("count")) {
                    let count = usize::try_from(count.as_u64().unwrap()).unwrap();
                    return Value::Array(vec![self.fill(item); count]);
                }
                Value::Object(members.iter().map(|(key, value)| (key.clone(), self.fill(value))).collect())
            }
            other => other.clone(),
        }
    }
}
