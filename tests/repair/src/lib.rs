//! Calls as models break them, and how many of them each library takes at once or after one repair.
//!
//! `calls/*.json` is the corpus: for each call that was meant, the forms in which models send it wrongly. A
//! [`Subject`] is a library with the same twelve tools; [`trial`] sends it a broken call, has the call mended by
//! nothing but the text of the error and the schema, and sends it once more. [`figures`] counts. Ours is here; those of
//! other libraries, which link what the project links, are in the workspace of `tests/peers`.

pub mod arguments;
pub mod case;
mod complaint;
pub mod figures;
mod json;
mod mend;
mod nearest;
pub mod ours;
mod place;
mod read;
mod rules;
mod schema;
mod subject;
mod trial;

pub use case::{Case, corpus};
pub use figures::Figures;
pub use ours::Ours;
pub use subject::{Answer, Subject};
pub use trial::{Outcome, trial};
