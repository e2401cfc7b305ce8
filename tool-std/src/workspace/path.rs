//! Paths inside a workspace: relative to the root, without links to follow in the text, shown in one form.
//!
//! A [`Relative`] path is bytes. It is shown as its UTF-8 text, or in the `raw:` form that every path argument accepts
//! back (sandbox.md §1 rule 1).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The prefix of a percent-encoded path.
pub(crate) const RAW: &str = "raw:";

/// A path relative to the root: components that are neither empty nor `.` or `..`, joined by `/`; empty for the root.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Relative(Vec<u8>);

impl Relative {
    /// The root itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// A path of these components, which the caller has checked.
    pub(crate) fn from_components<'a>(components: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut path = Self::root();
        for component in components {
            path.push(component);
        }
        path
    }

    /// Appends a component.
    pub(crate) fn push(&mut self, component: &[u8]) {
        if !self.0.is_empty() {
            self.0.push(b'/');
        }
        self.0.extend_from_slice(component);
    }

    /// Removes the last component.
    pub(crate) fn pop(&mut self) {
        let end = self.0.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        self.0.truncate(end);
    }

    /// This path with one more component.
    pub(crate) fn join(&self, component: &[u8]) -> Self {
        let mut path = self.clone();
        path.push(component);
        path
    }

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes, `a/b`; empty for the root.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path for calls relative to the root handle: `.` for the root.
    pub fn as_path(&self) -> &Path {
        if self.0.is_empty() { Path::new(".") } else { Path::new(OsStr::from_bytes(&self.0)) }
    }

    /// The components from the root down.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.0.split(|byte| *byte == b'/').filter(|component| !component.is_empty())
    }

    /// The last component, if this is not the root.
    pub fn name(&self) -> Option<&[u8]> {
        self.components().next_back()
    }

    /// The directory that holds it, if this is not the root.
    pub fn parent(&self) -> Option<Relative> {
        if self.is_root() {
            return None;
        }
        let mut parent = self.clone();
        parent.pop();
        Some(parent)
    }

    /// Whether this is `other` or lies below it.
    pub fn starts_with(&self, other: &Relative) -> bool {
        match self.0.strip_prefix(other.0.as_slice()) {
            Some(rest) => rest.is_empty() || other.is_root() || rest.starts_with(b"/"),
            None => false,
        }
    }

    /// The form for results: `.` for the root, UTF-8 where it is, else `raw:`.
    pub fn shown(&self) -> String {
        if self.is_root() { ".".to_owned() } else { shown(&self.0) }
    }
}

/// Bytes as results show them: UTF-8 text that does not start with `raw:`, else the `raw:` form.
pub fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.starts_with(RAW) => text.to_owned(),
        _ => encode(bytes),
    }
}

fn encode(bytes: &[u8]) -> String {
    let mut text = String::from(RAW);
    for &byte in bytes {
        if byte != b'%' && byte.is_ascii_graphic() {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// The bytes behind `raw:`, or the offset in `text` of a `%` that two hex digits do not follow.
pub(crate) fn decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let at = text.len() - tail.len() - 1;
        let Some(([high, low], tail)) = tail.split_first_chunk::<2>() else { return Err(at) };
        let (Some(high), Some(low)) = (hex(*high), hex(*low)) else { return Err(at) };
        bytes.push(high * 16 + low);
        rest = tail;
    }
    Ok(bytes)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_string_is_shown_in_a_form_that_decodes_to_it() {
        for bytes in [&b"a b"[..], b"raw:x", b"\xff\xfe.t", b"100%", "é".as_bytes(), b"a/\xff"] {
            let text = shown(bytes);
            let back = match text.strip_prefix(RAW) {
                Some(rest) => decode(rest.as_bytes()).unwrap(),
                None => text.clone().into_bytes(),
            };
            assert_eq!(back, bytes, "{text}");
        }
        assert_eq!(shown(b"\xff\xfe.t"), "raw:%FF%FE.t");
        assert_eq!(shown(b"raw:a b"), "raw:raw:a%20b");
    }

    #[test]
    fn a_bad_escape_is_named_by_its_offset() {
        assert_eq!(decode(b"a%zz"), Err(1));
        assert_eq!(decode(b"ab%2"), Err(2));
        assert_eq!(decode(b"a%2f"), Ok(b"a/".to_vec()));
    }

    #[test]
    fn a_path_lies_below_another_by_components_not_by_text() {
        let path = Relative::from_components([&b"ab"[..], b"c"]);
        assert!(path.starts_with(&Relative::root()));
        assert!(path.starts_with(&Relative::from_components([&b"ab"[..]])));
        assert!(!path.starts_with(&Relative::from_components([&b"a"[..]])));
        assert_eq!(path.parent().unwrap().shown(), "ab");
        assert_eq!(Relative::root().shown(), ".");
    }
}
