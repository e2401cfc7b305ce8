//! One canonical JSON Schema 2020-12 per tool, built on first use, once: the source of every dialect, of `--schema`,
//! forms and fingerprints, and the authority on what a call may send. (arguments.md §1)
//!
//! [`canonical()`] brings the schema of one type into its form; `input` and `output` put the schemas of a tool together.
//! [`form`] reads canonical schemas.

mod bounds;
mod canonical;
mod circle;
mod cycles;
mod definitions;
mod flatten;
pub mod form;
mod inline;
mod input;
mod merge;
mod object;
mod output;
mod position;
mod problem;
mod random;
pub(crate) mod range;
mod reference;
mod scalar;
mod spread;
mod union;
mod values;
mod walked;

use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use canonical::with_definitions;
pub use canonical::{canonical, inlined};
pub(crate) use circle::circle;
pub use form::resolve;
pub use input::{InputSchema, ParamSchema};
pub(crate) use object::{required_names, without_null};
pub(crate) use output::UNTYPED;
pub(crate) use position::{Shape, Subject, each_child, position};
pub use problem::SchemaProblem;
pub use random::Random;
pub(crate) use reference::{definition_name, to_definition as reference_to};
pub use values::{Values, says_all_of};

static BUILT: AtomicUsize = AtomicUsize::new(0);

/// How many input and output schemas this process has built, so that tests can tell what was built too early.
pub fn built() -> usize {
    BUILT.load(Ordering::Relaxed)
}

fn count_built() {
    BUILT.fetch_add(1, Ordering::Relaxed);
}
