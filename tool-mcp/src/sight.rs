//! What clients see: one value that is computed at start, and replaced as a whole.

use std::sync::Arc;

use tool_core::{Executor, Snapshot, ToolError};

use crate::era::Era;
use crate::listing::Listing;

/// The visible tools, and how each era lists them.
#[derive(Debug)]
pub(crate) struct Sight {
    pub(crate) snapshot: Arc<Snapshot>,
    legacy: Listing,
    modern: Listing,
}

impl Sight {
    pub(crate) fn new(executor: &Executor, snapshot: Snapshot) -> Result<Sight, ToolError> {
        let visible = executor.visible(&snapshot);
        let [legacy, modern] = Era::ALL.map(|era| Listing::new(era, &visible));
        let (legacy, modern) = (legacy?, modern?);
        Ok(Sight { snapshot: Arc::new(snapshot), legacy, modern })
    }

    /// The list of an era.
    pub(crate) fn listing(&self, era: Era) -> &Listing {
        match era {
            Era::Legacy => &self.legacy,
            Era::Modern => &self.modern,
        }
    }
}
