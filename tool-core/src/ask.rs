//! Questions of a running call to the person behind its caller. (mcp.md §6)
//!
//! A tool asks through its context; who answers, and how, is the host's [`Asker`]. A host that cannot wait ends the call with
//! `denied`, code `input_required`, and runs it again with the answer: so a tool asks before it acts.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::context::ToolContext;
use crate::def::BoxFuture;
use crate::error::ToolError;

/// The code of a call that ended with a question and is made again with the answer.
pub const INPUT_REQUIRED: &str = "input_required";

/// The longest key of a question.
pub const QUESTION_KEY: usize = 32;

/// The members of a field's schema that a client can show.
const FIELD: [&str; 16] = [
    "type",
    "title",
    "description",
    "default",
    "enum",
    "enumNames",
    "oneOf",
    "items",
    "format",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "pattern",
];

/// The formats of text that a client knows.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

/// A message, and the flat object that answers it.
///
/// ```
/// use serde_json::json;
/// use tool_core::Question;
///
/// let who = Question::new("Who are you?").field("name", json!({"type": "string"}), true);
/// assert!(who.check().is_ok());
/// assert!(who.fits(&json!({"name": "Ada"})).is_ok());
/// assert!(who.fits(&json!({"name": 5})).is_err());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    message: String,
    fields: Map<String, Value>,
    required: Vec<String>,
}

impl Question {
    /// A question without fields: to accept it is the answer.
    pub fn new(message: impl Into<String>) -> Question {
        Question { message: message.into(), fields: Map::new(), required: Vec::new() }
    }

    /// Adds a field: text, a number, an integer, true or false, one or several of a list.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, schema: Value, required: bool) -> Question {
        let name = name.into();
        if required {
            self.required.push(name.clone());
        }
        self.fields.insert(name, schema);
        self
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The same question with something said before it.
    #[must_use]
    pub fn after(mut self, text: &str) -> Question {
        self.message.insert_str(0, text);
        self
    }

    /// The schema of an answer.
    pub fn schema(&self) -> Value {
        let mut schema = json!({"type": "object", "properties": self.fields});
        if let (Some(members), false) = (schema.as_object_mut(), self.required.is_empty()) {
            members.insert("required".to_owned(), json!(self.required));
        }
        schema
    }

    /// Refuses fields that clients cannot show.
    ///
    /// # Errors
    /// `internal`, code `bad_question`.
    pub fn check(&self) -> Result<(), ToolError> {
        match self.fields.iter().find(|(_, schema)| !is_field(schema)) {
            None => Ok(()),
            Some((name, _)) => {
                let text = format!("A question cannot have the field {name}: it is no plain value.");
                Err(ToolError::internal(text).code("bad_question"))
            }
        }
    }

    /// Whether a value answers the question.
    ///
    /// # Errors
    /// What is wrong with it first.
    pub fn fits(&self, answer: &Value) -> Result<(), String> {
        let validator = jsonschema::draft202012::new(&self.schema())
            .map_err(|_| "the question has no schema".to_owned())?;
        let first = validator.iter_errors(answer).next().map(|error| {
            let at = error.instance_path().to_string();
            if at.is_empty() { error.to_string() } else { format!("{at}: {error}") }
        });
        first.map_or(Ok(()), Err)
    }
}

fn is_field(schema: &Value) -> bool {
    let Some(members) = schema.as_object() else { return false };
    let has = |key: &str| members.contains_key(key);
    let known = members.keys().all(|key| FIELD.contains(&key.as_str()));
    let format = members.get("format").is_none_or(|format| FORMATS.iter().any(|known| format == known));
    let kind = match members.get("type").and_then(Value::as_str) {
        Some("string") => !has("items"),
        Some("number" | "integer" | "boolean") => !has("enum") && !has("oneOf") && !has("items"),
        Some("array") => members.get("items").is_some_and(|items| {
            items.get("enum").or_else(|| items.get("anyOf")).is_some_and(Value::is_array)
        }),
        _ => false,
    };
    known && format && kind
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// An answer.
    Accepted(Value),
    /// The person does not want to answer.
    Declined,
    /// The person does not want the call any more.
    Cancelled,
}

