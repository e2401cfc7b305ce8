//! Vectors: cases that come from outside, `{"about", "cases"}` in one JSON file per subject. Where they lie is said by
//! `TOOL_VECTORS`; without them a test is skipped, unless `TOOL_REQUIRE_PEERS=1` asks for it.

mod diagnostics;
