//! `law-accept`: what the schema allows is taken as it is. (arguments.md §11, law 1)

use super::trials::{Made, Trial};
use super::{Fault, Subject};
use crate::args::IssueCode;
use crate::contract::told;
use crate::schema::says_all_of;

pub(super) const ID: &str = "law-accept";

pub(super) fn look(subject: &Subject<'_>) -> Vec<Fault> {
    let tried = subject.trials().iter().any(|trial| matches!(trial.made, Made::Valid));
    if !tried && subject.schema().is_some() {
        return vec![Fault::of_tool(
            "none of the values that were tried satisfies the schema: give an #[example], from which others are made",
        )];
    }
    subject.broken(ID)
}

pub(super) fn broken(_: &Subject<'_>, trial: &Trial) -> Option<Fault> {
    if !matches!(trial.made, Made::Valid) || trial.breaks_only_rules() {
        return None;
    }
    let fault = match &trial.taken {
        Err(error) => match error.arg_issues().iter().find(|issue| issue.code != IssueCode::Constraint) {
            Some(issue) => {
                Fault::at(&issue.path, format!("the schema allows what is refused: {}", told(issue)))
            }
            None => Fault::of_tool(format!("the schema allows what fails: {error}")),
        },
        Ok(taken) => match taken.notes.first() {
            Some(note) => {
                let rule = note.rule.as_str();
                Fault::at(&note.path, format!("the schema allows what is read as something else (`{rule}`)"))
            }
            None if says_all_of(&trial.args, &taken.normal.clone().into()) => return None,
            None => Fault::of_tool("what the schema allows is read as another value"),
        },
    };
    Some(fault.with(&trial.args))
}
