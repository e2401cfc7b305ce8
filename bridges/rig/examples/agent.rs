//! An agent of rig whose tools are annotated functions: `cargo run --example agent`. The model is scripted here, so that
//! nothing leaves this machine; any other of rig's takes its place.

#![allow(clippy::print_stdout, reason = "it is what it is for")]

use rig_agent::AgentBuilder;
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use serde_json::json;
use tool_core::prelude::*;
use tool_core::{Executor, Registry};

/// Says how many words a text has.
#[tool]
fn count_words(
    /// The text.
    text: &str,
) -> usize {
    text.split_whitespace().count()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let executor = Executor::standard(Registry::builder().discover().build()?).build()?;
    let model = MockCompletionModel::from_turns([
        MockTurn::tool_call("1", "count_words", json!({"text": "one two three"})),
        MockTurn::text("It has three words."),
    ]);
    let agent = AgentBuilder::new(model)
        .dynamic_tools(tool_rig::tools(&executor, &ToolContext::empty())?)
        .default_max_turns(3)
        .build();
    println!("{}", agent.prompt("How many words has `one two three`?").run().await?.output());
    Ok(())
}
