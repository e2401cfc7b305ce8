//! What of an error is content: of a file, of an argument that is one, of what a command wrote. Callers see it, records do not.
//!
//! An error says which of its details are content, and which sentences quote some; the journal hides the former and writes
//! the sentence without the quotation. (files.md §13, shell.md §7)

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{Inner, ToolError};
use crate::args::ArgIssue;

/// What records of an error do without, beside what the schemas of the tool mark.
#[derive(Default)]
pub(super) struct Quoted {
    /// The members of `details` that are content.
    details: Vec<String>,
    /// What is recorded in place of a message that quotes content.
    message: Option<Cow<'static, str>>,
    /// What is recorded in place of a hint that quotes content.
    hint: Option<Option<Cow<'static, str>>>,
}

impl Quoted {
    /// A new hint quotes nothing unless it says so.
    pub(super) fn forget_hint(&mut self) {
        self.hint = None;
    }

    pub(super) fn map_message(&mut self, map: impl Fn(String) -> String) {
        self.message = self.message.take().map(|message| map(message.into_owned()).into());
    }

    pub(super) fn map_texts(&mut self, text: impl Fn(String) -> String) {
        self.map_message(&text);
        self.hint = self.hint.take().map(|hint| hint.map(|hint| text(hint.into_owned()).into()));
    }
}

impl ToolError {
    /// Adds a member to `details` that holds content of a file, or what a command wrote. In records each text of it is
    /// replaced by its size and digest.
    ///
    /// ```
    /// use tool_core::ToolError;
    /// let error = ToolError::conflict("These are other lines.").content_detail("found", "what stands there");
    /// assert_eq!(error.details()["found"], "what stands there");
    /// ```
    #[must_use]
    pub fn content_detail(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let key = key.into();
        self.0.quoted.details.push(key.clone());
        self.detail(key, value)
    }

    /// Shows a message that quotes content in place of the one given before, which stays the recorded one.
    #[must_use]
    pub fn quoting_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        let plain = std::mem::replace(&mut self.0.message, message.into());
        self.0.quoted.message.get_or_insert(plain);
        self
    }

    /// Shows a hint that quotes content in place of the one given before, if any, which stays the recorded one.
    #[must_use]
    pub fn quoting_hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        let plain = self.0.hint.replace(hint.into());
        self.0.quoted.hint.get_or_insert(plain);
        self
    }

    /// Adds the details of another error, content as content.
    pub(crate) fn with_details_of(mut self, other: ToolError) -> Self {
        self.0.details.extend(other.0.details);
        self.0.quoted.details.extend(other.0.quoted.details);
        self
    }

    /// Whether a member of `details` was said to be content, by [`content_detail`](ToolError::content_detail).
    ///
    /// ```
    /// use tool_core::ToolError;
    /// let error = ToolError::failed("It ended.").content_detail("stdout", "one\n").detail("exit_code", 7);
    /// assert!(error.is_content("stdout") && !error.is_content("exit_code"));
    /// ```
    pub fn is_content(&self, key: &str) -> bool {
        self.0.quoted.details.iter().any(|known| known == key)
    }

    /// The same error with the sentences that quote nothing, and with other issues and details: for records.
    pub(crate) fn for_record(&self, issues: Vec<ArgIssue>, details: Map<String, Value>) -> ToolError {
        let Inner { kind, code, message, hint, retryable, retry_after, effect, quoted, .. } = &*self.0;
        ToolError(Box::new(Inner {
            kind: *kind,
            code: code.clone(),
            message: quoted.message.as_ref().unwrap_or(message).clone(),
            hint: quoted.hint.as_ref().unwrap_or(hint).clone(),
            retryable: *retryable,
            retry_after: *retry_after,
            effect: *effect,
            issues,
            details,
            quoted: Quoted::default(),
            source: None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_goes_through_the_same_functions_as_what_is_shown() {
        let error = || {
            ToolError::failed("a key")
                .hint("a hint")
                .quoting_message("a key: abc")
                .quoting_hint("a hint: abc")
        };
        let recorded = |error: &ToolError| {
            let error = error.for_record(Vec::new(), Map::new());
            (error.message().to_owned(), error.hint_str().map(str::to_owned))
        };
        let scrubbed = error().map_texts(|text| text.replace("a ", "- "), |value| value);
        assert_eq!((scrubbed.message(), scrubbed.hint_str()), ("- key: abc", Some("- hint: abc")));
        assert_eq!(recorded(&scrubbed), ("- key".to_owned(), Some("- hint".to_owned())));
        let mapped = error().map_message(|text| text.to_uppercase());
        assert_eq!((mapped.message(), mapped.hint_str()), ("A KEY: ABC", Some("a hint: abc")));
        assert_eq!(recorded(&mapped), ("A KEY".to_owned(), Some("a hint".to_owned())));
    }
}
