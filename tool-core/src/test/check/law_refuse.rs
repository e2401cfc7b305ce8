//! `law-refuse`: what the schema does not allow and no rule reads as its own is refused, with the code and at the place of what
//! is wrong; what a rule reads is noted. (arguments.md §11, law 3)

use super::super::mutate::Expected;
use super::trials::{Made, Trial};
use super::{Fault, Subject, bounds};
use crate::args::{IssueCode, Rule};

pub(super) const ID: &str = "law-refuse";

pub(super) fn look(subject: &Subject<'_>) -> Vec<Fault> {
    subject.broken(ID)
}

pub(super) fn broken(subject: &Subject<'_>, trial: &Trial) -> Option<Fault> {
    let fault = match &trial.made {
        Made::Valid => None,
        Made::Damaged => damaged(subject, trial),
        Made::Changed { kind, .. } if bounds::is_about(*kind) => None,
        // The change may have led to another value that fits.
        Made::Changed { expected: Expected::Refused(_), .. } if subject.allows(&trial.args) => None,
        Made::Changed { path, expected, .. } => match expected {
            Expected::Taken => None,
            Expected::Noted(rule) => noted(trial, path, *rule),
            Expected::Refused(code) => refused(trial, path, *code),
        },
    };
    fault.map(|fault| fault.with(&trial.args))
}

fn damaged(subject: &Subject<'_>, trial: &Trial) -> Option<Fault> {
    let taken = trial.taken.as_ref().ok()?;
    if !taken.notes.is_empty() || subject.allows(&trial.args) {
        return None;
    }
    let missed = subject.missed(&trial.args);
    // A value outside its bounds alone is another check's.
    let of_bounds = missed.iter().all(|keyword| bounds::is_bound(keyword));
    let text = || format!("taken as it is, though the schema does not allow it (`{}`)", missed.join("`, `"));
    (!of_bounds).then(|| Fault::of_tool(text()))
}

fn noted(trial: &Trial, path: &str, rule: Rule) -> Option<Fault> {
    let told = match &trial.taken {
        Ok(taken) if taken.notes.iter().any(|note| note.path == path && note.rule == rule) => return None,
        Err(_) if trial.breaks_only_rules() => return None,
        Ok(_) => "taken without it".to_owned(),
        Err(error) => format!("refused: {error}"),
    };
    Some(Fault::at(path, format!("the rule `{}` reads this and is noted, but it is {told}", rule.as_str())))
}

/// Why arguments that must be refused with a code at a place are not.
pub(super) fn refused(trial: &Trial, path: &str, code: IssueCode) -> Option<Fault> {
    let wanted = format!("`{}` is expected", code.as_str());
    let text = match &trial.taken {
        Ok(taken) => match taken.notes.first() {
            Some(note) => format!("{wanted}, but it is read under `{}`", note.rule.as_str()),
            None => format!("{wanted}, but it is taken"),
        },
        Err(error) => {
            let issues = error.arg_issues();
            if issues.iter().any(|issue| issue.path == path && issue.code == code) {
                return None;
            }
            let told: Vec<String> =
                issues.iter().map(|issue| format!("{} {}", issue.path, issue.code.as_str())).collect();
            format!("{wanted}, but the issues are [{}]", told.join(", "))
        }
    };
    Some(Fault::at(path, text))
}
