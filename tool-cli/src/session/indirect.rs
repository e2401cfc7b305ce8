//! The commands whose words name another command: `call NAME …` and `call --jsonl`.

use std::io::{self, Read};

use tool_core::Registry;

use super::{Next, Refusal, Session, Stage, Waiting};
use crate::approve::Yes;
use crate::batch::{self, Batch, Warnings};
use crate::builtin;
use crate::fault::Fault;
use crate::flags::Table;
use crate::lex::{Lexed, Lexer};
use crate::settings::Settings;
use crate::settled::Settled;
use crate::tree::{Command, Tree};
use crate::{schema, sources};

impl Session<'_> {
    /// `call NAME …` is the tool's own command; `call --jsonl` is a batch.
    pub(super) fn call(
        &mut self,
        lexer: Lexer<'_>,
        command: &Command<'_>,
        registry: &Registry,
    ) -> Result<Next, Box<Refusal>> {
        let table = Table::new(command.entry.def(), &schema::canonical(command.entry.def())?);
        let mut lexer = lexer;
        lexer.enter(&table);
        let own = lexer.clone();
        let Some(name) = lexer.first_word() else {
            return self.batch(own.finish(), command, registry, &table);
        };
        let tree = Tree::new(registry);
        match registry.get(&name).and_then(|entry| tree.of(entry)) {
            Some(named) if lexer.meets("--jsonl") && !has_option(named, "jsonl") => {
                self.batch(own.finish(), command, registry, &table)
            }
            Some(named) => self.tool(lexer, named, registry, None),
            None if lexer.help().is_some() => self.batch(own.finish(), command, registry, &table),
            None => {
                let error = builtin::call::unknown_tool(&self.cli.name, registry, &name);
                Err(self.early(lexer, Settled::plain(error)))
            }
        }
    }

    /// The calls of `call --jsonl`, or what is wrong with asking for them.
    fn batch(
        &mut self,
        mut lexed: Lexed,
        command: &Command<'_>,
        registry: &Registry,
        table: &Table,
    ) -> Result<Next, Box<Refusal>> {
        if let Some(detail) = lexed.help() {
            return Ok(
                self.page(detail, registry, |page| page.tool(&command.words(), command.entry.def(), table))
            );
        }
        if names_both(&lexed, table) {
            // Whatever else is wrong depends on which of the two is meant.
            lexed.faults.clear();
            lexed.unknown.clear();
        }
        let (settings, mut faults) = self.settings(&lexed);
        faults.extend(batch::refused(&lexed.globals, &settings));
        let faults = [std::mem::take(&mut lexed.faults), faults].concat();
        let gathered = self.gathered(&lexed, faults, table, &settings);
        let stage = Stage {
            settings: Some(settings.clone()),
            command: Some(command.words()),
            table: table.clone(),
            builtin: true,
            ..Stage::default()
        };
        let asked = match builtin::call::asked(command.entry, &gathered) {
            Ok(asked) => asked,
            Err(error) => return Err(Refusal::at(Settled::of_call(error, table, &gathered), stage)),
        };
        if let Err(error) = settings.check_file().and_then(|()| settings.check_root()) {
            return Err(Refusal::at(Settled::plain(error), stage));
        }
        let input = match self.lines(&asked.jsonl, &settings) {
            Ok(input) => input,
            Err(fault) => {
                let words = gathered.origins.of("/jsonl").and_then(|(_, words)| words);
                return Err(Refusal::at(Settled::of_faults(vec![fault.maybe_words(words)]), stage));
            }
        };
        let executor = self.gated(registry, &settings)?;
        let builder = self.cli.placed(self.cli.context_of(&settings, &self.io)?, &settings)?;
        let ctx = if settings.yes { builder.approver(Yes) } else { builder }.build();
        let cancel = self.io.cancel.clone();
        let program = self.cli.name.clone();
        let batch = Batch {
            program,
            executor,
            ctx,
            jsonl: asked.jsonl,
            input,
            jobs: asked.jobs,
            cancel,
            terminal: self.io.tty.stdout,
            warnings: (!settings.quiet).then(|| Warnings::new(self.stderr.clone(), self.io.tty.stderr)),
            settings,
        };
        Ok(Next::Waiting(Box::new(Waiting::Batch(Box::new(batch), Box::new(stage)))))
    }

    /// What the lines of a batch are read from. A person who is to type them is told, if not forbidden to be asked.
    fn lines(&mut self, jsonl: &str, settings: &Settings) -> Result<Box<dyn Read + Send>, Box<Fault>> {
        if jsonl == "-" && self.io.tty.stdin {
            if settings.no_input {
                return Err(Box::new(sources::asks_somebody().at("jsonl").flag("--jsonl")));
            }
            if !settings.quiet {
                self.complain(&sources::waiting("--jsonl"));
            }
        }
        let stdin = std::mem::replace(&mut self.io.stdin, Box::new(io::empty()));
        batch::open(jsonl, stdin, &self.io.cwd)
    }
}

/// Whether a tool has an option of its own with this form.
fn has_option(command: &Command<'_>, long: &str) -> bool {
    Table::new(command.entry.def(), &schema::told(command.entry.def())).long(long).is_some()
}

/// Whether a tool is named, and a file with many calls too.
fn names_both(lexed: &Lexed, table: &Table) -> bool {
    let gives = |name: &str| lexed.given.iter().any(|given| Some(given.param) == table.named(name));
    gives("name") && gives("jsonl")
}
