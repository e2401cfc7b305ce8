//! `#[example]`: read by the `#[tool]` above it; alone it is in the wrong place.

use proc_macro2::{Span, TokenStream};
use quote::quote;

use crate::errors::{self, Sink};

/// The attribute where no `#[tool]` took it off.
pub(crate) fn expand(_: TokenStream, item: TokenStream) -> TokenStream {
    let sink = Sink::default();
    sink.at_span(Span::call_site(), errors::EXAMPLE_ABOVE);
    let errors = sink.into_tokens();
    quote!(#item #errors)
}
