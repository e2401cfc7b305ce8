//! Examples against what is written of the parameters. Required parameters are asked by a constant assertion; the rest is
//! decoded by the test kit.

use std::collections::HashSet;

use syn::{GenericArgument, PathArguments, Type, TypePath};

use super::bounds::{contains, contains_length};
use super::names::near;
use crate::errors::{self, Sink};
use crate::ir::{ExampleIr, InputIr, ParamIr, ToolIr, unraw};
use crate::parse::example_attr::{Json, JsonKind};
use crate::parse::number::Number;
use crate::parse::tokens::{peel, text};

/// Reports examples that no call could be.
pub(super) fn check(ir: &ToolIr, sink: &Sink) {
    for example in &ir.examples {
        members(ir, example, sink);
    }
}

fn members(ir: &ToolIr, example: &ExampleIr, sink: &Sink) {
    let flattened = ir.params().any(|param| param.attr.said.has("flatten"));
    let mut seen = HashSet::new();
    for (key, value) in &example.args {
        let name = key.value();
        if !seen.insert(name.clone()) {
            sink.at(key, errors::key_twice(&name));
        }
        let param = ir.params().find(|param| {
            param.name() == name || param.attr.aliases.iter().any(|alias| alias.value() == name)
        });
        match param {
            Some(param) if param.attr.said.has("flatten") => {}
            Some(param) if param.attr.said.has("secret") => sink.at(key, errors::example_secret(&name)),
            Some(param) => check_value(param, value, sink),
            None if is_injected(ir, &name) => sink.at(key, errors::example_injected(&name)),
            None if flattened => {}
            None => sink.at(key, errors::example_unknown(&ir.name(), &name, near(ir, &name).as_deref())),
        }
    }
}

fn is_injected(ir: &ToolIr, name: &str) -> bool {
    ir.inputs.iter().any(|input| match input {
        InputIr::Ctx(ctx) => unraw(&ctx.ident) == name,
        InputIr::Context(ident) => unraw(ident) == name,
        InputIr::Param(_) => false,
    })
}

/// The kinds that a primitive takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Number,
    Text,
    Flag,
}

/// Types whose name says their kind.
const PRIMITIVES: [(&str, Kind); 18] = [
    ("i8", Kind::Integer),
    ("i16", Kind::Integer),
    ("i32", Kind::Integer),
    ("i64", Kind::Integer),
    ("i128", Kind::Integer),
    ("isize", Kind::Integer),
    ("u8", Kind::Integer),
    ("u16", Kind::Integer),
    ("u32", Kind::Integer),
    ("u64", Kind::Integer),
    ("u128", Kind::Integer),
    ("usize", Kind::Integer),
    ("f32", Kind::Number),
    ("f64", Kind::Number),
    ("bool", Kind::Flag),
    ("char", Kind::Text),
    ("str", Kind::Text),
    ("String", Kind::Text),
];

/// How the standard library's option is written. Another type may be called so, too, and its examples are its own.
const OPTIONS: [&str; 4] =
    ["Option", "std::option::Option", "core::option::Option", "::core::option::Option"];

/// A path without what is between angle brackets.
fn bare(path: &TypePath) -> String {
    let leading = if path.path.leading_colon.is_some() { "::" } else { "" };
    let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    format!("{leading}{}", names.join("::"))
}

/// The kind of a type that is written as a primitive, behind `&` and `Option`.
fn kind(ty: &Type) -> Option<(Kind, bool)> {
    match peel(ty) {
        Type::Reference(reference) => kind(&reference.elem),
        Type::Path(path) if OPTIONS.contains(&bare(path).as_str()) => {
            match &path.path.segments.last()?.arguments {
                PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
                    GenericArgument::Type(inner) => kind(inner).map(|(kind, _)| (kind, true)),
                    _ => None,
                },
                _ => None,
            }
        }
        ty => PRIMITIVES.iter().find(|row| row.0 == text(ty)).map(|row| (row.1, false)),
    }
}

fn check_value(param: &ParamIr, value: &Json, sink: &Sink) {
    let name = param.name();
    if param.attr.schema_with.is_none()
        && let Some((kind, optional)) = kind(&param.ty)
        && !(optional && matches!(value.kind, JsonKind::Null))
        && !is_of(kind, &value.kind)
    {
        sink.at(&value.token, errors::example_kind(&name, word(kind)));
        return;
    }
    match &value.kind {
        JsonKind::Number(digits) => {
            if let (Some(range), Some(number)) = (&param.attr.range, Number::parse(digits))
                && !contains(range, number)
            {
                sink.at(&value.token, errors::example_outside(digits, &name, "range", &text(range)));
            }
        }
        JsonKind::Text(written) => {
            if let Some(len) = param.attr.len.as_ref().filter(|len| !contains_length(len, written)) {
                sink.at(&value.token, errors::example_outside(&value.text(), &name, "len", &text(len)));
            }
            let choices = &param.attr.choices;
            if !choices.is_empty() && !choices.iter().any(|choice| choice.value() == *written) {
                sink.at(&value.token, errors::example_no_choice(written, &name));
            }
        }
        _ => {}
    }
}

fn is_of(kind: Kind, value: &JsonKind) -> bool {
    match value {
        JsonKind::Number(digits) => match kind {
            Kind::Integer => matches!(Number::parse(digits), Some(Number::Int(_))),
            Kind::Number => true,
            Kind::Text | Kind::Flag => false,
        },
        JsonKind::Text(_) => kind == Kind::Text,
        JsonKind::Bool(_) => kind == Kind::Flag,
        JsonKind::Null | JsonKind::Array(_) | JsonKind::Object(_) => false,
    }
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Integer => "an integer",
        Kind::Number => "a number",
        Kind::Text => "a text",
        Kind::Flag => "true or false",
    }
}
