//! Tools that are only known at run time: from MCP, OpenAPI, plug-ins.
//!
//! A [`DynTool`] owns what a static definition borrows. Its table is built once over its own texts, so that everything
//! that reads a [`ToolDef`] cannot tell the two kinds apart.

mod param;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use self_cell::self_cell;
use serde_json::{Map, Value};

pub use param::DynParam;

use super::AnyTool;
use super::input;
use super::names::{NAME_PATTERN, is_valid, suggestion};
use super::problem::{Problem, ProblemCode, RegistryError};
use crate::args::{Args, shown_name};
use crate::context::ToolContext;
use crate::def::{
    Behavior, Cache, CliDef, Doc, DynHandler, Handler, Origin, ParamDef, ParamKeys, ParamKind, Run,
    SchemaSource, SecretDef, Surfaces, ToolDef, ToolKeys,
};
use crate::depth;
use crate::error::ToolError;
use crate::output::ToolResult;

/// A tool that is made at run time from a JSON Schema and a handler.
pub struct DynTool(Definition);

impl DynTool {
    /// Starts a tool of a name.
    pub fn builder(name: impl Into<String>) -> DynToolBuilder {
        DynToolBuilder {
            owned: Owned::new(name.into()),
            handler: None,
            max_schema_bytes: input::MAX_SCHEMA_BYTES,
        }
    }
}

impl AnyTool for DynTool {
    fn def(&self) -> &ToolDef<'_> {
        self.0.borrow_dependent()
    }
}

impl std::fmt::Debug for DynTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DynTool({})", self.def().name)
    }
}

/// The owned texts of a tool.
struct Owned {
    name: String,
    title: Option<String>,
    aliases: Vec<String>,
    group: Option<String>,
    tags: Vec<String>,
    description: String,
    behavior: Option<Behavior>,
    timeout: Option<Duration>,
    surfaces: Surfaces,
    hidden: bool,
    deprecated: Option<String>,
    verbatim: bool,
    secrets: Vec<String>,
    input: Value,
    params: Vec<DynParam>,
    handler: Box<dyn DynHandler>,
    cache: Cache,
}

struct NoHandler;

impl DynHandler for NoHandler {
    fn enter(&self, _: &mut Args<'_>) -> Result<Run, ToolError> {
        Err(ToolError::internal("The tool has no handler."))
    }
}

impl Owned {
    fn new(name: String) -> Owned {
        Owned {
            name,
            title: None,
            aliases: Vec::new(),
            group: None,
            tags: Vec::new(),
            description: String::new(),
            behavior: None,
            timeout: None,
            surfaces: Surfaces::ALL,
            hidden: false,
            deprecated: None,
            verbatim: false,
            secrets: Vec::new(),
            input: Value::Object(Map::from_iter([("type".to_owned(), Value::from("object"))])),
            params: Vec::new(),
            handler: Box::new(NoHandler),
            cache: Cache::new(),
        }
    }
}

/// Lists of texts as the table wants them.
struct Lists<'a> {
    aliases: Vec<&'a str>,
    tags: Vec<&'a str>,
    secrets: Vec<SecretDef<'a>>,
    param_aliases: Vec<Vec<&'a str>>,
}

/// The rarer keys of the tool, and what is said of each property beyond its schema, in the schema's order.
struct Keys<'a> {
    tool: ToolKeys<'a>,
    params: Vec<ParamKeys<'a>>,
}

/// The parameters as the table wants them.
struct Params<'a>(Vec<ParamDef<'a>>);

self_cell!(
    struct WithLists {
        owner: Owned,
        #[covariant]
        dependent: Lists,
    }
);

self_cell!(
    struct WithKeys {
        owner: WithLists,
        #[covariant]
        dependent: Keys,
    }
);

self_cell!(
    struct WithParams {
        owner: WithKeys,
        #[covariant]
        dependent: Params,
    }
);

self_cell!(
    struct Definition {
        owner: WithParams,
        #[covariant]
        dependent: ToolDef,
    }
);

