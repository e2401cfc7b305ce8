//! The suite on a file.

#![cfg_attr(
    not(feature = "open-cases"),
    allow(dead_code, unused_imports, reason = "the suite is started by hand")
)]
#![allow(clippy::expect_used, reason = "helpers of tests may fail the test")]

use std::sync::Arc;

use tempfile::TempDir;
use tool_core::BoxFuture;
use tool_core::journal::Journal;
use tool_store::conformance::Bench;
use tool_store::{SqliteJournal, SqliteOptions};

struct File(TempDir);

impl Bench for File {
    fn open(&self) -> BoxFuture<'_, Arc<dyn Journal>> {
        let journal = SqliteJournal::open(self.0.path().join("journal.db"), SqliteOptions::default());
        Box::pin(std::future::ready(Arc::new(journal.expect("a journal")) as Arc<dyn Journal>))
    }
}

// Open: under load, refused transitions of journal.json (step-020, step-047) are seen to change their row. Started by hand
// with `--features open-cases` until that is found.
#[cfg(feature = "open-cases")]
tool_store::conformance!(Some(()) => |_unused| File(tempfile::tempdir().expect("a folder")));
