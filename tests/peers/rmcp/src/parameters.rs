//! What the tools take and give back, as structs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reserve {
    /// What to see.
    pub(crate) event: String,
    /// How many seats.
    #[schemars(range(min = 1, max = 10))]
    pub(crate) seats: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    /// Who orders.
    pub(crate) customer: String,
    /// What to order.
    pub(crate) item: String,
    /// How many.
    #[schemars(range(min = 1, max = 100))]
    pub(crate) quantity: u32,
    /// Price of one.
    pub(crate) price: f64,
    /// Send it today.
    #[serde(default)]
    pub(crate) express: bool,
    /// Labels of the order.
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    /// Where to send it.
    pub(crate) address: Address,
    /// How it is paid.
    pub(crate) payment: Payment,
}

/// Where to send it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Address {
    pub(crate) street: String,
    pub(crate) city: String,
    pub(crate) zip: Option<String>,
}

/// How it is paid.
#[derive(Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Payment {
    Card,
    Invoice,
    Cash,
}

/// What was ordered.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Receipt {
    pub(crate) item: String,
    pub(crate) total: f64,
    pub(crate) to: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measure {
    /// The text.
    pub(crate) text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sum {
    /// The numbers.
    pub(crate) numbers: Vec<f64>,
}
