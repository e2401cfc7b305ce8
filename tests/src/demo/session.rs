//! Tools without a group: one without parameters, one with secret ones.

use serde_json::Value;
use tool_core::prelude::*;

use super::echo::{echo, of, opt};

/// Answers pong.
#[tool(register = false)]
pub(super) fn ping() -> &'static str {
    "pong"
}

/// Checks a password.
#[tool(register = false)]
pub(super) fn login(
    /// Account name.
    #[arg(positional)]
    user: &str,
    /// The account's password.
    #[arg(secret, env = "DEMO_PASSWORD")]
    password: &str,
    /// Second factor.
    #[arg(secret)]
    pin: Option<&str>,
) -> Value {
    echo([("user", of(user)), ("password", of(password)), ("pin", opt(&pin))])
}
