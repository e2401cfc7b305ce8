//! Planning one request of 600 tools with 6 parameters, for every dialect: the first time, when nothing is compiled yet,
//! and again. Prints milliseconds: the dialect, the first plan, and the median of the following ones.

use std::time::Instant;

use serde_json::{Value, json};
use tool_core::dialect::{Dialect as _, DialectId, Limits, PlanOptions, limits};
use tool_core::{DynTool, Registry, ToolEntry, ToolOutput};

const TOOLS: usize = 600;
const ROUNDS: usize = 51;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words to look for.", "minLength": 1},
            "limit": {"type": "integer", "description": "Maximum number of hits.", "minimum": 1, "maximum": 100, "default": 10},
            "tags": {"type": "array", "items": {"type": "string"}, "default": []},
            "order": {"type": "string", "enum": ["newest", "oldest", "best"], "default": "best"},
            "since": {"type": "string", "format": "date-time"},
            "exact": {"type": "boolean", "default": false},
        },
        "required": ["query"],
        "additionalProperties": false,
    })
}

/// Tools that nobody has compiled yet.
fn registry() -> Registry {
    let tools = (0..TOOLS).map(|i| {
        let tool = DynTool::builder(format!("search_{i}")).description("Searches the catalogue.");
        tool.input_schema(schema()).handler_sync(|_, _| Ok(ToolOutput::default())).build().unwrap()
    });
    tools.fold(Registry::builder(), |builder, tool| builder.add_dyn(tool)).build().unwrap()
}

fn main() {
    // More than OpenAI and Gemini take: what is measured is the planning, not the refusal.
    let limits = Limits::default().with(limits::OPENAI_TOOLS, TOOLS).with(limits::GEMINI_TOOLS, TOOLS);
    let options = PlanOptions { limits, ..PlanOptions::default() };
    for (dialect, name) in DialectId::ALL {
        let registry = registry();
        let entries: Vec<&ToolEntry> = registry.iter().collect();
        let plan = || {
            let began = Instant::now();
            let plan = dialect.plan(&entries, &options).unwrap();
            let took = began.elapsed().as_secs_f64() * 1000.0;
            assert_eq!(plan.tools.len(), TOOLS);
            took
        };
        let first = plan();
        let mut again: Vec<f64> = (0..ROUNDS).map(|_| plan()).collect();
        again.sort_by(f64::total_cmp);
        println!("{name} {first:.2} {:.3}", again[ROUNDS / 2]);
    }
}
