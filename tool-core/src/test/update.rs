//! Whether files with what is expected are compared or written.

use std::env;

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
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
        if is_set("UPDATE") && !is_set("CI") { Mode::Update } else { Mode::Compare }
    }
}
