//! The suite on a PostgreSQL server of its own, on a Unix socket in a temporary folder.

#![allow(clippy::expect_used, reason = "helpers of tests may fail the test")]
#![cfg(feature = "postgres")]

mod server;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use server::Server;
use tool_core::BoxFuture;
use tool_core::journal::Journal;
use tool_store::PostgresJournal;
use tool_store::conformance::Bench;

/// A schema of one case.
struct Schema<'s> {
    server: &'s Server,
    name: String,
}

impl Schema<'_> {
    fn new(server: &Server) -> Schema<'_> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("case_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        server.create(&name);
        Schema { server, name }
    }
}

impl Bench for Schema<'_> {
    fn open(&self) -> BoxFuture<'_, Arc<dyn Journal>> {
        let config = self.server.config(&self.name);
        Box::pin(async move {
            Arc::new(PostgresJournal::open(&config).await.expect("a journal")) as Arc<dyn Journal>
        })
    }

    /// A worker that is gone renews nothing; its leases are made to end now instead of in half a minute.
    fn kill(&self, handle: Arc<dyn Journal>) -> BoxFuture<'_, ()> {
        let owner = handle.owner().to_owned();
        drop(handle);
        Box::pin(async move {
            // As time does it: the leases of calls that have ended are not renewed and not looked at.
            let sql = format!(
                "UPDATE tool_calls SET lease_until = 0 WHERE owner = '{owner}' AND status IN ('intent', 'running')"
            );
            self.server.run(&self.name, &sql);
        })
    }

    fn histories(&self) -> usize {
        tool_trials::rounds(10_000)
    }
}

tool_store::conformance!(Server::start() => |server| Schema::new(server));
