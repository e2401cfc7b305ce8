//! Cuts the text of an object or list into the texts of what is in it, without reading them.
//!
//! It tells strings from what stands around them, and where brackets close, and no more. A text that it cuts may thus be no
//! JSON, but then one of the pieces is none either: whoever reads a piece has to read all of it. Keys with escapes, control
//! characters in strings and deep nesting are not for the short way, so it gives up on them.

use memchr::memchr2;

/// Numbers up to this many characters, without an exponent, mean the same to every number type that takes them.
pub(super) const PLAIN_NUMBER: usize = 18;

/// How deep brackets may stand in each other inside of a piece. Each level is cut once more.
const MOST_LEVELS: usize = 16;

/// A value, as far as cutting it tells what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// What stands between the quotes of a string without escapes.
    Text(&'a str),
    /// What stands between the quotes of a string with a backslash in it; control characters were not looked for.
    Escaped(&'a str),
    /// An integer without a sign, of few digits.
    Natural(u64),
    /// Any other number, or what a letter begins.
    Word(&'a str),
    /// What stands between the brackets of a list.
    List(&'a str),
    /// What stands between the braces of an object.
    Object(&'a str),
}

/// The members of an object, in the order of the text.
pub(super) struct Members<'a>(Row<'a>);

/// What comes next in an object.
pub(super) enum Member<'a> {
    /// A key, `None` where it is the expected one, and its value.
    Piece(Option<&'a str>, Piece<'a>),
    /// Nothing.
    End,
}

impl<'a> Members<'a> {
    /// The members of a text; `None` where it does not begin and end as an object.
    pub(super) fn of(text: &'a str) -> Option<Members<'a>> {
        let inside = |text: &'a str| text.strip_prefix('{')?.strip_suffix('}');
        let found = inside(text).or_else(|| inside(text.trim_matches([' ', '\t', '\r', '\n'])));
        found.map(Members::inside)
    }

    /// The members of what stands between braces.
    pub(super) fn inside(text: &'a str) -> Members<'a> {
        Members(Row::of(text))
    }

    /// The next member, which may well have the key `expected` ([`is_key`]); `None` where the text is not to be cut, and the end
    /// for who asks on.
    #[inline]
    pub(super) fn next(&mut self, expected: Option<&str>) -> Option<Member<'a>> {
        let next = self.0.member(expected);
        if next.is_none() {
            self.0 = Row::of("");
        }
        next
    }
}

/// The items of a list, in the order of the text.
pub(super) struct Items<'a>(Row<'a>);

impl<'a> Items<'a> {
    /// The items of what stands between brackets.
    pub(super) fn inside(text: &'a str) -> Items<'a> {
        Items(Row::of(text))
    }

    /// The next item, `Some(None)` behind the last one; `None` where the text is not to be cut, and the end for who asks on.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Option<Piece<'a>>> {
        let next = self.0.item();
        if next.is_none() {
            self.0 = Row::of("");
        }
        next
    }
}

/// What stands between two brackets, with commas between.
struct Row<'a> {
    text: &'a str,
    at: usize,
    /// Whether something has been cut already.
    begun: bool,
}

impl<'a> Row<'a> {
    fn of(text: &'a str) -> Row<'a> {
        Row { text, at: 0, begun: false }
    }

    #[inline]
    fn member(&mut self, expected: Option<&str>) -> Option<Member<'a>> {
        if self.is_over()? {
            return Some(Member::End);
        }
        let key = self.key(expected)?;
        self.skip_space();
        self.expect(b':')?;
        self.skip_space();
        Some(Member::Piece(key, self.value()?))
    }

    #[inline]
    fn item(&mut self) -> Option<Option<Piece<'a>>> {
        if self.is_over()? { Some(None) } else { self.value().map(Some) }
    }

    /// Whether nothing comes any more; otherwise what comes is next. `None` where there is no comma.
    #[inline]
    fn is_over(&mut self) -> Option<bool> {
        self.skip_space();
        if self.at == self.text.len() {
            return Some(true);
        }
        if self.begun {
            self.expect(b',')?;
            self.skip_space();
        }
        self.begun = true;
        Some(false)
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
        match self.string()? {
            Piece::Text(key) => Some(Some(key)),
            _ => None,
        }
    }

    #[inline]
    fn value(&mut self) -> Option<Piece<'a>> {
        match self.peek()? {
            b'"' => self.string(),
            b'[' => self.nested().map(Piece::List),
            b'{' => self.nested().map(Piece::Object),
            b'0'..=b'9' => self.number(),
            _ => self.word(0).map(Piece::Word),
        }
    }

    /// What stands between quotes.
    #[inline]
    fn string(&mut self) -> Option<Piece<'a>> {
        let start = self.at + 1;
        let rest = self.text.as_bytes().get(self.at..)?.strip_prefix(b"\"")?;
        let plain = plain_bytes(rest);
        let (end, is_escaped) = match *rest.get(plain)? {
            b'"' => (plain, false),
            b'\\' => (end_of_escaped(rest, plain)?, true),
            _ => return None,
        };
        self.at = start + end + 1;
        let text = self.text.get(start..start + end)?;
        Some(if is_escaped { Piece::Escaped(text) } else { Piece::Text(text) })
    }

    /// What stands between the bracket that is here and the one that closes it.
    fn nested(&mut self) -> Option<&'a str> {
        let (bytes, start) = (self.text.as_bytes(), self.at + 1);
        let close = if self.peek()? == b'[' { b']' } else { b'}' };
        let (mut at, mut inside) = (start, 0);
        loop {
            at +=
                bytes.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'[' | b']' | b'{' | b'}'))?;
            match *bytes.get(at)? {
                b'"' => {
                    self.at = at;
                    self.string()?;
                    at = self.at;
                    continue;
                }
                b'[' | b'{' if inside == MOST_LEVELS => return None,
                b'[' | b'{' => inside += 1,
                byte if inside == 0 => {
                    self.at = at + 1;
                    return (byte == close).then(|| self.text.get(start..at))?;
                }
                _ => inside -= 1,
            }
            at += 1;
        }
    }

    /// What begins with a digit.
    #[inline]
    fn number(&mut self) -> Option<Piece<'a>> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let (mut natural, mut digits) = (0, 0);
        for byte in rest.get(..PLAIN_NUMBER).unwrap_or(rest) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            natural = natural * 10 + u64::from(digit);
            digits += 1;
        }
        let is_led_by_zero = digits > 1 && rest.starts_with(b"0");
        if !is_led_by_zero && rest.get(digits).is_none_or(|byte| ends_word(*byte)) {
            self.at += digits;
            return Some(Piece::Natural(natural));
        }
        self.word(digits).map(Piece::Word)
    }

    /// What is neither string nor list nor object, and does not end before so many bytes.
    #[inline]
    fn word(&mut self, known: usize) -> Option<&'a str> {
        let rest = self.text.get(self.at..)?;
        let behind = rest.as_bytes().get(known..)?;
        let end = known + behind.iter().position(|byte| ends_word(*byte)).unwrap_or(behind.len());
        self.at += end;
        rest.get(..end).filter(|word| !word.is_empty())
    }
}

