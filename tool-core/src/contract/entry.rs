//! One tool as its contract has it: everything that a caller relies on, and nothing of how it is made.

use heck::ToKebabCase as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::unions;
use crate::canonical;
use crate::def::{Behavior, Constraint, ParamDef, Surfaces, ToolDef};
use crate::error::ToolError;
use crate::registry::ToolEntry;

/// The contract of one tool. A member that is left out is empty; `surfaces` then has every surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Entry {
    /// Wire name.
    pub name: String,
    /// `sha256:` and the digest of [`preimage`](Self::preimage).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text for models.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What to use instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// Further names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Section of the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Words for selection, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Where it is offered, sorted.
    #[serde(skip_serializing_if = "is_everywhere")]
    pub surfaces: Vec<String>,
    /// What a call changes.
    pub behavior: Behavior,
    /// Whether a success ends an agent's run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub terminal: bool,
    /// The types that the host must provide, without their paths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// Declared secrets, sorted by key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<SecretEntry>,
    /// The parameters in declaration order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<ParamEntry>,
    /// Rules between parameters: the word of the rule, then the names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Vec<String>>,
    /// The canonical input schema.
    pub input: Value,
    /// The canonical output schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Calls that show how it is used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<ExampleEntry>,
}

/// What a contract says of a parameter besides its schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ParamEntry {
    /// JSON name.
    pub name: String,
    /// Further names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Long and short option, `env:NAME`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// Its place among the positional ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positional: Option<usize>,
    /// Whether it is never shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
}

impl ParamEntry {
    /// The long options that its aliases are.
    pub(super) fn alias_flags(&self) -> impl Iterator<Item = String> {
        self.aliases.iter().map(|alias| long(&alias.to_kebab_case(), self.secret))
    }
}

/// A declared secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SecretEntry {
    /// Its name.
    pub key: String,
    /// Whether the tool works without it.
    pub optional: bool,
}

/// An example call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExampleEntry {
    /// What it is good for.
    pub label: String,
    /// The arguments.
    pub input: Value,
}

impl Default for Entry {
    fn default() -> Entry {
        Entry {
            name: String::new(),
            fingerprint: String::new(),
            title: None,
            description: String::new(),
            deprecated: None,
            aliases: Vec::new(),
            group: None,
            tags: Vec::new(),
            surfaces: words(Surfaces::ALL),
            behavior: Behavior::READ,
            terminal: false,
            capabilities: Vec::new(),
            secrets: Vec::new(),
            params: Vec::new(),
            constraints: Vec::new(),
            input: json!({"type": "object", "properties": {}, "additionalProperties": false}),
            output: None,
            examples: Vec::new(),
        }
    }
}

impl Entry {
    /// The contract of a tool, under its effective name.
    ///
    /// # Errors
    /// `internal`, when one of its schemas cannot be made.
    pub fn of(tool: &ToolEntry) -> Result<Entry, ToolError> {
        let aliases = tool.aliases().map(str::to_owned).collect();
        let mut entry = Entry { aliases, ..Entry::named(tool.name(), tool.def())? };
        entry.fingerprint = entry.digest();
        Ok(entry)
    }

    /// What a definition says under a name, without fingerprint and aliases.
    pub(crate) fn named(name: &str, def: &ToolDef<'_>) -> Result<Entry, ToolError> {
        let input = def.input_schema()?.schema().clone();
        let required = def.capabilities.iter().filter(|capability| !capability.optional);
        let mut secrets: Vec<_> = def
            .secrets
            .iter()
            .map(|secret| SecretEntry { key: secret.key.to_owned(), optional: secret.optional })
            .collect();
        secrets.sort_unstable();
        Ok(Entry {
            name: name.to_owned(),
            title: def.title.map(str::to_owned),
            description: def.description().to_owned(),
            deprecated: def.deprecated.map(str::to_owned),
            group: def.group.map(str::to_owned),
            tags: def.tags.iter().map(|tag| (*tag).to_owned()).collect(),
            surfaces: words(def.surfaces),
            behavior: def.behavior,
            terminal: def.terminal,
            capabilities: sorted(required.map(|capability| capability.short_name().to_owned())),
            secrets,
            params: params(def, &input),
            constraints: constraints(def),
            output: def.output_schema().map(|schema| (**schema).clone()),
            examples: def.examples.iter().map(example).collect(),
            input,
            ..Entry::default()
        })
    }

