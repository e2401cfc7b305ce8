//! The help of a tool, as a page of its own.

use std::collections::{BTreeMap, BTreeSet};

use tool_core::def::Surface;
use tool_core::test::Form;
use tool_core::{Registry, ToolEntry, ToolError};

use crate::flags::Table;
use crate::help::{Detail, HELP_WIDTH, Page};
use crate::schema;
use crate::tree::Tree;

/// What the program is called where it is not known.
pub(super) const PROGRAM: &str = "program";

/// The prefix of its variables.
pub(super) const PREFIX: &str = "PROGRAM";

/// The form `cli-help` of `snapshot_tools!`: `PROGRAM COMMAND --help` at the least width.
///
/// `tool_core::snapshot_tools!(registry, forms = [&tool_cli::test::HELP])`
pub static HELP: Form = Form { file: "cli-help.txt", render };

fn render(registry: &Registry, tool: &ToolEntry) -> Result<Option<String>, ToolError> {
    if !tool.def().surfaces.contains(Surface::Cli) {
        return Ok(None);
    }
    page(&Tree::new(registry), tool)
}

/// The page of a tool; none of one that the tree does not have.
pub(super) fn page(tree: &Tree<'_>, tool: &ToolEntry) -> Result<Option<String>, ToolError> {
    let Some(command) = tree.of(tool) else { return Ok(None) };
    let table = Table::new(tool.def(), &schema::canonical(tool.def())?);
    let page = Page {
        program: PROGRAM,
        about: "",
        prefix: PREFIX,
        width: HELP_WIDTH.0,
        detail: Detail::Full,
        groups: &BTreeMap::new(),
        missing: &BTreeSet::new(),
    };
    Ok(Some(page.tool(&command.words(), tool.def(), &table)))
}
