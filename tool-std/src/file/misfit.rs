//! Arguments that fit on their own and not together: issues in the form of the decoder (arguments.md §10).

use tool_core::{ArgIssue, Effect, IssueCode, ToolError, args};

/// Characters of a value that an issue shows.
const GOT_CHARS: usize = 40;

/// Collects what does not fit, so that one answer names all of it.
#[derive(Debug, Default)]
pub(crate) struct Misfits(Vec<ArgIssue>);

impl Misfits {
    /// Notes a parameter whose value does not fit.
    pub(crate) fn add(&mut self, code: IssueCode, parameter: &str, expected: &str, got: String) {
        self.0.push(ArgIssue {
            path: format!("/{parameter}"),
            code,
            expected: expected.to_owned(),
            got,
            hint: None,
        });
    }

    /// Notes a parameter that must keep its default beside another.
    pub(crate) fn not_together(&mut self, given: bool, parameter: &str, other: &str) {
        if given {
            let expected = format!("not together with `{other}`");
            self.add(IssueCode::Constraint, parameter, &expected, "both given".to_owned());
        }
    }

    /// Notes a parameter that means nothing without another.
    pub(crate) fn needs(&mut self, given: bool, parameter: &str, other: &str) {
        if given {
            let expected = format!("`{other}` as well");
            self.add(IssueCode::Constraint, parameter, &expected, format!("`{other}` missing"));
        }
    }

    /// Gives the last issue a hint.
    pub(crate) fn hint(&mut self, hint: Option<String>) {
        if let Some(last) = self.0.last_mut() {
            last.hint = hint;
        }
    }

    /// Fails with every issue, if there is one.
    ///
    /// # Errors
    /// `invalid_args`.
    pub(crate) fn finish(self) -> Result<(), ToolError> {
        let total = self.0.len();
        if total == 0 {
            return Ok(());
        }
        Err(args::refused(self.0, total).effect(Effect::None))
    }
}

/// One parameter that does not fit.
pub(crate) fn misfit(code: IssueCode, parameter: &str, expected: &str, got: String) -> ToolError {
    let mut misfits = Misfits::default();
    misfits.add(code, parameter, expected, got);
    match misfits.finish() {
        Err(error) => error,
        Ok(()) => ToolError::invalid_args("The arguments do not fit."),
    }
}

/// A text as an issue shows it.
pub(crate) fn text(value: &str) -> String {
    let mut shown: String = value.chars().take(GOT_CHARS).collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    format!("string {}", serde_json::Value::from(shown))
}
