//! What crosses crates.

#[cfg(test)]
mod vectors;
