//! Visual Studio Code: `mcp.json`.
//! <https://code.visualstudio.com/docs/copilot/chat/mcp-servers>

use super::edit::Format;
use super::place::Place;
use super::{Client, nothing};

pub(super) const CLIENT: Client = Client {
    name: "vscode",
    user: Place::Below(|home| {
        let mac = "Library/Application Support/Code/User/mcp.json";
        home.by_system("Code/User/mcp.json", mac, ".config/Code/User/mcp.json")
    }),
    project: Some(".vscode/mcp.json"),
    format: Format::Json,
    servers: "servers",
    entry: |served| served.typed(|key| format!("${{env:{key}}}")),
    note: nothing,
};
