//! Values that a canonical schema allows, without end and the same each time.

use std::fmt;

use jsonschema::Validator;
use serde_json::Value;

use crate::args::validator;
use crate::schema::Values;

/// How many values in a row may miss a keyword that is not followed before there are no more.
pub(super) const PATIENCE: usize = 64;

/// Values of a schema: every keyword is kept, texts are such that decoders, shells and lexers trip over, numbers are at and
/// beside every bound. Ends early where too few of what is tried satisfies the schema (a pattern that no common text matches).
///
/// ```
/// use serde_json::json;
///
/// let schema = json!({"type": "integer", "minimum": 3, "maximum": 5});
/// assert!(tool_core::test::values(&schema).seed(1).take(100).all(|value| (3..=5).contains(&value.as_i64().unwrap())));
/// ```
pub fn values(schema: &Value) -> SchemaValues<'_> {
    SchemaValues { schema, judge: validator(schema).ok(), values: Values::new(0) }
}

/// What [`values`] gives.
pub struct SchemaValues<'a> {
    schema: &'a Value,
    judge: Option<Validator>,
    values: Values,
}

impl SchemaValues<'_> {
    /// The values of another seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        SchemaValues { values: Values::new(seed), ..self }
    }
}

impl Iterator for SchemaValues<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let judge = self.judge.as_ref()?;
        (0..PATIENCE).map(|_| self.values.of(self.schema)).find(|value| judge.is_valid(value))
    }
}

impl fmt::Debug for SchemaValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemaValues").field("schema", self.schema).finish_non_exhaustive()
    }
}
