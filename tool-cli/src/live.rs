//! What a running tool gives out, on standard output as it comes; behind it stands only what that does not say. (cli.md §8)
//!
//! Output is text for a person at a terminal, who may miss some of it; elements of a list are a result, of which nothing may be
//! missing. A thread of its own writes, so that the tool waits for nobody. What nobody can see any more cancels the call that
//! makes it.

mod backlog;
mod item;

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tool_core::{ItemSink, LiveSink, Piece, ToolContext};

use self::backlog::{Backlog, Waiting};
pub(crate) use self::item::ItemForm;
use crate::progress::{Progress, Shared};
use crate::visible::visible;

/// What is shown as it comes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    /// Whether output is.
    pub(crate) output: bool,
    /// How the elements of a list are, if at all.
    pub(crate) items: Option<ItemForm>,
    /// Whether it is shown on a terminal, where progress has no place behind it.
    pub(crate) terminal: bool,
}

/// Shows what comes on standard output.
#[derive(Clone)]
pub(crate) struct Live(Arc<Inner>);

struct Inner {
    writer: Writer,
    backlog: Arc<Backlog>,
    state: Mutex<State>,
}

/// Whether anything has come.
enum State {
    Nothing,
    Shown(Shown),
    /// The call is over: what an abandoned one still gives out does not stand behind its end.
    Over,
}

/// What has come.
struct Shown {
    /// Who writes it; `None` where there is no thread for that: it is written at the end.
    writing: Option<JoinHandle<io::Result<()>>>,
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
    /// `cancel` is for the call alone.
    pub(crate) fn new(
        watched: Watched,
        stdout: Shared,
        progress: Option<Progress>,
        cancel: CancellationToken,
    ) -> Live {
        let writer = Writer { watched, stdout, progress, cancel };
        Live(Arc::new(Inner { writer, backlog: Arc::default(), state: Mutex::new(State::Nothing) }))
    }

    /// What is shown.
    pub(crate) fn watched(&self) -> &Watched {
        &self.0.writer.watched
    }

    /// What cancels the call.
    pub(crate) fn cancellation(&self) -> CancellationToken {
        self.0.writer.cancel.clone()
    }

    /// Waits until all is written; `None` when there was nothing.
    pub(crate) fn end(&self) -> Option<Told> {
        let state = std::mem::replace(&mut *self.0.state(), State::Over);
        let State::Shown(Shown { writing, at_start, skipped, items }) = state else { return None };
        self.0.backlog.end();
        let lost = match writing {
            Some(writing) => writing.join().ok().and_then(Result::err),
            None => self.0.writer.write(&self.0.backlog).err(),
        };
        Some(Told { ended: at_start, skipped, items, lost })
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that something comes, unless the call is over.
    fn comes(&self, note: impl FnOnce(&mut Shown)) {
        let mut state = self.state();
        if let State::Nothing = *state {
            *state = State::Shown(self.start());
        }
        if let State::Shown(shown) = &mut *state {
            note(shown);
        }
    }

    fn start(&self) -> Shown {
        let (writer, backlog) = (self.writer.clone(), Arc::clone(&self.backlog));
        let thread = thread::Builder::new().name("output".to_owned());
        let writing = thread.spawn(move || writer.write(&backlog)).ok();
        Shown { writing, at_start: true, skipped: 0, items: 0 }
    }
}

/// Who writes.
#[derive(Clone)]
struct Writer {
    watched: Watched,
    stdout: Shared,
    progress: Option<Progress>,
    cancel: CancellationToken,
}

impl Writer {
    /// Writes what comes, until nothing more does.
    fn write(&self, backlog: &Backlog) -> io::Result<()> {
        // Progress leaves the terminal to what comes, as long as that comes. Elsewhere it is cleared before each element: the
        // reader may write to the same terminal.
        let _held = self.progress.as_ref().filter(|_| self.watched.terminal).map(Progress::hold);
        while let Some(next) = backlog.next() {
            let _aside = self.progress.as_ref().filter(|_| !self.watched.terminal).map(Progress::step_aside);
            let written = match next {
                Waiting::Text(text) => self.put(text.as_bytes()),
                Waiting::Items(items) => self.put_items(&items),
            };
            written.inspect_err(|_| {
                backlog.lose();
                self.cancel.cancel();
            })?;
        }
        Ok(())
    }

    fn put(&self, bytes: &[u8]) -> io::Result<()> {
        let mut stdout = self.stdout.clone();
        stdout.write_all(bytes).and_then(|()| stdout.flush())
    }

    /// Writes elements that stand one a line.
    fn put_items(&self, items: &str) -> io::Result<()> {
        /// Bytes that are written at once.
        const CHUNK: usize = 64 * 1024;
        let Some(form) = &self.watched.items else { return Ok(()) };
        let mut chunk = String::new();
        for json in items.lines() {
            form.add(json, &mut chunk);
            if chunk.len() >= CHUNK {
                self.put(chunk.as_bytes())?;
                chunk.clear();
            }
        }
        if chunk.is_empty() { Ok(()) } else { self.put(chunk.as_bytes()) }
    }
}

impl LiveSink for Live {
    fn show(&self, _: &ToolContext, piece: Piece<'_>) {
        self.0.comes(|shown| {
            let mut text = String::new();
            if piece.skipped_bytes > 0 {
                let gap = if shown.at_start { "" } else { "\n" };
                text = format!("{gap}… {} bytes not shown …\n", piece.skipped_bytes);
            }
            text.push_str(&visible(&piece.text.replace("\r\n", "\n")));
            let at_start = text.ends_with('\n');
            shown.skipped += piece.skipped_bytes;
            if self.0.backlog.add_text(text) {
                shown.at_start = at_start;
            } else {
                shown.skipped += piece.bytes;
            }
        });
    }
}

impl ItemSink for Live {
    fn item(&self, _: &ToolContext, item: &Value) {
        self.0.comes(|shown| {
            if !std::mem::replace(&mut shown.at_start, true) {
                self.0.backlog.end_line();
            }
            shown.items += 1;
            self.0.backlog.add_item(&item.to_string());
        });
    }
}
