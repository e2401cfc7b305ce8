//! What one schema accepts that another does not, place by place. (registry.md §10)
//!
//! Both are canonical. At every place the keywords are compared on their own; where the types have nothing to do with each
//! other, nothing below is compared.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::narrowing::{KEYWORDS, Verdict, types};
use super::unions::{self, Branches};
use crate::canonical;
use crate::schema::resolve;

/// How what a schema accepts has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// More.
    Wider,
    /// Less.
    Narrower,
    /// Neither more nor less.
    Other,
    /// An object may have one more property.
    PropertyAdded,
    /// An object must have one more property.
    RequiredPropertyAdded,
    /// An object has a property no more.
    PropertyRemoved,
    /// A property may be absent now.
    Absent,
    /// A property must be there now.
    Present,
    /// Another default below a parameter.
    Default,
    /// Only words.
    Text,
}

/// One move at one place.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: String,
    pub(super) direction: Direction,
    pub(super) old: String,
    pub(super) new: String,
}

/// Two documents that are compared.
pub(super) struct Schemas<'a> {
    old: &'a Value,
    new: &'a Value,
    /// Pairs of references that have been followed.
    followed: BTreeSet<(String, String)>,
    /// Pairs that are being compared, of which one refers to others: what leads back to such a pair says nothing new.
    open: BTreeSet<(String, String)>,
    found: Vec<Found>,
}

/// Keywords that only say something to readers.
const TEXTS: [&str; 5] = ["title", "description", "examples", "deprecated", "$comment"];

/// Keywords that say how a value is shown: that one is hidden is told of its parameter.
const SHOWN: [&str; 2] = ["readOnly", "writeOnly"];

/// Keywords without a rule that shut out values and do nothing else. One that is in none of these lists may also let values in,
/// as `patternProperties` does beside closed properties.
const ASSERTIONS: [&str; 10] = [
    "not",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "maxContains",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
];

/// Keywords that are compared in their own way.
const STRUCTURE: [&str; 13] = [
    "$defs",
    "$ref",
    "$schema",
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "oneOf",
    "anyOf",
];

