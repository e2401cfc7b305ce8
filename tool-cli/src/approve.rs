//! The person at the controlling terminal, asked before a destructive tool runs. (cli.md §9)
//!
//! When to ask is the executor's business; here is how: every argument, what a terminal would act upon escaped, secrets hidden.
//! Standard input is never the answer.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::Value;
use tokio::sync::oneshot;
use tool_core::{ApprovalRequest, Approver, Behavior, BoxFuture, Decision};
use unicode_width::UnicodeWidthChar as _;

use crate::flags::Table;
use crate::io::Terminal;
use crate::progress::Progress;
use crate::visible::visible;

/// A question shows at most this many lines of arguments, unless the person asks for all.
pub(crate) const PROMPT_LINES: usize = 40;

/// Least columns of a value.
const VALUE_MIN: usize = 20;

/// What helps where the terminal has ended before an answer.
const NO_ANSWER: &str = "answer at the terminal, or run with --yes";

/// `--yes`: consent that was given with the command itself.
#[derive(Debug)]
pub(crate) struct Yes;

impl Approver for Yes {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(std::future::ready(Decision::AllowOnce))
    }

    fn asks(&self, _: &ApprovalRequest<'_>) -> bool {
        false
    }

    fn name(&self) -> &str {
        "flag"
    }
}

/// The person at the terminal.
pub(crate) struct Person {
    pub(crate) terminal: Arc<Mutex<Box<dyn Terminal>>>,
    /// The tool that was asked for, and its command line.
    pub(crate) tool: String,
    pub(crate) command: String,
    pub(crate) table: Table,
    pub(crate) columns: usize,
    pub(crate) progress: Option<Progress>,
}

impl Approver for Person {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        let own = request.tool.name() == self.tool;
        let question = Question {
            what: if own { &self.command } else { request.tool.name() },
            repeats: request.question,
            behavior: request.tool.def().behavior,
            args: match own {
                true => hide_secrets(request.args.clone(), &self.table),
                false => without_secrets(request),
            },
            agent: request.agent,
            columns: self.columns,
        };
        let (brief, whole) = (question.text(PROMPT_LINES), question.text(usize::MAX));
        let repeats = request.question.is_some();
        let held = self.progress.as_ref().map(Progress::hold);
        let terminal = Arc::clone(&self.terminal);
        let (send, answer) = oneshot::channel();
        // Reading blocks; on a thread of its own, so that Ctrl-C ends the call although nobody answers.
        thread::spawn(move || {
            let mut terminal = terminal.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = send.send(ask(&mut **terminal, &brief, &whole, repeats));
        });
        Box::pin(async move {
            let decision = answer.await.unwrap_or(Decision::Deny { reason: None });
            drop(held);
            decision
        })
    }
}

/// Asks until the answer is no `v`.
///
/// Whether an effect is risked twice is asked for this once: there is no `a`, and a terminal that is gone has not said no, since
/// that would be final.
fn ask(terminal: &mut dyn Terminal, brief: &str, whole: &str, repeats: bool) -> Decision {
    let mut answer = terminal.ask(brief);
    loop {
        match answer.as_ref().ok().and_then(Option::as_deref).map(str::trim) {
            Some("y") => return Decision::AllowOnce,
            Some("a") if !repeats => return Decision::AllowAlways,
            Some("v") if brief != whole => answer = terminal.ask(whole),
            None if repeats => return Decision::Unavailable { hint: NO_ANSWER.to_owned() },
            _ => return Decision::Deny { reason: None },
        }
    }
}

/// What is asked.
struct Question<'a> {
    what: &'a str,
    /// What is asked in place of whether it may run: whether an effect may be risked twice.
    repeats: Option<&'a str>,
    behavior: Behavior,
    args: Value,
    /// Who wants to.
    agent: &'a str,
    columns: usize,
}

impl Question<'_> {
    fn text(&self, most: usize) -> String {
        let effect = match self.behavior {
            behavior if behavior.destructive => "is destructive",
            behavior if behavior.side_effect => "has side effects",
            _ => "needs approval",
        };
        let lines = self.lines();
        let rest = lines.len().saturating_sub(most);
        let shown: String = lines.iter().take(most).map(|line| format!("{line}\n")).collect();
        let more = if rest > 0 { format!("  … {rest} more lines; v to view all\n") } else { String::new() };
        let end = if lines.is_empty() { "." } else { " with:" };
        let head = format!("The agent {} wants to run it{end}", visible(self.agent));
        let what = visible(self.what);
        match self.repeats {
            Some(question) => {
                let question = visible(question);
                format!(
                    "{question}\n'{what}' {effect}. {head}\n{shown}{more}Run it? y = yes, anything else = no: "
                )
            }
            None => format!(
                "'{what}' {effect}. {head}\n{shown}{more}Run it? y = once, a = always for these arguments, anything else = no: "
            ),
        }
    }

    /// Every argument: its name, then its value on as many lines as that takes.
    fn lines(&self) -> Vec<String> {
        let members = self.args.as_object().into_iter().flatten();
        let width = members.clone().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let columns = self.columns.saturating_sub(width + 4).max(VALUE_MIN);
        let mut lines = Vec::new();
        for (name, value) in members {
            for (at, part) in wrapped(&shown(value), columns).iter().enumerate() {
                let name = if at == 0 { visible(name) } else { String::new() };
                lines.push(format!("  {name:width$}  {part}"));
            }
        }
        lines
    }
}

