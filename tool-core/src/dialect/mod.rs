//! What each model API, and MCP, accepts: descriptors, calls, results.
//!
//! A dialect turns a tool into what one API accepts, turns the model's call back into canonical arguments, and a result
//! into what the API accepts as one. It never runs a tool.

mod issue;
pub mod limits;
mod schema;
mod wire;

pub use issue::{Action, DialectIssue, SchemaIssue};
pub use limits::Limits;
pub use schema::{Budget, Compiled, compile};
pub use wire::Wire;

/// TMP
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum DialectId {
    X,
}
impl std::fmt::Display for DialectId {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}
