//! Whether files with what is expected are compared or written.

use std::env;
use std::io::Write as _;

/// What a macro does with files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They are compared.
    Compare,
    /// They are written.
    Update,
}

impl Mode {
    /// `UPDATE=1` writes, but never where `CI` is set: there a stale file fails.
    pub fn of_environment() -> Mode {
        if is_set("UPDATE") && !is_set("CI") { Mode::Update } else { Mode::Compare }
    }
}

/// Whether a variable says yes: it is there, and neither empty, `0` nor `false`.
fn is_set(name: &str) -> bool {
    env::var_os(name)
        .is_some_and(|value| !value.is_empty() && value != "0" && !value.eq_ignore_ascii_case("false"))
}

/// What is to be said beside that `UPDATE=1` writes a file.
pub(super) fn unless_ci() -> &'static str {
    if is_set("CI") { " (Nothing is written while CI is set.)" } else { "" }
}

/// Says what was written, also of a test that passes, whose output nobody else sees.
pub fn tell(lines: &[String]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    // Who closed its standard error does not want to know.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
