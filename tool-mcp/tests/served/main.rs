//! The server as clients of both eras see it, over two streams in memory. (mcp.md §15, acceptance 2, 5, 7, 8 and 10)

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

mod calling;
mod client;
mod direct;
mod golden;
#[path = "../support/golden.rs"]
mod kept;
mod lines;
mod listing;
mod methods;
mod running;
mod searching;
mod skills;
mod tools;
