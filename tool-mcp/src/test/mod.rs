//! For those who test tools: a client that is connected to the tools of a kit, over streams in memory. (feature `test`)

mod client;
mod surface;

pub use client::{McpCalled, McpClient, McpExt};
pub use surface::surfaces;
