//! `secret`: what a tool is handed as a secret is in no error, log line, trace field, note or `Debug` output of its calls.
//!
//! Calls that are wrong in another place are decoded for every tool; calls that fit run where that is harmless (`running`).

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::super::mutate::{Expected, mutate};
use super::logged::logged;
use super::running::{plan, run};
use super::{Fault, Subject};
use crate::args::Coerce;
use crate::contract::take;
use crate::def::ParamDef;
use crate::output::ToolResult;

pub(super) const ID: &str = "secret";

/// How many calls that fit are made of each tool, and how many with each fault.
const CALLS: usize = 4;

/// What stands for the value of a secret: no tool makes it by itself.
const CANARY: &str = "canary-7f3a91";

pub(super) fn look(subject: &Subject<'_>) -> Vec<Fault> {
    let params: Vec<&ParamDef<'_>> = subject.def().params.iter().filter(|param| param.keys.secret).collect();
    if params.is_empty() && subject.def().secrets.is_empty() {
        return Vec::new();
    }
    let calls: Vec<Value> = subject.sound(CALLS).map(|args| with_canaries(subject, &params, args)).collect();
    let declared: HashMap<String, String> = {
        let keys = subject.def().secrets.iter().filter(|secret| secret.choices.is_empty());
        keys.map(|secret| (secret.key.to_owned(), canary(secret.key))).collect()
    };
    let ctx = subject.checks().given().to_builder().secrets(declared).build();
    let mut faults = Vec::new();
    for args in calls.iter().flat_map(|args| wrong(subject, &params, args)) {
        // Decoding alone: a decoder that is lax must not lead to an effect.
        let (log, result) = logged(|| plan(subject.executor(), subject.call(&args), &ctx));
        let told =
            result.err().map(|error| format!("{error} {error:?} {}", error.to_json())).unwrap_or_default();
        faults.extend(exposed(subject, &params, "the refusal of a call", &told, &args));
        faults.extend(exposed(subject, &params, "the log of a call that is refused", &log, &args));
    }
    for args in calls.iter().filter(|_| subject.is_harmless()) {
        let (log, result) = logged(|| run(subject.executor().trace(), subject.call(args), &ctx));
        let what = if result.is_ok() { "the result of a call" } else { "the error of a call" };
        faults.extend(exposed(subject, &params, what, &outcome(&result), args));
        faults.extend(exposed(subject, &params, "the log of a call", &log, args));
    }
    faults
}

/// What a short secret begins with, for which the canary is too long.
const SHORT: &str = "7f3a91";

/// The value that stands for a secret.
fn canary(key: &str) -> String {
    format!("{CANARY}-{key}")
}

/// A value for a secret that must be shorter, or longer, than its canary.
fn of_length(subject: &Subject<'_>, key: &str) -> Option<String> {
    let schema = subject.schema().and_then(|schema| schema.get("properties")?.get(key))?;
    let bound =
        |keyword| schema.get(keyword).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok());
    let (least, most) = (bound("minLength").unwrap_or(0), bound("maxLength").unwrap_or(usize::MAX));
    let text: String =
        format!("{SHORT}{key}").chars().chain(std::iter::repeat_n('z', least)).take(most).collect();
    text.starts_with(SHORT).then_some(text)
}

/// What is looked for of a secret that a call was given.
fn looked_for(args: &Value, key: &str) -> String {
    let given = args.get(key).and_then(Value::as_str).filter(|given| given.starts_with(SHORT));
    given.map_or_else(|| canary(key), str::to_owned)
}

/// The same call with canaries as its secrets, as far as they fit.
fn with_canaries(subject: &Subject<'_>, params: &[&ParamDef<'_>], args: &Value) -> Value {
    let mut call: Map<String, Value> = args.as_object().cloned().unwrap_or_default();
    for param in params {
        let before = call.get(param.name).cloned();
        let stands = [Some(canary(param.name)), of_length(subject, param.name)];
        let fits = stands.into_iter().flatten().any(|text| {
            call.insert(param.name.to_owned(), json!(text));
            take(subject.def(), call.clone().into(), Coerce::Strict).is_ok()
        });
        if !fits {
            match before {
                Some(before) => call.insert(param.name.to_owned(), before),
                None => call.shift_remove(param.name),
            };
        }
    }
    call.into()
}

/// The same call with something wrong, beside a secret or in it.
fn wrong(subject: &Subject<'_>, params: &[&ParamDef<'_>], args: &Value) -> Vec<Value> {
    let changes = subject.schema().map(|schema| mutate(schema, args)).unwrap_or_default();
    let refused = changes.into_iter().filter(|change| matches!(change.expected, Expected::Refused(_)));
    let beside = refused.map(|change| change.value).filter(|value| value.to_string().contains(CANARY));
    let inside = params.iter().flat_map(|param| {
        let secret = canary(param.name);
        let forms = [json!([[secret]]), json!({(secret.as_str()): secret}), json!(format!("[{secret}"))];
        forms.into_iter().map(|form| {
            let mut call = args.clone();
            if let Some(members) = call.as_object_mut() {
                members.insert(param.name.to_owned(), form);
                members.insert("zzz_unknown".to_owned(), json!(1));
            }
            call
        })
    });
    beside.take(CALLS * CALLS).chain(inside).collect()
}

/// All that is told of a call.
fn outcome(result: &ToolResult) -> String {
    match result {
        Ok(output) => format!("{output:?} {}", output.data()),
        Err(error) => format!("{error} {error:?} {}", error.to_json()),
    }
}

/// The first secret whose canary is in a text.
fn exposed(
    subject: &Subject<'_>,
    params: &[&ParamDef<'_>],
    place: &str,
    text: &str,
    args: &Value,
) -> Option<Fault> {
    let names = params.iter().map(|param| (format!("/{}", param.name), param.name));
    let keys = subject.def().secrets.iter().map(|secret| (String::new(), secret.key));
    let (path, name) = { names.chain(keys) }.find(|(_, name)| text.contains(&looked_for(args, name)))?;
    Some(Fault::at(path, format!("the secret `{name}` is in {place}")).with(args))
}
