//! The contract of the standard tools is the one that was reviewed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at what it cannot build")]

use tool_core::Registry;
use tool_std as _;

#[test]
fn the_standard_tools_are_those_of_the_lock_file() {
    tool_core::lock!("tools.lock", Registry::builder().discover().build().unwrap());
}
