//! Nothing to build: `links` in Cargo.toml needs a build script.

fn main() {}
