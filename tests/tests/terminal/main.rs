//! The programs at a real terminal, and as processes that signals and closed pipes reach. (cli.md, acceptance 6 to 12)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test"
)]

mod colors;
mod escapes;
mod interrupt;
mod items;
mod live;
mod pipes;
mod program;
mod progress;
mod prompt;
mod pty;
mod questions;
mod screen;
mod secrets;
mod transcripts;
