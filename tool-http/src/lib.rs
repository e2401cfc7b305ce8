//! HTTP for tools: what stands behind `#[ctx] http: &dyn Http` in a program.
//!
//! [`Client`] sends single requests, over TLS where they say so. It decides which addresses are reached at all, when a
//! connection is made, so that no name leads elsewhere than was judged: [`Reach`]. What a call may send, where its policy lets it
//! go, redirects, limits and time are the guard's that [`tool_core::http`] puts around every implementation.
//!
//! ```
//! use tool_core::ToolContext;
//! use tool_http::Client;
//!
//! let context = ToolContext::builder().http(Client::new());
//! ```

mod client;
mod fault;
mod reach;
mod resolver;

pub use client::Client;
pub use reach::Reach;
