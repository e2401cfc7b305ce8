//! A tool with eight parameters, among them a struct and an enum.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema, clap::Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    /// Who orders.
    customer: String,
    /// What to order.
    item: String,
    /// How many.
    #[schemars(range(min = 1, max = 100))]
    quantity: u32,
    /// Price of one.
    price: f64,
    /// Send it today.
    #[arg(long)]
    #[serde(default)]
    express: bool,
    /// Labels of the order.
    #[arg(long)]
    #[serde(default)]
    tags: Vec<String>,
    /// Where to send it.
    #[command(flatten)]
    address: Address,
    /// How it is paid.
    #[arg(long)]
    payment: Payment,
}

/// Where to send it.
#[derive(Deserialize, JsonSchema, clap::Args)]
#[serde(deny_unknown_fields)]
struct Address {
    #[arg(long)]
    street: String,
    #[arg(long)]
    city: String,
    #[arg(long)]
    zip: Option<String>,
}

/// How it is paid.
#[derive(Deserialize, JsonSchema, Clone, PartialEq, clap::ValueEnum)]
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

impl Order {
    pub(crate) fn run(self) -> Result<String, String> {
        if !(1..=100).contains(&self.quantity) {
            return Err(format!("quantity must be from 1 to 100, not {}", self.quantity));
        }
        serde_json::to_string(&order(self)).map_err(|error| error.to_string())
    }
}

fn order(order: Order) -> Receipt {
    let Order { customer, item, quantity, price, express, tags, address, payment } = order;
    let fee = f64::from(u8::from(express)) * 5.0 + f64::from(u8::from(payment == Payment::Invoice));
    let total = f64::from(quantity) * price + fee + tags.len() as f64;
    let Address { street, city, zip } = address;
    let to = if zip.is_some() { street } else { city };
    Receipt { item, total, to: format!("{customer}, {to}") }
}
