//! Every limit of the file tools: its name, its default and what it bounds, in one table.
//!
//! A [`Limits`] value starts with the defaults and takes what an operator configured under `[limits]`. The rows of
//! [`Limits::rows`] are what `doctor` shows. (Source: files.md §2, sandbox.md §4 and §16.)

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
    ($($constant:ident $field:ident $value:literal $zero:ident $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $constant: u64 = $value;)*

        /// The limits that hold for a workspace.
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
            /// `not_configured`: `limit_out_of_range` for a value that must be positive, `limit_unknown` for a key
            /// that no limit has.
            pub fn set(&mut self, name: &str, value: u64) -> Result<(), ToolError> {
                let (slot, zero) = match name {
                    $(stringify!($field) => (&mut self.$field, Zero::$zero),)*
                    _ => return Err(unknown(name)),
                };
                if value == 0 && zero == Zero::Refused {
                    return Err(ToolError::not_configured(format!("{name} must be positive."))
                        .code("limit_out_of_range"));
                }
                *slot = value;
                Ok(())
            }
        }
    };
}

/// Whether zero is a value of a limit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Zero {
    Refused,
    Allowed,
}

// `REGEX_SIZE_LIMIT` is the default of the regex crate: at the 1 MiB of files.md §2 not even `(\w{10}){10}` compiles, which
// the attack catalogue (regex-002, twin) asks for; `\w` alone takes 64 KiB.
limits! {
    MAX_READ_BYTES max_read_bytes 200_000 Refused "Bytes of text returned by one `read_file` or `search_files`.";
    MAX_BINARY_READ_BYTES max_binary_read_bytes 150_000 Refused "Bytes returned by one binary read, before base64.";
    MAX_READ_FILE_BYTES max_read_file_bytes 67_108_864 Refused "Largest file read as text, hashed or searched, in bytes.";
    MAX_EDIT_FILE_BYTES max_edit_file_bytes 10_485_760 Refused "Largest file edited, before and after, in bytes.";
    MAX_WRITE_BYTES max_write_bytes 10_485_760 Refused "Decoded bytes of `content` of `write_file`.";
    MAX_PATCH_BYTES max_patch_bytes 1_048_576 Refused "Bytes of one patch.";
    MAX_HUNKS max_hunks 1_000 Refused "Hunks of one patch.";
    MAX_LINE_PATCHES max_line_patches 1_000 Refused "Line patches of one call.";
    ECHO_CHARS echo_chars 80 Refused "Characters of input, file or patch quoted in an error.";
    EXCERPT_LINES excerpt_lines 2 Allowed "Lines of context around a change in a result.";
    EXCERPT_BYTES excerpt_bytes 4_096 Refused "Bytes of all excerpts of a result together.";
    LIST_LIMIT list_limit 1_000 Refused "Entries per page when the call does not say.";
    LIST_LIMIT_MAX list_limit_max 10_000 Refused "Most entries per page.";
    WALK_DEPTH_MAX walk_depth_max 128 Refused "Directories that a walk goes down.";
    WALK_ENTRIES walk_entries 1_000_000 Refused "Entries that a walk visits.";
    WALK_SECONDS walk_seconds 10 Refused "Seconds that a walk takes.";
    PATTERN_BYTES pattern_bytes 8_192 Refused "Bytes of a regular expression.";
    GLOB_BYTES glob_bytes 1_024 Refused "Bytes of one glob.";
    GLOBS_MAX globs_max 64 Refused "Globs per call.";
    REGEX_SIZE_LIMIT regex_size_limit 10_485_760 Refused "Bytes of a compiled regular expression.";
    REGEX_DFA_SIZE_LIMIT regex_dfa_size_limit 10_485_760 Refused "Bytes of the lazy automaton of a regular expression.";
    REGEX_NEST_LIMIT regex_nest_limit 250 Refused "Nested groups of a regular expression.";
    SEARCH_LINE_BYTES search_line_bytes 1_048_576 Refused "Bytes of the longest line searched.";
    SEARCH_MULTILINE_FILE_BYTES search_multiline_file_bytes 10_485_760 Refused "Largest file searched in multiline mode, in bytes.";
    SEARCH_RESULTS search_results 1_000 Refused "Matching lines when the call does not say.";
    SEARCH_RESULTS_MAX search_results_max 10_000 Refused "Most matching lines.";
    SEARCH_CONTEXT_MAX search_context_max 20 Allowed "Context lines before or after a match.";
    SEARCH_LINE_CHARS search_line_chars 500 Refused "Characters shown of one matching line.";
    SUBMATCHES_MAX submatches_max 32 Refused "Matches located in one line.";
    TREE_ENTRIES tree_entries 10_000 Refused "Entries of one recursive copy or delete.";
    COPY_BYTES copy_bytes 1_073_741_824 Refused "Bytes of one copy.";
    FREE_SPACE_FLOOR free_space_floor 67_108_864 Allowed "Free bytes that a write must leave.";
    UNDO_BYTES undo_bytes 268_435_456 Allowed "Old bytes kept for `revert`; 0 keeps none.";
    IGNORE_FILE_BYTES ignore_file_bytes 1_048_576 Refused "Largest ignore file that is read, in bytes.";
}

fn unknown(name: &str) -> ToolError {
    let echo: String = name.chars().take(ECHO_CHARS as usize).collect();
    ToolError::not_configured(format!("There is no limit called {echo}.")).code("limit_unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_set_by_its_name_and_is_shown() {
        for row in Limits::default().rows() {
            let mut limits = Limits::default();
            assert_eq!(row.value, row.default);
            limits.set(row.name, row.default + 1).unwrap();
            let shown = limits.rows().into_iter().find(|other| other.name == row.name).unwrap();
            assert_eq!((shown.value, shown.default), (row.default + 1, row.default));
        }
    }

    #[test]
    fn zero_is_refused_where_it_would_close_the_tool() {
        let mut limits = Limits::default();
        let error = limits.set("max_read_bytes", 0).unwrap_err();
        assert_eq!(error.code_str(), "limit_out_of_range");
        assert_eq!(error.message(), "max_read_bytes must be positive.");
        limits.set("undo_bytes", 0).unwrap();
        limits.set("max_read_bytes", 1).unwrap();
    }

    #[test]
    fn an_unknown_limit_is_an_error() {
        assert_eq!(Limits::default().set("max_fun", 1).unwrap_err().code_str(), "limit_unknown");
    }
}
