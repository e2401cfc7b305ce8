//! Codex: `config.toml`. Variables are passed on by name.
//! <https://developers.openai.com/codex/mcp>

use serde_json::json;

use super::edit::Format;
use super::place::Place;
use super::{Client, nothing};

pub(super) const CLIENT: Client = Client {
    name: "codex",
    user: Place::Below(|home| home.codex.clone().unwrap_or_else(|| home.below(".codex")).join("config.toml")),
    project: Some(".codex/config.toml"),
    format: Format::Toml,
    servers: "mcp_servers",
    entry: |served| match &served.url {
        Some(url) => json!({"url": url}),
        None => json!({"command": served.command, "args": served.args, "env_vars": served.secrets}),
    },
    note: nothing,
};
