//! The log of the server: a JSON line for each request, with the headers of keys replaced.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use axum::http::HeaderMap;
use serde_json::{Map, Value, json};

/// The headers that carry keys.
const KEYS: [&str; 3] = ["authorization", "x-api-key", "x-goog-api-key"];

/// What was asked and answered, in order.
#[derive(Debug, Default)]
pub struct Log {
    file: Option<Mutex<File>>,
    entries: Mutex<Vec<Value>>,
}

impl Log {
    /// A log that is also written to a file, which is appended to.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn to_file(path: &Path) -> io::Result<Log> {
        let file = File::options().append(true).create(true).open(path)?;
        Ok(Log { file: Some(Mutex::new(file)), entries: Mutex::default() })
    }

    /// All entries so far: `api`, `path`, `headers`, `body`, `status`, and a `reason` where the request was refused.
    pub fn entries(&self) -> Vec<Value> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds a request and its answer.
    pub(super) fn add(
        &self,
        api: &str,
        path: &str,
        headers: &HeaderMap,
        body: Value,
        status: u16,
        reason: &str,
    ) {
        let headers = headers.iter().map(|(name, value)| {
            let shown =
                if KEYS.contains(&name.as_str()) { "[key]" } else { value.to_str().unwrap_or("[bytes]") };
            (name.to_string(), Value::from(shown))
        });
        let mut entry = json!({"api": api, "path": path, "headers": headers.collect::<Map<_, _>>(), "body": body,
            "status": status});
        if !reason.is_empty() {
            entry["reason"] = reason.into();
        }
        if let Some(file) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = writeln!(file, "{entry}");
        }
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }
}
