//! Help pages: clap's compact layout over the table of one tool, or over names alone for the program and its groups.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, Command};
use serde_json::{Map, Value};
use tool_core::ToolDef;

use crate::command_line;
use crate::flags::{Param, Table};
use crate::globals::{GLOBALS, Global, GlobalDef, Takes};
use crate::kind::Kind;
use crate::quote::quote;
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
#[derive(Clone, Copy, Debug)]
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
}

/// A blank at which a line is not broken.
const FIXED: &str = "\u{a0}";

impl Page<'_> {
    // ---- a tool ------------------------------------------------------------------------------------------------------

    /// The page of a tool.
    pub(crate) fn tool(&self, words: &[String], def: &ToolDef<'_>, table: &Table) -> String {
        let name = format!("{} {}", self.program, words.join(" "));
        let full = self.detail == Detail::Full;
        let mut command = self.command().override_usage(usage(&name, table));
        let shown = table
            .params
            .iter()
            .filter(|param| param.long.is_some() && !param.hidden && (full || param.deprecated.is_none()));
        let (structured, plain): (Vec<&Param>, Vec<&Param>) =
            shown.partition(|param| param.kind.is_json() && !param.positional && !param.last);
        for param in plain.into_iter().chain(structured) {
            command = command.arg(self.param(param));
        }
        for global in [Global::Input, Global::Schema] {
            if global == Global::Input || full {
                command = command.args(self.global(global).map(|arg| arg.help_heading("Structured options")));
            }
        }
        if full {
            let rest = GLOBALS
                .iter()
                .filter(|row| !matches!(row.global, Global::Input | Global::Schema | Global::Version));
            for row in rest {
                command = command.args(self.global(row.global).map(|arg| arg.help_heading("Global options")));
            }
        }
        let about = if full { described(def) } else { def.summary().to_owned() };
        let mut after = examples(&name, def, table);
        if !full {
            after.push(format!("More, and the global options: {name} --help"));
        }
        self.render(command.about(about).after_help(after.join("\n\n")))
    }

    fn param(&self, param: &Param) -> Arg {
        let long = param.long.clone().unwrap_or_default();
        let help = self.text_of(param);
        if param.positional || param.last {
            let arg = Arg::new(long).value_name(param.value_name.clone()).required(param.required).help(help);
            let many = if param.required { 1.. } else { 0.. };
            let arg = if matches!(param.kind, Kind::List(_)) { arg.num_args(many) } else { arg };
            return arg.last(param.last);
        }
        let arg = Arg::new(long.clone()).help(help);
        let arg = match param.short {
            Some(short) => arg.short(short),
            None => arg,
        };
        let heading = if param.kind.is_json() { "Structured options" } else { "Options" };
        let arg = arg.help_heading(heading);
        let on = param.default() == Some(&Value::Bool(true));
        match param.kind {
            _ if param.secret => arg.long(format!("{long}-file")).value_name("FILE"),
            Kind::Switch if on => arg.long(crate::flags::negated(&long)).action(ArgAction::SetTrue),
            Kind::Switch if param.default().is_none() && !param.required => {
                arg.long(format!("[no-]{long}")).action(ArgAction::SetTrue)
            }
            Kind::Switch => arg.long(long).action(ArgAction::SetTrue),
            _ => arg.long(long).value_name(param.value_name.clone()),
        }
    }

    /// The text of an option, with what is known of its value in brackets.
    fn text_of(&self, param: &Param) -> String {
        let own = match self.detail {
            Detail::Short => first_paragraph(&param.doc).to_owned(),
            Detail::Full => {
                std::iter::once(param.doc.clone()).chain(param.notes()).collect::<Vec<_>>().join("\n")
            }
        };
        let on = param.kind == Kind::Switch && param.default() == Some(&Value::Bool(true));
        let mut text = if on { format!("Turn off: {}", lower_first(&own)) } else { own };
        let brackets: Vec<String> =
            brackets(param).iter().map(|bracket| bracket.replace(' ', FIXED)).collect();
        if !text.is_empty() && !brackets.is_empty() {
            text.push(if text.contains('\n') { '\n' } else { ' ' });
        }
        text + &brackets.join(" ")
    }

    fn global(&self, global: Global) -> Option<Arg> {
        GLOBALS.iter().find(|row| row.global == global).map(|row| self.global_arg(row))
    }

    fn global_arg(&self, row: &GlobalDef) -> Arg {
        let mut help = row.help.to_owned();
        if let Some((text, default)) = row.help.split_once(" [") {
            help = format!("{text} [{}", default.replace(' ', FIXED));
        }
        if let Some(env) = row.env {
            help.push_str(&format!(" [env:{FIXED}{}_{env}]", self.prefix));
        }
        let arg = Arg::new(row.long).long(row.long).help(help);
        let arg = match row.short {
            Some(short) => arg.short(short),
            None => arg,
        };
        match (row.global, row.takes) {
            (Global::Verbose, _) => arg.action(ArgAction::Count),
            (_, Takes::Nothing) => arg.action(ArgAction::SetTrue),
            (_, Takes::Value) => arg.value_name(row.value_name),
            (_, Takes::Perhaps) => arg.value_name(row.value_name).num_args(0..=1).require_equals(true),
        }
    }

    // ---- the program and its groups ----------------------------------------------------------------------------------

    /// The page of the program.
    pub(crate) fn root(&self, tree: &Tree<'_>) -> String {
        let name = self.program;
        let listed = tree.all().filter(|command| command.is_listed()).count();
        let mut sections = match self.detail {
            Detail::Full if listed <= ROOT_HELP_TOOLS => self.every_tool(tree),
            _ => self.every_group(tree),
        };
        let builtin =
            crate::builtin::WORDS.iter().map(|(word, text)| ((*word).to_owned(), (*text).to_owned()));
        sections.push(("Built-in".to_owned(), builtin.collect()));
        let mut command = self.command().help_template("{all-args}");
        for row in GLOBALS.iter().filter(|row| !matches!(row.global, Global::Input | Global::Schema)) {
            command = command.arg(self.global_arg(row).help_heading("Options"));
        }
        let options = tidy(&command.render_help().to_string());
        let after =
            format!("'{name} GROUP --help' lists the commands of a group, '{name} --help' lists them all.");
        let usage = format!("Usage: {name} [OPTIONS] <COMMAND>");
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
        let sections = vec![("Commands".to_owned(), commands.map(row).collect())];
        let about = self.groups.get(group).cloned().unwrap_or_default();
        let usage = format!("Usage: {name} [OPTIONS] <COMMAND>");
        let after = format!("More about a command: {name} COMMAND --help");
        [about, usage, self.listing(&sections), after].map(block).concat().trim_start().to_owned()
    }

    fn every_group(&self, tree: &Tree<'_>) -> Vec<Section> {
        let groups = tree.groups.iter().filter_map(|(group, commands)| {
            let listed = commands.iter().filter(|command| self.lists(command));
            let words: Vec<&str> = listed.map(tree::Command::word).collect();
            let about = self.groups.get(group).filter(|_| self.detail == Detail::Full);
            let text = about.cloned().unwrap_or_else(|| words.join(", "));
            (!words.is_empty()).then(|| (group.clone(), text))
        });
        let tools = tree.tools.iter().filter(|command| self.lists(command)).map(row);
        vec![("Groups".to_owned(), groups.collect()), ("Tools".to_owned(), tools.collect())]
    }

    fn every_tool(&self, tree: &Tree<'_>) -> Vec<Section> {
        let groups = tree.groups.iter().map(|(group, commands)| {
            let rows = commands.iter().filter(|command| self.lists(command)).map(row).collect();
            (group.clone(), rows)
        });
        let tools = tree.tools.iter().filter(|command| self.lists(command)).map(row).collect();
        groups.chain([("Tools".to_owned(), tools)]).collect()
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
                text.push_str(&hanging(&format!("  {word}{pad}  "), about, self.columns()));
            }
        }
        text
    }

    fn columns(&self) -> usize {
        self.width.clamp(HELP_WIDTH.0, HELP_WIDTH.1)
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
        format!("{}\n", tidy(&command.render_help().to_string()))
    }
}

