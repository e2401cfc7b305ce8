//! Text that was meant to be JSON, made JSON: what anybody does who is told that it is not.
//!
//! Words and fences around it, comments, trailing commas, single quotes, bare keys, the constants of Python, brackets
//! that were not closed. It is a rewriting of the text; what is still wrong afterwards stays wrong.

use serde_json::Value;

/// The object or array in a text; `None` where there is none.
pub(crate) fn tidied(text: &str) -> Option<Value> {
    let start = text.find(['{', '['])?;
    let rewritten = Rewrite::new(text.get(start..)?).run();
    serde_json::from_str(&rewritten).ok()
}

struct Rewrite<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    out: String,
    /// The brackets that must still be closed.
    open: Vec<char>,
}

impl<'a> Rewrite<'a> {
    fn new(text: &'a str) -> Self {
        Rewrite { rest: text.chars().peekable(), out: String::with_capacity(text.len()), open: Vec::new() }
    }

    fn run(mut self) -> String {
        while let Some(character) = self.rest.next() {
            match character {
                '"' | '\'' | '“' | '”' => self.string(character),
                '{' | '[' => {
                    self.open.push(if character == '{' { '}' } else { ']' });
                    self.out.push(character);
                }
                '}' | ']' => {
                    self.drop_comma();
                    self.open.pop();
                    self.out.push(character);
                    if self.open.is_empty() {
                        return self.out;
                    }
                }
                '/' if matches!(self.rest.peek(), Some('/' | '*')) => self.comment(),
                _ if character.is_alphabetic() || character == '_' => self.word(character),
                _ => self.out.push(character),
            }
        }
        self.drop_comma();
        while let Some(bracket) = self.open.pop() {
            self.out.push(bracket);
        }
        self.out
    }

    fn drop_comma(&mut self) {
        let kept = self.out.trim_end().trim_end_matches(',').len();
        self.out.truncate(kept);
    }

    fn string(&mut self, quote: char) {
        let end = if quote == '“' { '”' } else { quote };
        self.out.push('"');
        while let Some(character) = self.rest.next() {
            match character {
                '\\' => match self.rest.next() {
                    Some('\'') => self.out.push('\''),
                    Some(escaped) => self.out.extend(['\\', escaped]),
                    None => {}
                },
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                '"' if end != '"' => self.out.push_str("\\\""),
                _ if character == end => break,
                _ => self.out.push(character),
            }
        }
        self.out.push('"');
    }

    fn comment(&mut self) {
        let is_line = self.rest.next() == Some('/');
        let mut before = ' ';
        for character in self.rest.by_ref() {
            if (is_line && character == '\n') || (!is_line && before == '*' && character == '/') {
                break;
            }
            before = character;
        }
    }

    /// A constant of some language, or a key without quotes. The exponent of a number is neither.
    fn word(&mut self, first: char) {
        if self.out.ends_with(|last: char| last.is_ascii_digit() || last == '.') {
            self.out.push(first);
            return;
        }
        let mut word = String::from(first);
        while let Some(next) = self.rest.next_if(|next| next.is_alphanumeric() || matches!(next, '_' | '-')) {
            word.push(next);
        }
        match word.as_str() {
            "true" | "True" | "TRUE" => self.out.push_str("true"),
            "false" | "False" | "FALSE" => self.out.push_str("false"),
            "null" | "None" | "undefined" | "nil" => self.out.push_str("null"),
            _ => self.out.push_str(&Value::from(word).to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::tidied;
    use serde_json::json;

    #[test]
    fn what_was_meant_as_json_becomes_json() {
        for text in [
            "```json\n{\"a\": [1, true], \"b\": \"it's\"}\n```",
            "Here it is: {\"a\": [1, true,], \"b\": \"it's\",}",
            "{'a': [1, True], 'b': 'it\\'s'}",
            "{a: [1, true], // one\n b: \"it's\"}",
            "{\"a\": [1, true], \"b\": \"it's\"",
        ] {
            assert_eq!(tidied(text), Some(json!({"a": [1, true], "b": "it's"})), "{text}");
        }
        assert_eq!(tidied("{\"a\": 1e3}"), Some(json!({"a": 1e3})));
        assert_eq!(tidied("no object"), None);
    }
}
