//! The one table of keys and synonyms, and the parser that reads every attribute by it.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, ExprRange, Lit, LitChar, LitStr, Path, Token, Type, token};

use super::tokens::peel_expr;
use crate::errors::{self, Sink};
use crate::suggest::nearest;

/// What stands behind a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing.
    Flag,
    /// Nothing, or `= true`, `= false`.
    Bool,
    /// `= "text"`.
    Text,
    /// `= ["text"]`.
    Texts,
    /// `= 'c'`.
    Char,
    /// `= expression`.
    Expr,
    /// Nothing, or `= expression`.
    MaybeExpr,
    /// `= [expression, …]`.
    Exprs,
    /// `= path`.
    Path,
    /// `= Type`.
    Type,
    /// `= Name`.
    Ident,
    /// `= a..=b`.
    Range,
    /// `(a, b)`.
    Names,
    /// `(…)`, read by the attribute itself.
    Group,
}

/// A key of an attribute.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    takes: Takes,
    repeatable: bool,
}

const fn key(name: &'static str, takes: Takes) -> Key {
    Key { name, takes, repeatable: false }
}

const fn repeatable(name: &'static str, takes: Takes) -> Key {
    Key { name, takes, repeatable: true }
}

/// An attribute with keys.
pub(crate) struct Table {
    /// How messages call it.
    pub(crate) attr: &'static str,
    /// Its keys, in the order of the specification.
    pub(crate) keys: &'static [Key],
}

/// `#[tool]`.
pub(crate) const TOOL: Table = Table {
    attr: "#[tool]",
    keys: &[
        key("read_only", Takes::Flag),
        key("side_effect", Takes::Flag),
        key("destructive", Takes::Flag),
        key("idempotent", Takes::Bool),
        key("open_world", Takes::Bool),
        key("name", Takes::Text),
        key("title", Takes::Text),
        key("aliases", Takes::Texts),
        key("group", Takes::Text),
        key("tags", Takes::Texts),
        key("summary", Takes::Text),
        key("description", Takes::Expr),
        key("requires", Takes::Group),
        key("timeout", Takes::Text),
        key("surfaces", Takes::Names),
        key("hidden", Takes::Flag),
        key("terminal", Takes::Flag),
        key("deprecated", Takes::Text),
        key("log", Takes::Text),
        key("reconcile", Takes::Path),
        key("revert", Takes::Path),
        key("replay", Takes::Text),
        key("paged", Takes::Flag),
        repeatable("exactly_one", Takes::Names),
        repeatable("at_least_one", Takes::Names),
        key("output", Takes::Type),
        key("handle", Takes::Ident),
        key("register", Takes::Bool),
        key("crate", Takes::Path),
    ],
};

/// `#[toolbox]`.
pub(crate) const TOOLBOX: Table = Table {
    attr: "#[toolbox]",
    keys: &[
        key("group", Takes::Text),
        key("tags", Takes::Texts),
        key("prefix", Takes::Text),
        key("requires", Takes::Group),
        key("crate", Takes::Path),
    ],
};

/// `#[arg]`.
pub(crate) const ARG: Table = Table {
    attr: "#[arg]",
    keys: &[
        key("name", Takes::Text),
        key("aliases", Takes::Texts),
        key("description", Takes::Expr),
        key("default", Takes::MaybeExpr),
        key("required", Takes::Flag),
        key("range", Takes::Range),
        key("len", Takes::Range),
        key("item_len", Takes::Range),
        key("pattern", Takes::Text),
        key("choices", Takes::Texts),
        key("format", Takes::Text),
        key("examples", Takes::Exprs),
        key("any", Takes::Flag),
        key("flatten", Takes::Flag),
        key("with", Takes::Path),
        key("schema_with", Takes::Path),
        key("entries", Takes::Flag),
        key("secret", Takes::Flag),
        key("log", Takes::Text),
        key("hint", Takes::Text),
        key("header", Takes::Text),
        key("deprecated", Takes::Text),
        key("conflicts_with", Takes::Texts),
        key("requires", Takes::Texts),
        key("positional", Takes::Flag),
        key("last", Takes::Flag),
        key("long", Takes::Text),
        key("short", Takes::Char),
        key("env", Takes::Text),
        key("value_name", Takes::Text),
        key("stdin", Takes::Flag),
        key("hidden", Takes::Flag),
    ],
};

/// `#[ctx]`.
pub(crate) const CTX: Table = Table { attr: "#[ctx]", keys: &[key("secret", Takes::Text)] };

/// `secret(…)` of `requires(…)`.
pub(crate) const SECRET: Table = Table {
    attr: "secret(…)",
    keys: &[
        key("key", Takes::Text),
        key("label", Takes::Text),
        key("description", Takes::Text),
        key("optional", Takes::Flag),
        key("choices", Takes::Texts),
    ],
};

