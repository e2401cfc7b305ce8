//! One call on every surface, and the assertion that all of them tell the same.

use std::future::IntoFuture;

use serde_json::{Value, json};

use super::blocking::block_on;
use super::called::CallResult;
use super::difference::parts;
use super::kit::ToolKit;
use super::model::ModelCalled;
use super::surface::{Case, Told};
use crate::call::{Call, Caller};
use crate::def::{BoxFuture, Surface};
use crate::dialect::DialectId;
use crate::error::ErrorKind;

/// The dialects of models. Those of MCP are spoken by servers, which are surfaces of their own.
const MODELS: [DialectId; 4] =
    [DialectId::Anthropic, DialectId::OpenAiChat, DialectId::OpenAiResponses, DialectId::Gemini];

/// A call that is about to be made on every surface: await it, or call [`blocking`](Self::blocking).
#[derive(Debug)]
#[must_use]
pub struct Everywhere<'k> {
    kit: &'k ToolKit,
    tool: String,
    args: Value,
    varying: Vec<String>,
}

/// What every surface told of one call.
#[derive(Debug)]
#[must_use]
pub struct Outcomes {
    /// The call as a message shows it.
    shown: String,
    direct: CallResult,
    picture: Vec<Value>,
    surfaces: Vec<Seen>,
    varying: Vec<String>,
}

/// What one surface told, and what it left behind.
#[derive(Debug)]
struct Seen {
    surface: String,
    told: Told,
    picture: Vec<Value>,
}

impl<'k> Everywhere<'k> {
    pub(super) fn new(kit: &'k ToolKit, tool: String, args: Value) -> Everywhere<'k> {
        Everywhere { kit, tool, args, varying: Vec::new() }
    }

    /// Members of the data, by JSON pointers, that are another value in each kit, such as the time at which a file was made:
    /// they must be there on every surface, and are not compared.
    pub fn varying(mut self, pointers: impl IntoIterator<Item: Into<String>>) -> Self {
        self.varying.extend(pointers.into_iter().map(Into::into));
        self
    }

    /// Makes the calls without a runtime around them.
    pub fn blocking(self) -> Outcomes {
        block_on(self.run())
    }

    async fn run(self) -> Outcomes {
        let Everywhere { kit, tool, args, varying } = &self;
        // Each surface has a kit with these answers.
        kit.forgive();
        let own = kit.another();
        let ctx = own.context();
        let planned = own.executor().plan(Call::new(tool.clone(), args.clone()), ctx, Caller::Test).await;
        let fits = planned.is_ok_and(|plan| is_part_of(args, &plan.args));
        let direct = own.call(tool, args.clone()).await;
        let mut outcomes = Outcomes {
            shown: format!("{tool} {}", kit.shown(tool, args)),
            picture: own.picture(),
            direct,
            surfaces: Vec::new(),
            varying: varying.clone(),
        };
        drop(own);
        let case = Case { tool, args, fits };
        let offered =
            kit.registry().get(tool).is_none_or(|entry| entry.def().surfaces.contains(Surface::Llm));
        for (dialect, strict) in MODELS.into_iter().flat_map(|dialect| [(dialect, false), (dialect, true)]) {
            if offered {
                outcomes.surfaces.push(from_a_model(&kit.another(), case, dialect, strict).await);
            }
        }
        for surface in kit.under_test() {
            let own = kit.another();
            match surface.call(&own, &case).await {
                Some(told) => {
                    let picture = own.picture();
                    outcomes.surfaces.push(Seen { surface: surface.name(), told, picture });
                }
                // It was not called.
                None => drop(own.forgive()),
            }
        }
        outcomes
    }
}

/// Whether arguments stand in the normal form just as they are: no name, value or text was read otherwise.
fn is_part_of(args: &Value, normal: &Value) -> bool {
    match (args.as_object(), normal.as_object()) {
        (Some(args), Some(normal)) => args.iter().all(|(name, value)| normal.get(name) == Some(value)),
        _ => false,
    }
}

async fn from_a_model(kit: &ToolKit, case: Case<'_>, dialect: DialectId, strict: bool) -> Seen {
    let model = kit.dialect(dialect);
    let model = if strict { model.strict() } else { model };
    // A model that obeys the schema sends what the schema says; another one sends anything.
    let ModelCalled { result, wire } = match case.fits {
        true => model.call_encoded(case.tool, case.args).await,
        false => model.call(case.tool, &case.args.to_string()).await,
    };
    let mut told = Told::of(&result);
    if let Err(error) = &mut told.result {
        *error = error_in(&json!(wire)).unwrap_or_default();
    }
    let surface = format!("{dialect}{}", if strict { ", strict" } else { "" });
    Seen { surface, told, picture: kit.picture() }
}

/// The error that a model reads in what it is sent: an envelope, wherever a dialect puts one.
fn error_in(wire: &Value) -> Option<Value> {
    match wire {
        Value::Object(members) if members.contains_key("kind") && members.contains_key("retryable") => {
            Some(wire.clone())
        }
        Value::Object(members) => members.values().find_map(error_in),
        Value::Array(items) => items.iter().find_map(error_in),
        Value::String(text) => error_in(&serde_json::from_str(text).ok().filter(|v: &Value| v.is_object())?),
        _ => None,
    }
}

impl<'k> IntoFuture for Everywhere<'k> {
    type Output = Outcomes;
    type IntoFuture = BoxFuture<'k, Outcomes>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl Outcomes {
    /// Asserts that every surface told the same as the direct call, left the same behind, and ended with the status of the
    /// error's kind. Gives back the direct call.
    ///
    /// # Errors
    /// None of its own: the direct call as it ended.
    ///
    /// # Panics
    /// With every surface that differs and how.
    #[track_caller]
    #[expect(clippy::panic, reason = "an assertion")]
    pub fn assert_same(self) -> CallResult {
        let wrong = self.differences();
        if !wrong.is_empty() {
            panic!("{}\n{}\nthe direct call: {:?}", self.shown, wrong.join("\n"), self.direct);
        }
        self.direct
    }

