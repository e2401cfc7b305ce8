//! The `plan` cases of adapters.json.

use serde_json::Value;

pub(crate) fn plans(_case: &Value) -> Result<(), String> {
    Ok(())
}
