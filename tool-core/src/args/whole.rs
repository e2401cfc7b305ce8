//! The whole way from an input to values: which key is which parameter, and what is left over. (arguments.md §3)

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::coercion::{Coerce, Notes, Rule, Verdict};
use super::flat::{Flat, Words};
use super::issue::{ArgIssue, IssueCode};
use super::measure::measure;
use super::names::Names;
use super::parse::{not_an_object, parse_arguments};
use super::place::Place;
use super::pointer::push_given;
use super::walk::twice;
use crate::def::{ParamDef, ToolDef};
use crate::depth;
use crate::error::ToolError;

/// The arguments of one call, each of which may be taken otherwise than it came, or be wrong.
#[derive(Debug)]
pub(super) struct Whole<'a> {
    pub(super) tool: &'a ToolDef<'a>,
    pub(super) mode: Coerce,
    /// The parameters: those of the definition, or for a schema-only tool those that its schema tells.
    pub(super) params: Cow<'a, [ParamDef<'a>]>,
    /// What came for each parameter.
    pub(super) slots: Vec<Slot>,
    /// Keys that no parameter has, in input order.
    pub(super) unknown: Vec<(String, Value)>,
    /// Keys that an open schema takes without naming them.
    pub(super) open: Vec<(String, Value)>,
    pub(super) notes: Notes,
    /// Issues of parameters, each with the parameter's position.
    pub(super) issues: Vec<(usize, ArgIssue)>,
    /// How many issues of parameters were only counted.
    pub(super) more: usize,
    /// A mistake in the definition, met on the way.
    pub(super) fault: Option<ToolError>,
    pub(super) normal: OnceLock<Map<String, Value>>,
}

/// What came for one parameter.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// The value as it came; for a flattened parameter the object of its keys.
    pub(super) given: Option<Value>,
    /// Under which of its names: 0 is the canonical one, the others are aliases.
    pub(super) spelling: usize,
    /// The value as it was read, where that differs.
    pub(super) read: Option<Box<Value>>,
    /// That the value was read otherwise than it came, without a schema, and the names that were learnt then.
    pub(super) changed: Option<Box<Names>>,
    /// Whether a surface has reported it already.
    pub(super) withheld: bool,
    /// Other words for the fields of a flattened parameter, where there were keys that no name is.
    pub(super) words: Option<Box<Words>>,
}

impl Slot {
    /// The own name of the field that a key of a flattened parameter means.
    pub(super) fn own_name<'k>(&'k self, key: &'k str) -> &'k str {
        self.words.as_ref().map_or(key, |words| words.own_name(key))
    }
}

