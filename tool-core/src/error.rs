//! The one error of every tool, layer and surface: its kind, exit status and single JSON form.
//!
//! The text of a foreign error stays in [`ToolError::source`] for operators; callers see `message` and `hint`.

mod content;

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::args::ArgIssue;
use content::Quoted;

/// The kinds of failure, each with its wire name, exit status and retry rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The arguments do not fit; `issues` lists every one.
    InvalidArgs,
    /// The tool, file, key or document does not exist.
    NotFound,
    /// It exists already, its version moved, or the same key came with other arguments.
    Conflict,
    /// Gate, policy, approval or sandbox refused.
    Denied,
    /// A secret or setting is missing.
    NotConfigured,
    /// An upstream cannot be reached or answered with a server error.
    Unavailable,
    /// Too many calls; `retry_after` says when to come back.
    RateLimited,
    /// The deadline passed.
    Timeout,
    /// The caller went away.
    Cancelled,
    /// The tool ran and reports failure.
    Failed,
    /// A panic, or a bug of this library.
    Internal,
}

/// Every kind with its wire name, exit status, whether a repeat can help, and the sentence shown when there is no better one.
const KINDS: [(ErrorKind, &str, u8, bool, &str); 11] = [
    (ErrorKind::InvalidArgs, "invalid_args", 2, false, "The arguments do not fit."),
    (ErrorKind::NotFound, "not_found", 3, false, "It does not exist."),
    (ErrorKind::Conflict, "conflict", 4, false, "It conflicts with what is there."),
    (ErrorKind::Denied, "denied", 5, false, "The call was refused."),
    (ErrorKind::NotConfigured, "not_configured", 6, false, "A setting is missing."),
    (ErrorKind::Unavailable, "unavailable", 7, true, "The service cannot be reached."),
    (ErrorKind::RateLimited, "rate_limited", 75, true, "Too many calls."),
    (ErrorKind::Timeout, "timeout", 124, false, "The tool did not finish in time."),
    (ErrorKind::Cancelled, "cancelled", 130, false, "The call was cancelled."),
    (ErrorKind::Failed, "failed", 1, false, "The tool failed."),
    (ErrorKind::Internal, "internal", 70, false, "The tool stopped unexpectedly."),
];

impl ErrorKind {
    /// Every kind, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = ErrorKind> {
        KINDS.iter().map(|row| row.0)
    }

    fn row(self) -> &'static (ErrorKind, &'static str, u8, bool, &'static str) {
        KINDS.iter().find(|row| row.0 == self).unwrap_or(&KINDS[10])
    }

    /// The name on the wire, such as `invalid_args`.
    pub fn as_str(self) -> &'static str {
        self.row().1
    }

    /// The exit status of a program that ends with this kind.
    pub fn exit_code(self) -> u8 {
        self.row().2
    }

    /// Whether the same call may succeed later. (A timeout or cancellation of an idempotent tool may, too: the
    /// executor marks those.)
    pub fn retryable(self) -> bool {
        self.row().3
    }

    /// The sentence that callers see when nothing better is known.
    pub fn sentence(self) -> &'static str {
        self.row().4
    }
}

/// What a failed call is known to have done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing was changed.
    None,
    /// The effect happened.
    Done,
    /// Nobody knows.
    Unknown,
}

impl Effect {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Done => "done",
            Self::Unknown => "unknown",
        }
    }
}

/// Why a call failed, in the one form that every surface renders.
///
/// ```
/// use tool_core::{ErrorKind, ToolError};
/// let error = ToolError::not_found("notes.txt does not exist.").code("path_not_found").hint("did you mean `note.txt`?");
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert_eq!(error.to_json()["code"], "path_not_found");
/// ```
pub struct ToolError(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    code: Option<Cow<'static, str>>,
    message: Cow<'static, str>,
    hint: Option<Cow<'static, str>>,
    retryable: Option<bool>,
    retry_after: Option<Duration>,
    effect: Option<Effect>,
    issues: Vec<ArgIssue>,
    details: Map<String, Value>,
    quoted: Quoted,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $kind:ident;)*) => {
        impl ToolError {
            $($(#[$doc])* pub fn $name(message: impl Into<Cow<'static, str>>) -> Self {
                Self::new(ErrorKind::$kind, message)
            })*
        }
    };
}

constructors! {
    /// An error of kind `invalid_args`.
    invalid_args => InvalidArgs;
    /// An error of kind `not_found`.
    not_found => NotFound;
    /// An error of kind `conflict`.
    conflict => Conflict;
    /// An error of kind `denied`.
    denied => Denied;
    /// An error of kind `not_configured`.
    not_configured => NotConfigured;
    /// An error of kind `unavailable`.
    unavailable => Unavailable;
    /// An error of kind `rate_limited`.
    rate_limited => RateLimited;
    /// An error of kind `timeout`.
    timeout => Timeout;
    /// An error of kind `cancelled`.
    cancelled => Cancelled;
    /// An error of kind `failed`.
    failed => Failed;
    /// An error of kind `internal`.
    internal => Internal;
}

