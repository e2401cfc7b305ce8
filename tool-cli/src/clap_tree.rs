//! The whole program as one clap command, which manual pages and completion scripts are rendered from.
//!
//! It holds what lists show: no hidden tool, no hidden option, no other spelling. Its options are built as those of help.

use std::collections::BTreeMap;

use clap::{Arg, Command};
use tool_core::ToolError;

use crate::builtin::{self, Program};
use crate::flags::Table;
use crate::globals::{Global, Place};
use crate::help;
use crate::options::{Form, Options, one_line, with_values};
use crate::schema;
use crate::tree::{self, Tree};

impl Program {
    /// The program as one clap command.
    ///
    /// # Errors
    /// Those of the registry of built-in commands.
    pub(crate) fn clap_command(&self, form: Form) -> Result<Command, ToolError> {
        let own = builtin::registry_with(&self.commands)?;
        let tree = ClapTree {
            program: &self.name,
            version: &self.version,
            about: &self.about,
            groups: &self.groups,
            options: Options { prefix: &self.prefix, form },
        };
        Ok(tree.command(&Tree::new(&self.registry), &Tree::new(&own)))
    }
}

/// The program that the tree is of.
#[derive(Clone, Debug)]
struct ClapTree<'a> {
    /// Its name.
    program: &'a str,
    /// Its version.
    version: &'a str,
    /// What it is for.
    about: &'a str,
    /// What the groups are for.
    groups: &'a BTreeMap<String, String>,
    /// How its options are shown.
    options: Options<'a>,
}

impl ClapTree<'_> {
    /// The command of the program with all below it.
    fn command(&self, tools: &Tree<'_>, own: &Tree<'_>) -> Command {
        let none = Table::default();
        let globals = self.options.globals("Options", &none, |row| row.place != Place::After);
        let mut root = plain(self.program)
            .about(self.about.to_owned())
            .args(globals)
            .subcommand_value_name("COMMAND")
            .override_usage(format!("{} [OPTIONS] <COMMAND>", self.program));
        if !self.version.is_empty() {
            root = root.version(self.version.to_owned()).disable_version_flag(true);
        }
        for (group, commands) in &tools.groups {
            root = self.add_group(root, group, self.groups.get(group).map(String::as_str), commands);
        }
        for command in tools.tools.iter().filter(|command| self.lists(command)) {
            root = root.subcommand(self.tool(command));
        }
        for (word, about) in builtin::words(own) {
            if let Some(commands) = own.groups.get(word) {
                root = self.add_group(root, word, Some(about), commands);
            }
            for command in own.tools.iter().filter(|command| command.word() == word) {
                root = root.subcommand(self.tool(command));
            }
        }
        if self.options.form == Form::Script { self.named(root, tools) } else { root }
    }

    /// The commands that every program has with the names that they take: those of tools, of groups, and the words of pages.
    fn named(&self, root: Command, tools: &Tree<'_>) -> Command {
        let names: Vec<String> = tools
            .all()
            .filter(|command| self.lists(command))
            .map(|command| command.entry.name().to_owned())
            .collect();
        let groups: Vec<String> = tools.listed_groups().cloned().collect();
        let named = |command: Command| command.mut_args(|arg| offering(arg, Arg::is_positional, &names));
        let topics = builtin::help::topics::words().map(plain);
        let pages: Vec<Command> = root
            .get_subcommands()
            .filter(|top| top.get_name() != "help")
            .map(words_alone)
            .chain(topics)
            .collect();
        root.mut_subcommands(|top| match top.get_name() {
            "call" => named(top),
            "tools" => top.mut_subcommands(|leaf| match leaf.get_name() {
                "show" | "why" | "schema" => named(leaf),
                _ => leaf,
            }),
            "skill" => top.mut_args(|arg| offering(arg, |arg| arg.get_long() == Some("group"), &groups)),
            "help" => {
                let options = top.get_arguments().filter(|arg| !arg.is_positional());
                words_alone(&top).args(options.cloned()).subcommands(pages.clone())
            }
            _ => top,
        })
    }

    /// Whether a command is there: pages tell of deprecated ones, scripts do not offer them.
    fn lists(&self, command: &tree::Command<'_>) -> bool {
        let current = command.entry.def().deprecated.is_none() || self.options.form != Form::Script;
        command.is_listed() && current
    }

    /// Adds a group, unless everything in it is hidden.
    fn add_group(
        &self,
        root: Command,
        group: &str,
        about: Option<&str>,
        commands: &[tree::Command<'_>],
    ) -> Command {
        let listed: Vec<&tree::Command<'_>> = commands.iter().filter(|command| self.lists(command)).collect();
        if listed.is_empty() {
            return root;
        }
        let words: Vec<String> = listed.iter().map(|command| command.word()).collect();
        let about = about.map_or_else(|| words.join(", "), str::to_owned);
        let globals = self.options.globals("Global options", &Table::default(), help::behind);
        let mut command = plain(group)
            .about(about)
            .args(globals)
            .subcommand_value_name("COMMAND")
            .override_usage(format!("{} {group} [OPTIONS] <COMMAND>", self.program));
        for tool in listed {
            command = command.subcommand(self.tool(tool));
        }
        root.subcommand(command)
    }

    fn tool(&self, tool: &tree::Command<'_>) -> Command {
        let def = tool.entry.def();
        let table = Table::new(def, &schema::told(def));
        let name = format!("{} {}", self.program, tool.words().join(" "));
        let structured =
            |row: &crate::globals::GlobalDef| matches!(row.global, Global::Input | Global::Schema);
        let command = plain(&tool.word())
            .about(one_line(def.summary()))
            .override_usage(help::usage(&name, &table))
            .args(self.options.of(&table))
            .args(self.options.globals("Structured options", &table, structured))
            .args(self.options.globals("Global options", &table, help::behind));
        if self.options.form == Form::Script {
            return command;
        }
        let command = command.long_about(help::described(def));
        match help::examples(&name, def, &table).as_slice() {
            [] => command,
            // Manual pages have a section for them; see `builtin::man`.
            all => command.before_long_help(all.join("\n\n")),
        }
    }
}

/// The command of one tool by itself, as pages show it: a test asks clap whether it holds together.
#[cfg(feature = "test")]
pub(crate) fn of_tool(tool: &tree::Command<'_>) -> Command {
    let options = Options { prefix: "PROGRAM", form: Form::Page(help::Detail::Full) };
    ClapTree { program: "program", version: "", about: "", groups: &BTreeMap::new(), options }.tool(tool)
}

/// An argument with words that a script offers for it, if it is the one.
fn offering(arg: Arg, is_it: impl Fn(&Arg) -> bool, words: &[String]) -> Arg {
    if is_it(&arg) { with_values(arg, words.to_vec()) } else { arg }
}

/// A command and what is below it, without anything that they take.
fn words_alone(command: &Command) -> Command {
    let alone = plain(command.get_name()).subcommands(command.get_subcommands().map(words_alone));
    match command.get_about() {
        Some(about) => alone.about(about.clone()),
        None => alone,
    }
}

/// A command with nothing of clap's own.
fn plain(name: &str) -> Command {
    Command::new(name.to_owned())
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .disable_version_flag(true)
}
