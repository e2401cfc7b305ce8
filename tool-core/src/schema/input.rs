//! The schema of a tool's arguments: from its parameters in declaration order, or as it was given.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::bounds::bound;
use super::canonical::{canonical, inlined, with_definitions};
use super::object::{required_names, without_null};
use super::problem::SchemaProblem;
use super::spread::Spread;
use super::walked::must_be_walked;
use super::{count_built, definitions, flatten, form};
use crate::def::{ParamDef, ParamKind, SchemaSource, ToolDef};
use crate::error::ToolError;

/// The input schema of a tool, and what the decoder reads from it.
#[derive(Debug)]
pub struct InputSchema {
    shown: Value,
    decoded: Option<Value>,
    params: Vec<ParamSchema>,
    definitions: Map<String, Value>,
}

/// What is known of one parameter.
#[derive(Clone, Debug)]
pub struct ParamSchema {
    /// Its canonical schema, as it stands in the tool's; of a flattened parameter, that of its type.
    pub schema: Value,
    /// Whether a value must be walked along the schema although its Rust type took it: the schema holds an assertion
    /// that the type does not guarantee, or a union.
    pub walk: bool,
}

impl InputSchema {
    /// The schema of all arguments: canonical, or as it was given.
    pub fn schema(&self) -> &Value {
        &self.shown
    }

    /// The schema that a decoder without Rust types walks: [`InputSchema::schema`], of a given schema with S1 to S3
    /// applied.
    pub fn decoded(&self) -> &Value {
        self.decoded.as_ref().unwrap_or(&self.shown)
    }

    /// The parameter at a place in `ToolDef::params`.
    pub fn param(&self, i: usize) -> Option<&ParamSchema> {
        self.params.get(i)
    }

    /// The recursive definitions that `$ref`s lead to.
    pub fn definitions(&self) -> &Map<String, Value> {
        &self.definitions
    }

    pub(crate) fn build(tool: &ToolDef<'_>) -> Result<InputSchema, SchemaProblem> {
        count_built();
        match tool.input {
            Some(given) => Self::given(tool, given),
            // A type says what its schema is by code of its own: what panics there is told of its tool and hurts no other.
            None => catch_unwind(AssertUnwindSafe(|| Self::of_params(tool))).unwrap_or_else(|_| {
                Err(SchemaProblem::invalid("", "the type of a parameter panicked when it was asked"))
            }),
        }
    }

    fn given(tool: &ToolDef<'_>, given: &Value) -> Result<InputSchema, SchemaProblem> {
        let decoded = inlined(given)?;
        let definitions = decoded.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
        let property = |param: &ParamDef<'_>| {
            let schema = decoded.get("properties").and_then(|properties| properties.get(param.name));
            ParamSchema { schema: schema.cloned().unwrap_or_else(|| json!({})), walk: true }
        };
        let params = tool.params.iter().map(property).collect();
        Ok(InputSchema { shown: given.clone(), decoded: Some(decoded), params, definitions })
    }

    fn of_params(tool: &ToolDef<'_>) -> Result<InputSchema, SchemaProblem> {
        let params = tool.params;
        let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
        let mut shared = Map::new();
        let schemas = params
            .iter()
            .map(|param| ParamSchema::build(param, &mut generator, &mut shared))
            .collect::<Result<Vec<_>, _>>()?;
        let mut root = Root::default();
        let mut spread = Spread::new(tool.name, params);
        for (param, schema) in params.iter().zip(&schemas) {
            match param.keys.flatten {
                true => {
                    spread.check(param, &schema.schema, &shared)?;
                    root.flatten(form::resolve(&schema.schema, &shared));
                }
                false => root.add(param, &schema.schema),
            }
        }
        let shown = with_definitions(root.finish()?, shared.clone());
        Ok(InputSchema { shown, decoded: None, params: schemas, definitions: shared })
    }
}

impl ParamSchema {
    fn build(
        param: &ParamDef<'_>,
        generator: &mut SchemaGenerator,
        shared: &mut Map<String, Value>,
    ) -> Result<ParamSchema, SchemaProblem> {
        let mut raw = raw_schema(param, generator);
        let doc = param.doc.text();
        if !doc.trim().is_empty() && !param.keys.flatten {
            // Beside a reference the parameter's text wins over the type's, and S5 puts the notes behind it.
            describe(&mut raw, &doc);
        }
        let canonical = canonical(&raw).map_err(|problem| below(param, problem))?;
        let Value::Object(mut schema) = definitions::hoist(canonical, shared) else {
            return Err(below(param, SchemaProblem::invalid("", "a schema is an object or a boolean")));
        };
        let keeps_null = param.kind == ParamKind::Nullable;
        if !param.is_required() && !keeps_null {
            without_null(&mut schema);
        }
        let walk = must_be_walked(&Value::Object(schema.clone()), shared);
        bound(&mut schema, param);
        let facts = facts(param, schema.get("description").and_then(Value::as_str));
        if schema.contains_key("$ref") && !facts.is_empty() {
            schema = Map::from_iter([("anyOf".to_owned(), json!([schema]))]);
        }
        schema.extend(facts);
        Ok(ParamSchema { schema: Value::Object(schema), walk })
    }
}

