//! One canonical JSON Schema 2020-12 per tool.

mod canonical;
mod flatten;
pub mod form;
mod inline;
mod merge;
mod object;
mod position;
mod problem;
mod reference;
mod scalar;
mod union;

pub use canonical::{canonical, inlined};
pub use problem::SchemaProblem;

/// The input schema of a tool and what the decoder reads from it.
#[derive(Debug)]
pub struct InputSchema {
    params: Vec<serde_json::Value>,
    root: serde_json::Value,
    definitions: serde_json::Map<String, serde_json::Value>,
}

impl InputSchema {
    /// The canonical schema of a parameter.
    pub fn param(&self, i: usize) -> &serde_json::Value {
        self.params.get(i).unwrap_or(&serde_json::Value::Null)
    }
    /// The whole schema.
    pub fn root(&self) -> &serde_json::Value {
        &self.root
    }
    /// The recursive definitions.
    pub fn definitions(&self) -> &serde_json::Map<String, serde_json::Value> {
        &self.definitions
    }
}

impl crate::ToolDef<'_> {
    /// Input schema.
    pub fn input_schema(&self) -> Result<&InputSchema, crate::ToolError> {
        let made = self.cache.input.get_or_init(|| {
            let mut definitions = serde_json::Map::new();
            let mut params = Vec::new();
            for param in self.params {
                let raw = match param.schema {
                    crate::def::SchemaSource::Given(raw) => raw.clone(),
                    crate::def::SchemaSource::Type(f) => {
                        let mut g = schemars::generate::SchemaSettings::draft2020_12().into_generator();
                        f(&mut g).to_value()
                    }
                };
                let mut c = canonical(&raw).map_err(|e| e.to_string())?;
                if let Some(serde_json::Value::Object(d)) = c.as_object_mut().and_then(|o| o.remove("$defs")) {
                    definitions.extend(d);
                }
                params.push(c);
            }
            Ok(std::sync::Arc::new(InputSchema { params, root: serde_json::Value::Null, definitions }))
        });
        made.as_deref().map_err(|e| crate::ToolError::internal(e.to_string()))
    }
}
