//! `effects`: a tool that declares no side effect has none that its capabilities tell of, is refused none by them, and changes nothing
//! where that is watched. What is seen decides, not the definition. Only of tools that may run (`running`), and for as long as one
//! that waits for something is looked at.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;

use super::super::left::pictures;
use super::running::run_within;
use super::{Fault, Subject};
use crate::args::Coerce;
use crate::call::{Invocation, Layer, Next};
use crate::contract::take;
use crate::def::BoxFuture;
use crate::output::ToolResult;

pub(super) const ID: &str = "effects";

/// How many calls are made of each tool beside its examples.
const CALLS: usize = 4;

/// How long a call is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// The code under which capabilities refuse what a definition does not declare. (calls.md §9)
const NOT_DECLARED: &str = "effect_not_declared";

pub(super) fn look(subject: &Subject<'_>) -> Vec<Fault> {
    if !subject.is_harmless() {
        return Vec::new();
    }
    let examples =
        subject.def().examples.iter().filter_map(|example| serde_json::from_str(example.args).ok());
    let fitting = examples.filter(|args: &Value| take(subject.def(), args.clone(), Coerce::Strict).is_ok());
    let calls: Vec<Value> = fitting.chain(subject.sound(CALLS).cloned()).collect();
    calls
        .iter()
        .filter_map(|args| effect(subject, args).map(|text| Fault::of_tool(text).with(args)))
        .collect()
}

/// The effect that a call has or tries.
fn effect(subject: &Subject<'_>, args: &Value) -> Option<String> {
    let seen = Seen::default();
    let before = pictures(&subject.checks().watched);
    let executor = subject.executor().before("run", seen.clone());
    let result = run_within(LOOK, executor, subject.call(args), &subject.checks().given());
    let after = pictures(&subject.checks().watched);
    let refused = result.and_then(Result::err).filter(|error| error.code_str() == NOT_DECLARED);
    if let Some(error) = refused {
        return Some(format!("it tries what it does not declare: {}", error.message()));
    }
    let mut paths = before.keys().chain(after.keys());
    if let Some(path) = paths.find(|path| before.get(*path) != after.get(*path)) {
        return Some(format!("it declares no `side_effect`, and changes {}", path.display()));
    }
    let has_acted = seen.0.load(Ordering::Relaxed);
    has_acted.then(|| "it declares no `side_effect`, and changes something through a capability".to_owned())
}

/// Whether a call has acted, which only its scope knows.
#[derive(Clone, Default)]
struct Seen(Arc<AtomicBool>);

impl Layer for Seen {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let ctx = inv.ctx;
            let result = next.run(inv).await;
            let acted = ctx.running().is_some_and(|call| call.has_acted());
            self.0.fetch_or(acted, Ordering::Relaxed);
            result
        })
    }
}
