//! A function → IR. Attributes, visibility and signature are read; the body stays tokens, so that an error inside it is
//! rustc's alone.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{
    Attribute, FnArg, GenericArgument, GenericParam, Meta, Pat, PatType, PathArguments, Receiver,
    ReceiverKind, ReturnType, Safety, Signature, Type, Visibility,
};

use super::docs::Docs;
use super::tokens::{Borrow, borrows, ends_in, mentions, peel, text, without_self};
use super::{arg_attr, ctx_attr};
use crate::errors::{self, Sink};
use crate::ir::{InputIr, ParamIr, unraw};

/// The most parameters that a tool takes.
const MAX_PARAMS: usize = 32;

/// A function as written.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    /// The block, or the semicolon of a trait method.
    pub(crate) body: TokenStream,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Function {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            sig: input.parse()?,
            body: input.parse()?,
        })
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, out: &mut TokenStream) {
        let Function { attrs, vis, sig, body } = self;
        out.extend(quote!(#(#attrs)* #vis #sig #body));
    }
}

/// The first word of an item behind its attributes and visibility.
pub(crate) fn keyword(item: &TokenStream) -> Option<TokenTree> {
    let parser = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        let word = input.parse::<TokenTree>()?;
        input.parse::<TokenStream>()?;
        Ok(word)
    };
    parser.parse2(item.clone()).ok()
}

/// What is wrong with the form of the function itself.
pub(crate) fn check_form(function: &Function, sink: &Sink) {
    let sig = &function.sig;
    if let Safety::Unsafe(keyword) = &sig.safety {
        sink.at(keyword, errors::UNSAFE);
    }
    if let Some(abi) = &sig.abi {
        sink.at(abi, errors::EXTERN);
    }
    for param in &sig.generics.params {
        match param {
            GenericParam::Type(ty) => sink.at(param, errors::generic_type(&ty.ident)),
            GenericParam::Const(constant) => sink.at(constant.const_token, errors::GENERIC_CONST),
            GenericParam::Lifetime(_) => {}
        }
    }
    if let ReturnType::Type(_, ty) = &sig.output
        && mentions(ty, "impl")
    {
        sink.at(ty, errors::IMPL_RETURN);
    }
    if let Some(variadic) = &sig.variadic {
        sink.at(variadic, errors::NEEDS_NAME);
    }
}

/// What is wrong with a receiver inside a toolbox.
pub(crate) fn check_receiver(receiver: &Receiver, sink: &Sink) {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => {}
        ReceiverKind::Reference(_, _, Some(_)) => sink.at(receiver, errors::RECEIVER_MUT),
        _ => sink.at(receiver, errors::RECEIVER_VALUE),
    }
}

/// Reads the inputs and takes their attributes off the signature.
pub(crate) fn inputs(sig: &mut Signature, owner: Option<&Type>, sink: &Sink) -> Vec<InputIr> {
    let mut inputs = Vec::new();
    let mut context: Option<String> = None;
    let mut params = 0;
    for arg in &mut sig.inputs {
        let FnArg::Typed(arg) = arg else { continue };
        let Some(input) = input(arg, owner, sink) else { continue };
        match &input {
            InputIr::Context(ident) => match &context {
                Some(first) => sink.at(ident, errors::second_context(first)),
                None => context = Some(unraw(ident)),
            },
            InputIr::Param(_) => {
                params += 1;
                if params == MAX_PARAMS + 1 {
                    sink.at(&*arg, errors::TOO_MANY);
                }
            }
            InputIr::Ctx(_) => {}
        }
        inputs.push(input);
    }
    inputs
}

/// The attributes of one parameter, sorted by whom they are for.
#[derive(Default)]
struct ParamAttrs {
    docs: Vec<Attribute>,
    arg: TokenStream,
    arg_word: Option<TokenStream>,
    ctx: Option<TokenStream>,
}

fn input(arg: &mut PatType, owner: Option<&Type>, sink: &Sink) -> Option<InputIr> {
    let attrs = take_attrs(&mut arg.attrs, sink);
    let ty = match owner {
        Some(owner) => syn::parse2(without_self(arg.ty.to_token_stream(), owner)).ok()?,
        None => (*arg.ty).clone(),
    };
    let is_context = is_context(&ty);
    let ident = match (&*arg.pat, &attrs.ctx) {
        (Pat::Ident(pat), _) if pat.subpat.is_none() && pat.by_ref.is_none() => pat.ident.clone(),
        (_, Some(_)) => Ident::new("_", proc_macro2::Span::call_site()),
        (Pat::Wild(_), None) if is_context => Ident::new("_", proc_macro2::Span::call_site()),
        (pat, None) => {
            sink.at(pat, errors::NEEDS_NAME);
            return None;
        }
    };
    if is_context {
        if let Some(word) = attrs.arg_word {
            sink.at(word, errors::ARG_ON_CONTEXT);
        }
        if let Some(tokens) = attrs.ctx.filter(|tokens| !tokens.is_empty()) {
            ctx_attr::ctx(tokens, ident.clone(), &ty, sink);
        }
        return Some(InputIr::Context(ident));
    }
    if attrs.ctx.is_none() && mentions(&ty, "ToolContext") {
        sink.at(ty, errors::OWNED_CONTEXT);
        return None;
    }
    if let Some(tokens) = attrs.ctx {
        if let Some(word) = attrs.arg_word {
            sink.at(word, errors::CTX_AND_ARG);
        }
        return Some(InputIr::Ctx(Box::new(ctx_attr::ctx(tokens, ident, &ty, sink))));
    }
    check_type(&ident, &ty, sink);
    let keys = match owner {
        Some(owner) => without_self(attrs.arg, owner),
        None => attrs.arg,
    };
    let attr = arg_attr::arg(keys, sink);
    let docs = match &attr.description {
        Some(expr) => Docs::from_expr(expr),
        None => Docs::from_attrs(&attrs.docs),
    };
    Some(InputIr::Param(Box::new(ParamIr { ident, ty: peel(&ty).clone(), docs, attr })))
}

