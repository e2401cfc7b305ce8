//! Global options that make no sense for a command.

use tool_core::IssueCode;
use tool_core::args::shown_name;

use crate::fault::Fault;
use crate::globals::{AllGiven, GLOBALS, Global};

/// The faults of options that stand on the command line; `because` is what the command writes whatever is asked for.
pub(crate) fn refused(given: &AllGiven, options: &[Global], because: &str) -> Vec<Fault> {
    let rows = GLOBALS.iter().filter(|row| options.contains(&row.global));
    let found = rows.filter_map(|row| Some((format!("--{}", row.long), given.last(row.global)?)));
    found
        .map(|(flag, given)| {
            let value =
                given.value.as_ref().map(|value| format!(" {}", shown_name(&value.to_string_lossy())));
            let got = format!("{flag}{}", value.unwrap_or_default());
            let fault = Fault::new(IssueCode::Constraint, format!("no {flag}"), got).hint(because);
            fault.flag(flag).words(given.words.clone())
        })
        .collect()
}
