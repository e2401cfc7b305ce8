//! Values of a tool's schema, the same changed in one place, and the same damaged anywhere: what its decoder made of each, and
//! the first law that this breaks. The function is not run. (arguments.md §11)

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::damage::Damage;
use super::super::mutate::{Expected, Mutation, MutationKind, mutate};
use super::super::values::values;
use super::{Fault, Subject, bounds, law_accept, law_normal, law_refuse};
use crate::args::{Coerce, IssueCode};
use crate::contract::{Taken, take};
use crate::def::{Hint, ParamDef};
use crate::error::ToolError;

/// How many values have every change tried on them; of the others some changes are drawn.
const THOROUGH: usize = 8;

/// How many changes of each further value are tried.
const DRAWN: usize = 4;

/// Arguments, and what the decoder made of them.
pub(super) struct Trial {
    /// The arguments.
    pub(super) args: Value,
    /// Where they come from.
    pub(super) made: Made,
    /// What was taken.
    pub(super) taken: Result<Taken, ToolError>,
    /// The first law that this breaks.
    pub(super) broken: Option<(&'static str, Fault)>,
}

/// Where arguments come from.
pub(super) enum Made {
    /// The schema allows them.
    Valid,
    /// The schema allowed them before one place was changed.
    Changed {
        /// What was done.
        kind: MutationKind,
        /// The place that is told.
        path: String,
        /// What is told.
        expected: Expected,
    },
    /// They were damaged anywhere.
    Damaged,
}

impl Trial {
    /// Whether the schema allows the arguments and the tool takes them as they are.
    pub(super) fn is_sound(&self) -> bool {
        matches!(self.made, Made::Valid) && self.taken.is_ok() && self.broken.is_none()
    }

    /// Whether the arguments break nothing but rules between parameters, which are no part of the schema.
    pub(super) fn breaks_only_rules(&self) -> bool {
        let Err(error) = &self.taken else { return false };
        let issues = error.arg_issues();
        !issues.is_empty() && issues.iter().all(|issue| issue.code == IssueCode::Constraint)
    }
}

/// The laws that one trial can break, the one that says most first: what breaks it is not told again by the others.
type Law = (&'static str, fn(&Subject<'_>, &Trial) -> Option<Fault>);

const LAWS: [Law; 4] = [
    (law_accept::ID, law_accept::broken),
    (law_refuse::ID, law_refuse::broken),
    (bounds::ID, bounds::broken),
    (law_normal::ID, law_normal::broken),
];

/// All trials of a tool; none where its schema is none.
pub(super) fn of(subject: &Subject<'_>) -> Vec<Trial> {
    let Some(schema) = subject.schema() else { return Vec::new() };
    let mut trials = Trials { subject, seen: BTreeSet::new(), made: Vec::new() };
    let mut damage = Damage::new(subject.seed());
    let mut thorough = 0;
    let generated = values(schema).seed(subject.seed()).take(subject.checks().values);
    for args in of_examples(subject).chain(generated) {
        if !trials.add(args.clone(), Made::Valid) {
            continue;
        }
        let mut damaged = args.clone();
        damage.damage(&mut damaged);
        if damaged.is_object() {
            trials.add(damaged, Made::Damaged);
        }
        let mut changes = mutate(schema, &args);
        changes.retain(|change| !is_alias(subject, change));
        if thorough >= THOROUGH {
            let drawn = (0..DRAWN.min(changes.len())).map(|_| damage.random().below(changes.len()));
            changes = drawn.filter_map(|at| changes.get(at).cloned()).collect::<Vec<_>>();
        }
        thorough += 1;
        for change in changes {
            let expected = expected(subject, &change);
            let Mutation { kind, value, path, .. } = change;
            trials.add(value, Made::Changed { kind, path, expected });
        }
    }
    trials.made
}

struct Trials<'s, 'a> {
    subject: &'s Subject<'a>,
    seen: BTreeSet<String>,
    made: Vec<Trial>,
}

impl Trials<'_, '_> {
    /// Tries arguments that were not tried yet; whether they are sound.
    fn add(&mut self, args: Value, made: Made) -> bool {
        if !self.seen.insert(args.to_string()) {
            return false;
        }
        let taken = take(self.subject.def(), args.clone(), Coerce::Lenient);
        let mut trial = Trial { args, made, taken, broken: None };
        trial.broken = LAWS.iter().find_map(|(id, broken)| Some((*id, broken(self.subject, &trial)?)));
        let sound = trial.is_sound();
        self.made.push(trial);
        sound
    }
}

/// The arguments of the examples that the schema allows.
fn of_examples<'s>(subject: &'s Subject<'_>) -> impl Iterator<Item = Value> + 's {
    let args = subject.def().examples.iter().filter_map(|example| serde_json::from_str(example.args).ok());
    args.filter(|args: &Value| args.is_object() && subject.allows(args))
}

/// What is expected of a change, with what the definition says and its schema does not: a number or boolean names no file, so that
/// none is read as a path. (sandbox.md §1)
fn expected(subject: &Subject<'_>, change: &Mutation) -> Expected {
    let is_at = |param: &ParamDef<'_>| change.path.strip_prefix('/') == Some(param.name);
    let is_path = |param: &ParamDef<'_>| {
        matches!(param.keys.hint, Some(Hint::File | Hint::Dir | Hint::Path)) && is_at(param)
    };
    let scalar = matches!(change.value.pointer(&change.path), Some(Value::Number(_) | Value::Bool(_)));
    match change.expected {
        Expected::Noted(_) if scalar && subject.def().params.iter().any(is_path) => {
            Expected::Refused(IssueCode::Type)
        }
        expected => expected,
    }
}

/// Whether a key that nobody should know is another name of a parameter.
fn is_alias(subject: &Subject<'_>, change: &Mutation) -> bool {
    let key = change.path.strip_prefix('/');
    change.kind == MutationKind::Added
        && key
            .is_some_and(|key| subject.def().params.iter().any(|param| param.names().any(|name| name == key)))
}
