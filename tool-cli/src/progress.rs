//! How far a long call is, on standard error: a line that lives on a terminal until the call ends, else lines for `-v`.
//!
//! A thread of its own draws, so that neither the tool nor its reports ever wait for a terminal.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle, TermLike};
use tool_core::{Progress as Report, ProgressSink, ToolContext};

use crate::visible::visible;

/// A call that ends earlier shows nothing.
pub(crate) const PROGRESS_DELAY: Duration = Duration::from_millis(500);

/// Columns at the right edge that are left to the `^C` that a terminal writes itself: a line that fills them is broken there,
/// and the part above stays when the other one is cleared.
const ECHO: u16 = 2;

/// How often the line is drawn.
const FRAME: Duration = Duration::from_millis(100);

/// Where nothing can be drawn, at most one line in this time.
const LINE_EVERY: Duration = Duration::from_secs(1);

/// A stream that several write to.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Mutex<Box<dyn Write + Send>>>);

impl Shared {
    pub(crate) fn new(stream: Box<dyn Write + Send>) -> Shared {
        Shared(Arc::new(Mutex::new(stream)))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        lock(&self.0).flush()
    }
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    /// As a line that is drawn again and again, in so many columns.
    Drawn { columns: u16 },
    /// As lines.
    Lines,
}

/// The progress of one call.
#[derive(Clone)]
pub(crate) struct Progress(Arc<Inner>);

struct Inner {
    show: Show,
    stream: Shared,
    state: Mutex<State>,
    changed: Condvar,
    drawing: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Clone)]
struct State {
    /// What is being done.
    label: String,
    /// Since when it is done.
    since: Instant,
    /// When it is drawn next.
    next: Instant,
    /// How many others have the terminal.
    held: usize,
    /// Whether the line stands there.
    drawn: bool,
    over: bool,
    done: f64,
    total: Option<f64>,
    message: String,
    /// When the last line was written.
    told: Option<Instant>,
}

impl Progress {
    /// The progress of a call that begins now.
    pub(crate) fn start(show: Show, label: String, stream: Shared) -> Running {
        let since = Instant::now();
        let state = State {
            label,
            since,
            next: since + PROGRESS_DELAY,
            held: 0,
            drawn: false,
            over: false,
            done: 0.0,
            total: None,
            message: String::new(),
            told: None,
        };
        let inner = Arc::new(Inner {
            show,
            stream,
            state: Mutex::new(state),
            changed: Condvar::new(),
            drawing: Mutex::new(None),
        });
        if let Show::Drawn { columns } = show {
            let drawn = Arc::clone(&inner);
            let thread = thread::Builder::new().name("progress".to_owned());
            *lock(&inner.drawing) = thread.spawn(move || drawn.draw(columns)).ok();
        }
        Running(Progress(inner))
    }

    /// Clears the line, until the guard is dropped; the time until then does not count.
    pub(crate) fn hold(&self) -> Held {
        self.clear();
        Held { progress: self.clone(), counts: false }
    }

    /// The same for the call's own results: the time goes on.
    pub(crate) fn step_aside(&self) -> Held {
        self.clear();
        Held { progress: self.clone(), counts: true }
    }

