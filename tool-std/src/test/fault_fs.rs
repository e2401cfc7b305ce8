//! A file system whose n-th operation fails, or is the last before the process ends.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::workspace::{Fault, FileFaults, Operation};

/// Decides for one workspace that its n-th operation fails, counted from 0.
///
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use tool_core::test::ToolKit;
/// use tool_core::tree;
/// use tool_std::file::FILE_TOOLS;
/// use tool_std::test::{FaultFs, FilesExt as _, WorkspaceExt as _};
/// use tool_std::workspace::Fault;
///
/// let old = tree! { "a.txt": "old" };
/// for n in 0.. {
///     let faults = Arc::new(FaultFs::fail_at(n, Fault::DiskFull));
///     let kit = ToolKit::new(&FILE_TOOLS).files_failing(old.clone(), faults.clone()).build();
///     let done = kit.call_blocking("write_file", json!({"path": "a.txt", "content": "new"}));
///     if faults.hit().is_none() {
///         assert!(done.is_ok() && n > 5);
///         break;
///     }
///     let new = tree! { "a.txt": "new" };
///     assert!(kit.files() == old || kit.files() == new, "{n}: {:?}", kit.files());
/// }
/// ```
#[derive(Debug)]
pub struct FaultFs {
    at: Option<(usize, Fault)>,
    seen: Mutex<Vec<Operation>>,
}

impl FaultFs {
    /// Nothing fails; what is done is noted.
    pub fn counting() -> FaultFs {
        FaultFs { at: None, seen: Mutex::default() }
    }

    /// The n-th operation fails so, and none after it.
    pub fn fail_at(n: usize, fault: Fault) -> FaultFs {
        FaultFs { at: Some((n, fault)), seen: Mutex::default() }
    }

    /// The process ends just before the n-th operation: nothing is done any more, not even to clean up.
    pub fn stop_at(n: usize) -> FaultFs {
        FaultFs::fail_at(n, Fault::Stopped)
    }

    fn held(&self) -> MutexGuard<'_, Vec<Operation>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The operations that were asked for, in order.
    pub fn operations(&self) -> Vec<Operation> {
        self.held().clone()
    }

    /// The operation that failed; `None` where there were fewer.
    pub fn hit(&self) -> Option<Operation> {
        self.held().get(self.at?.0).copied()
    }
}

impl FileFaults for FaultFs {
    fn before(&self, operation: Operation) -> Option<Fault> {
        let mut seen = self.held();
        let nth = seen.len();
        seen.push(operation);
        match self.at {
            Some((at, Fault::Stopped)) if nth >= at => Some(Fault::Stopped),
            Some((at, fault)) if nth == at => Some(fault),
            _ => None,
        }
    }
}
