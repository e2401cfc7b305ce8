//! The tools for tools-rs: functions that linking collects, called through its collection.

use question::{Listed, Peer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools_rs::{FunctionCall, ToolCollection, ToolSchema, collect_tools, tool};

/// Reserves seats.
#[tool]
async fn reserve(event: String, seats: u32) -> Result<String, String> {
    if !(1..=10).contains(&seats) {
        return Err(format!("seats must be from 1 to 10, not {seats}"));
    }
    Ok(format!("{seats} seats for {event}"))
}

/// Where to send it.
#[derive(Deserialize, Serialize, ToolSchema)]
struct Address {
    street: String,
    city: String,
    zip: Option<String>,
}

/// How it is paid.
#[derive(Deserialize, Serialize, PartialEq)]
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

/// Its derive takes no enums.
impl ToolSchema for Payment {
    fn schema() -> Value {
        json!({"type": "string", "enum": ["card", "invoice", "cash"]})
    }
}

/// Orders an item.
#[tool]
#[allow(clippy::too_many_arguments, reason = "what is asked is a tool with many")]
async fn order(
    customer: String,
    item: String,
    quantity: u32,
    price: f64,
    express: Option<bool>,
    tags: Option<Vec<String>>,
    address: Address,
    payment: Payment,
) -> Result<Receipt, String> {
    if !(1..=100).contains(&quantity) {
        return Err(format!("quantity must be from 1 to 100, not {quantity}"));
    }
    let express = express.unwrap_or_default();
    let fee = f64::from(u8::from(express)) * 5.0 + f64::from(u8::from(payment == Payment::Invoice));
    let total = f64::from(quantity) * price + fee + tags.unwrap_or_default().len() as f64;
    let to = if address.zip.is_some() { address.street } else { address.city };
    Ok(Receipt { item, total, to: format!("{customer}, {to}") })
}

/// Measures a text.
#[tool]
async fn measure(text: String) -> String {
    format!("{} bytes", text.len())
}

/// Adds numbers.
#[tool]
async fn sum(numbers: Vec<f64>) -> String {
    format!("{} numbers, {}", numbers.len(), numbers.iter().sum::<f64>())
}

struct ToolsRs {
    tools: ToolCollection,
}

impl Peer for ToolsRs {
    async fn call(&mut self, tool: &str, args: &str) -> Result<String, String> {
        let args = serde_json::from_str(args).map_err(|error| error.to_string())?;
        // Without an id, which nobody asked for and which costs a random number.
        let call = FunctionCall { id: None, name: tool.to_owned(), arguments: args };
        let response = self.tools.call(call).await.map_err(|error| error.to_string())?;
        // A `Result` arrives as an object with its case.
        match response.result {
            Value::String(text) => Ok(text),
            Value::Object(mut cases) => match (cases.remove("Ok"), cases.remove("Err")) {
                (Some(Value::String(text)), _) => Ok(text),
                (Some(value), _) => Ok(value.to_string()),
                (None, error) => Err(error.unwrap_or_default().to_string()),
            },
            other => Ok(other.to_string()),
        }
    }
}

impl Listed for ToolsRs {
    fn list(&mut self) -> Vec<u8> {
        serde_json::to_vec(&self.tools.json().unwrap_or_default()).unwrap_or_default()
    }
}

fn main() {
    question::ask(ToolsRs { tools: collect_tools() });
}