/// What people write who know other libraries.
const SYNONYMS: [(&str, &str); 13] = [
    ("rename", "name"),
    ("alias", "aliases"),
    ("min", "range"),
    ("max", "range"),
    ("min_len", "len"),
    ("max_len", "len"),
    ("regex", "pattern"),
    ("help", "description"),
    ("doc", "description"),
    ("default_value", "default"),
    ("values", "choices"),
    ("readonly", "read_only"),
    ("mutating", "side_effect"),
];

/// The value of a key, in the form that its [`Takes`] asks for.
pub(crate) enum Value {
    /// A flag, or a key that may stand bare.
    Bare,
    /// Stated as true or false.
    Bool(bool),
    /// A text, not empty.
    Text(LitStr),
    /// Texts, at least one.
    Texts(Vec<LitStr>),
    /// A character.
    Char(LitChar),
    /// An expression.
    Expr(Expr),
    /// Expressions.
    Exprs(Vec<Expr>),
    /// A path.
    Path(Path),
    /// A type.
    Type(Box<Type>),
    /// A name.
    Ident(Ident),
    /// A range with at least one end.
    Range(ExprRange),
    /// Names in parentheses.
    Names(Vec<Ident>),
    /// Tokens in parentheses.
    Group(TokenStream),
}

/// One key with its value.
pub(crate) struct Entry {
    /// The key.
    pub(crate) key: &'static str,
    /// Where it stands.
    pub(crate) span: Span,
    /// What stands behind it.
    pub(crate) value: Value,
}

impl Table {
    /// Reads the inside of the attribute; what is wrong goes to the sink, and reading goes on behind the next comma.
    pub(crate) fn read(&'static self, tokens: TokenStream, sink: &Sink) -> Vec<Entry> {
        self.read_or(tokens, sink, |name| self.unknown(name))
    }

    /// As [`Table::read`], with another sentence for unknown keys.
    pub(crate) fn read_or(
        &'static self,
        tokens: TokenStream,
        sink: &Sink,
        unknown: impl Fn(&str) -> String,
    ) -> Vec<Entry> {
        let entries = comma_separated(tokens, sink, |name, input| {
            let written = name.unraw().to_string();
            let Some(key) = self.find(&written) else {
                sink.at(name, unknown(&written));
                skip_value(input);
                return Ok(None);
            };
            let value = value(key, name, input, sink)?;
            Ok(value.map(|value| Entry { key: key.name, span: name.span(), value }))
        });
        self.without_repeated(entries, sink)
    }