    /// What a model and an approver see of the tool, in the form whose digest is the fingerprint.
    pub fn preimage(&self) -> Value {
        let order: Vec<&str> = self.params.iter().map(|param| param.name.as_str()).collect();
        let mut secrets = self.secrets.clone();
        secrets.sort_unstable();
        json!({
            "format": 1,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "behavior": self.behavior,
            "terminal": self.terminal,
            "deprecated": self.deprecated,
            "input": self.input,
            "order": order,
            "output": self.output,
            "secrets": secrets,
            "constraints": self.constraints,
            "examples": self.examples,
        })
    }

    /// The fingerprint that belongs to what it says.
    pub fn digest(&self) -> String {
        format!("sha256:{}", canonical::sha256(&self.preimage()))
    }
}

fn words(surfaces: Surfaces) -> Vec<String> {
    sorted(surfaces.words().map(str::to_owned))
}

fn is_everywhere(surfaces: &[String]) -> bool {
    surfaces == words(Surfaces::ALL)
}

fn sorted(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut words: Vec<String> = words.collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// The names of the input in declaration order: the properties of the one object, or the parameters and then what else the
/// objects of a union have.
fn names(def: &ToolDef<'_>, input: &Value) -> Vec<String> {
    let properties = |object: &Value| -> Vec<String> {
        let members = object.get("properties").and_then(Value::as_object);
        members.into_iter().flat_map(Map::keys).cloned().collect()
    };
    let Some(branches) = unions::branches(input) else { return properties(input) };
    let own = def.params.iter().filter(|param| !param.keys.flatten).map(|param| param.name.to_owned());
    let mut names: Vec<String> = own.collect();
    for name in branches.into_iter().flat_map(properties) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The names of the input, with what the definition says of each.
fn params(def: &ToolDef<'_>, input: &Value) -> Vec<ParamEntry> {
    let mut next = 0;
    let entry = |name: String| {
        let param = def.params.iter().find(|param| param.name == name && !param.keys.flatten);
        let keys = param.map(|param| param.keys);
        let positional = keys.is_some_and(|keys| keys.cli.positional).then(|| {
            next += 1;
            next - 1
        });
        ParamEntry {
            aliases: keys
                .map_or_else(Vec::new, |keys| keys.aliases.iter().map(|alias| (*alias).to_owned()).collect()),
            flags: flags(&name, param),
            positional,
            secret: keys.is_some_and(|keys| keys.secret),
            name,
        }
    };
    names(def, input).into_iter().map(entry).collect()
}

/// How a parameter is given on the command line, besides its position.
fn flags(name: &str, param: Option<&ParamDef<'_>>) -> Vec<String> {
    let keys = param.map(|param| param.keys);
    let name = keys.and_then(|keys| keys.cli.long).map_or_else(|| name.to_kebab_case(), str::to_owned);
    let long = long(&name, keys.is_some_and(|keys| keys.secret));
    let short = keys.and_then(|keys| keys.cli.short).map(|short| format!("-{short}"));
    let env = keys.and_then(|keys| keys.cli.env).map(|env| format!("env:{env}"));
    [Some(long), short, env].into_iter().flatten().collect()
}

/// A long option; the value of a secret is never one.
fn long(name: &str, is_secret: bool) -> String {
    if is_secret { format!("--{name}-file") } else { format!("--{name}") }
}

/// The rules between parameters, each a word and names.
fn constraints(def: &ToolDef<'_>) -> Vec<Vec<String>> {
    let row = |word: &str, names: &[&str]| {
        std::iter::once(word).chain(names.iter().copied()).map(str::to_owned).collect::<Vec<_>>()
    };
    let tool = def.constraints.iter().map(|constraint| match constraint {
        Constraint::ExactlyOne(names) => row("exactly_one", names),
        Constraint::AtLeastOne(names) => row("at_least_one", names),
    });
    let params = def.params.iter().flat_map(|param| {
        let conflicts = param.keys.conflicts_with.iter().map(|other| ("conflicts_with", *other));
        let requires = param.keys.requires.iter().map(|other| ("requires", *other));
        conflicts.chain(requires).map(|(word, other)| row(word, &[param.name, other])).collect::<Vec<_>>()
    });
    tool.chain(params).collect()
}

fn example(example: &crate::def::Example<'_>) -> ExampleEntry {
    ExampleEntry {
        label: example.label.to_owned(),
        input: serde_json::from_str(example.args).unwrap_or_default(),
    }
}
