//! What is logged, kept in memory.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tracing::Subscriber;
use tracing_subscriber::fmt::MakeWriter;

use crate::listening::{Listening, listening};

/// Where a subscriber writes its lines; a clone writes to the same.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// What was written until now.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// Hears everything that this thread logs, until what is returned is dropped.
    pub fn of_this_thread(&self) -> Listening {
        listening(self.subscriber())
    }

    /// Hears everything that is logged from now on.
    ///
    /// # Panics
    /// Where another one does so already.
    pub fn of_this_program(&self) {
        if let Err(error) = tracing::subscriber::set_global_default(self.subscriber()) {
            panic!("{error}");
        }
    }

    fn subscriber(&self) -> impl Subscriber + Send + Sync + 'static {
        let subscriber = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false);
        subscriber.with_writer(self.clone()).finish()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Log;

    fn make_writer(&self) -> Log {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::Log;

    #[test]
    fn a_log_has_what_this_thread_logs_while_it_listens() {
        let log = Log::default();
        tracing::warn!("before");
        let listening = log.of_this_thread();
        tracing::trace!(word = "meanwhile", "said");
        drop(listening);
        tracing::warn!("after");
        let text = log.text();
        assert!(text.contains("said word=\"meanwhile\"") && text.lines().count() == 1, "{text}");
    }
}
