//! The text of an error, read for what it complains of: our JSON, or the sentences of serde and of authors.

use crate::complaint::Complaint;

mod issues;
mod sentences;

/// What an error says is wrong. Nothing but its text is known here.
pub(crate) fn complaints(error: &str) -> Vec<Complaint> {
    issues::read(error).unwrap_or_else(|| sentences::read(error).into_iter().collect())
}
