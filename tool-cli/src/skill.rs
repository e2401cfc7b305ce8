//! SKILL.md files: one for each group, in the form of Agent Skills (agentskills.io, specification as of 2026).
//!
//! A file holds at most [`SKILL_BYTES`]; tools that find no room in it have a page of their own below `reference/`.

use serde_json::{Map, Value};

use crate::builtin::Program;
use crate::command_line;
use crate::flags::{Effect, Param, Table};
use crate::llms;
use crate::options::{Meaning, meaning, one_line};
use crate::quote::quote;
use crate::sample;
use crate::schema;
use crate::synopsis::{flag, listed, synopsis};
use crate::tree::{Command, Tree};

/// Bytes of one SKILL.md.
pub(crate) const SKILL_BYTES: usize = 16 * 1024;

/// Characters of a description.
const DESCRIPTION_CHARACTERS: usize = 1_024;

/// Room for the sentence about tools that are not even named.
const MORE: usize = 200;

/// The files of the groups, or of some: path below the output directory, and text.
pub(crate) fn files(program: &Program, groups: &[String]) -> Vec<(String, String)> {
    let tree = Tree::new(&program.registry);
    let mut files = Vec::new();
    for (group, commands) in &tree.groups {
        if groups.is_empty() || groups.contains(group) {
            let about = program.groups.get(group).cloned().unwrap_or_default();
            let skill = Skill { program: &program.name, name: format!("{}-{group}", program.name), about };
            files.extend(skill.files(commands));
        }
    }
    if groups.is_empty() {
        let about = program.about.clone();
        let skill = Skill { program: &program.name, name: program.name.clone(), about };
        files.extend(skill.files(&tree.tools));
    }
    files
}

/// One skill.
struct Skill<'a> {
    program: &'a str,
    name: String,
    about: String,
}

impl Skill<'_> {
    fn files(&self, commands: &[Command<'_>]) -> Vec<(String, String)> {
        let shown: Vec<&Command<'_>> = commands
            .iter()
            .filter(|command| command.is_listed() && command.entry.def().deprecated.is_none())
            .collect();
        if shown.is_empty() {
            return Vec::new();
        }
        let head = self.head(&shown);
        let foot = format!("\n## Calling\n\n{}", llms::calling(self.program));
        let mut text = head;
        let mut references = Vec::new();
        // Room that the pages still to come need at least.
        let line = |command: &Command<'_>| {
            let name = command.entry.name();
            let words = command.words().join(" ");
            let summary = one_line(command.entry.def().summary());
            format!("\n## {} {words}\n\n{summary} See reference/{name}.md.\n", self.program)
        };
        let mut later: usize = shown.iter().map(|command| line(command).len()).sum();
        for command in &shown {
            later -= line(command).len();
            let section = self.section(command);
            let taken = text.len() + foot.len() + MORE;
            if taken + section.len() + later <= SKILL_BYTES {
                text.push_str(&section);
                continue;
            }
            if taken + line(command).len() <= SKILL_BYTES {
                text.push_str(&line(command));
            }
            let path = format!("{}/reference/{}.md", self.name, command.entry.name());
            references.push((path, section.replacen("\n## ", "# ", 1)));
        }
        if !references.is_empty() {
            text.push_str("\nEvery other tool has a page under reference/, named after it.\n");
        }
        text.push_str(&foot);
        std::iter::once((format!("{}/SKILL.md", self.name), text)).chain(references).collect()
    }

    /// Front matter and title.
    fn head(&self, shown: &[&Command<'_>]) -> String {
        let does: Vec<String> = shown.iter().map(|command| one_line(command.entry.def().summary())).collect();
        let about = sentence(&self.about);
        let description = format!("{about}Use it when a task needs one of these. {}", does.join(" "));
        let description = shortened(description.trim(), DESCRIPTION_CHARACTERS);
        let title = if about.is_empty() { String::new() } else { format!("\n{}\n", about.trim_end()) };
        // A JSON text is a YAML text on one line, which every reader of front matter takes.
        format!(
            "---\nname: {}\ndescription: {}\n---\n\n# {}\n{title}",
            self.name,
            Value::from(description),
            self.name
        )
    }

    /// What there is to know of one tool.
    fn section(&self, command: &Command<'_>) -> String {
        let def = command.entry.def();
        let table = Table::new(def, &schema::told(def));
        let name = format!("{} {}", self.program, command.words().join(" "));
        let mut text = format!("\n## {name}\n\n{}\n\n", def.description().trim_end());
        text.push_str(&format!("    {}\n\n", synopsis(&name, &table)));
        let arguments = argument_list(&table);
        if !arguments.is_empty() {
            text.push_str(&format!("{arguments}\n"));
        }
        let words = command_line::words(&table, &example(def, &table));
        let words: Vec<String> = words.iter().map(|word| quote(word)).collect();
        let call = [vec![name], words].concat().join(" ");
        text.push_str(&format!("Example:\n\n```sh\n{call}\n```\n\nEffect: {}.\n", def.behavior.words()));
        text
    }
}

/// The first example of the author, or else the plainest call there is.
fn example(def: &tool_core::ToolDef<'_>, table: &Table) -> Map<String, Value> {
    let own = def.examples.first().and_then(|example| serde_json::from_str(example.args).ok());
    own.unwrap_or_else(|| sample::arguments(table))
}

fn argument_list(table: &Table) -> String {
    let shown = table
        .params
        .iter()
        .filter(|param| param.long.is_some() && !param.hidden && param.deprecated.is_none());
    let line = |param: &Param| {
        let brackets = crate::brackets::brackets(param);
        let effect = listed(param, table).map_or(Effect::Give, |row| row.effect);
        let text = match meaning(param, effect) {
            Meaning::Of(say) => [vec![say(&one_line(&param.doc))], param.notes(), brackets].concat(),
            Meaning::Itself(text) => vec![text.to_owned()],
        };
        let option = || if param.positional || param.last { param.usage() } else { Some(flag(param, table)) };
        format!("- `{}`: {}\n", option().unwrap_or_default(), text.join(" ").trim())
    };
    shown.map(line).collect()
}

/// A text with a full stop and a blank behind it; nothing for nothing.
fn sentence(text: &str) -> String {
    let text = one_line(text);
    match text.chars().last() {
        None => text,
        Some('.' | '!' | '?') => format!("{text} "),
        Some(_) => format!("{text}. "),
    }
}

/// A text of at most so many characters, cut between words.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most - 1).collect();
    let end = kept.rfind(' ').unwrap_or(kept.len());
    format!("{}…", kept.get(..end).unwrap_or_default())
}
