//! What `#[tool]` makes of each kind of function.
#![allow(
    clippy::too_many_arguments,
    clippy::unwrap_used,
    reason = "one function with every kind of parameter"
)]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tool_core::prelude::*;

struct Db;
trait Clock: Send + Sync {}

/// Reads a file.
///
/// Wrapped
/// line.
#[tool(group = "file", aliases = ["cat"], tags = ["z", "a"], timeout = "30s")]
async fn read_file(
    /// Path.
    #[arg(positional, hint = "file")]
    path: &Path,
    /// Limit.
    #[arg(short = 'n', range = 1..=10_000, default = 2_000)]
    limit: u32,
    #[ctx] db: &Db,
    #[ctx] clock: &dyn Clock,
    #[ctx] shared: Arc<Db>,
    #[ctx] maybe: Option<&Db>,
    #[ctx(secret = "API_KEY")] key: &Secret,
    #[ctx(secret = "OTHER")] other: Option<&Secret>,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let _ = (path, limit, db, clock, shared, maybe, key, other, cx);
    Ok(String::new())
}

/// All kinds.
#[tool]
fn kinds<'a>(
    /// T.
    text: &'a str,
    /// T.
    r#type: Cow<'_, str>,
    /// T.
    hidden_lifetime: Cow<str>,
    /// T.
    items: &[u32],
    /// T.
    maybe: Option<&str>,
    /// T.
    maybe_path: Option<&Path>,
    /// T.
    maybe_items: Option<&[String]>,
    /// T.
    maybe_number: Option<&u64>,
    /// T.
    three: Option<Option<u8>>,
    /// T.
    flag: bool,
    /// T.
    mut list: Vec<PathBuf>,
    /// T.
    pair: (u8, String),
    /// T.
    fixed: [u8; 4],
    /// T.
    map: BTreeMap<String, u8>,
    /// T.
    #[arg(any)]
    any: serde_json::Value,
    /// T.
    #[arg(default = "x", choices = ["x", "y"])]
    texted: &str,
    /// T.
    #[arg(default)]
    bare: u64,
    /// T.
    #[arg(default = -5, range = -10..10, examples = [1, 2])]
    negative: i64,
) -> &'a str {
    list.clear();
    let _ = (r#type, hidden_lifetime, items, maybe, maybe_path, maybe_items, maybe_number, three, flag);
    let _ = (pair, fixed, map, any, texted, bare, negative);
    text
}

/// Nothing.
#[tool]
fn nothing() {}

/// Io.
#[tool(side_effect, idempotent = false)]
fn io() -> std::io::Result<u32> {
    Ok(1)
}

#[test]
fn a_definition_says_what_was_written() {
    let def = <ReadFileTool as Tool>::DEF;
    assert_eq!(def.name, "read_file");
    assert_eq!(ReadFileTool::NAME, "read_file");
    assert_eq!(def.description(), "Reads a file.\n\nWrapped line.");
    assert_eq!(def.tags, ["a", "z"]);
    assert_eq!(def.params.len(), 2);
    assert_eq!(def.capabilities.len(), 4);
    assert_eq!(def.secrets.len(), 2);
    assert!(def.takes_context);

    assert_eq!(KindsTool::DEF.params[15].default.map(|f| f()), Some("x".into()));
}

struct Shelf;

#[toolbox(requires(secret = "API_KEY", secret = "REGION"))]
impl Shelf {
    const LIMIT: u32 = 9;
    const WHAT: &'static str = "How many at most.";

    /// Takes some.
    #[tool]
    fn take(
        &self,
        #[arg(default = Self::LIMIT, range = 1..=Self::LIMIT, examples = [Self::LIMIT - 1], description = Self::WHAT)]
        limit: u32,
        #[ctx(secret = "API_KEY")] key: Option<&Secret>,
    ) -> u32 {
        let _ = key;
        limit
    }
}

#[test]
fn self_is_the_box_in_the_keys_of_a_parameter_too() {
    let schema = ShelfTakeTool::DEF.input_schema().unwrap().schema();
    let expected = serde_json::json!({
        "type": "integer", "description": "How many at most.", "minimum": 1, "maximum": 9, "default": 9, "examples": [8],
    });
    assert_eq!(schema["properties"]["limit"], expected);
    assert_eq!(Shelf.take(Shelf::LIMIT, None), 9);
}

#[test]
fn a_method_says_itself_what_it_does_with_a_secret_of_its_box() {
    let secrets = ShelfTakeTool::DEF.secrets.iter().map(|secret| (secret.key, secret.optional));
    assert_eq!(secrets.collect::<Vec<_>>(), [("REGION", false), ("API_KEY", true)]);
}

/// Has no letter.
#[tool(register = false)]
fn _1() {}

#[test]
fn a_name_of_which_only_a_digit_is_left_has_a_handle() {
    assert_eq!(_1Tool::NAME, "_1");
}
