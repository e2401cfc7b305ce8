//! What an error says is wrong: at which place, and what would be right.
//!
//! Whoever words the error, this is all that a repair learns of it.

use serde_json::Value;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Complaint {
    /// Where.
    pub(crate) at: At,
    /// What.
    pub(crate) says: Says,
}

/// How an error tells a place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum At {
    /// By a pointer into the call.
    Pointer(String),
    /// By a name alone, of a key or a field.
    Name(String),
    /// By repeating the value, as far as the error shows it.
    Value(Shown),
    /// Not at all.
    Untold,
}

/// A value as an error repeats it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shown {
    /// This very value.
    Scalar(Value),
    /// Some array.
    Array,
    /// Some object.
    Object,
}

/// What an error says of a place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Says {
    /// The text is not JSON.
    Syntax,
    /// Something must stand there; with the keys that the error wants inside it.
    Missing {
        /// Keys that belong inside.
        inside: Vec<String>,
    },
    /// Nothing of this name may stand there.
    Unknown {
        /// The names that the error offers instead, best first.
        offered: Vec<String>,
        /// The names that may stand there.
        known: Vec<String>,
    },
    /// The value is of another form than it must be; what must be is in the schema.
    Misfit,
    /// The value is not one of these.
    Choice {
        /// Those that the error offers, best first.
        offered: Vec<String>,
        /// All.
        choices: Vec<String>,
    },
    /// The number is beyond a bound.
    Range {
        /// The smallest that is allowed.
        least: Option<f64>,
        /// The greatest.
        greatest: Option<f64>,
    },
    /// It stands there twice.
    Duplicate,
}
