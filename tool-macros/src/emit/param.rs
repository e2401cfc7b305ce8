//! One parameter: its row in the table, its default, and the wrapper that gives a foreign type a schema.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Expr, ExprRange, RangeLimits};

use super::storage::Storage;
use super::{at, over};
use crate::ir::{ArgAttr, DefaultIr, ParamIr};
use crate::parse::docs::Docs;
use crate::parse::keys::as_text;
use crate::parse::number::Number;
use crate::parse::tokens::{ends, text, words};

/// The function that makes the `i`-th default.
pub(super) fn default_name(i: usize) -> Ident {
    format_ident!("__default_{i}", span = Span::mixed_site())
}

/// The type that decodes the `i`-th parameter by `schema_with`.
pub(super) fn wrapper_name(i: usize) -> Ident {
    format_ident!("__Wire{i}", span = Span::mixed_site())
}

/// The constant of the `i`-th capability.
pub(super) fn inject_name(i: usize) -> Ident {
    format_ident!("__INJECT_{i}", span = Span::mixed_site())
}

/// The type that is asked of the decoder.
pub(super) fn decoded_type(i: usize, param: &ParamIr) -> TokenStream {
    match param.attr.schema_with {
        Some(_) => wrapper_name(i).to_token_stream(),
        None => Storage::of(param).ty(),
    }
}

/// Words of types that the compiler prints as they are written.
const PLAIN_WORDS: [&str; 36] = [
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "f32",
    "f64",
    "bool",
    "char",
    "str",
    "String",
    "Path",
    "PathBuf",
    "Vec",
    "VecDeque",
    "Option",
    "Box",
    "Cow",
    "BTreeMap",
    "BTreeSet",
    "HashMap",
    "HashSet",
    "Value",
    "std",
    "alloc",
    "borrow",
    "collections",
    "path",
    "serde_json",
];

