//! A registry as an MCP server: revisions 2025-11-25 and 2026-07-28 from one handler, on stdio and streamable HTTP.
//!
//! It is a surface like any other: a request becomes a name, arguments and [`tool_core::Caller::Mcp`], the executor runs the
//! call, and the one result is rendered by the `mcp-*` dialects of `tool-core`. The protocol itself is rmcp's.
//!
//! ```no_run
//! use tool_core::{Executor, Registry};
//! use tool_mcp::McpServer;
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let registry = Registry::builder().discover().build()?;
//! let server = McpServer::builder(Executor::standard(registry)).name("demo").build()?;
//! tool_mcp::serve_stdio(server).await?;
//! # Ok(())
//! # }
//! ```
//!
//! A program that has a server of rmcp's own takes the tools into its router instead: `raw`, with the feature of that name.

pub mod add;
mod ask;
mod builder;
mod call;
mod cursor;
mod decided;
mod era;
mod filter;
mod http;
mod instructions;
mod listing;
mod malformed;
mod mcp_call;
mod origin;
mod progress;
mod question;
mod quirks;
#[cfg(feature = "raw")]
pub mod raw;
mod server;
mod sight;
mod skills;
mod state;
mod stdio;
#[cfg(feature = "test")]
pub mod test;
mod unfit;

pub use ask::{Confirm, ROUNDS_MAX, TRIES_MAX};
pub use builder::McpServerBuilder;
pub use era::Era;
pub use filter::Filter;
pub use http::{BODY_BYTES, ENDPOINT, HttpOptions, HttpServer, SESSION_IDLE, SESSIONS_MAX};
pub use mcp_call::McpCall;
pub use server::McpServer;
pub use state::STATE_LIFE;
pub use stdio::{LINE_BYTES, asked_to_end, ends, serve_stdio, serve_streams};
