//! The tools for llm-tool: functions of which its macro makes structs of parameters, dispatched by its registry.

use llm_tool::{ToolContext, ToolError, ToolRegistry, llm_tool};
use question::{Listed, Peer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reserves seats.
#[llm_tool]
fn reserve(
    /// What to see.
    event: String,
    /// How many seats.
    seats: u32,
) -> Result<String, ToolError> {
    if !(1..=10).contains(&seats) {
        return Err(ToolError::new(format!("seats must be from 1 to 10, not {seats}")));
    }
    Ok(format!("{seats} seats for {event}"))
}

/// Where to send it.
#[derive(Deserialize, JsonSchema)]
struct Address {
    street: String,
    city: String,
    zip: Option<String>,
}

/// How it is paid.
#[derive(Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Payment {
    Card,
    Invoice,
    Cash,
}

/// What was ordered.
#[derive(Serialize)]
struct Receipt {
    item: String,
    total: f64,
    to: String,
}

/// Orders an item.
#[llm_tool]
#[allow(clippy::too_many_arguments, reason = "what is asked is a tool with many")]
fn order(
    /// Who orders.
    customer: String,
    /// What to order.
    item: String,
    /// How many.
    quantity: u32,
    /// Price of one.
    price: f64,
    /// Send it today.
    express: Option<bool>,
    /// Labels of the order.
    tags: Option<Vec<String>>,
    /// Where to send it.
    address: Address,
    /// How it is paid.
    payment: Payment,
) -> Result<Receipt, ToolError> {
    if !(1..=100).contains(&quantity) {
        return Err(ToolError::new(format!("quantity must be from 1 to 100, not {quantity}")));
    }
    let express = express.unwrap_or_default();
    let fee = f64::from(u8::from(express)) * 5.0 + f64::from(u8::from(payment == Payment::Invoice));
    let total = f64::from(quantity) * price + fee + tags.unwrap_or_default().len() as f64;
    let to = if address.zip.is_some() { address.street } else { address.city };
    Ok(Receipt { item, total, to: format!("{customer}, {to}") })
}

/// Measures a text.
#[llm_tool]
fn measure(
    /// The text.
    text: String,
) -> String {
    format!("{} bytes", text.len())
}

/// Adds numbers.
#[llm_tool]
fn sum(
    /// The numbers.
    numbers: Vec<f64>,
) -> String {
    format!("{} numbers, {}", numbers.len(), numbers.iter().sum::<f64>())
}

struct LlmTool {
    registry: ToolRegistry,
    ctx: ToolContext,
}

impl Peer for LlmTool {
    async fn call(&mut self, tool: &str, args: &str) -> Result<String, String> {
        match self.registry.dispatch_str(tool, args, &self.ctx).await {
            Ok(output) => Ok(output.content().to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Listed for LlmTool {
    fn list(&mut self) -> Vec<u8> {
        serde_json::to_vec(&self.registry.definitions_slice()[..]).unwrap_or_default()
    }
}

fn main() {
    let registry = ToolRegistry::new().with_tool(Reserve).with_tool(Order).with_tool(Measure).with_tool(Sum);
    question::ask(LlmTool { registry, ctx: ToolContext::new() });
}
