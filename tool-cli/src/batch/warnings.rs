//! What a person should know of single lines of a batch.

use std::io::Write as _;

use crate::progress::Shared;
use crate::visible::visible;

/// Standard error, for warnings.
pub(crate) struct Warnings {
    stderr: Shared,
    terminal: bool,
}

impl Warnings {
    pub(crate) fn new(stderr: Shared, terminal: bool) -> Warnings {
        Warnings { stderr, terminal }
    }

    /// Tells something of a line.
    pub(super) fn tell(&mut self, line: usize, warning: &str) {
        let text = format!("warning: line {line}: {warning}\n");
        let text = if self.terminal { visible(&text) } else { text };
        // There is nobody left to tell when that fails.
        let _ = self.stderr.write_all(text.as_bytes()).and_then(|()| self.stderr.flush());
    }
}
