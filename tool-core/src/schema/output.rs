//! The schema of a tool's structured result: the canonical form of its type, in the serialize contract, any root.

use std::panic::catch_unwind;
use std::sync::Arc;

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::canonical::canonical;
use super::{count_built, definitions};
use crate::def::{OutputFn, ToolDef};

/// The keyword that stands for the schema of a type that has none.
pub(crate) const UNTYPED: &str = "x-untyped";

impl<'a> ToolDef<'a> {
    /// The schema of the structured result, built on first use and kept in the definition's cache; `None` where there
    /// is none, or where it accepts nothing or cannot be made.
    pub fn output_schema(&self) -> Option<&'a Arc<Value>> {
        self.cache.computed().output.get_or_init(|| self.output.and_then(build)).as_ref()
    }

    /// Whether the result is structured and its type has no schema.
    pub(crate) fn output_is_untyped(&self) -> bool {
        let raw =
            |output: OutputFn| output(&mut SchemaSettings::draft2020_12().for_serialize().into_generator());
        let raw = self.output.and_then(|output| catch_unwind(|| raw(output)).unwrap_or_default());
        raw.is_some_and(|raw| raw.get(UNTYPED).is_some())
    }
}

fn build(output: OutputFn) -> Option<Arc<Value>> {
    count_built();
    // A type says what its schema is by code of its own: where that panics there is none.
    catch_unwind(|| {
        let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let raw = output(&mut generator).filter(|raw| raw.get(UNTYPED).is_none())?;
        canonical(&definitions::attach(raw.to_value(), &generator)).ok().map(Arc::new)
    })
    .unwrap_or_default()
}
