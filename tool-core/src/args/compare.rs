//! Numbers and values as JSON Schema compares them: by what they mean, 5 and 5.0 being the same.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::coerce::exact;

/// The order of two numbers. Integers are compared exactly, also with doubles.
pub(crate) fn compare(a: &Number, b: &Number) -> Ordering {
    match (exact(a), exact(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(a), None) => compare_mixed(a, double(b)),
        (None, Some(b)) => compare_mixed(b, double(a)).reverse(),
        (None, None) => double(a).partial_cmp(&double(b)).unwrap_or(Ordering::Equal),
    }
}

fn double(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::NAN)
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "doubles beyond 128 bits saturate, which keeps their order"
)]
fn compare_mixed(integer: i128, double: f64) -> Ordering {
    let floor = double.floor();
    integer.cmp(&(floor as i128)).then(if double > floor { Ordering::Less } else { Ordering::Equal })
}

/// A text that is equal for equal values: keys sorted, whole doubles as integers.
pub(crate) fn key_of(value: &Value) -> String {
    match value {
        Value::Number(number) => super::coerce::whole(number).as_ref().unwrap_or(number).to_string(),
        Value::Array(items) => format!("[{}]", items.iter().map(key_of).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by_key(|member| member.0);
            let member = |(key, value): (&String, &Value)| format!("{key:?}:{}", key_of(value));
            format!("{{{}}}", members.into_iter().map(member).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

/// Whether two values are the same to JSON Schema.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare(a, b).is_eq(),
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => key_of(a) == key_of(b),
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn order(a: Value, b: Value) -> Ordering {
        compare(a.as_number().unwrap(), b.as_number().unwrap())
    }

    #[test]
    fn integers_and_doubles_are_compared_without_rounding() {
        assert_eq!(
            order(json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0)),
            Ordering::Greater
        );
        assert_eq!(order(json!(u64::MAX), json!(1e300)), Ordering::Less);
        assert_eq!(order(json!(-2), json!(-2.5)), Ordering::Greater);
        assert_eq!(order(json!(-2.5), json!(-2)), Ordering::Less);
        assert_eq!(order(json!(2.5), json!(2)), Ordering::Greater);
        assert_eq!(order(json!(5), json!(5.0)), Ordering::Equal);
    }

    #[test]
    fn values_are_the_same_by_meaning() {
        assert!(same(&json!({"a": [1, 2.0], "b": null}), &json!({"b": null, "a": [1.0, 2]})));
        assert!(!same(&json!("1"), &json!(1)));
        assert!(!same(&json!([1, 2]), &json!([2, 1])));
    }
}
