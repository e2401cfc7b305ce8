//! A registry of tools as a command line program.

pub mod duration;
mod exit;
mod fault;
pub mod flags;
mod gather;
pub mod globals;
mod io;
pub mod kind;
mod lex;
mod origins;
pub mod select;
mod sources;
pub mod table;
pub mod visible;
pub mod words;
pub mod yaml;

pub use exit::ExitCode;
pub use io::{Io, Terminal, Tty};
