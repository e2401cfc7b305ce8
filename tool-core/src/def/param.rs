//! One parameter of a tool: name, type, bounds and its shape on the command line.

use std::fmt;

use super::{Doc, ParamKind, SchemaFn, ValueFn};

/// Everything that is known of a parameter.
#[derive(Clone, Copy, Debug)]
pub struct ParamDef<'a> {
    /// JSON name.
    pub name: &'a str,
    /// What it is, for models and people.
    pub doc: Doc<'a>,
    /// How its type may be left out.
    pub kind: ParamKind,
    /// Whether its type's schema says all that its decoding checks, so that no schema is needed to decode it.
    pub simple: bool,
    /// It must be given although its type could be left out.
    pub required: bool,
    /// The value when it is left out or null.
    pub default: Option<ValueFn>,
    /// Where its schema comes from.
    pub schema: SchemaSource<'a>,
    /// What its author said of it beyond that.
    pub keys: &'a ParamKeys<'a>,
}

/// What the keys of `#[arg]` say. Most parameters have none and share [`ParamKeys::NONE`], which keeps their rows small.
#[derive(Clone, Copy, Debug)]
pub struct ParamKeys<'a> {
    /// Further names that calls may use; not in the schema.
    pub aliases: &'a [&'a str],
    /// What its value must keep to.
    pub bounds: Bounds<'a>,
    /// JSON Schema `format`, told to callers and not enforced.
    pub format: Option<&'a str>,
    /// Example values, a JSON array.
    pub examples: Option<ValueFn>,
    /// It accepts any JSON value.
    pub any: bool,
    /// Its fields stand beside the other parameters.
    pub flatten: bool,
    /// A map that may travel as a list of entries.
    pub entries: bool,
    /// Never shown.
    pub secret: bool,
    /// Redaction mode, where it is not the default.
    pub log: Option<LogMode>,
    /// What its value stands for.
    pub hint: Option<Hint>,
    /// MCP header name.
    pub header: Option<&'a str>,
    /// What to use instead.
    pub deprecated: Option<&'a str>,
    /// Parameters that must not be given with it.
    pub conflicts_with: &'a [&'a str],
    /// Parameters that must be given with it.
    pub requires: &'a [&'a str],
    /// Its shape on the command line.
    pub cli: CliDef<'a>,
}

/// The keys of every parameter that has none, at one address.
static NO_KEYS: ParamKeys<'static> = ParamKeys::NONE;

impl ParamKeys<'_> {
    /// No key, shared.
    pub const fn none() -> &'static ParamKeys<'static> {
        &NO_KEYS
    }

    /// No key.
    pub const NONE: ParamKeys<'static> = ParamKeys {
        aliases: &[],
        bounds: Bounds::NONE,
        format: None,
        examples: None,
        any: false,
        flatten: false,
        entries: false,
        secret: false,
        log: None,
        hint: None,
        header: None,
        deprecated: None,
        conflicts_with: &[],
        requires: &[],
        cli: CliDef::NONE,
    };
}

/// Builders, so that a row of the table costs the compiler one call and not a copy of every field.
impl<'a> ParamKeys<'a> {
    /// With bounds.
    #[must_use]
    pub const fn bounds(mut self, bounds: Bounds<'a>) -> Self {
        self.bounds = bounds;
        self
    }

    /// With a shape on the command line.
    #[must_use]
    pub const fn cli(mut self, cli: CliDef<'a>) -> Self {
        self.cli = cli;
        self
    }
}

impl<'a> ParamDef<'a> {
    /// A required parameter of which only the given is known.
    pub const fn new(name: &'a str, doc: Doc<'a>, kind: ParamKind, schema: SchemaSource<'a>) -> Self {
        Self {
            name,
            doc,
            kind,
            simple: false,
            required: false,
            default: None,
            schema,
            keys: &ParamKeys::NONE,
        }
    }

    /// Whether its type says all: a quick answer, `false` also where the keys only look like none.
    pub(crate) fn is_bare(&self) -> bool {
        std::ptr::eq(self.keys, &raw const NO_KEYS)
    }

    /// Whether a call must give it.
    pub const fn is_required(&self) -> bool {
        if self.required {
            return true;
        }
        match self.kind {
            _ if self.default.is_some() => false,
            ParamKind::Required => true,
            ParamKind::List => self.keys.bounds.len.min > 0,
            ParamKind::Optional | ParamKind::Nullable | ParamKind::Flag => false,
        }
    }

    /// Whether null is a value of it, not the same as leaving it out.
    pub fn null_is_value(&self) -> bool {
        self.kind == ParamKind::Nullable || (self.kind == ParamKind::Optional && self.required)
    }

