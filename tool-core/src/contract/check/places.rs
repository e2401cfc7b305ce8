//! Every place of a tool's arguments that has a schema, with what is said around it.

use serde_json::{Map, Value};

use crate::args::pointer::push_key;
use crate::def::{LogMode, ParamDef};
use crate::schema::{Shape, Subject as About, definition_name, form, position};

/// What a place is to the value around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// All arguments.
    Root,
    /// A parameter.
    Param,
    /// A member of an object inside a parameter.
    Field,
    /// An item, or a value of a map.
    Item,
    /// An alternative of the same value, or what a reference leads to.
    Branch,
    /// Something that is said of the same value besides its type.
    Part,
}

/// A place of the arguments.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// JSON Pointer, `*` for every item and map value.
    pub path: String,
    /// What it is.
    pub role: Role,
    /// Its name, where it has one.
    pub name: Option<&'a str>,
    /// What is said of the value.
    pub schema: &'a Map<String, Value>,
    /// The definition of a parameter.
    pub param: Option<&'a ParamDef<'a>>,
    /// Objects and lists around it.
    pub level: usize,
    /// Whether the case that it is the content of says what it is for.
    pub told: bool,
    /// Whether somebody has decided how it is logged.
    pub logged: bool,
    /// The recursive definitions.
    pub definitions: &'a Map<String, Value>,
}

impl<'a> Place<'a> {
    /// The types of its values, null left out.
    pub(super) fn types(&self) -> impl Iterator<Item = &'a str> {
        let types = match self.schema.get("type") {
            Some(Value::Array(list)) => list.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        types.iter().filter_map(Value::as_str).filter(|name| *name != "null")
    }

    /// Whether values of a type fit.
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.types().any(|other| other == name)
    }

    /// A text of its schema.
    pub(super) fn text(&self, keyword: &str) -> Option<&'a str> {
        self.schema.get(keyword).and_then(Value::as_str)
    }

    /// What it is for: its own words, or those of the definition that it refers to.
    pub(super) fn description(&self) -> Option<&'a str> {
        let lone = match self.schema.get("anyOf").and_then(Value::as_array).map(Vec::as_slice) {
            Some([only]) => only.get("$ref"),
            _ => self.schema.get("$ref"),
        };
        let definition =
            || self.definitions.get(&definition_name(lone?.as_str()?)?)?.get("description")?.as_str();
        self.text("description").or_else(definition)
    }

    fn below(&self, role: Role, schema: &'a Map<String, Value>) -> Place<'a> {
        let level = if matches!(role, Role::Branch | Role::Part) { self.level } else { self.level + 1 };
        let logged = self.logged || is_logged(schema);
        Place { role, name: None, schema, param: None, level, told: false, logged, ..self.clone() }
    }
}

/// Whether a schema says how its values are logged.
fn is_logged(schema: &Map<String, Value>) -> bool {
    schema.contains_key("x-log") || schema.get("writeOnly") == Some(&Value::Bool(true))
}

/// The places of a schema, outer ones first. A recursive definition is entered once.
pub(super) fn of<'a>(schema: &'a Value, params: &'a [ParamDef<'a>]) -> Vec<Place<'a>> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    let definitions = schema.get("$defs").and_then(Value::as_object).unwrap_or(&NONE);
    let Some(schema) = schema.as_object() else { return Vec::new() };
    let mut walk = Walk { params, entered: Vec::new(), found: Vec::new() };
    walk.visit(Place {
        path: String::new(),
        role: Role::Root,
        name: None,
        schema,
        param: None,
        level: 0,
        told: false,
        logged: false,
        definitions,
    });
    walk.found
}

/// Keywords whose schemas are no place: they are about values that are told of elsewhere.
const CONDITIONS: [&str; 9] = [
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "contains",
    "propertyNames",
    "contentSchema",
    "unevaluatedItems",
];

struct Walk<'a> {
    params: &'a [ParamDef<'a>],
    /// The definitions that have been entered.
    entered: Vec<&'a str>,
    found: Vec<Place<'a>>,
}

impl<'a> Walk<'a> {
    fn visit(&mut self, place: Place<'a>) {
        if let Some(reference) = place.text("$ref")
            && !self.entered.contains(&reference)
            && let Some(name) = definition_name(reference)
            && let Some(Value::Object(definition)) = place.definitions.get(&name)
        {
            self.entered.push(reference);
            self.visit(place.below(Role::Branch, definition));
        }
        for (keyword, value) in place.schema {
            let Some(position) = position(keyword).filter(|_| !CONDITIONS.contains(&keyword.as_str())) else {
                continue;
            };
            match (position.shape, value) {
                (Shape::Named, Value::Object(named)) => {
                    for (name, child) in named {
                        self.member(&place, keyword, name, child);
                    }
                }
                (Shape::List | Shape::One, Value::Array(list)) => {
                    for (at, child) in list.iter().enumerate() {
                        self.inner(&place, position.subject, &at.to_string(), child);
                    }
                }
                (Shape::One, child) => self.inner(&place, position.subject, "*", child),
                _ => {}
            }
        }
        self.found.push(place);
    }

    /// A member of an object, by its name or by a pattern of names.
    fn member(&mut self, around: &Place<'a>, keyword: &str, name: &'a str, child: &'a Value) {
        let Some(schema) = child.as_object() else { return };
        if keyword != "properties" {
            return self.inner(around, About::Inner, "*", child);
        }
        let of_root = around.path.is_empty();
        let role = if of_root { Role::Param } else { Role::Field };
        let param = self.params.iter().find(|param| of_root && param.name == name && !param.keys.flatten);
        let lone =
            around.schema.get("properties").and_then(Value::as_object).is_some_and(|all| all.len() == 1);
        let mut place = Place {
            name: Some(name),
            param,
            told: around.role == Role::Branch && lone && around.text("description").is_some(),
            ..around.below(role, schema)
        };
        let said = |param: &ParamDef<'_>| {
            param.keys.secret || param.keys.log.is_some_and(|mode: LogMode| !mode.as_str().is_empty())
        };
        let given = param.and_then(|param| match param.schema {
            crate::def::SchemaSource::Given(schema) => schema.as_object(),
            crate::def::SchemaSource::Type(_) => None,
        });
        place.logged |= param.is_some_and(said) || given.is_some_and(is_logged);
        push_key(&mut place.path, name);
        self.visit(place);
    }

    fn inner(&mut self, around: &Place<'a>, about: About, key: &str, child: &'a Value) {
        let Some(schema) = child.as_object() else { return };
        let beside = around.schema.contains_key("type") || around.schema.contains_key("properties");
        let role = match about {
            About::Inner => Role::Item,
            About::Alternative if !beside && around.role != Role::Part => Role::Branch,
            About::Alternative | About::Same => Role::Part,
        };
        let mut place = around.below(role, schema);
        if role == Role::Item {
            push_key(&mut place.path, key);
        }
        if role == Role::Branch && form::is_null(child) {
            return;
        }
        self.visit(place);
    }
}
