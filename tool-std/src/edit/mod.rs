//! The edit engines: pure functions from the bytes of a file and an edit to the bytes of the new file.
//!
//! No file is opened here. Each engine applies all of an edit or nothing, and says what it did in one form,
//! [`Edited`]; `splice` is where the line engines meet. (Source: files.md §7–§9.)

mod document;
mod edited;
mod excerpt;
pub mod line_end;
pub mod line_patch;
mod occurrences;
mod quote;
mod refusal;
pub mod replace;
mod splice;
pub mod unified;

pub use document::{Document, Line};
pub use edited::{Applied, Edited};
pub use excerpt::Excerpt;
pub use line_patch::LinePatch;