    fn clear(&self) {
        let mut state = lock(&self.0.state);
        state.held += 1;
        self.0.changed.notify_all();
        while state.drawn {
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Shows the progress of a call as long as the call runs.
pub(crate) struct Running(Progress);

impl Running {
    /// What the call reports to.
    pub(crate) fn progress(&self) -> &Progress {
        &self.0
    }

    /// Clears the line for good.
    pub(crate) fn end(&self) {
        lock(&self.0.0.state).over = true;
        self.0.0.changed.notify_all();
        if let Some(drawing) = lock(&self.0.0.drawing).take() {
            let _ = drawing.join();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// Somebody else has the terminal.
pub(crate) struct Held {
    progress: Progress,
    /// Whether the time until then counts.
    counts: bool,
}

impl Drop for Held {
    fn drop(&mut self) {
        let Progress(inner) = &self.progress;
        let mut state = lock(&inner.state);
        let now = Instant::now();
        state.held -= 1;
        if !self.counts {
            state.since = now;
        }
        state.next = now + PROGRESS_DELAY;
        inner.changed.notify_all();
    }
}

impl ProgressSink for Progress {
    fn report(&self, _: &ToolContext, report: Report<'_>) {
        let mut state = lock(&self.0.state);
        state.done = report.done;
        state.total = report.total;
        state.message = report.message.map(line).unwrap_or_default();
        if self.0.show == Show::Lines {
            self.0.tell(&mut state);
        }
    }
}

/// What the drawing thread does next.
enum Frame {
    Show(State),
    Clear,
    End,
}

impl Inner {
    /// Draws until the call is over, and leaves nothing behind. Nobody who reports waits for the terminal.
    fn draw(&self, columns: u16) {
        let mut bar: Option<ProgressBar> = None;
        loop {
            let frame = self.next_frame();
            if let Frame::Show(state) = frame {
                state.show_on(bar.get_or_insert_with(|| self.bar(columns, state.since)));
                continue;
            }
            clear(bar.take());
            lock(&self.state).drawn = false;
            self.changed.notify_all();
            if let Frame::End = frame {
                return;
            }
        }
    }

    /// Waits for the next frame.
    fn next_frame(&self) -> Frame {
        let mut state = lock(&self.state);
        loop {
            let at = match (state.over, state.held > 0) {
                (true, _) => return Frame::End,
                (_, true) if state.drawn => return Frame::Clear,
                (_, true) => Instant::now() + LINE_EVERY,
                (_, false) => state.next,
            };
            let wait = at.saturating_duration_since(Instant::now());
            if wait.is_zero() {
                state.drawn = true;
                state.next = Instant::now() + FRAME;
                return Frame::Show(state.clone());
            }
            state = self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn bar(&self, columns: u16, since: Instant) -> ProgressBar {
        let screen = Screen { stream: self.stream.clone(), columns };
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(screen), 20);
        ProgressBar::with_draw_target(None, target).with_elapsed(since.elapsed()).with_style(style(false))
    }

    /// Writes one line, unless the last one is too near.
    fn tell(&self, state: &mut State) {
        if state.told.is_some_and(|told| told.elapsed() < LINE_EVERY) {
            return;
        }
        state.told = Some(Instant::now());
        let total = state.total.map(|total| format!("/{total}")).unwrap_or_default();
        let gap = if state.message.is_empty() { "" } else { " " };
        let line = format!("{}: {}{total}{gap}{}\n", state.label, state.done, state.message);
        let mut stream = self.stream.clone();
        let _ = stream.write_all(line.as_bytes()).and_then(|()| stream.flush());
    }
}

impl State {
    fn show_on(&self, bar: &ProgressBar) {
        // The bar counts in whole numbers, tools in their own unit: it gets thousandths.
        let thousandths = self.total.filter(|total| *total > 0.0).map(|total| 1000.0 * self.done / total);
        if let Some(done) = thousandths {
            if bar.length().is_none() {
                bar.set_length(1000);
                bar.set_style(style(true));
            }
            bar.set_position(done.clamp(0.0, 1000.0) as u64);
        }
        bar.set_prefix(self.label.clone());
        bar.set_message(self.message.clone());
        bar.tick();
    }
}

fn style(total: bool) -> ProgressStyle {
    let template = if total {
        "{spinner} {prefix} {percent}% {elapsed} {wide_msg}"
    } else {
        "{spinner} {prefix} {elapsed} {wide_msg}"
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn clear(bar: Option<ProgressBar>) {
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

/// A text as part of one line.
fn line(text: &str) -> String {
    visible(text).replace(['\n', '\t'], " ")
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A terminal behind a stream (ECMA-48).
struct Screen {
    stream: Shared,
    columns: u16,
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl Screen {
    fn put(&self, text: &str) -> io::Result<()> {
        self.stream.clone().write_all(text.as_bytes())
    }

    fn step(&self, count: usize, direction: char) -> io::Result<()> {
        if count == 0 { Ok(()) } else { self.put(&format!("\x1b[{count}{direction}")) }
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        self.columns.saturating_sub(ECHO).max(1)
    }

    fn move_cursor_up(&self, count: usize) -> io::Result<()> {
        self.step(count, 'A')
    }

    fn move_cursor_down(&self, count: usize) -> io::Result<()> {
        self.step(count, 'B')
    }

    fn move_cursor_right(&self, count: usize) -> io::Result<()> {
        self.step(count, 'C')
    }

    fn move_cursor_left(&self, count: usize) -> io::Result<()> {
        self.step(count, 'D')
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.put(&format!("{line}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.put(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.put("\r\x1b[2K")
    }

    fn flush(&self) -> io::Result<()> {
        self.stream.clone().flush()
    }
}
