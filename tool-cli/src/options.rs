//! Options as clap arguments: what help, manual pages and completion scripts render.
//!
//! Pages show a switch without a default once, as `--[no-]x`; scripts need each spelling by itself. Both read the same rows of
//! [`Table`] and [`GLOBALS`].

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ValueHint};
use tool_core::def::Hint;

use crate::brackets::{brackets, choices};
use crate::flags::{Effect, Param, Spelling, Table};
use crate::format::Format;
use crate::globals::{GLOBALS, Global, GlobalDef, Takes};
use crate::help::Detail;
use crate::kind::Kind;
use crate::quote::quote;
use crate::schema::Target;
use crate::settings::word::COLORS;

/// A blank at which a line is not broken.
pub(crate) const FIXED: &str = "\u{a0}";

/// The hint of a value that may be `@FILE`. No parameter can ask for names of users, so scripts tell it by that.
pub(crate) const READS_FILES: ValueHint = ValueHint::Username;

/// What the arguments are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A page for people, on the terminal or as a manual page.
    Page(Detail),
    /// A completion script.
    Script,
}

/// Turns rows into arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a> {
    /// Prefix of the program's variables.
    pub(crate) prefix: &'a str,
    /// What the arguments are for.
    pub(crate) form: Form,
}

impl Options<'_> {
    /// Everything that a tool takes and that is shown, values and texts first, structured values last.
    pub(crate) fn of(&self, table: &Table) -> Vec<Arg> {
        let shown = table.params.iter().filter(|param| self.shows(param));
        let (structured, plain): (Vec<&Param>, Vec<&Param>) =
            shown.partition(|param| param.kind.is_json() && !param.positional && !param.last);
        let params = plain.into_iter().chain(structured);
        let args = params.flat_map(|param| self.param(param, table));
        let (positions, options): (Vec<Arg>, Vec<Arg>) = args.partition(Arg::is_positional);
        positions.into_iter().chain(options).collect()
    }

    fn shows(&self, param: &Param) -> bool {
        let outdated = self.form != Form::Page(Detail::Full) && param.deprecated.is_some();
        param.long.is_some() && !param.hidden && !outdated
    }

    fn param(&self, param: &Param, table: &Table) -> Vec<Arg> {
        let index = table.params.iter().position(|other| other.name == param.name);
        let position = (param.positional || param.last).then(|| self.position(param, index));
        let listed =
            table.spellings.iter().filter(|spelling| spelling.listed && Some(spelling.param) == index);
        let options = listed.filter_map(|spelling| self.option(spelling, param, table));
        position.into_iter().chain(options).collect()
    }

    fn position(&self, param: &Param, index: Option<usize>) -> Arg {
        let arg = Arg::new(param.long.clone().unwrap_or_default())
            .value_name(param.value_name.clone())
            .required(param.required)
            .help(self.text(param, str::to_owned))
            .help_heading("Arguments")
            // Under a heading of its own clap goes by names, unless it is told better.
            .display_order(index.unwrap_or_default())
            .last(param.last);
        let many = if param.required { 1.. } else { 0.. };
        let arg = if matches!(param.kind, Kind::List(_)) { arg.num_args(many) } else { arg };
        self.valued(arg, param)
    }

    /// One spelling. The two of a switch without a default are one row of a page.
    fn option(&self, spelling: &Spelling, param: &Param, table: &Table) -> Option<Arg> {
        let target = table.target(spelling.param, spelling.member)?;
        let page = self.form != Form::Script;
        if page && spelling.member.is_some() && self.form != Form::Page(Detail::Full) {
            return None;
        }
        let both = page && target.is_on_or_off();
        if both && spelling.effect == Effect::Negate {
            return None;
        }
        let long = if both { format!("[no-]{}", spelling.long) } else { spelling.long.clone() };
        let arg = Arg::new(long.clone()).long(long);
        let own = spelling.member.is_none() && spelling.effect != Effect::Negate;
        let arg = match target.short.filter(|_| own) {
            Some(short) => arg.short(short),
            None => arg,
        };
        let heading = if param.kind.is_json() { "Structured options" } else { "Options" };
        let arg = arg.help_heading(heading).help(match meaning(target, spelling.effect) {
            Meaning::Of(say) => self.text(target, say),
            Meaning::Itself(text) => text.to_owned(),
        });
        Some(match (spelling.effect, target.kind) {
            (Effect::Negate, _) | (_, Kind::Switch) => arg.action(ArgAction::SetTrue),
            (Effect::File, _) => arg.value_name("FILE").value_hint(ValueHint::FilePath),
            _ => self.valued(arg.value_name(target.value_name.clone()), target),
        })
    }

    /// Adds what scripts offer as values.
    fn valued(&self, arg: Arg, param: &Param) -> Arg {
        if self.form != Form::Script {
            return arg;
        }
        let arg = match param.kind {
            Kind::List(_) | Kind::Map(_) if !param.positional && !param.last => arg.action(ArgAction::Append),
            _ => arg,
        };
        let words = choices(param);
        if param.hint.is_none() && param.reads_files() {
            return with_values(arg.value_hint(READS_FILES), words);
        }
        if words.is_empty() && param.hint.is_none() && (param.positional || param.last) {
            // zsh offers no option beside a position of which nothing is known; beside one without any word it does.
            return arg.value_parser(PossibleValuesParser::new(words));
        }
        with_values(arg.value_hint(value_hint(param.hint)), words)
    }

    /// The text of an option, with what is known of its value in brackets.
    fn text(&self, param: &Param, say: impl Fn(&str) -> String) -> String {
        let own = match self.form {
            Form::Page(Detail::Full) => {
                std::iter::once(param.doc.clone()).chain(param.notes()).collect::<Vec<_>>().join("\n")
            }
            Form::Page(Detail::Short) => first_paragraph(&param.doc).to_owned(),
            Form::Script => one_line(first_paragraph(&param.doc)),
        };
        let mut text = say(&own);
        if self.form == Form::Script {
            return text;
        }
        let brackets: Vec<String> =
            brackets(param).iter().map(|bracket| bracket.replace(' ', FIXED)).collect();
        if !text.is_empty() && !brackets.is_empty() {
            text.push(if text.contains('\n') { '\n' } else { ' ' });
        }
        text + &brackets.join(" ")
    }

    // ---- the program's own -------------------------------------------------------------------------------------------

    /// The options of the program under a heading, but those that the tool has taken over.
    pub(crate) fn globals(
        &self,
        heading: &str,
        table: &Table,
        keep: impl Fn(&GlobalDef) -> bool,
    ) -> Vec<Arg> {
        let free = |row: &&GlobalDef| table.long(row.long).is_none();
        let rows = GLOBALS.iter().filter(free).filter(|row| keep(row));
        rows.map(|row| self.global(row).help_heading(heading.to_owned())).collect()
    }

    fn global(&self, row: &GlobalDef) -> Arg {
        let arg = Arg::new(row.long).long(row.long).help(self.global_text(row));
        let arg = match row.short {
            Some(short) => arg.short(short),
            None => arg,
        };
        let arg = match (row.global, row.takes) {
            (Global::Verbose, _) => return arg.action(ArgAction::Count),
            (_, Takes::Nothing) => return arg.action(ArgAction::SetTrue),
            (_, Takes::Value) => arg.value_name(row.value_name),
            (_, Takes::Perhaps) => arg.value_name(row.value_name).num_args(0..=1).require_equals(true),
        };
        if self.form != Form::Script {
            return arg;
        }
        let hint = match (row.global, row.value_name) {
            (Global::Input, _) => READS_FILES,
            (_, "FILE") => ValueHint::FilePath,
            (_, "DIR") => ValueHint::DirPath,
            _ => ValueHint::Other,
        };
        with_values(arg.value_hint(hint), words_of(row.global))
    }

    fn global_text(&self, row: &GlobalDef) -> String {
        if self.form == Form::Script {
            return row.help.to_owned();
        }
        let mut help = row.help.to_owned();
        if let Some((text, default)) = row.help.split_once(" [") {
            help = format!("{text} [{}", default.replace(' ', FIXED));
        }
        if let Some(env) = row.env {
            help.push_str(&format!(" [env:{FIXED}{}_{env}]", self.prefix));
        }
        help
    }
}