/// The schema of a parameter's type, with the definitions it refers to.
fn raw_schema(param: &ParamDef<'_>, generator: &mut SchemaGenerator) -> Value {
    match param.schema {
        SchemaSource::Given(schema) => schema.clone(),
        SchemaSource::Type(schema) => definitions::attach(schema(generator).to_value(), generator),
    }
}

fn describe(raw: &mut Value, text: &str) {
    match raw {
        Value::Object(schema) => {
            schema.insert("description".to_owned(), text.into());
        }
        Value::Bool(true) => *raw = json!({ "description": text }),
        _ => {}
    }
}

/// What the parameter says beside its type and its bounds.
fn facts(param: &ParamDef<'_>, description: Option<&str>) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut tell = |keyword: &str, value: Option<Value>| {
        if let Some(value) = value {
            facts.insert(keyword.to_owned(), value);
        }
    };
    let when = |fact: bool| fact.then_some(Value::Bool(true));
    let default = param.default.map(|make| make()).or_else(|| match param.kind {
        _ if param.is_required() => None,
        ParamKind::Flag => Some(json!(false)),
        ParamKind::List => Some(json!([])),
        _ => None,
    });
    tell("default", default.filter(|_| !param.keys.flatten));
    tell("examples", param.keys.examples.map(|make| make()));
    tell("writeOnly", when(param.keys.secret));
    tell("deprecated", when(param.keys.deprecated.is_some()));
    tell("x-keep-null", when(param.kind == ParamKind::Nullable && !param.is_required()));
    tell("x-entries", when(param.keys.entries));
    tell("x-log", param.keys.log.map(|mode| json!(mode.as_str())));
    tell("x-mcp-header", param.keys.header.map(|name| json!(name)));
    if let Some(instead) = param.keys.deprecated {
        let sentence = format!("Deprecated: {instead}");
        let words: Vec<&str> = description.into_iter().chain([sentence.as_str()]).collect();
        tell("description", Some(words.join(" ").into()));
    }
    facts
}

fn below(param: &ParamDef<'_>, problem: SchemaProblem) -> SchemaProblem {
    let mut pointer = "/properties".to_owned();
    crate::args::pointer::push_key(&mut pointer, param.name);
    pointer.push_str(&problem.pointer);
    SchemaProblem { pointer, ..problem }
}

/// The object that the parameters make together.
#[derive(Default)]
struct Root {
    properties: Map<String, Value>,
    required: Vec<String>,
    /// What further properties a flattened map allows.
    others: Option<Value>,
    /// The flattened enums.
    unions: Vec<Value>,
}

impl Root {
    fn add(&mut self, param: &ParamDef<'_>, schema: &Value) {
        self.properties.insert(param.name.to_owned(), schema.clone());
        if param.is_required() {
            self.required.push(param.name.to_owned());
        }
    }

    /// The fields of a struct become parameters in the place of it; the cases of an enum wait for all of them.
    fn flatten(&mut self, schema: &Value) {
        let union = ["oneOf", "anyOf"].into_iter().find_map(|keyword| Some((keyword, schema.get(keyword)?)));
        match (schema.as_object(), union, schema.get("properties")) {
            (_, Some((keyword, branches)), None) => self.unions.push(json!({ keyword: branches })),
            (Some(object), None, Some(Value::Object(properties))) => {
                self.properties.extend(properties.clone());
                self.required.extend(required_names(object));
                let others =
                    object.get("additionalProperties").filter(|others| **others != Value::Bool(false));
                self.others = self.others.take().or(others.cloned());
            }
            _ => {}
        }
    }

    fn finish(self) -> Result<Value, SchemaProblem> {
        let mut root = Map::new();
        root.insert("type".to_owned(), json!("object"));
        root.insert("properties".to_owned(), self.properties.into());
        if !self.required.is_empty() {
            root.insert("required".to_owned(), self.required.into());
        }
        root.insert("additionalProperties".to_owned(), self.others.unwrap_or(Value::Bool(false)));
        if !self.unions.is_empty() {
            root.insert("allOf".to_owned(), self.unions.into());
            flatten::distribute(&mut root);
            if root.contains_key("allOf") {
                return Err(SchemaProblem::invalid("", "its flattened enums have too many cases together"));
            }
        }
        Ok(Value::Object(root))
    }
}

impl<'a> ToolDef<'a> {
    /// The schema of the arguments, built on first use and kept in the definition's cache.
    ///
    /// # Errors
    /// Kind `internal` with the code of the [`SchemaProblem`]; a registry refuses such tools when it looks at them.
    pub fn input_schema(&self) -> Result<&'a Arc<InputSchema>, ToolError> {
        self.built_input().as_ref().map_err(|problem| {
            ToolError::internal(format!("The input schema of `{}` is not valid at {problem}.", self.name))
                .code(problem.code)
        })
    }

    /// What keeps the schema of the arguments from being one.
    pub(crate) fn input_problem(&self) -> Option<&'a SchemaProblem> {
        self.built_input().as_ref().err().map(|problem| &**problem)
    }

    fn built_input(&self) -> &'a Result<Arc<InputSchema>, Arc<SchemaProblem>> {
        self.cache.computed().input.get_or_init(|| InputSchema::build(self).map(Arc::new).map_err(Arc::new))
    }
}
