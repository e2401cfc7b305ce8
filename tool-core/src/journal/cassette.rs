//! Cassettes: results that are recorded once and replayed in tests. (journal.md §12)
//!
//! A cassette is a layer next to the tool. One line per call, `{"args","ordinal","result","tool"}` with sorted keys and without
//! what changes from run to run, so that recording twice gives one file.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};

use super::key::{Pepper, canonical_arguments};
use super::outcome::{error_of_json, output_of_json, output_to_json};
use crate::call::redact::{self, KnownSecrets};
use crate::call::{CallScope, Invocation, Layer, Next, recorded_input, scrub};
use crate::canonical;
use crate::def::{BoxFuture, ToolDef};
use crate::error::ToolError;
use crate::output::ToolResult;

/// What changes from run to run and says nothing about a result.
const VOLATILE: [&str; 8] =
    ["call_id", "replayed", "tries", "duration_ms", "started_at_ms", "finished_at_ms", "trace", "span"];

/// How many recorded calls a miss is compared with.
const NEAREST: usize = 3;

/// What a cassette does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CassetteMode {
    /// Runs every call and writes a new file.
    Record,
    /// Runs nothing.
    Replay,
    /// Replays what is recorded, and records the rest.
    Auto,
    /// Runs nothing, and fails at the end when something recorded was not asked for.
    Strict,
}

/// Recorded calls, as a layer: `Executor::standard(tools).before("run", cassette)`.
///
/// `TOOL_CASSETTE=record` makes every cassette record.
pub struct Cassette {
    path: PathBuf,
    mode: CassetteMode,
    tape: Mutex<Tape>,
}

#[derive(Default)]
struct Tape {
    entries: Vec<Entry>,
    /// How often each call was made so far.
    asked: HashMap<(String, String), u64>,
}

struct Entry {
    tool: String,
    args: Value,
    ordinal: u64,
    result: Value,
    used: bool,
}

impl Cassette {
    /// Opens a cassette. What is in the file stays until the first call is recorded, and where it cannot be read.
    ///
    /// # Errors
    /// `not_found` where there is nothing to replay, `invalid_args` for a file or a line that is none, with its number; `failed`
    /// where it cannot be written.
    pub fn open(path: impl AsRef<Path>, mode: CassetteMode) -> Result<Cassette, ToolError> {
        let record = std::env::var("TOOL_CASSETTE").as_deref() == Ok("record");
        let mode = if record { CassetteMode::Record } else { mode };
        let path = path.as_ref().to_owned();
        let entries = match (mode, std::fs::read_to_string(&path)) {
            (CassetteMode::Record, _) => writable(&path).map(|()| Vec::new())?,
            (_, Ok(text)) => entries(&path, &text)?,
            (CassetteMode::Auto, Err(error)) if error.kind() == io::ErrorKind::NotFound => {
                writable(&path).map(|()| Vec::new())?
            }
            (_, Err(error)) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ToolError::not_found(format!("{}: {error}", path.display()))
                    .code("cassette_missing")
                    .hint("record it once with TOOL_CASSETTE=record"));
            }
            (_, Err(error)) => {
                return Err(
                    ToolError::invalid_args(format!("{}: {error}", path.display())).code("bad_cassette")
                );
            }
        };
        let tape = Mutex::new(Tape { entries, asked: HashMap::new() });
        Ok(Cassette { path, mode, tape })
    }

    fn tape(&self) -> MutexGuard<'_, Tape> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The recorded result of a call; the number of the call among equal ones where there is none.
    fn recorded(&self, tool: &str, args: &Value) -> Result<ToolResult, u64> {
        let mut tape = self.tape();
        let asked = tape.asked.entry((tool.to_owned(), canonical::text(args))).or_default();
        let ordinal = *asked;
        *asked += 1;
        let same = |entry: &&mut Entry| {
            entry.tool == tool && entry.ordinal == ordinal && canonical::equal(&entry.args, args)
        };
        let entry = tape.entries.iter_mut().find(same).ok_or(ordinal)?;
        entry.used = true;
        Ok(match entry.result.get("error") {
            Some(error) => Err(error_of_json(&error.to_string())),
            None => output_of_json(&entry.result.to_string()).ok_or_else(|| {
                let text = format!("{}: the result of {tool} {args} is none.", self.path.display());
                ToolError::internal(text)
                    .code("bad_cassette")
                    .hint("record it anew with TOOL_CASSETTE=record")
            }),
        })
    }

    fn record(&self, tool: &str, args: Value, ordinal: u64, mut result: Value) -> Result<(), ToolError> {
        settle(&mut result);
        let mut tape = self.tape();
        tape.entries.push(Entry { tool: tool.to_owned(), args, ordinal, result, used: true });
        // Calls that run side by side end in any order: the file has one.
        tape.entries
            .sort_by_cached_key(|entry| (entry.tool.clone(), canonical::text(&entry.args), entry.ordinal));
        let lines: String = tape.entries.iter().map(|entry| entry.line() + "\n").collect();
        std::fs::write(&self.path, lines).map_err(|error| unwritten(&self.path, error))
    }

    /// What to say about a call that is not recorded.
    fn miss(&self, tool: &str, args: &Value, ordinal: u64) -> ToolError {
        let tape = self.tape();
        let mut near: Vec<(usize, &Entry)> =
            tape.entries.iter().map(|entry| (distance(entry, tool, args), entry)).collect();
        near.sort_by_key(|row| row.0);
        let near: Vec<Value> = near
            .into_iter()
            .take(NEAREST)
            .map(|(_, entry)| json!({"tool": entry.tool, "args": entry.args, "ordinal": entry.ordinal, "diff": diff(&entry.args, args)}))
            .collect();
        let first =
            near.first().map(|near| format!("; the nearest recorded call is {near}")).unwrap_or_default();
        ToolError::not_found(format!("{tool} {args} (number {ordinal}) is not on the cassette{first}"))
            .code("cassette_miss")
            .hint("record it with TOOL_CASSETTE=record")
            .detail("nearest", near)
    }
}

