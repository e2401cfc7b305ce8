//! The quick look that every start takes: whether the names of all commands and options are apart.
//!
//! A command is one number here. Equal numbers may be equal names, and then the thorough check finds out; different ones never
//! are. Options are few in one tool: their ends tell most apart. What counts as a command and as an option is asked there, so
//! that both judge the same names.

use std::collections::BTreeSet;

use tool_core::ToolDef;

use super::{Command, Form, Long, forms};
use crate::builtin::RESERVED;
use crate::globals::{GLOBALS, GlobalDef};
use crate::words::Word;

/// A name as a number: FNV-1a, 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark(u64);

impl Mark {
    const START: Mark = Mark(0xcbf2_9ce4_8422_2325);

    /// The mark of a text.
    pub(super) fn of(bytes: impl Iterator<Item = u8>) -> Mark {
        Mark::START.and(bytes)
    }

    /// The mark of a text with more behind it.
    pub(super) fn and(self, bytes: impl Iterator<Item = u8>) -> Mark {
        Mark(bytes.fold(self.0, |mark, byte| (mark ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)))
    }
}

/// Whether no command and no option has a name that is taken.
pub(super) fn all<'d>(tools: impl Iterator<Item = (&'d str, &'d ToolDef<'d>)>) -> bool {
    let mut options = Options::new();
    let mut groups: BTreeSet<Mark> = BTreeSet::new();
    let mut commands: Vec<Mark> = Vec::with_capacity(tools.size_hint().0 + RESERVED.len());
    commands.extend(RESERVED.iter().map(|word| Mark::of(word.bytes())));
    for (tool, def) in tools {
        let command = Command::of(tool, def);
        if command.has_empty_word() || !options.are_apart(def) {
            return false;
        }
        let (first, whole) = command.marks();
        if first != whole {
            groups.insert(first);
        }
        commands.push(whole);
    }
    commands.extend(groups);
    commands.sort_unstable();
    commands.is_sorted_by(|a, b| a < b)
}

/// What is looked at of an option before all of it is: its length, and its bytes at both ends. A short form has no length.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Ends {
    len: usize,
    first: u8,
    last: u8,
}

impl Ends {
    fn of(form: &Form<'_>) -> Ends {
        match form {
            Form::Long(Long { head, word, tail }) => {
                let (first, last) = word.ends().unwrap_or_default();
                Ends {
                    len: head.len() + word.bytes().len() + tail.len(),
                    first: head.as_bytes().first().copied().unwrap_or(first),
                    last: tail.as_bytes().last().copied().unwrap_or(last),
                }
            }
            Form::Short(letter) => {
                let byte = u8::try_from(*letter).unwrap_or_default();
                Ends { len: 0, first: byte, last: byte }
            }
        }
    }

    /// Those of a reserved name.
    fn of_long(name: &str) -> Ends {
        let (first, last) = Word::of(name).ends().unwrap_or_default();
        Ends { len: name.len(), first, last }
    }
}

/// What the options of one tool after the other are held against.
struct Options {
    reserved: Vec<(Ends, &'static GlobalDef)>,
    /// The lengths of the reserved names by their first byte and by their last, as bits: for almost all options the answer.
    lengths: [[u64; 256]; 2],
    /// The options of one tool so far. What they are spelt like is only asked again where two have the same ends.
    taken: Vec<Ends>,
}

impl Options {
    fn new() -> Options {
        let long = GLOBALS.iter().map(|row| (Ends::of_long(row.long), row));
        let short = GLOBALS.iter().filter_map(|row| Some((Ends::of(&Form::Short(row.short?)), row)));
        let reserved: Vec<(Ends, &GlobalDef)> = long.chain(short).collect();
        let mut lengths = [[0; 256]; 2];
        for (ends, _) in &reserved {
            for (lengths, byte) in lengths.iter_mut().zip([ends.first, ends.last]) {
                if let Some(lengths) = lengths.get_mut(usize::from(byte)) {
                    *lengths |= bit(ends.len);
                }
            }
        }
        Options { reserved, lengths, taken: Vec::new() }
    }

    fn are_apart(&mut self, def: &ToolDef<'_>) -> bool {
        if def.input.is_some() {
            return true;
        }
        self.taken.clear();
        for (at, param) in def.params.iter().enumerate().filter(|(_, param)| !param.keys.flatten) {
            let before = self.taken.len();
            for form in forms(param).into_iter().flatten() {
                let ends = Ends::of(&form);
                let others = self.taken.get(..before).unwrap_or_default();
                if others.contains(&ends) && has_before(def, at, &form) {
                    return false;
                }
                if self.may_be_reserved(ends) {
                    let mut alike = self.reserved.iter().filter(|(own, _)| *own == ends);
                    if alike.any(|(_, row)| form.is_own(row, param)) {
                        return false;
                    }
                }
                self.taken.push(ends);
            }
        }
        true
    }

    fn may_be_reserved(&self, ends: Ends) -> bool {
        let [first, last] = &self.lengths;
        let by = |lengths: &[u64; 256], byte: u8| lengths.get(usize::from(byte)).copied().unwrap_or_default();
        by(first, ends.first) & by(last, ends.last) & bit(ends.len) != 0
    }
}

/// Whether a parameter that stands earlier has this form.
fn has_before(def: &ToolDef<'_>, at: usize, form: &Form<'_>) -> bool {
    let before = def.params.iter().take(at).filter(|param| !param.keys.flatten);
    before.flat_map(|param| forms(param).into_iter().flatten()).any(|other| other == *form)
}

/// A length as a bit; none for a length that no reserved name has.
fn bit(len: usize) -> u64 {
    if len < 64 { 1 << len } else { 0 }
}
