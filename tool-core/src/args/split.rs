//! Cuts the text of an object into the texts of its members, without reading them.
//!
//! It tells strings from what stands around them and no more. A text that it cuts may thus be no JSON, but then one of the
//! pieces is none either: whoever reads a piece has to read all of it. Objects, lists in lists, keys with escapes and
//! control characters in strings are not for the short way, so it gives up on them.

/// The members of an object, in the order of the text.
pub(super) struct Members<'a> {
    text: &'a str,
    at: usize,
    /// Whether a member has been cut already.
    begun: bool,
}

/// What comes next in an object.
pub(super) enum Member<'a> {
    /// A key, `None` where it is the expected one, and the text of its value.
    Piece(Option<&'a str>, &'a str),
    /// The end of the object, and of the text.
    End,
}

impl<'a> Members<'a> {
    /// The members of a text; `None` where it does not begin as an object.
    pub(super) fn of(text: &'a str) -> Option<Members<'a>> {
        let mut members = Members { text, at: 0, begun: false };
        members.skip_space();
        members.expect(b'{')?;
        Some(members)
    }

    /// The next member, which may well have the key `expected`; `None` where the text is not to be cut.
    pub(super) fn next(&mut self, expected: Option<&str>) -> Option<Member<'a>> {
        self.skip_space();
        if self.peek()? == b'}' {
            self.at += 1;
            self.skip_space();
            return (self.at == self.text.len()).then_some(Member::End);
        }
        if self.begun {
            self.expect(b',')?;
            self.skip_space();
        }
        self.begun = true;
        let key = self.key(expected)?;
        self.skip_space();
        self.expect(b':')?;
        self.skip_space();
        let value = match self.peek()? {
            b'"' => self.string()?,
            b'[' => self.list()?,
            b'{' => return None,
            _ => self.word()?,
        };
        Some(Member::Piece(key, value))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// A key without its quotes; none where it is the expected one, which is seen without looking for its end.
    fn key(&mut self, expected: Option<&str>) -> Option<Option<&'a str>> {
        let rest = self.text.as_bytes().get(self.at..)?;
        if let Some(expected) = expected
            && let Some(behind) =
                rest.strip_prefix(b"\"").and_then(|rest| rest.strip_prefix(expected.as_bytes()))
            && behind.first() == Some(&b'"')
        {
            self.at += expected.len() + 2;
            return Some(None);
        }
        let quoted = self.string()?;
        let key = quoted.get(1..quoted.len() - 1)?;
        (!key.contains('\\')).then_some(Some(key))
    }

    /// From quote to quote.
    fn string(&mut self) -> Option<&'a str> {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..)?.strip_prefix(b"\"")?;
        let mut end = 0;
        loop {
            match *rest.get(end)? {
                b'"' => break,
                b'\\' => end += 2,
                ..b' ' => return None,
                _ => end += 1,
            }
        }
        self.at = start + end + 2;
        self.text.get(start..self.at)
    }

    /// From bracket to bracket.
    fn list(&mut self) -> Option<&'a str> {
        let (text, start) = (self.text, self.at);
        loop {
            self.at += 1;
            match self.peek()? {
                b']' => break,
                b'[' | b'{' | b'}' => return None,
                b'"' => {
                    self.string()?;
                    self.at -= 1;
                }
                _ => {}
            }
        }
        self.at += 1;
        text.get(start..self.at)
    }

    /// What is neither string nor list.
    fn word(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        let end = rest
            .bytes()
            .position(|byte| byte == b',' || byte == b'}' || is_space(byte))
            .filter(|end| *end > 0)?;
        self.at += end;
        rest.get(..end)
    }
}

/// White space of JSON (RFC 8259 §2).
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Option<Vec<(&str, &str)>> {
        let mut members = Members::of(text)?;
        let mut pieces = Vec::new();
        loop {
            match members.next(Some("b"))? {
                Member::Piece(key, value) => pieces.push((key.unwrap_or("b"), value)),
                Member::End => return Some(pieces),
            }
        }
    }

    #[test]
    fn members_are_cut_where_they_end() {
        let cut = pieces(" { \"a\" : \"x,}\\\"\" ,\"b\":[1, \"]\" ],\"c\":-1.5\n,\"d\":true}\n");
        let expected = [("a", "\"x,}\\\"\""), ("b", "[1, \"]\" ]"), ("c", "-1.5"), ("d", "true")];
        assert_eq!(cut.as_deref(), Some(&expected[..]));
        assert_eq!(pieces("{}"), Some(Vec::new()));
        assert_eq!(pieces("{\"é\":\"ü\"}"), Some(vec![("é", "\"ü\"")]));
    }

    #[test]
    fn what_is_no_flat_object_is_not_cut() {
        let texts = [
            "",
            "{",
            "[]",
            "5",
            "{}x",
            "{} {}",
            "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1",
            "{\"a\":1,}",
            "{\"a\":1,,\"b\":2}",
            "{\"b\":1 \"b\":2}",
            "{\"b",
            "{\"b\\u0062\":1}",
            "{\"a\":1}}",
            "{\"a\":{}}",
            "{\"a\":[[1]]}",
            "{\"a\":[{}]}",
            "{\"a\":[1}",
            "{\"a\":\"x}",
            "{\"a\":\"\\",
            "{\"a\":\"\n\"}",
            "{\"a\\u0062\":1}",
            "{a:1}",
            "{\"a\":\"\\\"}",
            "{\"é",
            "{\"a\":\"\\é",
        ];
        for text in texts {
            assert_eq!(pieces(text), None, "{text}");
        }
    }
}
