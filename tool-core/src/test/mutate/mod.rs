//! A value that a schema allows, changed in one place, with what a decoder must say of it: refused with a code at a pointer,
//! or taken with a note. (arguments.md §4–§10)
//!
//! Only what the schema tells for certain is changed: below an untagged union, a condition or a merge nothing is.

mod bounds;
mod kinds;
mod objects;

use serde_json::{Map, Value};

use crate::args::pointer::push_key;
use crate::args::{IssueCode, MAX_DEPTH, Rule};
use crate::schema::form::{Union, resolve, union, without_null};

/// What was done to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MutationKind {
    /// A required key is gone.
    Dropped,
    /// There is a key that nobody knows, near a known one or far from all.
    Added,
    /// A value has another type, one that no rule reads as its own.
    Type,
    /// A value has another type, one that a rule reads as its own.
    Lenient,
    /// A value stands at a bound.
    AtBound,
    /// A value is the next one outside a bound.
    OverBound,
    /// A choice is changed by a letter, or in case.
    Choice,
    /// A value is null.
    Null,
    /// An item of a set is there twice.
    Twice,
    /// The tag of a union is gone, or is none.
    Tag,
    /// A value is nested too deeply.
    Depth,
}

/// What a decoder must say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It fits still.
    Taken,
    /// It is taken under a rule, with a note at the place.
    Noted(Rule),
    /// It is refused with this code at the place.
    Refused(IssueCode),
}

/// A value with one change.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutation {
    /// What was done.
    pub kind: MutationKind,
    /// The whole value.
    pub value: Value,
    /// JSON Pointer to the place that is told.
    pub path: String,
    /// What is told.
    pub expected: Expected,
}

/// Every change of one place of a value, each by itself. The value must satisfy the canonical schema.
///
/// ```
/// use serde_json::json;
/// use tool_core::IssueCode;
/// use tool_core::test::{Expected, MutationKind, mutate};
///
/// let schema = json!({
///     "type": "object", "properties": {"limit": {"type": "integer", "maximum": 9}}, "required": ["limit"],
///     "additionalProperties": false,
/// });
/// let all = mutate(&schema, &json!({"limit": 5}));
/// let over = all.iter().find(|mutation| mutation.kind == MutationKind::OverBound).unwrap();
/// assert_eq!((&over.value, over.path.as_str()), (&json!({"limit": 10}), "/limit"));
/// assert_eq!(over.expected, Expected::Refused(IssueCode::Range));
/// ```
pub fn mutate(schema: &Value, value: &Value) -> Vec<Mutation> {
    let none = Map::new();
    let definitions = schema.get("$defs").and_then(Value::as_object).unwrap_or(&none);
    let mut walk = Walk { whole: value, definitions, found: Vec::new() };
    walk.visit(&Place { schema, value, path: String::new(), role: Role::Root });
    walk.too_deep();
    walk.found
}

/// What a place is to the value around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The whole value.
    Root,
    /// A member of an object that must have it, a value of a map.
    Member,
    /// A member that may be left out.
    Optional,
    /// An item of a list or tuple.
    Item,
}

/// A place of the value, with what the schema says of it.
#[derive(Clone, Debug)]
struct Place<'a> {
    schema: &'a Value,
    value: &'a Value,
    path: String,
    role: Role,
}

impl<'a> Place<'a> {
    fn below(&self, key: &str, schema: &'a Value, value: &'a Value, role: Role) -> Place<'a> {
        let mut path = self.path.clone();
        push_key(&mut path, key);
        Place { schema, value, path, role }
    }

    /// A pointer to a member or item.
    fn at(&self, key: &str) -> String {
        let mut path = self.path.clone();
        push_key(&mut path, key);
        path
    }

    fn has(&self, keyword: &str) -> bool {
        self.schema.get(keyword).is_some()
    }

    /// The one type of its values; none where there are several or nothing is said.
    fn kind(&self) -> Option<&'a str> {
        self.schema.get("type")?.as_str()
    }
}

/// Keywords under which a place is more than its type and bounds say.
const CONDITIONS: [&str; 11] = [
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "contains",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
];

struct Walk<'a> {
    whole: &'a Value,
    definitions: &'a Map<String, Value>,
    found: Vec<Mutation>,
}

