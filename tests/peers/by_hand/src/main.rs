//! The tools by hand, as a person writes them who wants no library: serde reads the arguments, clap the command line, schemars tells
//! the schema, and the bounds are checked once, for both. An error is a text.

mod order;
mod reserve;
mod series;

use clap::{Parser, Subcommand};
use question::{Listed, Peer};
use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The same tools as commands.
#[derive(Parser)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reserves seats.
    Reserve(reserve::Reserve),
    /// Orders an item.
    Order(order::Order),
    /// Measures a text.
    Measure(series::Measure),
    /// Adds numbers.
    Sum(series::Sum),
}

impl Command {
    fn run(self) -> Result<String, String> {
        match self {
            Command::Reserve(args) => args.run(),
            Command::Order(args) => args.run(),
            Command::Measure(args) => Ok(args.run()),
            Command::Sum(args) => Ok(args.run()),
        }
    }
}

fn read<T: DeserializeOwned>(args: &str) -> Result<T, String> {
    serde_json::from_str(args).map_err(|error| format!("the arguments do not fit: {error}"))
}

/// Calls a tool by its name.
fn call(tool: &str, args: &str) -> Result<String, String> {
    match tool {
        "reserve" => read::<reserve::Reserve>(args)?.run(),
        "order" => read::<order::Order>(args)?.run(),
        "measure" => Ok(read::<series::Measure>(args)?.run()),
        "sum" => Ok(read::<series::Sum>(args)?.run()),
        _ => Err(format!("there is no tool {tool}")),
    }
}

fn described<T: JsonSchema>(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": schema_for!(T)})
}

/// The list of all tools.
fn list() -> Vec<u8> {
    let tools = [
        described::<reserve::Reserve>("reserve", "Reserves seats."),
        described::<order::Order>("order", "Orders an item."),
        described::<series::Measure>("measure", "Measures a text."),
        described::<series::Sum>("sum", "Adds numbers."),
    ];
    serde_json::to_vec(&tools).unwrap_or_default()
}

struct ByHand {
    list: Vec<u8>,
}

impl Peer for ByHand {
    async fn call(&mut self, tool: &str, args: &str) -> Result<String, String> {
        call(tool, args)
    }
}

impl Listed for ByHand {
    fn list(&mut self) -> Vec<u8> {
        // Nothing changes it, so a person keeps it.
        if self.list.is_empty() {
            self.list = list();
        }
        self.list.clone()
    }
}

fn main() {
    if std::env::args().nth(1).as_deref() != Some("command") {
        return question::ask(ByHand { list: Vec::new() });
    }
    let program = Program::parse_from(std::env::args().skip(1));
    match program.command.run() {
        Ok(text) => println!("{text}"),
        Err(text) => {
            eprintln!("{text}");
            std::process::exit(1);
        }
    }
}
