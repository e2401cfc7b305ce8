//! Cursor: `mcp.json`.
//! <https://cursor.com/docs/context/mcp>

use super::edit::Format;
use super::place::Place;
use super::{Client, nothing};

pub(super) const CLIENT: Client = Client {
    name: "cursor",
    user: Place::Below(|home| home.below(".cursor/mcp.json")),
    project: Some(".cursor/mcp.json"),
    format: Format::Json,
    servers: "mcpServers",
    entry: |served| served.typed(|key| format!("${{env:{key}}}")),
    note: nothing,
};
