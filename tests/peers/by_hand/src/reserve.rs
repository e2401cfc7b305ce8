//! A tool with two scalars.

use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema, clap::Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reserve {
    /// What to see.
    event: String,
    /// How many seats.
    #[schemars(range(min = 1, max = 10))]
    seats: u32,
}

impl Reserve {
    pub(crate) fn run(self) -> Result<String, String> {
        if !(1..=10).contains(&self.seats) {
            return Err(format!("seats must be from 1 to 10, not {}", self.seats));
        }
        Ok(reserve(&self.event, self.seats))
    }
}

fn reserve(event: &str, seats: u32) -> String {
    format!("{seats} seats for {event}")
}
