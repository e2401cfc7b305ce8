//! The quick look that every start takes: whether the names of all commands and options are apart.
//!
//! A name is one number here. Equal numbers may be equal names, and then the thorough check finds out; different ones never are.
//! What counts as a command and as an option is asked there, so that both judge the same names.

use std::collections::BTreeSet;

use tool_core::ToolDef;

use super::{Command, Form, forms};
use crate::builtin::RESERVED;
use crate::globals::GLOBALS;

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

/// What the options of one tool after the other are held against.
struct Options {
    reserved: Vec<Mark>,
    /// Which last bytes the reserved marks have: for almost all options the answer.
    last: [bool; 256],
    /// The options of one tool so far.
    taken: Vec<Mark>,
}

impl Options {
    fn new() -> Options {
        let long = GLOBALS.iter().map(|row| Mark::of(row.long.bytes()));
        let short = GLOBALS.iter().filter_map(|row| row.short).map(|letter| Form::Short(letter).mark());
        let reserved: Vec<Mark> = long.chain(short).collect();
        let mut last = [false; 256];
        for mark in &reserved {
            if let Some(slot) = last.get_mut(mark.last()) {
                *slot = true;
            }
        }
        Options { reserved, last, taken: Vec::new() }
    }

    fn are_apart(&mut self, def: &ToolDef<'_>) -> bool {
        if def.input.is_some() {
            return true;
        }
        self.taken.clear();
        for param in def.params.iter().filter(|param| !param.keys.flatten) {
            let before = self.taken.len();
            for form in forms(param).iter().flatten() {
                let mark = form.mark();
                if self.is_reserved(mark) || self.taken.iter().take(before).any(|other| *other == mark) {
                    return false;
                }
                self.taken.push(mark);
            }
        }
        true
    }

    fn is_reserved(&self, mark: Mark) -> bool {
        self.last.get(mark.last()).is_some_and(|reserved| *reserved) && self.reserved.contains(&mark)
    }
}

impl Mark {
    fn last(self) -> usize {
        usize::from(self.0.to_le_bytes()[0])
    }
}
