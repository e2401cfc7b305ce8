//! Every limit of a command: its name, default, range and what it bounds, in one table (sandbox.md §10, shell.md §3).

use std::time::Duration;

use tool_core::ToolError;

use crate::limits::Row;

/// SIGTERM to SIGKILL; it fits the grace of a call's deadline.
pub const KILL_GRACE: Duration = Duration::from_millis(300);
/// Opened files: the soft limit of a command, and the hard one.
pub const MAX_OPEN_FILES: (u64, u64) = (1_024, 4_096);
/// Bytes of locked memory.
pub const MAX_LOCKED_BYTES: u64 = 65_536;
/// Seconds of CPU beyond the timeout.
pub const CPU_SLACK_SECONDS: u64 = 5;

/// Bytes that are kept of each stream of a background process.
pub const BACKGROUND_BUFFER_BYTES: usize = 1_048_576;

macro_rules! limits {
    ($($constant:ident $field:ident $value:literal $most:literal $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $constant: u64 = $value;)*

        /// The limits that hold for commands.
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

            /// Sets a limit by its configuration key; the range is looked at by [`Limits::check`].
            ///
            /// # Errors
            /// `not_configured`/`limit_unknown` for a key that no limit has.
            pub fn set(&mut self, name: &str, value: u64) -> Result<(), ToolError> {
                match name {
                    $(stringify!($field) => self.$field = value,)*
                    _ => {
                        let name: String = name.chars().take(80).collect();
                        let message = format!("There is no limit called {name}.");
                        return Err(ToolError::not_configured(message).code("limit_unknown"));
                    }
                }
                Ok(())
            }

            /// Looks at the range of every limit.
            ///
            /// # Errors
            /// `not_configured`/`limit_out_of_range`.
            pub fn check(&self) -> Result<(), ToolError> {
                $(in_range(stringify!($field), self.$field, $most)?;)*
                Ok(())
            }
        }
    };
}

limits! {
    MAX_TIMEOUT_SECONDS max_timeout_seconds 3_600 86_400 "Longest timeout of a command, in seconds.";
    MAX_COMMAND_CHARS max_command_chars 8_192 131_072 "Characters of a command with its arguments.";
    MAX_ARGS max_args 128 4_096 "Arguments of one command.";
    MAX_ARG_CHARS max_arg_chars 8_192 131_072 "Characters of one argument.";
    MAX_CWD_CHARS max_cwd_chars 1_024 4_096 "Characters of a working directory.";
    MAX_STREAM_BYTES max_stream_bytes 200_000 10_485_760 "Bytes kept of one output stream.";
    MAX_TOTAL_OUTPUT_BYTES max_total_output_bytes 268_435_456 1_099_511_627_776 "Bytes that a command writes in all.";
    MAX_FILE_BYTES max_file_bytes 1_073_741_824 1_099_511_627_776 "Bytes of the largest file that a command writes.";
    MAX_MEMORY_BYTES max_memory_bytes 4_294_967_296 1_099_511_627_776 "Bytes of memory of a command.";
    MAX_PROCESSES max_processes 1_024 4_194_304 "Processes and threads of a command.";
    PARALLEL_COMMANDS parallel_commands 16 1_024 "Commands that run at once.";
    MAX_BACKGROUND max_background 8 1_024 "Background processes of one owner.";
    MAX_BACKGROUND_SECONDS max_background_seconds 86_400 604_800 "Longest timeout of a background process, in seconds.";
    QUEUED_COMMANDS queued_commands 1_000 1_000_000 "Commands that wait for a place.";
}

fn in_range(name: &str, value: u64, most: u64) -> Result<(), ToolError> {
    let message = match value {
        0 => format!("{name} must be positive."),
        _ if value > most => format!("{name} exceeds {most}."),
        _ => return Ok(()),
    };
    Err(ToolError::not_configured(message).code("limit_out_of_range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_can_be_set_by_its_name_and_is_shown() {
        for row in Limits::default().rows() {
            let mut limits = Limits::default();
            limits.set(row.name, row.default + 1).unwrap();
            let shown = limits.rows().into_iter().find(|other| other.name == row.name).unwrap();
            assert_eq!((shown.value, shown.default), (row.default + 1, row.default));
        }
        assert_eq!(Limits::default().set("max_fun", 1).unwrap_err().code_str(), "limit_unknown");
    }

    #[test]
    fn every_limit_has_a_range_and_its_default_lies_in_it() {
        assert!(Limits::default().check().is_ok());
        for row in Limits::default().rows() {
            let mut limits = Limits::default();
            limits.set(row.name, 0).unwrap();
            let error = limits.check().unwrap_err();
            assert_eq!(error.code_str(), "limit_out_of_range");
            assert_eq!(error.message(), format!("{} must be positive.", row.name));
        }
        let limits = Limits { max_stream_bytes: 10_485_761, ..Limits::default() };
        assert_eq!(limits.check().unwrap_err().message(), "max_stream_bytes exceeds 10485760.");
    }
}
