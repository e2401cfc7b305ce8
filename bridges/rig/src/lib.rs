//! A tool registry as dynamic tools of rig: rig keeps the agent, the model and the loop; the annotated function keeps the
//! schema, the decoder, the checks and the errors.
//!
//! A call that rig dispatches runs through the [`Executor`](tool_core::Executor) as [`Caller::Llm`](tool_core::Caller):
//! arguments are decoded leniently where nothing is lost, policy, approval and the journal apply, and a refusal is the JSON
//! that every surface gives, with every issue. Dropping rig's future cancels the call.
//!
//! ```
//! use rig_core::tool::DynamicTool;
//! use tool_core::prelude::*;
//! use tool_core::{Executor, Registry};
//!
//! /// Says how many words a text has.
//! #[tool(register = false)]
//! fn count_words(
//!     /// The text.
//!     text: &str,
//! ) -> usize {
//!     text.split_whitespace().count()
//! }
//!
//! # fn main() -> Result<(), ToolError> {
//! let registry = Registry::builder().add::<CountWordsTool>().build()?;
//! let executor = Executor::standard(registry).build()?;
//! let tools: Vec<DynamicTool> = tool_rig::tools(&executor, &ToolContext::empty())?;
//! // AgentBuilder::new(model).dynamic_tools(tools).build()
//! assert_eq!(tools[0].name().to_string(), "count_words");
//! # Ok(())
//! # }
//! ```

mod failure;
mod meta;
mod output;
mod tools;

pub use meta::Meta;
pub use tools::tools;
