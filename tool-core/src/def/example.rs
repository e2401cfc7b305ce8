//! A call that shows how a tool is used: help, descriptors and tests read the same one.

/// One `#[example]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example<'a> {
    /// What the call is good for.
    pub label: &'a str,
    /// The arguments, JSON text of one object.
    pub args: &'a str,
    /// Members that the result must have, JSON text.
    pub result: Option<&'a str>,
}
