//! Every limit of the standard tools: its name, default, range and what it bounds, in one table.
//!
//! A [`Limits`] value starts with the defaults and takes what an operator configured under `[limits]`. The rows of
//! [`Limits::rows`] are what `doctor` shows. What nobody may configure stands beside the code that enforces it.
//! (Source: files.md §2, sandbox.md §4, §10 and §16, shell.md §3.)

use std::ops::RangeInclusive;

use tool_core::ToolError;

/// One limit as it stands, for `doctor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Configuration key, such as `max_read_bytes`.
    pub name: &'static str,
    /// What holds now.
    pub value: u64,
    /// What holds when nothing is configured.
    pub default: u64,
    /// What it bounds.
    pub meaning: &'static str,
}

macro_rules! limits {
    ($($constant:ident $field:ident $value:literal $range:expr, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $constant: u64 = $value;)*

        /// The limits that hold for a workspace and for the commands of a sandbox.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Limits {
            $(#[doc = $meaning] pub $field: u64,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($field: $constant,)* }
            }
        }

        impl Limits {
            /// Every limit in the order of the specification.
            pub fn rows(&self) -> Vec<Row> {
                vec![$(Row {
                    name: stringify!($field),
                    value: self.$field,
                    default: $constant,
                    meaning: $meaning,
                },)*]
            }

            /// Sets a limit by its configuration key.
            ///
            /// # Errors
            /// `not_configured`: `limit_out_of_range` for a value outside its range, `limit_unknown` for a key that no
            /// limit has.
            pub fn set(&mut self, name: &str, value: u64) -> Result<(), ToolError> {
                let (slot, range) = match name {
                    $(stringify!($field) => (&mut self.$field, $range),)*
                    _ => return Err(unknown(name)),
                };
                in_range(name, value, &range)?;
                *slot = value;
                Ok(())
            }

            /// Looks at the range of every limit: fields can be set without [`Limits::set`].
            ///
            /// # Errors
            /// `not_configured`/`limit_out_of_range`.
            pub fn check(&self) -> Result<(), ToolError> {
                $(in_range(stringify!($field), self.$field, &$range)?;)*
                Ok(())
            }
        }
    };
}

/// The range of a limit where zero would close the tool.
const POSITIVE: RangeInclusive<u64> = 1..=u64::MAX;

/// The range of a limit where zero means something.
const ANY: RangeInclusive<u64> = 0..=u64::MAX;

