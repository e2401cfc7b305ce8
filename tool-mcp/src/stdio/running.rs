//! The requests that are not answered yet, by their ids: the calls of the direct way, which a client ends by those, and what rmcp
//! has been given.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The calls that are on their way. A clone is the same.
#[derive(Clone, Default)]
pub(super) struct Running(Arc<Shared>);

#[derive(Default)]
struct Shared {
    calls: Mutex<Calls>,
    ended: Notify,
}

#[derive(Default)]
struct Calls {
    by_id: HashMap<RequestId, Arc<Call>>,
    /// How many have not ended, cancelled ones among them.
    count: usize,
    /// Those of rmcp.
    elsewhere: HashSet<RequestId>,
}

struct Call {
    cancel: CancellationToken,
    /// Whether the client still wants its answer.
    wanted: AtomicBool,
}

/// One call on its way, until it is dropped.
pub(super) struct OnItsWay {
    running: Running,
    id: RequestId,
    call: Arc<Call>,
}

impl Running {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request has this id that is not answered yet.
    pub(super) fn has(&self, id: impl FnOnce() -> RequestId) -> bool {
        let calls = self.calls();
        if calls.by_id.is_empty() && calls.elsewhere.is_empty() {
            return false;
        }
        let id = id();
        calls.by_id.contains_key(&id) || calls.elsewhere.contains(&id)
    }

    /// Notes a request that rmcp answers.
    pub(super) fn pass(&self, id: &RequestId) {
        self.calls().elsewhere.insert(id.clone());
    }

    /// Notes that rmcp has answered a request.
    pub(super) fn answered(&self, id: &RequestId) {
        self.calls().elsewhere.remove(id);
    }

    /// Adds a call that its token ends.
    pub(super) fn add(&self, id: RequestId, cancel: CancellationToken) -> OnItsWay {
        let call = Arc::new(Call { cancel, wanted: AtomicBool::new(true) });
        let mut calls = self.calls();
        calls.count += 1;
        calls.by_id.insert(id.clone(), Arc::clone(&call));
        drop(calls);
        OnItsWay { running: self.clone(), id, call }
    }

    /// Ends the call of a request, which is not answered any more. An id that no call has is ignored.
    pub(super) fn cancel(&self, id: &RequestId) {
        let mut calls = self.calls();
        // rmcp does not answer what is cancelled, either.
        calls.elsewhere.remove(id);
        let call = calls.by_id.remove(id);
        drop(calls);
        if let Some(call) = call {
            call.wanted.store(false, Ordering::Release);
            call.cancel.cancel();
        }
    }

    /// Ends every call.
    pub(super) fn cancel_all(&self) {
        let calls: Vec<_> = self.calls().by_id.values().map(Arc::clone).collect();
        calls.iter().for_each(|call| call.cancel.cancel());
    }

    /// Waits until every call has ended.
    pub(super) async fn ended(&self) {
        loop {
            let ended = self.0.ended.notified();
            if self.calls().count == 0 {
                return;
            }
            ended.await;
        }
    }
}

impl OnItsWay {
    /// Whether the client still wants its answer.
    pub(super) fn is_wanted(&self) -> bool {
        self.call.wanted.load(Ordering::Acquire)
    }
}

impl Drop for OnItsWay {
    fn drop(&mut self) {
        let mut calls = self.running.calls();
        calls.count -= 1;
        // Another request may have taken the id over.
        if calls.by_id.get(&self.id).is_some_and(|call| Arc::ptr_eq(call, &self.call)) {
            calls.by_id.remove(&self.id);
        }
        let last = calls.count == 0;
        drop(calls);
        if last {
            self.running.0.ended.notify_waiters();
        }
    }
}
