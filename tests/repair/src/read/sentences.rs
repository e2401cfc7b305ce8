//! Sentences of serde, serde_json and of functions that check their own bounds: one fault, mostly without a place.
//!
//! The forms are those of `serde::de::Error` (`missing_field`, `unknown_field`, `unknown_variant`, `invalid_type`,
//! `invalid_value`, `invalid_length`, `duplicate_field`) and of `serde_json::Error`.

use serde_json::Value;

use crate::complaint::{At, Complaint, Says, Shown};

/// How the errors of serde_json begin that speak of the text and not of its meaning.
const SYNTAX: [&str; 12] = [
    "EOF while parsing",
    "control character",
    "expected `",
    "expected ident",
    "expected value",
    "invalid escape",
    "invalid number",
    "invalid unicode",
    "key must be a string",
    "lone leading surrogate",
    "trailing characters",
    "trailing comma",
];

/// The complaint of a sentence.
pub(super) fn read(error: &str) -> Option<Complaint> {
    let said = without_place(without_prefix(error));
    let complaint = |at, says| Some(Complaint { at, says });
    if SYNTAX.iter().any(|start| said.starts_with(start)) {
        return complaint(At::Untold, Says::Syntax);
    }
    let names = quoted(said, '`');
    let first = || names.first().cloned().map(At::Name).unwrap_or(At::Untold);
    let others = || names.iter().skip(1).cloned().collect::<Vec<String>>();
    if said.starts_with("missing field") {
        return complaint(first(), Says::Missing { inside: Vec::new() });
    }
    if said.starts_with("unknown field") {
        return complaint(first(), Says::Unknown { offered: Vec::new(), known: others() });
    }
    if said.starts_with("unknown variant") {
        let given = names.first().cloned().unwrap_or_default();
        let at = At::Value(Shown::Scalar(given.into()));
        return complaint(at, Says::Choice { offered: Vec::new(), choices: others() });
    }
    if said.starts_with("duplicate field") {
        return complaint(first(), Says::Duplicate);
    }
    if let Some((_, range)) = said.split_once(" must be ") {
        let (least, greatest) = bounds(range.split(", got").next()?);
        return complaint(first(), Says::Range { least, greatest });
    }
    let value = said.strip_prefix("invalid type: ").or_else(|| said.strip_prefix("invalid value: "))?;
    let (value, expected) = value.rsplit_once(", expected ")?;
    let at = shown(value).map_or(At::Untold, At::Value);
    match (said.starts_with("invalid value"), limits(expected)) {
        (true, Some((least, greatest))) => {
            complaint(at, Says::Range { least: Some(least), greatest: Some(greatest) })
        }
        _ => complaint(at, Says::Misfit),
    }
}

/// Without what a library puts before the sentence: `failed to deserialize parameters: `.
fn without_prefix(error: &str) -> &str {
    match error.split_once(": ") {
        Some((prefix, rest)) if prefix.starts_with("failed to ") => rest,
        _ => error,
    }
}

/// Without ` at line 1 column 20`.
fn without_place(error: &str) -> &str {
    error.rsplit_once(" at line ").map_or(error, |(said, _)| said)
}

/// A value as serde's `Unexpected` shows it.
fn shown(text: &str) -> Option<Shown> {
    let scalar = |value: Value| Some(Shown::Scalar(value));
    let inner = |prefix: &str| text.strip_prefix(prefix).map(|rest| rest.trim_matches('`'));
    match text {
        "map" => return Some(Shown::Object),
        "sequence" => return Some(Shown::Array),
        "null" | "unit value" | "Option value" => return scalar(Value::Null),
        _ => {}
    }
    if let Some(text) = text.strip_prefix("string ") {
        // Rust's escapes are those of JSON for all that people write.
        return scalar(serde_json::from_str(text).ok()?);
    }
    ["integer ", "floating point ", "boolean "]
        .iter()
        .find_map(|prefix| inner(prefix))
        .and_then(|text| scalar(serde_json::from_str(text).ok()?))
}

/// What an integer type of Rust holds.
fn limits(name: &str) -> Option<(f64, f64)> {
    Some(match name {
        "u8" => (0.0, f64::from(u8::MAX)),
        "u16" => (0.0, f64::from(u16::MAX)),
        "u32" => (0.0, f64::from(u32::MAX)),
        "u64" | "usize" => (0.0, 9_007_199_254_740_991.0),
        "i32" => (f64::from(i32::MIN), f64::from(i32::MAX)),
        _ => return None,
    })
}

/// What stands between quotes.
pub(super) fn quoted(text: &str, quote: char) -> Vec<String> {
    text.split(quote).skip(1).step_by(2).map(str::to_owned).collect()
}

/// The bounds of `integer 1..=10`, `1..=10`, `at least 1`, `at most 10`.
pub(super) fn bounds(text: &str) -> (Option<f64>, Option<f64>) {
    let number =
        |text: &str| text.trim_matches(|c: char| !c.is_ascii_digit() && c != '-').parse::<f64>().ok();
    if let Some((least, greatest)) = text.split_once("..=") {
        let least = least.rsplit(' ').next().and_then(|least| least.parse().ok());
        return (least, greatest.split(' ').next().and_then(|greatest| greatest.parse().ok()));
    }
    let after = |word: &str| text.split_once(word).and_then(|(_, rest)| number(rest));
    (after("at least "), after("at most "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_form_of_serde_is_read() {
        let at = |name: &str| At::Name(name.to_owned());
        let value = |value| At::Value(Shown::Scalar(value));
        let unknown = |known: &[&str]| Says::Unknown {
            offered: Vec::new(),
            known: known.iter().map(|&name| name.to_owned()).collect(),
        };
        for (text, expected, says) in [
            ("missing field `path` at line 1 column 20", at("path"), Says::Missing { inside: Vec::new() }),
            ("unknown field `x`, expected one of `a`, `b`", at("x"), unknown(&["a", "b"])),
            ("unknown field `x`, expected `a` or `b`", at("x"), unknown(&["a", "b"])),
            (
                "failed to deserialize parameters: invalid type: string \"5\", expected u32",
                value(json!("5")),
                Says::Misfit,
            ),
            ("invalid type: floating point `5.5`, expected u32", value(json!(5.5)), Says::Misfit),
            ("invalid type: map, expected a string", At::Value(Shown::Object), Says::Misfit),
            (
                "invalid value: integer `-1`, expected u8",
                value(json!(-1)),
                Says::Range { least: Some(0.0), greatest: Some(255.0) },
            ),
            (
                "`limit` must be 1..=10, got 50",
                at("limit"),
                Says::Range { least: Some(1.0), greatest: Some(10.0) },
            ),
            ("trailing comma at line 1 column 9", At::Untold, Says::Syntax),
        ] {
            assert_eq!(read(text), Some(Complaint { at: expected, says }), "{text}");
        }
    }
}
