//! The flags that belong to the command line itself. `tool-cli` has the same lists; a test compares them.

/// Long flags, without `--`.
pub(crate) const LONG: [&str; 21] = [
    "help",
    "version",
    "format",
    "json",
    "envelope",
    "select",
    "out",
    "input",
    "schema",
    DRY_RUN,
    "yes",
    "no-input",
    "timeout",
    "root",
    "config",
    "policy",
    "idempotency-key",
    "color",
    "verbose",
    "quiet",
    "llms",
];

/// The one long flag that a tool may take over, as a flag of its own.
pub(crate) const DRY_RUN: &str = "dry-run";

/// Short flags, without `-`.
pub(crate) const SHORT: [char; 6] = ['h', 'V', 'o', 'y', 'v', 'q'];
