//! Where a schema holds further schemas. Every rule walks these positions, so that a *property named* `title`, `$ref` or
//! `items` stays a property.

use serde_json::{Map, Value};

/// How the schemas below a keyword lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One schema. (Older drafts allow a list in `items`.)
    One,
    /// A list of schemas.
    List,
    /// A schema for each name.
    Named,
}

/// What the schemas below a keyword speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A value inside the described one.
    Inner,
    /// The described value itself, as one of several alternatives.
    Alternative,
    /// The described value itself, which other schemas describe at the same time.
    Same,
}

/// A keyword that holds schemas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) keyword: &'static str,
    pub(crate) shape: Shape,
    pub(crate) subject: Subject,
}

const POSITIONS: [Position; 19] = {
    use Shape::{List, Named, One};
    use Subject::{Alternative, Inner, Same};
    const fn row(keyword: &'static str, shape: Shape, subject: Subject) -> Position {
        Position { keyword, shape, subject }
    }
    [
        row("properties", Named, Inner),
        row("items", One, Inner),
        row("additionalProperties", One, Inner),
        row("anyOf", List, Alternative),
        row("oneOf", List, Alternative),
        row("allOf", List, Same),
        row("prefixItems", List, Inner),
        row("patternProperties", Named, Inner),
        row("propertyNames", One, Inner),
        row("contains", One, Inner),
        row("unevaluatedProperties", One, Inner),
        row("unevaluatedItems", One, Inner),
        row("additionalItems", One, Inner),
        row("not", One, Same),
        row("if", One, Same),
        row("then", One, Same),
        row("else", One, Same),
        row("dependentSchemas", Named, Same),
        row("contentSchema", One, Inner),
    ]
};

/// The position that a keyword is. (`$defs` is none: only references lead there.)
pub(crate) fn position(keyword: &str) -> Option<&'static Position> {
    POSITIONS.iter().find(|position| position.keyword == keyword)
}

/// Whether a keyword describes the same value by another schema.
pub(crate) fn is_in_place(keyword: &str) -> bool {
    keyword == "$ref" || position(keyword).is_some_and(|position| position.subject != Subject::Inner)
}

/// Visits every schema directly below one.
pub(crate) fn each_child<'a>(
    schema: &'a Map<String, Value>,
    mut visit: impl FnMut(&'static Position, &'a Value),
) {
    for (keyword, value) in schema {
        let Some(position) = position(keyword) else { continue };
        match (position.shape, value) {
            (Shape::Named, Value::Object(named)) => named.values().for_each(|child| visit(position, child)),
            (Shape::List | Shape::One, Value::Array(list)) => {
                list.iter().for_each(|child| visit(position, child));
            }
            (Shape::One, child) => visit(position, child),
            _ => {}
        }
    }
}

/// Visits every schema directly below one, to change it.
pub(crate) fn each_child_mut(
    schema: &mut Map<String, Value>,
    mut visit: impl FnMut(&'static Position, &mut Value),
) {
    for (keyword, value) in schema.iter_mut() {
        let Some(position) = position(keyword) else { continue };
        match (position.shape, value) {
            (Shape::Named, Value::Object(named)) => {
                named.values_mut().for_each(|child| visit(position, child))
            }
            (Shape::List | Shape::One, Value::Array(list)) => {
                list.iter_mut().for_each(|child| visit(position, child));
            }
            (Shape::One, child) => visit(position, child),
            _ => {}
        }
    }
}
