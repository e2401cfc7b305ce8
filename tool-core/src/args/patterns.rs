//! The regular expressions of a schema, compiled once by the engine that also judges schemas, so that a pattern means the
//! same to both. Matching takes linear time. (arguments.md §7)

use std::collections::HashMap;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Value, json};

/// Compiled patterns by their text.
#[derive(Debug, Default)]
pub(crate) struct Patterns(HashMap<String, Validator>);

impl Patterns {
    /// Compiles every pattern that occurs in a schema; the first that does not compile is the error.
    pub(crate) fn of(schema: &Value) -> Result<Patterns, String> {
        let mut patterns = Patterns::default();
        patterns.collect(schema)?;
        Ok(patterns)
    }

    /// Compiles those of another schema as well.
    pub(crate) fn and(mut self, schema: &Value) -> Result<Patterns, String> {
        self.collect(schema)?;
        Ok(self)
    }

    /// Whether a text matches. A pattern that was not compiled matches nothing.
    pub(crate) fn matches(&self, pattern: &str, text: &str) -> bool {
        self.0.get(pattern).is_some_and(|validator| validator.is_valid(&Value::from(text)))
    }

    /// The schema of a member whose key matches one of the patterns that an object's schema has for keys.
    pub(crate) fn values_of<'s>(&self, schema: &'s Value, key: &str) -> Option<&'s Value> {
        let patterns = schema.get("patternProperties")?.as_object()?;
        patterns.iter().find(|(pattern, _)| self.matches(pattern, key)).map(|(_, values)| values)
    }

    fn collect(&mut self, schema: &Value) -> Result<(), String> {
        match schema {
            Value::Object(keywords) => {
                let of_keys = keywords.get("patternProperties").and_then(Value::as_object);
                let of_keys = of_keys.into_iter().flat_map(|patterns| patterns.keys().map(String::as_str));
                for pattern in keywords.get("pattern").and_then(Value::as_str).into_iter().chain(of_keys) {
                    if !self.0.contains_key(pattern) {
                        self.0.insert(pattern.to_owned(), compile(pattern)?);
                    }
                }
                keywords.values().try_for_each(|part| self.collect(part))
            }
            Value::Array(parts) => parts.iter().try_for_each(|part| self.collect(part)),
            _ => Ok(()),
        }
    }
}

/// Whether the engine takes a pattern.
pub(crate) fn compiles(pattern: &str) -> bool {
    compile(pattern).is_ok()
}

fn compile(pattern: &str) -> Result<Validator, String> {
    let schema = json!({"type": "string", "pattern": pattern});
    validator(&schema).map_err(|_| pattern.to_owned())
}

/// A validator of a schema whose references are local, with the pattern engine of this module.
pub(crate) fn validator(schema: &Value) -> Result<Validator, jsonschema::ValidationError<'static>> {
    jsonschema::draft202012::options()
        .with_pattern_options(PatternOptions::regex())
        .should_validate_formats(false)
        .build(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_unanchored_and_read_as_ecma_262() {
        let schema = json!({"items": {"pattern": "b+"}, "properties": {"pattern": {"pattern": "^\\d$"}}});
        let patterns = Patterns::of(&schema).unwrap();
        assert!(patterns.matches("b+", "abbc") && !patterns.matches("b+", "ac"));
        assert!(patterns.matches("^\\d$", "5") && !patterns.matches("^\\d$", "५"));
    }

    #[test]
    fn a_pattern_that_does_not_compile_is_named() {
        assert_eq!(Patterns::of(&json!({"pattern": "("})).unwrap_err(), "(");
        assert_eq!(Patterns::of(&json!({"pattern": "(?=a)"})).unwrap_err(), "(?=a)");
    }

    #[test]
    fn matching_takes_linear_time() {
        let patterns = Patterns::of(&json!({"pattern": "^(a+)+$"})).unwrap();
        assert!(!patterns.matches("^(a+)+$", &format!("{}b", "a".repeat(100_000))));
    }
}
