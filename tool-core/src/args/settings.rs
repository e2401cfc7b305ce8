//! Values that are no arguments, held against a type with the same words: the tables of a settings file.
//!
//! Nothing is coerced: who writes a file can write what is meant. Where a value stands is the caller's to tell.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::coercion::Coerce;
use super::issue::ArgIssue;
use super::patterns::Patterns;
use super::place::Place;
use super::walk::{Around, Role, Walk};
use crate::error::ToolError;
use crate::schema::canonical;

/// Everything that is wrong with a value of a type, in the order of its fields, then what it does not know.
///
/// # Errors
/// `internal`: the type has no usable schema.
pub fn misfits<T: JsonSchema>(value: &Value) -> Result<Vec<ArgIssue>, ToolError> {
    let broken = |why: String| {
        ToolError::internal("The schema of a settings table is broken.")
            .code("schema_invalid")
            .detail("reason", why)
    };
    let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let raw = generator.into_root_schema_for::<T>().to_value();
    let schema = canonical(&raw).map_err(|problem| broken(format!("{problem:?}")))?;
    let patterns = Patterns::of(&schema).map_err(broken)?;
    let none = Map::new();
    let definitions = schema.get("$defs").and_then(Value::as_object).unwrap_or(&none);
    let around = Around { definitions, patterns: &patterns, mode: Coerce::Strict, secret: false };
    let mut walk = Walk::new(around);
    walk.value(&schema, value, &Place::Top, Role::Other);
    Ok(walk.found.issues)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::args::MAX_ISSUES;

    #[derive(Default, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        #[default]
        On,
        HalfOn,
    }

    #[derive(Default, Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields)]
    #[allow(dead_code, reason = "only their schema is looked at")]
    struct Table {
        mode: Mode,
        most: Option<u64>,
        places: Vec<std::path::PathBuf>,
        names: BTreeMap<String, String>,
    }

    #[test]
    fn everything_wrong_is_told_at_its_place_and_nothing_is_coerced() {
        let issues = misfits::<Table>(
            &json!({"mode": "of", "most": "5", "places": ["a", 1], "names": {"x/y": 2}, "moste": 1}),
        );
        let told: Vec<(String, &str)> =
            issues.unwrap().into_iter().map(|issue| (issue.path, issue.code.as_str())).collect();
        let expected = [
            ("/mode", "choice"),
            ("/most", "type"),
            ("/places/1", "type"),
            ("/names/x~1y", "type"),
            ("/moste", "unknown"),
        ];
        assert_eq!(told, expected.map(|(path, code)| (path.to_owned(), code)));
    }

    #[test]
    fn no_more_than_fifty_are_told() {
        let names: Value = (0..=MAX_ISSUES).map(|i| (i.to_string(), json!(i))).collect::<Map<_, _>>().into();
        assert_eq!(misfits::<Table>(&json!({ "names": names })).unwrap().len(), MAX_ISSUES);
    }

    #[test]
    fn what_fits_has_no_issue() {
        for value in [json!({}), json!({"mode": "half_on", "most": 5, "places": ["a"], "names": {"x": "y"}})]
        {
            assert_eq!(misfits::<Table>(&value).unwrap(), []);
        }
    }
}