/// Where a string ends whose first backslash is at `at`.
#[inline(never)]
fn end_of_escaped(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += 2;
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text.get(at) == Some(&b'"') {
            return Some(at);
        }
    }
}

/// Whether a byte comes behind a value that is neither string nor list nor object.
fn ends_word(byte: u8) -> bool {
    byte == b',' || is_space(byte)
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

/// Whether a key stands in a text as it is, without an escape.
pub(super) fn is_key(name: &str) -> bool {
    plain_bytes(name.as_bytes()) == name.len()
}

/// White space of JSON (RFC 8259 §2).
fn is_space(byte: u8) -> bool {
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
             ,\"d\":true,\"e\":[\"\\n\"],\"f\":12 ,\"g\":012,\"h\":1234567890123456789,\"i\":{\"j\":{}, \"k\":[\"}\"]},\"l\":0}\n",
        );
        let expected = [
            ("a", Piece::Escaped("x,}\\\"")),
            ("b", Piece::List("1, \"]\" ")),
            ("c", Piece::Word("-1.5")),
            ("d", Piece::Word("true")),
            ("e", Piece::List("\"\\n\"")),
            ("f", Piece::Natural(12)),
            ("g", Piece::Word("012")),
            ("h", Piece::Word("1234567890123456789")),
            ("i", Piece::Object("\"j\":{}, \"k\":[\"}\"]")),
            ("l", Piece::Natural(0)),
        ];
        assert_eq!(cut.as_deref(), Some(&expected[..]));
        assert_eq!(pieces("{}"), Some(Vec::new()));
        assert_eq!(pieces("{\"bx\":1}"), Some(vec![("bx", Piece::Natural(1))]));
        assert_eq!(pieces("{\"é\":\"ü\"}"), Some(vec![("é", Piece::Text("ü"))]));
        assert_eq!(pieces("{\"b\":\"\\\\\\\\\"}"), Some(vec![("b", Piece::Escaped("\\\\\\\\"))]));
    }

    #[test]
    fn items_are_cut_where_they_end() {
        let cut = |text| {
            let mut items = Items::inside(text);
            std::iter::from_fn(|| match items.next() {
                Some(None) => None,
                item => Some(item.flatten()),
            })
            .collect::<Option<Vec<_>>>()
        };
        assert_eq!(cut(""), Some(vec![]));
        assert_eq!(cut(" "), Some(vec![]));
        let expected =
            [Piece::Natural(1), Piece::Text("a,"), Piece::Word("-2.5"), Piece::List(""), Piece::Object("")];
        assert_eq!(cut(" 1 ,\"a,\",-2.5,[] , {}").as_deref(), Some(&expected[..]));
        for text in [",", "1,", "1 2", ",1", "1,,2", "[", "[}", "\"", "\"a\" \"b\""] {
            assert_eq!(cut(text), None, "{text}");
        }
    }

    #[test]
    fn behind_what_is_not_to_be_cut_is_the_end() {
        let mut items = Items::inside("1 2, 3");
        assert_eq!(
            [items.next(), items.next(), items.next()],
            [Some(Some(Piece::Natural(1))), None, Some(None)]
        );
        let mut members = Members::inside("\"a\" 1, \"b\": 2");
        assert!(members.next(None).is_none() && matches!(members.next(None), Some(Member::End)));
    }

    #[test]
    fn brackets_may_stand_in_each_other_so_deep_and_no_deeper() {
        for (levels, is_cut) in [(MOST_LEVELS + 1, true), (MOST_LEVELS + 2, false)] {
            let text = format!("{{\"a\":{}{}}}", "[".repeat(levels), "]".repeat(levels));
            assert_eq!(pieces(&text).is_some(), is_cut, "{levels}");
        }
        assert!(pieces(&format!("{{\"a\":[{}]}}", vec!["[]"; 100].join(","))).is_some());
    }

    #[test]
    fn what_is_no_object_is_not_cut() {
        let texts = [
            "",
            "{",
            "[]",
            "5",
            "{}x",
            "{} {}",
            "\u{a0}{}",
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
            "{\"a\":\"x\"}}",
            "{\"a\":[}}",
            "{\"a\":[1}",
            "{\"a\":{]}",
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
