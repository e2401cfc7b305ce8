//! Help pages: clap's compact layout over the table of one tool, or over names alone for the program and its groups.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use clap::Command;
use serde_json::{Map, Value};
use tool_core::ToolDef;
use unicode_width::UnicodeWidthStr as _;

use crate::builtin;
use crate::command_line;
use crate::flags::{Param, Table};
use crate::globals::{Global, GlobalDef, Place};
use crate::kind::Kind;
use crate::options::{FIXED, Form, Options};
use crate::quote::quote;
use crate::synopsis::flag;
use crate::tree::{self, Tree};

/// Least and greatest width of a page.
pub(crate) const HELP_WIDTH: (usize, usize) = (80, 100);

/// With more tools than this the full help of the program lists groups only.
pub(crate) const ROOT_HELP_TOOLS: usize = 60;

/// How much a page says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// `-h`.
    Short,
    /// `--help`.
    Full,
}

/// The program whose help it is.
#[derive(Clone, Debug)]
pub(crate) struct Page<'a> {
    /// Its name.
    pub(crate) program: &'a str,
    /// What it is for.
    pub(crate) about: &'a str,
    /// Prefix of its variables.
    pub(crate) prefix: &'a str,
    /// Columns of the terminal.
    pub(crate) width: usize,
    /// How much to say.
    pub(crate) detail: Detail,
    /// What the groups are for.
    pub(crate) groups: &'a BTreeMap<String, String>,
    /// The secrets that are declared and not set.
    pub(crate) missing: &'a BTreeSet<String>,
}

