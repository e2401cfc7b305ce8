//! What stands outside the command line: standard input, read at most once, and the files that a word names.
//!
//! Nothing is opened that no `@`, `-` or `-file` asked for.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use tool_core::IssueCode;
use tool_core::args::shown_name;

use crate::fault::{Fault, text};
use crate::io::Terminal;
use crate::visible::visible;

/// Where words are read from.
pub(crate) struct Sources<'a> {
    /// Standard input.
    pub(crate) stdin: &'a mut (dyn Read + Send),
    /// Whether it is a terminal.
    pub(crate) stdin_is_terminal: bool,
    /// Whether nobody may be asked for anything.
    pub(crate) no_input: bool,
    /// The controlling terminal, if there is one.
    pub(crate) terminal: Option<&'a mut (dyn Terminal + 'static)>,
    /// Where a person is told what is waited for; nowhere with `--quiet`.
    pub(crate) notes: Option<&'a mut (dyn Write + Send)>,
    /// Directory of relative files.
    pub(crate) cwd: &'a Path,
    /// Most bytes of one source.
    pub(crate) limit: usize,
}

/// What a word stands for where sources are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word<'w> {
    /// Itself.
    Plain(&'w str),
    /// `-`.
    Stdin,
    /// `@FILE`.
    File(&'w str),
}

impl<'w> Word<'w> {
    /// A word of JSON: no JSON text begins with `@`, and none is `-`.
    pub(crate) fn json(word: &'w str) -> Word<'w> {
        match word.strip_prefix('@') {
            _ if word == "-" => Word::Stdin,
            Some(file) => Word::File(file),
            None => Word::Plain(word),
        }
    }

    /// A word of text: `@@x` is the text `@x`.
    pub(crate) fn text(word: &'w str) -> Word<'w> {
        match word.strip_prefix('@') {
            Some(rest) if rest.starts_with('@') => Word::Plain(rest),
            _ => Word::json(word),
        }
    }
}

impl Sources<'_> {
    /// The bytes of a source; `typed` is the word that named it, behind `flag`.
    pub(crate) fn bytes(&mut self, word: Word<'_>, typed: &str, flag: &str) -> Result<Vec<u8>, Box<Fault>> {
        match word {
            Word::Plain(plain) => Ok(plain.as_bytes().to_vec()),
            Word::File(file) => self.file(OsStr::new(file), typed),
            Word::Stdin => {
                self.may_ask()?;
                self.tell_waiting(flag);
                read(self.stdin, self.limit).map_err(|why| unreadable("-", "standard input", &why))
            }
        }
    }

    /// The text of a source, byte for byte.
    pub(crate) fn text(&mut self, word: Word<'_>, typed: &str, flag: &str) -> Result<String, Box<Fault>> {
        let bytes = self.bytes(word, typed, flag)?;
        String::from_utf8(bytes).map_err(|error| not_utf8(typed, error.utf8_error().valid_up_to()))
    }

    /// The text of a whole argument object. One that is too large is cut just behind the limit, so that the decoder
    /// refuses it for its size.
    pub(crate) fn arguments(
        &mut self,
        word: Word<'_>,
        typed: &str,
        flag: &str,
    ) -> Result<String, Box<Fault>> {
        let limit = self.limit;
        let most = limit.saturating_add(1);
        let bytes = match word {
            Word::Plain(_) => self.bytes(word, typed, flag)?,
            Word::File(file) => self.opened(OsStr::new(file), typed, |from| read_up_to(from, most))?,
            Word::Stdin => {
                self.may_ask()?;
                self.tell_waiting(flag);
                read_up_to(self.stdin, most).map_err(|why| unreadable("-", "standard input", &why))?
            }
        };
        if bytes.len() > limit {
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        String::from_utf8(bytes).map_err(|error| not_utf8(typed, error.utf8_error().valid_up_to()))
    }

    /// Asks a person for a secret, without echo; `None` where nobody can be asked, or nothing was typed.
    pub(crate) fn secret(&mut self, name: &str) -> Option<String> {
        let terminal = self.terminal.as_mut().filter(|_| !self.no_input)?;
        let answer = terminal.ask_hidden(&format!("{}: ", visible(name))).ok()??;
        Some(answer.trim_end_matches(['\r', '\n']).to_owned()).filter(|secret| !secret.is_empty())
    }

    /// A secret from standard input: asked for without echo, where that is a terminal.
    pub(crate) fn secret_of_stdin(&mut self, name: &str, flag: &str) -> Result<Vec<u8>, Box<Fault>> {
        if !self.stdin_is_terminal || self.terminal.is_none() {
            return self.bytes(Word::Stdin, "-", flag);
        }
        self.may_ask()?;
        Ok(self.secret(name).unwrap_or_default().into_bytes())
    }

    /// Refuses standard input where that is a person who must not be asked.
    fn may_ask(&self) -> Result<(), Box<Fault>> {
        if self.stdin_is_terminal && self.no_input { Err(asks_somebody()) } else { Ok(()) }
    }

    /// Tells a person at a terminal that the program waits for typing.
    fn tell_waiting(&mut self, flag: &str) {
        if let Some(notes) = self.notes.as_mut().filter(|_| self.stdin_is_terminal) {
            let _ = notes.write_all(waiting(flag).as_bytes());
        }
    }

    /// The bytes of a file, relative to the working directory.
    pub(crate) fn file(&self, path: &OsStr, typed: &str) -> Result<Vec<u8>, Box<Fault>> {
        self.opened(path, typed, |from| read(from, self.limit))
    }

    /// What is read from a file, relative to the working directory.
    fn opened(
        &self,
        path: &OsStr,
        typed: &str,
        read: impl FnOnce(&mut dyn Read) -> Result<Vec<u8>, String>,
    ) -> Result<Vec<u8>, Box<Fault>> {
        let mut file = open(path, typed, self.cwd)?;
        read(&mut file).map_err(|why| unreadable(typed, &quoted(path), &why))
    }
}

/// The fault of standard input where that is a person who must not be asked.
pub(crate) fn asks_somebody() -> Box<Fault> {
    let fault = Fault::new(IssueCode::Invalid, "standard input once", text("-"));
    Box::new(fault.hint("standard input is a terminal and --no-input is set"))
}

/// What a person at a terminal is told while the program waits for typing.
pub(crate) fn waiting(flag: &str) -> String {
    format!("reading {flag} from standard input; end with Ctrl-D\n")
}

/// Opens a file to read, relative to the working directory. `typed` is the word that named it.
pub(crate) fn open(path: &OsStr, typed: &str, cwd: &Path) -> Result<File, Box<Fault>> {
    if path.is_empty() {
        return Err(unreadable(typed, "a file without a name", "name one"));
    }
    let file = File::open(cwd.join(path)).map_err(|error| unreadable_file(path, typed, &error))?;
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            Err(unreadable_file(path, typed, &io::ErrorKind::IsADirectory.into()))
        }
        _ => Ok(file),
    }
}

/// The fault of words that are not text.
pub(crate) fn not_utf8(typed: &str, valid: usize) -> Box<Fault> {
    let fault = Fault::new(IssueCode::Invalid, "UTF-8 text", text(typed));
    Box::new(fault.hint(format!("not UTF-8 at byte {valid}")))
}

/// The fault of a word that is not text.
pub(crate) fn no_text(word: &OsStr) -> Fault {
    let valid = word.as_encoded_bytes().utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
    *not_utf8(&word.to_string_lossy(), valid)
}

/// The fault of a file that cannot be read.
pub(crate) fn unreadable_file(path: &OsStr, typed: &str, error: &io::Error) -> Box<Fault> {
    unreadable(typed, &quoted(path), &reason(error))
}

fn quoted(path: &OsStr) -> String {
    format!("'{}'", shown_name(&path.to_string_lossy()))
}

fn unreadable(typed: &str, what: &str, why: &str) -> Box<Fault> {
    let fault = Fault::new(IssueCode::Invalid, "a readable file", text(typed));
    Box::new(fault.hint(format!("cannot read {what}: {why}")))
}

fn read(from: &mut dyn Read, limit: usize) -> Result<Vec<u8>, String> {
    let bytes = read_up_to(from, limit.saturating_add(1))?;
    if bytes.len() > limit { Err(format!("it is larger than {limit} bytes")) } else { Ok(bytes) }
}

fn read_up_to(from: &mut dyn Read, most: usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let most = u64::try_from(most).unwrap_or(u64::MAX);
    from.take(most).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
    Ok(bytes)
}

/// Why a file cannot be read, in words that do not depend on the platform.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        kind => kind.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources<'a>(stdin: &'a mut (dyn Read + Send), cwd: &'a Path) -> Sources<'a> {
        Sources {
            stdin,
            stdin_is_terminal: false,
            no_input: false,
            terminal: None,
            notes: None,
            cwd,
            limit: 8,
        }
    }

    #[test]
    fn a_doubled_at_sign_is_text_and_a_single_one_names_a_file() {
        assert_eq!(Word::text("@@x"), Word::Plain("@x"));
        assert_eq!(Word::text("@x"), Word::File("x"));
        assert_eq!(Word::json("@@x"), Word::File("@x"));
        assert_eq!(Word::text("-"), Word::Stdin);
        assert_eq!(Word::text("-5"), Word::Plain("-5"));
    }

    #[test]
    fn a_source_within_the_limit_is_read_whole_and_a_larger_one_refused() {
        let mut stdin: &[u8] = b"12345678";
        assert_eq!(sources(&mut stdin, Path::new("/")).text(Word::Stdin, "-", "--x").unwrap(), "12345678");
        let mut stdin: &[u8] = b"123456789";
        let fault = sources(&mut stdin, Path::new("/")).text(Word::Stdin, "-", "--x").unwrap_err();
        assert_eq!(fault.issue.hint.unwrap(), "cannot read standard input: it is larger than 8 bytes");
    }

    #[test]
    fn a_directory_and_an_absent_file_are_told_apart() {
        let mut stdin = io::empty();
        let sources = sources(&mut stdin, Path::new("/"));
        let hint = |name: &str| sources.file(OsStr::new(name), name).unwrap_err().issue.hint.unwrap();
        assert_eq!(hint("tmp"), "cannot read 'tmp': it is a directory");
        assert_eq!(hint("no-such"), "cannot read 'no-such': no such file");
    }

    #[test]
    fn bytes_that_are_no_text_are_named_by_place() {
        let mut stdin: &[u8] = b"ok\xff";
        let fault = sources(&mut stdin, Path::new("/")).text(Word::Stdin, "-", "--x").unwrap_err();
        assert_eq!(fault.issue.hint.unwrap(), "not UTF-8 at byte 2");
    }

    #[test]
    fn a_person_at_a_terminal_is_told_that_typing_is_waited_for() {
        let mut told: Vec<u8> = Vec::new();
        let mut stdin: &[u8] = b"typed";
        let mut at_terminal = Sources {
            stdin_is_terminal: true,
            notes: Some(&mut told),
            ..sources(&mut stdin, Path::new("/"))
        };
        assert_eq!(at_terminal.text(Word::Stdin, "-", "--body").unwrap(), "typed");
        assert_eq!(told, b"reading --body from standard input; end with Ctrl-D\n");
    }

    #[test]
    fn standard_input_is_refused_at_a_terminal_where_nobody_may_be_asked() {
        let mut stdin: &[u8] = b"typed";
        let mut refused =
            Sources { stdin_is_terminal: true, no_input: true, ..sources(&mut stdin, Path::new("/")) };
        let fault = refused.text(Word::Stdin, "-", "--body").unwrap_err();
        assert_eq!(fault.issue.hint.unwrap(), "standard input is a terminal and --no-input is set");
        let mut stdin: &[u8] = b"piped";
        let mut piped = Sources { no_input: true, ..sources(&mut stdin, Path::new("/")) };
        assert_eq!(piped.text(Word::Stdin, "-", "--body").unwrap(), "piped");
    }
}