/// Makes sure that the file can be written before a tool runs, and leaves what is in it: of several kits with this file not each
/// makes a call.
fn writable(path: &Path) -> Result<(), ToolError> {
    let opened = File::options().append(true).create(true).open(path);
    opened.map(drop).map_err(|error| unwritten(path, error))
}

fn unwritten(path: &Path, error: io::Error) -> ToolError {
    let told = format!("The cassette {} cannot be written: {error}.", path.display());
    ToolError::failed(told).code("cassette_unwritten").source(error)
}

/// What the lines of a file hold; a blank one holds nothing.
fn entries(path: &Path, text: &str) -> Result<Vec<Entry>, ToolError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let entry = |(nth, line): (usize, &str)| {
        Entry::of_line(line).map_err(|why| {
            let told = format!("{}:{}: {why}", path.display(), nth + 1);
            ToolError::invalid_args(told)
                .code("bad_cassette")
                .hint("record it anew with TOOL_CASSETTE=record")
        })
    };
    lines.map(entry).collect()
}

impl Entry {
    /// What a line holds, or why it is none.
    fn of_line(line: &str) -> Result<Entry, String> {
        let mut line: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let lacks = |member: &str| format!("`{member}` is missing, or of another type");
        Ok(Entry {
            tool: line.get("tool").and_then(Value::as_str).ok_or_else(|| lacks("tool"))?.to_owned(),
            ordinal: line.get("ordinal").and_then(Value::as_u64).ok_or_else(|| lacks("ordinal"))?,
            args: line.get_mut("args").map(Value::take).ok_or_else(|| lacks("args"))?,
            result: line.get_mut("result").map(Value::take).ok_or_else(|| lacks("result"))?,
            used: false,
        })
    }

    fn line(&self) -> String {
        canonical::text(
            &json!({"tool": self.tool, "args": self.args, "ordinal": self.ordinal, "result": self.result}),
        )
    }
}

/// The arguments of a call as a cassette has them: canonical, and without what the schema or a known secret hides. The file goes
/// where its project goes.
fn kept_arguments(def: &ToolDef<'_>, args: &Value, secrets: &KnownSecrets) -> Value {
    // A secret is the same word everywhere by now: its digest says nothing.
    canonical_arguments(def, &recorded_input(def, args, secrets).0, &Pepper::default())
}