impl Definition {
    fn of(owned: Owned) -> Definition {
        let lists = WithLists::new(owned, |owned| Lists {
            aliases: owned.aliases.iter().map(String::as_str).collect(),
            tags: owned.tags.iter().map(String::as_str).collect(),
            secrets: owned.secrets.iter().map(|key| SecretDef::required(key)).collect(),
            param_aliases: owned
                .params
                .iter()
                .map(|param| param.aliases.iter().map(String::as_str).collect())
                .collect(),
        });
        let keys = WithKeys::new(lists, |lists| {
            let (owned, lists) = (lists.borrow_owner(), lists.borrow_dependent());
            Keys { tool: tool_keys(owned, lists), params: keys(owned, lists) }
        });
        let params = WithParams::new(keys, |keys| {
            Params(params(keys.borrow_owner().borrow_owner(), &keys.borrow_dependent().params))
        });
        Definition::new(params, |params| {
            let keys = params.borrow_owner();
            let owned = keys.borrow_owner().borrow_owner();
            let doc = Doc::Text(&owned.description);
            ToolDef {
                group: owned.group.as_deref(),
                behavior: owned.behavior.unwrap_or(Behavior::UNKNOWN),
                params: &params.borrow_dependent().0,
                keys: &keys.borrow_dependent().tool,
                ..ToolDef::new(
                    &owned.name,
                    doc,
                    Handler::Dynamic(&*owned.handler),
                    Origin::DYNAMIC,
                    &owned.cache,
                )
            }
        })
    }
}

/// The rarer keys of the tool.
fn tool_keys<'a>(owned: &'a Owned, lists: &'a Lists<'a>) -> ToolKeys<'a> {
    ToolKeys {
        title: owned.title.as_deref(),
        aliases: &lists.aliases,
        tags: &lists.tags,
        input: Some(&owned.input),
        secrets: &lists.secrets,
        timeout: owned.timeout,
        surfaces: owned.surfaces,
        hidden: owned.hidden,
        deprecated: owned.deprecated.as_deref(),
        behavior_assumed: owned.behavior.is_none(),
        verbatim: owned.verbatim,
        ..ToolKeys::NONE
    }
}

/// The properties of the root object.
fn properties(owned: &Owned) -> impl Iterator<Item = (&String, &Value)> {
    owned.input.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// The keys of each property: what its schema says, then what the builder was told.
fn keys<'a>(owned: &'a Owned, lists: &'a Lists<'a>) -> Vec<ParamKeys<'a>> {
    let keys = |(name, schema): (&'a String, &'a Value)| {
        let deprecated = schema.get("deprecated").and_then(Value::as_bool).unwrap_or(false);
        let base = ParamKeys { deprecated: deprecated.then_some("see its description"), ..ParamKeys::NONE };
        let extra = owned.params.iter().zip(&lists.param_aliases).find(|(extra, _)| extra.name == *name);
        let Some((extra, aliases)) = extra else { return base };
        let cli = CliDef { positional: extra.positional, short: extra.short, ..CliDef::NONE };
        ParamKeys { aliases, secret: extra.secret, log: extra.log, cli, ..base }
    };
    properties(owned).map(keys).collect()
}

/// One parameter per property of the root object, in the schema's order.
fn params<'a>(owned: &'a Owned, keys: &'a [ParamKeys<'a>]) -> Vec<ParamDef<'a>> {
    let required = owned.input.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|value| value == name));
    let param = |((name, schema), keys): ((&'a String, &'a Value), &'a ParamKeys<'a>)| {
        let doc = Doc::Text(schema.get("description").and_then(Value::as_str).unwrap_or(""));
        let kind = if is_required(name) { ParamKind::Required } else { ParamKind::Optional };
        ParamDef { keys, ..ParamDef::new(name, doc, kind, SchemaSource::Given(schema)) }
    };
    properties(owned).zip(keys).map(param).collect()
}

/// Collects what a schema-only tool is.
#[must_use]
pub struct DynToolBuilder {
    owned: Owned,
    handler: Option<Box<dyn DynHandler>>,
    max_schema_bytes: usize,
}

