//! A set is compared with what its crate registers.

use tool_core::prelude::*;

/// Adds one.
#[tool]
fn next(
    /** The number. */
    n: u32,
) -> u32 {
    n + 1
}

/// Takes one away.
#[tool]
fn previous(
    /** The number. */
    n: u32,
) -> u32 {
    n - 1
}

/// Does nothing, and is in a set only.
#[tool(register = false)]
fn idle() {}

tool_set! {
    /// Both.
    static BOTH = [NextTool, PreviousTool];
}

tool_set! {
    /// One is missing, and one is not registered.
    static WRONG = [NextTool, IdleTool];
}

#[test]
fn a_set_that_lists_what_is_registered_passes() {
    tool_core::assert_listed!(BOTH);
}

#[test]
#[should_panic(
    expected = "set `listed::WRONG` lacks `previous`, which `tests` registers; set `listed::WRONG` has `idle`, which nothing registers"
)]
fn a_set_that_does_not_fails_with_the_names_on_either_side() {
    tool_core::assert_listed!(WRONG);
}
