//! The server on two streams: one JSON-RPC message a line, and nothing else.
//!
//! `transport` is what rmcp's service reads from and writes to. The common requests do not get that far: `direct` answers them
//! where they are read. `lines` is the input, `message` what a line says, `out` the output, `text` what leaves by it, `running`
//! the requests that are not answered yet, `pace` where calls begin, `near` how long a message is looked for.

use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rmcp::service::{ServerInitializeError, ServiceExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tool_core::{Executor, SHUTDOWN_GRACE, ToolError};

use crate::server::{Handler, LOCAL, McpServer, Pages};

mod direct;
mod lines;
mod message;
mod near;
mod out;
mod pace;
mod running;
mod text;
mod transport;

pub use lines::LINE_BYTES;
use transport::Streams;

/// Serves standard input and output until the input ends or the process is told to end; running calls then finish, for
/// less than 5 s, and are cancelled. What they answer still leaves.
///
/// # Errors
/// `unavailable` when the streams cannot be served.
pub async fn serve_stdio(server: McpServer) -> Result<(), ToolError> {
    widen(std::io::stdout());
    let (read, write) = rmcp::transport::io::stdio_pipes();
    let stop = CancellationToken::new();
    let executor = server.executor().clone();
    let ended = stop.clone();
    let mut served = pin!(serve_streams(server, read, write, stop));
    let served = tokio::select! {
        served = &mut served => served,
        () = ends(&executor, &ended) => tokio::time::timeout(SHUTDOWN_GRACE, served).await.unwrap_or(Ok(())),
    };
    executor.shutdown(SHUTDOWN_GRACE).await;
    served
}

/// How many bytes a pipe to the client holds, where the system allows it: as much as waits here.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = out::WAITING_BYTES;

/// Lets a pipe hold a long answer whole. It holds 64 KiB else, and server and client take turns for each of those.
#[cfg(target_os = "linux")]
fn widen(output: impl std::os::fd::AsFd) {
    // What is no pipe, or may not be wider, is as it was.
    let _ = rustix::pipe::fcntl_setpipe_size(output, PIPE_BYTES);
}

#[cfg(not(target_os = "linux"))]
fn widen<T>(_: T) {}

/// How long calls may go on when the process is told to end: with what cancelling takes it ends within [`SHUTDOWN_GRACE`].
const FINISH: Duration = Duration::from_secs(4);

/// Completes when the process was told to end, and its calls have ended or had 4 s for it: what serves is stopped then.
pub async fn ends(executor: &Executor, stop: &CancellationToken) {
    asked_to_end().await;
    executor.finish(FINISH).await;
    stop.cancel();
}

/// Completes when the process is told to end: by SIGTERM, or by Ctrl-C where somebody started it in a terminal.
pub async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut term), Ok(mut interrupt)) =
            (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
        {
            tokio::select! {
                _ = term.recv() => {}
                _ = interrupt.recv() => {}
            }
            return;
        }
    }
    std::future::pending().await
}

/// Serves two streams until the input ends or `stop` is cancelled.
///
/// # Errors
/// `unavailable` when the streams cannot be served.
pub async fn serve_streams(
    server: McpServer,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> Result<(), ToolError> {
    let peer = Arc::new(OnceLock::new());
    let transport = Streams::new(server.clone(), read, write, stop.clone(), Arc::clone(&peer));
    let handler = Handler { server, pages: Pages::Noted, principal: LOCAL.into() };
    match handler.serve_with_ct(transport, stop).await {
        Ok(running) => {
            // The session is open: from here on the direct way knows whom it serves.
            let _ = peer.set(running.peer().clone());
            match running.waiting().await {
                Ok(_) => Ok(()),
                Err(error) => Err(ToolError::internal("The server stopped unexpectedly.").source(error)),
            }
        }
        // The client left before it said anything, or the server was stopped.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(ToolError::unavailable("The streams could not be served.").source(error)),
    }
}
