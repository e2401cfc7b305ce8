//! The output: whoever has an answer adds its line, and what is ready together is written in one go.
//!
//! Whoever finds the stream at rest writes at once, as far as the stream takes it; what it does not take is left to a task, so
//! that nobody else waits for a client that does not read.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;
use tokio::sync::{Notify, mpsc};

use super::text::{PIECES, Text};
use crate::listing::Shared as Part;

/// How many bytes may wait before those who add more wait too.
pub(super) const WAITING_BYTES: usize = 1024 * 1024;

/// The most memory that is kept for what comes: each byte of new memory costs more than writing it.
const KEPT_BYTES: usize = WAITING_BYTES;

/// The output. A clone is the same.
#[derive(Clone)]
pub(super) struct Out {
    shared: Arc<Shared>,
    /// To the task that goes on where the stream was not ready. There is one pen, so there is always room for it.
    to_writer: mpsc::Sender<Pen>,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// Tells that something was written, or that nothing more will be.
    written: Notify,
}

#[derive(Default)]
struct Waiting {
    text: Text,
    /// At rest; none while somebody writes.
    pen: Option<Pen>,
    /// Whether the stream has failed, or has been closed.
    closed: bool,
}

/// The right to write to the stream: only one has it at a time.
struct Pen {
    stream: Pin<Box<dyn AsyncWrite + Send>>,
    text: Text,
    /// How much of the text is written.
    at: usize,
}

impl Out {
    pub(super) fn new(stream: impl AsyncWrite + Send + 'static) -> Out {
        let pen = Pen { stream: Box::pin(stream), text: Text::default(), at: 0 };
        let waiting = Mutex::new(Waiting { pen: Some(pen), ..Waiting::default() });
        let shared = Arc::new(Shared { waiting, written: Notify::new() });
        let (to_writer, handed) = mpsc::channel(1);
        tokio::spawn(write_on(Arc::clone(&shared), handed));
        Out { shared, to_writer }
    }

    /// Adds a line, which `write` writes without its end. It leaves with the next [`flush`](Self::flush).
    pub(super) fn add(&self, write: impl FnOnce(&mut Vec<u8>)) {
        let mut waiting = self.shared.waiting();
        if !waiting.closed {
            write(waiting.text.own());
            waiting.text.own().push(b'\n');
        }
    }

    /// [`add`](Self::add) for a line that has a part in it which is not copied.
    pub(super) fn add_around(
        &self,
        before: impl FnOnce(&mut Vec<u8>),
        part: Part,
        behind: impl FnOnce(&mut Vec<u8>),
    ) {
        let mut waiting = self.shared.waiting();
        if !waiting.closed {
            before(waiting.text.own());
            waiting.text.share(part);
            behind(waiting.text.own());
            waiting.text.own().push(b'\n');
        }
    }

    /// Writes what waits, as far as the stream takes it at once, unless somebody is writing already.
    pub(super) fn flush(&self, cx: &mut Context<'_>) {
        let Some(pen) = self.shared.take() else { return };
        if let Some(pen) = self.shared.write(pen, cx) {
            // The task is gone only where the runtime is.
            let _ = self.to_writer.try_send(pen);
        }
    }

    /// Adds a line and sees to it that it leaves.
    ///
    /// # Errors
    /// `BrokenPipe` where the stream is closed.
    pub(super) async fn send(&self, line: &[u8]) -> io::Result<()> {
        self.room().await;
        if self.shared.waiting().closed {
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, "the output is closed"));
        }
        self.add(|text| text.extend_from_slice(line));
        self.leave().await;
        Ok(())
    }

    /// [`flush`](Self::flush), for an async function. It waits for nothing.
    pub(super) async fn leave(&self) {
        poll_fn(|cx| {
            self.flush(cx);
            Poll::Ready(())
        })
        .await;
    }

    /// Whether so much waits that no more should be asked for.
    pub(super) fn is_full(&self) -> bool {
        let waiting = self.shared.waiting();
        waiting.text.len() >= WAITING_BYTES && !waiting.closed
    }

    /// Waits until there is room for more.
    pub(super) async fn room(&self) {
        loop {
            let written = self.shared.written.notified();
            if !self.is_full() {
                return;
            }
            // What was added to leave with more may be all that waits.
            self.leave().await;
            if !self.is_full() {
                return;
            }
            written.await;
        }
    }

    /// Waits until everything is written, and closes the stream.
    pub(super) async fn close(&self) {
        loop {
            let written = self.shared.written.notified();
            self.leave().await;
            if self.shared.close() {
                return;
            }
            written.await;
        }
    }
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pen with what waits, where there is anything to be written and nobody who writes.
    fn take(&self) -> Option<Pen> {
        let mut waiting = self.waiting();
        if waiting.text.is_empty() {
            return None;
        }
        let mut pen = waiting.pen.take()?;
        std::mem::swap(&mut pen.text, &mut waiting.text);
        Some(pen)
    }

    /// Writes until nothing waits and puts the pen down; gives it back where the stream is not ready.
    fn write(&self, mut pen: Pen, cx: &mut Context<'_>) -> Option<Pen> {
        loop {
            match pen.write(cx) {
                Poll::Pending => return Some(pen),
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => {
                    tracing::debug!(%error, "the output is gone");
                    self.waiting().close();
                    self.written.notify_waiters();
                    return None;
                }
            }
            let mut waiting = self.waiting();
            // Under the same lock as the look at what waits: a line that comes after it finds the pen.
            let rests = waiting.text.is_empty();
            if rests {
                waiting.pen = Some(pen);
                drop(waiting);
                self.written.notify_waiters();
                return None;
            }
            std::mem::swap(&mut pen.text, &mut waiting.text);
            drop(waiting);
            self.written.notify_waiters();
        }
    }

    /// Closes the stream if everything is written; says whether it is closed.
    fn close(&self) -> bool {
        let mut waiting = self.waiting();
        let done = waiting.closed || (waiting.pen.is_some() && waiting.text.is_empty());
        if done {
            waiting.close();
            drop(waiting);
            self.written.notify_waiters();
        }
        done
    }
}

