//! Notes: standard input, bytes, a deprecated tool and one for models only.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::prelude::*;

use super::echo::{echo, of, opt};

/// Bytes that travel as base64.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("contentEncoding" = "base64"))]
pub(super) struct Bytes(String);

impl TryFrom<String> for Bytes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match STANDARD.decode(&text) {
            Ok(_) => Ok(Bytes(text)),
            Err(_) => Err("base64".to_owned()),
        }
    }
}

/// Writes a note.
#[tool(side_effect, idempotent = false, group = "note", register = false)]
pub(super) fn write_note(
    /// Title.
    #[arg(positional)]
    title: &str,
    /// Text of the note.
    #[arg(stdin)]
    body: &str,
    /// File to attach.
    #[arg(stdin)]
    attachment: Option<Bytes>,
    /// Author's handle, such as @alice.
    handle: Option<&str>,
) -> Value {
    echo([
        ("title", of(title)),
        ("body", of(body)),
        ("attachment", opt(&attachment)),
        ("handle", opt(&handle)),
    ])
}

/// Echoes text.
#[tool(group = "note", deprecated = "use 'note write'", register = false)]
pub(super) fn old_echo(
    /// Text.
    #[arg(positional)]
    text: &str,
) -> Value {
    echo([("text", of(text))])
}

/// For models only.
#[tool(group = "note", surfaces(llm, mcp), register = false)]
pub(super) fn note_rank() -> Value {
    echo([])
}
