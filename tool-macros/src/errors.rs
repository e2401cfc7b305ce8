//! The sink that gathers every mistake of one use of a macro, and every sentence that the macros say.
//!
//! A sentence says what is wrong, then what to do: lower case, no full stop, code in backticks.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

use crate::parse::keys::Takes;

/// Gathers errors; all of them come out together.
#[derive(Default)]
pub(crate) struct Sink(RefCell<Vec<syn::Error>>);

impl Sink {
    /// Something is wrong with these tokens.
    pub(crate) fn at(&self, tokens: impl ToTokens, message: impl Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    /// Something is wrong at this place.
    pub(crate) fn at_span(&self, span: Span, message: impl Display) {
        self.add(syn::Error::new(span, message));
    }

    /// Takes over an error of the parser.
    pub(crate) fn add(&self, error: syn::Error) {
        self.0.borrow_mut().push(error);
    }

    /// Whether nothing is wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Every error as a `compile_error!`.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.into_inner().into_iter().map(syn::Error::into_compile_error).collect()
    }
}

/// What names of tools and parameters look like.
pub(crate) const NAME_PATTERN: &str = "^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$";

// ---- keys -------------------------------------------------------------------------------------------------------------

pub(crate) const NOT_A_KEY: &str = "expected a key, as in `group = \"file\"` or `side_effect`";
pub(crate) const SIDE_EFFECT_FALSE: &str =
    "`side_effect = false` says nothing: a tool has no side effect unless it says so; remove it";

pub(crate) fn unknown_key(key: &str, attr: &str, near: Option<&str>, mut known: Vec<&str>) -> String {
    match near {
        Some(near) => format!("unknown key `{key}` in `{attr}`; did you mean `{near}`?"),
        None => {
            known.sort_unstable();
            format!("unknown key `{key}` in `{attr}`; known keys: {}", known.join(", "))
        }
    }
}

pub(crate) fn key_twice(key: &str) -> String {
    format!("key `{key}` is given twice")
}

/// How the value of a key is written.
fn as_in(key: &str, takes: Takes) -> String {
    match takes {
        Takes::Texts | Takes::Exprs => format!("{key} = [\"a\"]"),
        Takes::Path => format!("{key} = undo"),
        Takes::Char => format!("{key} = 'n'"),
        Takes::Range => format!("{key} = 1..=10"),
        Takes::Type | Takes::Ident => format!("{key} = ReadTool"),
        Takes::Names if key == "surfaces" => format!("{key}(llm, cli)"),
        Takes::Names => format!("{key}(a, b)"),
        Takes::Group => format!("{key}(secret = \"API_KEY\")"),
        Takes::Flag | Takes::Bool | Takes::Text | Takes::Expr | Takes::MaybeExpr => {
            format!("{key} = \"file\"")
        }
    }
}

pub(crate) fn no_value(key: &str, takes: Takes) -> String {
    format!("`{key}` needs a value, as in `{}`", as_in(key, takes))
}

pub(crate) fn wrong_value(key: &str, takes: Takes) -> String {
    let what = match takes {
        Takes::Flag | Takes::Bool => return format!("`{key}` is a flag: write it without a value"),
        Takes::Texts | Takes::Exprs => "a list",
        Takes::Path => "the path of a function",
        Takes::Char => "a character",
        Takes::Range => "a range",
        Takes::Type | Takes::Ident => "a type name",
        Takes::Names => "names in parentheses",
        Takes::Group => "requirements in parentheses",
        Takes::Text | Takes::Expr | Takes::MaybeExpr => "a string",
    };
    format!("`{key}` takes {what}, as in `{}`", as_in(key, takes))
}

pub(crate) fn empty_value(key: &str) -> String {
    format!("`{key}` is empty")
}

pub(crate) fn excludes(first: &str, second: &str) -> String {
    format!("`{first}` and `{second}` exclude each other; keep one")
}

// ---- the item ---------------------------------------------------------------------------------------------------------

pub(crate) const TOOL_TWICE: &str = "`#[tool]` is given twice on this function";
pub(crate) const NOT_A_FN: &str = "`#[tool]` goes on a function";
pub(crate) const ON_IMPL: &str =
    "`#[tool]` goes on a function: put `#[toolbox]` on the `impl` and `#[tool]` on its methods";
