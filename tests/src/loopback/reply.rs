//! What the server answers, before it has the shape of an API.

use serde_json::Value;

use super::offered::Offered;

/// A reply of the model.
#[derive(Debug)]
pub(super) struct Reply {
    /// Which of the conversation it is, from 0.
    pub(super) turn: usize,
    /// The model, as asked for.
    pub(super) model: String,
    /// Its calls, by tool as it is offered.
    pub(super) calls: Vec<(Offered, Value)>,
    /// Its text, where it has no call.
    pub(super) text: String,
}

impl Reply {
    /// The id of a call.
    pub(super) fn id(&self, prefix: &str, call: usize) -> String {
        format!("{prefix}{}_{call}", self.turn)
    }
}

/// A server-sent event.
#[derive(Debug)]
pub(super) struct Event {
    /// Its name, where the API gives one.
    pub(super) name: Option<String>,
    /// Its data.
    pub(super) data: String,
}

impl Event {
    /// An event whose name is the type of its data.
    pub(super) fn named(data: &Value) -> Event {
        Event { name: data["type"].as_str().map(str::to_owned), data: data.to_string() }
    }

    /// An event without a name.
    pub(super) fn plain(data: impl ToString) -> Event {
        Event { name: None, data: data.to_string() }
    }

    /// The event as it is sent.
    pub(super) fn to_text(&self) -> String {
        let name = self.name.as_ref().map_or(String::new(), |name| format!("event: {name}\n"));
        format!("{name}data: {}\n\n", self.data)
    }
}

/// A text in pieces, as models send it: of so many characters.
pub(super) fn pieces(text: &str) -> Vec<String> {
    const CHARACTERS: usize = 7;
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(CHARACTERS).map(|piece| piece.iter().collect()).collect()
}
