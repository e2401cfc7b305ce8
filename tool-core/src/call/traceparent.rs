//! The trace that a caller is in: `traceparent` of W3C Trace Context, from the environment or from MCP's `_meta`. (calls.md §14)
//!
//! Core keeps its id with the records of a call. That spans become children of it is for whoever exports them ([`TraceLink`]).

use tracing::Span;

/// The parent that a caller names: its trace and its span.
///
/// ```
/// use tool_core::TraceParent;
///
/// let parent = TraceParent::parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").unwrap();
/// assert_eq!(parent.trace_id(), "0af7651916cd43dd8448eb211c80319c");
/// assert!(TraceParent::parse("00-00000000000000000000000000000000-b7ad6b7169203331-01").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceParent {
    trace_id: String,
    span_id: String,
    flags: u8,
}

impl TraceParent {
    /// Reads the text of the header; `None` for one that the specification says to ignore. (W3C Trace Context, §3.2)
    pub fn parse(text: &str) -> Option<TraceParent> {
        let mut parts = text.trim().split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_hex = |part: &str, length: usize| {
            part.len() == length && part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_id = |part: &str, length: usize| is_hex(part, length) && part.bytes().any(|byte| byte != b'0');
        // Later versions may have more parts; version 00 has none, and ff is no version.
        let ends = version != "00" || parts.next().is_none();
        if !is_hex(version, 2) || version == "ff" || !ends || !is_hex(flags, 2) {
            return None;
        }
        let ids = is_id(trace, 32) && is_id(span, 16);
        let flags = u8::from_str_radix(flags, 16).ok()?;
        ids.then(|| TraceParent { trace_id: trace.to_owned(), span_id: span.to_owned(), flags })
    }

    /// The id of the trace, 32 hex digits.
    pub fn trace_id(&self) -> &str {
        &self.trace_id
    }

    /// The id of the span, 16 hex digits.
    pub fn span_id(&self) -> &str {
        &self.span_id
    }

    /// Whether the caller may have recorded its span.
    pub fn is_sampled(&self) -> bool {
        self.flags & 1 == 1
    }
}

/// Ties the spans of calls to traces: what a bridge from `tracing` to OpenTelemetry can do, and core cannot.
pub trait TraceLink: Send + Sync {
    /// Makes a span, which nobody has entered yet, a child of the parent that its caller named, if it did. Answers with the id
    /// of its trace, if it has one.
    fn link(&self, span: &Span, parent: Option<&TraceParent>) -> Option<String>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_specification_says_to_ignore_is_no_parent() {
        let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
        let parent = TraceParent::parse(&format!("00-{trace}-{span}-01")).unwrap();
        assert_eq!((parent.trace_id(), parent.span_id(), parent.is_sampled()), (trace, span, true));
        assert!(!TraceParent::parse(&format!("00-{trace}-{span}-00")).unwrap().is_sampled());
        assert!(TraceParent::parse(&format!("cc-{trace}-{span}-01-what-comes-later")).is_some());
        for text in [
            String::new(),
            format!("00-{trace}-{span}"),
            format!("00-{trace}-{span}-01-more"),
            format!("ff-{trace}-{span}-01"),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{trace}-{span}-1"),
            format!("00-{trace}x-{span}-01"),
        ] {
            assert_eq!(TraceParent::parse(&text), None, "{text}");
        }
    }
}
