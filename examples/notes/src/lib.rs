//! A small notebook: a toolbox with state, a struct and an enum as parameters, a secret, and a tool made at run time.

mod notebook;
mod templates;

pub use notebook::{NOTEBOOK_TOOLS, Note, Notebook, Order, Tag};
pub use templates::template_tools;