impl Page<'_> {
    // ---- a tool ------------------------------------------------------------------------------------------------------

    /// The page of a tool.
    pub(crate) fn tool(&self, words: &[String], def: &ToolDef<'_>, table: &Table) -> String {
        let name = format!("{} {}", self.program, words.join(" "));
        let full = self.detail == Detail::Full;
        let command = self.command().override_usage(usage(&name, table));
        let command = self.with_options(command, table);
        let about = if full { described(def) } else { def.summary().to_owned() };
        let about = format!("{about}{}", self.needs(def));
        let mut after = examples(&name, def, table);
        if !full {
            after.push(format!("More, and the global options: {name} --help"));
        }
        self.render(command.about(about).after_help(after.join("\n\n")))
    }

    /// The options of a tool, then those of the program.
    fn with_options(&self, command: Command, table: &Table) -> Command {
        let full = self.detail == Detail::Full;
        let options = self.options();
        let structured =
            |row: &GlobalDef| row.global == Global::Input || (full && row.global == Global::Schema);
        let command =
            command.args(options.of(table)).args(options.globals("Structured options", table, structured));
        if full { command.args(options.globals("Global options", table, behind)) } else { command }
    }

    fn options(&self) -> Options<'_> {
        Options { prefix: self.prefix, form: Form::Page(self.detail) }
    }

    // ---- the program and its groups ----------------------------------------------------------------------------------

    /// The page of the program: its tools, and the commands that every program has or this one adds.
    pub(crate) fn root(&self, tree: &Tree<'_>, own: &Tree<'_>) -> String {
        let name = self.program;
        let listed = tree.all().filter(|command| command.is_listed()).count();
        let mut sections = match self.detail {
            Detail::Full if listed <= ROOT_HELP_TOOLS => self.every_tool(tree),
            _ => self.every_group(tree),
        };
        let builtin = crate::builtin::words(own).into_iter();
        sections.push((
            "Built-in".to_owned(),
            builtin.map(|(word, text)| (word.to_owned(), text.to_owned())).collect(),
        ));
        let globals = self.options().globals("Options", &Table::default(), |row| row.place != Place::After);
        let mut command = self.command().help_template("{all-args}").args(globals);
        let options = tidy(&command.render_help().to_string(), self.columns());
        let after = match self.detail {
            Detail::Short => {
                format!(
                    "'{name} GROUP --help' lists the commands of a group, '{name} --help' lists them all."
                )
            }
            Detail::Full => {
                let topics = builtin::help::topics::listed();
                format!(
                    "'{name} COMMAND --help' tells more of a command or group, '{name} help TOPIC' of {topics}."
                )
            }
        };
        let usage = format!("Usage: {name} [OPTIONS] <COMMAND>");
        let after = hanging("", &after, self.columns());
        [self.about.to_owned(), usage, self.listing(&sections), options, after]
            .map(block)
            .concat()
            .trim_start()
            .to_owned()
    }

    /// The page of a group.
    pub(crate) fn group(&self, tree: &Tree<'_>, group: &str) -> String {
        let name = format!("{} {group}", self.program);
        let commands = tree.groups.get(group).into_iter().flatten().filter(|command| self.lists(command));
        let sections = vec![("Commands".to_owned(), commands.map(|command| self.row(command)).collect())];
        let own = || crate::builtin::about(group).map(str::to_owned);
        let about = self.groups.get(group).cloned().or_else(own).unwrap_or_default();
        let usage = format!("Usage: {name} [OPTIONS] <COMMAND>");
        let after = format!("More about a command: {name} COMMAND --help");
        [about, usage, self.listing(&sections), after].map(block).concat().trim_start().to_owned()
    }

    fn every_group(&self, tree: &Tree<'_>) -> Vec<Section> {
        let groups = tree.groups.iter().filter_map(|(group, commands)| {
            let listed = commands.iter().filter(|command| self.lists(command));
            let words: Vec<String> = listed.map(tree::Command::word).collect();
            let about = self.groups.get(group).filter(|_| self.detail == Detail::Full);
            let text = about.cloned().unwrap_or_else(|| words.join(", "));
            (!words.is_empty()).then(|| (group.clone(), text))
        });
        let tools = tree.tools.iter().filter(|command| self.lists(command)).map(|command| self.row(command));
        vec![("Groups".to_owned(), groups.collect()), ("Tools".to_owned(), tools.collect())]
    }

    fn every_tool(&self, tree: &Tree<'_>) -> Vec<Section> {
        let groups = tree.groups.iter().map(|(group, commands)| {
            let rows = commands
                .iter()
                .filter(|command| self.lists(command))
                .map(|command| self.row(command))
                .collect();
            (group.clone(), rows)
        });
        let tools = tree
            .tools
            .iter()
            .filter(|command| self.lists(command))
            .map(|command| self.row(command))
            .collect();
        groups.chain([("Tools".to_owned(), tools)]).collect()
    }

    /// A tool in a list: its word, its summary and its marks.
    fn row(&self, command: &tree::Command<'_>) -> (String, String) {
        let def = command.entry.def();
        let marks = format!("{}{}", marks(def), self.needs(def));
        let marks = marks.replace(' ', FIXED).replace(&format!("{FIXED}["), " [");
        (command.word().to_owned(), format!("{}{marks}", def.summary()))
    }

    fn needs(&self, def: &ToolDef<'_>) -> String {
        needs(def, self.missing)
    }

    /// Whether a list shows a command: deprecated ones only in the full help.
    fn lists(&self, command: &tree::Command<'_>) -> bool {
        command.is_listed() && (self.detail == Detail::Full || command.entry.def().deprecated.is_none())
    }

    /// Sections of commands, all texts in one column.
    fn listing(&self, sections: &[Section]) -> String {
        let width = sections.iter().flat_map(|section| &section.1).map(|row| row.0.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (title, rows) in sections.iter().filter(|section| !section.1.is_empty()) {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{gap}{title}:\n"));
            for (word, about) in rows {
                let pad = " ".repeat(width - word.len());
                let row = hanging(&format!("  {word}{pad}  "), about, self.columns());
                text.push_str(&row.replace(FIXED, " "));
            }
        }
        text
    }

    fn columns(&self) -> usize {
        columns(self.width)
    }

    fn command(&self) -> Command {
        Command::new(self.program.to_owned())
            .disable_help_flag(true)
            .disable_version_flag(true)
            .disable_help_subcommand(true)
            .term_width(self.columns())
            .help_template("{about-with-newline}\n{usage-heading} {usage}\n\n{all-args}{after-help}\n")
    }

    fn render(&self, mut command: Command) -> String {
        format!("{}\n", tidy(&command.render_help().to_string(), self.columns()))
    }
}

/// A rendered page without the marks of unbroken brackets and without blanks at the ends of lines.
fn tidy(page: &str, columns: usize) -> String {
    let lines = page.trim_end().lines().map(|line| within(line.trim_end(), columns).replace(FIXED, " "));
    lines.collect::<Vec<_>>().join("\n")
}

