//! The `shell` group: tools that run programs in the [`Sandbox`](crate::Sandbox) (shell.md).
//!
//! One file per tool. What both take, and how a run becomes an answer, is in `request`; the pure parts are [`words`] and
//! [`guard`]. Confinement, limits and output budgets are the sandbox's.

// The parameters of a tool are the arguments of its function.
#![allow(clippy::too_many_arguments)]

mod bash;
pub mod guard;
mod process_list;
mod process_output;
mod process_stop;
mod processes;
mod request;
mod run_command;
pub mod words;

pub use bash::{BashTool, bash};
pub use process_list::{ListedProcess, ProcessList, ProcessListTool, process_list};
pub use process_output::{ProcessOutput, ProcessOutputTool, StreamPage, process_output};
pub use process_stop::{ProcessStopTool, StopSignal, StoppedProcess, process_stop};
pub use processes::{ProcessEnd, ProcessState, Processes};
pub use request::{ShellOutput, Started};
pub use run_command::{RunCommandTool, run_command};
