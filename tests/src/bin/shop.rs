//! A program whose tools charge, with the journal that every program can have, for tests that kill it in the middle and start
//! it again.
//!
//! `SHOP_HOME` is the folder of `effects`, one line for each charge, and `SHOP_BANK` says where payments go.

#![allow(clippy::unwrap_used, reason = "a program for tests may fail the test")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::ExitCode;

use tool_cli::Cli;
use tool_core::Registry;
use tool_core::prelude::*;

fn home() -> PathBuf {
    std::env::var_os("SHOP_HOME").unwrap().into()
}

fn note(line: &str) -> Result<(), ToolError> {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(home().join("effects"));
    let written = file.and_then(|mut file| writeln!(file, "{line}"));
    written.map_err(|error| ToolError::internal("The effect was not written.").source(error))
}

/// Charges, and nobody can tell afterwards.
#[tool(side_effect, idempotent = false, register = false)]
fn charge(
    /// How much.
    #[arg(positional)]
    amount: u64,
) -> Result<u64, ToolError> {
    note(&format!("charge {amount}"))?;
    Ok(amount)
}

/// Ships, and takes for ever.
#[tool(side_effect, idempotent = false, register = false)]
fn ship(
    /// What.
    #[arg(positional)]
    item: &str,
) -> Result<String, ToolError> {
    note(&format!("ship {item}"))?;
    loop {
        std::thread::park();
    }
}

/// Pays, as the documentation of `ToolContext::idempotency_key` shows it.
#[tool(side_effect, idempotent = false, open_world, register = false)]
fn pay(
    /// What for.
    #[arg(positional)]
    order: &str,
    /// How much.
    #[arg(positional)]
    amount: u64,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    let body = format!("{{\"order\":\"{order}\",\"amount\":{amount}}}");
    post(&[("Idempotency-Key", ctx.idempotency_key())], &body)
        .map_err(|error| ToolError::unavailable("The bank cannot be reached.").source(error))
}

/// One request to the bank: the first line of its answer.
fn post(headers: &[(&str, &str)], body: &str) -> std::io::Result<String> {
    let mut bank = TcpStream::connect(std::env::var("SHOP_BANK").unwrap())?;
    let mut request = format!("POST /payments HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    bank.write_all(format!("{request}\r\n{body}").as_bytes())?;
    let mut line = String::new();
    BufReader::new(bank).read_line(&mut line)?;
    match line.is_empty() {
        true => Err(std::io::ErrorKind::UnexpectedEof.into()),
        false => Ok(line.trim_end().to_owned()),
    }
}

fn main() -> ExitCode {
    let registry = Registry::builder().add::<ChargeTool>().add::<ShipTool>().add::<PayTool>().build();
    let cli = registry.map(|registry| Cli::new(registry).name("shop").version("1.0.0"));
    tool_cli::main(cli.map_err(ToolError::from))
}
