//! The attributes of tool-core.

use proc_macro::TokenStream;

/// Makes a function a tool.
#[proc_macro_attribute]
pub fn tool(_: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Makes the methods of a type tools.
#[proc_macro_attribute]
pub fn toolbox(_: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// A call that shows how a tool is used.
#[proc_macro_attribute]
pub fn example(_: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// A list of tools.
#[proc_macro]
pub fn tool_set(item: TokenStream) -> TokenStream {
    item
}
