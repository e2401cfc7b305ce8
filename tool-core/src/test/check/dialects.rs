//! `dialects`: every API that the tool is offered through can carry it, and what the schema allows survives the way to a model and
//! back. (dialects.md §10)

use jsonschema::Validator;
use jsonschema::draft202012::meta;
use serde_json::Value;

use super::{Fault, Subject};
use crate::args::validator;
use crate::def::Surface;
use crate::dialect::{Action, Dialect as _, DialectId, ModelCall, Plan, PlanOptions, StrictPolicy};

pub(super) const ID: &str = "dialects";

/// How many values go there and back in each form.
const VALUES: usize = 64;

/// The forms in which tools are sent: each dialect as it is where nothing is said, then those that can be strict, or loose.
const FORMS: [(DialectId, Option<StrictPolicy>); 9] = [
    (DialectId::Anthropic, None),
    (DialectId::OpenAiChat, None),
    (DialectId::OpenAiResponses, None),
    (DialectId::Gemini, None),
    (DialectId::Mcp20251125, None),
    (DialectId::Mcp20260728, None),
    (DialectId::Anthropic, Some(StrictPolicy::Prefer)),
    (DialectId::OpenAiChat, Some(StrictPolicy::Never)),
    (DialectId::OpenAiResponses, Some(StrictPolicy::Never)),
];

pub(super) fn look(subject: &Subject<'_>) -> Vec<Fault> {
    if subject.schema().is_none() {
        return Vec::new();
    }
    let offered = FORMS.iter().filter(|(dialect, _)| is_offered(subject, *dialect));
    offered.flat_map(|(dialect, strict)| of_form(subject, *dialect, *strict)).collect()
}

fn is_offered(subject: &Subject<'_>, dialect: DialectId) -> bool {
    let surface = match dialect {
        DialectId::Mcp20251125 | DialectId::Mcp20260728 => Surface::Mcp,
        _ => Surface::Llm,
    };
    subject.def().surfaces.contains(surface)
}

fn of_form(subject: &Subject<'_>, dialect: DialectId, strict: Option<StrictPolicy>) -> Vec<Fault> {
    let fault = |text: String| Fault::of_tool(format!("{dialect}: {text}"));
    let plan = match dialect.plan(&[subject.tool()], &PlanOptions { strict, ..PlanOptions::default() }) {
        Ok(plan) => plan,
        Err(error) => return vec![fault(refusal(&error))],
    };
    let Some(planned) = plan.tools.first() else {
        return vec![fault("the plan has no such tool".to_owned())];
    };
    let mut faults = Vec::new();
    // What another form than the usual one loses is its caller's choice.
    for issue in planned.compiled.issues.iter().filter(|_| strict.is_none()) {
        if matches!(issue.action, Action::Relaxed | Action::Refused) || subject.checks().lossless {
            faults.push(fault(format!("`{}` {}: {}", issue.path, issue.keyword, issue.action.as_str())));
        }
    }
    let wire = match planned.compiled.schema.as_ref().map(judge_of).transpose() {
        Ok(wire) => wire,
        Err(why) => {
            faults.push(fault(format!("its schema is none: {why}")));
            return faults;
        }
    };
    let lost = subject.sound(VALUES).find_map(|args| {
        let text = changed(dialect, &plan, wire.as_ref(), args)?;
        Some(fault(text).with(args))
    });
    faults.extend(lost);
    faults
}

fn judge_of(schema: &Value) -> Result<Validator, String> {
    meta::validate(schema).map_err(|error| error.to_string())?;
    validator(schema).map_err(|error| error.to_string())
}

/// What a dialect says when it cannot carry a tool.
fn refusal(error: &crate::error::ToolError) -> String {
    match error.details().get("issues") {
        Some(issues) => format!("{} {issues}", error.message()),
        None => error.message().to_owned(),
    }
}

/// What became of arguments on their way, where they are not the same.
fn changed(dialect: DialectId, plan: &Plan, wire: Option<&Validator>, args: &Value) -> Option<String> {
    let planned = plan.tools.first()?;
    let sent = dialect.encode_args(planned, args);
    if wire.is_some_and(|wire| !wire.is_valid(&sent)) {
        return Some(format!("they are sent as {sent}, which its own schema does not allow"));
    }
    let call =
        ModelCall { id: "call_1".to_owned(), wire_id: None, name: planned.name().to_owned(), args: Ok(sent) };
    let decoded = match dialect.decode(plan, &dialect.encode_calls(&[call], ""), 0) {
        Ok(decoded) => decoded,
        Err(error) => return Some(format!("the call is not read back: {error}")),
    };
    match decoded.calls.first().map(|call| &call.args) {
        Some(Ok(came)) if came == args => None,
        Some(Ok(came)) => Some(format!("they come back as {came}")),
        Some(Err(error)) => Some(format!("they do not come back: {error}")),
        None => Some("the call does not come back".to_owned()),
    }
}
