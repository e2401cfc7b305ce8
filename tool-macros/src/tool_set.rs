//! `tool_set!`: a list of tools by const evaluation.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Path, Token, Visibility, bracketed};

use crate::emit::pascal;
use crate::errors::{self, Sink};
use crate::ir::unraw;
use crate::parse::tokens::text;
use crate::path;

/// The macro with one or more sets.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let sink = Sink::default();
    let Some(sets) = parse(item, &sink) else { return sink.into_tokens() };
    let Some(root) = path::root() else {
        sink.at_span(Span::call_site(), errors::NO_CORE);
        return sink.into_tokens();
    };
    let sets: TokenStream = sets.iter().map(|set| set.emit(&root, &sink)).collect();
    let errors = sink.into_tokens();
    quote!(#sets #errors)
}

/// `pub static NAME = [ATool, BTool];`
struct Set {
    attrs: Vec<Attribute>,
    vis: Visibility,
    name: Ident,
    entries: Punctuated<Entry, Token![,]>,
}

/// A handle, with its `#[cfg]`s.
struct Entry {
    attrs: Vec<Attribute>,
    path: Path,
}

/// Reads the sets; what is no set is told at its first wrong token.
fn parse(item: TokenStream, sink: &Sink) -> Option<Vec<Set>> {
    let parser = |input: ParseStream<'_>| {
        let mut sets = Vec::new();
        while !input.is_empty() || sets.is_empty() {
            sets.push(input.parse()?);
        }
        Ok(sets)
    };
    match parser.parse2(item) {
        Ok(sets) => Some(sets),
        Err(error) => {
            sink.at_span(error.span(), errors::SET_SYNTAX);
            None
        }
    }
}

impl Parse for Set {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        input.parse::<Token![static]>()?;
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        let list;
        bracketed!(list in input);
        let entries = list.parse_terminated(Entry::parse, Token![,])?;
        input.parse::<Token![;]>()?;
        Ok(Set { attrs, vis, name, entries })
    }
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Entry { attrs: input.call(Attribute::parse_outer)?, path: input.parse()? })
    }
}

impl Set {
    fn emit(&self, root: &TokenStream, sink: &Sink) -> TokenStream {
        let Set { attrs, vis, name, entries } = self;
        let kept = entries.iter().enumerate().filter(|(i, entry)| self.check(*i, entry, sink));
        let tools = kept.map(|(_, Entry { attrs, path })| {
            quote_spanned!(Span::mixed_site()=> #(#attrs)* <#path as #root::Tool>::DEF)
        });
        let doc = (!attrs.iter().any(|attr| attr.path().is_ident("doc")))
            .then(|| quote!(#[doc = " A set of tools."]));
        let own = unraw(name);
        quote_spanned! {Span::mixed_site()=>
            #(#attrs)*
            #doc
            #vis static #name: #root::ToolSet = #root::ToolSet {
                name: ::core::concat!(::core::module_path!(), "::", #own),
                tools: &[#(#tools),*],
            };
        }
    }

    /// Whether an entry is a handle that is not listed yet.
    fn check(&self, i: usize, entry: &Entry, sink: &Sink) -> bool {
        let written = text(&entry.path);
        let last = entry.path.segments.last().map(|last| unraw(&last.ident)).unwrap_or_default();
        if last.starts_with(|c: char| c.is_lowercase()) {
            let prefix = written.strip_suffix(&last).unwrap_or_default();
            sink.at(&entry.path, errors::not_a_handle(&written, &format!("{prefix}{}Tool", pascal(&last))));
            return false;
        }
        let listed = |other: &Entry| other.attrs.is_empty() && text(&other.path) == written;
        if entry.attrs.is_empty() && self.entries.iter().take(i).any(listed) {
            sink.at(&entry.path, errors::listed_twice(&written));
            return false;
        }
        true
    }
}
