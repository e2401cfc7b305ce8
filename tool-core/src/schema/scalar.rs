//! Rules S4 and S6: the bounds that a number format means, the formats callers know, the types that constants have.

use serde_json::{Map, Number, Value, json};

/// What a number format says of the least and greatest value.
struct Format {
    name: &'static str,
    least: Option<Number>,
    greatest: Option<Number>,
}

/// The formats that stay, because callers know them.
const KNOWN_FORMATS: [&str; 15] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "uuid",
    "regex",
    "json-pointer",
];

/// The number formats whose bounds are written out. 64-bit and wider types keep only their sign.
fn number_format(name: &str) -> Option<Format> {
    let integers = |name, least: i64, greatest: i64| Format {
        name,
        least: Some(least.into()),
        greatest: Some(greatest.into()),
    };
    let unsigned = |name| Format { name, least: Some(0.into()), greatest: None };
    let formats = [
        integers("int8", i8::MIN.into(), i8::MAX.into()),
        integers("uint8", u8::MIN.into(), u8::MAX.into()),
        integers("int16", i16::MIN.into(), i16::MAX.into()),
        integers("uint16", u16::MIN.into(), u16::MAX.into()),
        integers("int32", i32::MIN.into(), i32::MAX.into()),
        integers("uint32", u32::MIN.into(), u32::MAX.into()),
        unsigned("uint64"),
        unsigned("uint128"),
        unsigned("uint"),
        Format {
            name: "float",
            least: Number::from_f64(f32::MIN.into()),
            greatest: Number::from_f64(f32::MAX.into()),
        },
    ];
    formats.into_iter().find(|format| format.name == name)
}

/// Whether these are the bounds of a Rust number type, which its decoder keeps to by itself.
pub(crate) fn are_bounds_of_a_type(least: Option<&Value>, greatest: Option<&Value>) -> bool {
    const BOUNDED: [&str; 7] = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "float"];
    let equal = |value: Option<&Value>, bound: &Option<Number>| {
        value.map(|value| value.as_number()) == bound.as_ref().map(Some)
    };
    let unsigned = greatest.is_none() && least == Some(&json!(0));
    (least.is_none() && greatest.is_none())
        || unsigned
        || BOUNDED
            .iter()
            .filter_map(|name| number_format(name))
            .any(|format| equal(least, &format.least) && equal(greatest, &format.greatest))
}

/// Whether callers know a format.
pub(crate) fn is_known_format(name: &str) -> bool {
    KNOWN_FORMATS.contains(&name)
}

/// S4: writes out the bounds of number formats and drops every format that callers need not know.
pub(crate) fn formats(schema: &mut Map<String, Value>) {
    let Some(name) = schema.get("format").and_then(Value::as_str) else { return };
    if is_known_format(name) {
        return;
    }
    let format =
        number_format(name).filter(|_| names_type(schema, "integer") || names_type(schema, "number"));
    schema.remove("format");
    let Some(format) = format else { return };
    let mut bound = |inclusive: &str, exclusive: &str, value: Option<Number>| {
        if let Some(value) = value
            && !schema.contains_key(inclusive)
            && !schema.contains_key(exclusive)
        {
            schema.insert(inclusive.to_owned(), value.into());
        }
    };
    bound("minimum", "exclusiveMinimum", format.least);
    bound("maximum", "exclusiveMaximum", format.greatest);
}

/// S6: gives `const` and `enum` the types of their values.
pub(crate) fn types_of_constants(schema: &mut Map<String, Value>) {
    if schema.contains_key("type") {
        return;
    }
    let values = match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => std::slice::from_ref(value),
        (None, Some(Value::Array(values))) => values.as_slice(),
        _ => return,
    };
    let mut types: Vec<&str> = Vec::new();
    for value in values {
        let name = type_of(value);
        if !types.contains(&name) {
            types.push(name);
        }
    }
    let types = match types.as_slice() {
        [] => return,
        [only] => json!(only),
        several => json!(several),
    };
    schema.insert("type".to_owned(), types);
}

/// Whether `type` names a type, alone or in a list.
pub(crate) fn names_type(schema: &Map<String, Value>, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(|other| other == name),
        Some(other) => other == name,
        None => false,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|number| number.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