pub(crate) const NO_BODY: &str = "a tool needs a body";
pub(crate) const NO_CORE: &str =
    "cannot find tool-core among the dependencies in Cargo.toml; add it, or set `#[tool(crate = ::path)]`";
pub(crate) const EXAMPLE_ABOVE: &str = "put `#[example]` below `#[tool]`";
pub(crate) const UNSAFE: &str = "a tool cannot be `unsafe`: its callers send untrusted arguments";
pub(crate) const EXTERN: &str = "a tool cannot be `extern`; write a plain `fn`";
pub(crate) const GENERIC_CONST: &str = "a tool cannot be generic over constants; use a concrete value";
pub(crate) const IMPL_RETURN: &str = "a tool cannot return `impl Trait`; write `async fn`, or name the type";
pub(crate) const METHOD_OUTSIDE: &str = "a method can be a tool only inside `#[toolbox] impl`";
pub(crate) const RECEIVER_VALUE: &str = "a tool method takes `&self`";
pub(crate) const RECEIVER_MUT: &str =
    "a tool method takes `&self`; keep changing state behind a lock or an atomic";

pub(crate) fn generic_type(name: impl Display) -> String {
    format!("a tool cannot be generic over types: a call cannot choose `{name}`; use a concrete type")
}

// ---- parameters -------------------------------------------------------------------------------------------------------

pub(crate) const NEEDS_NAME: &str =
    "a tool parameter needs a name; take it under one name and destructure it in the body";
pub(crate) const CFG_ON_PARAM: &str = "`#[cfg]` on a parameter is not supported: the contract of a tool cannot depend on it; \
     put `#[cfg]` on the whole function";
pub(crate) const TOO_MANY: &str =
    "a tool takes at most 32 parameters; gather some in a struct under `#[arg(flatten)]`";

pub(crate) fn other_attribute(path: &str) -> String {
    format!("`#[{path}]` has no effect on a tool parameter; did you mean `#[arg]`?")
}

pub(crate) fn impl_param(param: &str) -> String {
    format!(
        "parameter `{param}` cannot be `impl Trait`; use a concrete type, such as `&str`, `&Path` or `String`"
    )
}

pub(crate) fn mut_param(param: &str) -> String {
    format!("parameter `{param}` cannot be `&mut`: arguments belong to the call; take it by value")
}

pub(crate) fn static_param(param: &str) -> String {
    format!("parameter `{param}` cannot be `'static`: it is borrowed from the call; write `&str`")
}

pub(crate) fn underscore_param(param: &str) -> String {
    let bare = param.trim_start_matches('_');
    format!(
        "parameter `{param}` would be `{param}` for callers too; drop the underscore or set `#[arg(name = \"{bare}\")]`"
    )
}

pub(crate) const OWNED_CONTEXT: &str = "take the context by reference: `cx: &ToolContext`";
pub(crate) const CTX_AND_ARG: &str =
    "`#[ctx]` and `#[arg]` exclude each other: a capability is not an argument";
pub(crate) const SECRET_TYPE: &str = "a secret parameter has the type `&Secret` or `Option<&Secret>`";

pub(crate) fn second_context(first: &str) -> String {
    format!("the context is already the parameter `{first}`")
}

pub(crate) fn owned_capability(ty: &str) -> String {
    format!("a capability is shared: write `&{ty}`, `Arc<{ty}>` or `Option<&{ty}>`")
}

pub(crate) fn optional_ctx_key(ty: &str) -> String {
    format!("unknown key `optional` in `#[ctx]`; for an optional capability write `Option<&{ty}>`")
}

pub(crate) fn unknown_ctx_key(key: &str) -> String {
    format!("unknown key `{key}` in `#[ctx]`; known keys: secret")
}

pub(crate) fn unknown_requirement(key: &str) -> String {
    format!("unknown requirement `{key}`; known: secret")
}

// ---- examples ---------------------------------------------------------------------------------------------------------

pub(crate) const EXAMPLE_LABEL: &str =
    "an example starts with a label, as in `#[example(\"First ten lines\", { \"path\": \"a.txt\" })]`";
pub(crate) const EXAMPLE_OBJECT: &str = "the arguments of an example are a JSON object";
pub(crate) const NOT_JSON: &str = "expected JSON, as in `{ \"path\": \"a.txt\", \"limit\": 10 }`";
