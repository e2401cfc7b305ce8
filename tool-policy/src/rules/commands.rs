//! `allowed_commands` and `denied_commands`: a program with its arguments, or a shell line that is nothing but plain words.

use super::{Finding, Lists, Names, Refusal, shown};
use crate::shell_words;

pub(crate) const NAMES: Names = Names {
    allowed: "allowed_commands",
    denied: "denied_commands",
    code_allowed: "command_not_allowed",
    code_denied: "command_denied",
};

/// A pattern of commands.
#[derive(Clone, Debug)]
pub(crate) struct CommandPattern {
    program: String,
    /// `None` for any arguments.
    args: Option<Vec<String>>,
    /// Whether further arguments may follow.
    open: bool,
}

impl CommandPattern {
    /// Reads a pattern; says why it is none.
    pub(crate) fn parse(text: &str) -> Result<CommandPattern, String> {
        let words = shell_words::split(text).ok_or_else(|| "a quote is left open".to_owned())?;
        let Some((program, args)) = words.split_first() else { return Err("it is empty".to_owned()) };
        if program.contains(['*', '?']) {
            return Err("the program is named exactly".to_owned());
        }
        if program.is_empty() || (program.contains('/') && !program.starts_with('/')) {
            return Err("a program is a name, or an absolute path".to_owned());
        }
        let open = args.last().is_some_and(|last| last == "*");
        let fixed = args.get(..args.len() - usize::from(open)).unwrap_or_default().to_vec();
        let args = (!args.is_empty()).then_some(fixed);
        Ok(CommandPattern { program: program.clone(), args, open })
    }

    /// The program, where any arguments may follow it.
    pub(crate) fn wide_program(&self) -> Option<&str> {
        let any = self.args.as_ref().is_none_or(|args| args.is_empty() && self.open);
        any.then(|| base(&self.program))
    }

    fn matches(&self, program: &str, args: &[String], denies: bool) -> bool {
        let named = self.program == program || denies && base(&self.program) == base(program);
        named
            && self.args.as_ref().is_none_or(|wanted| {
                let enough = if self.open { args.len() >= wanted.len() } else { args.len() == wanted.len() };
                enough && wanted.iter().zip(args).all(|(glob, arg)| tool_core::glob_matches(glob, arg))
            })
    }
}

fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

impl Lists<CommandPattern> {
    /// Judges a program with its arguments.
    pub(crate) fn judge_command(&self, pointer: String, program: &str, args: &[String]) -> Finding {
        let line =
            std::iter::once(program).chain(args.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
        let denies = |pattern: &CommandPattern| pattern.matches(program, args, true);
        let allows = |pattern: &CommandPattern| pattern.matches(program, args, false);
        let (rule, refusal) = self.judge(&NAMES, &format!("command {}", shown(&line)), denies, allows);
        Finding { rule: rule.to_owned(), pointer, refusal }
    }

    /// Judges a shell line.
    pub(crate) fn judge_line(&self, pointer: String, line: &str) -> Finding {
        match shell_words::plain_line(line) {
            Some(words) => {
                let (program, args) =
                    words.split_first().map_or(("", &[][..]), |(first, rest)| (first, rest));
                self.judge_command(pointer, program, args)
            }
            None => {
                let text = format!("line {} is more than plain words", shown(line));
                let refusal = Some(Refusal::denied("command_not_parsable", text));
                Finding { rule: NAMES.allowed.to_owned(), pointer, refusal }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

    use super::CommandPattern;

    #[test]
    fn a_pattern_is_wide_where_any_arguments_may_follow_its_program() {
        for (pattern, wide) in [
            ("git", Some("git")),
            ("git *", Some("git")),
            ("/usr/bin/git", Some("git")),
            ("git status", None),
            ("git status *", None),
        ] {
            assert_eq!(CommandPattern::parse(pattern).unwrap().wide_program(), wide, "{pattern}");
        }
    }
}