impl<'a> Whole<'a> {
    /// Matches an input to the parameters of a tool.
    pub(super) fn within(
        tool: &'a ToolDef<'a>,
        input: Value,
        mode: Coerce,
        max_bytes: usize,
    ) -> Result<Whole<'a>, ToolError> {
        // A text is measured as it is when it is parsed, not as JSON that quotes it.
        if !input.is_string()
            && !is_small(&input, max_bytes)
            && let Err(error) = measure(&input, max_bytes)
        {
            depth::dismantle(input);
            return Err(error);
        }
        let mut notes = Notes::default();
        let members = object(input, mode, max_bytes, &mut notes)?;
        let params = match tool.input {
            None => Cow::Borrowed(tool.params),
            Some(_) => Cow::Owned(super::shape::params(tool)?),
        };
        let slots = params.iter().map(|_| Slot::default()).collect();
        let mut whole = Whole {
            tool,
            mode,
            params,
            slots,
            unknown: Vec::new(),
            open: Vec::new(),
            notes,
            issues: Vec::new(),
            more: 0,
            fault: None,
            normal: OnceLock::new(),
        };
        whole.match_keys(members);
        if whole.params.iter().any(|param| param.keys.flatten) {
            whole.spread()?;
        }
        Ok(whole)
    }

    /// The names of what the caller gave, once every parameter was taken: parameters by their canonical name, further keys
    /// as they came.
    pub(super) fn given_names(&self) -> Vec<String> {
        let given = self.params.iter().zip(&self.slots).filter(|(_, slot)| slot.given.is_some());
        let names = given.flat_map(|(param, slot)| match &slot.given {
            Some(Value::Object(members)) if param.keys.flatten => {
                members.keys().map(|key| slot.own_name(key).to_owned()).collect()
            }
            _ => vec![param.name.to_owned()],
        });
        names.chain(self.open.iter().map(|(key, _)| key.clone())).collect()
    }

    /// Adds what a surface has found wrong already: its parameters are not decoded and not reported again.
    pub(super) fn add_issues(&mut self, issues: Vec<ArgIssue>) {
        for issue in issues {
            let key = first_key(&issue.path);
            let param = key.as_deref().and_then(|key| self.position(key));
            if let Some(slot) = param.and_then(|i| self.slots.get_mut(i)) {
                slot.withheld = true;
            }
            self.unknown.retain(|(name, _)| !is_at(name, &issue.path));
            self.issues.push((param.unwrap_or(self.params.len()), issue));
        }
    }

    /// The parameter of a name or alias; a parameter whose fields stand at the root is none of its own.
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        let has = |param: &ParamDef<'_>| !param.keys.flatten && param.names().any(|name| name == key);
        self.params.iter().position(has)
    }

    /// Puts each value into the slot of its parameter. Callers that keep the order are matched at the first look.
    fn match_keys(&mut self, members: Map<String, Value>) {
        let mut next = 0;
        for (key, value) in members {
            let expected = self.params.get(next).filter(|param| param.name == key && !param.keys.flatten);
            let found = if expected.is_some() { Some(next) } else { self.position(&key) };
            let Some((i, slot)) = found.and_then(|i| Some((i, self.slots.get_mut(i)?))) else {
                self.unknown.push((key, value));
                continue;
            };
            next = i + 1;
            if expected.is_some() && slot.given.is_none() {
                slot.given = Some(value);
                continue;
            }
            let Some(param) = self.params.get(i) else { continue };
            if slot.given.is_some() {
                let first = param.names().nth(slot.spelling).unwrap_or(param.name);
                self.issues.push((i, given_twice(param.name, first, &key)));
                continue;
            }
            slot.spelling = param.names().position(|name| name == key).unwrap_or(0);
            slot.given = Some(value);
        }
    }

    /// Moves the keys of flattened parameters from the rest into the object of their slot.
    fn spread(&mut self) -> Result<(), ToolError> {
        for i in 0..self.params.len() {
            let Some(param) = self.params.get(i).filter(|param| param.keys.flatten).copied() else {
                continue;
            };
            let shape = super::shape::of(self.tool)?;
            let flat = Flat::new(shape.param(i, &param), shape.definitions());
            let object = flat.collect(&mut self.unknown);
            if let Some(slot) = self.slots.get_mut(i) {
                slot.given = Some(Value::Object(object));
            }
        }
        Ok(())
    }

    /// The caller's spelling of a parameter.
    pub(super) fn spelled(&self, i: usize) -> &'a str {
        let spelling = self.slots.get(i).map_or(0, |slot| slot.spelling);
        self.params.get(i).map_or("", |param| param.names().nth(spelling).unwrap_or(param.name))
    }
}

/// The issue of a key that means what an earlier one has given.
pub(super) fn given_twice(name: &str, first: &str, key: &str) -> ArgIssue {
    let (expected, got) = twice(name, first);
    let path = Place::Key(&Place::Top, key).pointer();
    ArgIssue { path, code: IssueCode::Duplicate, expected, got, hint: None }
}

/// The size, in bytes, up to which a flat input is not measured.
const SMALL: usize = 16 * 1024;

/// What a number or a pair of quotes, a comma and a colon take at most.
const AROUND: usize = 32;

