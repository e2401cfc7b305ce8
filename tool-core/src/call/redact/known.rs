//! The secrets that a process knows, found in every text in the spellings that they travel in.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use aho_corasick::{AhoCorasick, MatchKind};

use crate::canonical;

/// Bytes of a secret that is looked for anywhere; a shorter one is only found as a whole value.
const ANYWHERE: usize = 8;

/// Known secrets, by all the spellings in which they may turn up: raw, percent-encoded, JSON-escaped, hex, and base64 in both
/// alphabets at each offset.
///
/// It is shared by all who must not let them out, and grows: a secret that a call is handed is known from then on.
#[derive(Default)]
pub struct KnownSecrets(RwLock<Arc<Search>>);

/// What is looked for.
#[derive(Default)]
struct Search {
    /// Name and value of each, in the order in which they became known.
    secrets: Vec<(String, String)>,
    anywhere: Option<AhoCorasick>,
    /// The name behind each pattern.
    names: Vec<String>,
    /// Secrets that are too short to be looked for inside of texts.
    short: BTreeMap<String, String>,
}

impl Search {
    fn of(secrets: Vec<(String, String)>) -> Search {
        let mut patterns: BTreeMap<String, String> = BTreeMap::new();
        let mut short = BTreeMap::new();
        for (name, value) in &secrets {
            if value.len() < ANYWHERE {
                short.insert(value.clone(), name.clone());
                continue;
            }
            for spelling in spellings(value) {
                patterns.entry(spelling).or_insert_with(|| name.clone());
            }
        }
        let names = patterns.values().cloned().collect();
        let anywhere = (!patterns.is_empty()).then(|| {
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns.keys()).ok()
        });
        Search { secrets, anywhere: anywhere.flatten(), names, short }
    }

    fn has(&self, name: &str, value: &str) -> bool {
        self.secrets.iter().any(|known| known.0 == name && known.1 == value)
    }
}

impl KnownSecrets {
    /// Secrets by name. Blank ones are ignored.
    pub fn new<'a>(secrets: impl IntoIterator<Item = (&'a str, &'a str)>) -> KnownSecrets {
        KnownSecrets::default().with(secrets)
    }

    /// These and more, apart from them.
    #[must_use]
    pub fn with<'a>(&self, more: impl IntoIterator<Item = (&'a str, &'a str)>) -> KnownSecrets {
        let mut secrets = self.search().secrets.clone();
        for (name, value) in more.into_iter().filter(|secret| !secret.1.trim().is_empty()) {
            secrets.push((name.to_owned(), value.to_owned()));
        }
        KnownSecrets(RwLock::new(Arc::new(Search::of(secrets))))
    }

    /// Adds one, if it is not known yet and not blank.
    pub fn learn(&self, name: &str, value: &str) {
        if value.trim().is_empty() || self.search().has(name, value) {
            return;
        }
        let mut search = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have learned it meanwhile.
        if !search.has(name, value) {
            let mut secrets = search.secrets.clone();
            secrets.push((name.to_owned(), value.to_owned()));
            *search = Arc::new(Search::of(secrets));
        }
    }

    fn search(&self) -> Arc<Search> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.search().secrets.is_empty()
    }

    /// A text with `[secret:NAME]` in place of each secret of 8 bytes and up.
    pub fn scrub(&self, text: &str) -> String {
        let mut parts = [text.to_owned()];
        self.scrub_joined(&mut parts);
        let [whole] = parts;
        whole
    }

    /// As [`scrub`](Self::scrub), for a whole value: shorter secrets are found where they are all of it.
    pub fn scrub_value(&self, text: &str) -> String {
        match self.search().short.get(text) {
            Some(name) => format!("[secret:{name}]"),
            None => self.scrub(text),
        }
    }

    /// Scrubs texts that follow each other: a secret that is split between two is found as well, and stands replaced where
    /// it begins. Says whether any was found.
    pub fn scrub_joined(&self, parts: &mut [String]) -> bool {
        let search = self.search();
        let Some(anywhere) = &search.anywhere else { return false };
        let joined: String = parts.concat();
        let found: Vec<(usize, usize, &str)> = anywhere
            .find_iter(&joined)
            .map(|hit| {
                let name = search.names.get(hit.pattern().as_usize()).map_or("", String::as_str);
                (hit.start(), hit.end(), name)
            })
            .collect();
        if found.is_empty() {
            return false;
        }
        let mut start = 0;
        for part in parts {
            let end = start + part.len();
            *part = replaced(&joined, start, end, &found);
            start = end;
        }
        true
    }
}

