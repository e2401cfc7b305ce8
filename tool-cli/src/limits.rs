//! The limits of the command line and of every call, as `doctor` shows them, and those of them that can be set.

use std::ops::RangeInclusive;
use std::time::Duration;

use tool_core::args::{MAX_ARGS_BYTES, MAX_DEPTH, MAX_ISSUES, did_you_mean, shown_name, suggest};
use tool_core::registry::{MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH};
use tool_core::{BLOCKING_MAX, DEFAULT_TIMEOUT, ToolError};

use crate::approve::PROMPT_LINES;
use crate::builtin::call::JOBS_MAX;
use crate::doctor::Limit;
use crate::help::{HELP_WIDTH, ROOT_HELP_TOOLS};
use crate::kind::STRUCT_MEMBERS;
use crate::people::{ECHO_COLUMNS, ISSUES_SHOWN};
use crate::progress::PROGRESS_DELAY;
use crate::select::SELECT_PATHS;
use crate::settings::Settings;
use crate::signals::CANCEL_GRACE;
use crate::skill::SKILL_BYTES;
use crate::table::CELL_MIN;

/// The key of the limit of arguments under `[limits]`.
pub(crate) const ARGS_BYTES: &str = "max_args_bytes";

/// What it may be: one call must fit into memory several times.
const ARGS_BYTES_RANGE: RangeInclusive<u64> = 1..=1 << 30;

/// Whether a limit is the command line's own, and can be set to a value.
///
/// # Errors
/// `not_configured`, code `limit_unknown` where it is none of its own, or `limit_out_of_range`.
pub(crate) fn judge(name: &str, value: u64) -> Result<(), ToolError> {
    let (least, greatest) = (ARGS_BYTES_RANGE.start(), ARGS_BYTES_RANGE.end());
    if name != ARGS_BYTES {
        let shown = shown_name(name);
        let near = did_you_mean(&suggest(name, [(ARGS_BYTES, ARGS_BYTES)]));
        return Err(ToolError::not_configured(format!("There is no limit `{shown}`."))
            .code("limit_unknown")
            .hint(near.unwrap_or_else(|| format!("the limits are {ARGS_BYTES}"))));
    }
    if ARGS_BYTES_RANGE.contains(&value) {
        return Ok(());
    }
    Err(ToolError::not_configured(format!("{ARGS_BYTES} is {value}, outside {least} to {greatest}."))
        .code("limit_out_of_range"))
}

/// Every limit as it holds.
pub(crate) fn all(settings: &Settings) -> Vec<Limit> {
    let args_bytes = settings.max_args_bytes();
    let rows = [
        ("max_depth", MAX_DEPTH, "Levels of the arguments."),
        ("max_issues", MAX_ISSUES, "Issues that one answer lists."),
        ("max_schema_bytes", MAX_SCHEMA_BYTES, "Bytes of a given input schema."),
        ("max_schema_depth", MAX_SCHEMA_DEPTH, "Levels of a given input schema."),
        ("default_timeout_ms", millis(DEFAULT_TIMEOUT), "Milliseconds of a call whose tool does not say."),
        ("blocking_max", BLOCKING_MAX, "Plain functions that run at once."),
        ("root_help_tools", ROOT_HELP_TOOLS, "Tools that --help lists one by one."),
        ("struct_members", STRUCT_MEMBERS, "Members of an object that are options of their own."),
        ("help_width_min", HELP_WIDTH.0, "Least columns of help."),
        ("help_width_max", HELP_WIDTH.1, "Most columns of help."),
        ("issues_shown", ISSUES_SHOWN, "Issues that are shown to people."),
        ("echo_columns", ECHO_COLUMNS, "Columns of a command line that an error repeats."),
        ("select_paths", SELECT_PATHS, "Paths of one --select."),
        ("jobs_max", JOBS_MAX as usize, "Reads of a batch that run at once."),
        ("cell_min", CELL_MIN, "Least columns of a cell on a terminal."),
        ("prompt_lines", PROMPT_LINES, "Lines of arguments in a question."),
        ("progress_delay_ms", millis(PROGRESS_DELAY), "Milliseconds before progress is shown."),
        ("cancel_grace_ms", millis(CANCEL_GRACE), "Milliseconds that a cancelled call has for ending."),
        ("skill_bytes", SKILL_BYTES, "Bytes of one SKILL.md."),
    ];
    let fixed = rows.into_iter().map(|(name, value, meaning)| Limit::fixed(name, value as u64, meaning));
    let meaning = "Bytes of the arguments of a call, and of a file that is read for one.";
    let own = Limit { value: args_bytes as u64, ..Limit::fixed(ARGS_BYTES, MAX_ARGS_BYTES as u64, meaning) };
    std::iter::once(own).chain(fixed).collect()
}

fn millis(length: Duration) -> usize {
    usize::try_from(length.as_millis()).unwrap_or(usize::MAX)
}
