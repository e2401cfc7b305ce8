//! `#[tool(…)]` and `#[toolbox(…)]` → IR.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::parse::ParseStream;
use syn::{Expr, LitStr, Token};

use super::keys::{self, Entry, Value, as_text};
use crate::errors::{self, Sink};
use crate::ir::{ConstraintIr, Said, SecretIr, ToolAttr};

/// The keys of `#[tool]`.
pub(crate) fn tool(tokens: TokenStream, sink: &Sink) -> ToolAttr {
    let entries = keys::TOOL.read(tokens, sink);
    let mut attr = ToolAttr { said: Said::of(&entries), ..ToolAttr::default() };
    for entry in entries {
        set(&mut attr, entry, sink);
    }
    attr
}

fn set(attr: &mut ToolAttr, entry: Entry, sink: &Sink) {
    let Entry { key, span, value } = entry;
    match (key, value) {
        ("idempotent", Value::Bool(value)) => attr.idempotent = Some(value),
        ("open_world", Value::Bool(value)) => attr.open_world = value,
        ("register", Value::Bool(value)) => attr.unregistered = !value,
        ("name", Value::Text(text)) => attr.name = Some(text),
        ("title", Value::Text(text)) => attr.title = Some(text),
        ("group", Value::Text(text)) => attr.group = Some(text),
        ("summary", Value::Text(text)) => attr.summary = Some(text),
        ("timeout", Value::Text(text)) => attr.timeout = Some(text),
        ("deprecated", Value::Text(text)) => attr.deprecated = Some(text),
        ("log", Value::Text(text)) => attr.log = Some(text),
        ("replay", Value::Text(text)) => attr.replay = Some(text),
        ("aliases", Value::Texts(texts)) => attr.aliases = texts,
        ("tags", Value::Texts(texts)) => attr.tags = texts,
        ("description", Value::Expr(expr)) => attr.description = Some(expr),
        ("requires", Value::Group(tokens)) => attr.secrets = requirements(tokens, sink),
        ("surfaces", Value::Names(names)) => attr.surfaces = Some(names),
        ("reconcile", Value::Path(path)) => attr.reconcile = Some(path),
        ("revert", Value::Path(path)) => attr.revert = Some(path),
        ("crate", Value::Path(path)) => attr.krate = Some(path),
        ("output", Value::Type(ty)) => attr.output = Some(*ty),
        ("handle", Value::Ident(name)) => attr.handle = Some(name),
        ("exactly_one" | "at_least_one", Value::Names(params)) => {
            attr.constraints.push(ConstraintIr { key, span, params });
        }
        // Flags are asked for by their key.
        _ => {}
    }
}

/// The keys of `#[toolbox]`.
#[derive(Default)]
pub(crate) struct BoxAttr {
    pub(crate) group: Option<LitStr>,
    pub(crate) tags: Vec<LitStr>,
    pub(crate) prefix: Option<LitStr>,
    pub(crate) secrets: Vec<SecretIr>,
    pub(crate) krate: Option<syn::Path>,
}

/// Reads the inside of `#[toolbox(…)]`.
pub(crate) fn toolbox(tokens: TokenStream, sink: &Sink) -> BoxAttr {
    let mut attr = BoxAttr::default();
    for Entry { key, value, .. } in keys::TOOLBOX.read(tokens, sink) {
        match (key, value) {
            ("group", Value::Text(text)) => attr.group = Some(text),
            ("prefix", Value::Text(text)) => attr.prefix = Some(text),
            ("tags", Value::Texts(texts)) => attr.tags = texts,
            ("requires", Value::Group(tokens)) => attr.secrets = requirements(tokens, sink),
            ("crate", Value::Path(path)) => attr.krate = Some(path),
            _ => {}
        }
    }
    attr
}

/// The inside of `requires(…)`.
fn requirements(tokens: TokenStream, sink: &Sink) -> Vec<SecretIr> {
    keys::comma_separated(tokens, sink, |name, input| requirement(name, input, sink))
}

fn requirement(name: &Ident, input: ParseStream<'_>, sink: &Sink) -> syn::Result<Option<SecretIr>> {
    if name != "secret" {
        sink.at(name, errors::unknown_requirement(&crate::ir::unraw(name)));
        keys::skip_value(input);
        return Ok(None);
    }
    if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        let value: Expr = input.parse()?;
        let key = as_text(&value);
        if key.is_none() {
            sink.at(value, errors::wrong_value("secret", keys::Takes::Text));
        }
        return Ok(key.map(SecretIr::required));
    }
    match input.parse::<TokenTree>() {
        Ok(TokenTree::Group(group)) => Ok(long_secret(name, group.stream(), sink)),
        _ => {
            sink.at(name, errors::no_value("secret", keys::Takes::Text));
            Ok(None)
        }
    }
}

/// The inside of `secret(…)`.
fn long_secret(name: &Ident, tokens: TokenStream, sink: &Sink) -> Option<SecretIr> {
    let entries = keys::SECRET.read(tokens, sink);
    let mut found = None;
    let (mut label, mut description, mut choices) = (None, None, Vec::new());
    let mut optional = false;
    for Entry { key, value, .. } in entries {
        match (key, value) {
            ("key", Value::Text(text)) => found = Some(text),
            ("label", Value::Text(text)) => label = Some(text),
            ("description", Value::Text(text)) => description = Some(text),
            ("choices", Value::Texts(texts)) => choices = texts,
            ("optional", Value::Bare) => optional = true,
            _ => {}
        }
    }
    if found.is_none() && sink.is_empty() {
        sink.at(name, errors::no_value("key", keys::Takes::Text));
    }
    found.map(|key| SecretIr { key, label, description, optional, choices })
}

impl SecretIr {
    /// The short form, `secret = "KEY"`.
    pub(crate) fn required(key: LitStr) -> SecretIr {
        SecretIr { key, label: None, description: None, optional: false, choices: Vec::new() }
    }
}
