//! Three tools and the program that they make.

use tool_core::prelude::*;

/// Greets a person.
#[tool]
#[example("A friendly greeting", { "name": "Ada", "loud": true } => "HELLO, ADA!")]
fn greet(
    /// Whom to greet.
    #[arg(positional)]
    name: &str,
    /// Shout.
    loud: bool,
) -> String {
    let text = format!("Hello, {name}!");
    if loud { text.to_uppercase() } else { text }
}

/// Adds numbers.
#[tool(group = "math")]
fn add(
    /// The numbers.
    #[arg(positional, len = 1..=100)]
    numbers: Vec<i64>,
) -> Result<i64, String> {
    let sum = numbers.iter().try_fold(0i64, |sum, n| sum.checked_add(*n));
    sum.ok_or_else(|| "The sum does not fit in 64 bits.".to_owned())
}

/// Waits, then answers.
#[tool(group = "time")]
async fn wait(
    /// How long, in milliseconds.
    #[arg(range = 0..=60_000, default = 100)]
    ms: u64,
) -> String {
    tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
    format!("{ms} ms later")
}

fn main() -> std::process::ExitCode {
    tool_cli::run()
}