impl<'a> Schemas<'a> {
    /// Two documents; their definitions are what references refer to.
    pub(super) fn new(old: &'a Value, new: &'a Value) -> Schemas<'a> {
        Schemas { old, new, followed: BTreeSet::new(), open: BTreeSet::new(), found: Vec::new() }
    }

    /// What was found.
    pub(super) fn found(self) -> Vec<Found> {
        self.found
    }

    /// Compares all of the documents as objects; their properties only where one of them is a union of objects.
    pub(super) fn compare_frame(&mut self) {
        let (old, new) = (self.old, self.new);
        self.texts("", old, new);
        if self.is_union() {
            return self.shape("", old, new);
        }
        self.keywords("", old, new, false);
        self.undescribed("", old, new);
        self.additional("", old, new);
    }

    fn note(&mut self, path: &str, direction: Direction, old: Option<&Value>, new: Option<&Value>) {
        let text = |value: Option<&Value>| value.map_or_else(String::new, Value::to_string);
        self.tell(path, direction, text(old), text(new));
    }

    fn tell(&mut self, path: &str, direction: Direction, old: impl Into<String>, new: impl Into<String>) {
        self.found.push(Found { path: path.to_owned(), direction, old: old.into(), new: new.into() });
    }

    /// Whether a document describes several objects, so that no property can be compared on its own.
    pub(super) fn is_union(&self) -> bool {
        [self.old, self.new].into_iter().any(|document| unions::branches(document).is_some())
    }

    /// Compares two schemas at a place.
    pub(super) fn compare(&mut self, path: &str, old: &'a Value, new: &'a Value) {
        if canonical::equal(old, new) && !refers(old) {
            return;
        }
        self.texts(path, old, new);
        if let (Some(was), Some(is)) = (reference(old), reference(new)) {
            if !self.followed.insert((was.to_owned(), is.to_owned())) {
                return;
            }
            self.texts(path, self.followed_old(old), self.followed_new(new));
        }
        let pair = (refers(old) || refers(new)).then(|| (canonical::text(old), canonical::text(new)));
        if pair.as_ref().is_some_and(|pair| !self.open.insert(pair.clone())) {
            return;
        }
        self.shape(path, old, new);
        if let Some(pair) = pair {
            self.open.remove(&pair);
        }
    }

    /// Compares what two schemas accept.
    fn shape(&mut self, path: &str, old: &'a Value, new: &'a Value) {
        let (old, new) = (self.followed_old(old), self.followed_new(new));
        match (accepts_nothing(old), accepts_nothing(new)) {
            (true, true) => return,
            (true, false) => return self.note(path, Direction::Wider, Some(old), Some(new)),
            (false, true) => return self.note(path, Direction::Narrower, Some(old), Some(new)),
            (false, false) => {}
        }
        match (unions::branches(old), unions::branches(new)) {
            (None, None) => self.plain(path, old, new),
            (was, is) => {
                if was.is_some() && is.is_some() {
                    // Both hold: the branches, and what stands beside them.
                    self.plain(path, old, new);
                    self.kinds(path, old, new);
                }
                // What is no union is one of a single branch, whose words are those of the whole.
                let is_lone = was.is_none() || is.is_none();
                let (was, is) = (was.unwrap_or_else(|| vec![old]), is.unwrap_or_else(|| vec![new]));
                self.unions(path, &was, &is, is_lone);
            }
        }
    }

    /// How many branches may hold: of those of `anyOf` several, of those of `oneOf` one. Where a schema has both, `anyOf` is
    /// compared as a whole.
    fn kinds(&mut self, path: &str, old: &'a Value, new: &'a Value) {
        let one = |schema: &'a Value| schema.get("oneOf");
        let any = |schema: &'a Value| schema.get("anyOf");
        match (one(old).is_some(), one(new).is_some()) {
            (false, true) => self.note(path, Direction::Narrower, any(old), one(new)),
            (true, false) => self.note(path, Direction::Wider, one(old), any(new)),
            (true, true) if any(old) != any(new) => self.note(path, Direction::Other, any(old), any(new)),
            _ => {}
        }
    }

    fn followed_old(&self, schema: &'a Value) -> &'a Value {
        followed(schema, self.old)
    }

    fn followed_new(&self, schema: &'a Value) -> &'a Value {
        followed(schema, self.new)
    }

    /// Two schemas that are no unions.
    fn plain(&mut self, path: &str, old: &'a Value, new: &'a Value) {
        match types(old).against(&types(new)) {
            Verdict::Same => {}
            Verdict::Wider => self.note(path, Direction::Wider, old.get("type"), new.get("type")),
            Verdict::Narrower => self.note(path, Direction::Narrower, old.get("type"), new.get("type")),
            Verdict::Other => return self.note(path, Direction::Other, old.get("type"), new.get("type")),
        }
        self.values(path, old, new);
        let tuples = (old.get("prefixItems"), new.get("prefixItems"));
        let length = |items: Option<&Value>| items.and_then(Value::as_array).map(Vec::len);
        let tuple_changed = length(tuples.0) != length(tuples.1);
        if tuple_changed {
            self.note(path, Direction::Other, tuples.0, tuples.1);
        }
        self.keywords(path, old, new, tuple_changed);
        self.items(path, old, new, !tuple_changed);
        self.properties(path, old, new);
        self.undescribed(path, old, new);
        self.additional(path, old, new);
    }

    fn keywords(&mut self, path: &str, old: &'a Value, new: &'a Value, tuple_changed: bool) {
        for keyword in KEYWORDS.iter().filter(|keyword| !(tuple_changed && keyword.counts_items)) {
            let direction = match (keyword.compare)(old, new) {
                Verdict::Same => continue,
                Verdict::Wider => Direction::Wider,
                Verdict::Narrower => Direction::Narrower,
                Verdict::Other => Direction::Other,
            };
            let bound = |schema: &Value| {
                let told = |key: &&str| schema.get(*key).map(|value| keyword_text(key, value));
                keyword.reads.iter().filter_map(told).collect::<Vec<_>>().join(", ")
            };
            self.tell(path, direction, bound(old), bound(new));
        }
        self.unknown(path, old, new);
    }

    /// Closed lists of values, as sets.
    fn values(&mut self, path: &str, old: &'a Value, new: &'a Value) {
        let direction = match (unions::values(old), unions::values(new)) {
            (None, None) => return,
            (None, Some(_)) => Direction::Narrower,
            (Some(_), None) => Direction::Wider,
            (Some(was), Some(is)) if was == is => return,
            (Some(was), Some(is)) if was.is_subset(&is) => Direction::Wider,
            (Some(was), Some(is)) if was.is_superset(&is) => Direction::Narrower,
            _ => Direction::Other,
        };
        let list = |schema: &'a Value| schema.get("enum").or_else(|| schema.get("const"));
        self.note(path, direction, list(old), list(new));
    }

    /// Keywords that no rule is known for: another value is another schema.
    fn unknown(&mut self, path: &str, old: &'a Value, new: &'a Value) {
        let empty = Map::new();
        let members = |schema: &'a Value| schema.as_object();
        let (was, is) = (members(old).unwrap_or(&empty), members(new).unwrap_or(&empty));
        let is_known = |key: &str| {
            TEXTS.contains(&key)
                || SHOWN.contains(&key)
                || STRUCTURE.contains(&key)
                || key == "default"
                // Annotations of ours say how a value is recorded and travels, not which one is taken.
                || key.starts_with("x-")
                || KEYWORDS.iter().any(|keyword| keyword.reads.contains(&key))
        };
        let keys: BTreeSet<&String> = was.keys().chain(is.keys()).filter(|key| !is_known(key)).collect();
        for key in keys {
            let only_asserts = ASSERTIONS.contains(&key.as_str());
            let direction = match (was.get(key), is.get(key)) {
                (Some(was), Some(is)) if canonical::equal(was, is) => continue,
                (None, Some(_)) if only_asserts => Direction::Narrower,
                (Some(_), None) if only_asserts => Direction::Wider,
                _ => Direction::Other,
            };
            let text =
                |value: Option<&Value>| value.map_or_else(String::new, |value| keyword_text(key, value));
            self.tell(path, direction, text(was.get(key)), text(is.get(key)));
        }
    }

    fn items(&mut self, path: &str, old: &'a Value, new: &'a Value, tuples: bool) {
        if let (true, Some(Value::Array(was)), Some(Value::Array(is))) =
            (tuples, old.get("prefixItems"), new.get("prefixItems"))
        {
            for (i, (was, is)) in was.iter().zip(is).enumerate() {
                self.compare(&format!("{path}/{i}"), was, is);
            }
        }
        let (was, is) = (old.get("items").unwrap_or(&ANY), new.get("items").unwrap_or(&ANY));
        self.compare(&format!("{path}/*"), was, is);
    }

    fn properties(&mut self, path: &str, old: &'a Value, new: &'a Value) {
        let (was, is) = (properties(old), properties(new));
        let required =
            |schema: &'a Value, name: &str| unions::required(schema).any(|required| required == name);
        let names: BTreeSet<&String> = was.into_iter().chain(is).flat_map(Map::keys).collect();
        for name in names {
            let below = below(path, name);
            let of = |properties: Option<&'a Map<String, Value>>| {
                properties.and_then(|properties| properties.get(name))
            };
            match (of(was), of(is)) {
                (Some(before), Some(after)) => {
                    let default = |schema: &'a Value| schema.get("default");
                    match (required(old, name), required(new, name)) {
                        (false, true) => self.tell(&below, Direction::Present, "optional", "required"),
                        (true, false) => self.tell(&below, Direction::Absent, "required", "optional"),
                        _ if default(before) != default(after) => {
                            self.note(&below, Direction::Default, default(before), default(after));
                        }
                        _ => {}
                    }
                    self.compare(&below, before, after);
                }
                (Some(before), None) => self.note(&below, Direction::PropertyRemoved, Some(before), None),
                (None, Some(after)) if required(new, name) => {
                    self.note(&below, Direction::RequiredPropertyAdded, None, Some(after));
                }
                (None, Some(after)) => self.note(&below, Direction::PropertyAdded, None, Some(after)),
                (None, None) => {}
            }
        }
    }

    /// What an object must have although neither schema says what it is.
    fn undescribed(&mut self, path: &str, old: &'a Value, new: &'a Value) {
        let is_described = |name: &str| {
            [old, new].into_iter().filter_map(properties).any(|properties| properties.contains_key(name))
        };
        let names = |schema: &'a Value| -> BTreeSet<&'a str> {
            unions::required(schema).filter(|name| !is_described(name)).collect()
        };
        let (was, is) = (names(old), names(new));
        for name in is.difference(&was) {
            self.tell(&below(path, name), Direction::Present, "optional", "required");
        }
        for name in was.difference(&is) {
            self.tell(&below(path, name), Direction::Absent, "required", "optional");
        }
    }

    /// What an object takes beyond its properties: nothing, what a schema says, or anything.
    fn additional(&mut self, path: &str, old: &'a Value, new: &'a Value) {
        let of = |schema: &'a Value| schema.get("additionalProperties").unwrap_or(&ANY);
        let (was, is) = (of(old), of(new));
        let rank = |schema: &Value| match schema {
            Value::Bool(false) => 0,
            schema if is_any(schema) => 2,
            _ => 1,
        };
        match rank(was).cmp(&rank(is)) {
            std::cmp::Ordering::Less => self.note(path, Direction::Wider, Some(was), Some(is)),
            std::cmp::Ordering::Greater => self.note(path, Direction::Narrower, Some(was), Some(is)),
            std::cmp::Ordering::Equal => self.compare(&format!("{path}/*"), was, is),
        }
    }

    fn unions(&mut self, path: &str, old: &[&'a Value], new: &[&'a Value], is_lone: bool) {
        let mut was = Branches::of(old.iter().map(|branch| (*branch, self.followed_old(branch))));
        let is = Branches::of(new.iter().map(|branch| (*branch, self.followed_new(branch))));
        was.follow(&is);
        let direction = match (is.has_more_than(&was), was.has_more_than(&is)) {
            (true, true) => Some(Direction::Other),
            (true, false) => Some(Direction::Wider),
            (false, true) => Some(Direction::Narrower),
            (false, false) => None,
        };
        if let Some(direction) = direction {
            let text = |branches: &Branches<'_>| branches.keys().cloned().collect::<Vec<_>>().join(", ");
            self.tell(path, direction, text(&was), text(&is));
        }
        for key in was.keys() {
            match (was.get(key), is.get(key)) {
                (Some(before), Some(after)) if is_lone => self.shape(path, before, after),
                (Some(before), Some(after)) => self.compare(path, before, after),
                _ => {}
            }
        }
        let (was, is) = (was.units(), is.units());
        if let (Some(was), Some(is)) = (was, is)
            && was != is
        {
            let direction = match (was.is_subset(is), was.is_superset(is)) {
                (true, _) => Direction::Wider,
                (_, true) => Direction::Narrower,
                _ => Direction::Other,
            };
            let text = |values: &BTreeSet<String>| values.iter().cloned().collect::<Vec<_>>().join(", ");
            self.tell(path, direction, text(was), text(is));
        }
    }

    fn texts(&mut self, path: &str, old: &'a Value, new: &'a Value) {
        for text in TEXTS {
            let (was, is) = (old.get(text), new.get(text));
            if was != is {
                self.note(path, Direction::Text, was, is);
            }
        }
    }
}

static ANY: Value = Value::Bool(true);

/// A keyword with its value, as changes show it.
fn keyword_text(key: &str, value: &Value) -> String {
    format!("{key} {value}")
}

/// Where a reference leads, also one that has words of its own beside it.
fn reference(schema: &Value) -> Option<&str> {
    let lone = unions::branches(schema).filter(|branches| branches.len() == 1);
    let reference = lone.and_then(|branches| branches.first().copied()).unwrap_or(schema);
    reference.get("$ref")?.as_str()
}

/// Whether a schema has references, whose targets may differ although it is the same.
fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.contains_key("$ref") || members.values().any(refers),
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

fn followed<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    match document.get("$defs").and_then(Value::as_object) {
        Some(definitions) => resolve(schema, definitions),
        None => schema,
    }
}

fn is_any(schema: &Value) -> bool {
    match schema {
        Value::Bool(any) => *any,
        Value::Object(members) => {
            members.keys().all(|key| TEXTS.contains(&key.as_str()) || SHOWN.contains(&key.as_str()))
        }
        _ => false,
    }
}

fn accepts_nothing(schema: &Value) -> bool {
    *schema == Value::Bool(false)
}

/// The place of a property.
fn below(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}
