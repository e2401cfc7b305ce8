//! The lines of a batch, read ahead on a thread of their own.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::thread;

use tokio::sync::mpsc;
use tool_core::ToolError;

use crate::fault::Fault;
use crate::settled::Settled;
use crate::sources::{self, reason, unreadable_file};

/// A line of the input, numbered from 1.
pub(super) struct Line {
    pub(super) number: usize,
    /// `None` when it is too long to be read.
    pub(super) text: Option<Vec<u8>>,
}

/// Why there is no more line, though the input is not at its end.
pub(super) struct Broken {
    /// The line that could not be read.
    number: usize,
    error: io::Error,
}

/// The file or standard input that the lines come from.
pub(crate) fn open(
    jsonl: &str,
    stdin: Box<dyn Read + Send>,
    cwd: &Path,
) -> Result<Box<dyn Read + Send>, Box<Fault>> {
    if jsonl == "-" {
        return Ok(stdin);
    }
    match sources::open(OsStr::new(jsonl), jsonl, cwd) {
        Ok(file) => Ok(Box::new(file)),
        Err(fault) => Err(Box::new(fault.at("jsonl").flag("--jsonl"))),
    }
}

fn unreadable(jsonl: &str, error: &io::Error) -> Fault {
    unreadable_file(OsStr::new(jsonl), jsonl, error).at("jsonl").flag("--jsonl")
}

impl Broken {
    /// What is told of it: an input of which nothing can be read is a wrong one.
    pub(super) fn settled(&self, jsonl: &str) -> Settled {
        if self.number == 1 {
            return Settled::of_faults(vec![unreadable(jsonl, &self.error)]);
        }
        let text = format!("Line {} cannot be read: {}.", self.number, reason(&self.error));
        Settled::plain(ToolError::failed(text).code("input_read"))
    }
}

/// Reads lines of at most `max_bytes`, at most `ahead` of them before they are asked for.
pub(super) fn read_ahead(
    input: Box<dyn Read + Send>,
    ahead: usize,
    max_bytes: usize,
) -> mpsc::Receiver<Result<Line, Broken>> {
    let (sender, receiver) = mpsc::channel(ahead.max(1));
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        for number in 1.. {
            let line = match next_line(&mut input, max_bytes) {
                Ok(Some(text)) => Ok(Line { number, text }),
                Ok(None) => return,
                Err(error) => Err(Broken { number, error }),
            };
            let broken = line.is_err();
            if sender.blocking_send(line).is_err() || broken {
                return;
            }
        }
    });
    receiver
}

/// The next line without its end; `Some(None)` for one that is too long.
fn next_line(input: &mut impl BufRead, max_bytes: usize) -> io::Result<Option<Option<Vec<u8>>>> {
    let mut line = Vec::new();
    let most = (max_bytes as u64).saturating_add(1);
    if input.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() > max_bytes && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        return Ok(Some(None));
    }
    if line.ends_with(b"\n") {
        line.pop();
    }
    Ok(Some(Some(line)))
}
