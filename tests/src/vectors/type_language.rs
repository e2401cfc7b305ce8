//! The type language of arguments.json: a type as JSON, turned into the schema that schemars 1.2 makes of such a Rust
//! type, and the parameters of a case, turned into a definition.
//!
//! `schema(&json!(["list", "u8"]))` is the schema; [`tool`] is a whole definition whose parameters have such schemas.

use std::sync::{LazyLock, Mutex};

use serde_json::{Map, Value, json};
use tool_core::ToolDef;
use tool_core::def::{
    Bounds, Cache, Constraint, Doc, Handler, Number, Origin, ParamDef, ParamKeys, ParamKind, Range,
    SchemaSource, ToolKeys, ValueFn,
};

/// The schema of a type, as schemars writes it in the deserialize contract.
pub(crate) fn schema(kind: &Value) -> Value {
    let mut definitions = Map::new();
    let mut schema = build(kind, &mut definitions);
    if let (Value::Object(schema), false) = (&mut schema, definitions.is_empty()) {
        schema.insert("$defs".into(), definitions.into());
    }
    schema
}

fn build(kind: &Value, definitions: &mut Map<String, Value>) -> Value {
    if let Some(name) = kind.as_str() {
        return scalar(name);
    }
    let parts = kind.as_array().expect("a type is a text or a list");
    let (name, parts) = parts.split_first().expect("a type has a name");
    let mut item = |i: usize| build(&parts[i], definitions);
    match name.as_str().expect("a type has a name") {
        "option" => nullable(item(0)),
        "list" => json!({"type": "array", "items": item(0)}),
        "set" => json!({"type": "array", "uniqueItems": true, "items": item(0)}),
        "array" => json!({"type": "array", "items": item(1), "minItems": parts[0], "maxItems": parts[0]}),
        "map" => json!({"type": "object", "additionalProperties": item(0)}),
        "tuple" => {
            let items: Vec<Value> = (0..parts.len()).map(item).collect();
            json!({"type": "array", "prefixItems": items, "minItems": parts.len(), "maxItems": parts.len()})
        }
        "untagged" => json!({"anyOf": (0..parts.len()).map(item).collect::<Vec<_>>()}),
        "enum" => json!({"type": "string", "enum": parts}),
        "enum_doc" => {
            let case =
                |(name, doc): (&String, &Value)| json!({"type": "string", "const": name, "description": doc});
            json!({"oneOf": object(&parts[0]).iter().map(case).collect::<Vec<_>>()})
        }
        "struct" => fields(object(&parts[0]), None, definitions),
        "tagged" => {
            let tag = parts[0].as_str().expect("a tag is a text");
            let cases =
                object(&parts[1]).iter().map(|(name, f)| fields(object(f), Some((tag, name)), definitions));
            json!({"oneOf": cases.collect::<Vec<_>>()})
        }
        "external" => external(object(&parts[0]), definitions),
        "rec" => {
            let name = parts[0].as_str().expect("a recursive type has a name");
            let inner = build(&parts[1], definitions);
            definitions.insert(name.into(), inner);
            reference(name)
        }
        "self" => reference(parts[0].as_str().expect("a recursive type has a name")),
        other => panic!("unknown type {other}"),
    }
}

fn scalar(name: &str) -> Value {
    match name {
        "bool" => json!({"type": "boolean"}),
        "i8" => json!({"type": "integer", "format": "int8", "minimum": i8::MIN, "maximum": i8::MAX}),
        "i16" => json!({"type": "integer", "format": "int16", "minimum": i16::MIN, "maximum": i16::MAX}),
        "i32" => json!({"type": "integer", "format": "int32"}),
        "i64" => json!({"type": "integer", "format": "int64"}),
        "u8" => json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": u8::MAX}),
        "u16" => json!({"type": "integer", "format": "uint16", "minimum": 0, "maximum": u16::MAX}),
        "u32" => json!({"type": "integer", "format": "uint32", "minimum": 0}),
        "u64" => json!({"type": "integer", "format": "uint64", "minimum": 0}),
        "f32" => json!({"type": "number", "format": "float"}),
        "f64" => json!({"type": "number", "format": "double"}),
        "string" => json!({"type": "string"}),
        "char" => json!({"type": "string", "minLength": 1, "maxLength": 1}),
        "any" => json!(true),
        other => panic!("unknown type {other}"),
    }
}

/// What schemars makes of `Option<T>`: a list of types, or `anyOf` for structs and enums.
fn nullable(inner: Value) -> Value {
    let Value::Object(mut keywords) = inner else { return inner };
    let named = ["properties", "oneOf", "anyOf", "$ref", "enum"].iter().any(|k| keywords.contains_key(*k));
    match keywords.get("type") {
        Some(Value::String(kind)) if !named => {
            keywords["type"] = json!([kind, "null"]);
            Value::Object(keywords)
        }
        Some(Value::Array(_)) if !named => Value::Object(keywords),
        _ => json!({"anyOf": [keywords, {"type": "null"}]}),
    }
}

