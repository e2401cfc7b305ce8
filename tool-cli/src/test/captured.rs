//! A stream that is kept.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// A stream that keeps what is written to it; its clones share it.
///
/// ```
/// use std::io::Write as _;
/// use tool_cli::test::Captured;
///
/// let kept = Captured::default();
/// write!(kept.clone(), "hi")?;
/// assert_eq!(kept.text(), "hi");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    /// All that was written so far.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