/// Who can be asked during a call.
pub trait Asker: Send + Sync {
    /// Asks questions under their keys, together. There is a reply to each, in order, and accepted ones fit their question.
    fn ask<'a>(
        &'a self,
        ctx: &'a ToolContext,
        questions: &'a [(String, Question)],
    ) -> BoxFuture<'a, Result<Vec<Reply>, ToolError>>;
}

impl ToolContext {
    /// Asks the person behind the caller. The key tells the question apart from others of the call.
    ///
    /// # Errors
    /// `denied`, code `declined`, or `input_unavailable` where nobody can be asked, or `input_required` where the call will be
    /// made again with the answer: pass it on. `cancelled`. `internal`, code `bad_question`, for a key or field that is none,
    /// or `ask_after_effect` when the call has changed something already.
    pub async fn ask(&self, key: &str, question: Question) -> Result<Value, ToolError> {
        let answers = self.ask_all([(key, question)]).await?;
        Ok(answers.into_iter().next().unwrap_or_default())
    }

    /// Asks several questions in one go; the answers are in the same order.
    ///
    /// # Errors
    /// As [`ask`](Self::ask); `internal`, code `bad_question`, also for a key that two of them have.
    pub async fn ask_all<K: Into<String>>(
        &self,
        questions: impl IntoIterator<Item = (K, Question)>,
    ) -> Result<Vec<Value>, ToolError> {
        let questions: Vec<(String, Question)> =
            questions.into_iter().map(|(key, question)| (key.into(), question)).collect();
        let mut keys = BTreeSet::new();
        if let Some((twice, _)) = questions.iter().find(|(key, _)| !keys.insert(key)) {
            let text = format!("Two questions of one call have the key `{twice:.80}`: each needs its own.");
            return Err(ToolError::internal(text).code("bad_question"));
        }
        self.may_ask(questions.iter().map(|(key, _)| key.as_str()))?;
        questions.iter().try_for_each(|(_, question)| question.check())?;
        let Some(asker) = self.asker() else {
            let error = ToolError::denied("The tool has a question, and there is nobody to ask.");
            return Err(error.code("input_unavailable"));
        };
        let asked = self.now();
        let replies = asker.ask(self, &questions).await?;
        self.waited(self.now().saturating_duration_since(asked));
        replies.into_iter().map(answered).collect()
    }

    /// Refuses questions that cannot be asked now: everything before a question runs again where the call is made anew with
    /// its answer, so asking comes before acting. For surfaces with requests of their own; [`ask`](Self::ask) does it.
    ///
    /// # Errors
    /// `internal`: code `bad_question` for a key that is none, `ask_after_effect` when the call has had an effect.
    pub fn may_ask<'k>(&self, keys: impl IntoIterator<Item = &'k str>) -> Result<(), ToolError> {
        keys.into_iter().try_for_each(check_key)?;
        match self.running().is_some_and(|call| call.has_acted()) {
            true => {
                let error = ToolError::internal("The tool asks after it has acted; it must ask before.");
                Err(error.code("ask_after_effect"))
            }
            false => Ok(()),
        }
    }

    /// Notes that the call is about to change something: from now on it cannot ask. Capabilities that change things do it.
    pub fn acts(&self) {
        if let Some(call) = self.running() {
            call.set_acted();
        }
    }

    /// Asks whether to go on.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub async fn confirm(&self, key: &str, text: &str) -> Result<(), ToolError> {
        self.ask(key, Question::new(text)).await.map(drop)
    }
}

fn answered(reply: Reply) -> Result<Value, ToolError> {
    match reply {
        Reply::Accepted(answer) => Ok(answer),
        Reply::Declined => Err(ToolError::denied("The question was not answered.").code("declined")),
        Reply::Cancelled => Err(ToolError::cancelled("The call was cancelled.")),
    }
}

fn check_key(key: &str) -> Result<(), ToolError> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    match !key.is_empty() && key.len() <= QUESTION_KEY && key.bytes().all(plain) {
        true => Ok(()),
        false => {
            let shown: String = key.chars().take(80).collect();
            let text = format!("`{shown}` is no key of a question: 1 to {QUESTION_KEY} of a-z, 0-9 and _.");
            Err(ToolError::internal(text).code("bad_question"))
        }
    }
}
