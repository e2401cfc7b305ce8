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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_without_space_and_keys_by_utf_16() {
        let value = json!({"b": [1, [], {"z": null, "y": true}], "a": false, "": "x", "é": 1, "\u{fb33}": 2, "😀": 3});
        assert_eq!(
            text(&value),
            "{\"\":\"x\",\"a\":false,\"b\":[1,[],{\"y\":true,\"z\":null}],\"é\":1,\"😀\":3,\"\u{fb33}\":2}"
        );
    }

    #[test]
    fn only_what_must_be_is_escaped_in_strings() {
        let value = json!("\"\\/\u{8}\t\n\u{c}\r\u{0}\u{1f} \u{7f}é\u{2028}");
        assert_eq!(text(&value), "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f \u{7f}é\u{2028}\"");
    }

    #[test]
    fn integers_of_64_bits_are_exact_however_they_are_spelt() {
        let rows = [
            (json!(9_007_199_254_740_993_u64), "9007199254740993"),
            (json!(u64::MAX), "18446744073709551615"),
            (json!(i64::MIN), "-9223372036854775808"),
            (json!(5.0), "5"),
            (json!(-0.0), "0"),
            (json!(-9_223_372_036_854_775_808.0), "-9223372036854775808"),
            (json!(18_446_744_073_709_549_568.0), "18446744073709549568"),
            (json!(18_446_744_073_709_551_616.0), "18446744073709552000"),
            (json!(0.1), "0.1"),
            (json!(1e21), "1e+21"),
            (json!(1.5e-7), "1.5e-7"),
        ];
        for (value, expected) in rows {
            assert_eq!(text(&value), expected);
        }
    }

    #[test]
    fn values_are_equal_by_what_they_are() {
        assert!(equal(&json!({"a": 5, "b": [1.0]}), &json!({"b": [1], "a": 5.0})));
        assert!(equal(&json!("a"), &json!("a")));
        assert!(!equal(&json!("5"), &json!(5)));
        assert!(!equal(&json!([1, 2]), &json!([2, 1])));
    }

    #[test]
    fn bytes_come_back_from_their_hex() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(unhex(&hex(&bytes)), Some(bytes));
        assert_eq!(hex(&[0x00, 0x9f, 0xa0]), "009fa0");
        assert_eq!(unhex("A0"), Some(vec![0xa0]));
        assert_eq!(unhex(""), Some(Vec::new()));
        for none in ["0", "0g", "g0", "é", "0x12"] {
            assert_eq!(unhex(none), None, "{none}");
        }
    }
}
