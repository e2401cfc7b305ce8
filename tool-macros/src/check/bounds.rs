//! Ranges, lengths, patterns and choices, as far as they are literals; types are asked by the compiler (`emit::probes`).

use std::collections::HashMap;

use syn::{Expr, ExprRange, LitStr, RangeLimits};

use crate::errors::{self, Sink};
use crate::ir::{DefaultIr, ParamIr};
use crate::parse::keys::as_text;
use crate::parse::number::Number;
use crate::parse::tokens::text;

/// Reports bounds that nothing can keep to.
pub(super) fn check(param: &ParamIr, sink: &Sink) {
    let attr = &param.attr;
    for (key, range) in [("range", &attr.range), ("len", &attr.len), ("item_len", &attr.item_len)] {
        let Some(range) = range else { continue };
        if key != "range" && negative(key, range, sink) {
            continue;
        }
        if is_empty(range) {
            sink.at(range, errors::empty_range(&text(range)));
        }
    }
    if let Some(pattern) = &attr.pattern {
        check_pattern(pattern, sink);
    }
    choices(param, sink);
    if let Some(DefaultIr::Expr(default)) = &attr.default {
        check_default(param, default, sink);
    }
}

fn negative(key: &str, range: &ExprRange, sink: &Sink) -> bool {
    let mut found = false;
    for end in [&range.start, &range.end].into_iter().flatten() {
        if Number::of(end).is_some_and(|number| number.less(Number::Int(0))) {
            sink.at(end, errors::negative_length(key));
            found = true;
        }
    }
    found
}

/// Whether literal ends leave nothing between them.
fn is_empty(range: &ExprRange) -> bool {
    let end = |end: &Option<Box<Expr>>| end.as_deref().and_then(Number::of);
    match (end(&range.start), end(&range.end), &range.limits) {
        (Some(start), Some(end), RangeLimits::Closed(_)) => end.less(start),
        (Some(start), Some(end), RangeLimits::HalfOpen(_)) => !start.less(end),
        _ => false,
    }
}

/// Whether a number is inside the literal ends of a range.
pub(super) fn contains(range: &ExprRange, number: Number) -> bool {
    let end = |end: &Option<Box<Expr>>| end.as_deref().and_then(Number::of);
    let above = end(&range.start).is_none_or(|start| !number.less(start));
    let below = end(&range.end).is_none_or(|end| match &range.limits {
        RangeLimits::Closed(_) => !end.less(number),
        RangeLimits::HalfOpen(_) => number.less(end),
    });
    above && below
}

/// Whether a text has a length inside the literal ends of a range.
pub(super) fn contains_length(range: &ExprRange, text: &str) -> bool {
    contains(range, Number::Int(text.chars().count() as i128))
}

fn check_default(param: &ParamIr, default: &Expr, sink: &Sink) {
    let attr = &param.attr;
    if let (Some(range), Some(number)) = (&attr.range, Number::of(default))
        && !contains(range, number)
    {
        sink.at(default, errors::default_outside(&text(default), "range", &text(range)));
    }
    let Some(written) = as_text(default) else { return };
    if let Some(len) = attr.len.as_ref().filter(|len| !contains_length(len, &written.value())) {
        sink.at(default, errors::default_outside(&text(default), "len", &text(len)));
    }
    if !attr.choices.is_empty() && !attr.choices.iter().any(|choice| choice.value() == written.value()) {
        sink.at(default, errors::default_no_choice(&written.value()));
    }
}

fn choices(param: &ParamIr, sink: &Sink) {
    let mut seen: HashMap<String, String> = HashMap::new();
    for choice in &param.attr.choices {
        let text = choice.value();
        match seen.get(&text.to_lowercase()) {
            Some(first) if *first == text => sink.at(choice, errors::choice_twice(&text)),
            Some(first) => sink.at(choice, errors::choices_by_case(first, &text)),
            None => {
                seen.insert(text.to_lowercase(), text.clone());
            }
        }
        if let Some(len) = param.attr.len.as_ref().filter(|len| !contains_length(len, &text)) {
            sink.at(choice, errors::choice_outside(&text, &crate::parse::tokens::text(len)));
        }
    }
}

fn check_pattern(pattern: &LitStr, sink: &Sink) {
    if let Some(feature) = unportable(&pattern.value()) {
        sink.at(pattern, errors::unportable_pattern(feature));
    }
}

/// What a pattern uses that needs a backtracking engine.
fn unportable(pattern: &str) -> Option<&'static str> {
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        match c {
            '\\' => {
                let escaped = after.chars().next()?;
                if !in_class && (('1'..='9').contains(&escaped) || after.starts_with("k<")) {
                    return Some(errors::BACK_REFERENCES);
                }
                rest = &after[escaped.len_utf8()..];
                continue;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                if ["?=", "?!", "?<=", "?<!"].iter().any(|start| after.starts_with(start)) {
                    return Some(errors::LOOK_AROUND);
                }
                if after.starts_with("?P=") {
                    return Some(errors::BACK_REFERENCES);
                }
            }
            _ => {}
        }
        rest = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_look_around_and_back_references_are_unportable() {
        for pattern in ["(?=a)b", "a(?!b)", "(?<=a)b", "(?<!a)b"] {
            assert_eq!(unportable(pattern), Some(errors::LOOK_AROUND), "{pattern}");
        }
        for pattern in [r"(a)\1", r"(?<n>a)\k<n>", "(?P<n>a)(?P=n)"] {
            assert_eq!(unportable(pattern), Some(errors::BACK_REFERENCES), "{pattern}");
        }
        for pattern in [r"\(?=a", "[(?=]", r"\\1", "(?<name>a)", "(?:a)", r"[\1]"] {
            assert_eq!(unportable(pattern), None, "{pattern}");
        }
    }
}
