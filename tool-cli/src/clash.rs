//! Commands and options that cannot stand side by side. Names alone are compared; no schema is built.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;
use tool_core::def::{ParamDef, ParamKind, Surface};
use tool_core::{ToolDef, ToolError};

use crate::builtin::RESERVED;
use crate::flags::negated;
use crate::globals;
use crate::words::{self, kebab, kebab_of};

/// Two things of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The command or option.
    pub name: String,
    /// What has the name already: a tool, a parameter, `group`, `built-in command` or `global option`.
    pub with: String,
    /// The tool that is too many.
    pub tool: String,
    /// Where both are defined, as far as they are tools.
    pub origins: Vec<String>,
}

impl fmt::Display for Clash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "cli_clash: `{}` of `{}` meets {}: {}",
            self.name,
            self.tool,
            self.with,
            self.origins.join(" and ")
        )
    }
}

/// Every clash among tools, each with its effective name.
pub fn clashes<'d>(tools: impl IntoIterator<Item = (&'d str, &'d ToolDef<'d>)>) -> Vec<Clash> {
    let offered: Vec<_> = tools.into_iter().filter(|(_, def)| def.surfaces.contains(Surface::Cli)).collect();
    let groups: BTreeSet<&str> = offered.iter().filter_map(|(_, def)| def.group).collect();
    let groups = groups.into_iter().map(kebab).collect();
    let mut checker = Checker { groups, met: BTreeSet::new(), clashes: Vec::new() };
    let commands: Vec<Command<'_>> = offered.into_iter().map(|(name, def)| Command::of(name, def)).collect();
    let first = first_of_path(&commands);
    for (command, first) in commands.iter().zip(first) {
        checker.command(command, first);
        if command.def.input.is_none() {
            checker.options(command.tool, command.def);
        }
    }
    checker.clashes
}

/// A tool and its words.
struct Command<'d> {
    tool: &'d str,
    def: &'d ToolDef<'d>,
    group: Option<Cow<'d, str>>,
    word: Cow<'d, str>,
}

impl<'d> Command<'d> {
    fn of(tool: &'d str, def: &'d ToolDef<'d>) -> Command<'d> {
        Command { tool, def, group: def.group.map(kebab_of), word: words::word(tool, def.group) }
    }

    fn path(&self) -> String {
        self.group.iter().chain([&self.word]).map(|word| &**word).collect::<Vec<_>>().join(" ")
    }
}

/// For each command the first one of the same path, unless that is itself.
fn first_of_path<'c, 'd>(commands: &'c [Command<'d>]) -> Vec<Option<&'c Command<'d>>> {
    let mut sorted: Vec<(usize, &Command<'_>)> = commands.iter().enumerate().collect();
    // Stable: of several equal ones the first stays in front.
    sorted.sort_by(|(_, a), (_, b)| (&a.group, &a.word).cmp(&(&b.group, &b.word)));
    let mut first = vec![None; commands.len()];
    for same in sorted.chunk_by(|(_, a), (_, b)| (&a.group, &a.word) == (&b.group, &b.word)) {
        let Some(((_, it), others)) = same.split_first() else { continue };
        for (at, _) in others {
            if let Some(first) = first.get_mut(*at) {
                *first = Some(*it);
            }
        }
    }
    first
}

/// The error of a program whose commands clash; `None` when they do not.
pub(crate) fn error(clashes: &[Clash]) -> Option<ToolError> {
    let lines: Vec<String> = clashes.iter().map(Clash::to_string).collect();
    (!lines.is_empty()).then(|| ToolError::failed(lines.join("\n")).code("cli_clash"))
}

struct Checker {
    groups: BTreeSet<String>,
    /// The groups that are reported already.
    met: BTreeSet<String>,
    clashes: Vec<Clash>,
}

impl Checker {
    fn command(&mut self, command: &Command<'_>, same: Option<&Command<'_>>) {
        let Command { tool, def, group, word } = command;
        let origin = || def.origin.to_string();
        let first = group.as_ref().unwrap_or(word);
        if word.is_empty() || first.is_empty() {
            return self.clash(command.path(), "an empty word", tool, vec![origin()]);
        }
        if RESERVED.contains(&&**first) && (group.is_none() || self.met.insert(first.to_string())) {
            self.clash(first.to_string(), "built-in command", tool, vec![origin()]);
        } else if group.is_none() && self.groups.contains(&**first) {
            self.clash(first.to_string(), "group", tool, vec![origin()]);
        }
        if let Some(same) = same {
            self.clash(command.path(), same.tool, tool, vec![same.def.origin.to_string(), origin()]);
        }
    }

    fn options(&mut self, tool: &str, def: &ToolDef<'_>) {
        // Every start of a program does this for all of its tools: a tool has few options, and a list of them is enough.
        let mut taken: Vec<(Form<'_>, &str)> = Vec::with_capacity(2 * def.params.len());
        for param in def.params.iter().filter(|param| !param.keys.flatten) {
            let before = taken.len();
            for form in forms(param).into_iter().flatten() {
                let of_others = || taken.iter().take(before).find(|(other, _)| *other == form);
                let with = if form.is_reserved(param) {
                    Some("global option")
                } else {
                    of_others().map(|row| row.1)
                };
                if let Some(with) = with {
                    self.clash(form.to_string(), with, tool, vec![def.origin.to_string()]);
                }
                taken.push((form, param.name));
            }
        }
    }

    fn clash(&mut self, name: String, with: &str, tool: &str, origins: Vec<String>) {
        self.clashes.push(Clash { name, with: with.to_owned(), tool: tool.to_owned(), origins });
    }
}

/// A spelling of an option.
#[derive(PartialEq, Eq)]
enum Form<'a> {
    Long(Cow<'a, str>),
    Short(char),
}

impl Form<'_> {
    /// Whether the program has it itself. A switch `dry-run` takes that one over.
    fn is_reserved(&self, param: &ParamDef<'_>) -> bool {
        match self {
            Form::Long(long) if long == "dry-run" && param.kind == ParamKind::Flag => false,
            Form::Long(long) => globals::is_reserved(long),
            Form::Short(letter) => globals::short(*letter).is_some(),
        }
    }
}

impl fmt::Display for Form<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Long(long) => write!(f, "--{long}"),
            Form::Short(letter) => write!(f, "-{letter}"),
        }
    }
}

