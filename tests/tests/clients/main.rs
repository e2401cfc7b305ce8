//! Real clients of MCP with our server and a scripted model: Claude Code, Codex and Gemini CLI from npm. (mcp.md §14)
//!
//! Opt-in, because they are hundreds of megabytes: `TOOL_E2E=claude,codex,gemini cargo test -p tests --test clients -- --nocapture`.
//! `TOOL_E2E_REQUIRE=1` makes a client that does not run a failure.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "it is a test throughout, and says why it is skipped"
)]

mod claude;
mod codex;
mod gemini;
mod installed;
mod laws;
mod scene;
mod server;

use scene::Client;

/// The clients, in the order of the specification.
const CLIENTS: [&Client; 3] = [&claude::CLIENT, &codex::CLIENT, &gemini::CLIENT];

#[test]
fn claude() {
    laws::hold(&claude::CLIENT);
}

#[test]
fn claude_runs_nothing_that_it_was_not_allowed() {
    claude::denies_what_is_not_allowed();
}

#[test]
fn claude_keeps_what_was_added_until_it_is_removed() {
    claude::keeps_what_was_added();
}

#[test]
fn codex() {
    laws::hold(&codex::CLIENT);
}

#[test]
fn gemini() {
    laws::hold(&gemini::CLIENT);
}

#[test]
fn a_client_that_is_asked_for_is_known() {
    let asked = installed::asked();
    let unknown: Vec<_> =
        asked.iter().filter(|name| !CLIENTS.iter().any(|client| client.name == **name)).collect();
    assert!(unknown.is_empty(), "TOOL_E2E: {unknown:?}");
}
