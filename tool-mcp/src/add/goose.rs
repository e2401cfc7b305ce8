//! Goose: `config.yaml`, for the user only. Variables are passed on by name.
//! <https://block.github.io/goose/docs/guides/config-files>

use serde_json::json;

use super::edit::Format;
use super::place::Place;
use super::{Client, nothing};

/// Seconds that a call may take.
const TIMEOUT: u32 = 300;

pub(super) const CLIENT: Client = Client {
    name: "goose",
    user: Place::Below(|home| {
        let other = ".config/goose/config.yaml";
        home.by_system("Block/goose/config/config.yaml", other, other)
    }),
    project: None,
    format: Format::Yaml,
    servers: "extensions",
    entry: |served| match &served.url {
        Some(url) => json!({"enabled": true, "type": "streamable_http", "name": served.name, "uri": url,
            "timeout": TIMEOUT}),
        None => json!({"enabled": true, "type": "stdio", "name": served.name, "cmd": served.command,
            "args": served.args, "env_keys": served.secrets, "timeout": TIMEOUT}),
    },
    note: nothing,
};
