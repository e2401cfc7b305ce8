//! Git's configuration files, read as git reads them (git-config(1), "Syntax"; `config.c` of git 2.47).
//!
//! Pure, and strict: what git itself would refuse, or what readers disagree on, is not understood. Whoever asks takes a file
//! that is not understood for one that names programs ([`super::git_programs`]).

/// Some editors begin a file with it, and git skips it.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One variable, `section.subsection.key`; the names that git compares without case are in lower case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Variable {
    pub(super) section: String,
    pub(super) subsection: Option<Vec<u8>>,
    pub(super) key: String,
    /// None for a key alone, which means true.
    pub(super) value: Option<Vec<u8>>,
}

/// The variables of a file, in order; `None` when it is not understood to its end.
pub(super) fn parse(text: &[u8]) -> Option<Vec<Variable>> {
    // Where a NUL is, some readers end.
    if text.contains(&0) {
        return None;
    }
    let mut reader = Reader { rest: text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text) };
    let mut section: Option<(String, Option<Vec<u8>>)> = None;
    let mut variables = Vec::new();
    loop {
        match reader.next() {
            None => return Some(variables),
            Some(b'#' | b';') => reader.skip_comment(),
            Some(b'[') => section = Some(reader.header()?),
            Some(byte) if is_space(byte) => {}
            Some(byte) if byte.is_ascii_alphabetic() => {
                let (section, subsection) = section.clone()?;
                let (key, value) = reader.variable(byte)?;
                variables.push(Variable { section, subsection, key, value });
            }
            Some(_) => return None,
        }
    }
}

/// The bytes that are left; a line ends with a newline, with or without a carriage return before it.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn next(&mut self) -> Option<u8> {
        if let Some(rest) = self.rest.strip_prefix(b"\r\n") {
            self.rest = rest;
            return Some(b'\n');
        }
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// The next byte; the end of the file ends a line too.
    fn in_line(&mut self) -> u8 {
        self.next().unwrap_or(b'\n')
    }

    fn skip_comment(&mut self) {
        while self.in_line() != b'\n' {}
    }

    /// What stands in brackets: `core`, `diff "any \"text\""`, or `diff.text` as it once was written.
    fn header(&mut self) -> Option<(String, Option<Vec<u8>>)> {
        let mut name = String::new();
        loop {
            match self.next()? {
                b']' => break,
                byte if byte == b'.' || is_name(byte) => name.push(char::from(byte.to_ascii_lowercase())),
                b' ' | b'\t' => return Some((name, Some(self.subsection()?))),
                _ => return None,
            }
        }
        match name.split_once('.') {
            None if name.is_empty() => None,
            None => Some((name, None)),
            Some((section, subsection)) => Some((section.to_owned(), Some(subsection.as_bytes().to_vec()))),
        }
    }

    /// The quoted part of a header, and the bracket behind it.
    fn subsection(&mut self) -> Option<Vec<u8>> {
        loop {
            match self.next()? {
                b' ' | b'\t' => {}
                b'"' => break,
                _ => return None,
            }
        }
        let mut text = Vec::new();
        loop {
            match self.next()? {
                b'\n' => return None,
                b'"' => break,
                b'\\' => text.push(self.next().filter(|byte| *byte != b'\n')?),
                byte => text.push(byte),
            }
        }
        (self.next()? == b']').then_some(text)
    }

    /// A key that begins with a letter, and its value.
    fn variable(&mut self, first: u8) -> Option<(String, Option<Vec<u8>>)> {
        let mut key = String::from(char::from(first.to_ascii_lowercase()));
        let mut byte = self.in_line();
        while is_name(byte) {
            key.push(char::from(byte.to_ascii_lowercase()));
            byte = self.in_line();
        }
        while matches!(byte, b' ' | b'\t') {
            byte = self.in_line();
        }
        match byte {
            b'\n' => Some((key, None)),
            b'=' => Some((key, Some(self.value()?))),
            _ => None,
        }
    }

    /// The rest of a line, and of those that it is continued on: quotes and comments are taken out.
    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        // White space at the end, outside quotes, is none of it.
        let mut end = 0;
        let mut is_quoted = false;
        loop {
            match self.in_line() {
                b'\n' if is_quoted => return None,
                b'\n' => break,
                b'"' => {
                    is_quoted = !is_quoted;
                    end = value.len();
                }
                b'#' | b';' if !is_quoted => {
                    self.skip_comment();
                    break;
                }
                b'\\' => {
                    match self.next()? {
                        b'\n' => continue,
                        b't' => value.push(b'\t'),
                        b'n' => value.push(b'\n'),
                        b'b' => value.push(8),
                        byte @ (b'\\' | b'"') => value.push(byte),
                        _ => return None,
                    }
                    end = value.len();
                }
                byte if is_space(byte) && !is_quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                }
                byte => {
                    value.push(byte);
                    end = value.len();
                }
            }
        }
        value.truncate(end);
        Some(value)
    }
}

