//! The rules of `tool_config`: each reads its patterns when the file is loaded and judges the values of a call.

pub(crate) mod args;
pub(crate) mod commands;
pub(crate) mod domains;
pub(crate) mod paths;
pub(crate) mod recipients;

use serde_json::Value;
use tool_core::ErrorKind;

/// What one rule says of one value.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The key in the file.
    pub(crate) rule: String,
    /// Where the value stands in the arguments.
    pub(crate) pointer: String,
    /// `None` where the rule holds.
    pub(crate) refusal: Option<Refusal>,
}

/// Why a rule does not hold.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) kind: ErrorKind,
    pub(crate) code: &'static str,
    pub(crate) text: String,
    /// What would be allowed.
    pub(crate) allowed: Vec<String>,
}

impl Refusal {
    pub(crate) fn denied(code: &'static str, text: String) -> Refusal {
        Refusal { kind: ErrorKind::Denied, code, text, allowed: Vec::new() }
    }

    pub(crate) fn invalid(code: &'static str, text: String) -> Refusal {
        Refusal { kind: ErrorKind::InvalidArgs, code, text, allowed: Vec::new() }
    }
}

/// What is allowed and what is denied, each pattern with its text. A denied list is looked at first; an absent allowed one
/// adds no limit.
#[derive(Clone, Debug)]
pub(crate) struct Lists<P> {
    pub(crate) allowed: Option<Vec<(String, P)>>,
    pub(crate) denied: Option<Vec<(String, P)>>,
}

impl<P> Default for Lists<P> {
    fn default() -> Self {
        Lists { allowed: None, denied: None }
    }
}

impl<P> Lists<P> {
    pub(crate) fn is_absent(&self) -> bool {
        self.allowed.is_none() && self.denied.is_none()
    }

    /// The first list that refuses a value.
    fn judge(
        &self,
        names: &Names,
        what: &str,
        denies: impl Fn(&P) -> bool,
        allows: impl Fn(&P) -> bool,
    ) -> (&'static str, Option<Refusal>) {
        if let Some((text, _)) = self.denied.iter().flatten().find(|(_, pattern)| denies(pattern)) {
            let text = format!("{what} is denied by \"{text}\"");
            return (names.denied, Some(Refusal::denied(names.code_denied, text)));
        }
        match &self.allowed {
            Some(allowed) if !allowed.iter().any(|(_, pattern)| allows(pattern)) => {
                let refusal =
                    Refusal::denied(names.code_allowed, format!("{what} is not in {}", names.allowed));
                let allowed = allowed.iter().take(HINTS).map(|row| row.0.clone()).collect();
                (names.allowed, Some(Refusal { allowed, ..refusal }))
            }
            Some(_) => (names.allowed, None),
            None => (names.denied, None),
        }
    }
}

/// How many allowed patterns a refusal tells.
const HINTS: usize = 10;

/// What a pair of lists is called, in files and in refusals.
pub(crate) struct Names {
    pub(crate) allowed: &'static str,
    pub(crate) denied: &'static str,
    pub(crate) code_allowed: &'static str,
    pub(crate) code_denied: &'static str,
}

/// Every text of a value, each with its pointer.
pub(crate) fn texts(pointer: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::String(text) => vec![(pointer.to_owned(), text.clone())],
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.flat_map(|(index, item)| texts(&format!("{pointer}/{index}"), item)).collect()
        }
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, value)| texts(&format!("{pointer}/{}", escape(key)), value))
            .collect(),
        _ => Vec::new(),
    }
}

/// A key in a JSON pointer. (RFC 6901 §3)
pub(crate) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A text in a message: quoted, at most 80 characters.
pub(crate) fn shown(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    format!("{short:?}")
}