// `REGEX_SIZE_LIMIT` is the default of the regex crate: at the 1 MiB of files.md §2 not even `(\w{10}){10}` compiles, which
// the attack catalogue (regex-002, twin) asks for; `\w` alone takes 64 KiB.
limits! {
    // Files.
    MAX_READ_BYTES max_read_bytes 200_000 POSITIVE, "Bytes of text returned by one `read_file` or `search_files`.";
    MAX_BINARY_READ_BYTES max_binary_read_bytes 150_000 POSITIVE, "Bytes returned by one binary read, before base64.";
    MAX_READ_FILE_BYTES max_read_file_bytes 67_108_864 POSITIVE, "Largest file read as text, hashed or searched, in bytes.";
    MAX_EDIT_FILE_BYTES max_edit_file_bytes 10_485_760 POSITIVE, "Largest file edited, before and after, in bytes.";
    MAX_WRITE_BYTES max_write_bytes 10_485_760 POSITIVE, "Decoded bytes of `content` of `write_file`.";
    MAX_PATCH_BYTES max_patch_bytes 1_048_576 POSITIVE, "Bytes of one patch.";
    MAX_HUNKS max_hunks 1_000 POSITIVE, "Hunks of one patch.";
    MAX_LINE_PATCHES max_line_patches 1_000 POSITIVE, "Line patches of one call.";
    ECHO_CHARS echo_chars 80 POSITIVE, "Characters of input, file or patch quoted in an error.";
    EXCERPT_LINES excerpt_lines 2 ANY, "Lines of context around a change in a result.";
    EXCERPT_BYTES excerpt_bytes 4_096 POSITIVE, "Bytes of all excerpts of a result together.";
    LIST_LIMIT list_limit 1_000 POSITIVE, "Entries per page when the call does not say.";
    LIST_LIMIT_MAX list_limit_max 10_000 POSITIVE, "Most entries per page.";
    WALK_DEPTH_MAX walk_depth_max 128 POSITIVE, "Directories that a walk goes down.";
    WALK_ENTRIES walk_entries 1_000_000 POSITIVE, "Entries that a walk visits.";
    WALK_SECONDS walk_seconds 10 POSITIVE, "Seconds that a walk takes.";
    PATTERN_BYTES pattern_bytes 8_192 POSITIVE, "Bytes of a regular expression.";
    GLOB_BYTES glob_bytes 1_024 POSITIVE, "Bytes of one glob.";
    GLOBS_MAX globs_max 64 POSITIVE, "Globs per call.";
    REGEX_SIZE_LIMIT regex_size_limit 10_485_760 POSITIVE, "Bytes of a compiled regular expression.";
    REGEX_DFA_SIZE_LIMIT regex_dfa_size_limit 10_485_760 POSITIVE, "Bytes of the lazy automaton of a regular expression.";
    REGEX_NEST_LIMIT regex_nest_limit 250 POSITIVE, "Nested groups of a regular expression.";
    SEARCH_LINE_BYTES search_line_bytes 1_048_576 POSITIVE, "Bytes of the longest line searched.";
    SEARCH_MULTILINE_FILE_BYTES search_multiline_file_bytes 10_485_760 POSITIVE, "Largest file searched in multiline mode, in bytes.";
    SEARCH_RESULTS search_results 1_000 POSITIVE, "Matching lines when the call does not say.";
    SEARCH_RESULTS_MAX search_results_max 10_000 POSITIVE, "Most matching lines.";
    SEARCH_CONTEXT_MAX search_context_max 20 ANY, "Context lines before or after a match.";
    SEARCH_LINE_CHARS search_line_chars 500 POSITIVE, "Characters shown of one matching line.";
    SUBMATCHES_MAX submatches_max 32 POSITIVE, "Matches located in one line.";
    TREE_ENTRIES tree_entries 10_000 POSITIVE, "Entries of one recursive copy or delete, and of a directory that is moved under path rules.";
    COPY_BYTES copy_bytes 1_073_741_824 POSITIVE, "Bytes of one copy.";
    FREE_SPACE_FLOOR free_space_floor 67_108_864 ANY, "Free bytes that a write must leave.";
    UNDO_BYTES undo_bytes 268_435_456 ANY, "Old bytes kept for `revert`; 0 keeps none.";
    IGNORE_FILE_BYTES ignore_file_bytes 1_048_576 POSITIVE, "Largest ignore file that is read, in bytes.";
    // Commands.
    MAX_TIMEOUT_SECONDS max_timeout_seconds 3_600 1..=86_400, "Longest timeout of a command, in seconds.";
    MAX_COMMAND_CHARS max_command_chars 8_192 1..=131_072, "Characters of a command with its arguments.";
    MAX_ARGS max_args 128 1..=4_096, "Arguments of one command.";
    MAX_ARG_CHARS max_arg_chars 8_192 1..=131_072, "Characters of one argument.";
    MAX_CWD_CHARS max_cwd_chars 1_024 1..=4_096, "Characters of a working directory.";
    MAX_STREAM_BYTES max_stream_bytes 200_000 1..=10_485_760, "Bytes kept of one output stream.";
    MAX_TOTAL_OUTPUT_BYTES max_total_output_bytes 268_435_456 1..=1_099_511_627_776, "Bytes that a command writes in all.";
    MAX_FILE_BYTES max_file_bytes 1_073_741_824 1..=1_099_511_627_776, "Bytes of the largest file that a command writes.";
    MAX_MEMORY_BYTES max_memory_bytes 4_294_967_296 1..=1_099_511_627_776, "Bytes of memory of a command.";
    MAX_CPU_SECONDS max_cpu_seconds 0 0..=604_800, "CPU time of each process of a command, in seconds; 0 is its timeout and 5 seconds more.";
    MAX_OPEN_FILES max_open_files 1_024 16..=262_144, "Files that a process of a command has open; it may raise that to four times as many.";
    MAX_PROCESSES max_processes 1_024 1..=4_194_304, "Processes and threads of a command.";
    // It fits the time that a call has to give what it has when its deadline has passed (calls.md §8).
    KILL_GRACE_MS kill_grace_ms 300 0..=500, "Time from asking a command to end to ending it, in milliseconds.";
    PARALLEL_COMMANDS parallel_commands 16 1..=1_024, "Commands that run at once.";
    READY_COMMANDS ready_commands 2 0..=64, "Sandboxes kept ready for the next commands; 0 keeps none.";
    MAX_BACKGROUND max_background 8 1..=1_024, "Background processes of one owner.";
    MAX_BACKGROUND_SECONDS max_background_seconds 86_400 1..=604_800, "Longest timeout of a background process, in seconds.";
    BACKGROUND_BUFFER_BYTES background_buffer_bytes 1_048_576 1..=1_073_741_824, "Bytes kept of each stream of a background process.";
    QUEUED_COMMANDS queued_commands 1_000 1..=1_000_000, "Commands that wait for a place.";
}

