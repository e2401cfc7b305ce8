//! The options of one tool, as one table: option → parameter, member, effect, listed or not.
//!
//! Reading, help, completion, man pages and the printed command line interpret a [`Table`]; none has a list of its own. It is
//! built for the one tool that is called, from its definition and its canonical schema.

mod derived;

use serde_json::{Map, Value};
use tool_core::ToolDef;
use tool_core::args;
use tool_core::def::{Hint, ParamDef};

use self::derived::properties;
use crate::globals;
use crate::kind::Kind;
use crate::words::kebab;

/// A parameter as the command line sees it.
#[derive(Clone, Debug)]
pub struct Param {
    /// JSON name.
    pub name: String,
    /// Long option without `--`; `None` when it can be given through `--input` only.
    pub long: Option<String>,
    /// Short option.
    pub short: Option<char>,
    /// How it is written.
    pub kind: Kind,
    /// The properties of an [`Kind::Object`].
    pub members: Vec<Param>,
    /// What it is, as its author wrote it.
    pub doc: String,
    /// Its canonical schema.
    pub schema: Value,
    /// Whether a call must give it.
    pub required: bool,
    /// Whether `--no-x` means null.
    pub nullable: bool,
    /// It has a position.
    pub positional: bool,
    /// It takes all words behind `--`.
    pub last: bool,
    /// `-` and `@FILE` are read.
    pub stdin: bool,
    /// Its value is never shown and never on the command line.
    pub secret: bool,
    /// In no list.
    pub hidden: bool,
    /// What to use instead.
    pub deprecated: Option<String>,
    /// Variable that is read when it is not given.
    pub env: Option<String>,
    /// Placeholder in help.
    pub value_name: String,
    /// What its value stands for.
    pub hint: Option<Hint>,
    /// Further names.
    pub aliases: Vec<String>,
}

/// What an option does to its parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Gives a value, or turns a switch on.
    Give,
    /// `--no-x`: null where that is a value of its own, else false or an empty list.
    Negate,
    /// `--x-file`: the secret stands in a file.
    File,
    /// `--x` of a secret: refused.
    Refuse,
}

/// One spelling of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spelling {
    /// Long form without `--`.
    pub long: String,
    /// Index into [`Table::params`].
    pub param: usize,
    /// Index into the parameter's members.
    pub member: Option<usize>,
    /// What it does.
    pub effect: Effect,
    /// Whether help and completion show it.
    pub listed: bool,
}

/// The options of one tool.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The parameters in declaration order.
    pub params: Vec<Param>,
    /// Every long option.
    pub spellings: Vec<Spelling>,
    /// The definitions that the schemas refer to.
    pub definitions: Map<String, Value>,
}

impl Table {
    /// The options of a tool with this canonical input schema.
    pub fn new(def: &ToolDef<'_>, schema: &Value) -> Table {
        let definitions = schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
        let params = properties(schema, |name| find(def, name));
        let mut table = Table { params, definitions, spellings: Vec::new() };
        if def.input.is_some() {
            name_freely(&mut table.params);
        }
        let params = std::mem::take(&mut table.params);
        for (index, param) in params.iter().enumerate() {
            table.add_listed(index, param);
        }
        for (index, param) in params.iter().enumerate() {
            table.add_hidden(index, param);
        }
        Table { params, ..table }
    }

    fn add_listed(&mut self, index: usize, param: &Param) {
        let Some(long) = &param.long else { return };
        for (long, effect) in forms(long, param) {
            let listed = !param.hidden && !param.positional && !param.last && param.lists(effect);
            self.add(Spelling { long, param: index, member: None, effect, listed });
        }
        for (i, member) in param.members.iter().enumerate() {
            let Some(word) = &member.long else { continue };
            for (form, effect) in forms(&format!("{long}.{word}"), member) {
                let listed = !param.hidden && member.lists(effect);
                self.add(Spelling { long: form, param: index, member: Some(i), effect, listed });
            }
        }
    }

