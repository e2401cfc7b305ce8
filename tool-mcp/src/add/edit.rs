//! The place of a server in a settings file: finding, setting and removing it, in three formats, by one rule: the file says
//! afterwards what it said before, but for that entry.

use std::path::Path;

use serde_json::{Map, Value};
use tool_core::ToolError;

use super::{json, toml, yaml};

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON, with comments and commas at the end.
    Json,
    Toml,
    Yaml,
}

/// The place of a server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<'a> {
    pub(super) format: Format,
    /// The member that holds the servers.
    pub(super) servers: &'a str,
    pub(super) name: &'a str,
}

/// Why a file cannot be edited, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) text: String,
}

impl Fault {
    /// A fault at a byte of a text.
    pub(super) fn at(text: &str, byte: usize, what: String) -> Fault {
        let before = text.get(..text.floor_char_boundary(byte.min(text.len()))).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
        Fault { line, column, text: what }
    }

    pub(super) fn of(self, path: &Path) -> ToolError {
        let Fault { line, column, text } = self;
        let text = format!("{}:{line}:{column}: {text}.", path.display());
        let error =
            ToolError::failed(text).code("config_unreadable").hint("mend the file; it was not touched");
        error.detail("line", line).detail("column", column)
    }
}

impl Slot<'_> {
    /// The entry that has the name.
    pub(super) fn find(&self, text: Option<&str>) -> Result<Option<Value>, Fault> {
        let whole = self.read(text)?;
        Ok(whole.get(self.servers).and_then(|servers| servers.get(self.name)).cloned())
    }

    /// The file with this entry under the name.
    pub(super) fn set(&self, text: Option<&str>, entry: &Value) -> Result<String, Fault> {
        let mut wanted = self.read(text)?;
        let servers = wanted.entry(self.servers.to_owned()).or_insert_with(|| Value::Object(Map::new()));
        if let Some(servers) = servers.as_object_mut() {
            servers.insert(self.name.to_owned(), entry.clone());
        }
        let text = text.filter(|text| !text.trim().is_empty());
        let new = match self.format {
            Format::Json => json::set(text, self, entry),
            Format::Toml => toml::set(text, self, entry),
            Format::Yaml => yaml::set(text, self, entry),
        }?;
        self.verified(new, &wanted)
    }

    /// The file without an entry under the name.
    pub(super) fn remove(&self, text: Option<&str>) -> Result<String, Fault> {
        let mut wanted = self.read(text)?;
        if let Some(servers) = wanted.get_mut(self.servers).and_then(Value::as_object_mut) {
            servers.shift_remove(self.name);
        }
        let text = text.unwrap_or_default();
        let new = match self.format {
            Format::Json => json::remove(text, self),
            Format::Toml => toml::remove(text, self),
            Format::Yaml => yaml::remove(text, self),
        }?;
        self.verified(new, &wanted)
    }

    /// What the file says.
    fn read(&self, text: Option<&str>) -> Result<Map<String, Value>, Fault> {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(Map::new()) };
        let whole = match self.format {
            Format::Json => json::read(text),
            Format::Toml => toml::read(text),
            Format::Yaml => yaml::read(text),
        }?;
        let whole = match whole {
            Value::Object(members) => members,
            Value::Null => Map::new(),
            _ => return Err(Fault::at(text, first(text), "the settings are no object".to_owned())),
        };
        match whole.get(self.servers) {
            None | Some(Value::Object(_)) => Ok(whole),
            Some(_) => {
                let byte = text.find(self.servers).unwrap_or(0);
                Err(Fault::at(text, byte, format!("`{}` is no object", self.servers)))
            }
        }
    }

    /// Holds an edit to its promise: nothing else has changed.
    fn verified(&self, new: String, wanted: &Map<String, Value>) -> Result<String, Fault> {
        let found = self.read(Some(&new))?;
        match self.told(found) == self.told(wanted.clone()) {
            true => Ok(new),
            false => {
                let text = "the entry cannot be put into a file of this form".to_owned();
                Err(Fault { line: 1, column: 1, text })
            }
        }
    }

    /// What a file says, where no servers and an empty table of them are the same.
    fn told(&self, mut whole: Map<String, Value>) -> Map<String, Value> {
        if whole.get(self.servers).and_then(Value::as_object).is_some_and(Map::is_empty) {
            whole.shift_remove(self.servers);
        }
        whole
    }
}

/// Where the first value of a text is.
fn first(text: &str) -> usize {
    text.len() - text.trim_start().len()
}
