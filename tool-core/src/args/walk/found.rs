//! What a walk found: the first issues in full, the others counted, and the notes.

use crate::args::coercion::{Notes, Rule};
use crate::args::issue::{ArgIssue, IssueCode, MAX_ISSUES};

/// Issues and notes of a walk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The first issues, at most [`MAX_ISSUES`].
    pub(crate) issues: Vec<ArgIssue>,
    /// How many more there are.
    pub(crate) more: usize,
    /// The coercions, in declaration order.
    pub(crate) notes: Notes,
    /// Only counts issues, as when an alternative is tried.
    quiet: bool,
}

impl Found {
    /// A record that only counts issues.
    pub(super) fn quiet() -> Found {
        Found { quiet: true, ..Found::default() }
    }

    /// A record of one issue.
    pub(crate) fn one(issue: ArgIssue) -> Found {
        Found { issues: vec![issue], ..Found::default() }
    }

    /// Whether nothing is wrong.
    pub(crate) fn is_clean(&self) -> bool {
        self.issues.is_empty() && self.more == 0
    }

    /// Whether something may be wrong only because the schema does not tell aliases.
    pub(crate) fn may_be_aliases(&self) -> bool {
        let of_names = |issue: &ArgIssue| {
            matches!(issue.code, IssueCode::Missing | IssueCode::Unknown | IssueCode::Choice)
        };
        self.issues.iter().any(of_names)
    }

    /// Whether issues are only counted.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// How many issues there are.
    pub(super) fn count(&self) -> usize {
        self.issues.len() + self.more
    }

    /// Adds an issue; path, expected, got and hint are only written when they will be read.
    pub(crate) fn issue(
        &mut self,
        code: IssueCode,
        write: impl FnOnce() -> (String, String, String, Option<String>),
    ) {
        if self.quiet || self.issues.len() >= MAX_ISSUES {
            self.more += 1;
            return;
        }
        let (path, expected, got, hint) = write();
        self.issues.push(ArgIssue { path, code, expected, got, hint });
    }

    pub(super) fn note(&mut self, path: impl FnOnce() -> String, rule: Rule) {
        self.notes.add(path, rule);
    }
}
