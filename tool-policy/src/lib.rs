//! Policy files: which agent may call which tool with which arguments.
//!
//! A file in TOML or YAML becomes one tree with positions, which one validator turns into a [`Policy`] or into all its
//! mistakes, each with line and column. Nothing is allowed by a file with a mistake. (calls.md §4)

mod explain;
mod from_toml;
mod from_yaml;
mod judge;
mod lint;
mod mistake;
mod nearest;
mod paths;
mod policy;
mod rules;
mod shell_words;
mod tree;
mod validate;

pub use explain::Verdict;
pub use lint::Warning;
pub use mistake::{LoadError, Mistake, MistakeCode, Position};
pub use paths::{FileSystem, Paths};
pub use policy::{Policy, Syntax};
