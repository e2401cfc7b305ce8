//! Attributes and signature → IR. What is wrong with their form is reported here, what they mean together in `check`.

pub(crate) mod arg_attr;
pub(crate) mod ctx_attr;
pub(crate) mod docs;
pub(crate) mod example_attr;
pub(crate) mod keys;
pub(crate) mod number;
pub(crate) mod signature;
pub(crate) mod tokens;
pub(crate) mod tool_attr;
