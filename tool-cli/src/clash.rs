//! Commands and options that cannot stand side by side. Names alone are compared; no schema is built.

mod apart;
mod lint;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;
use tool_core::def::{ParamDef, ParamKind, Surface};
use tool_core::{Registry, ToolDef, ToolError};

use crate::builtin::RESERVED;
use crate::globals::{GLOBALS, Global, GlobalDef};
use crate::words::{Word, kebab};
use apart::Mark;

pub use lint::lint;

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

/// The tools of a registry, unless two of them are one command.
///
/// # Errors
/// `failed`, code `cli_clash`, with every clash.
pub(crate) fn unclashing(registry: Registry) -> Result<Registry, ToolError> {
    let named = registry.iter().map(|entry| (entry.name(), entry.def()));
    match error(&clashes(named)) {
        Some(error) => Err(error),
        None => Ok(registry),
    }
}

/// Every clash among tools, each with its effective name.
pub fn clashes<'d>(
    tools: impl IntoIterator<Item = (&'d str, &'d ToolDef<'d>), IntoIter: Clone>,
) -> Vec<Clash> {
    let offered = tools.into_iter().filter(|(_, def)| def.surfaces.contains(Surface::Cli));
    if apart::all(offered.clone()) { Vec::new() } else { thorough(offered) }
}

/// Every clash, however long that takes.
fn thorough<'d>(offered: impl Iterator<Item = (&'d str, &'d ToolDef<'d>)>) -> Vec<Clash> {
    let commands: Vec<Command<'_>> = offered.map(|(name, def)| Command::of(name, def)).collect();
    let groups: BTreeSet<&str> = commands.iter().filter_map(|command| command.def.group).collect();
    let groups = groups.into_iter().map(kebab).collect();
    let mut checker = Checker { groups, met: BTreeSet::new(), forms: Vec::new(), clashes: Vec::new() };
    let taken = taken_paths(&commands);
    for (at, command) in commands.iter().enumerate() {
        checker.command(command, taken.get(&at).copied());
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
    group: Option<Word<'d>>,
    word: Word<'d>,
}

impl<'d> Command<'d> {
    fn of(tool: &'d str, def: &'d ToolDef<'d>) -> Command<'d> {
        Command { tool, def, group: def.group.map(Word::of), word: Word::of_tool(tool, def.group) }
    }

    fn has_empty_word(&self) -> bool {
        self.word.is_empty() || self.group.as_ref().is_some_and(Word::is_empty)
    }

    /// The marks of its first word and of all its words.
    fn marks(&self) -> (Mark, Mark) {
        let word = self.word.bytes();
        match &self.group {
            Some(group) => {
                let first = Mark::of(group.bytes());
                (first, first.and(std::iter::once(b' ').chain(word)))
            }
            None => (Mark::of(word.clone()), Mark::of(word)),
        }
    }

    fn path(&self) -> String {
        self.group.iter().chain([&self.word]).map(Word::to_string).collect::<Vec<_>>().join(" ")
    }
}

/// The commands whose path another one has already, by place, each with the first of that path.
fn taken_paths<'c, 'd>(commands: &'c [Command<'d>]) -> BTreeMap<usize, &'c Command<'d>> {
    let mut sorted: Vec<(usize, &Command<'_>)> = commands.iter().enumerate().collect();
    // Stable: of several equal ones the first stays in front.
    sorted.sort_by(|(_, a), (_, b)| (&a.group, &a.word).cmp(&(&b.group, &b.word)));
    let same = sorted.chunk_by(|(_, a), (_, b)| a.word == b.word && a.group == b.group);
    same.filter_map(<[_]>::split_first)
        .flat_map(|((_, first), others)| others.iter().map(|(at, _)| (*at, *first)))
        .collect()
}

/// The error of a program whose commands clash; `None` when they do not.
pub(crate) fn error(clashes: &[Clash]) -> Option<ToolError> {
    let lines: Vec<String> = clashes.iter().map(Clash::to_string).collect();
    (!lines.is_empty()).then(|| ToolError::failed(lines.join("\n")).code("cli_clash"))
}

struct Checker<'d> {
    groups: BTreeSet<String>,
    /// The groups that are reported already.
    met: BTreeSet<String>,
    /// The options of one tool so far, each with its parameter.
    forms: Vec<(Form<'d>, &'d str)>,
    clashes: Vec<Clash>,
}

impl<'d> Checker<'d> {
    fn command(&mut self, command: &Command<'d>, same: Option<&Command<'d>>) {
        let Command { tool, def, group, word } = command;
        let origin = || def.origin.to_string();
        let first = group.as_ref().unwrap_or(word);
        if command.has_empty_word() {
            return self.clash(command.path(), "an empty word", tool, vec![origin()]);
        }
        if RESERVED.iter().any(|word| first.is(word)) {
            if group.is_none() || self.met.insert(first.to_string()) {
                self.clash(first.to_string(), "built-in command", tool, vec![origin()]);
            }
        } else if group.is_none() && self.groups.iter().any(|group| first.is(group)) {
            self.clash(first.to_string(), "group", tool, vec![origin()]);
        }
        if let Some(same) = same {
            self.clash(command.path(), same.tool, tool, vec![same.def.origin.to_string(), origin()]);
        }
    }

    fn options(&mut self, tool: &str, def: &'d ToolDef<'d>) {
        let mut taken = std::mem::take(&mut self.forms);
        taken.clear();
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
        self.forms = taken;
    }

    fn clash(&mut self, name: String, with: &str, tool: &str, origins: Vec<String>) {
        self.clashes.push(Clash { name, with: with.to_owned(), tool: tool.to_owned(), origins });
    }
}

/// A spelling of an option.
#[derive(PartialEq)]
enum Form<'a> {
    Long(Long<'a>),
    Short(char),
}

/// A long form: a word with what stands in front of it and behind it.
struct Long<'a> {
    head: &'static str,
    word: Word<'a>,
    tail: &'static str,
}

