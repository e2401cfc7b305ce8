//! The program `demo` of the command line's vectors, its tools written as anybody would write them.
//!
//! A tool gives its arguments back unless the vectors say otherwise; what reached it is told by [`Reached`].

mod draw;
mod echo;
mod file;
mod math;
mod note;
mod probe;
mod process;
mod session;
mod store;

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tool_cli::Cli;
use tool_core::prelude::*;
use tool_core::{BoxFuture, Invocation, Layer, Next, Registry, RegistryError};

use self::probe::Results;

/// The program, and what reached its tools.
pub fn demo(results: &Value) -> Result<(Cli, Reached), ToolError> {
    let reached = Reached::default();
    let registry = registry()?;
    let recorder = reached.clone();
    let results = Results(results.clone());
    let cli = Cli::new(registry)
        .name("demo")
        .version("1.0.0")
        .about("Shows how tools become commands.")
        .layers(move |builder, _| Ok(builder.before("run", recorder.clone())))
        .context(move |_| Ok(ToolContext::builder().provide(results.clone())));
    Ok((cli, reached))
}

/// Name and normal form of the last call that reached a tool.
#[derive(Clone, Debug, Default)]
pub struct Reached(Arc<Mutex<Option<(String, Value)>>>);

impl Reached {
    /// The last call since this was asked.
    pub fn take(&self) -> Option<(String, Value)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Layer for Reached {
    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((inv.tool.name().to_owned(), (*inv.args).clone()));
        next.run(inv)
    }
}

/// The tools of the program.
pub fn registry() -> Result<Registry, RegistryError> {
    Registry::builder()
        .add::<session::PingTool>()
        .add::<session::LoginTool>()
        .add::<file::ReadFileTool>()
        .add::<file::CopyFileTool>()
        .add::<file::ConcatFilesTool>()
        .add::<file::ListFilesTool>()
        .add::<store::StoreSearchTool>()
        .add::<store::StoreDeleteTool>()
        .add::<store::StorePruneTool>()
        .add::<store::StoreTagTool>()
        .add::<store::StoreAssignTool>()
        .add::<process::RunProcessTool>()
        .add::<store::StoreLockTool>()
        .add::<draw::DrawShapesTool>()
        .add::<math::MathAddTool>()
        .add::<math::MathBoundsTool>()
        .add::<math::MathStatsTool>()
        .add::<math::MatchValueTool>()
        .add::<note::WriteNoteTool>()
        .add::<process::DeployAppTool>()
        .add::<note::OldEchoTool>()
        .add::<note::NoteRankTool>()
        .add::<probe::ProbeFailTool>()
        .add::<probe::ProbeResultTool>()
        .build()
}
