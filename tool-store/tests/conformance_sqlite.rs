//! The suite on a file.

#![allow(clippy::expect_used, reason = "helpers of tests may fail the test")]

use std::sync::Arc;

use tool_core::BoxFuture;
use tool_core::journal::Journal;
use tool_store::conformance::Bench;
use tool_store::{SqliteJournal, SqliteOptions};
use tool_trials::Directory;

struct File(Directory);

impl Bench for File {
    fn open(&self) -> BoxFuture<'_, Arc<dyn Journal>> {
        let journal = SqliteJournal::open(self.0.path().join("journal.db"), SqliteOptions::default());
        Box::pin(std::future::ready(Arc::new(journal.expect("a journal")) as Arc<dyn Journal>))
    }

    fn histories(&self) -> usize {
        tool_trials::rounds(10_000)
    }
}

tool_store::conformance!(Some(()) => |_unused| File(tool_trials::directory()));
