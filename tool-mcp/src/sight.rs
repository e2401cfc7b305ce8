//! What clients see: one value that is computed at start, and replaced as a whole.

use std::num::NonZeroUsize;
use std::sync::Arc;

use tool_core::dialect::SEARCH_TOOLS;
use tool_core::{Executor, READ_RESULT, Snapshot, ToolEntry, ToolError};

use crate::era::Era;
use crate::filter::no_match;
use crate::listing::Listing;
use crate::skills::Skills;

/// The visible tools, and how each era lists them.
#[derive(Debug)]
pub(crate) struct Sight {
    pub(crate) snapshot: Arc<Snapshot>,
    /// What teaches the visible tools.
    pub(crate) skills: Skills,
    legacy: Listing,
    modern: Listing,
}

impl Sight {
    /// The visible tools; where they are searched, all but the pinned ones are left out of the lists.
    ///
    /// # Errors
    /// `invalid_args`, code `no_match`, for a pinned name that no visible tool has.
    pub(crate) fn new(
        executor: &Executor,
        snapshot: Snapshot,
        pinned: Option<&[String]>,
        page_size: NonZeroUsize,
        skills: impl FnOnce(&[&ToolEntry]) -> Result<Skills, ToolError>,
    ) -> Result<Sight, ToolError> {
        let visible = executor.visible(&snapshot);
        let skills = skills(&visible)?;
        let named = |name: &str| visible.iter().any(|tool| tool.name() == name);
        if let Some(unknown) = pinned.into_iter().flatten().find(|name| !named(name)) {
            return Err(no_match("--pin", unknown, visible.iter().copied()));
        }
        let is_listed = |name: &str| match pinned {
            Some(pinned) => {
                let own = SEARCH_TOOLS.contains(&name) || name == READ_RESULT;
                own || pinned.iter().any(|pinned| pinned == name)
            }
            None => true,
        };
        let [legacy, modern] = Era::ALL.map(|era| Listing::new(era, &visible, is_listed, page_size));
        let (legacy, modern) = (legacy?, modern?);
        drop(visible);
        Ok(Sight { snapshot: Arc::new(snapshot), skills, legacy, modern })
    }

    /// The list of an era.
    pub(crate) fn listing(&self, era: Era) -> &Listing {
        match era {
            Era::Legacy => &self.legacy,
            Era::Modern => &self.modern,
        }
    }
}
