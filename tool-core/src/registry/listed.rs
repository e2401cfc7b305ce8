//! Comparing a set with what its crate has registered: a set is a promise, and this is how it is checked.

use std::collections::BTreeSet;

use super::Registration;
use crate::set::ToolSet;

/// Fails when this crate registered a tool that the set lacks, or the set has a tool that is not registered.
///
/// For a test of the crate that owns the set; tools of the test itself count as the crate's.
///
/// ```standalone_crate
/// use tool_core::prelude::*;
///
/// /// Adds one.
/// #[tool]
/// fn next(/** The number. */ n: u32) -> u32 {
///     n + 1
/// }
///
/// tool_set! {
///     /// What this crate offers.
///     pub static TOOLS = [NextTool];
/// }
///
/// # fn main() {
/// tool_core::assert_listed!(TOOLS);
/// # }
/// ```
///
/// # Panics
/// With the names on either side.
#[macro_export]
macro_rules! assert_listed {
    ($set:expr $(,)?) => {
        if let Err(difference) = $crate::registry::listed(&$set, env!("CARGO_PKG_NAME")) {
            panic!("{difference}");
        }
    };
}

/// Compares a set with the registered tools of a crate (its package name).
///
/// # Errors
/// One sentence for the tools on either side that the other lacks.
pub fn listed(set: &ToolSet, krate: &str) -> Result<(), String> {
    let registered: Vec<_> =
        inventory::iter::<Registration>.into_iter().map(|registration| registration.0).collect();
    let names = |defs: &mut dyn Iterator<Item = &'static str>| {
        defs.map(|name| format!("`{name}`"))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut own = registered.iter().filter(|def| def.origin.source.krate == krate);
    let is_in_set = |name: &str| set.tools.iter().any(|def| def.name == name);
    let unlisted = names(&mut own.by_ref().filter(|def| !is_in_set(def.name)).map(|def| def.name));
    let lost = set.tools.iter().filter(|def| !registered.iter().any(|other| std::ptr::eq(*other, **def)));
    let lost = names(&mut lost.map(|def| def.name));
    let mut sentences = Vec::new();
    if !unlisted.is_empty() {
        sentences.push(format!("set `{}` lacks {unlisted}, which `{krate}` registers", set.name));
    }
    if !lost.is_empty() {
        sentences.push(format!("set `{}` has {lost}, which nothing registers", set.name));
    }
    if sentences.is_empty() { Ok(()) } else { Err(sentences.join("; ")) }
}
