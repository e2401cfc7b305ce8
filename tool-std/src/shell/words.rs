//! Splits a command line into words and refuses, rather than passing on, everything a shell would have done with it.
//!
//! Pure. The rule is one table (shell.md §4): what a character means outside quotes, in `"…"` and in `'…'`. What the
//! splitter accepts means the same to `sh`: a test gives both the same lines.

use std::iter::Peekable;
use std::vec::IntoIter;

/// Why a line is not plain words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// A character that only a shell gives its meaning to.
    NeedsShell {
        /// The character.
        seen: char,
        /// Its place, counted in characters from 1.
        position: usize,
    },
    /// A quote that is never closed, or a backslash at the end.
    Unbalanced {
        /// The quote or the backslash.
        seen: char,
        /// Its place, counted in characters from 1.
        position: usize,
    },
}

/// The words of a line.
///
/// # Errors
/// The first [`Misfit`] from the left.
pub fn split(line: &str) -> Result<Vec<String>, Misfit> {
    let numbered: Vec<(usize, char)> = line.chars().enumerate().map(|(at, c)| (at + 1, c)).collect();
    let mut splitter = Splitter { rest: numbered.into_iter().peekable(), words: Vec::new(), word: None };
    splitter.run()?;
    Ok(splitter.words)
}

struct Splitter {
    rest: Peekable<IntoIter<(usize, char)>>,
    words: Vec<String>,
    word: Option<Word>,
}

/// A word that has begun.
#[derive(Default)]
struct Word {
    text: String,
    /// Some of it was quoted or escaped, so that it is no assignment.
    quoted: bool,
}

impl Splitter {
    fn run(&mut self) -> Result<(), Misfit> {
        while let Some((position, seen)) = self.rest.next() {
            match seen {
                ' ' | '\t' => self.end_word(),
                '\'' => self.single_quoted(position)?,
                '"' => self.double_quoted(position)?,
                '\\' => self.escape(position)?,
                _ if self.needs_shell(seen) => return Err(Misfit::NeedsShell { seen, position }),
                _ => self.word().text.push(seen),
            }
        }
        self.end_word();
        Ok(())
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take().map(|word| word.text));
    }

    /// Whether a character outside quotes would be more than itself to a shell.
    fn needs_shell(&mut self, seen: char) -> bool {
        match seen {
            '$' => !self.next_is(&[' ', '\t', '\n']),
            '`' | '|' | '&' | ';' | '<' | '>' | '(' | ')' | '\n' | '\r' | '*' | '?' => true,
            '[' => self.word.is_some() || !self.next_is(&[' ', '\t']),
            '~' | '#' => self.word.is_none(),
            '=' => self.words.is_empty() && self.word.as_ref().is_some_and(Word::is_name),
            _ => false,
        }
    }

    /// Whether the line ends here or goes on with one of these.
    fn next_is(&mut self, any: &[char]) -> bool {
        self.rest.peek().is_none_or(|(_, next)| any.contains(next))
    }

    fn single_quoted(&mut self, start: usize) -> Result<(), Misfit> {
        self.word().quoted = true;
        loop {
            match self.rest.next() {
                Some((_, '\'')) => return Ok(()),
                Some((_, seen)) => self.word().text.push(seen),
                None => return Err(Misfit::Unbalanced { seen: '\'', position: start }),
            }
        }
    }

    fn double_quoted(&mut self, start: usize) -> Result<(), Misfit> {
        self.word().quoted = true;
        loop {
            match self.rest.next() {
                Some((_, '"')) => return Ok(()),
                Some((_, '\\')) => self.escape_in_double_quotes(),
                Some((position, seen @ '`')) => return Err(Misfit::NeedsShell { seen, position }),
                Some((position, seen @ '$')) if !self.next_is(&['"', ' ', '\t', '\n']) => {
                    return Err(Misfit::NeedsShell { seen, position });
                }
                Some((_, seen)) => self.word().text.push(seen),
                None => return Err(Misfit::Unbalanced { seen: '"', position: start }),
            }
        }
    }

    fn escape(&mut self, position: usize) -> Result<(), Misfit> {
        match self.rest.next() {
            Some((_, '\n')) => Ok(()),
            Some((_, seen)) => {
                let word = self.word();
                word.quoted = true;
                word.text.push(seen);
                Ok(())
            }
            None => Err(Misfit::Unbalanced { seen: '\\', position }),
        }
    }

    /// A backslash in `"…"` escapes only what is special there; before anything else it is itself.
    fn escape_in_double_quotes(&mut self) {
        match self.rest.peek().map(|(_, next)| *next) {
            Some('\n') => {
                self.rest.next();
            }
            Some(next @ ('$' | '`' | '"' | '\\')) => {
                self.rest.next();
                self.word().text.push(next);
            }
            _ => self.word().text.push('\\'),
        }
    }
}

