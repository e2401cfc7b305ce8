//! A pattern of a row: which tools it means.

use super::agents::is_slug_glob;
use crate::error::ToolError;
use crate::registry::{ToolEntry, glob_matches, is_valid};

/// A name with `*` and `?`, `group:GLOB`, `tag:GLOB` or `agent:SLUG-GLOB`, each optionally after `!`. Case-sensitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    negative: bool,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Name(String),
    Group(String),
    Tag(String),
    Agent(String),
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// `invalid_args`, code `bad_pattern` for an empty one or an unknown prefix, `bad_agent_slug` for a slug that no agent
    /// can have.
    pub fn parse(text: &str) -> Result<Pattern, ToolError> {
        let (negative, body) = match text.strip_prefix('!') {
            Some(body) => (true, body),
            None => (false, text),
        };
        let shown: String = text.chars().take(80).collect();
        let bad = |why: &str| {
            ToolError::invalid_args(format!("`{shown}` is no pattern for tools: {why}."))
                .code("bad_pattern")
                .hint("a name with * and ?, group:GLOB, tag:GLOB or agent:SLUG, each optionally after !")
        };
        let test = match body.split_once(':') {
            Some(("group", "") | ("tag", "")) => return Err(bad("nothing stands behind the colon")),
            Some(("group", glob)) => Test::Group(glob.to_owned()),
            Some(("tag", glob)) => Test::Tag(glob.to_owned()),
            Some(("agent", glob)) if is_slug_glob(glob) => Test::Agent(glob.to_owned()),
            Some(("agent", glob)) => return Err(super::agents::bad_slug(glob)),
            Some((prefix, _)) => return Err(bad(&format!("`{prefix}:` is unknown"))),
            None if body.is_empty() => return Err(bad("it is empty")),
            None if !is_name_glob(body) => return Err(bad("a name has letters, digits, `_` and `-`")),
            None => Test::Name(body.to_owned()),
        };
        Ok(Pattern { text: text.to_owned(), negative, test })
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it leaves out what it matches.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The name of the one tool that it can mean; `None` where it has a wildcard or a prefix.
    pub fn exact_name(&self) -> Option<&str> {
        match &self.test {
            Test::Name(name) if !has_wildcard(name) => Some(name),
            _ => None,
        }
    }

    /// Whether the pattern is about agents.
    pub fn is_agent(&self) -> bool {
        matches!(self.test, Test::Agent(_))
    }

    /// The slug of the one agent that it can mean.
    pub(super) fn exact_agent(&self) -> Option<&str> {
        match &self.test {
            Test::Agent(slug) if !has_wildcard(slug) => Some(slug),
            _ => None,
        }
    }

    /// Whether it means the agent of a slug.
    pub(super) fn means_agent(&self, slug: &str) -> bool {
        matches!(&self.test, Test::Agent(glob) if glob_matches(glob, slug))
    }

    /// Whether it means a tool, or the agent that the tool asks: so far an exclusion reaches.
    pub(super) fn covers(&self, tool: &ToolEntry, slug: Option<&str>) -> bool {
        let def = tool.def();
        match &self.test {
            Test::Agent(glob) => slug.is_some_and(|slug| glob_matches(glob, slug)),
            _ => self.describes(tool.names(), def.group, def.tags.iter().copied()),
        }
    }

    /// Whether it means what has these names, this group and these tags.
    pub(crate) fn describes<'t>(
        &self,
        mut names: impl Iterator<Item = &'t str>,
        group: Option<&str>,
        mut tags: impl Iterator<Item = &'t str>,
    ) -> bool {
        match &self.test {
            Test::Name(glob) => names.any(|name| glob_matches(glob, name)),
            Test::Group(glob) => group.is_some_and(|group| glob_matches(glob, group)),
            Test::Tag(glob) => tags.any(|tag| glob_matches(glob, tag)),
            Test::Agent(_) => false,
        }
    }

    /// Whether it enables a tool. Only patterns about agents enable agent tools: `*` never adds them.
    pub(super) fn grants(&self, tool: &ToolEntry, slug: Option<&str>) -> bool {
        (slug.is_none() || self.is_agent()) && self.covers(tool, slug)
    }

    /// Whether it means a tool of the registry.
    pub fn matches(&self, tool: &ToolEntry) -> bool {
        self.covers(tool, None)
    }
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?'])
}

fn is_name_glob(text: &str) -> bool {
    if has_wildcard(text) {
        return text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*' | '?'));
    }
    is_valid(text)
}