/// Whether an input is far from every limit: an object of scalars and lists of scalars, and small.
fn is_small(input: &Value, max_bytes: usize) -> bool {
    let Value::Object(members) = input else { return false };
    let scalar = |value: &Value| match value {
        Value::String(text) => Some(text.len() * 6 + AROUND),
        Value::Array(_) | Value::Object(_) => None,
        _ => Some(AROUND),
    };
    let take = |left: usize, value: &Value| left.checked_sub(scalar(value)?);
    let left = members.iter().try_fold(SMALL.min(max_bytes), |left, (key, value)| {
        let left = left.checked_sub(key.len() * 6 + AROUND)?;
        match value {
            Value::Array(items) => items.iter().try_fold(left, take),
            value => take(left, value),
        }
    });
    left.is_some()
}

/// The object that an input is.
fn object(
    input: Value,
    mode: Coerce,
    max_bytes: usize,
    notes: &mut Notes,
) -> Result<Map<String, Value>, ToolError> {
    let rule = Rule::JsonStringToObject;
    match input {
        Value::Object(members) => Ok(members),
        Value::Null => Ok(Map::new()),
        // What is wrong with the text itself is told in every mode.
        Value::String(text) => match parse_arguments(&text, max_bytes)? {
            Value::Object(members) if mode.verdict(rule) != Verdict::Refuse => {
                notes.add(String::new, rule);
                Ok(members)
            }
            Value::Object(_) => Err(not_an_object(&Value::String(text))),
            other => Err(not_an_object(&other)),
        },
        other => Err(not_an_object(&other)),
    }
}

/// Whether a pointer leads to a key of the input, or below it.
fn is_at(key: &str, pointer: &str) -> bool {
    let mut token = String::new();
    push_given(&mut token, key);
    pointer.strip_prefix(&token).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The first key of a pointer, unescaped.
fn first_key(pointer: &str) -> Option<String> {
    let key = pointer.strip_prefix('/')?.split('/').next()?;
    Some(key.replace("~1", "/").replace("~0", "~"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    #[allow(unused_imports, reason = "traits that the answers of a type come from")]
    use crate::__private::rungs::*;
    use crate::__private::{answers, param};
    use crate::args::Args;
    use crate::def::{Cache, Doc, Handler, Origin, ParamKeys};

    /// Fields beside the other parameters.
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only its keys are looked at")]
    struct Size {
        /// Across.
        #[serde(alias = "wide")]
        width: u8,
        /// Down.
        height: Option<u8>,
    }

    #[test]
    fn what_was_given_is_told_by_its_canonical_name_and_a_flattened_parameter_by_its_fields() {
        let aliased = ParamKeys { aliases: &["ex"], ..ParamKeys::NONE };
        let flat = ParamKeys { flatten: true, ..ParamKeys::NONE };
        let params = [
            ParamDef { keys: &aliased, ..param(answers!(Option<BTreeMap<String, u8>>), "x", "X.") },
            ParamDef { keys: &flat, ..param(answers!(Size), "size", "S.") },
            param(answers!(Option<u8>), "y", "Y."),
        ];
        let cache = Cache::new();
        let enter = |_: &mut Args| Err(ToolError::internal("It does not run."));
        let mut tool = ToolDef::new("t", Doc::Text("T."), Handler::Sync(enter), Origin::DYNAMIC, &cache);
        tool.params = &params;
        for (input, expected) in [
            (json!({"wide": 1, "ex": {"height": 2}}), &["x", "width"][..]),
            (json!({"height": 1, "y": 2, "width": 3}), &["height", "width", "y"]),
            (json!({"width": 3, "x": null}), &["x", "width"]),
        ] {
            let mut args = Args::new(&tool, input.clone(), Coerce::Lenient).unwrap();
            let _ = (args.take::<Option<BTreeMap<String, u8>>>(0), args.take::<Size>(1).is_some());
            assert!(args.take::<Option<u8>>(2).is_some() && args.finish().is_ok(), "{input}");
            assert_eq!(args.given_names(), expected, "{input}");
        }
    }
}
