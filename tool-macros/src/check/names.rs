//! Names of tools, parameters and secrets, and what refers to them.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::LitStr;

use super::spelling::{GROUP, NAME, SECRET, TAG};
use crate::errors::{self, Sink};
use crate::ir::{ParamIr, ToolIr, unraw};
use crate::suggest::nearest;

/// Reports names that cannot be, and references to nothing.
pub(crate) fn check(ir: &ToolIr, sink: &Sink) {
    tool_name(ir, sink);
    aliases(ir, sink);
    words(ir, sink);
    params(ir, sink);
    param_aliases(ir, sink);
    relations(ir, sink);
    constraints(ir, sink);
    secrets(ir, sink);
}

/// The wire name of what is written as a parameter's identifier or wire name.
pub(crate) fn wire_name(ir: &ToolIr, written: &str) -> String {
    find(ir, written).map_or_else(|| written.to_owned(), ParamIr::name)
}

/// The parameter of a wire name or identifier.
fn find<'a>(ir: &'a ToolIr, written: &str) -> Option<&'a ParamIr> {
    ir.params().find(|param| param.name() == written || unraw(&param.ident) == written)
}

/// The prefix of a toolbox, if names can begin with it; else it is reported.
pub(crate) fn prefix<'a>(prefix: &'a Option<LitStr>, sink: &Sink) -> Option<&'a LitStr> {
    let prefix = prefix.as_ref()?;
    if NAME.fits(&prefix.value()) {
        return Some(prefix);
    }
    sink.at(prefix, NAME.refusal("prefix", &prefix.value()));
    None
}

fn tool_name(ir: &ToolIr, sink: &Sink) {
    let name = ir.name();
    let place = match &ir.attr.name {
        Some(text) => text.to_token_stream(),
        None => ir.ident.to_token_stream(),
    };
    if NAME.fits(&name) {
        return;
    }
    if NAME.fits_but_for_length(&name) {
        sink.at(place, errors::long_tool_name(name.chars().count()));
    } else if ir.attr.name.is_some() {
        sink.at(place, NAME.refusal("tool name", &name));
    } else {
        sink.at(place, errors::bad_fn_name(&name));
    }
}

fn aliases(ir: &ToolIr, sink: &Sink) {
    let name = ir.name();
    let mut seen = HashSet::new();
    for alias in &ir.attr.aliases {
        let text = alias.value();
        if !NAME.fits(&text) {
            sink.at(alias, NAME.refusal("alias", &text));
        } else if text == name {
            sink.at(alias, errors::alias_is_name(&text));
        } else if !seen.insert(text.clone()) {
            sink.at(alias, errors::alias_twice(&text));
        }
    }
}

/// Group, tags and handle.
fn words(ir: &ToolIr, sink: &Sink) {
    let group = ir.attr.group.iter().map(|group| ("group", &GROUP, group));
    let tags = ir.attr.tags.iter().map(|tag| ("tag", &TAG, tag));
    for (what, spelling, text) in group.chain(tags) {
        if !spelling.fits(&text.value()) {
            sink.at(text, spelling.refusal(what, &text.value()));
        }
    }
    if let Some(handle) = &ir.attr.handle
        && !unraw(handle).starts_with(char::is_uppercase)
    {
        sink.at(handle, errors::bad_handle(&unraw(handle)));
    }
}

/// Where the name of a parameter is written.
fn name_place(param: &ParamIr) -> TokenStream {
    match &param.attr.name {
        Some(text) => text.to_token_stream(),
        None => param.ident.to_token_stream(),
    }
}

fn params(ir: &ToolIr, sink: &Sink) {
    let mut seen = HashSet::new();
    for param in ir.params() {
        let name = param.name();
        if !NAME.fits(&name) {
            sink.at(name_place(param), NAME.refusal("parameter name", &name));
        } else if param.attr.name.is_none() && name.starts_with('_') {
            sink.at(&param.ident, errors::underscore_param(&name));
        } else if !seen.insert(name.clone()) {
            sink.at(name_place(param), errors::param_twice(&name));
        }
    }
}

fn param_aliases(ir: &ToolIr, sink: &Sink) {
    let mut seen: Vec<(String, String)> = Vec::new();
    for param in ir.params() {
        let name = param.name();
        for alias in &param.attr.aliases {
            let text = alias.value();
            let earlier = seen.iter().find(|row| row.0 == text);
            if !NAME.fits(&text) {
                sink.at(alias, NAME.refusal("alias", &text));
            } else if text == name {
                sink.at(alias, errors::alias_is_param(&text));
            } else if ir.params().any(|other| other.name() == text) {
                sink.at(alias, errors::alias_is_other_param(&text, &name));
            } else if let Some((_, other)) = earlier {
                let twice = *other == name;
                let sentence = if twice {
                    errors::alias_twice(&text)
                } else {
                    errors::alias_of_two(&text, &name, other)
                };
                sink.at(alias, sentence);
            } else {
                seen.push((text, name.clone()));
            }
        }
    }
}

/// `conflicts_with` and `requires` name other parameters.
fn relations(ir: &ToolIr, sink: &Sink) {
    for param in ir.params() {
        let name = param.name();
        let conflicts = param.attr.conflicts_with.iter().map(|other| (other, errors::CONFLICT));
        let requires = param.attr.requires.iter().map(|other| (other, errors::REQUIRE));
        for (other, verb) in conflicts.chain(requires) {
            let text = other.value();
            match find(ir, &text) {
                Some(found) if found.name() == name => sink.at(other, errors::own_relation(&name, verb)),
                Some(_) => {}
                None => unknown(ir, other, &text, sink),
            }
        }
    }
}

fn constraints(ir: &ToolIr, sink: &Sink) {
    for constraint in &ir.attr.constraints {
        let names: HashSet<String> =
            constraint.params.iter().map(|name| wire_name(ir, &unraw(name))).collect();
        if names.len() < 2 {
            sink.at_span(constraint.span, errors::one_name(constraint.key));
        }
        for name in &constraint.params {
            if find(ir, &unraw(name)).is_none() {
                unknown(ir, name, &unraw(name), sink);
            }
        }
    }
}

/// Reports a reference to no parameter. The fields of a flattened type are known only to the registry.
fn unknown(ir: &ToolIr, place: impl ToTokens, written: &str, sink: &Sink) {
    if ir.params().any(|param| param.attr.said.has("flatten")) {
        return;
    }
    sink.at(place, errors::no_param(written, near(ir, written).as_deref()));
}

/// The parameter whose name or alias is nearest.
pub(super) fn near(ir: &ToolIr, written: &str) -> Option<String> {
    let mut names: Vec<(String, String)> = Vec::new();
    for param in ir.params() {
        names.push((param.name(), param.name()));
        names.extend(param.attr.aliases.iter().map(|alias| (alias.value(), param.name())));
    }
    let found = nearest(written, names.iter().map(|row| row.0.as_str()))?;
    names.iter().find(|row| row.0 == found).map(|row| row.1.clone())
}

/// Keys of declared and injected secrets.
fn secrets(ir: &ToolIr, sink: &Sink) {
    let mut seen = HashSet::new();
    for key in ir.secret_keys() {
        let text = LitStr::value(key);
        if !SECRET.fits(&text) {
            sink.at(key, SECRET.refusal("secret name", &text));
        } else if !seen.insert(text.clone()) {
            sink.at(key, errors::secret_twice(&text));
        }
    }
}
