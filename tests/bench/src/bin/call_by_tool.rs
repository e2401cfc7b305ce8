//! One small call, again and again: text in, tool, text out, through the executor. Counted against `call_by_hand`.

use std::hint::black_box;

use serde::Serialize;
use tool_core::prelude::*;
use tool_core::{Caller, Executor, Registry};

/// What the tool answers.
#[derive(Serialize, schemars::JsonSchema)]
struct Hits {
    query: String,
    hits: u32,
}

/// Searches the catalogue.
#[tool(group = "bench")]
fn search(
    /// Words to look for.
    query: &str,
    /// Maximum number of hits.
    #[arg(range = 1..=100, default = 10)]
    limit: u32,
    /// Keep hits that carry one of these tags.
    tags: Vec<String>,
    /// Drop hits below this score.
    min_score: Option<f64>,
) -> Hits {
    Hits { query: query.to_owned(), hits: limit + tags.len() as u32 + min_score.unwrap_or(0.0) as u32 }
}

fn main() {
    let calls: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    let registry = Registry::builder().add::<SearchTool>().build().unwrap();
    let executor = Executor::standard(registry).build().unwrap();
    let ctx = ToolContext::empty();
    for _ in 0..calls {
        let text = black_box(r#"{"query":"blue lamp","limit":5,"tags":["sale","new"],"min_score":0.5}"#);
        let output = executor.call_text_blocking("search", text, &ctx, Caller::Llm).unwrap();
        black_box(output.structured.unwrap().into_text());
    }
}
