//! `tools lock`: the contract of the tools as a file, and what changed since it was written. (registry.md §10)

use std::io::ErrorKind as Io;
use std::path::Path;

use serde_json::{Value, json};
use tool_core::contract::{self, Change, Class, Lock, compare, worst};
use tool_core::prelude::*;
use tool_core::{Content, ErrorKind};

use super::{EXIT, Program};
use crate::replace;

/// Writes the contract of the tools to tools.lock, or compares with it.
///
/// Commit the file: a review then shows what changes for callers. With `--check` nothing is written; exit code 0: nothing
/// changed that is not allowed, 4: something did.
#[tool(group = "tools", aliases = ["lock"], register = false, side_effect, idempotent)]
pub(crate) fn tools_lock(
    /// Compare with the file instead of writing it.
    check: bool,
    /// The worst class of changes that passes the check.
    #[arg(choices = ["none", "text", "additive"], default = Class::None.as_str().to_owned())]
    allow: String,
    #[ctx] program: &Program,
) -> ToolResult {
    let path = program.cwd.join(contract::FILE);
    let lock = Lock::of(&program.registry)?;
    if !check {
        return write(&path, &lock);
    }
    let text = Lock::load(&path).map_err(|error| unread(&error))?;
    let changes = compare(&Lock::read(&text)?.tools, &lock.tools);
    let class = worst(&changes);
    let allowed = Class::ALL.iter().find(|row| row.1 == allow).map_or(Class::None, |row| row.0);
    let mut output = report(&changes, class);
    if class > allowed {
        output.meta.insert(EXIT.to_owned(), Value::from(ErrorKind::Conflict.exit_code()));
    }
    Ok(output)
}

fn write(path: &Path, lock: &Lock) -> ToolResult {
    let text = lock.text()?;
    let same = Lock::load(path).is_ok_and(|was| was == text);
    if !same {
        replace::replace(path, text.as_bytes()).map_err(|error| {
            ToolError::failed(format!("'{}' cannot be written: {}.", contract::FILE, error.kind()))
                .code("output_write")
        })?;
    }
    let count = lock.tools.len();
    let said = if same { "is up to date" } else { "written" };
    let value = json!({"path": contract::FILE, "tools": count, "changed": !same});
    Ok(ToolOutput::structured(value)
        .with_content(Content::text(format!("{} {said}: {count} tools\n", contract::FILE))))
}

/// One line per change, the worst first.
fn report(changes: &[Change], class: Class) -> ToolOutput {
    let mut lines: Vec<&Change> = changes.iter().collect();
    lines.sort_by_key(|change| std::cmp::Reverse(change.class()));
    let text = match lines.as_slice() {
        [] => "none: no change\n".to_owned(),
        lines => lines.iter().map(|change| format!("{change}\n")).collect(),
    };
    let changes: Vec<Value> = changes.iter().map(Change::to_json).collect();
    ToolOutput::structured(json!({"class": class.as_str(), "changes": changes}))
        .with_content(Content::text(text))
}

fn unread(error: &std::io::Error) -> ToolError {
    if error.kind() == Io::NotFound {
        return ToolError::not_found(format!("There is no {} in this directory.", contract::FILE))
            .code("lock_missing")
            .hint("write it with `tools lock`, beside Cargo.toml");
    }
    ToolError::not_configured(format!("{} cannot be read: {error}.", contract::FILE)).code("lock_unread")
}
