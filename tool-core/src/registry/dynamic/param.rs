//! What is said of a parameter of a schema-only tool beside its schema, and what of it cannot be.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::problem::ProblemCode;
use crate::args::suggest;
use crate::def::LogMode;

/// What a schema does not say of a parameter: aliases, secrecy and its shape on the command line.
#[derive(Clone, Debug, Default)]
pub struct DynParam {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) secret: bool,
    pub(super) positional: bool,
    pub(super) short: Option<char>,
    pub(super) log: Option<LogMode>,
}

impl DynParam {
    /// Adds a further name that calls may use.
    #[must_use]
    pub fn alias(mut self, alias: impl Into<String>) -> Self {
        self.aliases.push(alias.into());
        self
    }

    /// It is never shown.
    #[must_use]
    pub fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// It has a position on the command line.
    #[must_use]
    pub fn positional(mut self) -> Self {
        self.positional = true;
        self
    }

    /// Its short flag.
    #[must_use]
    pub fn short(mut self, flag: char) -> Self {
        self.short = Some(flag);
        self
    }

    /// Its redaction mode.
    #[must_use]
    pub fn log(mut self, mode: LogMode) -> Self {
        self.log = Some(mode);
        self
    }
}

/// What is wrong with what is said: of a parameter that the schema does not have, and of names that two have.
pub(super) fn faults(tool: &str, schema: &Value, params: &[DynParam]) -> Vec<(ProblemCode, String)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let names: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let mut faults = Vec::new();
    let mut owners: BTreeMap<&str, &str> = names.iter().map(|name| (*name, *name)).collect();
    for param in params {
        let name = param.name.as_str();
        if !names.contains(&name) {
            let near = suggest(name, names.iter().map(|near| (*near, *near)));
            let near = near.first().map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            let text = format!("the input schema of `{tool}` has no parameter `{name}`{near}");
            faults.push((ProblemCode::ParamUnknown, text));
            continue;
        }
        for alias in &param.aliases {
            if let Some(owner) = owners.insert(alias, name) {
                let text = format!(
                    "`{tool}` has two parameters called `{alias}`: `{owner}` and an alias of `{name}`"
                );
                faults.push((ProblemCode::ParamClash, text));
            }
        }
    }
    faults
}
