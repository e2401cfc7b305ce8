//! What the decoder reads from a tool's schema, made once per tool and only when the decoder by type does not suffice.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::guarded::is_guarded;
use super::issue::IssueCode;
use super::judge::Judge;
use super::patterns::Patterns;
use super::place::Place;
use super::walk::{Found, Walk, within};
use super::{shadow, texts};
use crate::def::{Doc, ParamDef, ParamKeys, ParamKind, SchemaSource, ToolDef};
use crate::error::ToolError;
use crate::schema::InputSchema;

/// The canonical schemas of a tool's parameters, and what is compiled from them.
#[derive(Clone, Copy)]
pub(crate) struct Shape<'a> {
    schema: &'a InputSchema,
    checks: &'a Checks,
    given: bool,
}

/// What is compiled from a schema.
#[derive(Debug)]
pub(crate) struct Checks {
    patterns: Patterns,
    /// Parameters whose schema says more than their type guarantees, one bit each.
    guarded: u64,
    /// Parameters of an untagged type in which one alternative may hide another, one bit each.
    hiding: u64,
    /// One judge per parameter, or the one of a schema-only tool's whole input.
    judges: Vec<Judge>,
}

/// The shape of a tool.
///
/// # Errors
/// `internal`: the schema cannot be made, or a pattern in it does not compile (code `bad_pattern`).
pub(crate) fn of<'a>(tool: &'a ToolDef<'a>) -> Result<Shape<'a>, ToolError> {
    let schema = tool.input_schema()?;
    let checks = tool.cache.computed().checks.get_or_init(|| Checks::of(tool, schema));
    match checks {
        Ok(checks) => Ok(Shape { schema, checks, given: tool.input.is_some() }),
        Err(Unusable { code, text }) => Err(ToolError::internal("The tool's schema is broken.")
            .code(*code)
            .detail("reason", text.as_str())),
    }
}

/// Why nothing can be compiled from a schema.
#[derive(Debug)]
pub(crate) struct Unusable {
    code: &'static str,
    text: String,
}

impl<'a> Shape<'a> {
    /// The canonical schema of a parameter; of a flattened one that of its type.
    pub(crate) fn param(&self, i: usize, param: &ParamDef<'a>) -> &'a Value {
        static ANY: Value = Value::Bool(true);
        match param.schema {
            SchemaSource::Given(schema) if self.given => schema,
            _ => self.schema.param(i).map_or(&ANY, |param| &param.schema),
        }
    }

    pub(crate) fn definitions(&self) -> &'a Map<String, Value> {
        self.schema.definitions()
    }

    pub(crate) fn root(&self) -> &'a Value {
        self.schema.decoded()
    }

    pub(crate) fn patterns(&self) -> &'a Patterns {
        &self.checks.patterns
    }

    /// Whether a parameter needs the decoder by schema even where its type accepts a value.
    pub(crate) fn is_guarded(&self, i: usize) -> bool {
        self.checks.guarded >> i.min(63) & 1 == 1
    }

    /// Whether serde may take a value of a parameter as another alternative than its schema does.
    pub(crate) fn may_hide(&self, i: usize) -> bool {
        self.checks.hiding >> i.min(63) & 1 == 1
    }

    /// Judges the coerced value of a parameter, as part of a walk that has found nothing wrong. The values of a
    /// schema-only tool are judged together.
    pub(crate) fn judge(&self, i: usize, value: &Value, place: &Place<'_>, walk: &mut Walk<'_>) {
        if let Some(judge) = self.checks.judges.get(i).filter(|_| !self.given && walk.found.is_clean()) {
            judge.judge(value, place, walk.is_secret(), &mut walk.found);
        }
    }

    /// Judges the whole input of a schema-only tool.
    pub(crate) fn judge_whole(&self, object: &Value, secret: bool) -> Found {
        let mut found = Found::default();
        // Parameters are taken one by one: nobody else has counted them.
        if self.given && !within(self.root(), "minProperties", "maxProperties", || members(object)) {
            let expected = || texts::expected_members(self.root());
            let got = || if secret { texts::got_hidden(object) } else { texts::got(object) };
            found.issue(IssueCode::Length, || (String::new(), expected(), got(), None));
        }
        if let Some(judge) = self.checks.judges.first().filter(|_| self.given) {
            judge.judge(object, &Place::Top, secret, &mut found);
        }
        found
    }
}

