//! What happens during one call of a kit, in order: its progress, its output, the elements of its list, what it asks and what is
//! answered.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::io::{Accessed, Io};
use super::script::Script;
use crate::access::{Access, AccessSink};
use crate::ask::{Asker, Question, Reply};
use crate::call::{ApprovalRequest, Approver, Decision};
use crate::context::ToolContext;
use crate::def::BoxFuture;
use crate::error::ToolError;
use crate::items::ItemSink;
use crate::live::{LiveSink, OutputStream, Piece};
use crate::progress::{Progress, ProgressSink};

/// Something that happened during a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// The tool said how far it is.
    Progress {
        /// Work done so far.
        done: f64,
        /// All work, if known.
        total: Option<f64>,
        /// What is being done.
        message: Option<String>,
    },
    /// Output came while the tool ran.
    Output {
        /// Where it was written.
        stream: OutputStream,
        /// The text.
        text: String,
    },
    /// The tool emitted an element of its list.
    Item(Value),
    /// The tool used a capability.
    Access(Io),
    /// Somebody was asked whether a tool may run.
    Approval {
        /// The tool.
        tool: String,
        /// What was answered.
        decision: Decision,
    },
    /// The tool asked something.
    Question {
        /// The key of the question.
        key: String,
        /// Its text.
        message: String,
        /// What was answered.
        reply: Reply,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Progress { done, total, message } => {
                write!(f, "progress: {done}")?;
                total.map_or(Ok(()), |total| write!(f, " of {total}"))?;
                message.as_ref().map_or(Ok(()), |message| write!(f, ", {message}"))
            }
            Event::Output { stream, text } => write!(f, "{stream:?}: {text:?}"),
            Event::Item(item) => write!(f, "emitted: {item}"),
            Event::Access(io) => write!(f, "{}: {}", io.capability, io.what),
            Event::Approval { tool, decision } => write!(f, "asked whether {tool} may run: {decision:?}"),
            Event::Question { key, message, reply } => write!(f, "asked `{key}`, {message:?}: {reply:?}"),
        }
    }
}

/// Watches one call; its clones watch the same.
#[derive(Clone)]
pub(super) struct Watch {
    events: Arc<Mutex<Vec<Event>>>,
    accessed: Accessed,
    script: Script,
    /// To whom the elements of lists go without it.
    items: Option<Arc<dyn ItemSink>>,
}

impl Watch {
    /// Watches a call that is made in this context.
    pub(super) fn new(script: &Script, accessed: &Accessed, ctx: &ToolContext) -> Watch {
        let (accessed, script) = (accessed.clone(), script.clone());
        Watch { events: Arc::default(), accessed, script, items: ctx.item_sink() }
    }

    /// The context, in which the call is watched.
    pub(super) fn context(&self, ctx: &ToolContext) -> ToolContext {
        let watched = ctx.to_builder().progress(self.clone()).live(self.clone()).accesses(self.clone());
        watched.items(self.clone()).approver(self.clone()).asker(self.clone()).build()
    }

    /// What happened so far.
    pub(super) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn saw(&self, event: Event) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}

impl ProgressSink for Watch {
    fn report(&self, _: &ToolContext, progress: Progress<'_>) {
        let Progress { done, total, message } = progress;
        self.saw(Event::Progress { done, total, message: message.map(str::to_owned) });
    }
}

impl LiveSink for Watch {
    fn show(&self, _: &ToolContext, piece: Piece<'_>) {
        self.saw(Event::Output { stream: piece.stream, text: piece.text.to_owned() });
    }
}

impl ItemSink for Watch {
    fn item(&self, ctx: &ToolContext, item: &Value) {
        self.saw(Event::Item(item.clone()));
        if let Some(items) = &self.items {
            items.item(ctx, item);
        }
    }

    fn shows(&self) -> bool {
        self.items.as_ref().is_some_and(|items| items.shows())
    }
}

impl AccessSink for Watch {
    fn accessed(&self, ctx: &ToolContext, access: Access<'_>) {
        let io = self.accessed.note(ctx, access);
        self.saw(Event::Access(io));
    }
}

impl Approver for Watch {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        Box::pin(async move {
            let decision = self.script.decide(request).await;
            self.saw(Event::Approval { tool: request.tool.name().to_owned(), decision: decision.clone() });
            decision
        })
    }

    fn asks(&self, request: &ApprovalRequest<'_>) -> bool {
        self.script.asks(request)
    }

    fn name(&self) -> &str {
        self.script.name()
    }
}

impl Asker for Watch {
    fn ask<'a>(
        &'a self,
        ctx: &'a ToolContext,
        questions: &'a [(String, Question)],
    ) -> BoxFuture<'a, Result<Vec<Reply>, ToolError>> {
        Box::pin(async move {
            let replies = self.script.ask(ctx, questions).await?;
            for ((key, question), reply) in questions.iter().zip(&replies) {
                let (key, message) = (key.clone(), question.message().to_owned());
                self.saw(Event::Question { key, message, reply: reply.clone() });
            }
            Ok(replies)
        })
    }
}