impl Form<'_> {
    /// Whether the program has it itself.
    fn is_reserved(&self, param: &ParamDef<'_>) -> bool {
        GLOBALS.iter().any(|row| self.is_own(row, param))
    }

    /// Whether it is this option of the program. A switch `dry-run` takes that one over.
    fn is_own(&self, row: &GlobalDef, param: &ParamDef<'_>) -> bool {
        match self {
            Form::Long(long) => {
                let takes_over = param.kind == ParamKind::Flag && row.global == Global::DryRun;
                !takes_over && long.is(row.long)
            }
            Form::Short(letter) => row.short == Some(*letter),
        }
    }
}

impl Long<'_> {
    fn len(&self) -> usize {
        self.head.len() + self.word.bytes().len() + self.tail.len()
    }

    fn bytes(&self) -> impl Iterator<Item = u8> {
        self.head.bytes().chain(self.word.bytes()).chain(self.tail.bytes())
    }

    fn is(&self, text: &str) -> bool {
        self.len() == text.len() && self.bytes().eq(text.bytes())
    }
}

impl PartialEq for Long<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.bytes().eq(other.bytes())
    }
}

impl fmt::Display for Form<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Long(Long { head, word, tail }) => write!(f, "--{head}{word}{tail}"),
            Form::Short(letter) => write!(f, "-{letter}"),
        }
    }
}

/// Every listed spelling of a parameter.
fn forms<'a>(param: &ParamDef<'a>) -> [Option<Form<'a>>; 3] {
    let long = |head, word, tail| Some(Form::Long(Long { head, word, tail }));
    let word = Word::of(param.keys.cli.long.unwrap_or(param.name));
    let second = if param.keys.secret {
        long("", word.clone(), "-file")
    } else if !negates(param) {
        None
    } else if let Some(rest) = word.without_no() {
        long("", rest, "")
    } else {
        long("no-", word.clone(), "")
    };
    [long("", word, ""), second, param.keys.cli.short.map(Form::Short)]
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
    use tool_core::def::{CliDef, Doc, ParamKeys, SchemaSource};
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

    /// Names that are apart, or are not, as they stand or in one of their other forms.
    const NAMES: [&str; 16] = [
        "limit",
        "no_limit",
        "limit_file",
        "no_no_limit",
        "Limit",
        "query",
        "quiet",
        "strict",
        "select",
        "schemb",
        "dry_run",
        "format",
        "formats",
        "no_format",
        "x",
        "no",
    ];

    /// A parameter of a name, in one of the forms that there are.
    fn option(name: &'static str, form: usize) -> ParamDef<'static> {
        let kinds = [ParamKind::Flag, ParamKind::Optional, ParamKind::List, ParamKind::Nullable];
        let schema = SchemaSource::Given(Box::leak(Box::new(serde_json::json!({"type": "boolean"}))));
        let cli = CliDef {
            short: [None, Some('x'), Some('o'), Some('l'), Some('é')][form % 5],
            long: form.is_multiple_of(7).then_some("strict"),
            ..CliDef::NONE
        };
        let keys = ParamKeys { secret: form.is_multiple_of(3), cli, ..ParamKeys::NONE };
        let keys: &'static ParamKeys<'static> = Box::leak(Box::new(keys));
        ParamDef { keys, ..ParamDef::new(name, Doc::Text("Text."), kinds[form % 4], schema) }
    }

    #[test]
    fn the_quick_look_finds_what_the_thorough_check_finds() {
        let mut found = [0; 2];
        for form in 0..70 {
            for (a, b) in NAMES.iter().flat_map(|a| NAMES.iter().map(move |b| (a, b))) {
                let params: &'static [ParamDef<'static>] =
                    Box::leak(Box::new([option(a, form), option(b, form / 5)]));
                let base = ReadFileTool::DEF;
                let tool: &'static ToolDef<'static> = Box::leak(Box::new(ToolDef { params, ..*base }));
                let tools = [("read_file", tool)];
                let thorough = thorough(tools.into_iter());
                assert_eq!(
                    apart::all(tools.into_iter()),
                    thorough.is_empty(),
                    "{a} {b} {form}: {thorough:?}"
                );
                found[usize::from(thorough.is_empty())] += 1;
            }
        }
        assert!(found.iter().all(|count| *count > 1000), "{found:?}");
    }

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
