//! `args`: rules on single parameters, held against the schema.

use serde_json::{Number, Value};
use tool_core::{ToolEntry, canonical};

use super::Validator;
use crate::mistake::MistakeCode;
use crate::rules::args::{ArgRules, compare};
use crate::tree::{Kind, Node};

const RULES: [&str; 6] = ["one_of", "min", "max", "max_bytes", "forbid", "require"];

impl Validator<'_> {
    /// The rules of a tool, in the order of its parameters.
    pub(super) fn args(&mut self, tool: &ToolEntry, node: &Node) -> Vec<(String, ArgRules)> {
        let properties = match tool.def().input_schema() {
            Ok(schema) => schema.decoded().get("properties").and_then(Value::as_object).cloned(),
            Err(_) => None,
        };
        let properties = properties.unwrap_or_default();
        let mut rules = Vec::new();
        for (key, value) in self.table(node) {
            match properties.iter().enumerate().find(|(_, (name, _))| **name == key.text) {
                Some((place, (_, schema))) => rules.push((place, key.text.clone(), self.arg(schema, value))),
                None => self.unknown_key(key, properties.keys().map(String::as_str)),
            }
        }
        rules.sort_by_key(|rule| rule.0);
        rules.into_iter().map(|(_, name, rules)| (name, rules)).collect()
    }

    fn arg(&mut self, schema: &Value, node: &Node) -> ArgRules {
        let mut rules = ArgRules::default();
        let branches = branches(schema);
        for (key, value) in self.members(node, &RULES) {
            match key.text.as_str() {
                "min" | "max" if !branches.iter().any(|branch| takes_numbers(branch)) => {
                    let text = format!("{} needs a parameter that is a number", key.text);
                    self.wrong(value.at, MistakeCode::BadValue, text);
                }
                "min" => rules.min = self.number(value),
                "max" => {
                    rules.max = self.number(value);
                    let crossed = rules.min.as_ref().zip(rules.max.as_ref());
                    if crossed.is_some_and(|(min, max)| compare(min, max) > 0) {
                        self.wrong(value.at, MistakeCode::BadValue, "max is below min");
                    }
                }
                "max_bytes" => {
                    rules.max_bytes = self.size(value);
                }
                "forbid" => rules.forbid = self.boolean(value),
                "require" => rules.require = self.boolean(value),
                _ => rules.one_of = self.one_of(schema, value),
            }
        }
        self.crossed(&rules, node);
        rules
    }

    /// `max` may stand before `min`.
    fn crossed(&mut self, rules: &ArgRules, node: &Node) {
        let Kind::Map(members) = &node.kind else { return };
        let at = |name: &str| members.iter().position(|(key, _)| key.text == name);
        let crossed = rules.min.as_ref().zip(rules.max.as_ref()).is_some_and(|(a, b)| compare(a, b) > 0);
        if let (true, Some(min), Some(max)) = (crossed, at("min"), at("max"))
            && max < min
            && let Some((_, value)) = members.get(min)
        {
            self.wrong(value.at, MistakeCode::BadValue, "min is above max");
        }
    }

    fn number(&mut self, node: &Node) -> Option<Number> {
        let number = match node.kind {
            Kind::Integer(number) => Some(Number::from(number)),
            Kind::Float(number) => Number::from_f64(number),
            _ => None,
        };
        if number.is_none() {
            self.expected(node, "a number");
        }
        number
    }

    fn size(&mut self, node: &Node) -> Option<usize> {
        let size = match node.kind {
            Kind::Integer(size) => usize::try_from(size).ok(),
            _ => None,
        };
        if size.is_none() {
            self.expected(node, "a number of bytes");
        }
        size
    }

    fn boolean(&mut self, node: &Node) -> bool {
        match node.kind {
            Kind::Bool(value) => value,
            _ => {
                self.expected(node, "true or false");
                false
            }
        }
    }

    fn one_of(&mut self, schema: &Value, node: &Node) -> Option<Vec<Value>> {
        let Kind::List(items) = &node.kind else {
            self.expected(node, "a list of values");
            return None;
        };
        let branches = branches(schema);
        let mut values: Vec<Value> = Vec::new();
        for item in items {
            let value = item.json();
            if !branches.iter().any(|branch| takes(branch, &value)) {
                self.wrong(item.at, MistakeCode::BadValue, "the parameter never has this value");
            } else if values.iter().any(|other| canonical::equal(other, &value)) {
                self.wrong(item.at, MistakeCode::Duplicate, "this value stands here twice");
            } else {
                values.push(value);
            }
        }
        Some(values)
    }
}

/// The schemas that can describe a value: itself, or its branches.
fn branches(schema: &Value) -> Vec<&Value> {
    let below =
        ["anyOf", "oneOf"].into_iter().filter_map(|keyword| schema.get(keyword)?.as_array()).flatten();
    let below: Vec<&Value> = below.flat_map(branches).collect();
    if below.is_empty() { vec![schema] } else { below }
}

/// The types that a schema names; `None` where any will do.
fn types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::Array(some) => Some(some.iter().filter_map(Value::as_str).collect()),
        one => Some(one.as_str().into_iter().collect()),
    }
}

/// The values that a schema lists; `None` where others will do.
fn choices(schema: &Value) -> Option<Vec<&Value>> {
    let listed = schema.get("enum").and_then(Value::as_array).map(|values| values.iter().collect());
    listed.or_else(|| schema.get("const").map(|value| vec![value]))
}

/// Whether a schema takes a value, as far as its type and its list tell.
fn takes(schema: &Value, value: &Value) -> bool {
    types(schema).is_none_or(|types| types.iter().any(|name| is_type(value, name)))
        && choices(schema).is_none_or(|all| all.iter().any(|one| canonical::equal(one, value)))
}

/// Whether a schema takes any number, as far as its type and its list tell.
fn takes_numbers(schema: &Value) -> bool {
    types(schema).is_none_or(|types| types.iter().any(|name| matches!(*name, "integer" | "number")))
        && choices(schema).is_none_or(|all| all.iter().any(|one| one.is_number()))
}

fn is_type(value: &Value, name: &str) -> bool {
    match name {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => value.is_null(),
    }
}
