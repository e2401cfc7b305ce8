//! The output of a running tool on the terminal, as it comes; behind it stands only what the output does not say. (cli.md §8)
//!
//! Output that nobody can see any more cancels the call that makes it.

use std::io::{self, Write as _};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use tokio_util::sync::CancellationToken;
use tool_core::{LiveSink, Piece, ToolContext};

use crate::progress::{Progress, Shared};
use crate::visible::visible;

/// Pieces that may wait for a terminal that takes its time; the tool does not.
const QUEUE: usize = 64;

/// Shows output on standard output.
#[derive(Clone)]
pub(crate) struct Live(Arc<Inner>);

struct Inner {
    stdout: Shared,
    progress: Option<Progress>,
    cancel: CancellationToken,
    shown: Mutex<Option<Shown>>,
}

/// What has been shown.
struct Shown {
    queue: SyncSender<String>,
    writing: JoinHandle<io::Result<()>>,
    /// Whether the cursor stands at the beginning of a line.
    at_start: bool,
    skipped: u64,
}

/// How the output on the terminal ends.
#[derive(Debug)]
pub(crate) struct Told {
    /// Whether its last line is ended.
    pub(crate) ended: bool,
    /// Bytes that were not shown.
    pub(crate) skipped: u64,
    /// Why the rest of it was not written.
    pub(crate) lost: Option<io::Error>,
}

impl Live {
    /// `cancel` is for the call alone.
    pub(crate) fn new(stdout: Shared, progress: Option<Progress>, cancel: CancellationToken) -> Live {
        Live(Arc::new(Inner { stdout, progress, cancel, shown: Mutex::new(None) }))
    }

    /// What cancels the call.
    pub(crate) fn cancellation(&self) -> CancellationToken {
        self.0.cancel.clone()
    }

    /// Waits until all is written; `None` when there was nothing.
    pub(crate) fn end(&self) -> Option<Told> {
        let shown = self.0.shown.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let Shown { queue, writing, at_start, skipped, .. } = shown;
        drop(queue);
        let lost = writing.join().ok().and_then(Result::err);
        Some(Told { ended: at_start, skipped, lost })
    }
}

impl Inner {
    fn start(&self) -> Shown {
        let (queue, pieces) = sync_channel::<String>(QUEUE);
        let mut stdout = self.stdout.clone();
        let (progress, cancel) = (self.progress.clone(), self.cancel.clone());
        let writing = thread::spawn(move || {
            // Progress leaves the terminal to the output, as long as that comes.
            let _held = progress.as_ref().map(Progress::hold);
            for piece in pieces {
                let written = stdout.write_all(piece.as_bytes()).and_then(|()| stdout.flush());
                written.inspect_err(|_| cancel.cancel())?;
            }
            Ok(())
        });
        Shown { queue, writing, at_start: true, skipped: 0 }
    }
}

impl LiveSink for Live {
    fn show(&self, _: &ToolContext, piece: Piece<'_>) {
        let mut shown = self.0.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = shown.get_or_insert_with(|| self.0.start());
        let mut text = String::new();
        if piece.skipped_bytes > 0 {
            let gap = if shown.at_start { "" } else { "\n" };
            text = format!("{gap}… {} bytes not shown …\n", piece.skipped_bytes);
        }
        text.push_str(&visible(&piece.text.replace("\r\n", "\n")));
        let at_start = text.ends_with('\n');
        match shown.queue.try_send(text) {
            Ok(()) => {
                shown.at_start = at_start;
                shown.skipped += piece.skipped_bytes;
            }
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                shown.skipped += piece.skipped_bytes + piece.bytes;
            }
        }
    }
}
