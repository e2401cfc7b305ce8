//! `defaults`: each default is inside its bounds and decodes to itself.

use serde_json::{Map, Value};

use super::{Fault, Subject};
use crate::args::Coerce;
use crate::canonical;
use crate::contract::{self, default_invalid, take};

pub(super) const ID: &str = "defaults";

pub(super) fn look(subject: &Subject<'_>) -> Vec<Fault> {
    let hits = default_invalid(&contract::Subject::of(subject.registry(), subject.tool()));
    if !hits.is_empty() {
        return hits.into_iter().map(|hit| Fault::at(hit.path, hit.text)).collect();
    }
    // A call that gives everything else, so that the rest is no matter.
    let Some(call) = subject.sound(1).next().and_then(Value::as_object) else { return Vec::new() };
    let changed = |(name, default): (&str, Value)| {
        let mut args: Map<String, Value> = call.clone();
        args.insert(name.to_owned(), default.clone());
        let normal = take(subject.def(), args.into(), Coerce::Strict).ok()?.normal;
        let taken = normal.get(name).filter(|taken| !canonical::equal(taken, &default))?;
        Some(Fault::at(format!("/{name}"), format!("the default {default} is read as {taken}")))
    };
    let params = subject.def().params.iter().filter(|param| !param.keys.flatten);
    params.filter_map(|param| Some((param.name, param.default?()))).filter_map(changed).collect()
}
