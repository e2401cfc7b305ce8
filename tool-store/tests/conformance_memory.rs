//! The suite on the journal in memory.

#![allow(clippy::expect_used, reason = "helpers of tests may fail the test")]

use tool_store::conformance::Memory;

tool_store::conformance!(Some(()) => |_unused| Memory::default());
