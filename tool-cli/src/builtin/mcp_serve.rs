//! `mcp serve`: the program's tools for MCP clients.

use std::future::Future;
use std::io::Write;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tool_core::args::shown_name;
use tool_core::prelude::*;
use tool_core::{SHUTDOWN_GRACE, SecretSource as _};
use tool_mcp::{Confirm, Filter, HttpOptions, HttpServer, McpServer, serve_stdio};

use crate::server::{Closing, Host};
use crate::sight::Surroundings;

/// Serves the tools to an MCP client on standard input and output.
///
/// Nothing but messages of the protocol is written to standard output. Patterns are names with * and ?, group:NAME and tag:NAME;
/// several are separated by commas.
#[allow(clippy::too_many_arguments, reason = "each is an option of the command")]
#[tool(group = "mcp", register = false)]
pub(crate) fn mcp_serve(
    /// Listen at this address, or at this port of 127.0.0.1, in place of standard input.
    #[arg(value_name = "ADDR:PORT")]
    http: Option<&str>,
    /// Serve these tools only.
    #[arg(value_name = "PATTERN,…")]
    only: Option<&str>,
    /// Leave these tools out.
    #[arg(value_name = "PATTERN,…")]
    except: Option<&str>,
    /// Leave tools with side effects out.
    read_only: bool,
    /// List four tools that find, describe and call the others.
    search: bool,
    /// With --search, list these tools as well.
    #[arg(value_name = "NAME,…", requires = ["search"])]
    pin: Option<&str>,
    /// Serve the tools' skills as resources, too.
    skills: bool,
    /// What is done before a tool that needs approval: ask the client's person, trust the client, or deny.
    #[arg(default = Asking::Ask)]
    confirm: Asking,
    /// The name that clients see.
    name: Option<&str>,
    /// A host besides this machine's own names.
    #[arg(value_name = "HOST", requires = ["http"])]
    allow_host: Vec<String>,
    /// An origin of web pages besides those of this machine.
    #[arg(value_name = "ORIGIN", requires = ["http"])]
    allow_origin: Vec<String>,
    /// The variable that holds the token which HTTP clients must show.
    #[arg(value_name = "NAME", requires = ["http"])]
    token_secret: Option<&str>,
    /// The variable that holds what seals suspended calls, where several processes serve.
    #[arg(value_name = "NAME")]
    state_secret: Option<&str>,
    #[ctx] around: &Surroundings,
    #[ctx] host: &Host,
) -> ToolResult {
    let (only, except, pin) =
        (patterns("--only", only)?, patterns("--except", except)?, patterns("--pin", pin)?);
    let filter = Filter { only, except, read_only };
    let mut server = host.server()?.filter(filter).confirm(confirm.into());
    if let Some(name) = name {
        server = server.name(name);
    }
    if search {
        server = server.search(pin);
    }
    if skills {
        let around = around.clone();
        server = server.skills_of(move |served| around.skills_of(served));
    }
    if let Some(name) = state_secret {
        server = server.state_secret(secret(around, name)?);
    }
    let server = server.build()?;
    match http {
        None if host.file.is_none() => {
            let text = "Standard input and output are not those of a process, and cannot be served.";
            return Err(ToolError::failed(text).code("no_streams").hint("listen with --http"));
        }
        None => run(serve_stdio(server), host.closing.as_deref())?,
        Some(address) => {
            let mut options = HttpOptions::at(address)?;
            (options.allow_hosts, options.allow_origins) = (allow_host, allow_origin);
            options.token = token_secret.map(|name| secret(around, name)).transpose()?;
            options.principal = token_secret.map(str::to_owned);
            run(serve_http(server, options, host.notes.clone()), host.closing.as_deref())?;
        }
    }
    Ok(ToolOutput::default())
}

/// What is done before a tool that needs approval.
#[derive(Clone, Copy, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Asking {
    /// Asks the client's person.
    Ask,
    /// Trusts that the client has asked.
    Client,
    /// Refuses, and does not offer such tools.
    Deny,
}

impl From<Asking> for Confirm {
    fn from(asking: Asking) -> Confirm {
        match asking {
            Asking::Ask => Confirm::Ask,
            Asking::Client => Confirm::Client,
            Asking::Deny => Confirm::Deny,
        }
    }
}

/// The value behind the name of a secret.
fn secret(around: &Surroundings, name: &str) -> Result<Arc<Secret>, ToolError> {
    let value = around.settings.secrets().get(name).filter(|secret| !secret.is_blank());
    value.map(Arc::new).ok_or_else(|| {
        let shown = shown_name(name);
        ToolError::not_configured(format!("The secret {shown} is not set.")).code("secret_missing")
    })
}

async fn serve_http(server: McpServer, options: HttpOptions, mut notes: impl Write) -> Result<(), ToolError> {
    let stop = CancellationToken::new();
    let executor = server.executor().clone();
    let http = HttpServer::bind(server, options, stop.clone()).await?;
    let _ = writeln!(notes, "listening on {}", http.url()?);
    let mut served = pin!(http.serve());
    let served = tokio::select! {
        served = &mut served => served,
        // An answer that is on its way leaves, unless nobody takes it.
        () = tool_mcp::ends(&executor, &stop) => tokio::time::timeout(LAST_ANSWERS, served).await.unwrap_or(Ok(())),
    };
    executor.shutdown(SHUTDOWN_GRACE).await;
    served
}

/// How long the last answers may take to leave.
const LAST_ANSWERS: Duration = Duration::from_millis(500);

/// The patterns of an option. One that names nothing, such as the text of a variable that is not set, would serve everything.
fn patterns(option: &str, text: Option<&str>) -> Result<Vec<String>, ToolError> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let parts: Vec<String> = parts.map(str::to_owned).collect();
    if parts.is_empty() {
        let error = ToolError::invalid_args(format!("{option} names no tool.")).code("no_match");
        return Err(error.hint(format!("name tools, such as {option} 'group:file', or leave {option} out")));
    }
    Ok(parts)
}

/// Runs a server in a runtime of its own, and then what the program does when it was served.
fn run(
    serve: impl Future<Output = Result<(), ToolError>> + Send,
    closing: Option<&Closing>,
) -> Result<(), ToolError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| ToolError::internal("No runtime could be started.").source(error))?;
    let served = std::thread::scope(|scope| {
        let serve = || {
            let served = runtime.block_on(serve);
            if let Some(closing) = closing {
                runtime.block_on(closing());
            }
            served
        };
        scope.spawn(serve).join()
    });
    // A read of standard input that is still open must not hold the program.
    runtime.shutdown_background();
    served.unwrap_or_else(|_| Err(ToolError::internal("The server stopped unexpectedly.")))
}
