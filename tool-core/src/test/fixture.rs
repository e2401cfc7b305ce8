//! What a kit provides to its tools beyond values, such as a directory: made anew for each kit, looked at when it ends.

use std::any::Any;

use serde_json::Value;

/// Something that a kit holds for as long as it lives.
///
/// ```
/// use serde_json::{Value, json};
/// use tool_core::test::Fixture;
///
/// /// A mailbox that must be empty in the end.
/// struct Mailbox(Vec<String>);
///
/// impl Fixture for Mailbox {
///     fn leftovers(&self) -> Vec<String> {
///         self.0.iter().map(|letter| format!("{letter} was not read")).collect()
///     }
///
///     fn picture(&self) -> Value {
///         json!(self.0)
///     }
/// }
/// ```
pub trait Fixture: Any + Send + Sync {
    /// What should not be there any more when the kit ends; each fails the test.
    fn leftovers(&self) -> Vec<String> {
        Vec::new()
    }

    /// What calls have made of it, in a form that is equal after equal calls: it tells whether a call does the same on every
    /// surface.
    fn picture(&self) -> Value {
        Value::Null
    }
}
