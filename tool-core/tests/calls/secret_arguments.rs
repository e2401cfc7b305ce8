//! Secret arguments that hold more than one text: none of these leaves the call.

use std::collections::BTreeMap;

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{Executor, Registry, ShapeSettings};

use crate::scene::{Rows, audited, call};

/// Gives all that it is given.
#[tool(register = false)]
fn echo(
    /// Words.
    #[arg(secret)]
    words: Vec<String>,
    /// Words by name.
    #[arg(secret)]
    named: BTreeMap<String, String>,
    /// What anybody may read.
    open: &str,
) -> String {
    let named: Vec<String> = named.into_values().collect();
    format!("{} {} {open}", words.join(" "), named.join(" "))
}

#[tokio::test]
async fn texts_in_lists_and_maps_are_taken_out_of_the_result() {
    let registry = Registry::builder().add::<EchoTool>().build().unwrap();
    let rows = Rows::default();
    let settings = ShapeSettings { results: None, ..ShapeSettings::default() };
    let executor = Executor::standard(registry).shape(settings).audit(audited(&rows)).build().unwrap();
    let args = json!({"words": ["first-secret-word", "second-secret-word"], "named": {"key": "third-secret-word"}, "open": "open-word"});
    let told = format!("{:?} {:?}", call(&executor, "echo", args).await.unwrap(), rows.take());
    for secret in ["first-secret", "second-secret", "third-secret"] {
        assert!(!told.contains(secret), "{told}");
    }
    assert!(told.contains("open-word"), "{told}");
}
