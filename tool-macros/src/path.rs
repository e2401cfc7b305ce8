//! The one authority on how generated code reaches tool-core.

use proc_macro_crate::{Error, FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// Crates that re-export tool-core as `tool_core`.
const FACADES: [&str; 3] = ["toolbox", "tool-cli", "tool-std"];

/// The path of tool-core as the crate that is being compiled knows it; `None` when it does not depend on it.
pub(crate) fn root() -> Option<TokenStream> {
    match crate_name("tool-core") {
        Ok(FoundCrate::Itself) | Err(Error::CargoManifestDirNotSet) => return Some(quote!(::tool_core)),
        Ok(FoundCrate::Name(name)) => return Some(absolute(&name)),
        Err(_) => {}
    }
    FACADES.iter().find_map(|facade| match crate_name(facade) {
        Ok(FoundCrate::Itself) => Some(quote!(crate::tool_core)),
        Ok(FoundCrate::Name(name)) => {
            let facade = absolute(&name);
            Some(quote!(#facade::tool_core))
        }
        Err(_) => None,
    })
}

fn absolute(name: &str) -> TokenStream {
    let name = Ident::new(name, Span::mixed_site());
    quote!(::#name)
}
