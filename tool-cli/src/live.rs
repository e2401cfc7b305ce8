//! What a running tool gives out, on standard output as it comes; behind it stands only what that does not say. (cli.md §8)
//!
//! Output is text for a person at a terminal, who may miss some of it; elements of a list are a result, of which nothing may be
//! missing. A thread of its own writes, so that the tool waits for nobody. What nobody can see any more cancels the call that
//! makes it.

mod item;

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tool_core::{ItemSink, LiveSink, Piece, ToolContext};

pub(crate) use self::item::ItemForm;
use crate::progress::{Progress, Shared};
use crate::visible::visible;

/// Pieces of output that may wait for a terminal that takes its time; further ones are left out.
const QUEUE: usize = 64;

/// What is shown as it comes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    /// Whether output is.
    pub(crate) output: bool,
    /// How the elements of a list are, if at all.
    pub(crate) items: Option<ItemForm>,
}

/// Shows what comes on standard output.
#[derive(Clone)]
pub(crate) struct Live(Arc<Inner>);

struct Inner {
    watched: Watched,
    stdout: Shared,
    progress: Option<Progress>,
    cancel: CancellationToken,
    shown: Mutex<Option<Shown>>,
}

/// What has been shown.
struct Shown {
    queue: Sender<String>,
    /// How much of the queue is not written yet.
    waiting: Arc<AtomicUsize>,
    writing: JoinHandle<io::Result<()>>,
    /// Whether the cursor stands at the beginning of a line.
    at_start: bool,
    skipped: u64,
    items: usize,
}

/// How that ended.
#[derive(Debug)]
pub(crate) struct Told {
    /// Whether its last line is ended.
    pub(crate) ended: bool,
    /// Bytes of output that were not shown.
    pub(crate) skipped: u64,
    /// How many elements were.
    pub(crate) items: usize,
    /// Why the rest of it was not written.
    pub(crate) lost: Option<io::Error>,
}

impl Live {
    /// `progress` is what shares a terminal with it, `cancel` is for the call alone.
    pub(crate) fn new(
        watched: Watched,
        stdout: Shared,
        progress: Option<Progress>,
        cancel: CancellationToken,
    ) -> Live {
        Live(Arc::new(Inner { watched, stdout, progress, cancel, shown: Mutex::new(None) }))
    }

    /// What is shown.
    pub(crate) fn watched(&self) -> &Watched {
        &self.0.watched
    }

    /// What cancels the call.
    pub(crate) fn cancellation(&self) -> CancellationToken {
        self.0.cancel.clone()
    }

    /// Waits until all is written; `None` when there was nothing.
    pub(crate) fn end(&self) -> Option<Told> {
        let shown = self.0.shown().take()?;
        let Shown { queue, writing, at_start, skipped, items, .. } = shown;
        drop(queue);
        let lost = writing.join().ok().and_then(Result::err);
        Some(Told { ended: at_start, skipped, items, lost })
    }
}

impl Inner {
    fn shown(&self) -> MutexGuard<'_, Option<Shown>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&self) -> Shown {
        let (queue, texts) = channel::<String>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let mut stdout = self.stdout.clone();
        let (progress, cancel) = (self.progress.clone(), self.cancel.clone());
        let left = Arc::clone(&waiting);
        let writing = thread::spawn(move || {
            // Progress leaves the terminal to what comes, as long as that comes.
            let _held = progress.as_ref().map(Progress::hold);
            for text in texts {
                let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
                left.fetch_sub(1, Ordering::Relaxed);
                written.inspect_err(|_| cancel.cancel())?;
            }
            Ok(())
        });
        Shown { queue, waiting, writing, at_start: true, skipped: 0, items: 0 }
    }
}

impl Shown {
    /// Whether there is somebody to write it.
    fn write(&mut self, text: String) -> bool {
        let at_start = text.ends_with('\n');
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let is_taken = self.queue.send(text).is_ok();
        if is_taken {
            self.at_start = at_start;
        }
        is_taken
    }
}

impl LiveSink for Live {
    fn show(&self, _: &ToolContext, piece: Piece<'_>) {
        let mut shown = self.0.shown();
        let shown = shown.get_or_insert_with(|| self.0.start());
        let mut text = String::new();
        if piece.skipped_bytes > 0 {
            let gap = if shown.at_start { "" } else { "\n" };
            text = format!("{gap}… {} bytes not shown …\n", piece.skipped_bytes);
        }
        text.push_str(&visible(&piece.text.replace("\r\n", "\n")));
        let has_room = shown.waiting.load(Ordering::Relaxed) < QUEUE;
        shown.skipped += piece.skipped_bytes;
        if !(has_room && shown.write(text)) {
            shown.skipped += piece.bytes;
        }
    }
}

impl ItemSink for Live {
    fn item(&self, _: &ToolContext, item: &Value) {
        let Some(form) = &self.0.watched.items else { return };
        let mut shown = self.0.shown();
        let shown = shown.get_or_insert_with(|| self.0.start());
        shown.items += 1;
        // Elements are kept until the call ends in any case: those that wait are no more than that.
        let line = if shown.at_start { form.line(item) } else { format!("\n{}", form.line(item)) };
        shown.write(line);
    }
}
