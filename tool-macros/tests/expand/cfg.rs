/// Only there sometimes.
#[tool]
#[cfg(feature = "x")]
#[cfg_attr(feature = "y", cfg(unix))]
#[deprecated(note = "use `other`")]
fn sometimes() -> u8 {
    1
}
