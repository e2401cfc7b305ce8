//! The numbers that the bounds of a canonical schema leave.

use serde_json::Value;

/// The integers of a schema: the first and the last that are multiples of its step, where it has bounds that fit into 64 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integers {
    pub(crate) least: Option<i64>,
    pub(crate) most: Option<i64>,
    pub(crate) step: i64,
}

/// The integers of a schema.
pub(crate) fn integers(schema: &Value) -> Integers {
    let bound = |keyword| schema.get(keyword).and_then(Value::as_i64);
    let step = bound("multipleOf").unwrap_or(1).max(1);
    let above = bound("exclusiveMinimum").map(|bound| bound.saturating_add(1));
    let below = bound("exclusiveMaximum").map(|bound| bound.saturating_sub(1));
    let least = [bound("minimum"), above].into_iter().flatten().max();
    let most = [bound("maximum"), below].into_iter().flatten().min();
    let up = |number: i64| number.saturating_sub(1).div_euclid(step).saturating_add(1).saturating_mul(step);
    Integers { least: least.map(up), most: most.map(|most| most.div_euclid(step).saturating_mul(step)), step }
}

/// The numbers of a schema: the least and the greatest, where it has bounds. Steps are not looked at.
pub(crate) fn numbers(schema: &Value) -> (Option<f64>, Option<f64>) {
    let bound = |keyword| schema.get(keyword).and_then(Value::as_f64);
    let above = bound("exclusiveMinimum").map(f64::next_up);
    let below = bound("exclusiveMaximum").map(f64::next_down);
    let least = [bound("minimum"), above].into_iter().flatten().reduce(f64::max);
    let most = [bound("maximum"), below].into_iter().flatten().reduce(f64::min);
    (least, most)
}
