//! The command tree: groups, tools without a group, and what else a command word may mean.
//!
//! It is built from names alone. Listed words come first; the tools' names and aliases are accepted behind them and shown nowhere.

use std::collections::BTreeMap;

use tool_core::args::{shown_name, suggest};
use tool_core::def::Surface;
use tool_core::{Registry, ToolEntry, ToolError};

use crate::words::{Word, kebab};

/// The commands of a program.
#[derive(Debug)]
pub(crate) struct Tree<'r> {
    /// The groups, by word.
    pub(crate) groups: BTreeMap<String, Vec<Command<'r>>>,
    /// The tools without a group, by word.
    pub(crate) tools: Vec<Command<'r>>,
}

/// A tool in the tree.
#[derive(Clone, Debug)]
pub(crate) struct Command<'r> {
    /// Its last word.
    word: Word<'r>,
    /// The tool.
    pub(crate) entry: &'r ToolEntry,
}

/// What a word leads to.
#[derive(Clone, Debug)]
pub(crate) enum Node<'t, 'r> {
    /// A group; one more word follows.
    Group(&'t str),
    /// A tool.
    Tool(&'t Command<'r>),
}

impl<'r> Command<'r> {
    /// Its last word.
    pub(crate) fn word(&self) -> String {
        self.word.to_string()
    }

    /// All its words.
    pub(crate) fn words(&self) -> Vec<String> {
        self.entry.def().group.map(kebab).into_iter().chain([self.word.to_string()]).collect()
    }

    /// Whether lists show it.
    pub(crate) fn is_listed(&self) -> bool {
        !self.entry.def().hidden
    }

    /// Whether it goes by a name: its own or an alias, as written or in kebab-case.
    fn is_called(&self, name: &str) -> bool {
        self.entry.names().any(|own| own == name || Word::of(own).is(name))
    }
}

impl<'r> Tree<'r> {
    /// The tree of the tools that are offered on the command line.
    pub(crate) fn new(registry: &'r Registry) -> Tree<'r> {
        // At once as large as it may become: each start builds it, and memory that is not used costs nothing.
        let mut tree = Tree { groups: BTreeMap::new(), tools: Vec::with_capacity(registry.len()) };
        let mut by_group: BTreeMap<&str, Vec<Command<'_>>> = BTreeMap::new();
        for entry in registry.iter().filter(|entry| entry.def().surfaces.contains(Surface::Cli)) {
            let group = entry.def().group;
            let command = Command { word: Word::of_tool(entry.name(), group), entry };
            match group {
                Some(group) => by_group.entry(group).or_default().push(command),
                None => tree.tools.push(command),
            }
        }
        for (group, commands) in by_group {
            tree.groups.entry(kebab(group)).or_default().extend(commands);
        }
        for commands in tree.groups.values_mut().chain([&mut tree.tools]) {
            // Those of a registry are, but for names that lose a group.
            if !commands.is_sorted_by(|a, b| a.word <= b.word) {
                commands.sort_by(|a, b| a.word.cmp(&b.word));
            }
        }
        tree
    }

    /// Whether lists show a word: that of a group with something to list, or of a tool without one.
    pub(crate) fn lists(&self, word: &str) -> bool {
        let group = self.groups.get(word).into_iter().flatten();
        let tools = self.tools.iter().filter(|command| command.word.is(word));
        group.chain(tools).any(Command::is_listed)
    }

    /// The groups that lists show.
    pub(crate) fn listed_groups(&self) -> impl Iterator<Item = &String> {
        self.groups.iter().filter(|(_, commands)| commands.iter().any(Command::is_listed)).map(|row| row.0)
    }

    /// What a listed word leads to: a group, or a tool without one.
    pub(crate) fn listed(&self, word: &str) -> Option<Node<'_, 'r>> {
        if let Some((group, _)) = self.groups.get_key_value(word) {
            return Some(Node::Group(group));
        }
        self.tools.iter().find(|command| command.word.is(word)).map(Node::Tool)
    }

    /// The tool that goes by a name or alias.
    pub(crate) fn called(&self, name: &str) -> Option<&Command<'r>> {
        self.all().find(|command| command.is_called(name))
    }

    /// The tool of a word inside a group.
    pub(crate) fn in_group(&self, group: &str, word: &str) -> Option<&Command<'r>> {
        let commands = self.groups.get(group)?;
        let listed = commands.iter().find(|command| command.word.is(word));
        listed.or_else(|| commands.iter().find(|command| command.is_called(word)))
    }

    /// The command of a tool.
    pub(crate) fn of(&self, entry: &ToolEntry) -> Option<&Command<'r>> {
        self.all().find(|command| command.entry.name() == entry.name())
    }

    /// Every command, groups first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Command<'r>> {
        self.groups.values().flatten().chain(&self.tools)
    }

    /// The error for a word that leads nowhere. `taken` are the words in front of it, `others` what could stand there too.
    pub(crate) fn unknown(&self, program: &str, taken: &[String], word: &str, others: &[&str]) -> ToolError {
        let place = [&[program.to_owned()], taken].concat().join(" ");
        let shown = shown_name(word);
        let error =
            ToolError::not_found(format!("no command '{shown}' in '{place}'")).code("unknown_command");
        if let Some(feature) = crate::builtin::missing_feature(word).filter(|_| taken.is_empty()) {
            return error.hint(format!("this program is built without the feature {feature}"));
        }
        let mut candidates = self.candidates(taken);
        candidates.extend(others.iter().map(|other| ((*other).to_owned(), (*other).to_owned())));
        let near = suggest(word, candidates.iter().map(|(shown, word)| (shown.as_str(), word.as_str())));
        let quoted: Vec<String> = near.iter().map(|words| format!("'{program} {words}'")).collect();
        match quoted.as_slice() {
            [] => error.hint(format!("'{place} --help' lists the commands")),
            [one] => error.hint(format!("did you mean {one}?")),
            [rest @ .., last] => error.hint(format!("did you mean {} or {last}?", rest.join(", "))),
        }
    }

    /// What could have been meant: the words to show, and one spelling.
    fn candidates(&self, taken: &[String]) -> Vec<(String, String)> {
        let mut candidates = Vec::new();
        if taken.is_empty() {
            candidates.extend(self.listed_groups().map(|group| (group.clone(), group.clone())));
        }
        for command in self.all().filter(|command| command.is_listed()) {
            let words = command.words();
            if !words.starts_with(taken) {
                continue;
            }
            let shown = words.join(" ");
            let names = command.entry.names().map(str::to_owned);
            for spelling in std::iter::once(command.word()).chain(names) {
                candidates.push((shown.clone(), spelling));
            }
        }
        candidates
    }
}
