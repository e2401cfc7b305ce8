//! The names in the file headers of a patch. They never choose a file; they can only be refused or warned of.

use tool_core::{ErrorKind, ToolError};

use super::source::Text;
use crate::edit::quote::cut;
use crate::edit::refusal;

/// A name from a `---` or `+++` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name(Vec<u8>);

impl Name {
    /// The name of a file header: up to a tab, without the quotation marks and escapes of git.
    pub(super) fn read(text: Text<'_>) -> Result<Self, ToolError> {
        let behind = text.bare().get(4..).unwrap_or_default();
        let name = behind.split(|byte| *byte == b'\t').next().unwrap_or_default();
        let name = Name(unquoted(name));
        if name.components().any(|component| component == b"..") {
            let message = format!("A name in line {} of the patch is outside the workspace.", text.number);
            return Err(refusal::refuse(ErrorKind::Denied, "path_escape", message)
                .quoting_message(format!("{} is outside the workspace.", cut(&name.0, text.echo)))
                .detail("line", text.number));
        }
        Ok(name)
    }

    /// Whether it stands for no file.
    pub(super) fn is_dev_null(&self) -> bool {
        self.0 == b"/dev/null"
    }

    fn components(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.0.split(|byte| *byte == b'/')
    }

    fn last(&self) -> &[u8] {
        self.components().next_back().unwrap_or_default()
    }
}

/// One warning for each name whose last component is not that of the file, names cut to `echo` characters.
pub(super) fn warnings(names: &[Name], file: &str, echo: u64) -> Vec<String> {
    let mut warnings = Vec::new();
    for name in names.iter().filter(|name| !name.is_dev_null()) {
        if !matches!(name.last(), b"a" | b"b") && name.last() != file.as_bytes() {
            let (named, file) = (cut(name.last(), echo), cut(file.as_bytes(), echo));
            let warning = format!("The patch names {named}; it was applied to {file}.");
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    warnings
}

/// A name that git put in quotation marks, as the bytes it stands for; other names as they are.
fn unquoted(name: &[u8]) -> Vec<u8> {
    let Some(inner) = name.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return name.to_vec();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((first, tail)) = rest.split_first() {
        let (byte, tail) = if *first == b'\\' { unescaped(tail) } else { (*first, tail) };
        bytes.push(byte);
        rest = tail;
    }
    bytes
}

/// What stands behind a backslash: three octal digits, or a letter of C.
fn unescaped(rest: &[u8]) -> (u8, &[u8]) {
    let octal = rest.split_first_chunk::<3>().and_then(|(digits, tail)| {
        let digits = std::str::from_utf8(digits).ok()?;
        u8::from_str_radix(digits, 8).ok().map(|byte| (byte, tail))
    });
    match (octal, rest.split_first()) {
        (Some(read), _) => read,
        (None, Some((letter, tail))) => {
            let table =
                [(b'n', b'\n'), (b't', b'\t'), (b'r', b'\r'), (b'a', 7), (b'b', 8), (b'v', 11), (b'f', 12)];
            let known = table.iter().find(|(name, _)| name == letter);
            (known.map_or(*letter, |(_, byte)| *byte), tail)
        }
        (None, None) => (b'\\', rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Name, ToolError> {
        Name::read(Text { number: 1, bytes: line.as_bytes(), echo: 80 })
    }

    #[test]
    fn names_are_read_up_to_the_timestamp_and_without_quotation() {
        assert_eq!(read("--- a/f.rs\t2026-01-01 00:00\r").unwrap().last(), b"f.rs");
        assert_eq!(read(r#"+++ "b/\303\251\t.rs""#).unwrap().last(), "é\t.rs".as_bytes());
        assert!(read("+++ /dev/null\t1970-01-01").unwrap().is_dev_null());
    }

    #[test]
    fn a_name_that_leads_up_is_refused_in_every_spelling() {
        for line in ["--- ../f", "+++ b/../../out", r#"+++ "b/\056\056/out""#, "+++ b/.."] {
            assert_eq!(read(line).unwrap_err().code_str(), "path_escape", "{line}");
        }
        assert!(read("+++ b/..f/x..").is_ok());
    }

    #[test]
    fn each_other_name_is_warned_of_once() {
        let names = [read("--- a/src/other.rs").unwrap(), read("+++ b/src/other.rs").unwrap()];
        assert_eq!(warnings(&names, "f", 80), ["The patch names other.rs; it was applied to f."]);
        assert!(warnings(&names, "other.rs", 80).is_empty());
        assert!(warnings(&[read("--- a").unwrap(), read("+++ b").unwrap()], "f", 80).is_empty());
    }
}