    /// The direct call, whatever the others told.
    ///
    /// # Errors
    /// As it ended.
    pub fn into_direct(self) -> CallResult {
        self.direct
    }

    /// What each surface told, but for the direct call.
    pub fn told(&self) -> impl Iterator<Item = (&str, &Told)> {
        self.surfaces.iter().map(|seen| (seen.surface.as_str(), &seen.told))
    }

    /// A result as it is compared: what varies is only there.
    fn compared(&self, result: &Result<Value, Value>) -> Result<Value, Value> {
        let mut data = result.clone()?;
        for pointer in &self.varying {
            if let Some(value) = data.pointer_mut(pointer) {
                *value = Value::from("varies");
            }
        }
        Ok(data)
    }

    /// Each surface that differs from the direct call, with how.
    pub fn differences(&self) -> Vec<String> {
        let direct = self.compared(&Told::of(&self.direct).result);
        let kind = self.direct.as_ref().err().map(|error| error.kind());
        let status = kind.map_or(0, ErrorKind::exit_code);
        let mut wrong = Vec::new();
        for Seen { surface, told, picture } in &self.surfaces {
            let told_here = self.compared(&told.result);
            if told_here != direct {
                let found = match (&told_here, &direct) {
                    (Ok(own), Ok(other)) | (Err(own), Err(other)) => parts(own, other),
                    (Ok(data), Err(_)) => format!("gave {data}"),
                    (Err(error), Ok(_)) => format!("refused it with {error}"),
                };
                wrong.push(format!("{surface} {found}"));
            }
            if told.exit.is_some_and(|exit| exit != status) {
                wrong.push(format!("{surface} ended with {:?}, not {status}", told.exit));
            }
            if *picture != self.picture {
                wrong.push(format!("{surface} left {}", parts(&json!(picture), &json!(self.picture))));
            }
        }
        wrong
    }
}
