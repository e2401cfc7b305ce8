//! What only the type checker and const evaluation can refuse: never-called code, spanned on what the author wrote.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::Type;

use super::{at, over};
use crate::ir::{ExampleIr, ParamIr, ToolIr};
use crate::parse::tokens::{ends, made_elided};

/// The keys that ask for a kind of type.
const TYPED_KEYS: [&str; 8] = ["range", "len", "item_len", "pattern", "choices", "entries", "header", "last"];

/// Names what the author's keys ask for: paths whose bounds are checked, and that nothing calls.
pub(super) fn uses(ir: &ToolIr) -> TokenStream {
    let bounds = ir.params().flat_map(bounds);
    bounds.map(|path| quote_spanned!(Span::mixed_site()=> let _ = #path;)).collect()
}

/// What constants refuse, beside the rows.
pub(super) fn assertions(ir: &ToolIr) -> TokenStream {
    let order = order(ir);
    let examples = ir.examples.iter().flat_map(|example| omitted(ir, example));
    quote_spanned!(Span::mixed_site()=> #order #(#examples)*)
}

fn bounds(param: &ParamIr) -> impl Iterator<Item = TokenStream> + '_ {
    TYPED_KEYS.into_iter().filter(|key| param.attr.said.has(key)).map(|key| {
        let key = Ident::new(key, Span::mixed_site());
        let ty = made_elided(&param.ty);
        quote_spanned!(Span::mixed_site()=> __t::applies::#key::<#ty>)
    })
}

/// A list is the last positional, and none that is required comes after one that is not.
fn order(ir: &ToolIr) -> TokenStream {
    let positional: Vec<(usize, &Type)> = ir
        .params()
        .enumerate()
        .filter(|(_, param)| param.attr.said.has("positional"))
        .map(|(i, param)| (i, &param.ty))
        .collect();
    let pairs = positional.iter().zip(positional.iter().skip(1));
    pairs
        .map(|((earlier, _), (later, ty))| {
            let rows = quote_spanned!(Span::mixed_site()=> &__DEF.params[#earlier], &__DEF.params[#later]);
            assertion(over(ty), quote_spanned!(over(ty).0=> __t::after), rows)
        })
        .collect()
}

/// Parameters that an example leaves out must not be required.
fn omitted<'a>(ir: &'a ToolIr, example: &'a ExampleIr) -> impl Iterator<Item = TokenStream> + 'a {
    let given: Vec<String> = example.args.iter().map(|(key, _)| key.value()).collect();
    let params = ir.params().enumerate().filter(move |(_, param)| {
        !param.attr.said.has("flatten")
            && !given
                .iter()
                .any(|key| *key == param.name() || param.attr.aliases.iter().any(|a| a.value() == *key))
    });
    params.map(|(i, _)| {
        let span = at(ends(&example.label).0);
        let label = &example.label;
        let row = quote_spanned!(Span::mixed_site()=> #label, &__DEF.params[#i]);
        assertion((span, span), quote_spanned!(span=> __t::example_omits), row)
    })
}

fn assertion((_, last): (Span, Span), function: TokenStream, arguments: TokenStream) -> TokenStream {
    let mut arguments = proc_macro2::Group::new(proc_macro2::Delimiter::Parenthesis, arguments);
    arguments.set_span(last);
    quote_spanned!(Span::mixed_site()=> const _: () = #function #arguments;)
}
