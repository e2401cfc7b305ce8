//! Zed: `settings.json`. It cannot pass variables on; they are set where Zed is started.
//! <https://zed.dev/docs/ai/mcp>

use serde_json::json;

use super::edit::Format;
use super::place::Place;
use super::{Client, Served, with};

pub(super) const CLIENT: Client = Client {
    name: "zed",
    user: Place::Below(|home| {
        let other = ".config/zed/settings.json";
        home.by_system("Zed/settings.json", other, other)
    }),
    project: Some(".zed/settings.json"),
    format: Format::Json,
    servers: "context_servers",
    entry: |served| {
        let entry = match &served.url {
            Some(url) => json!({"url": url}),
            // Without variables: it would take a reference for a value.
            None => Served { secrets: Vec::new(), ..served.clone() }.started(str::to_owned),
        };
        with("source", "custom", entry)
    },
    note: |served| match served.url.is_some() || served.secrets.is_empty() {
        true => None,
        false => Some(format!("start Zed with these variables set: {}", served.secrets.join(", "))),
    },
};
