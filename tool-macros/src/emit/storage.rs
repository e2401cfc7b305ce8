//! How a parameter is stored between its decoding and the call, and how the function gets it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;

use crate::ir::ParamIr;
use crate::parse::tokens::{Borrow, borrows, made_static};

/// The storage of a parameter.
pub(super) enum Storage<'a> {
    /// The written type itself, moved into the call.
    Owned(&'a Type),
    /// `&T` without borrows inside: `<T as Store>::Owned`, lent by reference.
    Borrowed(&'a Type),
    /// A type with borrows inside: stored and lent by `Lend`.
    Lent(TokenStream),
}

impl<'a> Storage<'a> {
    pub(super) fn of(param: &'a ParamIr) -> Storage<'a> {
        if let Type::Reference(reference) = &param.ty
            && is_owned(&reference.elem)
        {
            return Storage::Borrowed(&reference.elem);
        }
        if is_owned(&param.ty) { Storage::Owned(&param.ty) } else { Storage::Lent(made_static(&param.ty)) }
    }

    /// The stored type.
    pub(super) fn ty(&self) -> TokenStream {
        match self {
            Storage::Owned(ty) => ty.to_token_stream(),
            Storage::Borrowed(ty) => quote_spanned!(Span::mixed_site()=> <#ty as __t::Store>::Owned),
            Storage::Lent(ty) => quote_spanned!(Span::mixed_site()=> <#ty as __t::Lend>::Stored),
        }
    }

    /// The argument of the call.
    pub(super) fn lend(&self, local: &Ident) -> TokenStream {
        match self {
            Storage::Owned(_) => quote!(#local),
            Storage::Borrowed(_) => quote_spanned!(Span::mixed_site()=> &#local),
            Storage::Lent(ty) => quote_spanned!(Span::mixed_site()=> <#ty as __t::Lend>::lend(&#local)),
        }
    }
}

/// Whether a type holds no borrow; `'static` ones are owned.
fn is_owned(ty: &Type) -> bool {
    borrows(ty).iter().all(|borrow| matches!(borrow, Borrow::Lifetime { name, .. } if name == "static"))
}
