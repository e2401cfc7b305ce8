//! What ends a line of a file: LF or CR LF. A line without either is the last one.

/// The terminator of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
}

impl LineEnd {
    /// The bytes of the terminator.
    pub fn as_bytes(self) -> &'static [u8] {
        match self {
            LineEnd::Lf => b"\n",
            LineEnd::CrLf => b"\r\n",
        }
    }

    /// A line as text and terminator.
    pub fn split(line: &[u8]) -> (&[u8], Option<LineEnd>) {
        match (line.strip_suffix(b"\r\n"), line.strip_suffix(b"\n")) {
            (Some(text), _) => (text, Some(LineEnd::CrLf)),
            (None, Some(text)) => (text, Some(LineEnd::Lf)),
            (None, None) => (line, None),
        }
    }
}

/// A line without the CR at its end, if it has one.
pub(crate) fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_terminator_is_taken_off() {
        assert_eq!(LineEnd::split(b"a\r\r\n"), (&b"a\r"[..], Some(LineEnd::CrLf)));
        assert_eq!(LineEnd::split(b"a\n"), (&b"a"[..], Some(LineEnd::Lf)));
        assert_eq!(LineEnd::split(b"a\r"), (&b"a\r"[..], None));
    }
}
