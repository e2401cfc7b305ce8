//! From what a caller sent to typed values. One decoder serves every surface.
//!
//! [`parse`] reads text; [`Args`] matches keys to parameters (`whole`), takes each one (`take`) by its type (`lenient`)
//! and where that does not suffice by its schema (`walk`), and reports everything at once (`finish`). Both decoders read
//! single values through one table (`coerce`).

mod asked;
mod bounds;
mod coerce;
mod coercion;
mod compare;
mod decode;
mod direct;
mod finish;
mod flat;
mod frame;
mod guarded;
mod issue;
mod judge;
mod lenient;
mod measure;
mod names;
mod normal;
mod parse;
mod patterns;
mod place;
pub(crate) mod pointer;
mod refused;
mod sample;
mod schema_only;
mod settings;
mod shadow;
mod shape;
mod split;
mod suggest;
mod take;
mod texts;
mod typed;
mod unescape;
mod walk;
mod whole;

pub(crate) use coercion::Notes;
pub use coercion::{Coerce, Coercion, MAX_NOTES, Rule};
pub use frame::Args;
pub use issue::{ArgIssue, IssueCode, MAX_ISSUES};
pub use measure::measure;
pub(crate) use parse::not_an_object;
pub use parse::{
    MAX_ARGS_BYTES, MAX_DEPTH, Members, parse, parse_arguments, parse_frame, parse_object, parse_within,
    too_large,
};
pub(crate) use patterns::{compiles, validator};
pub use pointer::push_given;
pub use refused::refused;
pub use settings::misfits;
pub(crate) use shape::{Checks, Unusable};
pub use suggest::{did_you_mean, suggest};
pub use texts::{expected, expected_range, got, got_hidden, number_text, shown_name};
pub use walk::one_of;

/// What stands for the words of a type about a secret value: they might repeat it.
const HIDDEN: &str = "another value";
