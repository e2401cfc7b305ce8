//! A policy file as one tree with positions, whichever syntax it is written in.

use serde_json::Value;

use crate::mistake::{Mistake, MistakeCode, Position};

/// How deep a file may be nested.
pub(crate) const DEPTH_MAX: usize = 16;

/// A value and where it begins.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) at: Position,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    /// In the order of the file.
    Map(Vec<(Key, Node)>),
    /// A kind of value that no key takes: its name.
    Other(&'static str),
}

/// A key and where it begins.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) at: Position,
    pub(crate) text: String,
}

impl Node {
    /// What the value is called in messages.
    pub(crate) fn what(&self) -> &'static str {
        match &self.kind {
            Kind::Null => "nothing",
            Kind::Bool(_) => "a boolean",
            Kind::Integer(_) => "a whole number",
            Kind::Float(_) => "a number",
            Kind::Text(_) => "a text",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a table",
            Kind::Other(what) => what,
        }
    }

    /// The value as JSON, to be compared with arguments.
    pub(crate) fn json(&self) -> Value {
        match &self.kind {
            Kind::Null | Kind::Other(_) => Value::Null,
            Kind::Bool(value) => Value::from(*value),
            Kind::Integer(value) => Value::from(*value),
            Kind::Float(value) => Value::from(*value),
            Kind::Text(value) => Value::from(value.as_str()),
            Kind::List(items) => items.iter().map(Node::json).collect(),
            Kind::Map(members) => {
                members.iter().map(|(key, value)| (key.text.clone(), value.json())).collect()
            }
        }
    }
}

/// The position of a byte.
pub(crate) fn position(text: &str, byte: usize) -> Position {
    let before = text.get(..text.floor_char_boundary(byte)).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
    Position { line: before.matches('\n').count() + 1, column }
}

pub(crate) fn too_deep(at: Position) -> Mistake {
    let text = format!("nested deeper than {DEPTH_MAX}");
    Mistake { at, code: MistakeCode::TooLarge, text, suggestion: None }
}
