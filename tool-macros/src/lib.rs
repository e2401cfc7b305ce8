//! The attributes of tool-core: one annotated function is a tool.
//!
//! Every entry reads its attributes and signature into plain data (`ir`), checks it (`check`) and writes paths into
//! tool-core (`emit`). All mistakes of one function come out together, each at its token.

mod check;
mod emit;
mod errors;
mod example;
#[cfg(test)]
mod expansions;
mod ir;
mod parse;
mod path;
mod suggest;
mod tool;
mod tool_set;
mod toolbox;

use proc_macro::TokenStream;

/// Makes a function a tool.
#[proc_macro_attribute]
pub fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(attr.into(), item.into()).into()
}

/// Makes the methods of a type tools.
#[proc_macro_attribute]
pub fn toolbox(attr: TokenStream, item: TokenStream) -> TokenStream {
    toolbox::expand(attr.into(), item.into()).into()
}

/// A call that shows how a tool is used.
#[proc_macro_attribute]
pub fn example(attr: TokenStream, item: TokenStream) -> TokenStream {
    example::expand(attr.into(), item.into()).into()
}

/// A list of tools.
#[proc_macro]
pub fn tool_set(item: TokenStream) -> TokenStream {
    tool_set::expand(item.into()).into()
}