/// The words of an option of the program that takes one of a few.
fn words_of(global: Global) -> Vec<String> {
    fn words<T>(rows: &[(T, &str)]) -> Vec<String> {
        rows.iter().map(|row| row.1.to_owned()).collect()
    }
    match global {
        Global::Format => words(&Format::ALL),
        Global::Color => words(&COLORS),
        Global::Schema => words(&Target::ALL),
        _ => Vec::new(),
    }
}

/// Offers words that a shell takes as they are.
pub(crate) fn with_values(arg: Arg, words: Vec<String>) -> Arg {
    let plain: Vec<String> = words.into_iter().filter(|word| quote(word) == *word).collect();
    if plain.is_empty() { arg } else { arg.value_parser(PossibleValuesParser::new(plain)) }
}

fn value_hint(hint: Option<Hint>) -> ValueHint {
    match hint {
        Some(Hint::File) => ValueHint::FilePath,
        Some(Hint::Dir) => ValueHint::DirPath,
        Some(Hint::Path) => ValueHint::AnyPath,
        Some(Hint::Url) => ValueHint::Url,
        Some(Hint::Host) => ValueHint::Hostname,
        Some(Hint::Email) => ValueHint::EmailAddress,
        Some(Hint::Command) => ValueHint::CommandName,
        Some(Hint::Shell) => ValueHint::CommandString,
        None => ValueHint::Other,
    }
}

/// What a spelling of an option says of itself.
pub(crate) enum Meaning {
    /// A text made of its parameter's, with what is known of the value behind it.
    Of(fn(&str) -> String),
    /// A text of its own.
    Itself(&'static str),
}

/// What a spelling with an effect means for its parameter. All that describes options asks here: what turns something off must
/// never be described as what turns it on.
pub(crate) fn meaning(param: &Param, effect: Effect) -> Meaning {
    match (effect, param.kind) {
        (Effect::Negate, _) if param.nullable => Meaning::Itself("No value: null"),
        (Effect::Negate, Kind::Switch) => Meaning::Of(|text| format!("Turn off: {}", lower_first(text))),
        (Effect::Negate, _) => Meaning::Itself("None: an empty list"),
        _ => Meaning::Of(str::to_owned),
    }
}

pub(crate) fn first_paragraph(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or(text)
}

pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    let acronym = text.chars().nth(1).is_some_and(char::is_uppercase);
    match chars.next() {
        Some(first) if !acronym => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}