impl Word {
    /// Whether `=` behind it would make it an assignment.
    fn is_name(&self) -> bool {
        let mut characters = self.text.chars();
        !self.quoted
            && characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
            && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;

    fn words(line: &str) -> Vec<String> {
        split(line).unwrap()
    }

    #[test]
    fn quotes_and_escapes_make_words() {
        assert_eq!(words(r#"printf "%s|" a "b c" 'd e' f\ g"#), ["printf", "%s|", "a", "b c", "d e", "f g"]);
        assert_eq!(words("ec\\\nho \"\" ''x"), ["echo", "", "x"]);
        assert_eq!(words("[ a = b ]"), ["[", "a", "=", "b", "]"]);
        assert_eq!(words("  \t "), [""; 0]);
    }

    #[test]
    fn what_a_shell_would_do_is_refused_at_its_place_and_passes_when_quoted() {
        for (line, seen, position) in [
            ("ls | wc", '|', 4),
            ("ls *.rs", '*', 4),
            ("A=1 env", '=', 2),
            ("echo $HOME", '$', 6),
            ("cat < f", '<', 5),
            ("ls [a]", '[', 4),
            ("#x", '#', 1),
        ] {
            assert_eq!(split(line), Err(Misfit::NeedsShell { seen, position }), "{line}");
            assert!(split(&line.replace(seen, &format!("'{seen}'"))).is_ok(), "{line}");
        }
    }

    #[test]
    fn an_open_quote_is_named_by_its_place() {
        assert_eq!(split("echo \"a"), Err(Misfit::Unbalanced { seen: '"', position: 6 }));
        assert_eq!(split("'"), Err(Misfit::Unbalanced { seen: '\'', position: 1 }));
        assert_eq!(split("a\\"), Err(Misfit::Unbalanced { seen: '\\', position: 2 }));
        assert_eq!(words("echo \"a\""), ["echo", "a"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(tool_trials::cases()))]

        #[test]
        fn quoting_words_and_splitting_gives_them_back(
            list in prop::collection::vec("[^\0]{0,12}", 0..6)
        ) {
            let line: Vec<String> =
                list.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
            prop_assert_eq!(split(&line.join(" ")).unwrap(), list);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(tool_trials::cases()))]
        #[test]
        fn what_is_accepted_means_the_same_to_sh(
            line in "([a-c=$'\"\\\\ \t*?~#\\[\\]{}!,:]|\\\\\n|é){0,14}"
        ) {
            let Ok(words) = split(&line) else { return Ok(()) };
            let directory = tool_trials::directory();
            let script = format!("printf '%s\\0' {line}");
            let output = Command::new("/bin/sh")
                .args(["-c", &script])
                .env_clear()
                .current_dir(directory.path())
                .output()
                .unwrap();
            let mut expected: Vec<u8> = words.iter().flat_map(|word| [word.as_bytes(), b"\0"].concat()).collect();
            if words.is_empty() {
                expected.push(0);
            }
            prop_assert_eq!(output.stdout, expected, "{:?}", line);
        }
    }
}
