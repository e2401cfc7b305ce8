//! Text to a JSON value, exactly as RFC 8259 has it: one value, nothing repaired, no key twice, within the limits.
//!
//! One pass of serde_json's own parser builds the value; a seed on the way counts levels and finds repeated keys.
//! What the value must be (an object) and how it is matched to parameters is left to [`super::frame`].

use std::collections::HashSet;
use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use super::issue::{ArgIssue, IssueCode, MAX_ISSUES};
use super::pointer::push_given;
use super::texts;
use crate::error::ToolError;

/// The most bytes of text, or of compact JSON, that become arguments where nothing else is set
/// ([`ExecutorBuilder::max_args_bytes`](crate::ExecutorBuilder::max_args_bytes)).
pub const MAX_ARGS_BYTES: usize = 16 * 1024 * 1024;

/// The most levels of nesting; the object of arguments itself is the first.
pub const MAX_DEPTH: usize = 64;

/// The most characters of a malformed text that its error repeats.
const SHOWN_CHARACTERS: usize = 80;

/// Parses one JSON value. A leading byte order mark is skipped.
///
/// # Errors
/// `malformed_json`, `duplicate_key`, `too_deep` or `args_too_large`, each with its issues.
pub fn parse(text: &str) -> Result<Value, ToolError> {
    parse_within(text, MAX_ARGS_BYTES)
}

/// [`parse_within`] where blank text is `{}`: for places where arguments are expected.
///
/// # Errors
/// As [`parse`].
pub fn parse_arguments(text: &str, max_bytes: usize) -> Result<Value, ToolError> {
    let blank = |c| matches!(c, ' ' | '\t' | '\r' | '\n');
    if without_mark(text).trim_matches(blank).is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    parse_within(text, max_bytes)
}

/// [`parse_within`] where the text must hold an object.
///
/// # Errors
/// As [`parse`], and `not_an_object`.
pub fn parse_object(text: &str, max_bytes: usize) -> Result<Map<String, Value>, ToolError> {
    match parse_within(text, max_bytes)? {
        Value::Object(members) => Ok(members),
        other => Err(not_an_object(&other)),
    }
}

/// [`parse`] with another limit of bytes.
///
/// # Errors
/// As [`parse`].
pub fn parse_within(text: &str, max_bytes: usize) -> Result<Value, ToolError> {
    parse_from(1, text, max_bytes)
}

/// [`parse_object`] for an object that has arguments among its members: they stand one level down, and may be as deep as
/// anywhere.
///
/// # Errors
/// As [`parse_object`].
pub fn parse_frame(text: &str, max_bytes: usize) -> Result<Map<String, Value>, ToolError> {
    match parse_from(0, text, max_bytes)? {
        Value::Object(members) => Ok(members),
        other => Err(not_an_object(&other)),
    }
}

/// An object inside of a larger text that is read once: as [`parse_object`] reads one. What that refuses is no such object; a
/// surface that has to say why gives the text of the object to that.
///
/// ```
/// use tool_core::args::Members;
/// assert!(serde_json::from_str::<Members>(r#"{"a": {"b": 1}}"#).is_ok());
/// assert!(serde_json::from_str::<Members>(r#"{"a": {"b": 1, "b": 2}}"#).is_err());
/// ```
#[derive(Debug, Default)]
pub struct Members(pub Map<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        let mut found = Findings::default();
        match (Node { found: &mut found, level: 1 }).deserialize(deserializer)? {
            Value::Object(members) if found.repeated == 0 => Ok(Members(members)),
            Value::Object(_) => Err(de::Error::custom("a key is given twice")),
            _ => Err(de::Error::custom("no object")),
        }
    }
}

