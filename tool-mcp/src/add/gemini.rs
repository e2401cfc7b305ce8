//! Gemini CLI: `settings.json`.
//! <https://geminicli.com/docs/tools/mcp-server>

use serde_json::json;

use super::edit::Format;
use super::place::Place;
use super::{Client, nothing};

pub(super) const CLIENT: Client = Client {
    name: "gemini",
    user: Place::Below(|home| home.below(".gemini/settings.json")),
    project: Some(".gemini/settings.json"),
    format: Format::Json,
    servers: "mcpServers",
    entry: |served| match &served.url {
        Some(url) => json!({"httpUrl": url}),
        None => served.started(|key| format!("${key}")),
    },
    note: nothing,
};
