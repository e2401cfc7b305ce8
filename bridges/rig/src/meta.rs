//! What the pipeline notes about a call, for the program around the agent.

use rig_core::tool::ContextValue;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The notes of a call that succeeded, the `meta` of its envelope: `coerced`, `tries`, `truncated` …
///
/// Read it from the context of the dispatch: `context.result::<Meta>()`. Models do not see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Meta(pub Map<String, Value>);

impl ContextValue for Meta {
    const KEY: &'static str = "toolbox/meta";
}
