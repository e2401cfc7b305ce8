//! One broken call before one library: taken at once, taken after one repair, or not.

use crate::case::Case;
use crate::mend::mend;
use crate::subject::{Answer, Subject};

/// How a call went.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The function received what was meant.
    AtOnce,
    /// It did after one repair.
    AfterOne,
    /// The tool ran with other arguments than were meant, and nobody was told.
    Otherwise,
    /// It was still refused, or ran with other arguments, after one repair.
    Unrepaired {
        /// The first error.
        told: String,
        /// The repaired text.
        sent: String,
        /// What that came to.
        then: String,
    },
}

/// Tries a case. The repair knows the error's text, the schema and the call; of what was meant it is given only a value
/// that an error asks for by name and that the call does not have.
///
/// # Panics
/// When the library refuses the call that was meant.
#[allow(clippy::panic, reason = "such a case tests nothing")]
pub fn trial(subject: &mut dyn Subject, case: &Case) -> Outcome {
    let meant = match subject.call(&case.tool, &case.meant.to_string()) {
        Answer::Ran(meant) => meant,
        Answer::Refused(error) => {
            panic!("{}: {} refuses what was meant, {}: {error}", subject.name(), case.tool, case.meant)
        }
    };
    let told = match subject.call(&case.tool, &case.sent) {
        Answer::Ran(got) if got == meant => return Outcome::AtOnce,
        Answer::Ran(_) => return Outcome::Otherwise,
        Answer::Refused(told) => told,
    };
    let sent = mend(&told, &case.sent, &subject.schema(&case.tool), &case.meant);
    match subject.call(&case.tool, &sent) {
        Answer::Ran(got) if got == meant => Outcome::AfterOne,
        Answer::Ran(got) => Outcome::Unrepaired { told, sent, then: format!("ran with {got}") },
        Answer::Refused(then) => Outcome::Unrepaired { told, sent, then },
    }
}
