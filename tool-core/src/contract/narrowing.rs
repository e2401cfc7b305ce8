//! How the keywords of a schema narrow what it accepts, each on its own.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::{Number, Value};

use super::unions;
use crate::canonical;

/// What became of what is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Same,
    Wider,
    Narrower,
    Other,
}

/// A keyword, or several that make one bound.
pub(super) struct Keyword {
    /// The keywords that it reads.
    pub(super) reads: &'static [&'static str],
    /// Whether it counts the items of a list.
    pub(super) counts_items: bool,
    pub(super) compare: fn(&Value, &Value) -> Verdict,
}

const fn keyword(reads: &'static [&'static str], compare: fn(&Value, &Value) -> Verdict) -> Keyword {
    Keyword { reads, counts_items: false, compare }
}

/// The keywords that are compared on their own.
pub(super) const KEYWORDS: [Keyword; 12] = [
    keyword(&["minimum", "exclusiveMinimum"], |old, new| {
        let bound = |schema| edge(schema, "minimum", "exclusiveMinimum", Ordering::Greater);
        lower(bound(old), bound(new))
    }),
    keyword(&["maximum", "exclusiveMaximum"], |old, new| {
        let bound = |schema| edge(schema, "maximum", "exclusiveMaximum", Ordering::Less);
        upper(bound(old), bound(new))
    }),
    keyword(&["minLength"], |old, new| lower(least(old, "minLength"), least(new, "minLength"))),
    keyword(&["maxLength"], |old, new| upper(most(old, "maxLength"), most(new, "maxLength"))),
    Keyword {
        counts_items: true,
        ..keyword(&["minItems"], |old, new| lower(least(old, "minItems"), least(new, "minItems")))
    },
    Keyword {
        counts_items: true,
        ..keyword(&["maxItems"], |old, new| upper(most(old, "maxItems"), most(new, "maxItems")))
    },
    keyword(&["minProperties"], |old, new| lower(least(old, "minProperties"), least(new, "minProperties"))),
    keyword(&["maxProperties"], |old, new| upper(most(old, "maxProperties"), most(new, "maxProperties"))),
    keyword(&["pattern"], |old, new| given(old.get("pattern"), new.get("pattern"))),
    keyword(&["format"], |old, new| given(old.get("format"), new.get("format"))),
    keyword(&["multipleOf"], |old, new| given(old.get("multipleOf"), new.get("multipleOf"))),
    keyword(&["uniqueItems"], |old, new| {
        let unique = |schema: &Value| schema.get("uniqueItems") == Some(&Value::Bool(true));
        match (unique(old), unique(new)) {
            (false, true) => Verdict::Narrower,
            (true, false) => Verdict::Wider,
            _ => Verdict::Same,
        }
    }),
];

/// Where the accepted numbers end, and whether that number is outside.
#[derive(Clone, Copy)]
struct Edge<'a>(&'a Number, bool);

/// Compares numbers, integers by every digit.
fn order(one: &Number, other: &Number) -> Option<Ordering> {
    let integer = |number: &Number| number.as_i64().map(i128::from).or(number.as_u64().map(i128::from));
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// The tighter one of an inclusive and an exclusive bound; `tighter` is how a tighter bound compares with a looser one.
fn edge<'a>(schema: &'a Value, inclusive: &str, exclusive: &str, tighter: Ordering) -> Option<Edge<'a>> {
    let number = |key: &str| schema.get(key).and_then(Value::as_number);
    match (number(inclusive), number(exclusive)) {
        (Some(inclusive), Some(exclusive)) => {
            let is_looser = order(inclusive, exclusive) != Some(tighter);
            Some(if is_looser { Edge(exclusive, true) } else { Edge(inclusive, false) })
        }
        (inclusive, exclusive) => {
            inclusive.map(|bound| Edge(bound, false)).or(exclusive.map(|bound| Edge(bound, true)))
        }
    }
}

/// A least count; none is a bound of nothing.
fn least<'a>(schema: &'a Value, key: &str) -> Option<Edge<'a>> {
    most(schema, key).filter(|edge| edge.0.as_u64() != Some(0))
}

fn most<'a>(schema: &'a Value, key: &str) -> Option<Edge<'a>> {
    schema.get(key).and_then(Value::as_number).map(|bound| Edge(bound, false))
}

/// A lower bound that rises is narrower.
fn lower(old: Option<Edge<'_>>, new: Option<Edge<'_>>) -> Verdict {
    moved(old, new, |old, new| order(old.0, new.0).map(|order| order.then(old.1.cmp(&new.1))))
}

/// An upper bound that falls is narrower.
fn upper(old: Option<Edge<'_>>, new: Option<Edge<'_>>) -> Verdict {
    moved(old, new, |old, new| order(new.0, old.0).map(|order| order.then(old.1.cmp(&new.1))))
}

/// `Less`: the new bound leaves less.
fn moved<'a>(
    old: Option<Edge<'a>>,
    new: Option<Edge<'a>>,
    order: impl Fn(Edge<'a>, Edge<'a>) -> Option<Ordering>,
) -> Verdict {
    match (old, new) {
        (None, None) => Verdict::Same,
        (None, Some(_)) => Verdict::Narrower,
        (Some(_), None) => Verdict::Wider,
        (Some(old), Some(new)) => match order(old, new) {
            Some(Ordering::Equal) => Verdict::Same,
            Some(Ordering::Less) => Verdict::Narrower,
            Some(Ordering::Greater) => Verdict::Wider,
            None => Verdict::Other,
        },
    }
}

/// A demand that is there or not.
fn given(old: Option<&Value>, new: Option<&Value>) -> Verdict {
    match (old, new) {
        (None, None) => Verdict::Same,
        (None, Some(_)) => Verdict::Narrower,
        (Some(_), None) => Verdict::Wider,
        (Some(old), Some(new)) if canonical::equal(old, new) => Verdict::Same,
        _ => Verdict::Other,
    }
}

/// The types that a schema accepts.
pub(super) struct Types(BTreeSet<&'static str>);

const ALL: [&str; 7] = ["null", "boolean", "object", "array", "string", "number", "integer"];

/// The types of a schema; those of its values where it only lists them, else all.
pub(super) fn types(schema: &Value) -> Types {
    let named = |name: &Value| ALL.into_iter().find(|known| name == known);
    let mut types: BTreeSet<&'static str> = match schema.get("type") {
        Some(Value::Array(names)) => names.iter().filter_map(named).collect(),
        Some(name) => named(name).into_iter().collect(),
        None => unions::listed(schema).map_or_else(|| ALL.into(), |values| values.map(type_of).collect()),
    };
    // Every integer is a number.
    if types.contains("number") {
        types.insert("integer");
    }
    Types(types)
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

impl Types {
    pub(super) fn against(&self, new: &Types) -> Verdict {
        match (self.0.is_subset(&new.0), self.0.is_superset(&new.0)) {
            (true, true) => Verdict::Same,
            (true, false) => Verdict::Wider,
            (false, true) => Verdict::Narrower,
            (false, false) => Verdict::Other,
        }
    }
}
