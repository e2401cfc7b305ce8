//! Global options that make no sense for a command.

use tool_core::IssueCode;

use crate::fault::{Fault, text};
use crate::globals::{AllGiven, GLOBALS, Global};

/// The faults of options that stand on the command line; `expected` is what the command writes whatever is asked for.
pub(crate) fn refused(given: &AllGiven, options: &[Global], expected: &str) -> Vec<Fault> {
    let rows = GLOBALS.iter().filter(|row| options.contains(&row.global));
    let found = rows.filter_map(|row| Some((format!("--{}", row.long), given.last(row.global)?)));
    found
        .map(|(flag, given)| {
            let fault = Fault::new(IssueCode::Constraint, expected, text(&flag));
            fault.flag(flag).words(given.words.clone())
        })
        .collect()
}
