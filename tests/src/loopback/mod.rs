//! A model server without a model: the APIs of Anthropic, OpenAI (two) and Gemini on 127.0.0.1, streamed and whole.
//!
//! What it answers is written in the prompt ([`script`]): `CALL tool {…}` (several in a row are one turn), `SAY text`,
//! `FAIL status` and `CUT` (which befall the next reply, once). After the last command it answers `RESULT` and the first
//! 300 characters of the last result. What the real API would refuse is answered with 400 and the reason, and every
//! request is logged, without keys. The program `loopback` serves it.

#![allow(clippy::indexing_slicing, reason = "a member of JSON that is not there is null")]

mod anthropic;
mod asked;
mod gemini;
mod log;
mod names;
mod offered;
mod openai_chat;
mod openai_responses;
mod pairs;
#[cfg(test)]
mod refusals;
mod reply;
mod schema;
pub mod script;
mod server;

pub use log::Log;
pub use server::{Loopback, serve};

use axum::http::HeaderMap;
use serde_json::Value;

use asked::{Asked, Refusal};
use reply::{Event, Reply};

/// An API: how a request is read, and how a reply and a failure look.
struct Api {
    name: &'static str,
    read: fn(&HeaderMap, &Value) -> Result<Asked, Refusal>,
    whole: fn(&Reply) -> Value,
    events: fn(&Reply) -> Vec<Event>,
    error: fn(u16, &str) -> Value,
}

static ANTHROPIC: Api = Api {
    name: "anthropic",
    read: anthropic::read,
    whole: anthropic::whole,
    events: anthropic::events,
    error: anthropic::error,
};

static OPENAI_CHAT: Api = Api {
    name: "openai",
    read: openai_chat::read,
    whole: openai_chat::whole,
    events: openai_chat::events,
    error: openai_chat::error,
};

static OPENAI_RESPONSES: Api = Api {
    name: "openai-responses",
    read: openai_responses::read,
    whole: openai_responses::whole,
    events: openai_responses::events,
    error: openai_chat::error,
};

static GEMINI: Api = Api {
    name: "gemini",
    read: gemini::read,
    whole: gemini::whole,
    events: gemini::events,
    error: gemini::error,
};

/// Where a request goes, with the model where the path names it, and whether the path asks for events.
fn route(path: &str) -> Option<(&'static Api, Option<&str>, bool)> {
    match path.strip_prefix("/v1").unwrap_or(path) {
        "/messages" => return Some((&ANTHROPIC, None, false)),
        "/chat/completions" => return Some((&OPENAI_CHAT, None, false)),
        "/responses" => return Some((&OPENAI_RESPONSES, None, false)),
        _ => {}
    }
    let (model, method) = path.strip_prefix("/v1beta/models/")?.split_once(':')?;
    match method {
        "generateContent" => Some((&GEMINI, Some(model), false)),
        "streamGenerateContent" => Some((&GEMINI, Some(model), true)),
        _ => None,
    }
}
