//! Tools with much in one parameter.

use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema, clap::Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measure {
    /// The text.
    text: String,
}

impl Measure {
    pub(crate) fn run(self) -> String {
        format!("{} bytes", self.text.len())
    }
}

#[derive(Deserialize, JsonSchema, clap::Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sum {
    /// The numbers.
    numbers: Vec<f64>,
}

impl Sum {
    pub(crate) fn run(self) -> String {
        format!("{} numbers, {}", self.numbers.len(), self.numbers.iter().sum::<f64>())
    }
}
