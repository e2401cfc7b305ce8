//! The tools that a server offers, each written once per era; a page of `tools/list` is a run of them.

use std::ops::Range;

use serde_json::{Map, Value, json};
use tool_core::dialect::limits::{self, Limits};
use tool_core::dialect::{Dialect, Plan, PlanOptions};
use tool_core::{ToolEntry, ToolError, fingerprint};

use crate::cursor;
use crate::era::Era;

/// The tools of one era.
#[derive(Debug)]
pub(crate) struct Listing {
    /// Everything that can be called, as the dialect knows it.
    pub(crate) plan: Plan,
    tools: Vec<Listed>,
    page: usize,
}

/// One listed tool.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) descriptor: Value,
    /// The descriptor as it is sent.
    pub(crate) text: String,
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
    ) -> Result<Listing, ToolError> {
        let plan = era.dialect().plan(tools, &PlanOptions::default())?;
        let descriptors = match era.dialect().tools(&plan) {
            Value::Array(descriptors) => descriptors,
            _ => Vec::new(),
        };
        let listed = plan.tools.iter().zip(descriptors).filter(|(tool, _)| !tool.entry.def().hidden);
        let listed = listed.filter(|(tool, _)| is_listed(tool.entry.name()));
        let tools = listed.map(|(tool, descriptor)| Listed::new(&tool.entry, descriptor)).collect();
        let page = Limits::default().get(limits::MCP_PAGE);
        Ok(Listing { plan, tools, page })
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
        let end = self.tools.len().min(start + self.page);
        let last = self.tools.get(start..end).and_then(<[Listed]>::last);
        let next = last.filter(|_| end < self.tools.len()).map(|tool| cursor::behind(&tool.name));
        Some(Page { tools: start..end, next })
    }

    /// The tools of a page.
    pub(crate) fn of(&self, page: &Page) -> &[Listed] {
        self.tools.get(page.tools.clone()).unwrap_or_default()
    }

    /// Everything that is listed.
    pub(crate) fn tools(&self) -> &[Listed] {
        &self.tools
    }
}

impl Listed {
    fn new(entry: &ToolEntry, mut descriptor: Value) -> Listed {
        if let Some(members) = descriptor.as_object_mut() {
            let meta = members.entry("_meta").or_insert_with(|| Value::Object(Map::new()));
            if let Some(meta) = meta.as_object_mut() {
                meta.insert("toolbox/fingerprint".to_owned(), json!(fingerprint(entry)));
            }
        }
        let text = descriptor.to_string();
        Listed { name: entry.name().to_owned(), descriptor, text }
    }
}
