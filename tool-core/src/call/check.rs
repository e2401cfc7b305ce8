//! The check step: a structured result against the tool's output schema. (calls.md §9)

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::Value;

use super::Caller;
use super::layer::{Invocation, Layer, Next};
use crate::def::{BoxFuture, ToolDef};
use crate::error::{Effect, ToolError};
use crate::output::ToolResult;
use crate::registry::ToolEntry;

/// What happens to a result that does not fit its schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckMode {
    /// The call fails: `internal`, code `output_schema`. What MCP clients and tests always get.
    Error,
    /// It passes with `meta.output_invalid`, and the log says so once.
    Warn,
}

impl Default for CheckMode {
    /// Errors while developing, warnings in what is shipped.
    fn default() -> Self {
        if cfg!(debug_assertions) { CheckMode::Error } else { CheckMode::Warn }
    }
}

/// The layer.
pub(super) struct Check {
    mode: CheckMode,
    /// By tool; `None` for a tool whose schema cannot be compiled.
    compiled: Mutex<HashMap<String, Option<Arc<Validator>>>>,
    told: Mutex<HashSet<(String, String)>>,
}

impl Check {
    pub(super) fn new(mode: CheckMode) -> Check {
        Check { mode, compiled: Mutex::default(), told: Mutex::default() }
    }

    fn validator(&self, tool: &ToolEntry) -> Option<Arc<Validator>> {
        let schema = tool.def().output_schema()?;
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || match jsonschema::validator_for(schema) {
            Ok(validator) => Some(Arc::new(validator)),
            Err(error) => {
                tracing::warn!(target: "toolbox::call", tool = tool.name(), %error, "an output schema is none");
                None
            }
        };
        if let Some(known) = compiled.get(tool.name()) {
            return known.clone();
        }
        compiled.entry(tool.name().to_owned()).or_insert_with(make).clone()
    }

    /// Where a value does not fit: pointers into the value, and the paths in the schema that say so.
    fn misfits(&self, tool: &ToolEntry, value: &Value) -> Vec<(String, String)> {
        let Some(validator) = self.validator(tool) else { return Vec::new() };
        if validator.is_valid(value) {
            return Vec::new();
        }
        let errors = validator.iter_errors(value);
        errors.map(|error| (error.instance_path().to_string(), error.schema_path().to_string())).collect()
    }

    fn judge(&self, tool: &ToolEntry, caller: Caller, mut result: ToolResult) -> ToolResult {
        let Ok(output) = &mut result else { return result };
        let Some(value) = &output.structured else { return result };
        let misfits = self.misfits(tool, value);
        if misfits.is_empty() {
            return result;
        }
        let strict = matches!(caller, Caller::Mcp | Caller::Test) || self.mode == CheckMode::Error;
        if strict {
            let pointers: Vec<&str> = misfits.iter().map(|misfit| misfit.0.as_str()).collect();
            tracing::error!(target: "toolbox::call", tool = tool.name(), ?pointers, "a result does not fit");
            return Err(misfit(tool));
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        for (pointer, path) in misfits {
            if told.insert((tool.name().to_owned(), path.clone())) {
                let name = tool.name();
                tracing::warn!(target: "toolbox::call", tool = name, pointer, path, "a result does not fit");
            }
        }
        output.meta.insert("output_invalid".to_owned(), Value::Bool(true));
        result
    }
}

fn misfit(tool: &ToolEntry) -> ToolError {
    if tool.def().behavior.side_effect {
        let text = format!("{} finished; only its result does not fit its output schema.", tool.name());
        return ToolError::internal(text).code("output_schema").effect(Effect::Done);
    }
    let text = format!("The result of {} does not fit its output schema.", tool.name());
    ToolError::internal(text).code("output_schema")
}

impl Layer for Check {
    fn concerns(&self, tool: &ToolDef<'_>) -> bool {
        tool.output.is_some()
    }

    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let (tool, caller) = (inv.tool, inv.caller);
            let result = next.run(inv).await;
            self.judge(tool, caller, result)
        })
    }
}
