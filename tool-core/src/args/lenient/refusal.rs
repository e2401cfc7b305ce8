//! Why the decoder by type gave up: the error of its `Deserializer`.

use std::fmt;

use serde::de;
use serde_json::Value;

use crate::args::issue::{ArgIssue, IssueCode};
use crate::args::place::Place;
use crate::args::{HIDDEN, texts};

/// The most characters of a foreign type's own message.
const MAX_MESSAGE: usize = 200;

/// One misfit, and where it was met.
#[derive(Debug)]
pub(crate) struct Refusal(Box<Inner>);

#[derive(Debug)]
struct Inner {
    code: IssueCode,
    expected: String,
    hint: Option<&'static str>,
    limits: Option<(i128, i128)>,
    /// The field that serde says came twice, by its own name.
    twice: Option<&'static str>,
    met: Option<Met>,
}

/// Pointer and value, written down while both are at hand.
#[derive(Debug)]
struct Met {
    path: String,
    shown: String,
    hidden: String,
}

impl Refusal {
    pub(super) fn new(code: IssueCode, expected: String, hint: Option<&'static str>) -> Refusal {
        Refusal(Box::new(Inner { code, expected, hint, limits: None, twice: None, met: None }))
    }

    /// An integer outside the limits of its type or parameter.
    pub(super) fn outside(least: i128, greatest: i128) -> Refusal {
        let mut refusal = Refusal::new(IssueCode::Range, format!("integer {least}..={greatest}"), None);
        refusal.0.limits = Some((least, greatest));
        refusal
    }

    /// A key that an earlier one means as well.
    pub(super) fn twice(place: &Place<'_>) -> Refusal {
        let mut refusal = Refusal::new(IssueCode::Duplicate, "one value".into(), None);
        let got = "the key twice".to_owned();
        refusal.0.met = Some(Met { path: place.pointer(), shown: got.clone(), hidden: got });
        refusal
    }

    /// Says where it was met, unless that is known more exactly.
    pub(in crate::args) fn at(mut self, place: &Place<'_>, value: &Value) -> Refusal {
        self.0.met.get_or_insert_with(|| Met {
            path: place.pointer(),
            shown: texts::got(value),
            hidden: texts::got_hidden(value),
        });
        self
    }

    /// The limits of the integer type that refused a value.
    pub(crate) fn limits(&self) -> Option<(i128, i128)> {
        self.0.limits
    }

    /// The field that two keys mean.
    pub(in crate::args) fn field_twice(&self) -> Option<&'static str> {
        self.0.twice
    }

    /// The pointer to where it was met.
    pub(crate) fn path(&self) -> &str {
        self.0.met.as_ref().map_or("", |met| &met.path)
    }

    /// The issue, without the value and the type's own message under a secret parameter.
    pub(crate) fn into_issue(self, secret: bool) -> ArgIssue {
        let Inner { code, expected, hint, met, .. } = *self.0;
        let (path, got) = match met {
            Some(met) => (met.path, if secret { met.hidden } else { met.shown }),
            None => Default::default(),
        };
        let expected = if secret && code == IssueCode::Invalid { HIDDEN.to_owned() } else { expected };
        ArgIssue { path, code, expected, got, hint: hint.map(str::to_owned) }
    }
}

impl de::Error for Refusal {
    fn custom<T: fmt::Display>(message: T) -> Refusal {
        let message = message.to_string();
        let expected = match message.char_indices().nth(MAX_MESSAGE) {
            Some((end, _)) => format!("{}…", message.get(..end).unwrap_or_default()),
            None => message,
        };
        Refusal::new(IssueCode::Invalid, expected, None)
    }

    fn duplicate_field(field: &'static str) -> Refusal {
        let mut refusal = Refusal::new(IssueCode::Duplicate, format!("`{field}` once"), None);
        refusal.0.twice = Some(field);
        refusal
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.expected)
    }
}

impl std::error::Error for Refusal {}