/// Every listed spelling of a parameter.
fn forms<'a>(param: &ParamDef<'a>) -> [Option<Form<'a>>; 3] {
    let long = param.keys.cli.long.map_or_else(|| words::kebab_of(param.name), Cow::Borrowed);
    let second =
        if param.keys.secret { Some([&*long, "-file"].concat()) } else { negates(param).then(|| negated(&long)) };
    let short = param.keys.cli.short.map(Form::Short);
    [Some(Form::Long(long)), second.map(|second| Form::Long(Cow::Owned(second))), short]
}

/// Whether `--no-x` is an option, as far as that is known without a schema.
fn negates(param: &ParamDef<'_>) -> bool {
    let filled =
        || param.default.is_some_and(|make| matches!(make(), Value::Array(items) if !items.is_empty()));
    match param.kind {
        ParamKind::Flag | ParamKind::Nullable => true,
        ParamKind::List => filled(),
        ParamKind::Required | ParamKind::Optional => false,
    }
}

#[cfg(test)]
mod tests {
    use tool_core::prelude::*;

    use super::*;

    /// Reads.
    #[tool(group = "file", register = false)]
    fn read_file(
        /// A single letter is a long option of its own.
        y: String,
        /// Text.
        #[arg(short = 'l')]
        limit: Option<u32>,
    ) {
        let _ = (y, limit);
    }

    /// Reads.
    #[tool(group = "file", name = "file_read", register = false)]
    fn reads_again() {}

    fn names(defs: &[&ToolDef<'static>]) -> Vec<(String, String)> {
        let found = clashes(defs.iter().map(|def| (def.name, *def)));
        found.into_iter().map(|clash| (clash.name, clash.with)).collect()
    }

    #[test]
    fn tools_with_words_and_options_of_their_own_stand_side_by_side() {
        assert_eq!(names(&[ReadFileTool::DEF]), []);
    }

    #[test]
    fn two_tools_of_one_command_name_both_origins() {
        let pair = [ReadFileTool::DEF, ReadsAgainTool::DEF];
        assert_eq!(names(&pair), [("file read".to_owned(), "read_file".to_owned())]);
        let found = clashes(pair.iter().map(|def| (def.name, *def)));
        assert_eq!(found.first().map(|clash| clash.origins.len()), Some(2));
        assert_eq!(error(&found).unwrap().code_str(), "cli_clash");
        assert!(error(&[]).is_none());
    }
}
