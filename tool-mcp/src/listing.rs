//! The tools that a server offers, each written once per era; a page of `tools/list` is a run of them, which is copied.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;
use tool_core::dialect::{Dialect, Plan, PlanOptions, mcp};
use tool_core::{ToolEntry, ToolError};

use crate::cursor;
use crate::era::Era;

/// How long a list may be kept.
pub(crate) const LIST_TTL_MS: u64 = 300_000;

/// The tools of one era.
#[derive(Debug)]
pub(crate) struct Listing {
    era: Era,
    /// Everything that can be called, as the dialect knows it.
    pub(crate) plan: Plan,
    tools: Vec<Listed>,
    /// The descriptors as they are sent, with a comma between any two.
    text: Arc<str>,
    page_size: usize,
}

/// One listed tool.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) descriptor: Value,
    /// Where its descriptor is in writing.
    text: Range<usize>,
}

/// A part of a text that many have, and nobody copies.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) whole: Arc<str>,
    pub(crate) part: Range<usize>,
}

impl Shared {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.whole.as_bytes().get(self.part.clone()).unwrap_or_default()
    }
}

/// A page: which tools, and the cursor of the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) tools: Range<usize>,
    pub(crate) next: Option<String>,
}

impl Listing {
    /// Writes the tools, which are sorted by name, for an era; those that are to be listed.
    pub(crate) fn new(
        era: Era,
        tools: &[&ToolEntry],
        is_listed: impl Fn(&str) -> bool,
        page_size: NonZeroUsize,
    ) -> Result<Listing, ToolError> {
        let plan = era.dialect().plan(tools, &PlanOptions::default())?;
        let descriptors = match era.dialect().tools(&plan) {
            Value::Array(descriptors) => descriptors,
            _ => Vec::new(),
        };
        let listed = plan.tools.iter().zip(descriptors).filter(|(tool, _)| !tool.entry.def().hidden);
        let listed = listed.filter(|(tool, _)| is_listed(tool.entry.name()));
        let mut text = String::new();
        let tools =
            listed.map(|(tool, descriptor)| Listed::new(&tool.entry, descriptor, &mut text)).collect();
        Ok(Listing { era, plan, tools, text: text.into(), page_size: page_size.get() })
    }

    /// The page that a cursor asks for; `None` for what is no cursor.
    pub(crate) fn page(&self, cursor: Option<&str>) -> Option<Page> {
        let start = match cursor {
            None => 0,
            Some(cursor) => {
                let last = cursor::read(cursor)?;
                self.tools.partition_point(|tool| tool.name <= last)
            }
        };
        let end = self.tools.len().min(start.saturating_add(self.page_size));
        let last = self.tools.get(start..end).and_then(<[Listed]>::last);
        let next = last.filter(|_| end < self.tools.len()).map(|tool| cursor::behind(&tool.name));
        Some(Page { tools: start..end, next })
    }

    /// The tools of a page.
    pub(crate) fn of(&self, page: &Page) -> &[Listed] {
        self.tools.get(page.tools.clone()).unwrap_or_default()
    }

    /// The result of `tools/list` with a page, an object, as it is written: what stands before the tools, the tools, and what
    /// stands behind them.
    pub(crate) fn written(&self, page: &Page) -> (String, Shared, &'static str) {
        let tools = self.of(page);
        let span = tools.first().zip(tools.last()).map(|(first, last)| first.text.start..last.text.end);
        let mut head = String::from("{");
        if self.era == Era::Modern {
            head.push_str(&format!(
                "\"resultType\":\"complete\",\"ttlMs\":{LIST_TTL_MS},\"cacheScope\":\"public\","
            ));
        }
        if let Some(next) = &page.next {
            // A cursor is base64url: nothing in it is to be escaped.
            head.push_str(&format!("\"nextCursor\":\"{next}\","));
        }
        head.push_str("\"tools\":[");
        (head, Shared { whole: Arc::clone(&self.text), part: span.unwrap_or_default() }, "]}")
    }

    /// Everything that is listed.
    pub(crate) fn tools(&self) -> &[Listed] {
        &self.tools
    }
}

impl Listed {
    fn new(entry: &ToolEntry, descriptor: Value, written: &mut String) -> Listed {
        let descriptor = mcp::listed(entry, descriptor);
        if !written.is_empty() {
            written.push(',');
        }
        let start = written.len();
        written.push_str(&descriptor.to_string());
        Listed { name: entry.name().to_owned(), descriptor, text: start..written.len() }
    }
}
