//! An error of a call, brought back to the command line: each issue with the option and the words it is about.

use std::ops::Range;

use tool_core::args::refused;
use tool_core::{ArgIssue, ErrorKind, ToolError};

use crate::fault::Fault;
use crate::flags::Table;
use crate::gather::Gathered;

/// An error with what the command line knows of it.
#[derive(Debug)]
pub(crate) struct Settled {
    /// The error; its issues are those of every other surface.
    pub(crate) error: ToolError,
    /// For each issue the option as typed, or as usage shows it.
    pub(crate) flags: Vec<Option<String>>,
    /// For each issue the words at fault.
    pub(crate) words: Vec<Vec<Range<usize>>>,
    /// Whether the output that its details hold has been shown as it came.
    pub(crate) shown: bool,
}

impl Settled {
    /// An error that has nothing to do with arguments.
    pub(crate) fn plain(error: ToolError) -> Settled {
        let issues = error.arg_issues().len();
        Settled { error, flags: vec![None; issues], words: vec![Vec::new(); issues], shown: false }
    }

    /// An error made of faults alone.
    pub(crate) fn of_faults(faults: Vec<Fault>) -> Settled {
        let issues: Vec<ArgIssue> = faults.iter().map(|fault| fault.issue.clone()).collect();
        let (flags, words) = faults.into_iter().map(|fault| (fault.flag, fault.words)).unzip();
        let total = issues.len();
        Settled { error: refused(issues, total), flags, words, shown: false }.told()
    }

    /// The error of a call.
    pub(crate) fn of_call(error: ToolError, table: &Table, gathered: &Gathered) -> Settled {
        if error.kind() != ErrorKind::InvalidArgs || error.arg_issues().is_empty() {
            return Settled::plain(error);
        }
        let kept: Vec<ArgIssue> =
            error.arg_issues().iter().filter(|issue| concerns_the_caller(issue, gathered)).cloned().collect();
        let dropped = kept.len() < error.arg_issues().len();
        let mut open: Vec<&Fault> = gathered.faults.iter().collect();
        let (flags, words) = kept.iter().map(|issue| origin(issue, table, gathered, &mut open)).unzip();
        let total = kept.len() + unlisted(&error);
        let error = if dropped { refused(kept, total) } else { error };
        Settled { error, flags, words, shown: false }.told()
    }

    /// The same with the options in its details, for programs.
    fn told(mut self) -> Settled {
        let flags: Vec<serde_json::Value> = self.flags.iter().cloned().map(Into::into).collect();
        self.error = self.error.detail("flags", flags);
        self
    }
}

/// Whether an issue follows from what the caller wrote, and not from a value that was withheld.
fn concerns_the_caller(issue: &ArgIssue, gathered: &Gathered) -> bool {
    if gathered.faults.iter().any(|fault| fault.issue == *issue) {
        return true;
    }
    let within = |path: &String| {
        issue.path.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    !gathered.input_broken && !gathered.unread.iter().any(within)
}

/// Where an issue comes from: its own fault, the words of the value, or what usage shows.
fn origin(
    issue: &ArgIssue,
    table: &Table,
    gathered: &Gathered,
    open: &mut Vec<&Fault>,
) -> (Option<String>, Vec<Range<usize>>) {
    if let Some(index) = open.iter().position(|fault| fault.issue == *issue) {
        let fault = open.remove(index);
        return (fault.flag.clone(), fault.words.clone());
    }
    if let Some((flag, words)) = gathered.origins.of(&issue.path) {
        return (Some(flag.to_owned()), words.into_iter().collect());
    }
    (table.usage(&issue.path), Vec::new())
}

/// The issues that an error counts and does not list.
pub(crate) fn unlisted(error: &ToolError) -> usize {
    let more = error.details().get("more").and_then(serde_json::Value::as_u64);
    more.and_then(|more| usize::try_from(more).ok()).unwrap_or(0)
}
