//! The program as an MCP server: its tools behind the layers, the context and the policy that its command line has.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tool_core::{BoxFuture, Executor, Registry, ToolError};
use tool_mcp::{McpServer, McpServerBuilder};

use crate::progress::Shared;
use crate::session::Session;
use crate::settings::Settings;
use crate::sight::MCP;
use crate::words::kebab;

/// What a program does when it was served.
pub(crate) type Closing = dyn Fn() -> BoxFuture<'static, ()> + Send + Sync;

/// What `mcp serve` and `mcp add` need of the program.
#[derive(Clone)]
pub(crate) struct Host {
    /// The program's name.
    pub(crate) name: String,
    /// The program's own file, where the streams are those of a process.
    pub(crate) file: Option<PathBuf>,
    /// The working directory.
    pub(crate) cwd: PathBuf,
    /// Standard error.
    pub(crate) notes: Shared,
    /// What is done when it was served.
    pub(crate) closing: Option<Arc<Closing>>,
    /// The server, made for the command that serves.
    server: Arc<Mutex<Option<McpServerBuilder>>>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("name", &self.name).field("file", &self.file).finish_non_exhaustive()
    }
}

impl Host {
    /// The server, to be filtered and run; there is one.
    pub(crate) fn server(&self) -> Result<McpServerBuilder, ToolError> {
        let server = self.server.lock().unwrap_or_else(PoisonError::into_inner).take();
        server.ok_or_else(|| ToolError::internal("No server was made."))
    }
}

impl Session<'_> {
    /// What the commands around a server need. Only `mcp serve` has one made.
    pub(crate) fn host(
        &self,
        registry: &Registry,
        settings: &Settings,
        command: Option<&str>,
    ) -> Result<Host, ToolError> {
        let server = match command {
            Some("mcp_serve") if !settings.dry_run => Some(self.server(registry, settings)?),
            _ => None,
        };
        Ok(Host {
            name: self.cli.name.clone(),
            file: self.io.program.clone(),
            cwd: self.io.cwd.clone(),
            notes: self.stderr.clone(),
            closing: self.cli.served.clone(),
            server: Arc::new(Mutex::new(server)),
        })
    }

    fn server(&self, registry: &Registry, settings: &Settings) -> Result<McpServerBuilder, ToolError> {
        if self.cli.executor.is_some() {
            let text = "This program's executor is its own, and runs the calls of its command line alone.";
            return Err(ToolError::not_configured(text)
                .code("server_unsupported")
                .hint("a program that serves adds its layers with `Cli::layers`"));
        }
        let context = self.cli.placed(self.cli.provided(settings)?, settings)?;
        let context = match &self.cli.serving {
            Some(serving) => serving(context),
            None => context,
        };
        let executor = self.cli.layered(Executor::standard(registry.clone()), settings)?;
        let executor = match &self.cli.serving_layers {
            Some(add) => add(executor, settings)?,
            None => executor,
        };
        let server = McpServer::builder(executor)
            .name(&self.cli.name)
            .version(&self.cli.version)
            .summary(&self.cli.about)
            .context(context)
            .rows(self.cli.rows_of(settings, MCP)?);
        let groups: BTreeSet<&str> = registry.iter().filter_map(|tool| tool.def().group).collect();
        let told = groups.iter().filter_map(|group| Some((group, self.cli.groups.get(&kebab(group))?)));
        let server = told.fold(server, |server, (group, about)| server.group(*group, about));
        Ok(match self.policy(registry, settings)? {
            Some(policy) => server.policy(policy),
            None => server,
        })
    }
}
