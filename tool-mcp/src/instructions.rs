//! What a server tells a model about itself: the program's summary, then a line for each group.

use std::collections::{BTreeMap, BTreeSet};

use tool_core::ToolEntry;

/// The most bytes of instructions; clients cut at 2,048.
pub(crate) const INSTRUCTIONS_BYTES: usize = 2_000;

/// The instructions for these tools, cut at the end of a line.
pub(crate) fn instructions(
    summary: &str,
    groups: &BTreeMap<String, String>,
    tools: &[&ToolEntry],
) -> Option<String> {
    let served: BTreeSet<&str> = tools.iter().filter_map(|tool| tool.def().group).collect();
    let about = |group: &str| match groups.get(group) {
        Some(about) => format!("{group}: {about}"),
        None => group.to_owned(),
    };
    let lines = (!summary.is_empty()).then(|| summary.to_owned()).into_iter();
    let mut text = String::new();
    for line in lines.chain(served.into_iter().map(about)) {
        let between = usize::from(!text.is_empty());
        if text.len() + between + line.len() > INSTRUCTIONS_BYTES {
            break;
        }
        if between == 1 {
            text.push('\n');
        }
        text.push_str(&line);
    }
    (!text.is_empty()).then_some(text)
}
