//! Parameters: what they are called, whether they say what they are for, how many there are, and what is secret.

use serde_json::Value;

use super::names::words;
use super::places::Role;
use super::{Hit, Place, Subject};
use crate::call::redact::reads_like_credential;
use crate::def::Surface;

/// The most parameters.
const MANY: usize = 7;

/// Names that say nothing.
const VAGUE: [&str; 10] = ["arg", "args", "data", "id", "info", "input", "item", "object", "params", "user"];

/// Last words of names that measure something.
const MEASURES: [&str; 6] = ["timeout", "size", "length", "age", "delay", "interval"];

/// Words that say in what.
const UNITS: &str = "\
    ns us ms s sec secs mins h nanosecond nanoseconds microsecond microseconds millisecond milliseconds \
    second seconds minute minutes hour hours day days week weeks month months year years bit bits byte bytes \
    kb mb gb tb kib mib gib tib char chars character characters words lines items rows entries elements \
    records results pages tokens pixel pixels px mm cm m km metres";

/// How flags begin that say what is not.
const NEGATIONS: [&str; 3] = ["no_", "not_", "disable_"];

pub(super) fn description_missing_unit(place: &Place<'_>) -> Option<String> {
    let name = parameter(place)?;
    let measured = words(name).last().filter(|last| MEASURES.contains(&last.as_str()))?;
    let numeric = place.is_of("integer") || place.is_of("number");
    let in_name = || words(name).any(|word| is_unit(&word));
    let in_text = || {
        let text = place.description().unwrap_or_default().to_lowercase();
        // An apostrophe is part of its word: the s of "file's" is no second.
        text.split(|c: char| !c.is_alphanumeric() && c != '\'').any(is_unit)
    };
    (numeric && !in_name() && !in_text()).then(|| format!("say in what unit the {measured} is given"))
}

pub(super) fn param_undescribed(place: &Place<'_>) -> Option<String> {
    let named = matches!(place.role, Role::Param | Role::Field);
    // The tag of a case says what it is by itself.
    let undescribed =
        named && !place.told && !place.schema.contains_key("const") && place.description().is_none();
    undescribed.then(|| "no description: say what it is for".to_owned())
}

pub(super) fn param_vague(place: &Place<'_>) -> Option<String> {
    let name = parameter(place).filter(|name| VAGUE.contains(name) || *name == "value")?;
    Some(format!("`{name}` says nothing: name what it is, such as `user_id` or `query`"))
}

pub(super) fn param_secretish(place: &Place<'_>) -> Option<String> {
    let named = matches!(place.role, Role::Param | Role::Field);
    let name = place.name.filter(|name| named && !place.logged && reads_like_credential(name))?;
    Some(format!("`{name}` reads like a credential: mark it `secret`, or say with `log` how it is shown"))
}

pub(super) fn param_boolean_negative(place: &Place<'_>) -> Option<String> {
    let name = parameter(place).filter(|_| place.types().eq(["boolean"]))?;
    let start = NEGATIONS.iter().find(|start| name.starts_with(**start))?;
    let rest = name.strip_prefix(start)?;
    Some(format!("true means no here: call it `{rest}`, with a default of true"))
}

pub(super) fn params_many(subject: &Subject<'_>) -> Vec<Hit> {
    let members =
        |schema: &Value| schema.get("properties").and_then(Value::as_object).map_or(0, |all| all.len());
    let count = subject.shown().map_or(0, |schema| {
        let union = ["oneOf", "anyOf"].iter().find_map(|key| schema.get(*key)).and_then(Value::as_array);
        let of_cases = union.into_iter().flatten().map(members).max().unwrap_or(0);
        members(schema).max(of_cases)
    });
    let text = || format!("{count} parameters; split the tool, or group them, from {} on", MANY + 1);
    (count > MANY).then(|| Hit::of_tool(text())).into_iter().collect()
}

pub(super) fn secret_exposed(subject: &Subject<'_>) -> Vec<Hit> {
    let surfaces = subject.def().surfaces;
    let offered = [Surface::Llm, Surface::Mcp].into_iter().any(|surface| surfaces.contains(surface));
    let secret = subject.def().params.iter().filter(|param| offered && param.keys.secret);
    let text = "a model would have to send this secret: declare it with requires(secret = …), or offer the tool to people \
                only";
    secret.map(|param| Hit::at_param(param.name, text)).collect()
}

fn is_unit(word: &str) -> bool {
    UNITS.split(' ').any(|unit| unit == word)
}

/// The name of a parameter.
fn parameter<'a>(place: &Place<'a>) -> Option<&'a str> {
    place.name.filter(|_| place.role == Role::Param)
}