/// What git calls white space.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// What names of sections and keys are made of.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each variable as `git config --list` has it.
    fn listed(text: &[u8]) -> Option<Vec<String>> {
        let line = |variable: &Variable| {
            let subsection = variable.subsection.as_ref().map(|name| String::from_utf8_lossy(name));
            let middle = subsection.map(|name| format!("{name}.")).unwrap_or_default();
            let value = variable.value.as_ref().map(|value| String::from_utf8_lossy(value));
            let value = value.map(|value| format!("={value}")).unwrap_or_default();
            format!("{}.{middle}{}{value}", variable.section, variable.key)
        };
        Some(parse(text)?.iter().map(line).collect())
    }

    /// What is understood, with what git makes of it.
    const UNDERSTOOD: [(&[u8], &[&str]); 14] = [
        (b"", &[]),
        (b"\xef\xbb\xbf[core]\n\tpager = x\n", &["core.pager=x"]),
        (b"[core]fsmonitor=\"touch X; echo ]\"", &["core.fsmonitor=touch X; echo ]"]),
        (b"[core] ; ]\nfsmonitor = x", &["core.fsmonitor=x"]),
        (b"[core] # ]\r\nfsmonitor = x\r\n", &["core.fsmonitor=x"]),
        (b"[CORE] HooksPath=x # y", &["core.hookspath=x"]),
        (b"[user][core]\nbare\n", &["core.bare"]),
        (b"[diff \"a]\\\"b\"]\ncommand = x", &["diff.a]\"b.command=x"]),
        (b"[diff.X.y] command=z", &["diff.x.y.command=z"]),
        (b"[diff\t  \"X\"]\n\t command\t=z", &["diff.X.command=z"]),
        (b"[a]\nb = c\\\n d \"  e  \" ; f", &["a.b=c d   e  "]),
        (b"[a]\nb = \"#;\" c\\\"\\\\\\t\n", &["a.b=#; c\"\\\t"]),
        (b"[a]\nb = c # x\\\nd = e", &["a.b=c", "a.d=e"]),
        (b"[a]\nb =\nc = \"\"\n", &["a.b=", "a.c="]),
    ];

    /// What no two readers need to agree on.
    const NOT_UNDERSTOOD: [&[u8]; 17] = [
        b"[core",
        b"[core\nfsmonitor = x",
        b"[core\r]\nfsmonitor = x",
        b"[co_re]\na = b",
        b"[]\na = b",
        b"[core \"x]\na = b",
        b"[core \"x\" ]\na = b",
        b"[core \"x\\\n\"]\na = b",
        b"[core 'x']\na = b",
        b"a = b",
        b"[core]\na_b = c",
        b"[core]\n= c",
        b"[core]\na : b",
        b"[core]\na = \"b\nc",
        b"[core]\na = b\\x",
        b"[core]\na = b\0c",
        b"[core]\n\xef\xbb\xbfpager = x",
    ];

    #[test]
    fn what_git_reads_is_read_as_git_does() {
        for (text, expected) in UNDERSTOOD {
            assert_eq!(listed(text).unwrap(), expected, "{}", String::from_utf8_lossy(text));
        }
        for text in NOT_UNDERSTOOD {
            assert_eq!(listed(text), None, "{}", String::from_utf8_lossy(text));
        }
    }

    /// Whatever git takes from a file is found here too: git itself is asked.
    #[test]
    fn git_itself_reads_the_same_or_nothing() {
        let directory = tool_trials::directory();
        let file = directory.path().join("config");
        for text in UNDERSTOOD.iter().map(|row| row.0).chain(NOT_UNDERSTOOD) {
            std::fs::write(&file, text).unwrap();
            let mut git = std::process::Command::new("git");
            git.args(["config", "--null", "--list", "--file"]).arg(&file);
            let Ok(output) = git.output() else { return tool_trials::skip("no git") };
            let shown = String::from_utf8_lossy(text);
            let Some(ours) = listed(text) else { continue };
            let theirs: Vec<String> = String::from_utf8_lossy(&output.stdout)
                .split_terminator('\0')
                .map(|line| line.replacen('\n', "=", 1))
                .collect();
            assert!(output.status.success(), "{shown}");
            assert_eq!(ours, theirs, "{shown}");
        }
    }
}
