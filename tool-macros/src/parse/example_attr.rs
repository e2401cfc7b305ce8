//! `#[example("Label", { … } => …)]` → IR. Its arguments are JSON, read token by token.

use std::fmt::Write as _;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, Lit, LitStr, Token, braced, bracketed, token};

use crate::errors::{self, Sink};
use crate::ir::ExampleIr;

/// A JSON value as written, with its first token.
pub(crate) struct Json {
    pub(crate) kind: JsonKind,
    pub(crate) token: TokenStream,
}

/// The kinds of JSON values.
pub(crate) enum JsonKind {
    Null,
    Bool(bool),
    /// The digits as written, without `_` and suffix, with sign.
    Number(String),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(LitStr, Json)>),
}

impl Json {
    /// The JSON text, without blanks.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match &self.kind {
            JsonKind::Null => out.push_str("null"),
            JsonKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            JsonKind::Number(digits) => out.push_str(digits),
            JsonKind::Text(text) => write_text(text, out),
            JsonKind::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            JsonKind::Object(members) => write_object(members, out),
        }
    }
}

/// The JSON text of an object.
pub(crate) fn object_text(members: &[(LitStr, Json)]) -> String {
    let mut out = String::new();
    write_object(members, &mut out);
    out
}

fn write_object(members: &[(LitStr, Json)], out: &mut String) {
    out.push('{');
    for (i, (key, value)) in members.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write_text(&key.value(), out);
        out.push(':');
        value.write(out);
    }
    out.push('}');
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Reads the inside of `#[example(…)]`; `None` when it has been reported.
pub(crate) fn example(tokens: TokenStream, word: impl ToTokens, sink: &Sink) -> Option<ExampleIr> {
    if tokens.is_empty() {
        sink.at(word, errors::EXAMPLE_LABEL);
        return None;
    }
    let parser = |input: ParseStream<'_>| read(input, sink);
    match parser.parse2(tokens) {
        Ok(example) => example,
        Err(error) => {
            sink.add(error);
            None
        }
    }
}

fn read(input: ParseStream<'_>, sink: &Sink) -> syn::Result<Option<ExampleIr>> {
    if !input.peek(LitStr) {
        sink.at(input.parse::<proc_macro2::TokenTree>()?, errors::EXAMPLE_LABEL);
        input.parse::<TokenStream>()?;
        return Ok(None);
    }
    let label: LitStr = input.parse()?;
    if label.value().trim().is_empty() {
        sink.at(&label, errors::EXAMPLE_LABEL);
    }
    let mut args = Vec::new();
    let mut fits = true;
    if input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() && !input.peek(Token![=>]) {
        let value = json(input)?;
        match value.kind {
            JsonKind::Object(members) => args = members,
            _ => {
                sink.at(value.token, errors::EXAMPLE_OBJECT);
                fits = false;
            }
        }
    }
    let result = match input.parse::<Option<Token![=>]>>()? {
        Some(arrow) if input.is_empty() => return Err(syn::Error::new_spanned(arrow, errors::NOT_JSON)),
        Some(_) => Some(json(input)?),
        None => None,
    };
    input.parse::<Option<Token![,]>>()?;
    if !input.is_empty() {
        return Err(input.error("expected the end of the example"));
    }
    Ok(fits.then_some(ExampleIr { label, args, result }))
}

fn json(input: ParseStream<'_>) -> syn::Result<Json> {
    let token = input.fork().parse::<proc_macro2::TokenTree>()?.to_token_stream();
    let kind = if input.peek(token::Brace) {
        let inside;
        braced!(inside in input);
        JsonKind::Object(inside.parse_terminated(member, Token![,])?.into_iter().collect())
    } else if input.peek(token::Bracket) {
        let inside;
        bracketed!(inside in input);
        JsonKind::Array(inside.parse_terminated(json, Token![,])?.into_iter().collect())
    } else if input.peek(Ident) {
        let word: Ident = input.parse()?;
        if word != "null" {
            return Err(syn::Error::new(word.span(), errors::NOT_JSON));
        }
        JsonKind::Null
    } else {
        scalar(input)?
    };
    Ok(Json { kind, token })
}

fn member(input: ParseStream<'_>) -> syn::Result<(LitStr, Json)> {
    let key = input.parse::<LitStr>().map_err(|error| syn::Error::new(error.span(), errors::NOT_JSON))?;
    input.parse::<Token![:]>()?;
    Ok((key, json(input)?))
}

fn scalar(input: ParseStream<'_>) -> syn::Result<JsonKind> {
    let not_json = |span: Span| syn::Error::new(span, errors::NOT_JSON);
    let minus = if input.parse::<Option<Token![-]>>()?.is_some() { "-" } else { "" };
    let lit: Lit = input.parse().map_err(|error| not_json(error.span()))?;
    Ok(match lit {
        Lit::Int(int) => JsonKind::Number(format!("{minus}{}", int.base10_digits())),
        Lit::Float(float) => JsonKind::Number(format!("{minus}{}", json_float(float.base10_digits()))),
        Lit::Str(text) if minus.is_empty() => JsonKind::Text(text.value()),
        Lit::Bool(value) if minus.is_empty() => JsonKind::Bool(value.value()),
        other => return Err(not_json(other.span())),
    })
}

/// `1.` is Rust but not JSON.
fn json_float(digits: &str) -> String {
    if digits.ends_with('.') { format!("{digits}0") } else { digits.to_owned() }
}
