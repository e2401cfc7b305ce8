//! What a parameter is on the command line, read from its definition and its schema.

use serde_json::{Map, Value};
use tool_core::def::{Hint, ParamDef};

use super::{Param, is_option};
use crate::kind::{self, Items, Kind};
use crate::words::kebab;

/// The properties of an object schema, or of all objects of a union, in order.
pub(super) fn properties<'a>(schema: &Value, find: impl Fn(&str) -> Option<&'a ParamDef<'a>>) -> Vec<Param> {
    let Some(node) = schema.as_object() else { return Vec::new() };
    let union: &[Value] = kind::branches(node).map(Vec::as_slice).unwrap_or_default();
    let objects: Vec<&Map<String, Value>> =
        std::iter::once(node).chain(union.iter().filter_map(Value::as_object)).collect();
    let mut params: Vec<Param> = Vec::new();
    for properties in objects.iter().filter_map(|object| object.get("properties")?.as_object()) {
        for (name, schema) in properties {
            if params.iter().all(|param| param.name != *name) {
                let required = requires(node, name)
                    || (!union.is_empty()
                        && union
                            .iter()
                            .all(|case| case.as_object().is_some_and(|case| requires(case, name))));
                params.push(param(name, schema, required, find(name)));
            }
        }
    }
    params
}

fn requires(object: &Map<String, Value>, name: &str) -> bool {
    object
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|names| names.iter().any(|required| required == name))
}

fn param(name: &str, schema: &Value, required: bool, def: Option<&ParamDef<'_>>) -> Param {
    let kind = Kind::of(schema);
    let cli = def.map(|def| def.keys.cli);
    let members = if kind == Kind::Object { members(schema) } else { Vec::new() };
    let flag = |read: fn(&tool_core::def::CliDef<'_>) -> bool| cli.as_ref().is_some_and(read);
    let mut param = Param {
        name: name.to_owned(),
        long: Some(cli.and_then(|cli| cli.long).map_or_else(|| kebab(name), str::to_owned)),
        short: cli.and_then(|cli| cli.short),
        kind,
        members,
        doc: doc(schema, def),
        schema: schema.clone(),
        required,
        nullable: schema.get("x-keep-null").is_some_and(|keep| keep == true),
        positional: flag(|cli| cli.positional),
        last: flag(|cli| cli.last),
        stdin: flag(|cli| cli.stdin),
        secret: def.is_some_and(|def| def.keys.secret)
            || schema.get("writeOnly").is_some_and(|secret| secret == true),
        hidden: flag(|cli| cli.hidden),
        deprecated: def.and_then(|def| def.keys.deprecated).map(str::to_owned),
        env: cli.and_then(|cli| cli.env).map(str::to_owned),
        value_name: String::new(),
        hint: def.and_then(|def| def.keys.hint),
        aliases: def
            .map(|def| def.keys.aliases.iter().map(|&alias| alias.to_owned()).collect())
            .unwrap_or_default(),
    };
    param.value_name = cli.and_then(|cli| cli.value_name).map_or_else(|| value_name(&param), str::to_owned);
    param
}

/// The text of a parameter: its own, else that of its type.
fn doc(schema: &Value, def: Option<&ParamDef<'_>>) -> String {
    let own = def.map(|def| def.doc.text().into_owned()).filter(|text| !text.is_empty());
    own.unwrap_or_else(|| schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned())
}

/// The properties of an object as options: an object among them is one JSON value.
fn members(schema: &Value) -> Vec<Param> {
    let mut members = properties(&kind::without_null(schema), |_| None);
    for member in &mut members {
        if member.kind == Kind::Object {
            member.kind = Kind::Json;
            member.members = Vec::new();
        }
        if !is_option(member.long.as_deref().unwrap_or_default()) {
            member.long = None;
        }
    }
    members
}

/// The placeholder of a value whose author gave none.
fn value_name(param: &Param) -> String {
    let capitals = kebab(&param.name).replace('-', "_").to_ascii_uppercase();
    if param.positional || param.last {
        return capitals;
    }
    if param.secret {
        return "FILE".to_owned();
    }
    let by_hint = match param.hint {
        Some(Hint::File) => Some("FILE"),
        Some(Hint::Dir) => Some("DIR"),
        Some(Hint::Path) => Some("PATH"),
        _ => None,
    };
    let by_kind = match param.kind {
        Kind::Map(_) => Some("KEY=VALUE"),
        Kind::Json | Kind::Object | Kind::List(Items::Json) => Some("JSON"),
        Kind::Bytes if param.stdin => Some("@FILE"),
        _ => match number(&param.schema) {
            Some("integer") => Some("N"),
            Some("number") => Some("NUM"),
            _ => None,
        },
    };
    let singular = || match param.kind {
        Kind::List(_) => {
            let word = param
                .long
                .as_deref()
                .map_or_else(|| capitals.clone(), |long| long.replace('-', "_").to_ascii_uppercase());
            word.strip_suffix('S').filter(|rest| !rest.is_empty()).map(str::to_owned).unwrap_or(word)
        }
        _ => capitals.clone(),
    };
    by_hint.or(by_kind).map_or_else(singular, str::to_owned)
}

/// The number type of a value, or of the items of a list.
fn number(schema: &Value) -> Option<&'static str> {
    let schema = kind::without_null(schema);
    let schema = schema.get("items").unwrap_or(&schema);
    if schema.get("enum").is_some() {
        return None;
    }
    ["integer", "number"].into_iter().find(|name| schema.get("type").is_some_and(|kind| kind == name))
}