impl Waiting {
    fn close(&mut self) {
        *self = Waiting { closed: true, ..Waiting::default() };
    }
}

impl Pen {
    /// Writes its text and forgets it.
    fn write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.at < self.text.len() {
            let mut pieces = [IoSlice::new(&[]); PIECES];
            let count = self.text.behind(self.at, &mut pieces);
            let stream = self.stream.as_mut();
            let written = match pieces.get(..count).unwrap_or_default() {
                [piece] => stream.poll_write(cx, piece),
                pieces => stream.poll_write_vectored(cx, pieces),
            };
            match std::task::ready!(written)? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.at += written,
            }
        }
        std::task::ready!(self.stream.as_mut().poll_flush(cx))?;
        self.text.clear(KEPT_BYTES);
        self.at = 0;
        Poll::Ready(Ok(()))
    }
}

/// Goes on where the stream was not ready.
async fn write_on(shared: Arc<Shared>, mut handed: mpsc::Receiver<Pen>) {
    while let Some(pen) = handed.recv().await {
        let mut pen = Some(pen);
        poll_fn(|cx| {
            pen = pen.take().and_then(|pen| shared.write(pen, cx));
            if pen.is_some() { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt as _, BufReader};

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn lines_of_many_tasks_arrive_whole_through_a_stream_that_takes_little() {
        const TASKS: usize = 8;
        const LINES: usize = 500;
        let (near, far) = tokio::io::duplex(7);
        let out = Out::new(far);
        let tasks: Vec<_> = (0..TASKS)
            .map(|task| {
                let out = out.clone();
                tokio::spawn(async move {
                    for line in 0..LINES {
                        out.send(format!("{task} {line}").as_bytes()).await.unwrap();
                    }
                })
            })
            .collect();
        let mut read = BufReader::new(near).lines();
        let mut next = [0; TASKS];
        for _ in 0..TASKS * LINES {
            let line = read.next_line().await.unwrap().unwrap();
            let (task, line) = line.split_once(' ').unwrap();
            let task: usize = task.parse().unwrap();
            assert_eq!(line.parse::<usize>().unwrap(), next[task], "in order, none is lost");
            next[task] += 1;
        }
        for task in tasks {
            task.await.unwrap();
        }
        out.close().await;
        assert_eq!(read.next_line().await.unwrap(), None);
        assert!(out.send(b"late").await.is_err());
    }

    #[tokio::test]
    async fn a_part_that_is_not_copied_stands_in_its_line() {
        let (near, far) = tokio::io::duplex(7);
        let out = Out::new(far);
        let whole: std::sync::Arc<str> = "y".repeat(9_000).into();
        for id in ["1", "2"] {
            let part = Part { whole: std::sync::Arc::clone(&whole), part: 1_000..9_000 };
            let (before, behind) = (format!("{id}<"), format!(">{id}"));
            out.add_around(|text| text.extend(before.bytes()), part, |text| text.extend(behind.bytes()));
        }
        let reads = tokio::spawn(async move {
            let mut read = BufReader::new(near).lines();
            [read.next_line().await, read.next_line().await].map(|line| line.unwrap().unwrap())
        });
        out.close().await;
        let tools = &whole[1_000..];
        assert_eq!(reads.await.unwrap(), [format!("1<{tools}>1"), format!("2<{tools}>2")]);
    }

    #[tokio::test]
    async fn who_adds_much_waits_until_it_is_read() {
        let (near, far) = tokio::io::duplex(7);
        let out = Out::new(far);
        let line = vec![b'x'; WAITING_BYTES];
        // The first is being written, the second waits, and the third is one too many.
        out.send(&line).await.unwrap();
        out.send(&line).await.unwrap();
        assert!(out.is_full());
        let third = tokio::spawn({
            let (out, line) = (out.clone(), line.clone());
            async move { out.send(&line).await }
        });
        tokio::task::yield_now().await;
        assert!(!third.is_finished());
        let mut read = BufReader::new(near).lines();
        for _ in 0..3 {
            assert_eq!(read.next_line().await.unwrap().map(|line| line.len()), Some(WAITING_BYTES));
        }
        third.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn what_was_added_to_leave_later_leaves_when_there_is_no_room() {
        let (near, far) = tokio::io::duplex(7);
        let out = Out::new(far);
        out.add(|text| text.resize(2 * WAITING_BYTES, b'x'));
        assert!(out.is_full());
        let reads = tokio::spawn(async move { BufReader::new(near).lines().next_line().await });
        out.room().await;
        assert_eq!(reads.await.unwrap().unwrap().map(|line| line.len()), Some(2 * WAITING_BYTES));
    }

    #[tokio::test]
    async fn a_stream_that_is_gone_holds_nobody_up() {
        let (near, far) = tokio::io::duplex(7);
        let out = Out::new(far);
        let line = vec![b'x'; WAITING_BYTES];
        out.send(&line).await.unwrap();
        out.send(&line).await.unwrap();
        let waits = tokio::spawn({
            let out = out.clone();
            async move { out.room().await }
        });
        drop(near);
        waits.await.unwrap();
        assert!(out.send(b"late").await.is_err());
        out.close().await;
    }
}
