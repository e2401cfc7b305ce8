//! The whole chain, one file per part of it; their tools and executors stand in `scene`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

mod audit;
mod audit_file;
mod chain;
mod check;
mod consent;
mod doubt;
mod ending;
mod items;
mod layers;
mod nested;
mod parts;
#[path = "../policy_of_one/mod.rs"]
mod policy_of_one;
mod recorded;
mod replayed;
mod scene;
mod secret_arguments;
mod shape;
mod snapshots;
mod turns;