impl<'a> Walk<'a> {
    fn visit(&mut self, place: &Place<'a>) {
        if place.value.is_null() {
            return;
        }
        let schema = resolve(without_null(resolve(place.schema, self.definitions)), self.definitions);
        let nullable = is_nullable(place.schema) || is_nullable(schema);
        let place = Place { schema, ..place.clone() };
        if CONDITIONS.iter().any(|keyword| place.has(keyword)) {
            return;
        }
        if let Some(union) = union(schema, self.definitions) {
            // Beside shared properties the union says only a part.
            if !place.has("properties") {
                self.union(&place, union, nullable);
            }
            return;
        }
        let Some(kind) = place.kind().or_else(|| nullable_kind(schema)) else { return };
        if !nullable {
            self.null(&place);
        }
        if place.has("const") {
            return;
        }
        if place.has("enum") {
            return self.choice(&place);
        }
        if place.role != Role::Root {
            self.types(&place, kind);
        }
        self.bounds(&place, kind);
        match kind {
            "object" => self.members(&place, None),
            "array" => self.items(&place),
            _ => {}
        }
    }

    fn union(&mut self, place: &Place<'a>, union: Union<'a>, nullable: bool) {
        let Union::Tagged { tag, cases } = union else { return };
        if !nullable && place.role != Role::Root {
            self.null(place);
        }
        let Some(given) = place.value.get(tag).and_then(Value::as_str) else { return };
        self.tag(place, tag, cases.iter().map(|case| case.0));
        if let Some((_, case)) = cases.iter().find(|case| case.0 == given) {
            self.members(&Place { schema: case, ..place.clone() }, Some(tag));
        }
    }

    fn null(&mut self, place: &Place<'a>) {
        let expected = match place.role {
            Role::Root => return,
            Role::Optional => Expected::Noted(Rule::NullToAbsent),
            Role::Member | Role::Item => Expected::Refused(IssueCode::Type),
        };
        self.put(MutationKind::Null, place, Value::Null, expected);
    }

    fn items(&mut self, place: &Place<'a>) {
        let Some(items) = place.value.as_array() else { return };
        let first = place.schema.get("prefixItems").and_then(Value::as_array);
        for (i, item) in items.iter().enumerate() {
            let schema = first.and_then(|first| first.get(i)).or_else(|| place.schema.get("items"));
            if let Some(schema) = schema.filter(|schema| schema.is_object()) {
                self.visit(&place.below(&i.to_string(), schema, item, Role::Item));
            }
        }
        if let (true, Some(item)) =
            (place.schema.get("uniqueItems") == Some(&Value::Bool(true)), items.first())
        {
            let twice: Value = items.iter().chain([item]).cloned().collect();
            let path = place.at(&items.len().to_string());
            let expected = Expected::Refused(IssueCode::Duplicate);
            self.put_telling(MutationKind::Twice, place, twice, path, expected);
        }
    }

    /// Some member with more levels than arguments may have.
    fn too_deep(&mut self) {
        let Some(members) = self.whole.as_object() else { return };
        let Some(name) = members.keys().next() else { return };
        let deep = (0..=MAX_DEPTH).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        let mut value = members.clone();
        value.insert(name.clone(), deep);
        let (kind, path) = (MutationKind::Depth, String::new());
        let expected = Expected::Refused(IssueCode::Depth);
        self.found.push(Mutation { kind, value: Value::Object(value), path, expected });
    }

    /// The whole value with another one at a place, which is told.
    fn put(&mut self, kind: MutationKind, place: &Place<'_>, value: Value, expected: Expected) {
        self.put_telling(kind, place, value, place.path.clone(), expected);
    }

    /// The whole value with another one at a place; what is told is at another.
    fn put_telling(
        &mut self,
        kind: MutationKind,
        place: &Place<'_>,
        value: Value,
        path: String,
        expected: Expected,
    ) {
        let mut whole = self.whole.clone();
        if let Some(at) = whole.pointer_mut(&place.path) {
            *at = value;
            self.found.push(Mutation { kind, value: whole, path, expected });
        }
    }
}

/// Whether null is among the types or alternatives of a schema.
fn is_nullable(schema: &Value) -> bool {
    let is_null = |kind: &Value| kind == "null";
    let of_types = |types: &Value| types.as_array().is_some_and(|types| types.iter().any(is_null));
    let of_branches = |branches: &Value| {
        branches.as_array().is_some_and(|all| all.iter().any(|one| one.get("type").is_some_and(is_null)))
    };
    schema.get("type").is_some_and(of_types)
        || ["anyOf", "oneOf"].into_iter().any(|key| schema.get(key).is_some_and(of_branches))
}

/// The type beside null of a schema with a list of two.
fn nullable_kind(schema: &Value) -> Option<&str> {
    let mut others =
        schema.get("type")?.as_array()?.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
    others.next().filter(|_| others.next().is_none())
}
