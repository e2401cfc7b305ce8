//! A program whose tools charge, with a journal, for tests that kill it in the middle and start it again.
//!
//! `SHOP_HOME` is the folder of the journal and of `effects`, one line for each charge; `SHOP_RUN` and `SHOP_ATTEMPT` say where a
//! call stands, `SHOP_BANK` where payments go.

#![allow(clippy::unwrap_used, reason = "a program for tests may fail the test")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock};

use tool_cli::{Cli, Settings};
use tool_core::journal::{Journal, RowQuery, resume};
use tool_core::prelude::*;
use tool_core::{ContextBuilder, Coordinates, JournalMode, Registry};
use tool_store::{LazyJournal, SqliteOptions};

fn home() -> PathBuf {
    std::env::var_os("SHOP_HOME").unwrap().into()
}

static JOURNAL: LazyLock<Arc<LazyJournal>> =
    LazyLock::new(|| Arc::new(LazyJournal::new(home().join("journal.db"), SqliteOptions::default())));

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

/// Where the calls of this process stand; without an attempt it is the next one, and earlier ones are warned about.
fn context(settings: &Settings) -> Result<ContextBuilder, ToolError> {
    let builder = ToolContext::builder();
    let Some(run) = settings.variable("SHOP_RUN") else { return Ok(builder) };
    let at = Coordinates::new(run).node("checkout");
    let given = settings.variable("SHOP_ATTEMPT").map(|text| text.parse().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let attempt = match given {
            Some(attempt) => attempt,
            None => JOURNAL.next_attempt(&at.task()).await?,
        };
        let rows = JOURNAL.rows(&RowQuery { task: Some(at.task()), ..RowQuery::default() }).await?;
        if let Some(warning) = resume::warning(&rows, attempt, None) {
            tracing::warn!("{warning}");
        }
        Ok(builder.at(at.attempt(attempt)))
    })
}

fn main() -> ExitCode {
    let registry = Registry::builder().add::<ChargeTool>().add::<ShipTool>().add::<PayTool>().build();
    let cli = registry.map_err(ToolError::from).map(|registry| {
        let journal = |builder: tool_core::ExecutorBuilder, _: &Settings| {
            let journal = Arc::clone(&JOURNAL) as Arc<dyn Journal>;
            Ok(builder.journal(journal, JournalMode::Effects, "shop 1"))
        };
        Cli::new(registry).name("shop").version("1.0.0").layers(journal).context(context)
    });
    tool_cli::main(cli)
}