/// A value on one line, without anything that a terminal would act upon.
fn shown(value: &Value) -> String {
    visible(&value.to_string()).replace('\t', "\\t")
}

/// A line cut into parts of at most so many columns.
fn wrapped(line: &str, columns: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut used = 0;
    for c in line.chars() {
        let width = c.width().unwrap_or(0);
        if used + width > columns {
            parts.push(String::new());
            used = 0;
        }
        used += width;
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts
}

/// The arguments of a call that the command leads to, with every secret as `***`.
fn without_secrets(request: &ApprovalRequest<'_>) -> Value {
    let mut args = request.args.clone();
    for param in request.tool.def().params.iter().filter(|param| param.keys.secret) {
        if let Some(value) = args.get_mut(param.name).filter(|value| !value.is_null()) {
            *value = Value::from("***");
        }
    }
    args
}

/// The arguments with every secret as `***`.
pub(crate) fn hide_secrets(mut args: Value, table: &Table) -> Value {
    for param in table.params.iter().filter(|param| param.secret) {
        if let Some(value) = args.get_mut(&param.name).filter(|value| !value.is_null()) {
            *value = Value::from("***");
        }
    }
    args
}

#[cfg(test)]
mod tests {
    use std::io;

    use serde_json::json;

    use super::*;

    /// A person with these answers, and the questions that were asked.
    struct Typed(Vec<&'static str>, Vec<String>);

    impl Terminal for Typed {
        fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
            self.1.push(question.to_owned());
            Ok(self.0.pop().map(str::to_owned))
        }

        fn ask_hidden(&mut self, question: &str) -> io::Result<Option<String>> {
            self.ask(question)
        }
    }

    const OPERATOR: &str = crate::sight::OPERATOR;
    const DESTRUCTIVE: Behavior = Behavior { side_effect: true, destructive: true, ..Behavior::READ };

    fn question(args: Value) -> Question<'static> {
        Question {
            what: "demo store delete",
            repeats: None,
            behavior: DESTRUCTIVE,
            args,
            agent: OPERATOR,
            columns: 40,
        }
    }

    #[test]
    fn every_argument_is_shown_and_what_a_terminal_acts_upon_is_escaped() {
        let text = question(json!({"id": 42, "name": "\u{1b}[2Jx\u{202e}\ny", "cascade": true})).text(40);
        assert_eq!(
            text,
            "'demo store delete' is destructive. The agent operator wants to run it with:\n  id       42\n  \
             name     \"\\u001b[2Jx\\u{202e}\\ny\"\n  cascade  true\n\
             Run it? y = once, a = always for these arguments, anything else = no: "
        );
    }

    #[test]
    fn long_values_are_broken_and_the_rest_is_shown_when_asked_for() {
        let question = question(json!({"text": "x".repeat(32 * 60), "more": [1]}));
        let (brief, whole) = (question.text(PROMPT_LINES), question.text(usize::MAX));
        assert_eq!(brief.lines().count(), 1 + PROMPT_LINES + 2);
        assert!(brief.contains("\n  … 22 more lines; v to view all\n"), "{brief}");
        assert_eq!(whole.lines().count(), 1 + 62 + 1);
        let mut person = Typed(vec!["y", "v"], Vec::new());
        assert_eq!(ask(&mut person, &brief, &whole, false), Decision::AllowOnce);
        assert_eq!(person.1, [brief, whole]);
    }

    #[test]
    fn only_y_and_a_are_consent() {
        for (answer, decision) in [("y", Decision::AllowOnce), (" a\n", Decision::AllowAlways)] {
            assert_eq!(ask(&mut Typed(vec![answer], Vec::new()), "?", "?", false), decision);
        }
        for answer in ["", "n", "yes", "Y", "v", "\u{4}"] {
            let decision = ask(&mut Typed(vec![answer], Vec::new()), "?", "?", false);
            assert_eq!(decision, Decision::Deny { reason: None }, "{answer:?}");
        }
        assert_eq!(ask(&mut Typed(vec![], Vec::new()), "?", "?", false), Decision::Deny { reason: None });
    }
    #[test]
    fn whether_an_effect_is_risked_twice_is_shown_and_only_a_no_is_a_no() {
        let asked = "Earlier attempts ran \u{1b}effects. Go on all the same?";
        let text = Question { repeats: Some(asked), ..question(json!({"id": 42})) }.text(40);
        assert_eq!(
            text,
            "Earlier attempts ran \\u{1b}effects. Go on all the same?\n'demo store delete' is destructive. \
             The agent operator wants to run it with:\n  id  42\nRun it? y = yes, anything else = no: "
        );
        for (answer, decision) in [("y", Decision::AllowOnce), ("a", Decision::Deny { reason: None })] {
            assert_eq!(ask(&mut Typed(vec![answer], Vec::new()), "?", "?", true), decision);
        }
        let gone = ask(&mut Typed(vec![], Vec::new()), "?", "?", true);
        assert!(matches!(gone, Decision::Unavailable { .. }), "{gone:?}");
    }
}
