//! The tools for rig: functions of which its macro makes structs of arguments, looked up by name in a map.

use std::collections::HashMap;

use question::{Listed, Peer};
use rig_core::tool::{ErasedTool, ToolContext, ToolExecutionError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Reserves seats.
#[rig_core::rig_tool]
fn reserve(
    /// What to see.
    event: String,
    /// How many seats.
    seats: u32,
) -> Result<String, ToolExecutionError> {
    if !(1..=10).contains(&seats) {
        return Err(ToolExecutionError::invalid_args(format!("seats must be from 1 to 10, not {seats}")));
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
#[rig_core::rig_tool(required(customer, item, quantity, price, address, payment))]
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
    express: bool,
    /// Labels of the order.
    tags: Vec<String>,
    /// Where to send it.
    address: Address,
    /// How it is paid.
    payment: Payment,
) -> Result<Receipt, ToolExecutionError> {
    if !(1..=100).contains(&quantity) {
        return Err(ToolExecutionError::invalid_args(format!(
            "quantity must be from 1 to 100, not {quantity}"
        )));
    }
    let fee = f64::from(u8::from(express)) * 5.0 + f64::from(u8::from(payment == Payment::Invoice));
    let total = f64::from(quantity) * price + fee + tags.len() as f64;
    let to = if address.zip.is_some() { address.street } else { address.city };
    Ok(Receipt { item, total, to: format!("{customer}, {to}") })
}

/// Measures a text.
#[rig_core::rig_tool]
fn measure(
    /// The text.
    text: String,
) -> Result<String, ToolExecutionError> {
    Ok(format!("{} bytes", text.len()))
}

/// Adds numbers.
#[rig_core::rig_tool]
fn sum(
    /// The numbers.
    numbers: Vec<f64>,
) -> Result<String, ToolExecutionError> {
    Ok(format!("{} numbers, {}", numbers.len(), numbers.iter().sum::<f64>()))
}

struct Rig {
    tools: HashMap<String, Box<dyn ErasedTool>>,
}

impl Peer for Rig {
    async fn call(&mut self, tool: &str, args: &str) -> Result<String, String> {
        let tool = self.tools.get(tool).ok_or("there is no such tool")?;
        let result = tool.execute(args.to_owned(), &mut ToolContext::new()).await;
        match result.error() {
            None => Ok(result.output().render()),
            Some(error) => Err(error.to_string()),
        }
    }
}

impl Listed for Rig {
    fn list(&mut self) -> Vec<u8> {
        let tools = self.tools.values().map(
            |tool| json!({"name": tool.name(), "description": tool.description(), "parameters": tool.parameters()}),
        );
        serde_json::to_vec(&tools.collect::<Vec<_>>()).unwrap_or_default()
    }
}

fn main() {
    let tools: [Box<dyn ErasedTool>; 4] =
        [Box::new(Reserve), Box::new(Order), Box::new(Measure), Box::new(Sum)];
    question::ask(Rig { tools: tools.into_iter().map(|tool| (tool.name(), tool)).collect() });
}
