//! The durable journal of tool calls: a file ([`SqliteJournal`], the default) or a PostgreSQL database.
//!
//! Audit rows lie beside the calls; in a file so do approvals, the catalogue and results that were parked.
//!
//! The state machine is in `tool_core::journal`; here is how rows are written so that what was acknowledged is still there after
//! a crash, and so that changes behind the journal's back show.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod audit;
#[cfg(feature = "conformance")]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a suite of tests"
)]
pub mod conformance;
#[cfg(feature = "sqlite")]
mod lazy;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod sql;
#[cfg(feature = "sqlite")]
pub mod sqlite;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub mod writer;

#[cfg(feature = "sqlite")]
pub use audit::AuditCount;
#[cfg(feature = "sqlite")]
pub use lazy::LazyJournal;
#[cfg(feature = "postgres")]
pub use postgres::PostgresJournal;
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteJournal, SqliteOptions, StoredApprovals, StoredResults};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use writer::Meter;