/// Parses one JSON value that counts as this level.
fn parse_from(level: usize, text: &str, max_bytes: usize) -> Result<Value, ToolError> {
    if text.len() > max_bytes {
        return Err(too_large(max_bytes));
    }
    let text = without_mark(text);
    let mut found = Findings::default();
    let mut parser = serde_json::Deserializer::from_str(text);
    let parsed = Node { found: &mut found, level }
        .deserialize(&mut parser)
        .and_then(|value| parser.end().map(|()| value));
    match parsed {
        Ok(value) if found.repeated == 0 => Ok(value),
        Ok(_) => Err(found.into_duplicates()),
        Err(_) if found.too_deep => Err(too_deep()),
        Err(error) => Err(malformed(text, &error)),
    }
}

// ---- one pass -------------------------------------------------------------------------------------------------------

/// What the pass noticed besides the value.
#[derive(Default)]
struct Findings {
    too_deep: bool,
    /// Number of keys that came again.
    repeated: usize,
    /// Where, as tokens of a pointer from the inside out; at most [`MAX_ISSUES`].
    places: Vec<Vec<String>>,
}

impl Findings {
    fn repeat(&mut self, key: &str) {
        self.repeated += 1;
        if self.places.len() < MAX_ISSUES {
            self.places.push(vec![token(key)]);
        }
    }

    /// Says that every place after the first `known` lies below `key`.
    fn lie_below(&mut self, known: usize, token: &str) {
        for place in self.places.iter_mut().skip(known) {
            place.push(token.to_owned());
        }
    }

    fn into_duplicates(self) -> ToolError {
        let mut paths: Vec<String> = Vec::with_capacity(self.places.len());
        for place in &self.places {
            let path: String = place.iter().rev().map(String::as_str).collect();
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let more = self.repeated - self.places.len();
        let issue = |path| ArgIssue {
            path,
            code: IssueCode::Duplicate,
            expected: "one value".to_owned(),
            got: "the key twice".to_owned(),
            hint: None,
        };
        let error = ToolError::invalid_args("A key is given twice.")
            .code("duplicate_key")
            .issues(paths.into_iter().map(issue));
        if more > 0 { error.detail("more", more) } else { error }
    }
}

/// A key as one token of a pointer.
fn token(key: &str) -> String {
    let mut token = String::new();
    push_given(&mut token, key);
    token
}

/// A value that is about to be read, and its level.
struct Node<'a> {
    found: &'a mut Findings,
    level: usize,
}

impl Node<'_> {
    fn child(&mut self) -> Node<'_> {
        Node { found: self.found, level: self.level + 1 }
    }

    fn enter<E: de::Error>(&mut self) -> Result<(), E> {
        if self.level > MAX_DEPTH {
            self.found.too_deep = true;
            return Err(E::custom("too deep"));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        self.enter()?;
        let mut array = Vec::new();
        loop {
            let known = self.found.places.len();
            let Some(item) = items.next_element_seed(self.child())? else { return Ok(Value::Array(array)) };
            if self.found.places.len() > known {
                self.found.lie_below(known, &format!("/{}", array.len()));
            }
            array.push(item);
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        self.enter()?;
        let mut object = Map::new();
        let mut repeated = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            let known = self.found.places.len();
            let value = members.next_value_seed(self.child())?;
            if self.found.places.len() > known {
                self.found.lie_below(known, &token(&key));
            }
            match object.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(value);
                }
                Entry::Occupied(entry) => {
                    if !repeated.contains(entry.key()) {
                        self.found.repeat(entry.key());
                        repeated.insert(entry.key().clone());
                    }
                }
            }
        }
        Ok(Value::Object(object))
    }
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

// ---- errors ---------------------------------------------------------------------------------------------------------

fn malformed(text: &str, error: &serde_json::Error) -> ToolError {
    let shown: String = text.chars().take(SHOWN_CHARACTERS).collect();
    let column = column_in_characters(text, error.line(), error.column());
    ToolError::invalid_args("The arguments are not valid JSON.")
        .code("malformed_json")
        .hint("Send one JSON object.")
        .issue(ArgIssue {
            path: String::new(),
            code: IssueCode::Syntax,
            expected: "a JSON object".to_owned(),
            got: format!("line {}, column {column}: {shown}", error.line()),
            hint: None,
        })
}

