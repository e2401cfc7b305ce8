//! Clients: rmcp's own, and one that writes lines.

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, RoleClient, RunningService};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tool_mcp::{McpServer, serve_streams};

pub(crate) fn client_config(version: ProtocolVersion) -> ClientConfig {
    ClientConfig::new(ClientCapabilities::default(), Implementation::new("tests", "1"))
        .with_protocol_version(version)
}

pub(crate) fn lifecycle(version: &ProtocolVersion) -> ClientLifecycleMode {
    match *version >= ProtocolVersion::V_2026_07_28 {
        true => ClientLifecycleMode::Discover { preferred_versions: vec![version.clone()] },
        false => ClientLifecycleMode::Initialize,
    }
}

pub(crate) async fn client(
    server: McpServer,
    version: ProtocolVersion,
) -> RunningService<RoleClient, ClientConfig> {
    let stream = serve(server);
    let lifecycle = lifecycle(&version);
    rmcp::service::serve_client_with_lifecycle(client_config(version), tokio::io::split(stream), lifecycle)
        .await
        .unwrap()
}

/// Serves over two streams in memory; the other end is given back.
pub(crate) fn serve(server: McpServer) -> DuplexStream {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(far);
    tokio::spawn(async move { serve_streams(server, read, write, CancellationToken::new()).await.unwrap() });
    near
}

pub(crate) fn versions() -> [ProtocolVersion; 3] {
    [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28]
}

pub(crate) fn call(name: &'static str, args: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(name).with_arguments(args.as_object().unwrap().clone())
}

/// The failure in the one text of a result.
pub(crate) fn failure(result: &CallToolResult) -> Value {
    assert_eq!((result.is_error, result.content.len()), (Some(true), 1), "{result:?}");
    assert!(result.structured_content.is_none(), "{result:?}");
    serde_json::from_str(&result.content[0].as_text().unwrap().text).unwrap()
}

/// Sends lines and reads as many answers.
pub(crate) async fn talk(server: McpServer, lines: &[String], answers: usize) -> Vec<Value> {
    let (read, mut write) = tokio::io::split(serve(server));
    for line in lines {
        write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    let mut read = BufReader::new(read).lines();
    let mut found = Vec::new();
    for _ in 0..answers {
        let line = tokio::time::timeout(tool_trials::patience(), read.next_line()).await;
        let line = line.unwrap_or_else(|_| panic!("no more answers after {found:?}")).unwrap().unwrap();
        found.push(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")));
    }
    found
}

pub(crate) fn modern(id: u32, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

pub(crate) fn initialize() -> String {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string()
}

pub(crate) fn legacy(id: u32, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// Sends lines, each with its end, while the answers are read; what comes back keeps the connection open.
pub(crate) fn send<W>(mut write: W, lines: Vec<String>) -> JoinHandle<W>
where
    W: AsyncWrite + Send + Unpin + 'static,
{
    tokio::spawn(async move {
        for line in lines {
            write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        }
        write
    })
}
