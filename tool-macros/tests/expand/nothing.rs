/// Does nothing.
#[tool]
fn nothing() {}