/// A line; where it is a bracket that no line has room for, it is broken behind commas.
fn within(line: &str, columns: usize) -> Cow<'_, str> {
    let bracket = line.trim_start();
    if line.width() <= columns || !(bracket.starts_with('[') && bracket.ends_with(']')) {
        return Cow::Borrowed(line);
    }
    let (indent, _) = line.split_at(line.len() - bracket.len());
    let (mut lines, mut last) = (String::new(), indent.to_owned());
    for piece in bracket.split_inclusive(&format!(",{FIXED}")) {
        if last.width() > indent.width() && last.width() + piece.trim_end().width() > columns {
            lines.push_str(last.trim_end());
            lines.push('\n');
            last.truncate(indent.len());
        }
        last.push_str(piece);
    }
    Cow::Owned(lines + &last)
}

/// A part of a page with a blank line in front; nothing for an empty one.
fn block(text: String) -> String {
    if text.is_empty() { text } else { format!("\n{}\n", text.trim_end()) }
}

/// A title with its rows: word and text.
type Section = (String, Vec<(String, String)>);

/// The options of the program that a call of a tool may carry, but those for its arguments.
pub(crate) fn behind(row: &GlobalDef) -> bool {
    row.place == Place::Anywhere
}

/// What a person should know before calling a tool.
pub(crate) fn marks(def: &ToolDef<'_>) -> String {
    let effect = match def.behavior {
        behavior if behavior.destructive => " [destructive]",
        behavior if behavior.side_effect => " [side effect]",
        _ => "",
    };
    let deprecated = if def.deprecated.is_some() { " [deprecated]" } else { "" };
    format!("{effect}{deprecated}")
}

/// The secrets that a tool cannot do without and does not find, as a mark.
pub(crate) fn needs(def: &ToolDef<'_>, missing: &BTreeSet<String>) -> String {
    let needed = def.secrets.iter().filter(|secret| !secret.optional && missing.contains(secret.key));
    let keys: Vec<&str> = needed.map(|secret| secret.key).collect();
    if keys.is_empty() { String::new() } else { format!(" [needs {}]", keys.join(", ")) }
}

/// Columns of a page at a terminal that has so many.
pub(crate) fn columns(terminal: usize) -> usize {
    terminal.clamp(HELP_WIDTH.0, HELP_WIDTH.1)
}

/// A text behind a head, wrapped at a width with its lines under its beginning.
pub(crate) fn hanging(head: &str, text: &str, width: usize) -> String {
    let indent = head.width();
    let mut out = String::new();
    let mut line = head.to_owned();
    for word in text.split(' ') {
        if line.width() > indent && line.trim_end().width() + 1 + word.width() > width {
            out.push_str(line.trim_end());
            out.push('\n');
            line = " ".repeat(indent);
        }
        line.push_str(word);
        line.push(' ');
    }
    out.push_str(line.trim_end());
    out.push('\n');
    out
}

/// `demo note write [OPTIONS] --body <BODY> <TITLE>`.
pub(crate) fn usage(name: &str, table: &Table) -> String {
    let mut usage = format!("{name} [OPTIONS]");
    let is_needed = |param: &&Param| param.required && !param.positional && !param.last && !param.hidden;
    for param in table.params.iter().filter(is_needed) {
        let Some(option) = param.usage() else { continue };
        let many = if matches!(param.kind, Kind::List(_) | Kind::Map(_)) { "..." } else { "" };
        usage.push_str(&match param.kind {
            Kind::Switch => format!(" {}", flag(param, table)),
            _ => format!(" {option} <{}>{many}", param.value_name),
        });
    }
    for param in table.params.iter().filter(|param| (param.positional || param.last) && param.long.is_some())
    {
        let many = if matches!(param.kind, Kind::List(_)) { "..." } else { "" };
        let value = &param.value_name;
        usage.push_str(&match param {
            Param { last: true, .. } => format!(" [-- <{value}>{many}]"),
            Param { required: true, .. } => format!(" <{value}>{many}"),
            _ => format!(" [{value}]{many}"),
        });
    }
    usage
}

/// The whole description, and what a call changes.
pub(crate) fn described(def: &ToolDef<'_>) -> String {
    format!("{}\n\nEffect: {}", def.description(), def.behavior.words())
}

/// The examples as one block of the page.
pub(crate) fn examples(name: &str, def: &ToolDef<'_>, table: &Table) -> Vec<String> {
    if def.examples.is_empty() {
        return Vec::new();
    }
    let mut block = "Examples:".to_owned();
    for example in def.examples {
        let args: Map<String, Value> = serde_json::from_str(example.args).unwrap_or_default();
        let words: Vec<String> = command_line::words(table, &args).iter().map(|word| quote(word)).collect();
        let line = [vec![name.to_owned()], words].concat().join(" ");
        block.push_str(&format!("\n  # {}\n  {line}", example.label));
    }
    vec![block]
}
