//! One run: turns until a terminal tool succeeds, the model stops calling, or a limit is met. (dialects.md §12)

mod builder;
mod limits;
mod outcome;
mod repeat;
mod respond;

use std::collections::HashMap;

use serde_json::Value;
use tool_core::dialect::{Decoded, Dialect as _, ModelCall, Plan, Stop};
use tool_core::{Call, Caller, ErrorKind, Executor, Finished, ToolContext, ToolError, ToolResult};

use crate::model::ModelRequest;

pub use builder::ToolLoop;
pub use limits::{LoopLimits, OnText};
pub use outcome::{Outcome, Run, Turn, TurnCall};
use repeat::Repeats;

/// What a model is told whose call the provider could not read.
const MALFORMED: &str = "Your last function call was malformed. Call again with valid arguments.";

impl ToolLoop {
    /// Runs until the end. The run ends in words, not in an error: whatever happened is in it.
    pub async fn run(&self, prompt: &str, cx: &ToolContext) -> Run {
        let mut turns = Vec::new();
        let outcome = match self.plan() {
            Ok(plan) => self.turns(&plan, prompt, cx, &mut turns).await,
            Err(error) => Outcome::Failed(error),
        };
        Run { outcome, turns }
    }

    async fn turns(&self, plan: &Plan, prompt: &str, cx: &ToolContext, turns: &mut Vec<Turn>) -> Outcome {
        let dialect = self.model.dialect();
        let mut history = vec![dialect.user_message(prompt)];
        let mut repeats = Repeats::new(self.limits.repeated_turns);
        let mut nudges = 0;
        loop {
            let turn = u32::try_from(turns.len()).unwrap_or(u32::MAX);
            if self.limits.turns.is_some_and(|most| turn >= most) {
                return Outcome::Limit("turns");
            }
            let request = ModelRequest { plan, system: self.system.as_deref(), messages: &history, turn };
            let reply = respond::respond(self.model.as_ref(), &request, cx).await;
            let Decoded { calls, text, stop, echo } = match reply {
                Ok(reply) => reply,
                Err(error) => return Outcome::Failed(error),
            };
            history.extend(dialect.echo_items(echo));
            // What the provider would not let pass is not acted on either.
            if calls.is_empty() || stop == Stop::Refused {
                turns.push(Turn { text: text.clone(), stop, calls: Vec::new() });
                match (stop, &self.on_text) {
                    (Stop::Refused, _) => return Outcome::Refused(text),
                    (Stop::Length, _) => return Outcome::Limit("output"),
                    (Stop::Paused, _) => {}
                    (Stop::Malformed, _) => history.push(dialect.user_message(MALFORMED)),
                    (_, OnText::Nudge { times, message }) if nudges < *times => {
                        nudges += 1;
                        history.push(dialect.user_message(message));
                    }
                    (_, OnText::Finish | OnText::Nudge { .. }) => return Outcome::Text(text),
                    (_, OnText::Fail) => return Outcome::Failed(no_call()),
                }
                continue;
            }
            let (answered, finish) = self.answer(calls, cx).await;
            let items = dialect.encode_results(plan, &answered);
            history.extend(items);
            let over_budget = answered.iter().any(|(_, result)| is_budget(result));
            let repeated = repeats.seen(&answered);
            let calls = answered.into_iter().map(TurnCall::from).collect();
            turns.push(Turn { text, stop, calls });
            if let Some(finish) = finish {
                return Outcome::Finished(finish);
            }
            if let Err(error) = cx.check() {
                return Outcome::Failed(error);
            }
            if over_budget {
                return Outcome::Limit("calls");
            }
            if repeated {
                return Outcome::Limit("repeats");
            }
        }
    }

    /// One result for each call, in call order. What could not be read is not run; its error is its result.
    async fn answer(
        &self,
        calls: Vec<ModelCall>,
        cx: &ToolContext,
    ) -> (Vec<(ModelCall, ToolResult)>, Option<Finished>) {
        let most = usize::try_from(self.limits.calls_per_turn).unwrap_or(usize::MAX);
        let mut results: HashMap<usize, ToolResult> = HashMap::new();
        let (mut places, mut run) = (Vec::new(), Vec::new());
        let mut kept: Vec<ModelCall> = Vec::with_capacity(calls.len());
        for (i, mut call) in calls.into_iter().enumerate() {
            match std::mem::replace(&mut call.args, Ok(Value::Null)) {
                _ if i >= most => {
                    results.insert(i, Err(too_many(most)));
                }
                Ok(args) => {
                    // The id of the wire is only unique within its conversation: the executor makes one that is for the journal.
                    run.push(Call::new(call.name.clone(), args.clone()));
                    places.push(i);
                    call.args = Ok(args);
                }
                Err(error) => {
                    results.insert(i, Err(error));
                }
            }
            kept.push(call);
        }
        let batch = self.executor.call_all(run, cx, Caller::Llm).await;
        results.extend(places.into_iter().zip(batch.results));
        let gone = || Err(ToolError::internal("The call has no result."));
        let answered = kept.into_iter().enumerate().map(|(i, call)| {
            let result = results.remove(&i).unwrap_or_else(gone);
            (call, result)
        });
        (answered.collect(), batch.finish)
    }

    /// What the model is offered.
    fn plan(&self) -> Result<Plan, ToolError> {
        let offered: Vec<_> = match &self.snapshot {
            Some(snapshot) => self.executor.visible(snapshot),
            None => offered(&self.executor).collect(),
        };
        self.model.dialect().plan(&offered, &self.options)
    }
}

/// Without a snapshot, what is made for models.
fn offered(executor: &Executor) -> impl Iterator<Item = &tool_core::ToolEntry> {
    let for_models =
        |entry: &&tool_core::ToolEntry| entry.def().surfaces.contains(tool_core::def::Surface::Llm);
    executor.registry().iter().filter(for_models)
}

fn is_budget(result: &ToolResult) -> bool {
    let is_budget =
        |error: &ToolError| error.kind() == ErrorKind::Denied && error.code_str() == "call_budget";
    result.as_ref().is_err_and(is_budget)
}

fn too_many(most: usize) -> ToolError {
    ToolError::denied(format!("The call was not run: a turn has at most {most} calls."))
        .code("too_many_calls")
}

fn no_call() -> ToolError {
    ToolError::failed("The model answered without a call.").code("no_call")
}
