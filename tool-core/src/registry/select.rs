//! Choosing tools by pattern: `group:file,tag:net,!delete_*`.

use std::fmt;

use super::ToolEntry;
use crate::args::{shown_name, suggest};
use crate::error::ToolError;

/// A selection of tools: kept is what a positive pattern matches and no negative one does; without a positive pattern
/// everything starts kept.
///
/// Patterns are separated by commas, each optionally after `!`: `GLOB` on names and aliases, `group:GLOB`, `tag:GLOB`,
/// `effect:read_only|side_effect|destructive|open_world`. `*` and `?` only; case-sensitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    patterns: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    text: String,
    negative: bool,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Name(String),
    Group(String),
    Tag(String),
    Effect(Effect),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    ReadOnly,
    Change,
    Destructive,
    OpenWorld,
}

/// The words behind `effect:`.
const EFFECTS: [(&str, Effect); 4] = [
    ("read_only", Effect::ReadOnly),
    ("side_effect", Effect::Change),
    ("destructive", Effect::Destructive),
    ("open_world", Effect::OpenWorld),
];

impl Select {
    /// Reads a selection.
    ///
    /// # Errors
    /// `invalid_args`, code `selection_invalid`: an empty pattern, an unknown prefix or effect.
    pub fn parse(text: &str) -> Result<Select, ToolError> {
        let patterns = text.split(',').map(|part| Pattern::parse(part.trim())).collect::<Result<_, _>>()?;
        Ok(Select { patterns })
    }

    /// Whether a tool is kept.
    pub fn keeps(&self, entry: &ToolEntry) -> bool {
        let mut positive = self.patterns.iter().filter(|pattern| !pattern.negative).peekable();
        let kept = positive.peek().is_none() || positive.any(|pattern| pattern.matches(entry));
        kept && !self.patterns.iter().any(|pattern| pattern.negative && pattern.matches(entry))
    }

    /// The patterns that match none of the tools, each with the nearest names.
    pub(super) fn unmatched<'a>(
        &'a self,
        tools: &'a [ToolEntry],
    ) -> impl Iterator<Item = (&'a str, Vec<String>)> + 'a {
        let idle = self.patterns.iter().filter(|pattern| !tools.iter().any(|entry| pattern.matches(entry)));
        idle.map(|pattern| (pattern.text.as_str(), pattern.nearest(tools)))
    }
}

impl Pattern {
    fn parse(text: &str) -> Result<Pattern, ToolError> {
        let (negative, body) = match text.strip_prefix('!') {
            Some(body) => (true, body),
            None => (false, text),
        };
        let bad = |message: String| Err(ToolError::invalid_args(message).code("selection_invalid"));
        let test = match body.split_once(':') {
            _ if body.is_empty() => return bad("the selection has an empty pattern".to_owned()),
            None => Test::Name(body.to_owned()),
            Some(("group", glob)) => Test::Group(glob.to_owned()),
            Some(("tag", glob)) => Test::Tag(glob.to_owned()),
            Some(("effect", word)) => match EFFECTS.iter().find(|row| row.0 == word) {
                Some(row) => Test::Effect(row.1),
                None => {
                    let known = EFFECTS.map(|row| row.0).join(", ");
                    return bad(format!("unknown effect `{}`; known: {known}", shown_name(word)));
                }
            },
            Some((prefix, _)) => {
                return bad(format!(
                    "unknown selection `{}:`; known: group:, tag:, effect:",
                    shown_name(prefix)
                ));
            }
        };
        Ok(Pattern { text: text.to_owned(), negative, test })
    }

    fn matches(&self, entry: &ToolEntry) -> bool {
        let def = entry.def();
        match &self.test {
            Test::Name(glob) => entry.names().any(|name| glob_matches(glob, name)),
            Test::Group(glob) => def.group.is_some_and(|group| glob_matches(glob, group)),
            Test::Tag(glob) => def.tags.iter().any(|tag| glob_matches(glob, tag)),
            Test::Effect(Effect::ReadOnly) => !def.behavior.side_effect,
            Test::Effect(Effect::Change) => def.behavior.side_effect,
            Test::Effect(Effect::Destructive) => def.behavior.destructive,
            Test::Effect(Effect::OpenWorld) => def.behavior.open_world,
        }
    }

    fn nearest(&self, tools: &[ToolEntry]) -> Vec<String> {
        let all = tools.iter();
        let among = |wanted: &str, known: Vec<(&str, &str)>| {
            suggest(wanted, known).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let near = |wanted: &str, known: Vec<&str>| {
            among(wanted, known.into_iter().map(|name| (name, name)).collect())
        };
        match &self.test {
            Test::Name(glob) => among(glob, all.flat_map(ToolEntry::spellings).collect()),
            Test::Group(glob) => near(glob, all.filter_map(|entry| entry.def().group).collect())
                .into_iter()
                .map(|name| format!("group:{name}"))
                .collect(),
            Test::Tag(glob) => near(glob, all.flat_map(|entry| entry.def().tags.iter().copied()).collect())
                .into_iter()
                .map(|name| format!("tag:{name}"))
                .collect(),
            Test::Effect(_) => Vec::new(),
        }
    }
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<_> = self.patterns.iter().map(|pattern| pattern.text.as_str()).collect();
        f.write_str(&texts.join(","))
    }
}

/// Whether a pattern of `*` (any characters) and `?` (one character) matches a whole text. Linear in both but for
/// one star's restart.
pub fn glob_matches(glob: &str, text: &str) -> bool {
    let (mut glob, mut text) = (glob.chars(), text.chars());
    let mut restart: Option<(std::str::Chars<'_>, std::str::Chars<'_>)> = None;
    loop {
        let mut after = glob.clone();
        match (after.next(), text.clone().next()) {
            (Some('*'), _) => {
                restart = Some((after.clone(), text.clone()));
                glob = after;
                continue;
            }
            (Some(wanted), Some(found)) if wanted == '?' || wanted == found => {
                glob = after;
                text.next();
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        let Some((star, from)) = &mut restart else { return false };
        if from.next().is_none() {
            return false;
        }
        glob = star.clone();
        text = from.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_match_whole_texts() {
        for (glob, text, expected) in [
            ("*", "", true),
            ("read_*", "read_file", true),
            ("read_*", "unread_file", false),
            ("*file*", "a_file_b", true),
            ("r?ad", "read", true),
            ("r?ad", "rad", false),
            ("a*b*c", "aXbYbc", true),
            ("a*b*c", "aXbYb", false),
            ("", "a", false),
            ("é?", "éa", true),
        ] {
            assert_eq!(glob_matches(glob, text), expected, "{glob} on {text}");
        }
    }

    #[test]
    fn a_selection_with_an_unknown_prefix_is_refused_and_a_known_one_is_read() {
        assert!(Select::parse("grup:file").is_err());
        assert!(Select::parse("effect:evil").is_err());
        assert!(Select::parse("a,,b").is_err());
        assert_eq!(Select::parse("group:file, !delete_*").unwrap().to_string(), "group:file,!delete_*");
    }
}
