//! The row of a parameter in the table, and what only constants can refuse.

use super::probe::{Answers, Shape};
use crate::def::{Doc, ParamDef, ParamKeys, ParamKind, SchemaSource, ValueFn};

/// A parameter without keys.
#[track_caller]
pub const fn param<'a>(answers: Answers, name: &'a str, text: &'a str) -> ParamDef<'a> {
    param_with(answers, name, Doc::Text(text), None, ParamKeys::none())
}

/// A parameter with what its type and its keys say; refuses what the two cannot both mean.
#[track_caller]
pub const fn param_with<'a>(
    answers: Answers,
    name: &'a str,
    doc: Doc<'a>,
    default: Option<ValueFn>,
    keys: &'a ParamKeys<'a>,
) -> ParamDef<'a> {
    if answers.option_3 {
        refuse(&["parameter `", name, "` has more than two levels of `Option`"]);
    }
    if matches!(answers.shape, Shape::Option) && default.is_some() {
        refuse(&[
            "parameter `",
            name,
            "` is optional and has a default; drop the `Option`, or drop the default",
        ]);
    }
    if answers.any() && !keys.any {
        refuse(&[
            "parameter `",
            name,
            "` accepts any JSON value; say so with `#[arg(any)]`, or give it a type",
        ]);
    }
    if matches!(answers.shape, Shape::Flag) && keys.cli.positional {
        refuse(&["parameter `", name, "` is a flag; a flag cannot be positional"]);
    }
    let kind = answers.kind();
    let schema = SchemaSource::Type(answers.schema);
    ParamDef { name, doc, kind, simple: answers.simple, required: false, default, schema, keys }
}

/// Refuses a positional that the command line could not tell from an earlier one.
#[track_caller]
pub const fn after(earlier: &ParamDef<'_>, param: &ParamDef<'_>) {
    if matches!(earlier.kind, ParamKind::List) {
        refuse(&[
            "positional `",
            param.name,
            "` comes after the list `",
            earlier.name,
            "`; a list must be the last positional",
        ]);
    }
    if param.is_required() && !earlier.is_required() {
        refuse(&[
            "positional `",
            param.name,
            "` is required but comes after the optional positional `",
            earlier.name,
            "`",
        ]);
    }
}

/// Refuses an example that leaves a parameter out although it is required.
#[track_caller]
pub const fn example_omits(label: &str, param: &ParamDef<'_>) {
    if param.is_required() {
        refuse(&["example `", label, "` leaves out the required parameter `", param.name, "`"]);
    }
}

/// Ends the compilation with a sentence. Only constants call it.
#[track_caller]
#[expect(clippy::panic, clippy::indexing_slicing, reason = "evaluated by the compiler, never at run time")]
const fn refuse(parts: &[&str]) -> ! {
    let mut text = [b' '; 512];
    let mut len = 0;
    let mut i = 0;
    while i < parts.len() {
        let part = parts[i].as_bytes();
        let mut j = 0;
        while j < part.len() && len < text.len() {
            text[len] = part[j];
            len += 1;
            j += 1;
        }
        i += 1;
    }
    match std::str::from_utf8(text.split_at(len).0) {
        Ok(text) => panic!("{}", text),
        Err(_) => panic!("this parameter cannot be"),
    }
}