    /// Name and aliases.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.name).chain(self.keys.aliases.iter().copied())
    }
}

/// Where the schema of a parameter comes from.
#[derive(Clone, Copy)]
pub enum SchemaSource<'a> {
    /// From its Rust type.
    Type(SchemaFn),
    /// Given as JSON (schema-only tools).
    Given(&'a serde_json::Value),
}

impl fmt::Debug for SchemaSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SchemaSource::Type(_) => f.write_str("Type"),
            SchemaSource::Given(schema) => write!(f, "Given({schema})"),
        }
    }
}

/// An inclusive range of lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Least length; 0 is no bound.
    pub min: usize,
    /// Greatest length.
    pub max: Option<usize>,
}

impl Range {
    /// Any length.
    pub const ANY: Range = Range { min: 0, max: None };

    /// Whether a length lies inside.
    pub fn contains(self, length: usize) -> bool {
        length >= self.min && self.max.is_none_or(|max| length <= max)
    }
}

/// A bound of a number, kept as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Int(i128),
    /// A number with a fraction or exponent.
    Float(f64),
}

/// What a value must keep to, besides its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds<'a> {
    /// Least number, inclusive.
    pub min: Option<Number>,
    /// Greatest number.
    pub max: Option<Number>,
    /// Whether `max` itself is outside (`a..b` of floats; of integers the macro writes `max` − 1).
    pub max_exclusive: bool,
    /// Characters of a text, items of a list, entries of a map.
    pub len: Range,
    /// Characters of each text of a list.
    pub item_len: Range,
    /// Regular expression, unanchored.
    pub pattern: Option<&'a str>,
    /// Closed list of texts.
    pub choices: &'a [&'a str],
}

impl Bounds<'_> {
    /// No bounds.
    pub const NONE: Bounds<'static> = Bounds {
        min: None,
        max: None,
        max_exclusive: false,
        len: Range::ANY,
        item_len: Range::ANY,
        pattern: None,
        choices: &[],
    };

    /// The numbers from `min` to `max`.
    pub const fn between(min: Number, max: Number) -> Bounds<'static> {
        Bounds { min: Some(min), max: Some(max), ..Bounds::NONE }
    }

    /// Whether there is nothing to check.
    pub fn is_none(&self) -> bool {
        *self == Bounds::NONE
    }
}

/// How a value appears in audit rows and traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogMode {
    /// Whole.
    Full,
    /// Its beginning.
    Preview,
    /// Its size.
    Length,
    /// Its size and digest.
    Hash,
    /// Only that it was there.
    Secret,
    /// Not at all.
    Omit,
}

impl LogMode {
    /// Every mode with its word.
    pub const ALL: [(LogMode, &'static str); 6] = [
        (LogMode::Full, "full"),
        (LogMode::Preview, "preview"),
        (LogMode::Length, "length"),
        (LogMode::Hash, "hash"),
        (LogMode::Secret, "secret"),
        (LogMode::Omit, "omit"),
    ];

    /// The word of the mode.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("full", |row| row.1)
    }
}

/// What a value stands for: completion, policy rules and checks read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// An existing file.
    File,
    /// A directory.
    Dir,
    /// A file or directory.
    Path,
    /// A URL.
    Url,
    /// A host name or address.
    Host,
    /// A mail address.
    Email,
    /// A program and its arguments.
    Command,
    /// A line for a shell.
    Shell,
}

impl Hint {
    /// Every hint with its word.
    pub const ALL: [(Hint, &'static str); 8] = [
        (Hint::File, "file"),
        (Hint::Dir, "dir"),
        (Hint::Path, "path"),
        (Hint::Url, "url"),
        (Hint::Host, "host"),
        (Hint::Email, "email"),
        (Hint::Command, "command"),
        (Hint::Shell, "shell"),
    ];
}

/// The shape of a parameter on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CliDef<'a> {
    /// It has a position, in declaration order.
    pub positional: bool,
    /// It takes everything behind `--`.
    pub last: bool,
    /// Long flag, where it is not the name in kebab-case.
    pub long: Option<&'a str>,
    /// Short flag.
    pub short: Option<char>,
    /// Variable that is read when it is not given.
    pub env: Option<&'a str>,
    /// Placeholder in help.
    pub value_name: Option<&'a str>,
    /// `-` reads standard input, `@FILE` a file.
    pub stdin: bool,
    /// Not in help.
    pub hidden: bool,
}

impl CliDef<'_> {
    /// A long flag called like the parameter.
    pub const NONE: CliDef<'static> = CliDef {
        positional: false,
        last: false,
        long: None,
        short: None,
        env: None,
        value_name: None,
        stdin: false,
        hidden: false,
    };
}
