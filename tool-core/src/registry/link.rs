//! Mentioning crates, so that they are linked with the tools they register.

/// Mentions crates, so that the linker keeps the tools they register.
///
/// ```
/// // Crates of Cargo.toml; in a program those that define tools.
/// tool_core::link!(serde, serde_json);
/// ```
///
/// A crate that Cargo.toml does not name is rustc's error:
///
/// ```compile_fail,E0432
/// tool_core::link!(not_in_cargo_toml);
/// ```
#[macro_export]
macro_rules! link {
    ($($krate:ident),+ $(,)?) => {
        $(use $krate as _;)+
    };
}
