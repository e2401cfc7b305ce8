//! Skills: files that teach an agent a group of tools, served as resources where a server is asked to. (mcp.md §10, SEP-2640)

use std::collections::BTreeMap;

use serde_json::Value;
use tool_core::{Registry, Select, ToolEntry, ToolError};

/// What every URI of a skill begins with.
const SCHEME: &str = "skill://";

/// The file that a skill begins with.
const ENTRY: &str = "SKILL.md";

/// The files of the skills, by URI.
#[derive(Clone, Debug, Default)]
pub(crate) struct Skills(BTreeMap<String, String>);

/// What writes the files of the skills of some tools.
pub(crate) type Write = Box<dyn Fn(&Registry) -> Vec<(String, String)> + Send + Sync>;

/// Where skills come from.
#[derive(Default)]
pub(crate) struct Source {
    /// Files that are served whatever clients see.
    pub(crate) files: Vec<(String, String)>,
    /// What writes those of the tools that clients see.
    pub(crate) write: Option<Write>,
}

impl Source {
    /// The skills of a server for clients that see these tools.
    ///
    /// # Errors
    /// Those of making a registry of the visible tools.
    pub(crate) fn skills(
        &self,
        server: &str,
        registry: &Registry,
        visible: &[&ToolEntry],
    ) -> Result<Skills, ToolError> {
        let mut files = self.files.clone();
        if let (Some(write), false) = (&self.write, visible.is_empty()) {
            let names: Vec<&str> = visible.iter().map(|tool| tool.name()).collect();
            let only = Select::parse(&names.join(","))?;
            files.extend(write(&registry.to_builder().only(only).build()?));
        }
        Ok(Skills::new(server, &files))
    }
}

/// One skill.
pub(crate) struct Skill<'a> {
    /// The URI of the file that it begins with.
    pub(crate) uri: &'a str,
    pub(crate) name: &'a str,
    pub(crate) description: String,
    /// Its files: URI and text.
    pub(crate) files: Vec<(&'a str, &'a str)>,
}

impl Skills {
    /// The skills in files, each a path such as `NAME/SKILL.md` and a text, as a server of this name has them.
    pub(crate) fn new(server: &str, files: &[(String, String)]) -> Skills {
        let uri = |path: &str| format!("{SCHEME}{server}/{path}");
        Skills(files.iter().map(|(path, text)| (uri(path), text.clone())).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The skills, by URI.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Skill<'_>> {
        self.0.iter().filter_map(|(uri, text)| self.skill(uri, text))
    }

    /// The skill that begins with the file of a URI.
    pub(crate) fn get(&self, uri: &str) -> Option<Skill<'_>> {
        let (uri, text) = self.0.get_key_value(uri)?;
        self.skill(uri, text)
    }

    /// The files: URI and text.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(uri, text)| (uri.as_str(), text.as_str()))
    }

    /// The text of a file.
    pub(crate) fn text(&self, uri: &str) -> Option<&str> {
        self.0.get(uri).map(String::as_str)
    }

    fn skill<'a>(&'a self, uri: &'a str, text: &str) -> Option<Skill<'a>> {
        let directory = uri.strip_suffix(ENTRY)?;
        let name = directory.strip_suffix('/')?.rsplit('/').next()?;
        let files = self.files().filter(|(uri, _)| uri.starts_with(directory)).collect();
        Some(Skill { uri, name, description: description(text), files })
    }
}

/// The description in the front matter, which is a JSON text on one line.
fn description(text: &str) -> String {
    let line = text.lines().find_map(|line| line.strip_prefix("description: ")).unwrap_or_default();
    match serde_json::from_str(line) {
        Ok(Value::String(text)) => text,
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_an_entry_and_the_files_below_its_directory() {
        let entry = "---\nname: a\ndescription: \"Does \\\"a\\\".\"\n---\n";
        let files = [("a/SKILL.md", entry), ("a/reference/x.md", "# x"), ("ab/SKILL.md", "")];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let skills = Skills::new("demo", &files);
        let all: Vec<Skill<'_>> = skills.iter().collect();
        assert_eq!(all.iter().map(|skill| skill.name).collect::<Vec<_>>(), ["a", "ab"]);
        assert_eq!(all[0].description, "Does \"a\".");
        let uris: Vec<&str> = all[0].files.iter().map(|file| file.0).collect();
        assert_eq!(uris, ["skill://demo/a/SKILL.md", "skill://demo/a/reference/x.md"]);
        assert!(skills.get("skill://demo/a/reference/x.md").is_none(), "it begins no skill");
        assert_eq!(skills.text("skill://demo/a/reference/x.md"), Some("# x"));
    }
}
