//! The tools for server-less: methods that its macro makes tools of MCP of, dispatched by name.

use question::{Listed, Peer};
use serde::{Deserialize, Serialize};
use server_less::tool;

/// Where to send it.
#[derive(Deserialize)]
struct Address {
    street: String,
    city: String,
    zip: Option<String>,
}

/// How it is paid.
#[derive(Deserialize, PartialEq)]
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

struct Shop;

#[tool]
impl Shop {
    /// Reserves seats.
    pub fn reserve(
        &self,
        #[param(help = "What to see.")] event: String,
        #[param(help = "How many seats.")] seats: u32,
    ) -> Result<String, String> {
        if !(1..=10).contains(&seats) {
            return Err(format!("seats must be from 1 to 10, not {seats}"));
        }
        Ok(format!("{seats} seats for {event}"))
    }

    /// Orders an item.
    #[allow(clippy::too_many_arguments, reason = "what is asked is a tool with many")]
    pub fn order(
        &self,
        #[param(help = "Who orders.")] customer: String,
        #[param(help = "What to order.")] item: String,
        #[param(help = "How many.")] quantity: u32,
        #[param(help = "Price of one.")] price: f64,
        #[param(help = "Send it today.")] express: Option<bool>,
        #[param(help = "Labels of the order.")] tags: Option<Vec<String>>,
        #[param(help = "Where to send it.")] address: Address,
        #[param(help = "How it is paid.")] payment: Payment,
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
    pub fn measure(&self, #[param(help = "The text.")] text: String) -> String {
        format!("{} bytes", text.len())
    }

    /// Adds numbers.
    pub fn sum(&self, #[param(help = "The numbers.")] numbers: Vec<f64>) -> String {
        format!("{} numbers, {}", numbers.len(), numbers.iter().sum::<f64>())
    }
}

impl Peer for Shop {
    async fn call(&mut self, tool: &str, args: &str) -> Result<String, String> {
        let args = serde_json::from_str(args).map_err(|error| error.to_string())?;
        match self.mcp_call(tool, args)? {
            serde_json::Value::String(text) => Ok(text),
            other => Ok(other.to_string()),
        }
    }
}

impl Listed for Shop {
    fn list(&mut self) -> Vec<u8> {
        serde_json::to_vec(&Shop::mcp_tools()).unwrap_or_default()
    }
}

fn main() {
    question::ask(Shop);
}
