//! A call printed as words, and what the program reads from them.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use tool_core::{Call, Caller, Executor, ToolContext, ToolEntry};

use crate::{Cli, Io};

/// What a dry run shows of a call, its secrets hidden; none of a call that is refused.
///
/// The executor reads texts as a command line does: `coerce(Coerce::Text)`.
pub fn form(executor: &Executor, tool: &ToolEntry, args: &Value) -> Option<Value> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().ok()?;
    let call = Call::new(tool.name(), args.clone());
    let mut form = runtime.block_on(executor.plan(call, &ToolContext::empty(), Caller::Cli)).ok()?.args;
    for param in tool.def().params.iter().filter(|param| param.keys.secret) {
        if let Some(value) = form.get_mut(param.name).filter(|value| !value.is_null()) {
            *value = json!("***");
        }
    }
    Some(form)
}

/// What the program reads from words in a directory: the normal form that `--dry-run` shows.
///
/// # Errors
/// What it says on standard error.
pub fn dry_run(cli: &Cli, words: &[String], directory: &Path) -> Result<Value, String> {
    let (stdout, stderr) = (Captured::default(), Captured::default());
    let io =
        Io { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()), ..Io::detached(directory) };
    let words = ["--dry-run", "--json"].into_iter().chain(words.iter().map(String::as_str));
    cli.run_from(words, io);
    let told: Map<String, Value> = serde_json::from_str(&stdout.text()).map_err(|_| stderr.text())?;
    Ok(told.get("args").cloned().unwrap_or_default())
}

/// Whether two values are equal; a number is what it counts, `0` or `0.0`.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (Value::Number(x), Value::Number(y)) => {
            x == y || (x.is_f64() || y.is_f64()) && x.as_f64() == y.as_f64()
        }
        _ => a == b,
    }
}

/// A stream that keeps what is written to it; its clones share it.
#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
