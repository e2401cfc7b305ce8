//! The limits of the command line and of every call, as `doctor` shows them.

use std::time::Duration;

use tool_core::args::{MAX_ARGS_BYTES, MAX_DEPTH, MAX_ISSUES};
use tool_core::registry::{MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH};
use tool_core::{BLOCKING_MAX, DEFAULT_TIMEOUT};

use crate::approve::PROMPT_LINES;
use crate::builtin::call::JOBS_MAX;
use crate::doctor::Limit;
use crate::help::{HELP_WIDTH, ROOT_HELP_TOOLS};
use crate::kind::STRUCT_MEMBERS;
use crate::people::{ECHO_COLUMNS, ISSUES_SHOWN};
use crate::progress::PROGRESS_DELAY;
use crate::select::SELECT_PATHS;
use crate::signals::CANCEL_GRACE;
use crate::skill::SKILL_BYTES;
use crate::table::CELL_MIN;

/// Every limit, none of which can be configured.
pub(crate) fn all() -> Vec<Limit> {
    let rows = [
        (
            "max_args_bytes",
            MAX_ARGS_BYTES,
            "Bytes of the arguments of a call, and of a file that is read for one.",
        ),
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
    rows.into_iter().map(|(name, value, meaning)| Limit::fixed(name, value as u64, meaning)).collect()
}

fn millis(length: Duration) -> usize {
    usize::try_from(length.as_millis()).unwrap_or(usize::MAX)
}
