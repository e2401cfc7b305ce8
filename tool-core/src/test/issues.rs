//! `assert_issues!`: exactly these issues, in this order.

use crate::error::ToolError;

/// Asserts the issues of an error, each as `"/path code"`.
///
/// ```
/// use serde_json::json;
/// use tool_core::{Call, Caller, Executor, Registry, ToolContext, assert_issues, prelude::*};
///
/// /// Adds two numbers.
/// #[tool(group = "math", register = false)]
/// fn add(/// One.
///        one: u32, /// The other.
///        other: u32) -> u32 { one + other }
///
/// let registry = Registry::builder().add::<AddTool>().build()?;
/// let call = Call::new("add", json!({"one": "x"}));
/// let error = Executor::standard(registry).build()?.call_blocking(call, &ToolContext::empty(), Caller::Test).unwrap_err();
/// assert_issues!(error, ["/one type", "/other missing"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// With the whole error.
#[macro_export]
macro_rules! assert_issues {
    ($error:expr, [$($issue:expr),* $(,)?] $(,)?) => {{
        let error = &$error;
        let expected: &[&str] = &[$($issue),*];
        let found = $crate::test::issues_of(error);
        assert_eq!(found, expected, "the issues of {}", error.to_json());
    }};
}

/// The issues of an error, each as `"/path code"`.
pub fn issues_of(error: &ToolError) -> Vec<String> {
    error.arg_issues().iter().map(|issue| format!("{} {}", issue.path, issue.code.as_str())).collect()
}
