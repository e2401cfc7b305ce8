//! One turn of a model: its calls together, results in call order, and the first that ends the run. (calls.md §13)

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use serde_json::Value;

use super::refuse::refuse;
use super::{Call, Caller, Executor};
use crate::context::ToolContext;
use crate::error::ToolError;
use crate::output::{ToolOutput, ToolResult};

/// What a turn came to.
#[derive(Debug)]
pub struct Batch {
    /// The results, in the order of the calls.
    pub results: Vec<ToolResult>,
    /// How the run ends, if one of the calls ended it.
    pub finish: Option<Finished>,
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// A word for it; the tool's name where its value has none.
    pub outcome: String,
    /// Why.
    pub reason: Option<String>,
    /// What the run came to.
    pub data: Value,
}

impl Finished {
    /// What a terminal tool's success means: its value may be `{outcome, reason, data}`; any other is the data.
    fn of(tool: &str, output: &ToolOutput) -> Finished {
        let value = output.data();
        let members = value.as_object().filter(|members| {
            members.keys().all(|key| matches!(key.as_str(), "outcome" | "reason" | "data"))
        });
        match members.and_then(|members| Some((members, members.get("outcome")?.as_str()?))) {
            Some((members, outcome)) => Finished {
                outcome: outcome.to_owned(),
                reason: members.get("reason").and_then(Value::as_str).map(str::to_owned),
                data: members.get("data").cloned().unwrap_or_default(),
            },
            None => Finished { outcome: tool.to_owned(), reason: None, data: value },
        }
    }
}

impl Executor {
    /// Runs the calls of one turn. Reads that follow each other run together; a side effect runs alone, in its place.
    ///
    /// The first terminal tool that succeeds, in call order, ends the run: later terminal calls get `conflict`, code
    /// `already_finished`, and do not run.
    pub async fn call_all(&self, calls: Vec<Call>, ctx: &ToolContext, caller: Caller) -> Batch {
        let mut batch = Batch { results: Vec::with_capacity(calls.len()), finish: None };
        let mut together: Vec<Call> = Vec::new();
        for call in calls {
            let tool = self.registry().get(&call.tool);
            let alone = tool.is_none_or(|tool| tool.def().behavior.side_effect || tool.def().terminal);
            if !alone {
                together.push(call);
                continue;
            }
            self.run_together(&mut together, ctx, caller, &mut batch).await;
            let terminal = tool.filter(|tool| tool.def().terminal).map(|tool| tool.name().to_owned());
            let result = match (&terminal, &batch.finish) {
                (Some(_), Some(_)) => self.refuse_late(call, ctx, caller).await,
                _ => self.call(call, ctx, caller).await,
            };
            if let (Some(name), Ok(output), None) = (terminal, &result, &batch.finish) {
                batch.finish = Some(Finished::of(&name, output));
            }
            batch.results.push(result);
        }
        self.run_together(&mut together, ctx, caller, &mut batch).await;
        batch
    }

    async fn run_together(
        &self,
        calls: &mut Vec<Call>,
        ctx: &ToolContext,
        caller: Caller,
        batch: &mut Batch,
    ) {
        let running = calls.drain(..).map(|call| Box::pin(self.call(call, ctx, caller))).collect();
        batch.results.extend(all(running).await);
    }
}

/// Runs futures together, polled in order.
async fn all<F: Future>(mut running: Vec<Pin<Box<F>>>) -> Vec<F::Output> {
    let mut done: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    poll_fn(|cx| {
        for (future, slot) in running.iter_mut().zip(&mut done) {
            if slot.is_none()
                && let Poll::Ready(output) = future.as_mut().poll(cx)
            {
                *slot = Some(output);
            }
        }
        if done.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// What a terminal call is refused with when the run has ended.
pub(super) fn already_finished(tool: &str) -> ToolError {
    let text = format!("{tool} was not run: the run has ended already.");
    refuse("run", ToolError::conflict(text).code("already_finished"))
}
