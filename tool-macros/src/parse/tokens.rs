//! Questions about types that are best asked of their tokens: borrows, lifetimes, `Self`.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Expr, Type};

/// The type behind invisible groups (types that come through `macro_rules!`) and parentheses.
pub(crate) fn peel(mut ty: &Type) -> &Type {
    loop {
        match ty {
            Type::Group(group) => ty = &group.elem,
            Type::Paren(paren) => ty = &paren.elem,
            other => return other,
        }
    }
}

/// The expression behind invisible groups and parentheses.
pub(crate) fn peel_expr(mut expr: &Expr) -> &Expr {
    loop {
        match expr {
            Expr::Group(group) => expr = &group.expr,
            Expr::Paren(paren) => expr = &paren.expr,
            other => return other,
        }
    }
}

/// Whether a type is a path that ends in a name.
pub(crate) fn ends_in(ty: &Type, name: &str) -> bool {
    matches!(peel(ty), Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

/// Source text of tokens, without blanks around punctuation.
pub(crate) fn text(tokens: impl ToTokens) -> String {
    let mut out = String::new();
    write_text(tokens.to_token_stream(), &mut out);
    out
}

fn write_text(tokens: TokenStream, out: &mut String) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                out.push_str(open);
                write_text(group.stream(), out);
                out.push_str(close);
            }
            TokenTree::Punct(punct) => {
                out.push(punct.as_char());
                if punct.as_char() == ',' {
                    out.push(' ');
                }
            }
            word => {
                if out.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                    out.push(' ');
                }
                out.push_str(&word.to_string());
            }
        }
    }
}

/// A borrow in the tokens of a type.
pub(crate) enum Borrow {
    /// `&` without a lifetime.
    Plain,
    /// A lifetime, with the span of its quote; `&'a` and `Cow<'a, …>` alike.
    Lifetime { name: Ident, span: Span, reference: bool },
    /// `&mut`.
    Mut,
}

/// Every borrow in the tokens of a type, in order.
pub(crate) fn borrows(ty: impl ToTokens) -> Vec<Borrow> {
    let mut found = Vec::new();
    collect_borrows(ty.to_token_stream(), &mut found);
    found
}

fn collect_borrows(tokens: TokenStream, found: &mut Vec<Borrow>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut reference = false;
    while let Some(token) = tokens.next() {
        let opened = std::mem::take(&mut reference);
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                if let Some(TokenTree::Ident(name)) = tokens.next() {
                    found.push(Borrow::Lifetime { name, span: punct.span(), reference: opened });
                }
                if opened && matches!(tokens.peek(), Some(TokenTree::Ident(next)) if next == "mut") {
                    found.push(Borrow::Mut);
                }
                continue;
            }
            TokenTree::Ident(word) if word == "mut" && opened => {
                found.push(Borrow::Mut);
                continue;
            }
            TokenTree::Punct(punct) if punct.as_char() == '&' => {
                found.extend(opened.then_some(Borrow::Plain));
                reference = true;
                continue;
            }
            TokenTree::Group(group) => collect_borrows(group.stream(), found),
            _ => {}
        }
        found.extend(opened.then_some(Borrow::Plain));
    }
}

/// Whether a word stands anywhere in the tokens.
pub(crate) fn mentions(tokens: impl ToTokens, word: &str) -> bool {
    tokens.to_token_stream().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => mentions(group.stream(), word),
        _ => false,
    })
}

/// Every word in the tokens.
pub(crate) fn words(tokens: &TokenStream) -> Vec<String> {
    let word = |token: TokenTree| match token {
        TokenTree::Ident(ident) => vec![ident.to_string()],
        TokenTree::Group(group) => words(&group.stream()),
        _ => Vec::new(),
    };
    tokens.clone().into_iter().flat_map(word).collect()
}

/// The type with `'static` for every lifetime, written or elided.
pub(crate) fn made_static(ty: impl ToTokens) -> TokenStream {
    with_lifetime(ty, &quote!('static))
}

/// The type with `'_` for every lifetime.
pub(crate) fn made_elided(ty: impl ToTokens) -> TokenStream {
    with_lifetime(ty, &quote!('_))
}

fn with_lifetime(ty: impl ToTokens, lifetime: &TokenStream) -> TokenStream {
    let mut tokens = ty.to_token_stream().into_iter().peekable();
    let mut out = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                tokens.next();
                out.extend(lifetime.clone());
            }
            TokenTree::Punct(punct) if punct.as_char() == '&' => {
                punct.to_tokens(&mut out);
                if !matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '\'') {
                    out.extend(lifetime.clone());
                }
            }
            TokenTree::Group(group) => {
                regrouped(&group, with_lifetime(group.stream(), lifetime)).to_tokens(&mut out)
            }
            other => other.to_tokens(&mut out),
        }
    }
    out
}

/// The tokens with a type for `Self`.
pub(crate) fn without_self(tokens: TokenStream, owner: &Type) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(word) if word == "Self" => owner.to_token_stream(),
            TokenTree::Group(group) => {
                regrouped(&group, without_self(group.stream(), owner)).to_token_stream()
            }
            other => other.to_token_stream(),
        })
        .collect()
}

fn regrouped(group: &Group, stream: TokenStream) -> Group {
    let mut new = Group::new(group.delimiter(), stream);
    new.set_span(group.span());
    new
}

/// The spans of the first and the last token.
pub(crate) fn ends(tokens: impl ToTokens) -> (Span, Span) {
    let mut spans = tokens.to_token_stream().into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}
