//! `mcp serve`: the program's tools for MCP clients.

use std::future::Future;

use tool_cli::Surroundings;
use tool_core::Executor;
use tool_core::prelude::*;
use tool_mcp::{Filter, McpServer, McpServerBuilder, serve_stdio};

use crate::{ABOUT, GROUPS, context, policy};

/// Serves the tools to an MCP client on standard input and output.
///
/// Nothing but messages of the protocol is written to standard output. Patterns are names with * and ?, group:NAME and tag:NAME;
/// several are separated by commas.
#[tool(group = "mcp", register = false)]
pub(crate) fn mcp_serve(
    /// Serve these tools only.
    #[arg(value_name = "PATTERN,…")]
    only: Option<&str>,
    /// Leave these tools out.
    #[arg(value_name = "PATTERN,…")]
    except: Option<&str>,
    /// Leave tools with side effects out.
    read_only: bool,
    /// The name that clients see.
    name: Option<&str>,
    #[ctx] around: &Surroundings,
) -> ToolResult {
    let filter = Filter { only: patterns(only), except: patterns(except), read_only };
    let server = server(around, filter)?.name(name.unwrap_or("toolbox")).build()?;
    run(serve_stdio(server))?;
    Ok(ToolOutput::default())
}

fn patterns(text: Option<&str>) -> Vec<String> {
    let parts = text.into_iter().flat_map(|text| text.split(','));
    parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The program's tools as a server.
fn server(around: &Surroundings, filter: Filter) -> Result<McpServerBuilder, ToolError> {
    let settings = &around.settings;
    let executor = Executor::standard(around.registry.clone());
    let server = McpServer::builder(executor)
        .version(env!("CARGO_PKG_VERSION"))
        .summary(ABOUT)
        .context(context(settings)?)
        .filter(filter);
    let server = GROUPS.iter().fold(server, |server, (name, about)| server.group(*name, *about));
    Ok(match &settings.policy {
        Some(file) => server.policy(policy::read(file, settings, &around.registry)?),
        None => server,
    })
}

/// Runs a server in a runtime of its own.
fn run(serve: impl Future<Output = Result<(), ToolError>> + Send) -> Result<(), ToolError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| ToolError::internal("No runtime could be started.").source(error))?;
    let served = std::thread::scope(|scope| {
        let serve = || runtime.block_on(serve);
        scope.spawn(serve).join()
    });
    // A read of standard input that is still open must not hold the program.
    runtime.shutdown_background();
    served.unwrap_or_else(|_| Err(ToolError::internal("The server stopped unexpectedly.")))
}
