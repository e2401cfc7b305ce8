//! `#[arg(…)]` → IR.

use proc_macro2::TokenStream;

use super::keys::{self, Entry, Value};
use crate::errors::Sink;
use crate::ir::{ArgAttr, DefaultIr, Said};

/// The keys of all `#[arg]` attributes of a parameter.
pub(crate) fn arg(tokens: TokenStream, sink: &Sink) -> ArgAttr {
    let entries = keys::ARG.read(tokens, sink);
    let mut attr = ArgAttr { said: Said::of(&entries), ..ArgAttr::default() };
    for Entry { key, value, .. } in entries {
        set(&mut attr, key, value);
    }
    attr
}

fn set(attr: &mut ArgAttr, key: &str, value: Value) {
    match (key, value) {
        ("default", Value::Bare) => attr.default = Some(DefaultIr::Bare),
        ("default", Value::Expr(expr)) => attr.default = Some(DefaultIr::Expr(expr)),
        ("description", Value::Expr(expr)) => attr.description = Some(expr),
        ("name", Value::Text(text)) => attr.name = Some(text),
        ("pattern", Value::Text(text)) => attr.pattern = Some(text),
        ("format", Value::Text(text)) => attr.format = Some(text),
        ("log", Value::Text(text)) => attr.log = Some(text),
        ("hint", Value::Text(text)) => attr.hint = Some(text),
        ("header", Value::Text(text)) => attr.header = Some(text),
        ("deprecated", Value::Text(text)) => attr.deprecated = Some(text),
        ("long", Value::Text(text)) => attr.long = Some(text),
        ("env", Value::Text(text)) => attr.env = Some(text),
        ("value_name", Value::Text(text)) => attr.value_name = Some(text),
        ("short", Value::Char(c)) => attr.short = Some(c),
        ("aliases", Value::Texts(texts)) => attr.aliases = texts,
        ("choices", Value::Texts(texts)) => attr.choices = texts,
        ("conflicts_with", Value::Texts(texts)) => attr.conflicts_with = texts,
        ("requires", Value::Texts(texts)) => attr.requires = texts,
        ("examples", Value::Exprs(exprs)) => attr.examples = exprs,
        ("range", Value::Range(range)) => attr.range = Some(range),
        ("len", Value::Range(range)) => attr.len = Some(range),
        ("item_len", Value::Range(range)) => attr.item_len = Some(range),
        ("with", Value::Path(path)) => attr.with = Some(path),
        ("schema_with", Value::Path(path)) => attr.schema_with = Some(path),
        // Flags are asked for by their key.
        _ => {}
    }
}
