//! `man`: manual pages, one for the program and one for each group and command.

use clap::Command;
use clap_mangen::Man;
use serde_json::json;
use tool_core::prelude::*;

use super::Program;
use crate::files;
use crate::help::Detail;
use crate::options::{FIXED, Form};

/// Writes manual pages.
///
/// Prints the page of the program; with `--out DIR` writes that of every command into the directory.
#[tool(register = false)]
pub(crate) fn man(#[ctx] program: &Program) -> ToolResult {
    let mut command = program.clap_command(Form::Page(Detail::Full))?;
    command.build();
    let Some(directory) = &program.directory else { return Ok(ToolOutput::text(page(&command)?)) };
    let mut pages = Vec::new();
    collect(&command, &mut pages)?;
    let names = files::write(directory, &pages)?;
    Ok(ToolOutput::structured(json!(names)))
}

/// The pages of a command and of all below it, with the names of their files.
fn collect(command: &Command, pages: &mut Vec<(String, String)>) -> Result<(), ToolError> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    pages.push((format!("{name}.1"), page(command)?));
    command.get_subcommands().try_for_each(|below| collect(below, pages))
}

fn page(command: &Command) -> Result<String, ToolError> {
    let mut bytes = Vec::new();
    let rendered = Man::new(command.clone()).render(&mut bytes);
    rendered.map_err(|error| ToolError::internal("The manual page cannot be rendered.").source(error))?;
    Ok(String::from_utf8_lossy(&bytes).replace(FIXED, " "))
}
