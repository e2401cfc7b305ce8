//! What `#[cfg]` removes is gone, wherever the attribute stands: the crate builds and no registry sees the tool.

use tool_core::Registry;
use tool_core::prelude::*;

/// Above.
#[cfg(false)]
#[tool]
fn above(missing: Missing) {}

/// Below.
#[tool]
#[cfg(false)]
fn below(
    /// Its type is nowhere.
    missing: Missing,
) {
}

/// Below, with an error that nobody needs to hear of.
#[tool(grup = "x")]
#[cfg(false)]
fn wrong(missing: Missing) {}

/// Stays.
#[tool]
#[cfg(true)]
#[cfg_attr(true, cfg(true))]
fn stays() {}

/// Goes by way of another attribute.
#[tool]
#[cfg_attr(true, cfg(false))]
fn goes() {}

struct Shelf;

#[toolbox]
impl Shelf {
    /// Above.
    #[cfg(false)]
    #[tool]
    fn method_above(&self, missing: Missing) {}

    /// Below.
    #[tool]
    #[cfg(false)]
    fn method_below(&self, missing: Missing) {}

    /// Stays.
    #[tool]
    fn count(&self) -> u32 {
        0
    }
}

#[toolbox]
#[cfg(false)]
impl Missing {
    /// Gone with its box.
    #[tool]
    fn gone(&self) {}
}

tool_set! {
    static ALL = [StaysTool, #[cfg(false)] AboveTool, ShelfCountTool, #[cfg(false)] BelowTool];
}

#[test]
fn what_is_configured_away_is_in_no_registry() {
    let registry = Registry::builder().discover().build().unwrap();
    let names: Vec<&str> = registry.iter().map(|entry| entry.name()).collect();
    assert_eq!(names, ["count", "stays"]);
    assert_eq!(ALL.tools.len(), 2);
    assert_eq!((stays(), Shelf.count()), ((), 0));
}