/// A bound of the parameter's own, with its definition, where a refusal should name a type of the author's as written.
pub(super) fn own_bound(i: usize, param: &ParamIr) -> Option<(Ident, TokenStream)> {
    if param.attr.schema_with.is_some() {
        return None;
    }
    let written = match Storage::of(param) {
        Storage::Owned(ty) | Storage::Borrowed(ty) => ty.to_token_stream(),
        Storage::Lent(_) => return None,
    };
    if words(&written).iter().all(|word| PLAIN_WORDS.contains(&word.as_str())) {
        return None;
    }
    let bound = format_ident!("__Arg{i}", span = Span::mixed_site());
    let message = crate::errors::not_an_arg(&text(written));
    let definition = quote_spanned!(Span::mixed_site()=> __t::arg!(#bound #message););
    Some((bound, definition))
}

/// The default, the wrapper and the bound.
pub(super) fn items(i: usize, param: &ParamIr) -> TokenStream {
    let default = param.attr.default.as_ref().map(|default| default_fn(i, param, default));
    let wrapper = wrapper(i, param);
    let bound = own_bound(i, param).map(|(_, definition)| definition);
    quote_spanned!(Span::mixed_site()=> #default #wrapper #bound)
}

/// The row in the table of parameters.
pub(super) fn row(i: usize, param: &ParamIr) -> TokenStream {
    let (first, last) = over(&param.ty);
    let ty = Storage::of(param).ty();
    let name = param.name();
    let keys = keys(&param.attr);
    let default = param.attr.default.as_ref().map(|_| default_json(i, &param.attr));
    let (function, rest) = match (default, keys, &param.docs) {
        (None, None, Docs::Text(text)) => ("param", quote!(#text)),
        (default, keys, docs) => {
            let doc = doc(docs);
            let default = default.unwrap_or_else(|| quote_spanned!(Span::mixed_site()=> __t::None));
            let keys = match keys {
                Some(keys) => quote!(&#keys),
                None => quote_spanned!(Span::mixed_site()=> __t::ParamKeys::none()),
            };
            ("param_with", quote_spanned!(Span::mixed_site()=> #doc, #default, #keys))
        }
    };
    let mut arguments = proc_macro2::Group::new(
        proc_macro2::Delimiter::Parenthesis,
        quote_spanned!(Span::mixed_site()=> __t::answers!(#ty), #name, #rest),
    );
    // The span of a refusal: the type as written.
    arguments.set_span(last);
    let function = Ident::new(function, first);
    let mut value = quote_spanned!(first=> __t::#function #arguments);
    let mut fields = Vec::new();
    if param.attr.said.has("required") {
        fields.push(quote!(required: true));
    }
    if let Some(path) = &param.attr.schema_with {
        fields
            .push(quote_spanned!(Span::mixed_site()=> simple: false, schema: __t::SchemaSource::Type(#path)));
    }
    if !fields.is_empty() {
        value = quote_spanned!(Span::mixed_site()=> __t::ParamDef { #(#fields,)* ..#value });
    }
    value
}

/// A `Doc`.
pub(super) fn doc(docs: &Docs) -> TokenStream {
    match docs {
        Docs::None => quote_spanned!(Span::mixed_site()=> __t::Doc::NONE),
        Docs::Text(text) => quote_spanned!(Span::mixed_site()=> __t::Doc::Text(#text)),
        Docs::Raw(expr) => quote_spanned!(Span::mixed_site()=> __t::Doc::Raw(#expr)),
    }
}

/// The variant of an enum of words, `preview` → `Preview`.
pub(super) fn variant(word: &str) -> Ident {
    Ident::new(&super::handle::pascal(word), Span::mixed_site())
}

/// What the author wrote beyond name, text and default.
fn keys(attr: &ArgAttr) -> Option<TokenStream> {
    let mut fields = Vec::new();
    let mut set = |name: &str, value: TokenStream| {
        let name = Ident::new(name, Span::mixed_site());
        fields.push(quote_spanned!(Span::mixed_site()=> #name: #value));
    };
    for (name, texts) in
        [("aliases", &attr.aliases), ("conflicts_with", &attr.conflicts_with), ("requires", &attr.requires)]
    {
        if !texts.is_empty() {
            set(name, quote!(&[#(#texts),*]));
        }
    }
    for flag in ["any", "flatten", "entries", "secret"] {
        if attr.said.has(flag) {
            set(flag, quote!(true));
        }
    }
    for (name, text) in [("format", &attr.format), ("header", &attr.header), ("deprecated", &attr.deprecated)]
    {
        if let Some(text) = text {
            set(name, quote_spanned!(Span::mixed_site()=> __t::Some(#text)));
        }
    }
    for (name, ty, word) in [("log", "LogMode", &attr.log), ("hint", "Hint", &attr.hint)] {
        if let Some(word) = word {
            let (ty, variant) = (Ident::new(ty, Span::mixed_site()), variant(&word.value()));
            set(name, quote_spanned!(Span::mixed_site()=> __t::Some(__t::#ty::#variant)));
        }
    }
    if !attr.examples.is_empty() {
        let examples = &attr.examples;
        set(
            "examples",
            quote_spanned!(Span::mixed_site()=> __t::Some(|| __t::array([#(__t::json(&(#examples))),*]))),
        );
    }
    let built: Vec<TokenStream> = [("bounds", bounds(attr)), ("cli", cli(attr))]
        .into_iter()
        .filter_map(|(name, value)| {
            let (name, value) = (Ident::new(name, Span::mixed_site()), value?);
            Some(quote_spanned!(Span::mixed_site()=> .#name(#value)))
        })
        .collect();
    if fields.is_empty() && built.is_empty() {
        return None;
    }
    let base = if fields.is_empty() {
        quote_spanned!(Span::mixed_site()=> __t::ParamKeys::NONE)
    } else {
        quote_spanned!(Span::mixed_site()=> __t::ParamKeys { #(#fields,)* ..__t::ParamKeys::NONE })
    };
    Some(quote_spanned!(Span::mixed_site()=> #base #(#built)*))
}

fn default_json(i: usize, attr: &ArgAttr) -> TokenStream {
    let default = default_name(i);
    match &attr.with {
        Some(module) => quote_spanned! {Span::mixed_site()=>
            __t::Some(|| __t::written(#module::serialize(&#default(), __t::JsonSerializer)))
        },
        None => quote_spanned!(Span::mixed_site()=> __t::Some(|| __t::json(&#default()))),
    }
}

fn default_fn(i: usize, param: &ParamIr, default: &DefaultIr) -> TokenStream {
    let name = default_name(i);
    let ty = Storage::of(param).ty();
    let value = match default {
        // A type without a default is told at the key.
        DefaultIr::Bare => {
            let span = param.attr.said.span("default").map_or_else(Span::mixed_site, at);
            quote_spanned!(span=> __t::Default::default())
        }
        DefaultIr::Expr(expr) => match as_text(expr) {
            Some(text) => {
                let span = at(ends(expr).0);
                quote_spanned!(span=> <#ty as __t::TextDefault>::text(#text))
            }
            None => quote_spanned!(Span::mixed_site()=> (&&__t::Of::<#ty>::new()).default(#expr)),
        },
    };
    quote_spanned!(Span::mixed_site()=> fn #name() -> #ty { #value })
}

fn cli(attr: &ArgAttr) -> Option<TokenStream> {
    let mut fields = Vec::new();
    for flag in ["positional", "last", "stdin", "hidden"] {
        if attr.said.has(flag) {
            let flag = Ident::new(flag, Span::mixed_site());
            fields.push(quote!(#flag: true));
        }
    }
    for (name, text) in [("long", &attr.long), ("env", &attr.env), ("value_name", &attr.value_name)] {
        if let Some(text) = text {
            let name = Ident::new(name, Span::mixed_site());
            fields.push(quote_spanned!(Span::mixed_site()=> #name: __t::Some(#text)));
        }
    }
    if let Some(short) = &attr.short {
        fields.push(quote_spanned!(Span::mixed_site()=> short: __t::Some(#short)));
    }
    (!fields.is_empty())
        .then(|| quote_spanned!(Span::mixed_site()=> __t::CliDef { #(#fields,)* ..__t::CliDef::NONE }))
}

fn bounds(attr: &ArgAttr) -> Option<TokenStream> {
    if let Some(between) = between(attr) {
        return Some(between);
    }
    let mut fields = Vec::new();
    if let Some(range) = &attr.range {
        fields.extend(number_bounds(range));
    }
    for (name, range) in [("len", &attr.len), ("item_len", &attr.item_len)] {
        if let Some(range) = range {
            let (name, range) = (Ident::new(name, Span::mixed_site()), length_range(range));
            fields.push(quote!(#name: #range));
        }
    }
    if let Some(pattern) = &attr.pattern {
        fields.push(quote_spanned!(Span::mixed_site()=> pattern: __t::Some(#pattern)));
    }
    if !attr.choices.is_empty() {
        let choices = &attr.choices;
        fields.push(quote!(choices: &[#(#choices),*]));
    }
    (!fields.is_empty())
        .then(|| quote_spanned!(Span::mixed_site()=> __t::Bounds { #(#fields,)* ..__t::Bounds::NONE }))
}

/// The common case: a closed range and nothing else.
fn between(attr: &ArgAttr) -> Option<TokenStream> {
    let range = attr.range.as_ref().filter(|range| matches!(range.limits, RangeLimits::Closed(_)))?;
    let (start, end) = (range.start.as_ref()?, range.end.as_ref()?);
    if attr.len.is_some() || attr.item_len.is_some() || attr.pattern.is_some() || !attr.choices.is_empty() {
        return None;
    }
    if let (Some(min @ Number::Int(_)), Some(max @ Number::Int(_))) = (Number::of(start), Number::of(end)) {
        return Some(quote_spanned!(Span::mixed_site()=> __t::integers(#min, #max)));
    }
    let (min, max) = (number(start), number(end));
    Some(quote_spanned!(Span::mixed_site()=> __t::Bounds::between(#min, #max)))
}

fn number_bounds(range: &ExprRange) -> Vec<TokenStream> {
    let mut fields = Vec::new();
    if let Some(start) = &range.start {
        let number = number(start);
        fields.push(quote_spanned!(Span::mixed_site()=> min: __t::Some(#number)));
    }
    let Some(end) = &range.end else { return fields };
    let (max, exclusive) = match (&range.limits, Number::of(end)) {
        (RangeLimits::Closed(_), _) => (number(end), None),
        (_, Some(Number::Int(int))) => {
            let below = Number::Int(int.saturating_sub(1));
            (quote_spanned!(Span::mixed_site()=> __t::Number::Int(#below)), None)
        }
        (_, Some(Number::Float(_))) => (number(end), Some(quote!(true))),
        (_, None) => (
            quote_spanned!(Span::mixed_site()=> __t::Bound(#end).below()),
            Some(quote_spanned!(Span::mixed_site()=> __t::Bound(#end).is_float())),
        ),
    };
    fields.push(quote_spanned!(Span::mixed_site()=> max: __t::Some(#max)));
    fields.extend(exclusive.map(|exclusive| quote!(max_exclusive: #exclusive)));
    fields
}

fn number(expr: &Expr) -> TokenStream {
    match Number::of(expr) {
        Some(number @ Number::Int(_)) => quote_spanned!(Span::mixed_site()=> __t::Number::Int(#number)),
        Some(number @ Number::Float(_)) => quote_spanned!(Span::mixed_site()=> __t::Number::Float(#number)),
        None => quote_spanned!(at(ends(expr).0)=> __t::Bound(#expr).number()),
    }
}

fn length_range(range: &ExprRange) -> TokenStream {
    let min = match &range.start {
        Some(start) => start.to_token_stream(),
        None => quote!(0),
    };
    let max = match (&range.end, &range.limits) {
        (None, _) => quote_spanned!(Span::mixed_site()=> __t::None),
        (Some(end), RangeLimits::Closed(_)) => quote_spanned!(Span::mixed_site()=> __t::Some(#end)),
        (Some(end), RangeLimits::HalfOpen(_)) => quote_spanned!(Span::mixed_site()=> __t::Some((#end) - 1)),
    };
    quote_spanned!(Span::mixed_site()=> __t::Range { min: #min, max: #max })
}

/// A type that decodes by `with` and has the schema of `schema_with`.
fn wrapper(i: usize, param: &ParamIr) -> Option<TokenStream> {
    let schema = param.attr.schema_with.as_ref()?;
    let name = wrapper_name(i);
    let ty = Storage::of(param).ty();
    let decode = match &param.attr.with {
        Some(module) => quote!(#module::deserialize),
        None => quote_spanned!(Span::mixed_site()=> <#ty as __t::Deserialize<'de>>::deserialize),
    };
    Some(quote_spanned! {Span::mixed_site()=>
        struct #name(#ty);
        impl<'de> __t::Deserialize<'de> for #name {
            fn deserialize<D: __t::Deserializer<'de>>(decoder: D) -> __t::Result<Self, D::Error> {
                __t::Ok(#name(#decode(decoder)?))
            }
        }
        impl __t::JsonSchema for #name {
            fn inline_schema() -> __t::bool { true }
            fn schema_name() -> __t::Cow<'static, __t::str> { __t::Cow::Borrowed("Wire") }
            fn json_schema(generator: &mut __t::SchemaGenerator) -> __t::Schema { #schema(generator) }
        }
    })
}
