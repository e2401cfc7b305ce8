//! Commands and options that cannot stand side by side. Names alone are compared; no schema is built.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

use serde_json::Value;
use tool_core::def::{ParamDef, ParamKind, Surface};
use tool_core::{ToolDef, ToolError};

use crate::builtin::RESERVED;
use crate::flags::negated;
use crate::globals;
use crate::words::{self, kebab};

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
    let paths = HashMap::with_capacity(offered.len());
    let mut checker = Checker { groups, paths, met: BTreeSet::new(), clashes: Vec::new() };
    for (name, def) in offered {
        checker.command(name, def);
        if def.input.is_none() {
            checker.options(name, def);
        }
    }
    checker.clashes
}

/// The error of a program whose commands clash; `None` when they do not.
pub(crate) fn error(clashes: &[Clash]) -> Option<ToolError> {
    let lines: Vec<String> = clashes.iter().map(Clash::to_string).collect();
    (!lines.is_empty()).then(|| ToolError::failed(lines.join("\n")).code("cli_clash"))
}

struct Checker<'d> {
    groups: BTreeSet<String>,
    /// The tool of each command.
    paths: HashMap<String, (&'d str, &'d ToolDef<'d>)>,
    /// The groups that are reported already.
    met: BTreeSet<String>,
    clashes: Vec<Clash>,
}

impl<'d> Checker<'d> {
    fn command(&mut self, tool: &'d str, def: &'d ToolDef<'d>) {
        let words = words::command(tool, def.group);
        let origin = || def.origin.to_string();
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return };
        if last.is_empty() || first.is_empty() {
            return self.clash(words.join(" "), "an empty word", tool, vec![origin()]);
        }
        let is_group = words.len() > 1;
        if RESERVED.contains(&first.as_str()) && (!is_group || self.met.insert(first.clone())) {
            self.clash(first.clone(), "built-in command", tool, vec![origin()]);
        } else if !is_group && self.groups.contains(first) {
            self.clash(first.clone(), "group", tool, vec![origin()]);
        }
        let path = words.join(" ");
        match self.paths.get(&path) {
            Some((other, its)) => {
                let (with, origins) = ((*other).to_owned(), vec![its.origin.to_string(), origin()]);
                self.clash(path, &with, tool, origins);
            }
            None => {
                self.paths.insert(path, (tool, def));
            }
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
        if param.keys.secret { Some(format!("{long}-file")) } else { negates(param).then(|| negated(&long)) };
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
