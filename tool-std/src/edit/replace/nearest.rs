//! The line of a file that is most like a text which does not occur in it.

use serde_json::{Value, json};

use crate::edit::document::Document;
use crate::edit::quote::{cut, quoted};

/// A line must be equal in half of its bytes to be worth naming.
const ALIKE_MIN: usize = 50;

/// A line that is like the one looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nearest<'a> {
    /// From 1.
    line: usize,
    text: &'a [u8],
    /// How many of a hundred bytes are equal, white space around them aside.
    alike: usize,
    is_single_line: bool,
}

/// The line that is most like the first line of `text` that is not blank; of several the first.
pub(super) fn nearest<'a>(document: &Document<'a>, text: &[u8]) -> Option<Nearest<'a>> {
    let mut wanted =
        text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let first = wanted.next()?;
    let is_single_line = wanted.next().is_none();
    let mut best: Option<Nearest<'a>> = None;
    for (at, line) in document.lines().enumerate() {
        let alike = alike(first, line.text().trim_ascii());
        if alike >= ALIKE_MIN && best.is_none_or(|best| alike > best.alike) {
            best = Some(Nearest { line: at + 1, text: line.text(), alike, is_single_line });
        }
    }
    best
}

/// How many of a hundred bytes two lines share at their beginning and end.
fn alike(one: &[u8], other: &[u8]) -> usize {
    let shorter = one.len().min(other.len());
    let start = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let shared = (start + end).min(shorter);
    (shared * 100).checked_div(one.len().max(other.len())).unwrap_or(0)
}

impl Nearest<'_> {
    pub(super) fn json(&self, echo: u64) -> Value {
        json!({"line": self.line, "text": cut(self.text, echo)})
    }

    /// Where it is and what differs, for records.
    pub(super) fn hint(&self) -> String {
        self.hint_of(format!("the nearest line is {}", self.line))
    }

    /// The same with the line itself.
    pub(super) fn quoting_hint(&self, echo: u64) -> String {
        self.hint_of(format!("the nearest line is {}: {}", self.line, quoted(self.text, echo)))
    }

    fn hint_of(&self, place: String) -> String {
        match (self.alike, self.is_single_line) {
            (100, true) => format!("{place}; it differs only in white space"),
            (100, false) => format!("{place}; white space or the lines below it differ"),
            _ => place,
        }
    }
}