fn fields(
    fields: &Map<String, Value>,
    tag: Option<(&str, &str)>,
    definitions: &mut Map<String, Value>,
) -> Value {
    let mut properties = Map::new();
    let mut required: Vec<&str> = Vec::new();
    if let Some((tag, case)) = tag {
        properties.insert(tag.into(), json!({"type": "string", "const": case}));
        required.push(tag);
    }
    for (field, kind) in fields {
        let name = field.strip_suffix('?').unwrap_or(field);
        properties.insert(name.into(), build(kind, definitions));
        if name == field && kind[0] != "option" {
            required.push(name);
        }
    }
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn external(cases: &Map<String, Value>, definitions: &mut Map<String, Value>) -> Value {
    let units: Vec<&String> = cases.iter().filter(|case| case.1.is_null()).map(|case| case.0).collect();
    let mut branches = Vec::new();
    if !units.is_empty() {
        branches.push(json!({"type": "string", "enum": units}));
    }
    for (name, content) in cases.iter().filter(|case| !case.1.is_null()) {
        let content = match content {
            Value::Object(content) => fields(content, None, definitions),
            other => build(other, definitions),
        };
        branches.push(json!({
            "type": "object", "properties": {name: content}, "required": [name], "additionalProperties": false,
        }));
    }
    json!({"oneOf": branches})
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("an object is expected")
}

/// The definition of a case's tool. It lives as long as the test.
pub(crate) fn tool(case: &Value) -> &'static ToolDef<'static> {
    fn nowhere(_: &mut tool_core::args::Args) -> Result<tool_core::def::Run, tool_core::ToolError> {
        Err(tool_core::ToolError::internal("Tools of the type language do not run."))
    }
    let params: Vec<ParamDef<'static>> = list(&case["params"]).iter().map(param).collect();
    let cache = Box::leak(Box::new(Cache::new()));
    let mut tool = ToolDef::new("tool", Doc::Text("A tool."), Handler::Sync(nowhere), Origin::DYNAMIC, cache);
    tool.params = params.leak();
    let constraints = list(&case["rules"]).iter().map(constraint).collect::<Vec<_>>().leak();
    tool.keys = Box::leak(Box::new(ToolKeys { constraints, ..ToolKeys::NONE }));
    Box::leak(Box::new(tool))
}

/// One parameter of a case.
pub(crate) fn param(given: &Value) -> ParamDef<'static> {
    let kind = &given["type"];
    let doc = Doc::Text(text(given["doc"].as_str().unwrap_or_default()));
    let source = SchemaSource::Given(Box::leak(Box::new(schema(kind))));
    let mut param =
        ParamDef::new(text(given["name"].as_str().expect("a name")), doc, param_kind(kind), source);
    let mut keys = ParamKeys::NONE;
    keys.any = kind == "any" || *kind == json!(["option", "any"]);
    keys.aliases = texts(&given["aliases"]);
    param.required = given["required"] == true;
    param.default = given.get("default").map(constant);
    keys.flatten = given["flatten"] == true;
    keys.secret = given["secret"] == true;
    keys.deprecated = given["deprecated"].as_str().map(text);
    keys.format = given["format"].as_str().map(text);
    keys.entries = given["entries"] == true;
    keys.header = given["header"].as_str().map(text);
    keys.examples = given.get("examples").map(constant);
    keys.conflicts_with = texts(&given["conflicts_with"]);
    keys.requires = texts(&given["requires"]);
    keys.bounds = Bounds {
        min: number(&given["range"][0]),
        max: number(&given["range"][1]),
        max_exclusive: false,
        len: range(&given["len"]),
        item_len: range(&given["item_len"]),
        pattern: given["pattern"].as_str().map(text),
        choices: texts(&given["choices"]),
    };
    param.keys = Box::leak(Box::new(keys));
    param
}

fn param_kind(kind: &Value) -> ParamKind {
    let inner = |kind: &Value| kind[0].as_str().unwrap_or_default().to_owned();
    match inner(kind).as_str() {
        "option" if inner(&kind[1]) == "option" => ParamKind::Nullable,
        "option" => ParamKind::Optional,
        "list" | "set" => ParamKind::List,
        _ if kind == "bool" => ParamKind::Flag,
        _ => ParamKind::Required,
    }
}

fn constraint(rule: &Value) -> Constraint<'static> {
    let names = texts(&Value::Array(list(rule).iter().skip(1).cloned().collect()));
    match rule[0].as_str() {
        Some("exactly_one") => Constraint::ExactlyOne(names),
        Some("at_least_one") => Constraint::AtLeastOne(names),
        other => panic!("unknown rule {other:?}"),
    }
}

fn number(value: &Value) -> Option<Number> {
    match (value.as_i64(), value.as_u64()) {
        (Some(number), _) => Some(Number::Int(number.into())),
        (None, Some(number)) => Some(Number::Int(number.into())),
        (None, None) => value.as_f64().map(Number::Float),
    }
}

fn range(pair: &Value) -> Range {
    let read = |i: usize| pair[i].as_u64().map(|n| usize::try_from(n).expect("a length"));
    Range { min: read(0).unwrap_or(0), max: read(1) }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn texts(value: &Value) -> &'static [&'static str] {
    let texts: Vec<&'static str> =
        list(value).iter().map(|item| text(item.as_str().expect("a text"))).collect();
    texts.leak()
}

/// Values behind plain functions, as definitions want them.
static CONSTANTS: LazyLock<Mutex<Vec<Value>>> = LazyLock::new(Mutex::default);

fn constant_at<const I: usize>() -> Value {
    CONSTANTS.lock().expect("no panic while locked")[I].clone()
}

/// A function that makes a value.
pub(crate) fn constant(value: &Value) -> ValueFn {
    macro_rules! table {
        ($($i:literal)*) => { [$(constant_at::<$i> as ValueFn),*] };
    }
    let functions = table!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63);
    let mut constants = CONSTANTS.lock().expect("no panic while locked");
    let at = constants.iter().position(|other| other == value).unwrap_or_else(|| {
        constants.push(value.clone());
        constants.len() - 1
    });
    functions[at]
}
