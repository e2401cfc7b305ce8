//! `--llms`: one Markdown page that tells a language model what there is and how to call it.
//!
//! It depends on the registry alone, so that the same tools always give the same bytes.

use std::collections::BTreeMap;

use tool_core::ErrorKind;

use crate::flags::Table;
use crate::help::marks;
use crate::options::one_line;
use crate::schema;
use crate::synopsis::synopsis;
use crate::tree::{Command, Tree};

/// The page.
pub(crate) fn page(program: &str, about: &str, groups: &BTreeMap<String, String>, tree: &Tree<'_>) -> String {
    let mut page = format!("# {program}\n");
    if !about.is_empty() {
        page.push_str(&format!("\n{}\n", one_line(about)));
    }
    for (group, commands) in &tree.groups {
        let title = groups.get(group).map_or_else(|| group.clone(), |about| format!("{group}: {about}"));
        section(&mut page, &title, program, commands);
    }
    section(&mut page, "Tools", program, &tree.tools);
    page.push_str(&format!("\n## Calling\n\n{}", calling(program)));
    page
}

fn section(page: &mut String, title: &str, program: &str, commands: &[Command<'_>]) {
    let listed: Vec<&Command<'_>> = commands.iter().filter(|command| command.is_listed()).collect();
    if listed.is_empty() {
        return;
    }
    page.push_str(&format!("\n## {title}\n\n"));
    for command in listed {
        let def = command.entry.def();
        let table = Table::new(def, &schema::told(def));
        let name = format!("{program} {}", command.words().join(" "));
        let line = synopsis(&name, &table);
        page.push_str(&format!("- `{line}` {}{}\n", one_line(def.summary()), marks(def)));
    }
}

/// How to call any command, as Markdown.
pub(crate) fn calling(program: &str) -> String {
    let kinds = ErrorKind::all().map(|kind| (kind.exit_code(), kind.as_str()));
    let mut codes: Vec<(u8, &str)> = std::iter::once((0, "success")).chain(kinds).collect();
    codes.sort_unstable();
    let codes: Vec<String> = codes.iter().map(|(code, word)| format!("{code} {word}")).collect();
    format!(
        "\
- All arguments as one JSON object: `{program} COMMAND --input '{{\"name\": \"value\"}}'`; `--input @FILE` and `--input -` read it.
- Results and errors as JSON: `--json`. The result goes to standard output, an error to standard error as one line.
- Arguments of a command: `{program} COMMAND --help`; their schema: `{program} COMMAND --schema`.
- What a call would do, without doing it: `--dry-run`. A destructive command needs `--yes` where nobody can be asked.
- Many calls: `{program} call --jsonl -` reads one `{{\"tool\": …, \"args\": …}}` a line and answers each by one line.
- Exit codes: {}.
",
        codes.join(", ")
    )
}
