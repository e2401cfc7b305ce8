//! What the decoder changed on the way from JSON to a type, and how much of that a caller allows.

use serde::{Deserialize, Serialize};

/// How far the decoder goes to meet a caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Coerce {
    /// What can be read without loss is read, and noted.
    #[default]
    Lenient,
    /// The command line: as [`Coerce::Lenient`], but a text that is read as a number or boolean is no coercion there.
    Text,
    /// Whatever would leave a note is an issue.
    Strict,
}

impl Coerce {
    /// What to do with a value that fits only under a rule.
    pub(crate) fn verdict(self, rule: Rule) -> Verdict {
        use Rule::{StringToBoolean, StringToInteger, StringToNumber};
        match (self, rule) {
            (Coerce::Strict, _) => Verdict::Refuse,
            (Coerce::Text, StringToInteger | StringToNumber | StringToBoolean) => Verdict::Accept,
            _ => Verdict::Note,
        }
    }
}

/// What to do with a value that fits only under a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Take it and say nothing.
    Accept,
    /// Take it and note the rule.
    Note,
    /// Refuse it.
    Refuse,
}

/// One value that was not taken as it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coercion {
    /// RFC 6901 pointer into what the caller sent.
    pub path: String,
    /// How it was read.
    pub rule: Rule,
}

/// The most notes of a call that are told one by one; `meta.coerced_more` counts the rest.
pub const MAX_NOTES: usize = 50;

/// What was not taken as it came: the first in full, the others counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    first: Vec<Coercion>,
    more: usize,
}

impl Notes {
    /// Adds a note; its pointer is only written when it will be read.
    pub(crate) fn add(&mut self, path: impl FnOnce() -> String, rule: Rule) {
        if self.first.len() < MAX_NOTES {
            self.first.push(Coercion { path: path(), rule });
        } else {
            self.more += 1;
        }
    }

    /// Adds what was noted elsewhere.
    pub(crate) fn extend(&mut self, notes: Notes) {
        let room = MAX_NOTES - self.first.len();
        self.more += notes.more + notes.first.len().saturating_sub(room);
        self.first.extend(notes.first.into_iter().take(room));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Those that are told one by one.
    pub(crate) fn first(&self) -> &[Coercion] {
        &self.first
    }

    /// How many more there are.
    pub(crate) fn more(&self) -> usize {
        self.more
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident = $name:literal,)*) => {
        /// How a value that came in another type was read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Rule {
            $($(#[$doc])* $rule,)*
        }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule,)*];

            /// The rule as it stands on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Rule::$rule => $name,)*
                }
            }
        }
    };
}

rules! {
    /// `"5"` → `5`.
    StringToInteger = "string_to_integer",
    /// `"1.5"` → `1.5`.
    StringToNumber = "string_to_number",
    /// `"true"` → `true`.
    StringToBoolean = "string_to_boolean",
    /// `5.0` → `5`.
    FloatToInteger = "float_to_integer",
    /// `5` → `"5"`.
    NumberToString = "number_to_string",
    /// `true` → `"true"`.
    BooleanToString = "boolean_to_string",
    /// `"[1]"` → `[1]`.
    JsonStringToArray = "json_string_to_array",
    /// `"{}"` → `{}`.
    JsonStringToObject = "json_string_to_object",
    /// `1` → `[1]`.
    SingleToArray = "single_to_array",
    /// `"TEXT"` → `"text"`.
    ChoiceCase = "choice_case",
    /// `null` → left out.
    NullToAbsent = "null_to_absent",
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_called_the_same_in_json_and_in_text() {
        for rule in Rule::ALL {
            assert_eq!(serde_json::to_value(rule).unwrap(), rule.as_str());
            assert_eq!(rule.to_string(), rule.as_str());
        }
    }

    #[test]
    fn only_text_reads_scalars_silently_and_only_strict_refuses() {
        for rule in Rule::ALL.iter().copied() {
            assert_eq!(Coerce::Lenient.verdict(rule), Verdict::Note);
            assert_eq!(Coerce::Strict.verdict(rule), Verdict::Refuse);
            let scalar = matches!(rule, Rule::StringToInteger | Rule::StringToNumber | Rule::StringToBoolean);
            assert_eq!(Coerce::Text.verdict(rule) == Verdict::Accept, scalar);
        }
    }
}
