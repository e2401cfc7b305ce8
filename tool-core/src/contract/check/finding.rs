//! One thing that a lint says.

use std::fmt;

use serde_json::{Value, json};

use super::Hit;
use crate::registry::{Registry, ToolEntry};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// It cannot work, or not as it says.
    Error,
    /// It works, and could be better.
    Warning,
}

impl Level {
    /// The word of the level.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
        }
    }
}

/// What the tag of a tool begins with that silences a warning.
const ALLOW: &str = "allow:";

/// What a lint found. Sorted by level, lint, tool and place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// The lint.
    pub id: String,
    /// The tool by its effective name; empty for the set.
    pub tool: String,
    /// JSON Pointer into the arguments, `*` for every item and map value; empty for the tool. The losses of dialects have one
    /// into the canonical schema.
    pub path: String,
    /// What is wrong, and what would be right.
    pub text: String,
    /// Where the tool is defined; empty for the set.
    pub origin: String,
}

impl Finding {
    /// A finding at a tool.
    pub fn of(tool: &ToolEntry, level: Level, id: impl Into<String>, hit: Hit) -> Finding {
        Finding {
            level,
            id: id.into(),
            tool: tool.name().to_owned(),
            path: hit.path,
            text: hit.text,
            origin: tool.def().origin.to_string(),
        }
    }

    /// A finding at no tool in particular.
    pub fn of_set(level: Level, id: impl Into<String>, text: impl Into<String>) -> Finding {
        let (tool, path, origin) = (String::new(), String::new(), String::new());
        Finding { level, id: id.into(), tool, path, text: text.into(), origin }
    }

    /// `{level, id, tool, path, text, origin}`.
    pub fn to_json(&self) -> Value {
        json!({
            "level": self.level.as_str(), "id": self.id, "tool": self.tool, "path": self.path, "text": self.text,
            "origin": self.origin,
        })
    }

    /// Whether its tool has the tag `allow:ID`. An error is never silenced.
    pub fn is_silenced(&self, registry: &Registry) -> bool {
        let tags = registry.get(&self.tool).map_or(&[][..], |tool| tool.def().tags);
        self.level == Level::Warning && tags.iter().any(|tag| tag.strip_prefix(ALLOW) == Some(&self.id))
    }
}

/// `LEVEL ID TOOL PATH: TEXT`, without what is empty.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.level.as_str(), self.id)?;
        for part in [&self.tool, &self.path].into_iter().filter(|part| !part.is_empty()) {
            write!(f, " {part}")?;
        }
        write!(f, ": {}", self.text)
    }
}
