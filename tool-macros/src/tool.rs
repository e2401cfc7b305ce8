//! `#[tool]`: a function becomes a tool.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{ReturnType, Type};

use crate::errors::{self, Sink};
use crate::ir::{ExampleIr, OwnerIr, ToolAttr, ToolIr};
use crate::parse::docs::Docs;
use crate::parse::signature::{self, Function, inside};
use crate::parse::tokens::{text, without_self};
use crate::parse::{example_attr, tool_attr};
use crate::{check, emit, path};

/// The attribute on a free function.
pub(crate) fn expand(attr: TokenStream, item: TokenStream) -> TokenStream {
    let sink = Sink::default();
    let Some(mut function) = function(&item, &sink) else {
        let errors = sink.into_tokens();
        return quote!(#item #errors);
    };
    let attr = tool_attr::tool(attr, &sink);
    if refuse_place(&function, &sink) {
        strip(&mut function);
        let errors = sink.into_tokens();
        return quote!(#function #errors);
    }
    let ir = read(&mut function, attr, None, &sink);
    let root = match &ir.attr.krate {
        Some(path) => Some(path.to_token_stream()),
        None => path::root(),
    };
    let Some(root) = root else {
        sink.at_span(proc_macro2::Span::call_site(), errors::NO_CORE);
        let errors = sink.into_tokens();
        return quote!(#function #errors);
    };
    let tool = finish(&ir, &root, sink);
    quote!(#function #tool)
}

/// Reads the item; `None` when it is no function, which has been reported.
fn function(item: &TokenStream, sink: &Sink) -> Option<Function> {
    let error = match syn::parse2(item.clone()) {
        Ok(function) => return Some(function),
        Err(error) => error,
    };
    let keyword = signature::keyword(item);
    match keyword.as_ref().map(ToString::to_string).as_deref() {
        Some("impl") => sink.at(keyword, errors::ON_IMPL),
        Some(_) if !is_fn(item) => sink.at(keyword, errors::NOT_A_FN),
        _ => sink.add(error),
    }
    None
}

/// Whether an item that does not parse was meant to be a function.
fn is_fn(item: &TokenStream) -> bool {
    item.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "fn"))
}

/// Whether it is a method, beside which no handle can stand.
fn refuse_place(function: &Function, sink: &Sink) -> bool {
    if let Some(receiver) = function.sig.receiver() {
        sink.at(receiver, errors::METHOD_OUTSIDE);
    }
    let no_body = text(&function.body) == ";";
    if no_body {
        sink.at(&function.sig.ident, errors::NO_BODY);
    }
    no_body || function.sig.receiver().is_some()
}

/// Takes off the parameters what only the macro reads, without looking at it.
fn strip(function: &mut Function) {
    signature::inputs(&mut function.sig, None, &Sink::default());
    take_attrs(function, &Sink::default());
}

/// Reads a function and takes the macro's attributes off it.
pub(crate) fn read(function: &mut Function, attr: ToolAttr, owner: Option<OwnerIr>, sink: &Sink) -> ToolIr {
    signature::check_form(function, sink);
    let examples = take_attrs(function, sink);
    let inputs = signature::inputs(&mut function.sig, owner.as_ref().map(|owner| &owner.ty), sink);
    let docs = match &attr.description {
        Some(expr) => Docs::from_expr(expr),
        None => Docs::from_attrs(&function.attrs),
    };
    let deprecated_attr = function.attrs.iter().any(|attr| attr.path().is_ident("deprecated"));
    let mut ir = ToolIr {
        vis: function.vis.clone(),
        ident: function.sig.ident.clone(),
        cfgs: emit::cfgs(&function.attrs),
        deprecated_attr,
        is_async: function.sig.asyncness.is_some(),
        output: output(&function.sig.output, owner.as_ref().map(|owner| &owner.ty)),
        owner,
        docs,
        attr,
        inputs,
        examples,
    };
    if ir.attr.deprecated.is_none() {
        ir.attr.deprecated = function.attrs.iter().find_map(deprecation_note);
    }
    ir
}

/// Checks and emits what stands beside the function.
pub(crate) fn finish(ir: &ToolIr, root: &TokenStream, sink: Sink) -> TokenStream {
    check::tool(ir, &sink);
    if sink.is_empty() {
        return emit::tool(ir, root);
    }
    let errors = sink.under(&ir.cfgs);
    let dummy = emit::dummy(ir, root);
    quote!(#errors #dummy)
}

/// Takes off `#[example]`, and `#[tool]` where it stands twice.
fn take_attrs(function: &mut Function, sink: &Sink) -> Vec<ExampleIr> {
    let mut examples = Vec::new();
    function.attrs.retain(|attr| {
        let Some(last) = attr.path().segments.last() else { return true };
        if last.ident == "example" {
            examples.extend(example_attr::example(inside(attr), attr.path(), sink));
            return false;
        }
        if last.ident == "tool" {
            sink.at(attr.path(), errors::TOOL_TWICE);
            return false;
        }
        true
    });
    examples
}

/// The return type, with the box for `Self`.
fn output(output: &ReturnType, owner: Option<&Type>) -> ReturnType {
    match (output, owner) {
        (ReturnType::Type(arrow, ty), Some(owner)) => {
            match syn::parse2(without_self(ty.to_token_stream(), owner)) {
                Ok(ty) => ReturnType::Type(*arrow, Box::new(ty)),
                Err(_) => output.clone(),
            }
        }
        _ => output.clone(),
    }
}

/// The `note` of `#[deprecated(note = "…")]`.
fn deprecation_note(attr: &syn::Attribute) -> Option<syn::LitStr> {
    if !attr.path().is_ident("deprecated") {
        return None;
    }
    if let syn::Meta::NameValue(pair) = &attr.meta {
        return crate::parse::keys::as_text(&pair.value);
    }
    let mut note = None;
    let _ = attr.parse_nested_meta(|meta| {
        let value = meta.value()?.parse::<syn::LitStr>()?;
        if meta.path.is_ident("note") {
            note = Some(value);
        }
        Ok(())
    });
    note
}
