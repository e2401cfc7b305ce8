//! The sink that gathers every mistake of one use of a macro, and every sentence that the macros say.
//!
//! A sentence says what is wrong, then what to do: lower case, no full stop, code in backticks.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Attribute;

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
        self.under(&[])
    }

    /// Every error as a `compile_error!`, where the function is there at all.
    pub(crate) fn under(self, cfgs: &[Attribute]) -> TokenStream {
        let errors = self.0.into_inner().into_iter().flatten().map(syn::Error::into_compile_error);
        errors.flat_map(|error| quote!(#(#cfgs)* #error)).collect()
    }
}

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
        Takes::Path if key == "crate" => format!("{key} = ::tool_core"),
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
        Takes::Path if key == "crate" => "a path",
        Takes::Path => "the path of a function",
        Takes::Char => "a character",
        Takes::Range => "a range",
        Takes::Type | Takes::Ident => "a type name",
        Takes::Names => "names in parentheses",
        Takes::Group => "requirements in parentheses",
        Takes::MaybeExpr => "a value",
        Takes::Text | Takes::Expr => "a string",
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

pub(crate) fn not_an_arg(ty: &str) -> String {
    format!("`{ty}` cannot be a tool parameter")
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
pub(crate) const ARG_ON_CONTEXT: &str = "the context is no argument: leave `#[arg]` out";
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

// ---- toolboxes and sets -----------------------------------------------------------------------------------------------

pub(crate) const BOX_NOT_IMPL: &str = "`#[toolbox]` goes on an `impl` block";
pub(crate) const BOX_ON_TRAIT: &str = "`#[toolbox]` goes on an inherent `impl`, not on the `impl` of a trait";
pub(crate) const BOX_GENERIC: &str = "a toolbox cannot be generic; write one `impl` per type";
pub(crate) const BOX_EMPTY: &str = "this `#[toolbox]` has no `#[tool]` method";
pub(crate) const SET_SYNTAX: &str = "expected `pub static NAME = [ATool, BTool];`";

pub(crate) fn not_a_handle(written: &str, handle: &str) -> String {
    format!("`{written}` is not a tool handle; list `{handle}`")
}

pub(crate) fn listed_twice(written: &str) -> String {
    format!("`{written}` is listed twice")
}

// ---- effects, time and places -----------------------------------------------------------------------------------------

pub(crate) const IDEMPOTENT_UNSAID: &str = "a tool with a side effect must say what a second identical call does: \
     write `idempotent` if it changes nothing more, `idempotent = false` if it repeats the effect";
pub(crate) const READ_NOT_IDEMPOTENT: &str = "a tool without a side effect is idempotent: remove `idempotent = false`, \
     or add `side_effect` if the tool changes something";
pub(crate) const NO_SURFACE: &str =
    "`surfaces()` hides the tool from everyone; name at least one of llm, cli, mcp";

pub(crate) fn needs_effect(key: &str) -> String {
    format!("{key} needs side_effect: a pure read leaves nothing to {key}")
}

pub(crate) fn bad_duration(text: &str) -> String {
    format!("`{text}` is not a duration; write a whole number and `ms`, `s`, `m` or `h`, as in `30s`")
}

pub(crate) fn short_timeout(text: &str) -> String {
    format!("`{text}` is shorter than the least timeout, `1ms`")
}

pub(crate) fn long_timeout(text: &str) -> String {
    format!("`{text}` is longer than the greatest timeout, `1h`")
}

/// An unknown surface or hint.
pub(crate) fn unknown_word(what: &str, word: &str, near: Option<&str>, known: &[&str]) -> String {
    match near {
        Some(near) => format!("unknown {what} `{word}`; did you mean `{near}`?"),
        None => format!("unknown {what} `{word}`; known: {}", known.join(", ")),
    }
}

pub(crate) fn unknown_log(word: &str) -> String {
    format!("unknown log form `{word}`; known: full, preview, length, hash, secret, omit")
}

pub(crate) fn unknown_replay(word: &str) -> String {
    format!("unknown replay `{word}`; known: manual")
}

// ---- names ------------------------------------------------------------------------------------------------------------

pub(crate) const CONFLICT: &str = "conflict with";
pub(crate) const REQUIRE: &str = "require";

pub(crate) fn long_tool_name(length: usize) -> String {
    format!("tool name is {length} characters long; the limit is 64")
}

pub(crate) fn bad_fn_name(name: &str) -> String {
    format!("the function name `{name}` cannot be a tool name; set `name = \"…\"`")
}

pub(crate) fn alias_is_name(alias: &str) -> String {
    format!("alias `{alias}` is the tool's own name; remove it")
}

pub(crate) fn alias_is_param(alias: &str) -> String {
    format!("alias `{alias}` is the parameter's own name; remove it")
}

pub(crate) fn alias_twice(alias: &str) -> String {
    format!("alias `{alias}` is given twice")
}

pub(crate) fn alias_is_other_param(alias: &str, param: &str) -> String {
    format!("alias `{alias}` of `{param}` is the name of another parameter")
}

pub(crate) fn alias_of_two(alias: &str, param: &str, other: &str) -> String {
    format!("alias `{alias}` of `{param}` is also an alias of `{other}`")
}

pub(crate) fn bad_handle(handle: &str) -> String {
    format!("handle `{handle}` must be a type name, such as `ReadTool`")
}

pub(crate) fn param_twice(name: &str) -> String {
    format!("two parameters are called `{name}`")
}

pub(crate) fn no_param(name: &str, near: Option<&str>) -> String {
    match near {
        Some(near) => format!("no parameter is called `{name}`; did you mean `{near}`?"),
        None => format!("no parameter is called `{name}`"),
    }
}

pub(crate) fn own_relation(param: &str, verb: &str) -> String {
    format!("`{param}` cannot {verb} itself")
}

pub(crate) fn one_name(key: &str) -> String {
    format!("`{key}` needs at least two parameters")
}

pub(crate) fn secret_twice(key: &str) -> String {
    format!("secret `{key}` is required twice")
}

pub(crate) fn no_description(tool: &str) -> String {
    format!("tool `{tool}` has no description; write a `///` comment that tells a model when to use it")
}

pub(crate) fn no_param_description(param: &str) -> String {
    format!("parameter `{param}` has no description; write a `///` comment above it")
}

// ---- keys of a parameter ----------------------------------------------------------------------------------------------

pub(crate) const POSITIONAL_SHORT: &str =
    "`positional` and `short` exclude each other; a positional argument already has its long flag";
pub(crate) const SECRET_DEFAULT: &str = "a secret parameter cannot have a default: the schema would show it";
pub(crate) const SECRET_EXAMPLES: &str = "a secret parameter cannot have examples: the schema would show it";
pub(crate) const SECRET_HEADER: &str = "a secret parameter cannot travel in a header";
pub(crate) const WITH_ALONE: &str =
    "`with` needs `schema_with`: the schema of the type need not fit the module";

pub(crate) fn flatten_with(key: &str) -> String {
    format!("`flatten` spreads the fields of a type; `{key}` has nothing to apply to")
}

// ---- flags ------------------------------------------------------------------------------------------------------------

pub(crate) fn bad_short(c: char) -> String {
    format!("`{c}` cannot be a short flag; use a letter or a digit")
}

pub(crate) fn reserved_short(c: char) -> String {
    format!("`-{c}` belongs to the command line itself; choose another letter")
}

pub(crate) fn reserved_long(flag: &str) -> String {
    format!("`--{flag}` belongs to the command line itself; set `#[arg(long = \"…\")]`")
}

pub(crate) fn short_taken(c: char, other: &str) -> String {
    format!("`-{c}` is already the short flag of `{other}`")
}

pub(crate) fn last_taken(other: &str) -> String {
    format!("everything behind `--` goes to `{other}` already; keep one `last`")
}

pub(crate) fn long_taken(flag: &str, other: &str) -> String {
    format!("`--{flag}` is already the flag of `{other}`")
}

pub(crate) fn negation_taken(flag: &str) -> String {
    format!("`--no-{flag}` is already the negation of `--{flag}`; set `#[arg(long = \"…\")]` on one of them")
}

// ---- bounds -----------------------------------------------------------------------------------------------------------

pub(crate) const LOOK_AROUND: &str = "look-around";
pub(crate) const BACK_REFERENCES: &str = "back-references";

pub(crate) fn empty_range(range: &str) -> String {
    format!("range `{range}` is empty")
}

pub(crate) fn negative_length(key: &str) -> String {
    format!("`{key}` counts characters or items and cannot be negative")
}

pub(crate) fn default_outside(default: &str, key: &str, range: &str) -> String {
    format!("default {default} is outside `{key} = {range}`")
}

pub(crate) fn default_no_choice(default: &str) -> String {
    format!("default `{default}` is not one of the choices")
}

pub(crate) fn choice_twice(choice: &str) -> String {
    format!("choice `{choice}` is given twice")
}

pub(crate) fn choices_by_case(first: &str, second: &str) -> String {
    format!("choices `{first}` and `{second}` differ only in case")
}

pub(crate) fn choice_outside(choice: &str, range: &str) -> String {
    format!("choice `{choice}` is outside `len = {range}`")
}

pub(crate) fn unportable_pattern(feature: &str) -> String {
    format!("`pattern` uses {feature}, which JSON Schema validators need not support; check it in the body")
}

// ---- values of examples -----------------------------------------------------------------------------------------------

pub(crate) fn example_unknown(tool: &str, key: &str, near: Option<&str>) -> String {
    match near {
        Some(near) => format!("tool `{tool}` has no parameter `{key}`; did you mean `{near}`?"),
        None => format!("tool `{tool}` has no parameter `{key}`"),
    }
}

pub(crate) fn example_kind(param: &str, kind: &str) -> String {
    format!("example value for `{param}` must be {kind}")
}

pub(crate) fn example_outside(value: &str, param: &str, key: &str, range: &str) -> String {
    format!("example value {value} for `{param}` is outside `{key} = {range}`")
}

pub(crate) fn example_no_choice(value: &str, param: &str) -> String {
    format!("example value `{value}` for `{param}` is not one of the choices")
}

pub(crate) fn example_injected(param: &str) -> String {
    format!("`{param}` is supplied by the host; an example cannot set it")
}

pub(crate) fn example_secret(param: &str) -> String {
    format!("`{param}` is secret; an example cannot show it")
}
