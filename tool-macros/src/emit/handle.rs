//! The handle: a unit struct beside the function, for typed use.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::{Type, Visibility};

use super::at;
use crate::ir::{ToolIr, unraw};
use crate::parse::tokens::peel;

/// `read_file` → `ReadFileTool`; of a method `FilesReadTool`.
pub(crate) fn handle_name(ir: &ToolIr) -> Ident {
    if let Some(handle) = &ir.attr.handle {
        let mut handle = handle.clone();
        handle.set_span(at(handle.span()));
        return handle;
    }
    let owner = ir.owner.as_ref().map(|owner| type_name(&owner.ty)).unwrap_or_default();
    let name = format!("{owner}{}Tool", pascal(&unraw(&ir.ident)));
    // Of `_1` only the digit is left, which begins no identifier.
    let under = if name.starts_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    Ident::new(&format!("{under}{name}"), at(ir.ident.span()))
}

/// `read_file` → `ReadFile`.
pub(crate) fn pascal(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut start = true;
    for c in name.chars() {
        match c {
            '_' => start = true,
            c if start => {
                out.extend(c.to_uppercase());
                start = false;
            }
            c => out.push(c),
        }
    }
    out
}

/// The last word of a type's path.
fn type_name(ty: &Type) -> String {
    match peel(ty) {
        Type::Path(path) => path.path.segments.last().map(|last| unraw(&last.ident)).unwrap_or_default(),
        _ => String::new(),
    }
}

/// The struct.
pub(super) fn handle(ir: &ToolIr) -> TokenStream {
    let ident = handle_name(ir);
    let doc = format!(" The tool `{}`.", ir.name());
    let cfgs = &ir.cfgs;
    let vis = visibility(&ir.vis);
    quote_spanned! {Span::mixed_site()=>
        #(#cfgs)*
        #[doc = #doc]
        #vis struct #ident;
    }
}

/// The name as a constant, for matches and messages.
pub(super) fn name(ir: &ToolIr) -> TokenStream {
    let ident = handle_name(ir);
    let name = ir.name();
    quote_spanned! {Span::mixed_site()=>
        impl #ident {
            /// The tool's name.
            pub const NAME: &'static str = #name;
        }
    }
}

/// The function's visibility under the macro's hygiene: lints about it are told once, at the function.
fn visibility(vis: &Visibility) -> TokenStream {
    respanned(quote::ToTokens::to_token_stream(vis))
}

fn respanned(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            if let proc_macro2::TokenTree::Group(group) = &token {
                token = proc_macro2::Group::new(group.delimiter(), respanned(group.stream())).into();
            }
            token.set_span(at(token.span()));
            token
        })
        .collect()
}
