//! What may change in a contract, and what that means for callers.

use std::fmt;

use serde_json::{Value, json};

/// How bad a change is for those who call the tool, from not at all to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Nothing changed.
    None,
    /// What a model or a person reads changed.
    Text,
    /// Calls that worked still work.
    Additive,
    /// A call that worked may fail, or do something else.
    Breaking,
}

impl Class {
    /// Every class with its word.
    pub const ALL: [(Class, &'static str); 4] = [
        (Class::None, "none"),
        (Class::Text, "text"),
        (Class::Additive, "additive"),
        (Class::Breaking, "breaking"),
    ];

    /// The word of the class.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Every code with its class.
const CODES: [(&str, Class); 46] = [
    ("tool_added", Class::Additive),
    ("tool_removed", Class::Breaking),
    ("tool_renamed", Class::Additive),
    ("alias_added", Class::Additive),
    ("alias_removed", Class::Breaking),
    ("title_changed", Class::Text),
    ("description_changed", Class::Text),
    ("deprecated_changed", Class::Text),
    ("tags_changed", Class::Text),
    ("examples_changed", Class::Text),
    ("group_changed", Class::Breaking),
    ("effect_added", Class::Breaking),
    ("effect_removed", Class::Additive),
    ("terminal_changed", Class::Breaking),
    ("surface_added", Class::Additive),
    ("surface_removed", Class::Breaking),
    ("secret_added", Class::Breaking),
    ("secret_required", Class::Breaking),
    ("optional_secret_added", Class::Additive),
    ("secret_optional", Class::Additive),
    ("secret_removed", Class::Additive),
    ("capability_added", Class::Breaking),
    ("capability_removed", Class::Additive),
    ("constraint_added", Class::Breaking),
    ("constraint_removed", Class::Additive),
    ("param_added", Class::Additive),
    ("required_param_added", Class::Breaking),
    ("param_removed", Class::Breaking),
    ("param_renamed", Class::Additive),
    ("param_alias_added", Class::Additive),
    ("param_alias_removed", Class::Breaking),
    ("param_required", Class::Breaking),
    ("param_optional", Class::Additive),
    ("default_changed", Class::Breaking),
    ("param_text_changed", Class::Text),
    ("param_order_changed", Class::Text),
    ("positional_changed", Class::Breaking),
    ("flag_added", Class::Additive),
    ("flag_removed", Class::Breaking),
    ("secret_marked", Class::Additive),
    ("secret_unmarked", Class::Breaking),
    ("input_widened", Class::Additive),
    ("input_narrowed", Class::Breaking),
    ("input_changed", Class::Breaking),
    ("output_added", Class::Additive),
    ("output_removed", Class::Breaking),
];

/// The codes of what an output holds.
const OUTPUT_CODES: [(&str, Class); 5] = [
    ("output_property_added", Class::Additive),
    ("output_property_removed", Class::Breaking),
    ("output_widened", Class::Breaking),
    ("output_changed", Class::Breaking),
    ("output_narrowed", Class::Additive),
];

/// One change of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The tool, by its new name where it has one.
    pub tool: String,
    /// JSON Pointer into the arguments or the result, `*` for every item or map value; empty for the tool itself.
    pub path: String,
    /// What kind of change.
    pub code: &'static str,
    /// What was there, in few words.
    pub old: String,
    /// What is there.
    pub new: String,
}

impl Change {
    /// What it means for callers.
    pub fn class(&self) -> Class {
        let codes = CODES.iter().chain(&OUTPUT_CODES);
        codes.into_iter().find(|row| row.0 == self.code).map_or(Class::Breaking, |row| row.1)
    }

    /// `{tool, path, code, class}`.
    pub fn to_json(&self) -> Value {
        json!({"tool": self.tool, "path": self.path, "code": self.code, "class": self.class().as_str()})
    }
}

/// `CLASS CODE TOOL PATH: old → new`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.class(), self.code, self.tool)?;
        if !self.path.is_empty() {
            write!(f, " {}", self.path)?;
        }
        let shown = |text: &str| if text.is_empty() { "nothing".to_owned() } else { text.to_owned() };
        write!(f, ": {} → {}", shown(&self.old), shown(&self.new))
    }
}

/// The worst class among changes.
pub fn worst(changes: &[Change]) -> Class {
    changes.iter().map(Change::class).max().unwrap_or(Class::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_once() {
        let mut codes: Vec<_> = CODES.iter().chain(&OUTPUT_CODES).map(|row| row.0).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), CODES.len() + OUTPUT_CODES.len());
    }
}