impl DynToolBuilder {
    /// The text for models; required.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.owned.description = text.into();
        self
    }

    /// Display name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.owned.title = Some(title.into());
        self
    }

    /// The JSON Schema 2020-12 of the arguments, an object; no parameters when left out.
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.owned.input = schema;
        self
    }

    /// The most bytes of that schema, as compact JSON; [`MAX_SCHEMA_BYTES`](super::MAX_SCHEMA_BYTES) by default.
    pub fn max_schema_bytes(mut self, bytes: usize) -> Self {
        self.max_schema_bytes = bytes;
        self
    }

    /// What a call changes. When left out, the worst is assumed.
    pub fn behavior(mut self, behavior: Behavior) -> Self {
        self.owned.behavior = Some(behavior);
        self
    }

    /// Adds a further name that calls may use.
    pub fn alias(mut self, alias: impl Into<String>) -> Self {
        self.owned.aliases.push(alias.into());
        self
    }

    /// Section of the command line and the catalogue.
    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.owned.group = Some(group.into());
        self
    }

    /// Adds a word for selection and policy.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.owned.tags.push(tag.into());
        self.owned.tags.sort();
        self
    }

    /// Declares a secret that the handler may ask for.
    pub fn secret(mut self, key: impl Into<String>) -> Self {
        self.owned.secrets.push(key.into());
        self
    }

    /// The longest run.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.owned.timeout = Some(timeout);
        self
    }

    /// Where it is offered.
    pub fn surfaces(mut self, surfaces: Surfaces) -> Self {
        self.owned.surfaces = surfaces;
        self
    }

    /// Left out of help and indexes, still callable.
    pub fn hidden(mut self) -> Self {
        self.owned.hidden = true;
        self
    }

    /// What to use instead.
    pub fn deprecated(mut self, instead: impl Into<String>) -> Self {
        self.owned.deprecated = Some(instead.into());
        self
    }

    /// Shows MCP clients the input schema letter for letter: with `$schema`, definitions and anchors, for a tool that stands
    /// in for another server's. Model APIs get the form that each of them takes.
    pub fn verbatim(mut self) -> Self {
        self.owned.verbatim = true;
        self
    }

    /// Says of a parameter what its schema cannot.
    pub fn param(mut self, name: impl Into<String>, say: impl FnOnce(DynParam) -> DynParam) -> Self {
        self.owned.params.push(say(DynParam { name: name.into(), ..DynParam::default() }));
        self
    }

    /// The function that runs a call, with the normal form of its arguments.
    pub fn handler<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Value, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ToolResult> + Send + 'static,
    {
        self.handler = Some(Box::new(AsyncHandler(Arc::new(handler))));
        self
    }

    /// The plain function that runs a call, with the normal form of its arguments.
    pub fn handler_sync<F>(mut self, handler: F) -> Self
    where
        F: Fn(Value, ToolContext) -> ToolResult + Send + Sync + 'static,
    {
        self.handler = Some(Box::new(SyncHandler(Arc::new(handler))));
        self
    }

    /// The tool.
    ///
    /// # Errors
    /// Every problem at once: `name_invalid`, `description_missing`, `schema_invalid`, `schema_remote_ref`,
    /// `schema_false`, `param_unknown`, `param_clash`.
    pub fn build(self) -> Result<DynTool, RegistryError> {
        let Self { mut owned, handler, max_schema_bytes } = self;
        depth::prune(&mut owned.input, input::MAX_SCHEMA_DEPTH + 1);
        let mut problems = Vec::new();
        let mut report = |code: ProblemCode, text: String| {
            let origins = vec![Origin::DYNAMIC.to_string()];
            problems.push(Problem { code, tool: owned.name.clone(), origins, text, hint: None });
        };
        for name in std::iter::once(&owned.name).chain(&owned.aliases).filter(|name| !is_valid(name)) {
            let shown: String = name.chars().take(80).collect();
            report(
                ProblemCode::NameInvalid,
                format!("`{shown}` must match {NAME_PATTERN}; try `{}`", suggestion(name)),
            );
        }
        if owned.description.trim().is_empty() {
            report(
                ProblemCode::DescriptionMissing,
                format!("`{}` has no description", shown_name(&owned.name)),
            );
        }
        if let Err(problem) = input::check(&owned.input, max_schema_bytes) {
            let text = format!(
                "the input schema of `{}` is not valid at `{}`: {}",
                shown_name(&owned.name),
                problem.pointer,
                problem.text
            );
            report(problem.code, text);
        } else {
            for (code, text) in param::faults(&owned.name, &owned.input, &owned.params) {
                report(code, text);
            }
        }
        if !problems.is_empty() {
            return Err(RegistryError::new(problems));
        }
        if let Some(handler) = handler {
            owned.handler = handler;
        }
        Ok(DynTool(Definition::of(owned)))
    }
}

impl std::fmt::Debug for DynToolBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DynToolBuilder({})", self.owned.name)
    }
}

struct AsyncHandler<F>(Arc<F>);

impl<F, Fut> DynHandler for AsyncHandler<F>
where
    F: Fn(Value, ToolContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ToolResult> + Send + 'static,
{
    fn enter(&self, args: &mut Args<'_>) -> Result<Run, ToolError> {
        let (handler, args) = (Arc::clone(&self.0), whole(args)?);
        Ok(Run::future(move |ctx| handler(args, ctx)))
    }
}

struct SyncHandler<F>(Arc<F>);

impl<F> DynHandler for SyncHandler<F>
where
    F: Fn(Value, ToolContext) -> ToolResult + Send + Sync + 'static,
{
    fn enter(&self, args: &mut Args<'_>) -> Result<Run, ToolError> {
        let (handler, args) = (Arc::clone(&self.0), whole(args)?);
        Ok(Run::blocking(move |ctx| handler(args, ctx)))
    }
}

/// The normal form of all arguments, by the schema alone.
fn whole(args: &mut Args<'_>) -> Result<Value, ToolError> {
    let object = args.take_object();
    args.finish()?;
    object.map(Value::Object).ok_or_else(|| args.incomplete())
}