    fn find(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    fn unknown(&self, written: &str) -> String {
        let known = || self.keys.iter().map(|key| key.name);
        let synonym = SYNONYMS.iter().find(|row| row.0 == written).map(|row| row.1);
        let near = synonym.filter(|key| self.find(key).is_some()).or_else(|| nearest(written, known()));
        errors::unknown_key(written, self.attr, near, known().collect())
    }

    fn without_repeated(&self, entries: Vec<Entry>, sink: &Sink) -> Vec<Entry> {
        let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
        for entry in entries {
            let once = self.find(entry.key).is_some_and(|key| !key.repeatable);
            if once && kept.iter().any(|other| other.key == entry.key) {
                sink.at_span(entry.span, errors::key_twice(entry.key));
            } else {
                kept.push(entry);
            }
        }
        kept
    }
}

/// Reads items that begin with a name, between commas. An item that is wrong is reported, skipped and left out.
pub(crate) fn comma_separated<T>(
    tokens: TokenStream,
    sink: &Sink,
    item: impl Fn(&Ident, ParseStream<'_>) -> syn::Result<Option<T>>,
) -> Vec<T> {
    let mut items = Vec::new();
    let parser = |input: ParseStream<'_>| {
        while !input.is_empty() {
            match input.call(Ident::parse_any) {
                Ok(name) => match item(&name, input) {
                    Ok(found) => items.extend(found),
                    Err(error) => {
                        sink.add(error);
                        skip_to_comma(input);
                    }
                },
                Err(_) => {
                    sink.at(next_token(input), errors::NOT_A_KEY);
                    skip_to_comma(input);
                }
            }
            if !input.is_empty() && input.parse::<Option<Token![,]>>()?.is_none() {
                sink.at(next_token(input), errors::NOT_A_KEY);
                skip_to_comma(input);
                input.parse::<Option<Token![,]>>()?;
            }
        }
        Ok(())
    };
    if let Err(error) = parser.parse2(tokens) {
        sink.add(error);
    }
    items
}

/// Reads what stands behind a key. `Ok(None)`: already reported.
fn value(key: &Key, name: &Ident, input: ParseStream<'_>, sink: &Sink) -> syn::Result<Option<Value>> {
    if input.peek(token::Paren) {
        let group: TokenTree = input.parse()?;
        return Ok(in_parentheses(key, group, sink));
    }
    if !input.peek(Token![=]) {
        return Ok(bare(key, name, sink));
    }
    input.parse::<Token![=]>()?;
    if input.is_empty() || input.peek(Token![,]) {
        sink.at(name, errors::no_value(key.name, key.takes));
        return Ok(None);
    }
    if key.takes == Takes::Type {
        if input.fork().parse::<Type>().is_err() {
            sink.at(next_token(input), errors::wrong_value(key.name, key.takes));
            skip_to_comma(input);
            return Ok(None);
        }
        return Ok(Some(Value::Type(Box::new(input.parse()?))));
    }
    let expr: Expr = input.parse()?;
    Ok(behind_equals(key, name, &expr, sink))
}

fn bare(key: &Key, name: &Ident, sink: &Sink) -> Option<Value> {
    match key.takes {
        Takes::Flag | Takes::MaybeExpr => Some(Value::Bare),
        Takes::Bool => Some(Value::Bool(true)),
        takes => {
            sink.at(name, errors::no_value(key.name, takes));
            None
        }
    }
}

fn in_parentheses(key: &Key, group: TokenTree, sink: &Sink) -> Option<Value> {
    let TokenTree::Group(inner) = &group else { return None };
    match key.takes {
        Takes::Group => Some(Value::Group(inner.stream())),
        Takes::Names => {
            let names = comma_separated(inner.stream(), sink, |name, _| Ok(Some(name.clone())));
            Some(Value::Names(names))
        }
        takes => {
            sink.at(group, errors::wrong_value(key.name, takes));
            None
        }
    }
}

fn behind_equals(key: &Key, name: &Ident, written: &Expr, sink: &Sink) -> Option<Value> {
    let expr = peel_expr(written);
    let value = match (key.takes, expr) {
        (Takes::Flag, Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }))
            if key.name == "side_effect" && !value.value() =>
        {
            sink.at(name, errors::SIDE_EFFECT_FALSE);
            return None;
        }
        (Takes::Bool, Expr::Lit(ExprLit { lit: Lit::Bool(value), .. })) => Value::Bool(value.value()),
        (Takes::Text, Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Value::Text(text.clone()),
        (Takes::Char, Expr::Lit(ExprLit { lit: Lit::Char(c), .. })) => Value::Char(c.clone()),
        (Takes::Texts, Expr::Array(array)) => match array.elems.iter().map(as_text).collect() {
            Some(texts) => Value::Texts(texts),
            None => return wrong(key, written, sink),
        },
        (Takes::Exprs, Expr::Array(array)) => Value::Exprs(array.elems.iter().cloned().collect()),
        (Takes::Expr | Takes::MaybeExpr, _) => Value::Expr(written.clone()),
        (Takes::Path, Expr::Path(path)) if path.qself.is_none() => Value::Path(path.path.clone()),
        (Takes::Ident, Expr::Path(path)) => match path.path.get_ident() {
            Some(name) => Value::Ident(name.clone()),
            None => return wrong(key, written, sink),
        },
        (Takes::Range, Expr::Range(range)) if is_between_numbers(range) => Value::Range(range.clone()),
        _ => return wrong(key, written, sink),
    };
    let empty = match &value {
        Value::Text(text) => text.value().is_empty(),
        Value::Texts(texts) => texts.is_empty(),
        Value::Exprs(exprs) => exprs.is_empty(),
        Value::Expr(expr) => {
            key.name == "description" && as_text(expr).is_some_and(|text| text.value().is_empty())
        }
        _ => false,
    };
    if empty {
        sink.at(written, errors::empty_value(key.name));
        return None;
    }
    Some(value)
}

/// Whether a range has an end, and none that is plainly no number.
fn is_between_numbers(range: &ExprRange) -> bool {
    let mut ends = [&range.start, &range.end].into_iter().flatten().peekable();
    let is_number = |end: &Expr| match peel_expr(end) {
        Expr::Lit(written) => matches!(written.lit, Lit::Int(_) | Lit::Float(_)),
        _ => true,
    };
    ends.peek().is_some() && ends.all(|end| is_number(end))
}

fn wrong(key: &Key, written: &Expr, sink: &Sink) -> Option<Value> {
    sink.at(written, errors::wrong_value(key.name, key.takes));
    None
}

/// The text of a string literal.
pub(crate) fn as_text(expr: &Expr) -> Option<LitStr> {
    match peel_expr(expr) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
        _ => None,
    }
}

/// The next token, for a span; at the end of the input its end.
fn next_token(input: ParseStream<'_>) -> TokenStream {
    match input.fork().parse::<TokenTree>() {
        Ok(token) => token.to_token_stream(),
        Err(_) => TokenStream::new(),
    }
}

fn skip_to_comma(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        let _ = input.parse::<TokenTree>();
    }
}

/// Skips what stands behind an unknown key; an expression or type may hold commas of its own.
pub(crate) fn skip_value(input: ParseStream<'_>) {
    if input.peek(Token![=]) {
        let _ = input.parse::<Token![=]>();
        if input.fork().parse::<Expr>().is_ok() {
            let _ = input.parse::<Expr>();
        } else if input.fork().parse::<Type>().is_ok() {
            let _ = input.parse::<Type>();
        }
    }
    skip_to_comma(input);
}
