//! The server on two streams: one JSON-RPC message a line, and nothing else.
//!
//! `transport` is what rmcp's service reads from and writes to. The common requests do not get that far: `direct` answers them
//! where they are read. `lines` is the input, `message` what a line says, `out` the output, `running` the calls that are on their
//! way, `pace` where they begin.

use std::sync::{Arc, OnceLock};

use rmcp::service::{ServerInitializeError, ServiceExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tool_core::{SHUTDOWN_GRACE, ToolError};

use crate::server::{Handler, LOCAL, McpServer, Pages};

mod direct;
mod lines;
mod message;
mod out;
mod pace;
mod running;
mod transport;

pub use lines::LINE_BYTES;
use transport::Streams;

/// Serves standard input and output until the input ends or the process is told to end; running calls then finish, for at most
/// 5 s, and are cancelled.
///
/// # Errors
/// `unavailable` when the streams cannot be served.
pub async fn serve_stdio(server: McpServer) -> Result<(), ToolError> {
    let (read, write) = rmcp::transport::io::stdio_pipes();
    let stop = CancellationToken::new();
    let executor = server.executor().clone();
    let ended = stop.clone();
    let served = tokio::select! {
        served = serve_streams(server, read, write, stop) => served,
        () = asked_to_end() => {
            ended.cancel();
            Ok(())
        }
    };
    executor.shutdown(SHUTDOWN_GRACE).await;
    served
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
