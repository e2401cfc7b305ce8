//! A subscriber that keeps the spans of calls: names and fields.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A span's name and its fields.
pub type Span = (String, BTreeMap<String, String>);

/// The spans so far; clones share them.
#[derive(Clone, Default)]
pub struct Spans(Arc<Mutex<Vec<Span>>>);

impl Spans {
    /// The spans since this was asked.
    pub fn take(&self) -> Vec<Span> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn write(&self, record: impl FnOnce(&mut Vec<Span>)) {
        record(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target() == "toolbox::call"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = BTreeMap::new();
        span.record(&mut Fields(&mut fields));
        let mut id = 1;
        self.write(|spans| {
            spans.push((span.metadata().name().to_owned(), fields));
            id = spans.len() as u64;
        });
        Id::from_u64(id)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        let at = usize::try_from(id.into_u64() - 1).unwrap_or(usize::MAX);
        self.write(|spans| {
            if let Some((_, fields)) = spans.get_mut(at) {
                values.record(&mut Fields(fields));
            }
        });
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}
