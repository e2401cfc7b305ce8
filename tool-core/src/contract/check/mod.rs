//! What is wrong, or not good, about the tools of a registry: the lints. (registry.md §11)
//!
//! [`LINTS`] is the table; each row is a small function over a tool, over one place of its arguments, or over the whole set,
//! in the file of what it looks at. Nothing is run and nothing outside is read: what a host knows besides (its command
//! line, its files) joins as further [`Finding`]s.

mod constraints;
mod effects;
mod finding;
mod laws;
mod lints;
mod names;
mod outputs;
mod parameters;
mod places;
mod portability;
mod schemas;
mod sets;
mod subject;
mod texts;
mod values;

pub use finding::{Finding, Level};
pub use lints::{LINTS, Lint, Look};
pub use places::{Place, Role};
pub use subject::{Hit, Subject};
#[cfg(feature = "test")]
pub(crate) use values::{Taken, default_invalid, example_invalid, take, told};

use crate::dialect::DialectId;
use crate::registry::Registry;

/// What is looked at besides the tools themselves.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The dialects whose losses are told, each by a line.
    pub dialects: Vec<DialectId>,
    /// Registries that a host offers beside this one, under the same names.
    pub beside: Vec<Registry>,
}

/// The findings of every lint, sorted as their lines are. What a tool's tags silence is left out.
pub fn check(registry: &Registry, options: &Options) -> Vec<Finding> {
    let mut findings = Vec::new();
    for entry in registry.iter() {
        let subject = Subject::of(registry, entry);
        for lint in LINTS {
            let hits = match lint.look {
                Look::Tool(look) => look(&subject),
                Look::Place(look) => subject
                    .places()
                    .iter()
                    .filter_map(|place| look(place).map(|text| Hit::at(&place.path, text)))
                    .collect(),
                Look::Set(_) => Vec::new(),
            };
            findings.extend(hits.into_iter().map(|hit| Finding::of(entry, lint.level, lint.id, hit)));
        }
        findings.extend(portability::losses(&subject, &options.dialects));
    }
    for lint in LINTS {
        if let Look::Set(look) = lint.look {
            let hits = look(registry, options);
            findings.extend(hits.into_iter().map(|(entry, text)| match entry {
                Some(entry) => Finding::of(entry, lint.level, lint.id, Hit::of_tool(text)),
                None => Finding::of_set(lint.level, lint.id, text),
            }));
        }
    }
    findings.retain(|finding| !finding.is_silenced(registry));
    findings.sort();
    findings.dedup();
    findings
}
