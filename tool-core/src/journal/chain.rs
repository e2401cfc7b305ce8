//! The chain of transitions and its sealed head: what shows that a journal was changed behind its back. (journal.md §9)
//!
//! Each entry's hash covers the one before it. A chain alone cannot show a lost tail: the seal, kept beside it, can.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::canonical::{hex, unhex, write_string};

/// A hash of the chain.
pub type Hash = [u8; 32];

/// One transition of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number, from 1, without gaps.
    pub n: u64,
    /// The call.
    pub call_id: String,
    /// The status it came to.
    pub to: String,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The digest of the row as written.
    pub row: Hash,
    /// The hash of the chain up to here.
    pub hash: Hash,
}

/// The end of a chain: what an entry is appended to, and what a seal holds. As a text it is `N:HASH`.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct Head {
    /// The number of the last entry; 0 when there is none.
    pub n: u64,
    /// Its hash; zeros when there is none.
    pub hash: Hash,
}

impl Head {
    /// Appends a transition.
    pub fn append(&mut self, call_id: &str, to: &str, at_ms: i64, row: Hash) -> Entry {
        let n = self.n + 1;
        let hash = link(&self.hash, n, call_id, to, at_ms, &row);
        *self = Head { n, hash };
        Entry { n, call_id: call_id.to_owned(), to: to.to_owned(), at_ms, row, hash }
    }
}

impl fmt::Display for Head {
    /// `N:HASH`, to be kept elsewhere.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.n, hex(&self.hash))
    }
}

impl TryFrom<String> for Head {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Head, Self::Error> {
        let read = || {
            let (n, hash) = text.split_once(':')?;
            Some(Head { n: n.parse().ok()?, hash: unhex(hash)?.try_into().ok()? })
        };
        read().ok_or("the end of a journal, N:HASH with 64 hexadecimal digits")
    }
}

/// SHA-256 of the hash before, and the canonical `{"at","call","n","row","to"}`.
fn link(before: &Hash, n: u64, call_id: &str, to: &str, at_ms: i64, row: &Hash) -> Hash {
    let mut text = String::with_capacity(192);
    text.push_str("{\"at\":");
    text.push_str(&at_ms.to_string());
    text.push_str(",\"call\":");
    write_string(call_id, &mut text);
    text.push_str(",\"n\":");
    text.push_str(&n.to_string());
    text.push_str(",\"row\":\"");
    text.push_str(&hex(row));
    text.push_str("\",\"to\":");
    write_string(to, &mut text);
    text.push('}');
    let mut hasher = Sha256::new();
    hasher.update(before);
    hasher.update(text);
    hasher.finalize().into()
}

/// What looking through a journal found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All is as written, up to this head.
    Ok(Head),
    /// The entry does not follow from the one before.
    ChainBroken {
        /// Its number.
        n: u64,
    },
    /// The entry is missing.
    Gap {
        /// Its number.
        n: u64,
    },
    /// Entries that were sealed are gone.
    Truncated {
        /// The last entry that is there.
        n: u64,
        /// The last one that was.
        sealed: u64,
    },
    /// The entry is not the one that was sealed.
    SealMismatch {
        /// Its number.
        n: u64,
    },
    /// A row is not as its last transition wrote it.
    RowChanged {
        /// The call.
        call_id: String,
    },
}

impl Verdict {
    /// Whether all is well.
    pub fn is_ok(&self) -> bool {
        matches!(self, Verdict::Ok(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Ok(head) => write!(f, "ok {}", head.n),
            Verdict::ChainBroken { n } => write!(f, "chain_broken {n}"),
            Verdict::Gap { n } => write!(f, "gap {n}"),
            Verdict::Truncated { n, sealed } => write!(f, "truncated {n} sealed {sealed}"),
            Verdict::SealMismatch { n } => write!(f, "seal_mismatch {n}"),
            Verdict::RowChanged { call_id } => write!(f, "row_changed {call_id}"),
        }
    }
}

/// Follows a chain entry by entry.
#[derive(Clone, Copy, Debug)]
pub struct Follow {
    head: Head,
    seal: Option<Head>,
}

impl Follow {
    /// Starts behind a checkpoint (or at the beginning, [`Head::default`]), and expects to meet the seal.
    pub fn new(from: Head, seal: Option<Head>) -> Follow {
        Follow { head: from, seal }
    }

    /// Takes the next entry; what is wrong with it ends the walk.
    ///
    /// # Errors
    /// What is wrong.
    pub fn next(&mut self, entry: &Entry) -> Result<(), Verdict> {
        let expected = self.head.n + 1;
        if entry.n != expected {
            return Err(Verdict::Gap { n: expected });
        }
        let made = self.head.append(&entry.call_id, &entry.to, entry.at_ms, entry.row);
        if made.hash != entry.hash {
            return Err(Verdict::ChainBroken { n: entry.n });
        }
        if self.seal.is_some_and(|seal| seal.n == entry.n && seal.hash != entry.hash) {
            return Err(Verdict::SealMismatch { n: entry.n });
        }
        Ok(())
    }

    /// Ends the walk: whether the seal was reached.
    pub fn end(self) -> Verdict {
        match self.seal {
            Some(seal) if seal.n > self.head.n => Verdict::Truncated { n: self.head.n, sealed: seal.n },
            _ => Verdict::Ok(self.head),
        }
    }
}

/// Follows a whole chain.
pub fn verify(entries: &[Entry], seal: Option<Head>) -> Verdict {
    let mut follow = Follow::new(Head::default(), seal);
    for entry in entries {
        if let Err(wrong) = follow.next(entry) {
            return wrong;
        }
    }
    follow.end()
}
