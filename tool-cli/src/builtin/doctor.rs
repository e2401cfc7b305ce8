//! `doctor`: whether the program can do its work here, and what to do where it cannot.

use serde_json::Value;
use tool_core::ErrorKind;
use tool_core::prelude::*;

use super::{EXIT, Program};
use crate::doctor::Status;

/// Checks settings, secrets, capabilities and limits.
///
/// Each check is `ok`, `warn` or `fail`, with what to do about it. The exit code is 6 when one fails.
#[tool(register = false)]
pub(crate) fn doctor(
    /// List every limit with its value.
    limits: bool,
    #[ctx] program: &Program,
) -> ToolResult {
    let Some(report) = &program.report else {
        return Err(ToolError::internal("Nothing was inspected."));
    };
    let value = if program.brief { report.rows(limits) } else { report.to_json() };
    let mut output = ToolOutput::structured(value);
    if report.status() == Status::Fail {
        output.meta.insert(EXIT.to_owned(), Value::from(ErrorKind::NotConfigured.exit_code()));
    }
    Ok(output)
}
