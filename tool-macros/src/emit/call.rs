//! The entry of a call: takes every parameter, then moves all into a `Run` that calls the function.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ReturnType;

use super::storage::Storage;
use super::{at, over, param, probes};
use crate::ir::{CtxIr, InputIr, ParamIr, ToolIr, unraw};
use crate::parse::ctx_attr;
use crate::parse::tokens::made_static;

/// `fn __call`.
pub(super) fn call(ir: &ToolIr) -> TokenStream {
    let uses = probes::uses(ir);
    let takes: Vec<TokenStream> = ir.params().enumerate().map(|(i, param)| take(i, param)).collect();
    let taken =
        (!takes.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> let __taken = (#(#takes,)*);));
    let run = run(ir);
    quote_spanned! {Span::mixed_site()=>
        fn __call(__args: &mut __t::Args<'_>) -> __t::Result<__t::Run, __t::ToolError> {
            #uses
            #taken
            #run
        }
    }
}

/// The local of a parameter: its own name under the macro's hygiene, so that it hides nothing of the author's.
fn local(param: &ParamIr) -> Ident {
    let name = unraw(&param.ident);
    match syn::parse_str::<Ident>(&name) {
        Ok(_) => Ident::new(&name, Span::mixed_site()),
        Err(_) => Ident::new_raw(&name, Span::mixed_site()),
    }
}

fn take(i: usize, param: &ParamIr) -> TokenStream {
    let ty = param::decoded_type(i, param);
    let default = param.attr.default.as_ref().map(|_| {
        let default = default_fn(i, param);
        quote_spanned!(Span::mixed_site()=> , #default)
    });
    let method = Ident::new(if default.is_some() { "take_or" } else { "take" }, Span::mixed_site());
    match param::own_bound(i, param) {
        Some((bound, _)) => {
            quote_spanned!(Span::mixed_site()=> <#ty as #bound>::#method(__args, #i #default))
        }
        None => quote_spanned!(Span::mixed_site()=> __args.#method::<#ty>(#i #default)),
    }
}

fn default_fn(i: usize, param: &ParamIr) -> TokenStream {
    let name = param::default_name(i);
    if param.attr.schema_with.is_some() {
        let wrapper = param::wrapper_name(i);
        quote_spanned!(Span::mixed_site()=> || #wrapper(#name()))
    } else {
        quote!(#name)
    }
}

/// The parameters of the body: every value by its name.
fn values(ir: &ToolIr) -> TokenStream {
    let patterns = ir.params().enumerate().map(|(i, param)| {
        let local = local(param);
        if param.attr.schema_with.is_some() {
            let wrapper = param::wrapper_name(i);
            quote_spanned!(Span::mixed_site()=> #wrapper(#local))
        } else {
            local.to_token_stream()
        }
    });
    quote_spanned!(Span::mixed_site()=> (#(#patterns,)*))
}

fn run(ir: &ToolIr) -> TokenStream {
    let fetches = ir.capabilities().enumerate().map(|(i, ctx)| fetch(i, ctx));
    let receiver = ir.owner.as_ref().filter(|owner| owner.receiver).map(|_| {
        quote_spanned!(Span::mixed_site()=> let __self = <__Self as __t::Shared>::fetch(&__INJECT_SELF, &__ctx)?;)
    });
    let outcome = outcome(ir);
    let context = if ir.capabilities().next().is_some() || receiver.is_some() || ir.takes_context() {
        Ident::new("__ctx", Span::mixed_site())
    } else {
        Ident::new("_", Span::mixed_site())
    };
    let values = values(ir);
    let body = quote_spanned!(Span::mixed_site()=> { #receiver #(#fetches)* #outcome });
    let (function, body) = if ir.is_async {
        ("future", quote_spanned!(Span::mixed_site()=> |#values, #context| async move #body))
    } else {
        ("blocking", quote_spanned!(Span::mixed_site()=> |#values, #context| #body))
    };
    // A future that is not `Send` is told at the function's name.
    let function = Ident::new(function, at(ir.ident.span()));
    let taken = match ir.params().next() {
        Some(_) => quote_spanned!(Span::mixed_site()=> __taken),
        None => quote!(()),
    };
    quote_spanned!(at(ir.ident.span())=> __t::#function(__args, #taken, #body))
}

/// The call and the form of what it returns.
fn outcome(ir: &ToolIr) -> TokenStream {
    let call = call_expr(ir);
    let ReturnType::Type(_, ty) = &ir.output else {
        return quote_spanned!(Span::mixed_site()=> __t::empty(#call));
    };
    // A type that is no result or no error is told at the written type.
    let span = over(ty).0;
    let output = quote_spanned!(span=> __t::Of::returned(&__value).output(__value));
    let error = quote_spanned!(span=> __t::Of::failed(&__e).error(__e));
    quote_spanned! {Span::mixed_site()=>
        let __value = #call;
        match #output {
            __t::Ok(__output) => __output,
            __t::Err(__e) => __t::Err(#error),
        }
    }
}

fn call_expr(ir: &ToolIr) -> TokenStream {
    let mut ctx_index = 0;
    let mut arguments: Vec<TokenStream> = Vec::new();
    if ir.owner.as_ref().is_some_and(|owner| owner.receiver) {
        arguments.push(quote_spanned!(Span::mixed_site()=> <__Self as __t::Shared>::lend(&__self)));
    }
    for input in &ir.inputs {
        arguments.push(match input {
            InputIr::Param(param) => Storage::of(param).lend(&local(param)),
            InputIr::Context(_) => quote_spanned!(Span::mixed_site()=> &__ctx),
            InputIr::Ctx(ctx) => {
                let lent = lend(ctx_index, ctx);
                ctx_index += 1;
                lent
            }
        });
    }
    let ident = &ir.ident;
    let function = match &ir.owner {
        Some(owner) => {
            let ty = &owner.ty;
            quote!(<#ty>::#ident)
        }
        None => quote!(#ident),
    };
    let wait = ir.is_async.then(|| quote_spanned!(Span::mixed_site()=> .await));
    quote_spanned!(Span::mixed_site()=> #function(#(#arguments),*)#wait)
}

/// The local of the `i`-th capability.
fn held(i: usize) -> Ident {
    format_ident!("__held_{i}", span = Span::mixed_site())
}

fn fetch(i: usize, ctx: &CtxIr) -> TokenStream {
    let held = held(i);
    let fetched = match &ctx.secret {
        Some(key) if ctx_attr::is_optional(&ctx.ty) => {
            quote_spanned!(Span::mixed_site()=> __ctx.optional_secret(#key)?)
        }
        Some(key) => quote_spanned!(Span::mixed_site()=> __ctx.secret(#key)?),
        None => {
            let ty = made_static(&ctx.ty);
            let inject = param::inject_name(i);
            quote_spanned!(Span::mixed_site()=> <#ty as __t::Shared>::fetch(&#inject, &__ctx)?)
        }
    };
    quote_spanned!(Span::mixed_site()=> let #held = #fetched;)
}

fn lend(i: usize, ctx: &CtxIr) -> TokenStream {
    let held = held(i);
    match &ctx.secret {
        Some(_) if ctx_attr::is_optional(&ctx.ty) => quote_spanned!(Span::mixed_site()=> #held.as_deref()),
        Some(_) => quote_spanned!(Span::mixed_site()=> &#held),
        None => {
            let ty = made_static(&ctx.ty);
            quote_spanned!(Span::mixed_site()=> <#ty as __t::Shared>::lend(&#held))
        }
    }
}
