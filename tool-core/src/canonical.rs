//! Canonical JSON: one text per value, so that equal values have equal digests.
//!
//! RFC 8785, except that integers from −2⁶³ to 2⁶⁴−1 are written exactly: 9007199254740993 keeps its last digit, and 5, 5.0
//! and 5e0 are one value. Keys, fingerprints and the journal's chain are digests of it.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};
use sha2::{Digest as _, Sha256};

/// The canonical text of a value.
///
/// ```
/// use serde_json::json;
/// assert_eq!(tool_core::canonical::text(&json!({"b": 5.0, "a": [null, "é"]})), r#"{"a":[null,"é"],"b":5}"#);
/// ```
pub fn text(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// The SHA-256 of the canonical text.
pub fn digest(value: &Value) -> [u8; 32] {
    Sha256::digest(text(value)).into()
}

/// The SHA-256 of the canonical text, in lower-case hex.
pub fn sha256(value: &Value) -> String {
    hex(&digest(value))
}

/// Bytes in lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 });
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes of a hex text; `None` when it is none.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let nibble = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(nibble(*high)? << 4 | nibble(*low)?));
    rest.is_empty().then(|| bytes.collect())?
}

/// Whether two values are one, however their numbers are spelt.
pub fn equal(one: &Value, other: &Value) -> bool {
    one == other || text(one) == text(other)
}

/// Appends the canonical text of a value.
pub fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => write_object(members, out),
    }
}

fn write_object(members: &Map<String, Value>, out: &mut String) {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by(|one, other| order(one.0, other.0));
    out.push('{');
    for (i, (key, value)) in sorted.into_iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_string(key, out);
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

/// The order of keys: by UTF-16 code units. (RFC 8785 §3.2.3)
fn order(one: &str, other: &str) -> Ordering {
    if one.is_ascii() && other.is_ascii() {
        one.cmp(other)
    } else {
        one.encode_utf16().cmp(other.encode_utf16())
    }
}

fn write_number(number: &Number, out: &mut String) {
    if let Some(double) = number.as_f64().filter(|_| number.is_f64()) {
        match whole(double) {
            Some(integer) => out.push_str(&integer.to_string()),
            None => out.push_str(ryu_js::Buffer::new().format(double)),
        }
    } else {
        out.push_str(&number.to_string());
    }
}

/// A double that is an integer within 64 bits, which is written like that integer.
fn whole(double: f64) -> Option<i128> {
    const LEAST: f64 = -9_223_372_036_854_775_808.0;
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is a whole number of at most 64 bits")]
    (double.fract() == 0.0 && (LEAST..BEYOND).contains(&double)).then_some(double as i128)
}

/// A JSON string with the escapes of RFC 8785 §3.2.2.2.
pub fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            0x08 => "\\b",
            0x09 => "\\t",
            0x0a => "\\n",
            0x0c => "\\f",
            0x0d => "\\r",
            0..=0x1f => "",
            _ => continue,
        };
        out.push_str(text.get(plain..at).unwrap_or_default());
        plain = at + 1;
        if escape.is_empty() {
            out.push_str("\\u00");
            out.push_str(&hex(&[byte]));
        } else {
            out.push_str(escape);
        }
    }
    out.push_str(text.get(plain..).unwrap_or_default());
    out.push('"');
}
