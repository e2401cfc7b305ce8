//! A tool as the checks look at it: its schema, values that it allows, and what became of them.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::Value;

use super::trials::{self, Trial};
use super::{Checks, Fault};
use crate::args::validator;
use crate::contract::{self, default_invalid};
use crate::def::ToolDef;
use crate::registry::{Registry, ToolEntry};

/// A tool among others, with what several checks need of it.
pub struct Subject<'a> {
    checks: &'a Checks,
    tool: &'a ToolEntry,
    judge: Option<(&'a Value, Validator)>,
    trials: OnceLock<Vec<Trial>>,
    bad_defaults: OnceLock<BTreeSet<String>>,
}

impl<'a> Subject<'a> {
    pub(super) fn of(checks: &'a Checks, tool: &'a ToolEntry) -> Subject<'a> {
        let schema = tool.def().input_schema().ok().map(|schema| schema.decoded());
        let judge = schema.and_then(|schema| Some((schema, validator(schema).ok()?)));
        Subject { checks, tool, judge, trials: OnceLock::new(), bad_defaults: OnceLock::new() }
    }

    /// The tool.
    pub fn tool(&self) -> &'a ToolEntry {
        self.tool
    }

    /// Its effective name.
    pub fn name(&self) -> &'a str {
        self.tool.name()
    }

    /// Its definition.
    pub fn def(&self) -> &'a ToolDef<'a> {
        self.tool.def()
    }

    /// The tools that it stands among.
    pub fn registry(&self) -> &'a Registry {
        &self.checks.registry
    }

    /// What is checked.
    pub(super) fn checks(&self) -> &'a Checks {
        self.checks
    }

    /// Arguments that the schema allows and the tool takes as they are: at most so many, fewer where few were found.
    pub fn sound(&self, most: usize) -> impl Iterator<Item = &Value> {
        self.trials().iter().filter(|trial| trial.is_sound()).map(|trial| &trial.args).take(most)
    }

    /// The schema of its arguments; none where it cannot be made or is no schema.
    pub(super) fn schema(&self) -> Option<&'a Value> {
        self.judge.as_ref().map(|judge| judge.0)
    }

    /// Whether the schema allows a value.
    pub(super) fn allows(&self, value: &Value) -> bool {
        self.judge.as_ref().is_some_and(|judge| judge.1.is_valid(value))
    }

    /// The keywords that a value does not keep to.
    pub(super) fn missed(&self, value: &Value) -> Vec<String> {
        let errors = self.judge.iter().flat_map(|judge| judge.1.iter_errors(value));

        errors.map(|error| error.kind().keyword().to_owned()).collect()
    }

    /// A seed of its own for each tool.
    pub(super) fn seed(&self) -> u64 {
        let add = |seed: u64, byte: u8| seed.wrapping_mul(31).wrapping_add(byte.into());
        self.def().name.bytes().fold(self.checks.seed, add)
    }

    /// What the decoder made of values and of changed ones.
    pub(super) fn trials(&self) -> &[Trial] {
        self.trials.get_or_init(|| trials::of(self))
    }

    /// The faults that trials show of one law.
    pub(super) fn broken(&self, law: &str) -> Vec<Fault> {
        let broken = self.trials().iter().filter_map(|trial| trial.broken.as_ref());
        broken.filter(|(id, _)| *id == law).map(|(_, fault)| fault.clone()).collect()
    }

    /// The parameters whose default does not fit, which is a fault of its own.
    pub(super) fn bad_defaults(&self) -> &BTreeSet<String> {
        self.bad_defaults.get_or_init(|| {
            let hits = default_invalid(&contract::Subject::of(self.registry(), self.tool));
            let first =
                |path: &str| path.split('/').nth(1).map(|key| key.replace("~1", "/").replace("~0", "~"));
            hits.iter().filter_map(|hit| first(&hit.path)).collect()
        })
    }
}

impl fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subject({})", self.name())
    }
}
