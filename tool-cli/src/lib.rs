//! A registry of tools as a command line program.
//!
//! [`run`] is the whole `main` of a program; [`Cli`] is the same as a value, which touches nothing of the process. The command
//! line is one more surface: it reads words into a call, hands it to the executor and renders the one result.
//!
//! Features: `completions` and `man` (both by default), `dynamic-completion`, `http`, with which tools find HTTP in their context,
//! `mcp`, with which the program serves its tools to MCP clients, `store`, with which it records its calls in a journal, and `test`,
//! for those who test tools and programs. A command whose feature is off does not exist.
//!
//! A start of a program costs what its definitions cost to load. A large one on Linux does well to be linked at a fixed address, by
//! a `build.rs` that prints `cargo:rustc-link-arg-bins=-no-pie`: at any other each start first writes every pointer of every
//! definition. With 1 000 tools that is half of the time of `--help`.
//!
//! Everything that knows options interprets the one table of a tool, [`flags::Table`].

mod answer;
mod approve;
mod ask;
mod batch;
mod binary;
mod brackets;
mod builtin;
#[cfg(any(feature = "completions", feature = "man"))]
mod clap_tree;
pub mod clash;
mod cli;
mod command_line;
mod dialects;
pub mod doctor;
pub mod duration;
#[cfg(feature = "dynamic-completion")]
mod dynamic;
mod exit;
mod fault;
mod files;
pub mod flags;
pub mod format;
mod gather;
pub mod globals;
mod help;
mod hooks;
mod inspect;
mod interrupt;
mod io;
pub mod kind;
mod lex;
mod limits;
mod lints;
mod live;
mod llms;
mod options;
mod origins;
mod out;
mod people;
mod program;
mod progress;
mod provided;
pub mod quote;
mod refused;
mod replace;
mod route;
mod run;
mod runtime;
mod sample;
mod schema;
pub mod select;
#[cfg(feature = "mcp")]
mod server;
mod session;
mod settings;
mod settled;
mod sight;
mod signals;
mod size;
mod skill;
mod sources;
#[cfg(feature = "store")]
mod store;
mod style;
mod synopsis;
pub mod table;
mod terminal;
#[cfg(feature = "test")]
pub mod test;
mod text;
mod tree;
pub mod visible;
pub mod words;
pub mod yaml;

pub use builtin::RESERVED;
pub use cli::Cli;
pub use exit::ExitCode;
pub use hooks::LogLayer;
pub use io::{Io, Settled, Terminal, Tty};
pub use run::{main, main_from, run};
pub use schema::Target as SchemaTarget;
pub use settings::{Color, LimitSet, OwnKey, Setting, Settings, Source};
pub use sight::Surroundings;
#[cfg(feature = "store")]
pub use store::Place as JournalPlace;
/// What tools are defined with: a crate that depends on this one alone can define its own.
pub use tool_core;
