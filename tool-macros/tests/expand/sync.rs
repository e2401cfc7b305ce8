/// Adds numbers.
#[tool]
fn add(
    /// First.
    a: i64,
    /// Second.
    b: i64,
) -> i64 {
    a + b
}
