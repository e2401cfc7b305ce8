//! Cuts the text of an object into the texts of its members, without reading them.
//!
//! It tells strings from what stands around them and no more. A text that it cuts may thus be no JSON, but then one of the
//! pieces is none either: whoever reads a piece has to read all of it. Objects, lists in lists, keys with escapes and
//! control characters in strings are not for the short way, so it gives up on them.

/// Numbers up to this many characters, without an exponent, mean the same to every number type that takes them.
pub(super) const PLAIN_NUMBER: usize = 18;

/// The members of an object, in the order of the text.
pub(super) struct Members<'a> {
    text: &'a str,
    at: usize,
    /// Whether a member has been cut already.
    begun: bool,
}

/// What comes next in an object.
pub(super) enum Member<'a> {
    /// A key, `None` where it is the expected one, and its value.
    Piece(Option<&'a str>, Piece<'a>),
    /// The end of the object, and of the text.
    End,
}

/// A value, as far as cutting it tells what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// What stands between the quotes of a string without escapes.
    Text(&'a str),
    /// An integer without a sign, of few digits.
    Natural(u64),
    /// Any other number, or what a letter begins.
    Word(&'a str),
    /// A list without escapes, from bracket to bracket.
    List(&'a str),
    /// A string or list with a backslash in it, with its quotes or brackets.
    Escaped(&'a str),
}

impl<'a> Piece<'a> {
    /// A scalar without escapes.
    pub(super) fn scalar(text: &'a str) -> Piece<'a> {
        match text.as_bytes() {
            [b'"', .., b'"'] => Piece::Text(text.get(1..text.len() - 1).unwrap_or_default()),
            other => match natural(other) {
                Some((natural, digits)) if digits == text.len() => Piece::Natural(natural),
                _ => Piece::Word(text),
            },
        }
    }
}

/// What a text begins with when it is what most numbers are, and its length: a few digits without a zero in front.
#[inline]
fn natural(text: &[u8]) -> Option<(u64, usize)> {
    let (mut natural, mut digits) = (0, 0);
    for byte in text.get(..PLAIN_NUMBER).unwrap_or(text).iter().take_while(|byte| byte.is_ascii_digit()) {
        natural = natural * 10 + u64::from(byte - b'0');
        digits += 1;
    }
    let is_led_by_zero = digits > 1 && text.starts_with(b"0");
    (digits > 0 && !is_led_by_zero).then_some((natural, digits))
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
    #[inline]
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
        let start = self.at;
        let value = match self.peek()? {
            b'"' => match self.string()? {
                (text, false) => Piece::Text(text),
                (_, true) => Piece::Escaped(self.text.get(start..self.at)?),
            },
            b'[' => match self.list()? {
                (text, false) => Piece::List(text),
                (text, true) => Piece::Escaped(text),
            },
            b'{' => return None,
            b'0'..=b'9' => match self.natural() {
                Some(natural) => Piece::Natural(natural),
                None => Piece::Word(self.word()?),
            },
            _ => Piece::Word(self.word()?),
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
        let (key, escaped) = self.string()?;
        (!escaped).then_some(Some(key))
    }

    /// What stands between quotes, and whether there is a backslash in it.
    #[inline]
    fn string(&mut self) -> Option<(&'a str, bool)> {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..)?.strip_prefix(b"\"")?;
        let plain = plain_bytes(rest);
        let (end, escaped) = match *rest.get(plain)? {
            b'"' => (plain, false),
            b'\\' => (end_of_escaped(rest, plain)?, true),
            _ => return None,
        };
        self.at = start + end + 2;
        Some((self.text.get(start + 1..=start + end)?, escaped))
    }

    /// From bracket to bracket, and whether there is a backslash between them.
    fn list(&mut self) -> Option<(&'a str, bool)> {
        let (text, start) = (self.text, self.at);
        let mut escaped = false;
        loop {
            self.at += 1;
            match self.peek()? {
                b']' => break,
                b'[' | b'{' | b'}' => return None,
                b'"' => {
                    escaped |= self.string()?.1;
                    self.at -= 1;
                }
                _ => {}
            }
        }
        self.at += 1;
        Some((text.get(start..self.at)?, escaped))
    }

    /// An integer without a sign, of few digits, and nothing else; otherwise nothing is cut.
    #[inline]
    fn natural(&mut self) -> Option<u64> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let (natural, digits) = natural(rest)?;
        rest.get(digits).filter(|byte| ends_word(**byte))?;
        self.at += digits;
        Some(natural)
    }

    /// What is neither string nor list.
    #[inline]
    fn word(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        let end = rest.bytes().position(ends_word).filter(|end| *end > 0)?;
        self.at += end;
        rest.get(..end)
    }
}

/// Where a string ends whose first backslash is at `at`. By itself, so that its loop has every register: long texts have many.
#[inline(never)]
fn end_of_escaped(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *text.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => return None,
        }
        at += plain_bytes(text.get(at..)?);
    }
}

/// Whether a byte comes behind a value that is neither string nor list.
fn ends_word(byte: u8) -> bool {
    byte == b',' || byte == b'}' || is_space(byte)
}

/// How many bytes come before the next quote, backslash or control character. Most texts have few of them, so eight bytes are
/// looked at together: the highest bit of each tells whether it is one of the three.
#[inline]
fn plain_bytes(text: &[u8]) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHEST: u64 = ONES << 7;
    let is_zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let mut count = 0;
    for eight in text.chunks_exact(8) {
        let word = u64::from_le_bytes(eight.try_into().unwrap_or_default());
        let quote = is_zero(word ^ (ONES * u64::from(b'"')));
        let backslash = is_zero(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * u64::from(b' ')) & !word;
        let found = (quote | backslash | control) & HIGHEST;
        if found != 0 {
            // The lowest one that is found is right; what is found above it may be its carry.
            return count + found.trailing_zeros() as usize / 8;
        }
        count += 8;
    }
    let rest = text.get(count..).unwrap_or_default();
    count + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..b' ')).unwrap_or(rest.len())
}

