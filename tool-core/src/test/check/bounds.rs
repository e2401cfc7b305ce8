//! `bounds`: the value at each bound is taken, the next one outside is refused with its code.

use super::super::mutate::{Expected, MutationKind};
use super::law_refuse::refused;
use super::trials::{Made, Trial};
use super::{Fault, Subject};

pub(super) const ID: &str = "bounds";

/// The keywords of bounds.
const KEYWORDS: [&str; 12] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
];

/// Whether a keyword is one of a bound.
pub(super) fn is_bound(keyword: &str) -> bool {
    KEYWORDS.contains(&keyword)
}

/// Whether a change is judged here.
pub(super) fn is_about(kind: MutationKind) -> bool {
    matches!(kind, MutationKind::AtBound | MutationKind::OverBound)
}

pub(super) fn look(subject: &Subject<'_>) -> Vec<Fault> {
    subject.broken(ID)
}

pub(super) fn broken(subject: &Subject<'_>, trial: &Trial) -> Option<Fault> {
    let fault = match &trial.made {
        Made::Changed { kind, path, expected } if is_about(*kind) => {
            let allowed = subject.allows(&trial.args);
            match expected {
                Expected::Refused(code) if !allowed => refused(trial, path, *code),
                Expected::Taken if allowed => at(trial, path),
                _ => None,
            }
        }
        Made::Damaged => damaged(subject, trial),
        Made::Changed { .. } | Made::Valid => None,
    };
    fault.map(|fault| fault.with(&trial.args))
}

fn at(trial: &Trial, path: &str) -> Option<Fault> {
    let text = match &trial.taken {
        Ok(taken) if taken.notes.is_empty() => return None,
        Err(_) if trial.breaks_only_rules() => return None,
        Ok(_) => "the value at the bound is read as something else".to_owned(),
        Err(error) => format!("the value at the bound is refused: {error}"),
    };
    Some(Fault::at(path, text))
}

/// A value outside its bounds that is taken; what else is wrong with a damaged call is no matter of bounds.
fn damaged(subject: &Subject<'_>, trial: &Trial) -> Option<Fault> {
    let taken = trial.taken.as_ref().ok()?;
    let missed = subject.missed(&trial.args);
    let outside = taken.notes.is_empty() && !missed.is_empty();
    let text = || format!("taken, though outside of `{}`", missed.join("`, `"));
    (outside && missed.iter().all(|keyword| is_bound(keyword))).then(|| Fault::of_tool(text()))
}
