//! What crosses crates.

#[cfg(test)]
mod demo;
#[cfg(test)]
mod vectors;
