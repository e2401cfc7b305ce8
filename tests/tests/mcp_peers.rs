//! The official programs of MCP, which are run by scripts: opt-in, because they need npm. (mcp.md §12, §13)

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test says why it is skipped")]

use std::path::Path;
use std::process::Command;

fn run(script: &str) {
    if std::env::var_os("TOOL_MCP_CONFORMANCE").is_none() {
        println!("skipped: set TOOL_MCP_CONFORMANCE=1 (needs npm)");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("mcp").join(script);
    assert!(Command::new(script).status().unwrap().success());
}

#[test]
fn conformance() {
    run("conformance.sh");
}

#[test]
fn inspector() {
    run("inspector.sh");
}
