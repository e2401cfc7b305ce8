//! The definition: one static table, and the items it refers to.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{LitStr, ReturnType, Type};

use super::param::{doc, inject_name, items, row, variant};
use super::{call, handle, handle_name, over, probes};
use crate::ir::{SecretIr, ToolIr};
use crate::parse::ctx_attr;
use crate::parse::example_attr::object_text;
use crate::parse::tokens::{made_static, text};

/// `const _: () = { … };` with everything but the handle.
pub(super) fn tables(ir: &ToolIr, root: &TokenStream) -> TokenStream {
    let cfgs = &ir.cfgs;
    let handle = handle_name(ir);
    let allow = ir.deprecated_attr.then(|| quote!(#[allow(deprecated)]));
    let params = ir.params().enumerate().map(|(i, param)| items(i, param));
    let injects = injects(ir);
    let name = handle::name(ir);
    let def = def(ir);
    let call = call::call(ir);
    let assertions = probes::assertions(ir);
    let submit = (!ir.attr.unregistered)
        .then(|| quote_spanned!(Span::mixed_site()=> __t::submit!(__t::Registration(&__DEF));));
    quote_spanned! {Span::mixed_site()=>
        #(#cfgs)*
        #allow
        const _: () = {
            use #root::__private::{self as __t, rungs::*};
            #(#params)*
            #injects
            static __CACHE: __t::Cache = __t::Cache::new();
            static __DEF: __t::ToolDef<'static> = #def;
            #call
            impl __t::Tool for #handle {
                const DEF: &'static __t::ToolDef<'static> = &__DEF;
            }
            #name
            #submit
            #assertions
        };
    }
}

/// What each capability needs, in one place.
fn injects(ir: &ToolIr) -> TokenStream {
    let mut out = TokenStream::new();
    if let Some(owner) = ir.owner.as_ref().filter(|owner| owner.receiver) {
        let ty = &owner.ty;
        let new = inject(ty.to_token_stream(), quote!(#ty), quote!(false));
        out.extend(quote_spanned! {Span::mixed_site()=>
            type __Self = &'static #ty;
            const __INJECT_SELF: __t::Inject<#ty> = #new;
        });
    }
    for (i, ctx) in ir.capabilities().enumerate().filter(|(_, ctx)| ctx.secret.is_none()) {
        let name = inject_name(i);
        let ty = made_static(&ctx.ty);
        let target = quote_spanned!(Span::mixed_site()=> <#ty as __t::Shared>::Target);
        let optional = quote_spanned!(Span::mixed_site()=> <#ty as __t::Shared>::OPTIONAL);
        let new = inject(ctx.ty.to_token_stream(), target.clone(), optional);
        out.extend(quote_spanned!(Span::mixed_site()=> const #name: __t::Inject<#target> = #new;));
    }
    out
}

fn inject(written: TokenStream, target: TokenStream, optional: TokenStream) -> TokenStream {
    let (first, _) = over(written);
    quote_spanned!(first=> __t::Inject::<#target>::new(#optional))
}

fn def(ir: &ToolIr) -> TokenStream {
    let name = ir.name();
    let doc = doc(&ir.docs);
    let kind = Ident::new(if ir.is_async { "Async" } else { "Sync" }, Span::mixed_site());
    let group = option(ir.attr.group.as_ref().map(some));
    let rows = ir.params().enumerate().map(|(i, param)| row(i, param));
    let output = option(output(ir));
    let origin = origin();
    let base = quote_spanned! {Span::mixed_site()=>
        __t::tool(
            #name, #doc, #group, &[#(#rows),*], #output, __t::Handler::#kind(__call), #origin, &__CACHE
        )
    };
    let mut fields = Fields::default();
    fields.set("behavior", behavior(ir));
    fields.set("takes_context", ir.takes_context().then(|| quote!(true)));
    let keys = keys(ir).0;
    if !keys.is_empty() {
        let keys = quote_spanned!(Span::mixed_site()=> &__t::ToolKeys { #(#keys,)* ..__t::ToolKeys::NONE });
        fields.set("keys", Some(keys));
    }
    let fields = fields.0;
    if fields.is_empty() {
        return base;
    }
    quote_spanned!(Span::mixed_site()=> __t::ToolDef { #(#fields,)* ..#base })
}

/// Fields of a struct that are not as they mostly are.
#[derive(Default)]
struct Fields(Vec<TokenStream>);

impl Fields {
    fn set(&mut self, name: &str, value: Option<TokenStream>) {
        let name = Ident::new(name, Span::mixed_site());
        self.0.extend(value.map(|value| quote_spanned!(Span::mixed_site()=> #name: #value)));
    }
}

/// The rarer keys.
fn keys(ir: &ToolIr) -> Fields {
    let attr = &ir.attr;
    let mut fields = Fields::default();
    let mut set = |name: &str, value: Option<TokenStream>| fields.set(name, value);
    for (name, text) in [("title", &attr.title), ("summary", &attr.summary), ("deprecated", &attr.deprecated)]
    {
        set(name, text.as_ref().map(some));
    }
    for flag in ["hidden", "terminal", "paged"] {
        set(flag, attr.said.has(flag).then(|| quote!(true)));
    }
    set("aliases", texts(&attr.aliases));
    set("tags", tags(ir));
    set("capabilities", capabilities(ir));
    set("secrets", secrets(ir));
    set("examples", examples(ir));
    set("constraints", constraints(ir));
    set(
        "timeout",
        attr.timeout
            .as_ref()
            .and_then(|written| crate::check::effects::milliseconds(&written.value()))
            .map(|ms| quote_spanned!(Span::mixed_site()=> __t::Some(__t::Duration::from_millis(#ms)))),
    );
    set("surfaces", surfaces(ir));
    set("replay_manual", attr.replay.is_some().then(|| quote!(true)));
    set(
        "log",
        attr.log.as_ref().map(|word| {
            let variant = variant(&word.value());
            quote_spanned!(Span::mixed_site()=> __t::LogMode::#variant)
        }),
    );
    for (key, path) in [("reconcile", &attr.reconcile), ("revert", &attr.revert)] {
        set(key, path.as_ref().map(|path| handle_of(key, path)));
    }
    fields
}

/// A function that a key names: its path, and a call of it whose answer may come now or later.
fn handle_of(key: &str, path: &syn::Path) -> TokenStream {
    let key = Ident::new(key, Span::mixed_site());
    let written = text(path);
    some(quote_spanned! {Span::mixed_site()=>
        __t::Handle { path: #written, run: |__call, __ctx| __t::#key(#path(__call, __ctx)) }
    })
}

/// The package is known to the macro, the place only to the compiler.
fn origin() -> TokenStream {
    let cargo = |key| std::env::var(key).unwrap_or_default();
    let (package, version) = (cargo("CARGO_PKG_NAME"), cargo("CARGO_PKG_VERSION"));
    quote_spanned!(Span::mixed_site()=> __t::origin!(#package #version))
}

fn option(value: Option<TokenStream>) -> TokenStream {
    value.unwrap_or_else(|| quote_spanned!(Span::mixed_site()=> __t::None))
}

fn some(value: impl ToTokens) -> TokenStream {
    quote_spanned!(Span::mixed_site()=> __t::Some(#value))
}

fn texts(texts: &[LitStr]) -> Option<TokenStream> {
    (!texts.is_empty()).then(|| quote!(&[#(#texts),*]))
}

fn tags(ir: &ToolIr) -> Option<TokenStream> {
    let mut tags: Vec<String> = ir.attr.tags.iter().map(LitStr::value).collect();
    tags.sort();
    tags.dedup();
    (!tags.is_empty()).then(|| quote!(&[#(#tags),*]))
}

/// `None` for a pure read of this host.
fn behavior(ir: &ToolIr) -> Option<TokenStream> {
    let attr = &ir.attr;
    let destructive = attr.said.has("destructive");
    let side_effect = destructive || attr.said.has("side_effect");
    let idempotent = attr.idempotent.unwrap_or(!side_effect);
    let open_world = attr.open_world;
    if !side_effect && idempotent && !open_world {
        return None;
    }
    Some(quote_spanned! {Span::mixed_site()=>
        __t::Behavior {
            side_effect: #side_effect, idempotent: #idempotent, destructive: #destructive, open_world: #open_world
        }
    })
}

fn capabilities(ir: &ToolIr) -> Option<TokenStream> {
    let own = ir
        .owner
        .as_ref()
        .filter(|owner| owner.receiver)
        .map(|_| quote_spanned!(Span::mixed_site()=> __INJECT_SELF.def));
    let others = ir.capabilities().enumerate().filter(|(_, ctx)| ctx.secret.is_none()).map(|(i, _)| {
        let name = inject_name(i);
        quote_spanned!(Span::mixed_site()=> #name.def)
    });
    let defs: Vec<TokenStream> = own.into_iter().chain(others).collect();
    (!defs.is_empty()).then(|| quote!(&[#(#defs),*]))
}

fn secrets(ir: &ToolIr) -> Option<TokenStream> {
    let declared = ir.attr.secrets.iter().map(secret);
    let injected = ir.capabilities().filter_map(|ctx| {
        let key = ctx.secret.as_ref()?;
        let required = quote_spanned!(Span::mixed_site()=> __t::SecretDef::required(#key));
        Some(if ctx_attr::is_optional(&ctx.ty) {
            quote_spanned!(Span::mixed_site()=> __t::SecretDef { optional: true, ..#required })
        } else {
            required
        })
    });
    let defs: Vec<TokenStream> = declared.chain(injected).collect();
    (!defs.is_empty()).then(|| quote!(&[#(#defs),*]))
}

fn secret(secret: &SecretIr) -> TokenStream {
    let key = &secret.key;
    let base = quote_spanned!(Span::mixed_site()=> __t::SecretDef::required(#key));
    let mut fields = Vec::new();
    if let Some(label) = &secret.label {
        fields.push(quote_spanned!(Span::mixed_site()=> label: __t::Some(#label)));
    }
    if let Some(description) = &secret.description {
        fields.push(quote_spanned!(Span::mixed_site()=> description: __t::Some(#description)));
    }
    if secret.optional {
        fields.push(quote!(optional: true));
    }
    if !secret.choices.is_empty() {
        let choices = &secret.choices;
        fields.push(quote!(choices: &[#(#choices),*]));
    }
    if fields.is_empty() {
        return base;
    }
    quote_spanned!(Span::mixed_site()=> __t::SecretDef { #(#fields,)* ..#base })
}

fn examples(ir: &ToolIr) -> Option<TokenStream> {
    let examples = ir.examples.iter().map(|example| {
        let label = &example.label;
        let args = object_text(&example.args);
        let result = match &example.result {
            Some(result) => some(result.text()),
            None => quote_spanned!(Span::mixed_site()=> __t::None),
        };
        quote_spanned!(Span::mixed_site()=> __t::Example { label: #label, args: #args, result: #result })
    });
    (!ir.examples.is_empty()).then(|| quote!(&[#(#examples),*]))
}

fn constraints(ir: &ToolIr) -> Option<TokenStream> {
    let constraints = ir.attr.constraints.iter().map(|constraint| {
        let kind = variant(constraint.key);
        let names =
            constraint.params.iter().map(|name| crate::check::names::wire_name(ir, &crate::ir::unraw(name)));
        quote_spanned!(Span::mixed_site()=> __t::Constraint::#kind(&[#(#names),*]))
    });
    (!ir.attr.constraints.is_empty()).then(|| quote!(&[#(#constraints),*]))
}

fn surfaces(ir: &ToolIr) -> Option<TokenStream> {
    let words: Vec<String> = match &ir.attr.surfaces {
        Some(names) => names.iter().map(crate::ir::unraw).collect(),
        None if ir.attr.said.has("terminal") => vec!["llm".to_owned()],
        None => return None,
    };
    let surfaces = words.iter().map(|word| variant(word));
    Some(quote_spanned!(Span::mixed_site()=> __t::Surfaces::NONE #(.with(__t::Surface::#surfaces))*))
}

/// The schema of the result; a fn that returns nothing has none.
fn output(ir: &ToolIr) -> Option<TokenStream> {
    if let Some(ty) = &ir.attr.output {
        return Some(quote_spanned!(Span::mixed_site()=> __t::Some(__t::output_of::<#ty>)));
    }
    let ReturnType::Type(_, ty) = &ir.output else { return None };
    if matches!(&**ty, Type::Tuple(tuple) if tuple.elems.is_empty()) {
        return None;
    }
    let ty = made_static(ty);
    Some(quote_spanned!(Span::mixed_site()=> __t::Some(__t::output!(#ty))))
}
