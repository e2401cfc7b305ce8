//! How a parameter is stored between its decoding and the call, and how the function gets it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;

use super::over;
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
            Storage::Borrowed(ty) => item_of(ty, "Store", "Owned"),
            Storage::Lent(ty) => item_of(ty, "Lend", "Stored"),
        }
    }

    /// The argument of the call.
    pub(super) fn lend(&self, local: &Ident) -> TokenStream {
        match self {
            Storage::Owned(_) => quote!(#local),
            Storage::Borrowed(_) => quote_spanned!(Span::mixed_site()=> &#local),
            Storage::Lent(ty) => {
                let lend = item_of(ty, "Lend", "lend");
                quote_spanned!(Span::mixed_site()=> #lend(&#local))
            }
        }
    }
}

/// An item of a trait, spanned on the type: one that cannot be kept or lent is told where it is written.
fn item_of(ty: &impl ToTokens, of: &str, item: &str) -> TokenStream {
    let (first, last) = over(ty);
    let (of, item) = (Ident::new(of, first), Ident::new(item, last));
    quote_spanned!(first=> <#ty as __t::#of>::#item)
}

/// Whether a type holds no borrow; `'static` ones are owned.
fn is_owned(ty: &Type) -> bool {
    borrows(ty).iter().all(|borrow| matches!(borrow, Borrow::Lifetime { name, .. } if name == "static"))
}
