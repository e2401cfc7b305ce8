//! A registry of tools as a command line program.

mod exit;
pub mod flags;
pub mod globals;
mod io;
pub mod kind;
pub mod words;

pub use exit::ExitCode;
pub use io::{Io, Terminal, Tty};
