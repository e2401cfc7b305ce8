//! IR → tokens. Names are reached through one root path; tokens are spanned on the macro unless a message should point at
//! what the author wrote.

mod call;
mod def;
mod handle;
mod param;
mod probes;
mod storage;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Attribute;

use crate::ir::ToolIr;
pub(crate) use handle::{handle_name, pascal};

/// Everything that a correct tool adds beside its function.
pub(crate) fn tool(ir: &ToolIr, root: &TokenStream) -> TokenStream {
    let handle = handle::handle(ir);
    let tables = def::tables(ir, root);
    quote_spanned!(Span::mixed_site()=> #handle #tables)
}

/// What stands in for a tool whose function has errors, so that no second error follows.
pub(crate) fn dummy(ir: &ToolIr, root: &TokenStream) -> TokenStream {
    let handle = handle::handle(ir);
    let name = handle::name(ir);
    let ident = handle_name(ir);
    let cfgs = &ir.cfgs;
    quote_spanned! {Span::mixed_site()=>
        #handle
        #(#cfgs)*
        const _: () = {
            impl #root::Tool for #ident {
                const DEF: &'static #root::def::ToolDef<'static> = &#root::__private::BROKEN;
            }
            #name
        };
    }
}

/// The macro's hygiene at a place in the author's source: messages point there, lints do not look there.
fn at(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// The spans of a call expression that covers the given tokens.
fn over(tokens: impl ToTokens) -> (Span, Span) {
    let (first, last) = crate::parse::tokens::ends(tokens);
    (at(first), at(last))
}

/// The attributes that decide whether the function is there.
pub(crate) fn cfgs(attrs: &[Attribute]) -> Vec<Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("cfg") || is_cfg_attr(attr)).cloned().collect()
}

/// `#[cfg_attr(…, cfg(…))]`.
fn is_cfg_attr(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg_attr")
        && crate::parse::tokens::mentions(crate::parse::signature::inside(attr), "cfg")
}