/// A rendered page without the marks of unbroken brackets and without blanks at the ends of lines.
fn tidy(page: &str) -> String {
    let page = page.replace(FIXED, " ");
    page.trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// A part of a page with a blank line in front; nothing for an empty one.
fn block(text: String) -> String {
    if text.is_empty() { text } else { format!("\n{}\n", text.trim_end()) }
}

/// A title with its rows: word and text.
type Section = (String, Vec<(String, String)>);

/// A tool in a list: its word, its summary and its marks.
fn row(command: &tree::Command<'_>) -> (String, String) {
    let def = command.entry.def();
    (command.word().to_owned(), format!("{}{}", def.summary(), marks(def)))
}

/// What a person should know before calling a tool.
fn marks(def: &ToolDef<'_>) -> String {
    let effect = match def.behavior {
        behavior if behavior.destructive => " [destructive]",
        behavior if behavior.side_effect => " [side effect]",
        _ => "",
    };
    let deprecated = if def.deprecated.is_some() { " [deprecated]" } else { "" };
    format!("{effect}{deprecated}")
}

/// A text behind a head, wrapped at a width with its lines under its beginning.
fn hanging(head: &str, text: &str, width: usize) -> String {
    let indent = head.len();
    let mut out = String::new();
    let mut line = head.to_owned();
    for word in text.split(' ') {
        if line.len() > indent && line.trim_end().len() + 1 + word.len() > width {
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

/// `demo store search [OPTIONS] <QUERY>`.
pub(crate) fn usage(name: &str, table: &Table) -> String {
    let mut usage = format!("{name} [OPTIONS]");
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
fn described(def: &ToolDef<'_>) -> String {
    format!("{}\n\nEffect: {}", def.description(), def.behavior.words())
}

/// The examples as one block of the page.
fn examples(name: &str, def: &ToolDef<'_>, table: &Table) -> Vec<String> {
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

/// What is known of a value, each in brackets, in the order of every page.
fn brackets(param: &Param) -> Vec<String> {
    let schema = crate::kind::without_null(&param.schema);
    let items = schema.get("items").filter(|_| matches!(param.kind, Kind::List(_)));
    let number = items.unwrap_or(&schema);
    let mut all = Vec::new();
    all.extend(default(param).map(|text| format!("[default: {text}]")));
    all.extend(range(number, "minimum", "maximum").map(|text| format!("[range: {text}]")));
    all.extend(range(&schema, "minLength", "maxLength").map(|text| format!("[length: {text}]")));
    all.extend(schema.get("maxItems").filter(|_| items.is_some()).map(|most| format!("[at most {most}]")));
    if matches!(param.kind, Kind::List(_) | Kind::Map(_)) && !param.positional && !param.last {
        all.push("[repeatable]".to_owned());
    }
    if param.stdin {
        all.push("[@FILE or - reads it]".to_owned());
    }
    all.extend(param.env.as_ref().map(|name| format!("[env: {name}]")));
    all.extend(values(number).map(|words| format!("[values: {words}]")));
    all.extend(param.deprecated.as_ref().map(|instead| format!("[deprecated: {instead}]")));
    all
}

/// A default worth showing.
fn default(param: &Param) -> Option<String> {
    match param.default()? {
        Value::Bool(_) => None,
        Value::Array(items) if items.is_empty() => None,
        Value::Object(members) if members.is_empty() => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) if text.contains(char::is_control) => {
            Some(Value::from(text.as_str()).to_string())
        }
        Value::String(text) => Some(text.clone()),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            Some(items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
        }
        other => Some(other.to_string()),
    }
}

/// The bounds that an author wrote; those of the integer types go without saying.
fn range(schema: &Value, least: &str, greatest: &str) -> Option<String> {
    match (schema.get(least), schema.get(greatest)) {
        (None, None) => None,
        bounds if is_type(bounds) => None,
        (Some(least), Some(greatest)) => Some(format!("{least}..={greatest}")),
        (Some(least), None) => Some(format!("{least}..")),
        (None, Some(greatest)) => Some(format!("..={greatest}")),
    }
}

/// Whether bounds are those of an integer type.
fn is_type(bounds: (Option<&Value>, Option<&Value>)) -> bool {
    let bounds = (bounds.0.and_then(Value::as_i64), bounds.1.and_then(Value::as_i64));
    INTEGERS.contains(&bounds)
}

/// The bounds that the canonical schema gives to unsigned and to short integers (arguments.md, S4).
const INTEGERS: [(Option<i64>, Option<i64>); 7] = [
    (Some(0), None),
    (Some(0), Some(u8::MAX as i64)),
    (Some(0), Some(u16::MAX as i64)),
    (Some(0), Some(u32::MAX as i64)),
    (Some(i8::MIN as i64), Some(i8::MAX as i64)),
    (Some(i16::MIN as i64), Some(i16::MAX as i64)),
    (Some(i32::MIN as i64), Some(i32::MAX as i64)),
];

fn values(schema: &Value) -> Option<String> {
    let values = schema.get("enum")?.as_array()?;
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Some(values.iter().filter(|value| !value.is_null()).map(word).collect::<Vec<_>>().join(", "))
}

fn first_paragraph(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or(text)
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let acronym = text.chars().nth(1).is_some_and(char::is_uppercase);
    match chars.next() {
        Some(first) if !acronym => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}