impl Checks {
    fn of(tool: &ToolDef<'_>, schema: &InputSchema) -> Result<Checks, Unusable> {
        let definitions = schema.definitions();
        let patterns = Patterns::of(schema.decoded()).and_then(|patterns| {
            let flattened = tool.params.iter().enumerate().filter(|(_, param)| param.keys.flatten);
            let mut schemas = flattened.filter_map(|(i, _)| schema.param(i));
            schemas.try_fold(patterns, |patterns, param| patterns.and(&param.schema))
        });
        let patterns = patterns.map_err(|pattern| Unusable { code: "bad_pattern", text: pattern })?;
        let judge = |schema: &Value| {
            Judge::of(schema, definitions).map_err(|text| Unusable { code: "schema_invalid", text })
        };
        let judges = match tool.input {
            Some(_) => vec![judge(schema.decoded())?],
            None => {
                let schemas = (0..tool.params.len()).filter_map(|i| schema.param(i));
                schemas.map(|param| judge(&param.schema)).collect::<Result<_, _>>()?
            }
        };
        let walked = |i| schema.param(i).is_none_or(|param| param.walk);
        let params = tool.params.iter().enumerate();
        let guarded = params.filter(|(i, param)| walked(*i) || says_more_than_its_type(param));
        let guarded = guarded.fold(0, |mask, (i, _)| mask | 1 << i.min(63));
        let hides = |i| {
            let param = schema.param(i).filter(|_| tool.input.is_none());
            param.is_some_and(|param| shadow::may_hide(&param.schema, definitions))
                || definitions.values().any(|definition| shadow::may_hide(definition, definitions))
        };
        let hiding = (0..tool.params.len()).filter(|i| hides(*i)).fold(0, |mask, i| mask | 1 << i.min(63));
        Ok(Checks { patterns, guarded, hiding, judges })
    }
}

fn members(object: &Value) -> usize {
    object.as_object().map_or(0, Map::len)
}

fn says_more_than_its_type(param: &ParamDef<'_>) -> bool {
    if param.keys.bounds.pattern.is_some() || param.simple || param.keys.any {
        return param.keys.bounds.pattern.is_some();
    }
    let raw = match param.schema {
        SchemaSource::Given(schema) => return is_guarded(schema),
        SchemaSource::Type(schema) => schema,
    };
    let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let schema = raw(&mut generator).to_value();
    let definitions = generator.take_definitions(true);
    is_guarded(&schema) || definitions.values().any(is_guarded)
}

/// The parameters of a schema-only tool: the properties of its schema, with what the definition says beside it.
///
/// A schema whose root is a union has one parameter, flattened, that is the whole input.
pub(super) fn params<'a>(tool: &'a ToolDef<'a>) -> Result<Vec<ParamDef<'a>>, ToolError> {
    let root = tool.input_schema()?.decoded();
    let Some(properties) = root.get("properties").and_then(Value::as_object) else {
        let is_union = root.get("oneOf").or_else(|| root.get("anyOf")).is_some();
        const KEYS: &ParamKeys<'_> = &ParamKeys { flatten: true, ..ParamKeys::NONE };
        let whole = ParamDef::new("", Doc::NONE, ParamKind::Required, SchemaSource::Given(root));
        let whole = ParamDef { keys: KEYS, ..whole };
        return Ok(if is_union { vec![whole] } else { Vec::new() });
    };
    let required = root.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let param = |(name, schema): (&'a String, &'a Value)| {
        let declared = tool.params.iter().find(|param| param.name == name).copied();
        let source = SchemaSource::Given(schema);
        let mut param = declared.unwrap_or(ParamDef::new(name, Doc::NONE, ParamKind::Required, source));
        param.schema = source;
        param.default = None;
        param.required = required.iter().any(|one| one == name);
        param.kind = match schema.get("x-keep-null") {
            Some(_) => ParamKind::Nullable,
            None if param.required => ParamKind::Required,
            None => ParamKind::Optional,
        };
        param
    };
    Ok(properties.iter().map(param).collect())
}
