//! The suite on the journal in memory.

use tool_store::conformance::Memory;

tool_store::conformance!(Some(()) => |_unused| Memory::default());
