//! Keys of one parameter that cannot stand together, and words that are none.

use super::effects::LOG_FORMS;
use super::spelling::{HEADER, VARIABLE};
use crate::errors::{self, Sink};
use crate::ir::ParamIr;
use crate::suggest::nearest;

/// Pairs of keys of which only one makes sense.
const EXCLUSIVE: [(&str, &str); 4] =
    [("default", "required"), ("secret", "log"), ("positional", "last"), ("last", "short")];

/// What a value may stand for.
const HINTS: [&str; 8] = ["file", "dir", "path", "url", "host", "email", "command", "shell"];

/// Reports what is wrong with the keys of a parameter.
pub(super) fn check(param: &ParamIr, sink: &Sink) {
    let said = &param.attr.said;
    if said.has("flatten") {
        for (key, span) in said.iter().filter(|(key, _)| !matches!(*key, "flatten" | "description")) {
            sink.at_span(span, errors::flatten_with(key));
        }
        return;
    }
    for (one, other) in EXCLUSIVE {
        if let Some(later) = said.later(one, other) {
            sink.at_span(later, errors::excludes(one, other));
        }
    }
    if said.has("positional")
        && let Some(short) = said.span("short")
    {
        sink.at_span(short, errors::POSITIONAL_SHORT);
    }
    secret(param, sink);
    if let (Some(with), false) = (said.span("with"), said.has("schema_with")) {
        sink.at_span(with, errors::WITH_ALONE);
    }
    words(param, sink);
}

/// A secret parameter has nothing that would show its value.
fn secret(param: &ParamIr, sink: &Sink) {
    let said = &param.attr.said;
    if !said.has("secret") {
        return;
    }
    let rows = [
        ("default", errors::SECRET_DEFAULT),
        ("examples", errors::SECRET_EXAMPLES),
        ("header", errors::SECRET_HEADER),
    ];
    for (key, sentence) in rows {
        if let Some(span) = said.span(key) {
            sink.at_span(span, sentence);
        }
    }
}

fn words(param: &ParamIr, sink: &Sink) {
    let attr = &param.attr;
    if let Some(hint) = &attr.hint {
        let word = hint.value();
        if !HINTS.contains(&word.as_str()) {
            sink.at(hint, errors::unknown_word("hint", &word, nearest(&word, HINTS), &HINTS));
        }
    }
    if let Some(log) = attr.log.as_ref().filter(|log| !LOG_FORMS.contains(&log.value().as_str())) {
        sink.at(log, errors::unknown_log(&log.value()));
    }
    if let Some(env) = attr.env.as_ref().filter(|env| !VARIABLE.fits(&env.value())) {
        sink.at(env, VARIABLE.refusal("environment variable", &env.value()));
    }
    if let Some(header) = attr.header.as_ref().filter(|header| !HEADER.fits(&header.value())) {
        sink.at(header, HEADER.refusal("header", &header.value()));
    }
}
