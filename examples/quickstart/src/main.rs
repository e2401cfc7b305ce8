//! Three tools and the program that they make.

use tool_core::prelude::*;
#[cfg(test)]
mod greet_test;

/// Greets a person.
#[tool]
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
) -> Option<i64> {
    numbers.iter().try_fold(0i64, |sum, n| sum.checked_add(*n))
}

/// Waits, then answers.
#[tool(group = "time")]
async fn wait(#[arg(description = "Milliseconds.", range = 0..=60_000, default = 100)] ms: u64) -> String {
    tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
    format!("{ms} ms later")
}

fn main() -> std::process::ExitCode {
    tool_cli::run()
}
