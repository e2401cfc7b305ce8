//! `#[ctx]` → IR.

use proc_macro2::{Ident, TokenStream};
use syn::{GenericArgument, PathArguments, Type};

use super::keys::{self, Value};
use super::tokens::{Borrow, borrows, ends_in, peel, text};
use crate::errors::{self, Sink};
use crate::ir::CtxIr;

/// A `#[ctx]` input.
pub(crate) fn ctx(tokens: TokenStream, ident: Ident, ty: &Type, sink: &Sink) -> CtxIr {
    let unknown = |key: &str| match key {
        "optional" => errors::optional_ctx_key(&text(bare(ty))),
        _ => errors::unknown_ctx_key(key),
    };
    let mut secret = None;
    let entries = keys::CTX.read_or(tokens, sink, unknown);
    let asks_for_secret = entries.iter().any(|entry| entry.key == "secret");
    for entry in entries {
        if let Value::Text(key) = entry.value {
            secret = Some(key);
        }
    }
    if asks_for_secret {
        if !is_secret(ty) {
            sink.at(ty, errors::SECRET_TYPE);
        }
    } else if !is_shared(ty) {
        sink.at(ty, errors::owned_capability(&text(bare(ty))));
    }
    CtxIr { ident, ty: peel(ty).clone(), secret }
}

/// `&T`, `Arc<T>` or an `Option` of these.
fn is_shared(ty: &Type) -> bool {
    if borrows(ty).iter().any(|borrow| matches!(borrow, Borrow::Mut)) {
        return false;
    }
    match peel(ty) {
        Type::Reference(_) => true,
        ty if ends_in(ty, "Arc") => true,
        ty => optional(ty).is_some_and(is_shared),
    }
}

/// `&Secret` or `Option<&Secret>`.
fn is_secret(ty: &Type) -> bool {
    match peel(ty) {
        Type::Reference(reference) => reference.mutability.is_none() && ends_in(&reference.elem, "Secret"),
        ty => optional(ty).is_some_and(|inner| matches!(peel(inner), Type::Reference(_)) && is_secret(inner)),
    }
}

/// Whether a secret is optional.
pub(crate) fn is_optional(ty: &Type) -> bool {
    optional(ty).is_some()
}

/// The `T` of `Option<T>`.
fn optional(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = peel(ty) else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) => Some(inner),
        _ => None,
    }
}

/// The capability's own type: without `Option` and reference.
fn bare(ty: &Type) -> &Type {
    match peel(ty) {
        Type::Reference(reference) => bare(&reference.elem),
        ty => optional(ty).map_or(ty, bare),
    }
}