/// How many results a call asks for. One that says nothing, or the default, gets what an operator set for it.
pub(crate) fn asked(given: u64, default: u64, configured: u64, most: u64) -> usize {
    let asked = if given == default { configured } else { given };
    usize::try_from(asked.min(most)).unwrap_or(usize::MAX)
}

fn in_range(name: &str, value: u64, range: &RangeInclusive<u64>) -> Result<(), ToolError> {
    let message = match value {
        value if range.contains(&value) => return Ok(()),
        0 => format!("{name} must be positive."),
        value if value < *range.start() => format!("{name} must be at least {}.", range.start()),
        _ => format!("{name} exceeds {}.", range.end()),
    };
    Err(ToolError::not_configured(message).code("limit_out_of_range"))
}

fn unknown(name: &str) -> ToolError {
    let echo: String = name.chars().take(ECHO_CHARS as usize).collect();
    ToolError::not_configured(format!("There is no limit called {echo}.")).code("limit_unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_can_be_set_by_its_name_and_is_shown() {
        for row in Limits::default().rows() {
            let mut limits = Limits::default();
            assert_eq!(row.value, row.default);
            limits.set(row.name, row.default + 1).unwrap();
            let shown = limits.rows().into_iter().find(|other| other.name == row.name).unwrap();
            assert_eq!((shown.value, shown.default), (row.default + 1, row.default));
        }
    }

    #[test]
    fn no_two_limits_have_one_name_and_every_default_lies_in_its_range() {
        let mut names: Vec<&str> = Limits::default().rows().into_iter().map(|row| row.name).collect();
        let total = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), total);
        assert!(Limits::default().check().is_ok());
    }

    #[test]
    fn zero_is_refused_where_it_would_close_the_tool() {
        let allowed = [
            "excerpt_lines",
            "search_context_max",
            "free_space_floor",
            "undo_bytes",
            "max_cpu_seconds",
            "kill_grace_ms",
            "ready_commands",
        ];
        for row in Limits::default().rows() {
            let mut limits = Limits::default();
            match limits.set(row.name, 0) {
                Ok(()) => assert!(allowed.contains(&row.name) && limits.check().is_ok(), "{}", row.name),
                Err(error) => {
                    assert!(!allowed.contains(&row.name), "{}", row.name);
                    assert_eq!(error.code_str(), "limit_out_of_range");
                    assert_eq!(error.message(), format!("{} must be positive.", row.name));
                    assert_eq!(limits, Limits::default(), "a refused value changes nothing");
                }
            }
        }
    }

    #[test]
    fn a_limit_of_commands_has_a_greatest_value_however_it_is_set() {
        let mut limits = Limits::default();
        let by_name = limits.set("max_stream_bytes", 10_485_761).unwrap_err();
        limits.max_stream_bytes = 10_485_761;
        for error in [by_name, limits.check().unwrap_err()] {
            assert_eq!(error.code_str(), "limit_out_of_range");
            assert_eq!(error.message(), "max_stream_bytes exceeds 10485760.");
        }
        limits.set("max_stream_bytes", 10_485_760).unwrap();
        assert!(limits.check().is_ok());
    }

    #[test]
    fn a_value_below_the_least_is_told_as_that() {
        let error = Limits::default().set("max_open_files", 15).unwrap_err();
        assert_eq!(
            (error.code_str(), error.message()),
            ("limit_out_of_range", "max_open_files must be at least 16.")
        );
        Limits::default().set("max_open_files", 16).unwrap();
    }

    #[test]
    fn an_unknown_limit_is_an_error() {
        assert_eq!(Limits::default().set("max_fun", 1).unwrap_err().code_str(), "limit_unknown");
    }
}
