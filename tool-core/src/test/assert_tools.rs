//! `assert_tools!`: every check of every tool, and one failure that lists everything.

use std::fmt::Write as _;

use super::check::Checks;
use crate::registry::RegistryError;

/// Asserts all [checks](crate::test::CHECKS) of the tools of a registry or set.
///
/// | option | effect |
/// | --- | --- |
/// | `lossless` | no dialect may lose anything, not even what it tells in words |
/// | `strict` | lints that only warn count too |
/// | `skip = ["bounds", "lint:name-long"]` | leaves checks out |
/// | `values = 256` | how many values of each tool are tried |
/// | `seed = 0` | which |
/// | `context = ctx` | what tools that are run are given. Reads run with made-up arguments; a tool that has an effect runs only its |
/// | | examples with a result, so that `cancel`, `effects` and what `secret` runs say nothing of it. Without a context only reads that |
/// | | need nothing run |
/// | `watch = [directory]` | where a call that is dropped half way must leave nothing, and a read must change nothing |
/// | `checks = [&tool_cli::test::CLI]` | further checks, from a crate that knows another surface |
///
/// ```
/// use tool_core::prelude::*;
///
/// /// Adds two numbers; their sum never overflows.
/// #[tool(register = false)]
/// fn add_numbers(/// One.
///        one: i32, /// The other.
///        other: i32) -> i64 { i64::from(one) + i64::from(other) }
///
/// let registry = tool_core::Registry::builder().add::<AddNumbersTool>().build()?;
/// tool_core::assert_tools!(registry, strict, values = 32);
/// # Ok::<(), tool_core::RegistryError>(())
/// ```
///
/// # Panics
/// With every problem of every tool: check, tool, place, what is wrong, and the arguments that show it.
#[macro_export]
macro_rules! assert_tools {
    (@with $checks:expr;) => { $checks };
    (@with $checks:expr; lossless $(, $($rest:tt)*)?) => {
        $crate::assert_tools!(@with $checks.map($crate::test::Checks::lossless); $($($rest)*)?)
    };
    (@with $checks:expr; strict $(, $($rest:tt)*)?) => {
        $crate::assert_tools!(@with $checks.map($crate::test::Checks::strict); $($($rest)*)?)
    };
    (@with $checks:expr; skip = $ids:expr $(, $($rest:tt)*)?) => {
        $crate::assert_tools!(@with $checks.map(|checks| checks.skip($ids)); $($($rest)*)?)
    };
    (@with $checks:expr; values = $count:expr $(, $($rest:tt)*)?) => {
        $crate::assert_tools!(@with $checks.map(|checks| checks.values($count)); $($($rest)*)?)
    };
    (@with $checks:expr; seed = $seed:expr $(, $($rest:tt)*)?) => {
        $crate::assert_tools!(@with $checks.map(|checks| checks.seed($seed)); $($($rest)*)?)
    };
    (@with $checks:expr; context = $ctx:expr $(, $($rest:tt)*)?) => {
        $crate::assert_tools!(@with $checks.map(|checks| checks.context($ctx)); $($($rest)*)?)
    };
    (@with $checks:expr; watch = $directories:expr $(, $($rest:tt)*)?) => {
        $crate::assert_tools!(@with $checks.map(|checks| checks.watch($directories)); $($($rest)*)?)
    };
    (@with $checks:expr; checks = $more:expr $(, $($rest:tt)*)?) => {
        $crate::assert_tools!(@with $checks.map(|checks| checks.with($more)); $($($rest)*)?)
    };
    (@with $checks:expr; $($other:tt)*) => {
        ::std::compile_error!(::std::concat!(
            "`", ::std::stringify!($($other)*), "` is none of: lossless, strict, skip = [..], values = N, seed = N, ",
            "context = .., watch = [..], checks = [..]"
        ))
    };
    ($tools:expr $(, $($options:tt)*)?) => {
        $crate::test::assert_sound($crate::assert_tools!(@with $crate::test::Checks::of($tools); $($($options)*)?))
    };
}

/// What [`assert_tools!`](crate::assert_tools!) does.
///
/// # Panics
/// With every problem of every tool.
#[track_caller]
#[expect(clippy::panic, reason = "a test fails that way")]
pub fn assert_sound(checks: Result<Checks, RegistryError>) {
    let checks = match checks {
        Ok(checks) => checks,
        Err(error) => panic!("{error}"),
    };
    let problems = checks.run();
    if !problems.is_empty() {
        let count = checks.registry().len();
        let some = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let mut told = format!("{} of {}:\n", some(problems.len(), "problem"), some(count, "tool"));
        for problem in problems {
            let _ = writeln!(told, "  {problem}");
        }
        panic!("{told}");
    }
}
