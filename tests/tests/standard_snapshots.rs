//! What models and MCP clients see of the standard tools is committed, and its changes are reviewed. (testing.md §5, 12)
//!
//! Their help is in `tests/golden/help`.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use tool_core::Registry;
use tool_std as _;

#[test]
fn every_form_of_every_standard_tool_is_as_committed() {
    let registry = Registry::builder().discover().build().unwrap();
    let names: Vec<&str> = registry.iter().map(|tool| tool.name()).collect();
    assert_eq!(names.len(), 19, "the standard tools and no others are linked: {names:?}");
    tool_core::snapshot_tools!(&registry, directory = "golden/standard");
}