    /// The other names of an option. One that meets a listed or global option is dropped.
    fn add_hidden(&mut self, index: usize, param: &Param) {
        let Some(long) = &param.long else { return };
        for name in param.aliases.iter().chain([&param.name]) {
            for form in [kebab(name), name.clone()] {
                for (long, effect) in forms(&form, param) {
                    self.add_free(Spelling { long, param: index, member: None, effect, listed: false });
                }
            }
        }
        for (i, member) in param.members.iter().enumerate() {
            for head in [long, &param.name] {
                for word in [&kebab(&member.name), &member.name] {
                    for (long, effect) in forms(&format!("{head}.{word}"), member) {
                        self.add_free(Spelling {
                            long,
                            param: index,
                            member: Some(i),
                            effect,
                            listed: false,
                        });
                    }
                }
            }
        }
    }

    fn add(&mut self, spelling: Spelling) {
        if self.long(&spelling.long).is_none() {
            self.spellings.push(spelling);
        }
    }

    fn add_free(&mut self, spelling: Spelling) {
        if !globals::is_reserved(&spelling.long) {
            self.add(spelling);
        }
    }

    /// The option with a long form, given without `--`.
    pub fn long(&self, long: &str) -> Option<&Spelling> {
        self.spellings.iter().find(|spelling| spelling.long == long)
    }

    /// The parameter with a short form.
    pub fn short(&self, letter: char) -> Option<usize> {
        self.params.iter().position(|param| param.short == Some(letter))
    }

    /// The parameter with a JSON name or alias.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|param| param.is_called(name))
    }

    /// The same itself.
    pub(crate) fn param(&self, name: &str) -> Option<&Param> {
        self.params.get(self.named(name)?)
    }

    /// Whether a parameter is in no list.
    pub fn is_hidden(&self, param: usize) -> bool {
        self.params.get(param).is_some_and(|param| param.hidden)
    }

    /// Parameter, or member of it, that a spelling is about.
    pub fn target(&self, param: usize, member: Option<usize>) -> Option<&Param> {
        let param = self.params.get(param)?;
        match member {
            Some(member) => param.members.get(member),
            None => Some(param),
        }
    }

    /// How usage shows what an RFC 6901 pointer leads to: `--limit`, `--owner.age`, `<QUERY>`.
    pub fn usage(&self, pointer: &str) -> Option<String> {
        let mut tokens = pointer.split('/').skip(1).map(unescape);
        let param = self.params.get(self.named(&tokens.next()?)?)?;
        let member = tokens.next().and_then(|name| param.members.iter().find(|member| member.name == name));
        match member {
            Some(member) => Some(format!("--{}.{}", param.long.as_ref()?, member.long.as_ref()?)),
            None => param.usage(),
        }
    }

    /// What the type of a value is called.
    pub fn expected(&self, schema: &Value) -> String {
        args::expected(schema, &self.definitions)
    }

    /// Whether a value of the tool must never be shown.
    pub fn has_secret(&self) -> bool {
        self.params.iter().any(|param| param.secret)
    }
}

impl Param {
    /// Whether a JSON name or alias is its.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }

    /// How usage shows it: `--limit`, `--password-file`, `<QUERY>`.
    pub fn usage(&self) -> Option<String> {
        let long = self.long.as_ref()?;
        Some(match self {
            Param { secret: true, .. } => format!("--{long}-file"),
            Param { positional: true, .. } | Param { last: true, .. } => format!("<{}>", self.value_name),
            _ => format!("--{long}"),
        })
    }

    /// Its long option with dashes, secret or positional or not.
    pub fn option(&self) -> String {
        format!("--{}", self.long.as_deref().unwrap_or(&self.name))
    }

    /// Whether `@FILE` and `-` are read.
    pub fn reads_files(&self) -> bool {
        self.stdin || self.kind.is_json() || matches!(self.kind, Kind::Map(_))
    }

    /// Its default, where it is not null.
    pub fn default(&self) -> Option<&Value> {
        self.schema.get("default").filter(|value| !value.is_null())
    }