/// White space of JSON (RFC 8259 §2).
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Option<Vec<(&str, Piece<'_>)>> {
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
        let cut = pieces(
            " { \"a\" : \"x,}\\\"\" ,\"b\":[1, \"]\" ],\"c\":-1.5\n\
             ,\"d\":true,\"e\":[\"\\n\"],\"f\":12 ,\"g\":012,\"h\":1234567890123456789,\"i\":0}\n",
        );
        let expected = [
            ("a", Piece::Escaped("\"x,}\\\"\"")),
            ("b", Piece::List("[1, \"]\" ]")),
            ("c", Piece::Word("-1.5")),
            ("d", Piece::Word("true")),
            ("e", Piece::Escaped("[\"\\n\"]")),
            ("f", Piece::Natural(12)),
            ("g", Piece::Word("012")),
            ("h", Piece::Word("1234567890123456789")),
            ("i", Piece::Natural(0)),
        ];
        assert_eq!(cut.as_deref(), Some(&expected[..]));
        assert_eq!(pieces("{}"), Some(Vec::new()));
        assert_eq!(pieces("{\"bx\":1}"), Some(vec![("bx", Piece::Natural(1))]));
        assert_eq!(pieces("{\"é\":\"ü\"}"), Some(vec![("é", Piece::Text("ü"))]));
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
            "{\"b::1}",
            "{\"b :1}",
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

    #[test]
    fn a_string_ends_at_the_same_byte_however_it_lies() {
        let one_by_one = |text: &[u8]| {
            text.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..b' ')).unwrap_or(text.len())
        };
        let around =
            [0, 1, 0x1f, b' ', b'!', b'"', b'#', b'[', b'\\', b']', 0x7f, 0x80, 0x9f, 0xa2, 0xdc, 0xff];
        for first in around {
            for second in around {
                for at in 0..20 {
                    let mut text = [b'a'; 24];
                    (text[at], text[at + 1], text[at + 4]) = (first, second, first);
                    assert_eq!(plain_bytes(&text), one_by_one(&text), "{text:?}");
                    assert_eq!(plain_bytes(&text[3..]), one_by_one(&text[3..]), "{text:?}");
                }
            }
        }
    }
}