impl ToolError {
    /// An error of a kind with a message for the caller.
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner {
            kind,
            code: None,
            message: message.into(),
            hint: None,
            retryable: None,
            retry_after: None,
            effect: None,
            issues: Vec::new(),
            details: Map::new(),
            quoted: Quoted::default(),
            source: None,
        }))
    }

    /// An error that shows only its kind's sentence; the foreign error is kept for operators.
    pub fn foreign(kind: ErrorKind, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(kind, kind.sentence()).source(source)
    }

    /// Sets a finer code than the kind, such as `path_not_found`.
    #[must_use]
    pub fn code(mut self, code: impl Into<Cow<'static, str>>) -> Self {
        self.0.code = Some(code.into());
        self
    }

    /// Says how to repair the call.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.0.hint = Some(hint.into());
        self.0.quoted.forget_hint();
        self
    }

    /// Overrides the kind's retry rule.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.0.retryable = Some(retryable);
        self
    }

    /// Says when a repeat may succeed.
    #[must_use]
    pub fn retry_after(mut self, after: Duration) -> Self {
        self.0.retry_after = Some(after);
        self
    }

    /// Says what the failed call is known to have done.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.0.effect = Some(effect);
        self
    }

    /// Says what the failed call is known to have done, where that is known.
    pub(crate) fn maybe_effect(mut self, effect: Option<Effect>) -> Self {
        self.0.effect = effect;
        self
    }

    /// Adds a member to `details`.
    #[must_use]
    pub fn detail(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.details.insert(key.into(), value.into());
        self
    }

    /// Adds an issue with one argument.
    #[must_use]
    pub fn issue(mut self, issue: ArgIssue) -> Self {
        self.0.issues.push(issue);
        self
    }

    /// Adds issues with arguments.
    #[must_use]
    pub fn issues(mut self, issues: impl IntoIterator<Item = ArgIssue>) -> Self {
        self.0.issues.extend(issues);
        self
    }

    /// The same error where its arguments are a member of others: the paths of its issues begin with this pointer.
    pub(crate) fn below(mut self, pointer: &str) -> Self {
        for issue in &mut self.0.issues {
            issue.path.insert_str(0, pointer);
        }
        self
    }

    /// The same error with another message.
    pub(crate) fn map_message(mut self, map: impl Fn(String) -> String) -> Self {
        self.0.message = map(std::mem::take(&mut self.0.message).into_owned()).into();
        self.0.quoted.map_message(map);
        self
    }

    /// The same error with every text that callers see put through a function, and its details through another.
    pub(crate) fn map_texts(
        mut self,
        text: impl Fn(String) -> String,
        value: impl Fn(Value) -> Value,
    ) -> Self {
        let inner = &mut *self.0;
        inner.message = text(std::mem::take(&mut inner.message).into_owned()).into();
        inner.hint = inner.hint.take().map(|hint| text(hint.into_owned()).into());
        inner.quoted.map_texts(&text);
        for issue in &mut inner.issues {
            issue.path = text(std::mem::take(&mut issue.path));
            issue.expected = text(std::mem::take(&mut issue.expected));
            issue.got = text(std::mem::take(&mut issue.got));
            issue.hint = issue.hint.take().map(&text);
        }
        let details = std::mem::take(&mut inner.details);
        inner.details = details.into_iter().map(|(key, detail)| (key, value(detail))).collect();
        self
    }

    /// Keeps the foreign error behind this one, for logs only.
    #[must_use]
    pub fn source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// The kind: exit status and retry rule follow from it.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The finest code known: the tool's own, else the kind's name.
    pub fn code_str(&self) -> &str {
        self.0.code.as_deref().unwrap_or(self.0.kind.as_str())
    }

    /// The sentence for the caller.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// How to repair the call, if known.
    pub fn hint_str(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.0.retryable.unwrap_or(self.0.kind.retryable())
    }

    /// When a repeat may succeed, if known.
    pub fn retry_after_value(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// What the failed call is known to have done, if the tool said so.
    pub fn effect_value(&self) -> Option<Effect> {
        self.0.effect
    }

    /// The issues with arguments, in the order of arguments.md §10.
    pub fn arg_issues(&self) -> &[ArgIssue] {
        &self.0.issues
    }

    /// Further data for programs.
    pub fn details(&self) -> &Map<String, Value> {
        &self.0.details
    }

    pub(crate) fn details_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.0.details
    }

    /// The wire form: the value of `error` in a failure envelope.
    pub fn to_json(&self) -> Value {
        let mut out = Map::new();
        out.insert("kind".into(), json!(self.kind().as_str()));
        out.insert("code".into(), json!(self.code_str()));
        out.insert("message".into(), json!(self.message()));
        if let Some(hint) = self.hint_str() {
            out.insert("hint".into(), json!(hint));
        }
        out.insert("retryable".into(), json!(self.is_retryable()));
        if let Some(after) = self.0.retry_after {
            out.insert("retry_after_ms".into(), json!(u64::try_from(after.as_millis()).unwrap_or(u64::MAX)));
        }
        if !self.0.issues.is_empty() {
            out.insert("issues".into(), json!(self.0.issues));
        }
        let mut details = self.0.details.clone();
        if let Some(effect) = self.0.effect {
            details.insert("effect".into(), json!(effect.as_str()));
        }
        if !details.is_empty() {
            out.insert("details".into(), Value::Object(details));
        }
        Value::Object(out)
    }
}

impl fmt::Display for ToolError {
    /// The message, then one line per issue, then the hint.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())?;
        for issue in self.arg_issues() {
            write!(f, "\n{issue}")?;
        }
        match self.hint_str() {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolError")
            .field("kind", &self.kind().as_str())
            .field("code", &self.code_str())
            .field("message", &self.message())
            .field("hint", &self.hint_str())
            .field("issues", &self.arg_issues())
            .field("details", self.details())
            .field("source", &self.0.source)
            .finish_non_exhaustive()
    }
}

impl StdError for ToolError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|error| error as &(dyn StdError + 'static))
    }
}
