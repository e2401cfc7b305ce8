//! Rules between parameters that no call can break, or none can keep.

use super::{Hit, Subject};
use crate::def::{Constraint, ParamDef};

pub(super) fn constraint_required(subject: &Subject<'_>) -> Vec<Hit> {
    let def = subject.def();
    let required = |name: &str| subject.param(name).is_some_and(ParamDef::is_required);
    let one_of = one_of(subject).flatten().filter(|name| required(name)).map(|name| {
        Hit::at_param(
            name,
            "it is always required, so that no other of `exactly_one` can be given: make it optional",
        )
    });
    let conflicts = def.params.iter().flat_map(|param| {
        let always = |name: &str| required(name);
        let others =
            param.keys.conflicts_with.iter().filter(move |other| always(param.name) || always(other));
        others.map(|other| {
            let always = if required(param.name) { param.name } else { other };
            let text =
                format!("`{}` conflicts with `{other}`, but `{always}` is always required", param.name);
            Hit::at_param(param.name, text)
        })
    });
    let never = def.params.iter().filter(|param| !param.keys.requires.is_empty()).filter_map(|param| {
        let (a, b) = apart(subject, &needed(subject, param.name))?;
        let text = if a == b {
            format!("it needs `{a}`, which is no parameter")
        } else {
            format!(
                "it can never be given: with what it needs, `{a}` and `{b}` would have to be given together"
            )
        };
        Some(Hit::at_param(param.name, text))
    });
    one_of.chain(conflicts).chain(never).collect()
}

/// The groups of which exactly one is given.
fn one_of<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a [&'a str]> {
    subject.def().constraints.iter().filter_map(|constraint| match constraint {
        Constraint::ExactlyOne(names) => Some(*names),
        Constraint::AtLeastOne(_) => None,
    })
}

/// A parameter and all that must be given with it.
fn needed<'a>(subject: &Subject<'a>, name: &'a str) -> Vec<&'a str> {
    let mut needed = vec![name];
    let mut at = 0;
    while let Some(name) = needed.get(at).copied() {
        let more = subject.param(name).map_or(&[][..], |param| param.keys.requires);
        needed.extend(more.iter().copied().filter(|other| !needed.contains(other)).collect::<Vec<_>>());
        at += 1;
    }
    needed
}

/// Two of the names that cannot be given together; a name twice that is no parameter.
fn apart<'a>(subject: &Subject<'a>, names: &[&'a str]) -> Option<(&'a str, &'a str)> {
    if let Some(unknown) = names.iter().find(|name| subject.param(name).is_none()) {
        return Some((unknown, unknown));
    }
    let conflict =
        |a: &str, b: &str| subject.param(a).is_some_and(|param| param.keys.conflicts_with.contains(&b));
    let pairs = names.iter().enumerate().flat_map(|(i, a)| names.iter().skip(i + 1).map(move |b| (*a, *b)));
    { pairs }.find(|(a, b)| {
        let alternatives = one_of(subject).any(|group| group.contains(a) && group.contains(b));
        conflict(a, b) || conflict(b, a) || alternatives
    })
}
