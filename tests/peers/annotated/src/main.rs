//! The tools as annotated functions.

use question::{Listed, Peer};
use serde::{Deserialize, Serialize};
use tool_core::dialect::{Dialect as _, DialectId, Plan, PlanOptions};
use tool_core::prelude::*;
use tool_core::{Caller, Content, Executor, Registry};

/// Reserves seats.
#[tool]
fn reserve(
    /// What to see.
    event: &str,
    /// How many seats.
    #[arg(range = 1..=10)]
    seats: u32,
) -> String {
    format!("{seats} seats for {event}")
}

/// Where to send it.
#[derive(Deserialize, schemars::JsonSchema)]
struct Address {
    street: String,
    city: String,
    zip: Option<String>,
}

/// How it is paid.
#[derive(Deserialize, schemars::JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Payment {
    Card,
    Invoice,
    Cash,
}

/// What was ordered.
#[derive(Serialize, schemars::JsonSchema)]
struct Receipt {
    item: String,
    total: f64,
    to: String,
}

/// Orders an item.
#[tool]
#[allow(clippy::too_many_arguments, reason = "what is asked is a tool with many")]
fn order(
    /// Who orders.
    customer: &str,
    /// What to order.
    item: &str,
    /// How many.
    #[arg(range = 1..=100)]
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
) -> Receipt {
    let fee = f64::from(u8::from(express)) * 5.0 + f64::from(u8::from(payment == Payment::Invoice));
    let total = f64::from(quantity) * price + fee + tags.len() as f64;
    let Address { street, city, zip } = address;
    let to = if zip.is_some() { street } else { city };
    Receipt { item: item.to_owned(), total, to: format!("{customer}, {to}") }
}

/// Measures a text.
#[tool]
fn measure(
    /// The text.
    text: &str,
) -> String {
    format!("{} bytes", text.len())
}

/// Adds numbers.
#[tool]
fn sum(
    /// The numbers.
    numbers: Vec<f64>,
) -> String {
    format!("{} numbers, {}", numbers.len(), numbers.iter().sum::<f64>())
}

struct Annotated {
    executor: Executor,
    ctx: ToolContext,
    plan: Option<Plan>,
}

impl Peer for Annotated {
    async fn call(&mut self, tool: &str, args: &str) -> Result<String, String> {
        let mut output = self
            .executor
            .call_text_blocking(tool, args, &self.ctx, Caller::Llm)
            .map_err(|error| error.to_string())?;
        match (&mut output.content[..], output.structured) {
            ([Content::Text { text }, ..], _) => Ok(std::mem::take(text)),
            (_, structured) => Ok(structured.unwrap_or_default().into_text()),
        }
    }
}

impl Listed for Annotated {
    fn list(&mut self) -> Vec<u8> {
        // Planned once, and written once, for as long as the tools stay the same.
        let plan = self.plan.get_or_insert_with(|| {
            let entries: Vec<_> = self.executor.registry().iter().collect();
            DialectId::Mcp20251125.plan(&entries, &PlanOptions::default()).unwrap()
        });
        plan.text().as_bytes().to_vec()
    }
}

fn main() {
    let executor = Executor::standard(Registry::builder().discover().build().unwrap()).build().unwrap();
    question::ask(Annotated { executor, ctx: ToolContext::empty(), plan: None });
}
