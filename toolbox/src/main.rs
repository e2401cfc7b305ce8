//! The standard tools as one program.

fn main() {}
