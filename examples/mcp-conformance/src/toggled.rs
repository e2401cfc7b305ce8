//! A tool that comes and goes, and the one that makes it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tool_core::prelude::*;
use tool_mcp::{Filter, McpServer};

/// The server that shows and hides a tool.
#[derive(Default)]
pub(crate) struct Toggle {
    server: OnceLock<McpServer>,
    shown: AtomicBool,
}

impl Toggle {
    /// Names the server, once it is there.
    pub(crate) fn of(&self, server: &McpServer) {
        let _ = self.server.set(server.clone());
    }
}

/// Everything, with or without the tool that comes and goes.
pub(crate) fn filter(shown: bool) -> Filter {
    let except = if shown { Vec::new() } else { vec!["test_toggled".to_owned()] };
    Filter { except, ..Filter::default() }
}

/// Shows or hides `test_toggled`.
#[tool]
fn test_trigger_tool_change(#[ctx] toggle: &Toggle) -> Result<String, ToolError> {
    let shown = !toggle.shown.fetch_xor(true, Ordering::SeqCst);
    if let Some(server) = toggle.server.get() {
        server.set_filter(&filter(shown))?;
    }
    Ok(if shown { "shown" } else { "hidden" }.to_owned())
}

/// Is there now and then.
#[tool]
fn test_toggled() -> String {
    "here".to_owned()
}
