//! The lint `cli-clash`, for those who check tools without starting the program: a program with clashes runs no command.

use tool_core::Registry;
use tool_core::contract::{Finding, Hit, Level};

use super::clashes;

/// Every clash of a registry as an error of its tool.
pub fn lint(registry: &Registry) -> Vec<Finding> {
    let found = clashes(registry.iter().map(|tool| (tool.name(), tool.def())));
    let finding = |clash: super::Clash| {
        let tool = registry.get(&clash.tool)?;
        let text = format!("`{}` on the command line meets {}", clash.name, clash.with);
        Some(Finding::of(tool, Level::Error, "cli-clash", Hit::of_tool(text)))
    };
    found.into_iter().filter_map(finding).collect()
}
