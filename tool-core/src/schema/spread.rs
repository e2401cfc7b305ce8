//! Flattened parameters: whether a type can be spread at all, and whether two parameters then have one name.
//! (definition.md §7)

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::problem::SchemaProblem;
use super::{flatten, form, reference};
use crate::args::expected;
use crate::def::{ParamDef, SchemaSource};

/// The names at the root of a tool's arguments, while flattened types are spread among them.
pub(super) struct Spread<'a> {
    tool: &'a str,
    /// Each name with whose it is.
    taken: Vec<(String, Owner<'a>)>,
}

#[derive(Clone, Copy)]
enum Owner<'a> {
    /// A parameter, by its name or an alias.
    Param(&'a str),
    /// A field of a flattened parameter.
    Field(&'a str),
}

impl<'a> Spread<'a> {
    /// The names of parameters that stand for themselves.
    pub(super) fn new(tool: &'a str, params: &[ParamDef<'a>]) -> Spread<'a> {
        let own = params.iter().filter(|param| !param.keys.flatten);
        let names = own.flat_map(|param| {
            param.names().map(|name| (name.to_owned(), Owner::Param(param.name))).collect::<Vec<_>>()
        });
        Spread { tool, taken: names.collect() }
    }

    /// Adds the fields of a flattened parameter.
    pub(super) fn check(
        &mut self,
        param: &ParamDef<'a>,
        schema: &Value,
        definitions: &Map<String, Value>,
    ) -> Result<(), SchemaProblem> {
        let resolved = form::resolve(schema, definitions);
        let Some(fields) = fields(resolved) else { return Err(self.not_flat(param, schema, definitions)) };
        for field in &fields {
            if let Some((_, owner)) = self.taken.iter().find(|(name, _)| name == field) {
                return Err(self.clash(field, *owner, param.name));
            }
        }
        self.taken.extend(fields.into_iter().map(|field| (field, Owner::Field(param.name))));
        Ok(())
    }

    fn not_flat(
        &self,
        param: &ParamDef<'_>,
        schema: &Value,
        definitions: &Map<String, Value>,
    ) -> SchemaProblem {
        let kind = type_name(param).unwrap_or_else(|| expected(schema, definitions));
        let text = format!(
            "parameter `{}` of `{}` flattens `{kind}`, which is neither a struct nor an internally tagged enum",
            param.name, self.tool
        );
        SchemaProblem::new("flatten_not_object", "", text)
    }

    fn clash(&self, name: &str, owner: Owner<'_>, flattened: &str) -> SchemaProblem {
        let first = match owner {
            Owner::Param(param) => format!("`{param}`"),
            Owner::Field(other) => format!("a field of the flattened `{other}`"),
        };
        let text = format!(
            "`{}` has two parameters called `{name}`: {first} and a field of the flattened `{flattened}`",
            self.tool
        );
        SchemaProblem::new("param_clash", "", text)
    }
}

/// The fields of a struct, or those of every case of an enum, each once; `None` for anything else.
fn fields(schema: &Value) -> Option<Vec<String>> {
    let own = schema.get("properties").and_then(Value::as_object);
    let branches = ["oneOf", "anyOf"].into_iter().find_map(|keyword| schema.get(keyword)?.as_array());
    let mut names: Vec<String> = match (own, branches) {
        (Some(own), None) => own.keys().cloned().collect(),
        (None, Some(branches)) => {
            let cases = flatten::objects(branches)?;
            let fields = cases.iter().filter_map(|case| case.get("properties")?.as_object());
            fields.flat_map(Map::keys).cloned().collect()
        }
        _ => return None,
    };
    names.sort_unstable();
    names.dedup();
    Some(names)
}

/// The name that a type has in schemas, where it has one.
fn type_name(param: &ParamDef<'_>) -> Option<String> {
    let SchemaSource::Type(schema) = param.schema else { return None };
    let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let schema = schema(&mut generator).to_value();
    let referred = schema.get("$ref").and_then(Value::as_str).and_then(reference::definition_name);
    referred.or_else(|| schema.get("title")?.as_str().map(str::to_owned))
}
