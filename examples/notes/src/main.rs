//! The notebook as a program. Notes live as long as the process: try `notes call --jsonl -`.

use std::process::ExitCode;

use notes::{NOTEBOOK_TOOLS, Notebook, template_tools};
use tool_cli::Cli;
use tool_core::registry::RegistryError;
use tool_core::{Registry, ToolContext};

fn registry() -> Result<Registry, RegistryError> {
    let shopping = template_tools("add_shopping", "Buy {amount} {item}")?;
    Registry::builder().add_set(&NOTEBOOK_TOOLS).add_dyn(shopping).build()
}

fn main() -> ExitCode {
    tool_cli::main(registry().map_err(Into::into).map(|registry| {
        Cli::new(registry)
            .name("notes")
            .about("A notebook for people and models.")
            .group("note", "Write, list and sign notes.")
            .context(|settings| {
                Ok(ToolContext::builder().provide(Notebook::default()).secrets(settings.secrets()))
            })
    }))
}
