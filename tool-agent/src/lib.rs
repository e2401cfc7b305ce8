//! The smallest loop that uses tools correctly: model → calls → results → model, until a terminal tool or no call.
//!
//! [`ToolLoop`] runs it over any [`Model`]; [`ScriptedModel`] is one for tests, `HttpModel` (feature `http`) speaks the
//! APIs of Anthropic, OpenAI and Gemini. What a model is offered, and how its calls and results look, are the dialects'
//! ([`tool_core::dialect`]); what runs, and in which order, is the executor's.

#[path = "loop/mod.rs"]
mod tool_loop;

pub mod model;

pub use model::{Model, ModelRequest, ScriptedModel, Step};
pub use tool_loop::{LoopLimits, OnText, Outcome, Run, ToolLoop, Turn, TurnCall};