/// A result as a cassette has it: as the journal would, and without known secrets.
fn kept_result(def: &ToolDef<'_>, result: &ToolResult, secrets: &KnownSecrets) -> Value {
    let kept = match result {
        Ok(output) => Ok(redact::output::recordable(def, output).unwrap_or_else(|| output.clone())),
        Err(error) => Err(redact::error::recordable(def, error)),
    };
    match scrub(kept, secrets) {
        Ok(output) => output_to_json(&output),
        Err(error) => json!({"error": error.to_json()}),
    }
}

/// Takes out what changes from run to run: it is left out of what is said about a result, and blank in the result itself, whose
/// schema may require it.
fn settle(result: &mut Value) {
    for part in ["meta", "error"] {
        if let Some(members) = result.get_mut(part).and_then(Value::as_object_mut) {
            members.retain(|key, _| !VOLATILE.contains(&key.as_str()));
            if let Some(details) = members.get_mut("details").and_then(Value::as_object_mut) {
                details.retain(|key, _| !VOLATILE.contains(&key.as_str()));
            }
        }
    }
    blank(result);
}

fn blank(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(blank),
        Value::Object(members) => {
            for (key, value) in members.iter_mut() {
                match value {
                    Value::Number(_) if VOLATILE.contains(&key.as_str()) => *value = json!(0),
                    Value::String(_) if VOLATILE.contains(&key.as_str()) => *value = json!(""),
                    below => blank(below),
                }
            }
        }
        _ => {}
    }
}

/// How far a recorded call is from one that is asked for: another tool first, then members that differ.
fn distance(entry: &Entry, tool: &str, args: &Value) -> usize {
    1_000 * usize::from(entry.tool != tool) + diff(&entry.args, args).len()
}

/// The members that differ: recorded and asked for.
fn diff(recorded: &Value, asked: &Value) -> Map<String, Value> {
    let nothing = Map::new();
    let (one, other) = (recorded.as_object().unwrap_or(&nothing), asked.as_object().unwrap_or(&nothing));
    let keys: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let differ = keys.into_iter().filter(|key| match (one.get(*key), other.get(*key)) {
        (Some(a), Some(b)) => !canonical::equal(a, b),
        _ => true,
    });
    differ.map(|key| (key.clone(), json!({"recorded": one.get(key), "asked": other.get(key)}))).collect()
}

impl Layer for Cassette {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let tool = inv.tool.name();
            let (def, ctx, none) = (inv.tool.def(), inv.ctx, KnownSecrets::default());
            // Asked for each time: a tool may be handed a secret while it runs.
            let secrets = || ctx.running().and_then(CallScope::known_secrets).unwrap_or(&none);
            let args = kept_arguments(def, &inv.args, secrets());
            let ordinal = match self.recorded(tool, &args) {
                Ok(result) if self.mode != CassetteMode::Record => return result,
                Ok(_) => 0,
                Err(ordinal) => ordinal,
            };
            if matches!(self.mode, CassetteMode::Replay | CassetteMode::Strict) {
                return Err(self.miss(tool, &args, ordinal));
            }
            let result = next.run(inv).await;
            self.record(tool, args, ordinal, kept_result(def, &result, secrets()))?;
            result
        })
    }
}

impl Drop for Cassette {
    fn drop(&mut self) {
        if self.mode != CassetteMode::Strict || std::thread::panicking() {
            return;
        }
        let tape = self.tape();
        let unused: Vec<String> = tape.entries.iter().filter(|entry| !entry.used).map(Entry::line).collect();
        #[expect(clippy::panic, reason = "a test must fail that does not ask for what it has recorded")]
        if !unused.is_empty() {
            panic!("{} calls of {} were not made:\n{}", unused.len(), self.path.display(), unused.join("\n"));
        }
    }
}

impl fmt::Debug for Cassette {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cassette").field("path", &self.path).field("mode", &self.mode).finish_non_exhaustive()
    }
}
