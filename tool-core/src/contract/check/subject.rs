//! A tool as the lints look at it: its definition among the others, and every place of its arguments.

use std::borrow::Cow;

use serde_json::Value;

use super::places::{self, Place};
use crate::def::{ParamDef, ToolDef};
use crate::registry::{Registry, ToolEntry};

/// What a lint says of a tool, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// As in [`Finding`](super::Finding).
    pub path: String,
    /// What is wrong.
    pub text: String,
}

impl Hit {
    /// At a place.
    pub fn at(path: impl Into<String>, text: impl Into<String>) -> Hit {
        Hit { path: path.into(), text: text.into() }
    }

    /// At the tool itself.
    pub fn of_tool(text: impl Into<String>) -> Hit {
        Hit::at("", text)
    }

    /// At a parameter.
    pub(super) fn at_param(name: &str, text: impl Into<String>) -> Hit {
        let mut path = String::new();
        crate::args::pointer::push_key(&mut path, name);
        Hit::at(path, text)
    }
}

/// A tool of a registry.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The tools that it stands among.
    pub registry: &'a Registry,
    /// The tool.
    pub tool: &'a ToolEntry,
    places: Vec<Place<'a>>,
}

impl<'a> Subject<'a> {
    /// A tool among others.
    pub fn of(registry: &'a Registry, tool: &'a ToolEntry) -> Subject<'a> {
        let def = tool.def();
        let places =
            def.input_schema().map(|schema| places::of(schema.decoded(), def.params)).unwrap_or_default();
        Subject { registry, tool, places }
    }

    /// Its definition.
    pub fn def(&self) -> &'a ToolDef<'a> {
        self.tool.def()
    }

    /// Every place of its arguments; none where the schema cannot be made.
    pub fn places(&self) -> &[Place<'a>] {
        &self.places
    }

    /// The schema that callers are shown.
    pub(super) fn shown(&self) -> Option<&'a Value> {
        self.def().input_schema().ok().map(|schema| schema.schema())
    }

    /// The parameter of a name.
    pub(super) fn param(&self, name: &str) -> Option<&'a ParamDef<'a>> {
        self.def().params.iter().find(|param| param.name == name)
    }
}

/// What a parameter says of its deprecation; of a schema-only tool only its description can.
pub(super) fn deprecation<'a>(param: &ParamDef<'a>) -> Option<Cow<'a, str>> {
    use crate::def::SchemaSource;
    let said = param.keys.deprecated?;
    Some(match param.schema {
        SchemaSource::Given(_) => param.doc.text(),
        SchemaSource::Type(_) => Cow::Borrowed(said),
    })
}