/// Takes off what the macro reads; lint levels stay where they are.
fn take_attrs(attrs: &mut Vec<Attribute>, sink: &Sink) -> ParamAttrs {
    let mut found = ParamAttrs::default();
    attrs.retain(|attr| {
        let path = text(attr.path());
        match path.as_str() {
            "allow" | "warn" | "deny" | "forbid" | "expect" => return true,
            "doc" => found.docs.push(attr.clone()),
            "arg" => {
                let inside = inside(attr);
                found.arg.extend(quote!(#inside,));
                found.arg_word = Some(attr.path().to_token_stream());
            }
            "ctx" => {
                let inside = inside(attr);
                let ctx = found.ctx.get_or_insert_default();
                *ctx = if ctx.is_empty() { inside } else { quote!(#ctx, #inside) };
            }
            "cfg" | "cfg_attr" => sink.at(attr.path(), errors::CFG_ON_PARAM),
            _ => sink.at(attr.path(), errors::other_attribute(&path)),
        }
        false
    });
    if found.arg.to_string() == "," {
        found.arg = TokenStream::new();
    }
    found
}

/// What stands in the parentheses of an attribute.
pub(crate) fn inside(attr: &Attribute) -> TokenStream {
    match &attr.meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(pair) => {
            let value = &pair.value;
            quote!(= #value)
        }
        Meta::Path(_) => TokenStream::new(),
    }
}

/// `&ToolContext`, under whatever path.
fn is_context(ty: &Type) -> bool {
    matches!(peel(ty), Type::Reference(reference) if reference.mutability.is_none() && ends_in(&reference.elem, "ToolContext"))
}

fn check_type(ident: &Ident, ty: &Type, sink: &Sink) {
    let name = unraw(ident);
    if mentions(ty, "impl") {
        sink.at(ty, errors::impl_param(&name));
        return;
    }
    if mentions(ty, "fn") {
        sink.at(ty, errors::not_an_arg(&text(ty)));
        return;
    }
    for borrow in borrows(ty) {
        match borrow {
            Borrow::Mut => {
                sink.at(ty, errors::mut_param(&name));
                return;
            }
            Borrow::Lifetime { name: lifetime, span, reference: true } if lifetime == "static" => {
                sink.at_span(span, errors::static_param(&name));
                return;
            }
            Borrow::Lifetime { .. } | Borrow::Plain => {}
        }
    }
    if borrows_a_borrow(ty) || holds_a_borrow(ty) || mentions(ty, "dyn") {
        sink.at(ty, errors::not_an_arg(&text(ty)));
    }
}

/// Whether a tuple or an array holds a borrow, for which nothing could be stored that lends.
fn holds_a_borrow(ty: &Type) -> bool {
    match peel(ty) {
        Type::Tuple(tuple) => tuple.elems.iter().any(|elem| !borrows(elem).is_empty()),
        Type::Array(array) => !borrows(&array.elem).is_empty(),
        _ => false,
    }
}

/// Whether a borrow holds another one, as in `&[&str]`: a call has one owner to lend from, not two.
fn borrows_a_borrow(ty: &Type) -> bool {
    let holds_borrow = |ty: &Type| {
        borrows(ty).iter().any(|borrow| match borrow {
            Borrow::Lifetime { name, .. } => name != "static",
            Borrow::Plain | Borrow::Mut => true,
        })
    };
    match ty {
        Type::Group(group) => borrows_a_borrow(&group.elem),
        Type::Paren(paren) => borrows_a_borrow(&paren.elem),
        Type::Slice(slice) => borrows_a_borrow(&slice.elem),
        Type::Array(array) => borrows_a_borrow(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(borrows_a_borrow),
        Type::Reference(reference) => holds_borrow(&reference.elem),
        Type::Path(path) => path.path.segments.iter().any(|segment| {
            let PathArguments::AngleBracketed(written) = &segment.arguments else { return false };
            let borrowed = written.args.iter().any(|arg| matches!(arg, GenericArgument::Lifetime(_)));
            let types = written.args.iter().filter_map(|arg| match arg {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            types.into_iter().any(|ty| borrows_a_borrow(ty) || (borrowed && holds_borrow(ty)))
        }),
        _ => false,
    }
}
