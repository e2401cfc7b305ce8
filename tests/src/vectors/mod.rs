//! Vectors: cases that come from outside, `{"about", "cases"}` in one JSON file per subject, one harness per file.
//!
//! Where they lie is said by `TOOL_VECTORS` (default: `shared/vectors` beside the project). Without them a harness is
//! skipped, unless `TOOL_REQUIRE_PEERS=1` asks for it.

mod adapters;
mod adapters_plan;
pub(crate) mod arguments;
mod arguments_laws;
pub(crate) mod arguments_schema;
mod calls;
mod cli;
mod cli_defs;
mod cli_judge;
mod contract;
mod diagnostics;
mod gating;
pub(crate) mod journal;
mod journal_faults;
mod journal_stored;
mod policy;
mod random;
mod redaction;
mod resume_warning;
mod sync;
pub(crate) mod type_language;
pub(crate) mod typed;

use tool_trials::vectors::{Outcome, cases, judge_all, judge_all_in, report};
