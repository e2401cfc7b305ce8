//! `effects`: a tool that declares no side effect tries none through its capabilities, and changes nothing where that is watched.
//! What the capabilities record decides, not the definition. Only of tools that may run (`running`).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::super::tree::Tree;
use super::{Fault, Subject, running};
use crate::args::Coerce;
use crate::call::{Invocation, Layer, Next};
use crate::contract::take;
use crate::def::BoxFuture;
use crate::output::ToolResult;

pub(super) const ID: &str = "effects";

/// How many calls are made of each tool beside its examples.
const CALLS: usize = 4;

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
    let before = watched(subject);
    let executor = subject.executor().before("run", seen.clone());
    let result = running::run(executor, subject.call(args), &subject.checks().given());
    let after = watched(subject);
    let tried = result.err().filter(|error| error.code_str() == NOT_DECLARED);
    let text = match (tried, before.symmetric_difference(&after).next()) {
        (Some(error), _) => format!("tries one: {}", error.message()),
        (None, Some((path, _))) => format!("changes {path}"),
        (None, None) if seen.0.load(Ordering::Relaxed) => "changes something through a capability".to_owned(),
        (None, None) => return None,
    };
    Some(format!("it declares no `side_effect`, and {text}"))
}

/// What is in the directories that are watched: paths, with what is there.
fn watched(subject: &Subject<'_>) -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    for directory in &subject.checks().watched {
        let lines = Tree::read(directory).map(|tree| tree.lines()).unwrap_or_default();
        all.extend(
            lines.into_iter().map(|(path, there)| (directory.join(path).display().to_string(), there)),
        );
    }
    all
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
