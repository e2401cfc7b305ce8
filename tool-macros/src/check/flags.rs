//! Flags of the command line: their spelling, and clashes among them and with those of every program.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Type;

use super::reserved;
use super::spelling::{FLAG, kebab};
use crate::errors::{self, Sink};
use crate::ir::{ParamIr, ToolIr, unraw};
use crate::parse::tokens::{peel, text};

/// Reports flags that cannot be.
pub(super) fn check(ir: &ToolIr, sink: &Sink) {
    let params: Vec<&ParamIr> = ir.params().filter(|param| !param.attr.said.has("flatten")).collect();
    shorts(&params, sink);
    lasts(&params, sink);
    let offered = match &ir.attr.surfaces {
        Some(surfaces) => surfaces.iter().any(|surface| unraw(surface) == "cli"),
        None => !ir.attr.said.has("terminal"),
    };
    if offered {
        longs(&params, sink);
    }
}

fn shorts(params: &[&ParamIr], sink: &Sink) {
    let mut seen: HashMap<char, String> = HashMap::new();
    for param in params {
        let Some(short) = &param.attr.short else { continue };
        let c = short.value();
        if !c.is_ascii_alphanumeric() {
            sink.at(short, errors::bad_short(c));
        } else if reserved::SHORT.contains(&c) {
            sink.at(short, errors::reserved_short(c));
        } else if let Some(other) = seen.get(&c) {
            sink.at(short, errors::short_taken(c, other));
        } else {
            seen.insert(c, param.name());
        }
    }
}

/// One parameter takes everything behind `--`.
fn lasts(params: &[&ParamIr], sink: &Sink) {
    let mut lasts = params.iter().filter_map(|param| Some((param, param.attr.said.span("last")?)));
    let Some((first, _)) = lasts.next() else { return };
    for (_, span) in lasts {
        sink.at_span(span, errors::last_taken(&first.name()));
    }
}

/// The long flag of a parameter, and where it is written.
fn long(param: &ParamIr) -> (String, TokenStream) {
    let (mut flag, place) = match &param.attr.long {
        Some(text) => (text.value(), text.to_token_stream()),
        None => (kebab(&param.name()), param.ident.to_token_stream()),
    };
    if param.attr.said.has("secret") {
        flag.push_str("-file");
    }
    (flag, place)
}

fn longs(params: &[&ParamIr], sink: &Sink) {
    let mut seen: Vec<(String, &ParamIr)> = Vec::new();
    for param in params {
        if let Some(text) = param.attr.long.as_ref().filter(|text| !FLAG.fits(&text.value())) {
            sink.at(text, FLAG.refusal("flag", &text.value()));
            continue;
        }
        let (flag, place) = long(param);
        if is_reserved(&flag, param) {
            sink.at(place, errors::reserved_long(&flag));
        } else if let Some((_, other)) = seen.iter().find(|row| row.0 == flag) {
            // Two parameters of one name are told as that.
            if other.name() != param.name() {
                sink.at(place, errors::long_taken(&flag, &other.name()));
            }
        } else {
            if let Some(positive) = negation_clash(&flag, param, &seen) {
                sink.at(place, errors::negation_taken(&positive));
            }
            seen.push((flag, param));
        }
    }
}

fn is_reserved(flag: &str, param: &ParamIr) -> bool {
    reserved::LONG.contains(&flag) && !(flag == reserved::DRY_RUN && is_bool(param))
}

/// The flag whose negation this one is, or that is the negation of this one. A switch that hides behind an alias of
/// `bool` is found when the command line is built.
fn negation_clash(flag: &str, param: &ParamIr, seen: &[(String, &ParamIr)]) -> Option<String> {
    let clash = |positive: &str, other: &str| {
        let found = seen.iter().find(|row| row.0 == other)?;
        (is_bool(param) || is_bool(found.1)).then(|| positive.to_owned())
    };
    let of_other = flag.strip_prefix("no-").and_then(|positive| clash(positive, positive));
    of_other.or_else(|| clash(flag, &format!("no-{flag}")))
}

fn is_bool(param: &ParamIr) -> bool {
    matches!(peel(&param.ty), Type::Path(path) if text(path) == "bool")
}