    /// What its choices mean, one sentence each: the schema has them behind the text (arguments.md, S5).
    pub fn notes(&self) -> Vec<String> {
        let text = self.schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let behind = text.strip_prefix(self.doc.as_str()).unwrap_or_default();
        let behind = behind.split("\n\nDeprecated: ").next().unwrap_or_default();
        let choices =
            self.schema.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let mut starts: Vec<usize> =
            choices.filter_map(|choice| behind.find(&format!("`{choice}`: "))).collect();
        starts.sort_unstable();
        let ends = starts.iter().skip(1).copied().chain([behind.len()]);
        starts
            .iter()
            .zip(ends)
            .filter_map(|(&start, end)| behind.get(start..end))
            .map(|note| note.trim().to_owned())
            .collect()
    }

    /// Whether a switch is on when nothing is said; `None` for one without a default, and for what is no switch.
    pub fn switched_on(&self) -> Option<bool> {
        if self.kind == Kind::Switch { self.default().and_then(Value::as_bool) } else { None }
    }

    /// Whether it is a switch that is given or negated, as pages show in one row: `--[no-]x`.
    pub fn is_on_or_off(&self) -> bool {
        self.kind == Kind::Switch && self.switched_on().is_none() && !self.nullable
    }

    /// Whether lists show the spelling with an effect: of a switch with a default only the one that changes something.
    fn lists(&self, effect: Effect) -> bool {
        match (effect, self.kind) {
            (Effect::Refuse, _) => false,
            (Effect::Give, Kind::Switch) => self.switched_on() != Some(true),
            (Effect::Negate, Kind::Switch) => self.nullable || self.switched_on() != Some(false),
            _ => true,
        }
    }

    /// Whether `--no-x` is an option.
    pub fn negates(&self) -> bool {
        negates(self.kind, self.default(), self.nullable)
    }
}

/// Whether `--no-x` is an option of a parameter.
pub(crate) fn negates(kind: Kind, default: Option<&Value>, nullable: bool) -> bool {
    match kind {
        Kind::Switch => true,
        Kind::List(_) if default.and_then(Value::as_array).is_some_and(|items| !items.is_empty()) => true,
        _ => nullable,
    }
}

/// Every long form of a parameter under one name, with what it does.
fn forms(long: &str, param: &Param) -> Vec<(String, Effect)> {
    if param.secret {
        return vec![(format!("{long}-file"), Effect::File), (long.to_owned(), Effect::Refuse)];
    }
    let mut forms = vec![(long.to_owned(), Effect::Give)];
    if param.negates() {
        forms.push((negated(long), Effect::Negate));
    }
    forms
}

/// The opposite of an option: `no-ignore` for `ignore`, and the other way round.
pub fn negated(long: &str) -> String {
    match long.strip_prefix("no-") {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => ["no-", long].concat(),
    }
}

/// The parameter definition of a property, unless it comes from a flattened or schema-only part.
fn find<'a>(def: &ToolDef<'a>, name: &str) -> Option<&'a ParamDef<'a>> {
    def.params.iter().find(|param| param.name == name && !param.keys.flatten)
}

/// Gives the parameters of a schema-only tool, whose names nobody could check, options that are free.
fn name_freely(params: &mut [Param]) {
    let mut taken: Vec<String> = Vec::new();
    for param in params {
        let mut long = kebab(&param.name);
        if meets_global(&long, param) {
            long = format!("arg-{long}");
        }
        let forms = forms(&long, param);
        let free = is_option(&long) && forms.iter().all(|(form, _)| !taken.contains(form));
        taken.extend(forms.into_iter().filter(|_| free).map(|(form, _)| form));
        param.long = free.then_some(long);
    }
}

/// Whether an option, or its negation, is one of the program's. A switch `dry-run` takes that one over.
fn meets_global(long: &str, param: &Param) -> bool {
    let own_dry_run = long == "dry-run" && param.kind == Kind::Switch;
    !own_dry_run && forms(long, param).iter().any(|(form, _)| globals::is_reserved(form))
}

/// Whether a text can be an option, `^[a-z0-9][a-z0-9-]{0,63}$`.
pub fn is_option(long: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=64).contains(&long.len()) && !long.starts_with('-') && long.chars().all(allowed)
}

/// One token of an RFC 6901 pointer, unescaped.
fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}
