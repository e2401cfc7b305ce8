//! Making sure that tools are linked: mentioning crates, and comparing a set with what was discovered.

/// Mentions crates, so that the linker keeps the tools they register.
///
/// ```
/// # mod plug_a {} mod plug_b {}
/// # mod app { use super::*;
/// // in a program: tool_core::link!(plug_a, plug_b);
/// # }
/// ```
#[macro_export]
macro_rules! link {
    ($($krate:ident),+ $(,)?) => {
        $(use $krate as _;)+
    };
}