/// The part of a text from `start` to `end`, with the secrets in it replaced where they begin.
fn replaced(text: &str, start: usize, end: usize, found: &[(usize, usize, &str)]) -> String {
    let mut out = String::with_capacity(end - start);
    let mut at = start;
    for (from, to, name) in found.iter().filter(|hit| hit.0 < end && hit.1 > start) {
        out.push_str(text.get(at..*from.max(&at)).unwrap_or_default());
        if *from >= start {
            out.push_str(&format!("[secret:{name}]"));
        }
        at = *to.min(&end);
    }
    out.push_str(text.get(at..end).unwrap_or_default());
    out
}

impl fmt::Debug for KnownSecrets {
    /// Their number, and nothing of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let search = self.search();
        let names: std::collections::BTreeSet<&String> =
            search.secrets.iter().map(|known| &known.0).collect();
        write!(f, "KnownSecrets({})", names.len())
    }
}

/// What stays as it is when a text is percent-encoded, besides letters and digits: RFC 3986's unreserved characters, what
/// `encodeURIComponent` leaves, and what a path may have.
const UNESCAPED: [&str; 3] = ["-._~", "-._~!*'()", "-._~!*'()/:@$&+,;="];

/// Every spelling of a secret.
fn spellings(secret: &str) -> Vec<String> {
    let bytes = secret.as_bytes();
    let hex = canonical::hex(bytes);
    let mut all = vec![secret.to_owned(), hex.to_uppercase(), hex];
    for unescaped in UNESCAPED {
        let upper = percent(bytes, unescaped, false);
        all.extend([upper.replace("%20", "+"), upper, percent(bytes, unescaped, true)]);
    }
    let mut escaped = String::new();
    canonical::write_string(secret, &mut escaped);
    let escaped = escaped.get(1..escaped.len() - 1).unwrap_or_default().to_owned();
    all.extend([escaped.replace('/', "\\/"), ascii(&escaped), escaped]);
    all.extend((0..3).flat_map(|offset| base64(bytes, offset)));
    all
}

fn percent(bytes: &[u8], unescaped: &str, lower: bool) -> String {
    let mut out = String::new();
    for byte in bytes {
        let c = char::from(*byte);
        match byte.is_ascii_alphanumeric() || unescaped.contains(c) && byte.is_ascii() {
            true => out.push(c),
            false if lower => out.push_str(&format!("%{byte:02x}")),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// A JSON text in which everything outside of ASCII is escaped.
fn ascii(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c.is_ascii() {
            true => out.push(c),
            false => {
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")))
            }
        }
    }
    out
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The characters of base64 that the bytes alone decide when `offset` others stand before them, in both alphabets.
/// (RFC 4648 §4 and §5)
fn base64(bytes: &[u8], offset: usize) -> [String; 2] {
    let bit = |at: usize| bytes.get(at / 8).is_some_and(|byte| byte >> (7 - at % 8) & 1 == 1);
    let first = (offset * 8).div_ceil(6);
    let last = (offset * 8 + bytes.len() * 8) / 6;
    let text: String = (first..last)
        .map(|character| {
            let bits = (0..6).map(|i| bit(character * 6 + i - offset * 8));
            let index = bits.fold(0usize, |index, bit| index << 1 | usize::from(bit));
            BASE64.get(index).copied().map_or('A', char::from)
        })
        .collect();
    [text.replace('+', "-").replace('/', "_"), text]
}

#[cfg(test)]
mod tests {
    use super::KnownSecrets;

    #[test]
    fn a_secret_that_is_learned_again_takes_no_more_room() {
        let known = KnownSecrets::default();
        for _ in 0..3 {
            known.learn("KEY", "value-one-1");
            known.learn("KEY", "value-two-2");
            known.learn("OTHER", "value-one-1");
        }
        assert_eq!(known.search().secrets.len(), 3);
    }
}
