//! What a tool says of its effects, its time and its places.

use crate::errors::{self, Sink};
use crate::ir::{ToolIr, unraw};
use crate::suggest::nearest;

/// Pairs of keys of which only one makes sense.
const EXCLUSIVE: [(&str, &str); 3] =
    [("read_only", "side_effect"), ("read_only", "destructive"), ("reconcile", "replay")];

/// The surfaces.
const SURFACES: [&str; 3] = ["llm", "cli", "mcp"];

/// The log forms.
pub(super) const LOG_FORMS: [&str; 6] = ["full", "preview", "length", "hash", "secret", "omit"];

/// The least and the greatest timeout, in milliseconds.
const TIMEOUT: std::ops::RangeInclusive<u64> = 1..=3_600_000;

/// Reports contradictions between the keys about effects.
pub(crate) fn check(ir: &ToolIr, sink: &Sink) {
    effects(ir, sink);
    timeout(ir, sink);
    surfaces(ir, sink);
    if let Some(log) = ir.attr.log.as_ref().filter(|log| !LOG_FORMS.contains(&log.value().as_str())) {
        sink.at(log, errors::unknown_log(&log.value()));
    }
    if let Some(replay) = ir.attr.replay.as_ref().filter(|replay| replay.value() != "manual") {
        sink.at(replay, errors::unknown_replay(&replay.value()));
    }
}

fn effects(ir: &ToolIr, sink: &Sink) {
    let said = &ir.attr.said;
    for (one, other) in EXCLUSIVE {
        if let Some(later) = said.later(one, other) {
            sink.at_span(later, errors::excludes(one, other));
        }
    }
    match said.span("side_effect").or_else(|| said.span("destructive")) {
        Some(effect) if ir.attr.idempotent.is_none() && !said.has("read_only") => {
            sink.at_span(effect, errors::IDEMPOTENT_UNSAID);
        }
        Some(_) => {}
        None => {
            if let (Some(false), Some(key)) = (ir.attr.idempotent, said.span("idempotent")) {
                sink.at_span(key, errors::READ_NOT_IDEMPOTENT);
            }
            for key in ["reconcile", "revert", "replay"] {
                if let Some(span) = said.span(key) {
                    sink.at_span(span, errors::needs_effect(key));
                }
            }
        }
    }
}

/// The units of a duration, in milliseconds; the longer word first where one ends in the other.
const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// `30s` → 30 000; `None` when it is no duration.
pub(crate) fn milliseconds(text: &str) -> Option<u64> {
    let (number, unit) = UNITS.iter().find_map(|(word, unit)| Some((text.strip_suffix(word)?, unit)))?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // More digits than fit are more than any limit.
    Some(number.parse::<u64>().unwrap_or(u64::MAX).saturating_mul(*unit))
}

fn timeout(ir: &ToolIr, sink: &Sink) {
    let Some(written) = &ir.attr.timeout else { return };
    let text = written.value();
    match milliseconds(&text) {
        None => sink.at(written, errors::bad_duration(&text)),
        Some(ms) if ms < *TIMEOUT.start() => sink.at(written, errors::short_timeout(&text)),
        Some(ms) if ms > *TIMEOUT.end() => sink.at(written, errors::long_timeout(&text)),
        Some(_) => {}
    }
}

fn surfaces(ir: &ToolIr, sink: &Sink) {
    let Some(surfaces) = &ir.attr.surfaces else { return };
    if let (true, Some(key)) = (surfaces.is_empty(), ir.attr.said.span("surfaces")) {
        sink.at_span(key, errors::NO_SURFACE);
    }
    for surface in surfaces {
        let word = unraw(surface);
        if !SURFACES.contains(&word.as_str()) {
            sink.at(surface, errors::unknown_word("surface", &word, nearest(&word, SURFACES), &SURFACES));
        }
    }
}
