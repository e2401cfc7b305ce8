//! Questions of a running tool, put to the person at the controlling terminal: field by field, with what is taken when nothing
//! is typed. (cli.md §9)
//!
//! Standard input is never the answer. What the tool says is shown without anything that a terminal would act upon.

mod field;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tool_core::{Asker, BoxFuture, Question, Reply, ToolContext, ToolError};

use self::field::{Answer, Field};
use crate::io::Terminal;
use crate::progress::Progress;
use crate::visible::visible;

/// The person at the terminal, as one who answers questions.
pub(crate) struct Interviewee {
    pub(crate) terminal: Arc<Mutex<Box<dyn Terminal>>>,
    /// The command line that was typed, without its arguments.
    pub(crate) command: String,
    pub(crate) progress: Option<Progress>,
}

impl Asker for Interviewee {
    fn ask<'a>(
        &'a self,
        ctx: &'a ToolContext,
        questions: &'a [(String, Question)],
    ) -> BoxFuture<'a, Result<Vec<Reply>, ToolError>> {
        let held = self.progress.as_ref().map(Progress::hold);
        let (terminal, command) = (Arc::clone(&self.terminal), self.command.clone());
        let questions: Vec<Question> = questions.iter().map(|(_, question)| question.clone()).collect();
        let (send, replies) = oneshot::channel();
        // Reading blocks; on a thread of its own, so that Ctrl-C ends the call although nobody answers.
        thread::spawn(move || {
            let mut terminal = terminal.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = send.send(all(&mut **terminal, &command, &questions));
        });
        Box::pin(async move {
            let replies = replies.await.unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()));
            drop(held);
            match replies {
                Ok(replies) => Ok(replies),
                Err(_) if ctx.is_cancelled() => Err(ToolError::cancelled("The call was cancelled.")),
                Err(error) => {
                    let lost = ToolError::denied("The tool has a question, and the terminal cannot be read.");
                    Err(lost.code("input_unavailable").source(error))
                }
            }
        })
    }
}

/// The reply to each question. Who declines one is not asked the rest.
fn all(terminal: &mut dyn Terminal, command: &str, questions: &[Question]) -> io::Result<Vec<Reply>> {
    let mut replies = Vec::new();
    for question in questions {
        let declined = replies.last() == Some(&Reply::Declined);
        replies.push(if declined { Reply::Declined } else { one(terminal, command, question)? });
    }
    Ok(replies)
}

fn one(terminal: &mut dyn Terminal, command: &str, question: &Question) -> io::Result<Reply> {
    let mut said = format!("'{}' asks: {}\n", visible(command), visible(question.message()));
    let fields = Field::all(question);
    if fields.is_empty() {
        said.push_str("y = yes, anything else = no: ");
        let answer = terminal.ask(&said)?;
        let agreed = answer.as_deref().map(str::trim) == Some("y");
        return Ok(if agreed { Reply::Accepted(Value::Object(Map::new())) } else { Reply::Declined });
    }
    let mut answers = Map::new();
    for field in fields {
        loop {
            let typed = match terminal.ask(&format!("{said}  {}: ", field.text())) {
                Ok(Some(typed)) => typed,
                Ok(None) => return Ok(Reply::Declined),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    said = "  that is too long for a line\n".to_owned();
                    continue;
                }
                Err(error) => return Err(error),
            };
            said.clear();
            match field.answer(&typed) {
                Answer::Value(value) => {
                    answers.insert(field.name().to_owned(), value);
                    break;
                }
                Answer::Nothing => break,
                Answer::Wrong(why) => said = format!("  {}\n", visible(&why)),
            }
        }
    }
    let answers = Value::Object(answers);
    // What each field takes, the whole takes as well; a question that no answer fits is not answered.
    Ok(if question.fits(&answers).is_ok() { Reply::Accepted(answers) } else { Reply::Declined })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A person who types these lines, and what was shown.
    struct Typed(Vec<&'static str>, String);

    impl Terminal for Typed {
        fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
            self.1.push_str(question);
            self.1.push('\n');
            Ok((!self.0.is_empty()).then(|| self.0.remove(0).to_owned()))
        }

        fn ask_hidden(&mut self, question: &str) -> io::Result<Option<String>> {
            self.ask(question)
        }
    }

    fn asked(questions: &[Question], lines: &[&'static str]) -> (Vec<Reply>, String) {
        let mut person = Typed(lines.to_vec(), String::new());
        let replies = all(&mut person, "demo order", questions).unwrap();
        (replies, person.1)
    }

    fn order() -> Question {
        Question::new("What\u{1b}[2J?")
            .field("what", json!({"type": "string", "minLength": 2, "description": "Name\u{202e}."}), true)
            .field("size", json!({"type": "string", "enum": ["small", "large"], "default": "small"}), true)
            .field("count", json!({"type": "integer", "minimum": 1, "maximum": 9}), false)
            .field("gift", json!({"type": "boolean", "default": false}), false)
            .field(
                "extras",
                json!({"type": "array", "items": {"type": "string", "enum": ["milk", "sugar"]}}),
                false,
            )
    }

    #[test]
    fn fields_are_asked_one_by_one_with_what_is_taken_when_nothing_is_typed() {
        let (replies, shown) = asked(&[order()], &["tea", "", "", "", ""]);
        assert_eq!(replies, [Reply::Accepted(json!({"what": "tea", "size": "small", "gift": false}))]);
        assert_eq!(
            shown,
            "'demo order' asks: What\\u{1b}[2J?\n  what: Name\\u{202e}. (string of at least 2 characters): \n  \
             size (one of small, large) [default: small]: \n  count (integer 1..=9) [optional]: \n  \
             gift (y or n) [default: n]: \n  extras (some of milk, sugar, separated by commas) [optional]: \n"
        );
        let typed = ["tea", "large", "3", "y", "milk, sugar"];
        let (replies, _) = asked(&[order()], &typed);
        let all =
            json!({"what": "tea", "size": "large", "count": 3, "gift": true, "extras": ["milk", "sugar"]});
        assert_eq!(replies, [Reply::Accepted(all)]);
    }

    #[test]
    fn what_is_no_answer_is_asked_again() {
        let typed = ["", "t", "tea", "tiny", "large", "many", "10", "9", "perhaps", "n", "salt", "milk"];
        let (replies, shown) = asked(&[order()], &typed);
        let all = json!({"what": "tea", "size": "large", "count": 9, "gift": false, "extras": ["milk"]});
        assert_eq!(replies, [Reply::Accepted(all)], "{shown}");
        assert!(shown.contains("\n  a value is needed\n  what"), "{shown}");
        assert!(shown.contains("\n  expected integer 1..=9\n  count"), "{shown}");
    }

    #[test]
    fn the_end_of_input_declines_and_nothing_more_is_asked() {
        let (replies, shown) = asked(&[order(), Question::new("Sure?")], &["tea"]);
        assert_eq!(replies, [Reply::Declined, Reply::Declined]);
        assert!(!shown.contains("Sure?"), "{shown}");
    }

    #[test]
    fn only_y_is_consent() {
        let sure = [Question::new("Sure?")];
        for (typed, agreed) in [("y", true), (" y\r", true), ("", false), ("yes", false), ("Y", false)] {
            let (replies, shown) = asked(&sure, &[typed]);
            assert_eq!(replies == [Reply::Accepted(json!({}))], agreed, "{typed:?}");
            assert_eq!(shown, "'demo order' asks: Sure?\ny = yes, anything else = no: \n");
        }
        assert_eq!(asked(&sure, &[]).0, [Reply::Declined]);
    }
}