/// serde_json counts the bytes of a line; people count its characters.
fn column_in_characters(text: &str, line: usize, bytes: usize) -> usize {
    let line = text.split('\n').nth(line.saturating_sub(1)).unwrap_or_default();
    let starts = |(at, _): &(usize, char)| *at < bytes;
    line.char_indices().take_while(starts).count()
}

pub(super) fn too_deep() -> ToolError {
    ToolError::invalid_args("The arguments are nested too deeply.").code("too_deep").issue(ArgIssue {
        path: String::new(),
        code: IssueCode::Depth,
        expected: format!("at most {MAX_DEPTH} levels"),
        got: "more".to_owned(),
        hint: None,
    })
}

/// The refusal of a value that is no object.
pub(crate) fn not_an_object(value: &Value) -> ToolError {
    let issue = ArgIssue {
        path: String::new(),
        code: IssueCode::Type,
        expected: "a JSON object".to_owned(),
        got: texts::got(value),
        hint: None,
    };
    ToolError::invalid_args("The arguments must be a JSON object.").code("not_an_object").issue(issue)
}

/// The refusal `args_too_large`, for a surface that stops reading a text at the limit.
pub fn too_large(max_bytes: usize) -> ToolError {
    ToolError::invalid_args("The arguments are too large.").code("args_too_large").issue(ArgIssue {
        path: String::new(),
        code: IssueCode::Size,
        expected: format!("at most {max_bytes} bytes"),
        got: "more".to_owned(),
        hint: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::measure;
    use super::*;
    use serde_json::json;

    fn code(text: &str) -> String {
        parse(text).unwrap_err().code_str().to_owned()
    }

    fn paths(error: &ToolError) -> Vec<&str> {
        error.arg_issues().iter().map(|issue| issue.path.as_str()).collect()
    }

    #[test]
    fn one_value_of_rfc_8259_is_accepted_and_nothing_else() {
        assert_eq!(parse(" {\"a\": [1, -2.5e3, \"\\u00e9\"]}\n").unwrap(), json!({"a": [1, -2500.0, "é"]}));
        for text in [
            "",
            "{",
            "{} {}",
            "{}x",
            "{'a':1}",
            "{a:1}",
            "[1,]",
            "{\"a\":1,}",
            "// c\n{}",
            "/* c */{}",
            "NaN",
            "[Infinity]",
            "[01]",
            "[+1]",
            "[.5]",
            "[1.]",
            "\"\\ud800\"",
            "\"\\udc00\"",
            "\"a\nb\"",
            "\"\t\"",
            "1e400",
            "\u{feff}\u{feff}{}",
            "\u{a0}{}",
            "\u{c}{}",
        ] {
            assert_eq!(code(text), "malformed_json", "{text:?}");
        }
        assert_eq!(parse("\"\\ud83d\\ude00\"").unwrap(), json!("😀"));
    }

    #[test]
    fn integers_keep_every_digit_and_beyond_that_become_doubles() {
        assert_eq!(parse("18446744073709551615").unwrap().as_u64(), Some(u64::MAX));
        assert_eq!(parse("-9223372036854775808").unwrap().as_i64(), Some(i64::MIN));
        assert!(parse("18446744073709551616").unwrap().is_f64());
        assert_eq!(parse("1e308").unwrap(), json!(1e308));
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(parse("\u{feff}{}").unwrap(), json!({}));
    }

    #[test]
    fn blank_text_is_no_arguments_where_they_are_expected() {
        for text in ["", " \r\n\t", "\u{feff}", "\u{feff} "] {
            assert_eq!(parse_arguments(text, MAX_ARGS_BYTES).unwrap(), json!({}), "{text:?}");
            assert_eq!(code(text), "malformed_json", "{text:?}");
        }
        assert_eq!(parse_arguments("\u{a0}", MAX_ARGS_BYTES).unwrap_err().code_str(), "malformed_json");
        assert_eq!(parse_arguments("{\"a\":1}", MAX_ARGS_BYTES).unwrap(), json!({"a": 1}));
    }

    #[test]
    fn the_error_of_malformed_text_says_where_and_repeats_no_more_than_80_characters() {
        let error = parse(&format!("{{\"é\":1,\n \"é\": ü{}", "x".repeat(200))).unwrap_err();
        assert_eq!(error.message(), "The arguments are not valid JSON.");
        assert_eq!(error.hint_str(), Some("Send one JSON object."));
        let issue = &error.arg_issues()[0];
        assert_eq!((issue.path.as_str(), issue.expected.as_str()), ("", "a JSON object"));
        let (place, text) = issue.got.split_once(": ").unwrap();
        assert_eq!(place, "line 2, column 7");
        assert_eq!(text.chars().count(), 80);
    }

    #[test]
    fn every_key_that_comes_twice_is_listed_once_at_any_depth() {
        let error = parse(r#"{"a":1,"b":[0,{"c":1,"\u0063":2,"c":3,"/":{"d":1,"d":1}}],"a":2}"#).unwrap_err();
        assert_eq!((error.code_str(), error.message()), ("duplicate_key", "A key is given twice."));
        assert!(error.details().get("more").is_none(), "all are listed");
        assert_eq!(paths(&error), ["/b/1/c", "/b/1/~1/d", "/a"]);
        let issue = &error.arg_issues()[0];
        assert_eq!((issue.expected.as_str(), issue.got.as_str()), ("one value", "the key twice"));
        assert!(parse(r#"{"a":1,"A":2,"b":{"a":1},"c":[{"a":1},{"a":1}]}"#).is_ok());
    }

    #[test]
    fn duplicates_beyond_the_limit_are_counted() {
        let text: Vec<String> = (0..60).map(|i| format!("\"k{i}\":1,\"k{i}\":1")).collect();
        let error = parse(&format!("{{\"in\":{{{}}}}}", text.join(","))).unwrap_err();
        assert_eq!(error.arg_issues().len(), MAX_ISSUES);
        assert_eq!(error.details()["more"], json!(10));
        assert_eq!(error.arg_issues()[49].path, "/in/k49");
    }

    #[test]
    fn sixty_four_levels_are_accepted_and_one_more_is_not() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let value = parse(&nested(MAX_DEPTH)).unwrap();
        measure(&value, MAX_ARGS_BYTES).unwrap();
        assert_eq!(code(&nested(MAX_DEPTH + 1)), "too_deep");
        assert_eq!(measure(&json!([value]), MAX_ARGS_BYTES).unwrap_err().code_str(), "too_deep");
        assert_eq!(code(&format!("{{\"x\":{}}}", nested(MAX_DEPTH))), "too_deep");
        assert!(parse(&format!("[\"{}\"]", "[".repeat(1000))).is_ok());
    }

    #[test]
    fn a_megabyte_of_brackets_neither_overflows_nor_hangs() {
        for bracket in ["[", "{\"a\":"] {
            let error = parse(&bracket.repeat(1 << 18)).unwrap_err();
            assert_eq!(error.code_str(), "too_deep");
            assert_eq!(error.arg_issues()[0].expected, "at most 64 levels");
        }
    }

    #[test]
    fn size_is_limited_for_text_and_for_values() {
        assert!(parse_within("[1,2]", 5).is_ok());
        let error = parse_within("[1,2]", 4).unwrap_err();
        assert_eq!(error.code_str(), "args_too_large");
        assert_eq!(error.arg_issues()[0].expected, "at most 4 bytes");
        let value = json!({"a": ["\u{1}", 1.5, null, true], "é": {}});
        let bytes = value.to_string().len();
        assert!(measure(&value, bytes).is_ok());
        assert_eq!(measure(&value, bytes - 1).unwrap_err().code_str(), "args_too_large");
    }
}
