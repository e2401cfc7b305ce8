//! Where two JSON values differ, in words: a message that shows both whole is one that nobody reads.

use serde_json::Value;

use crate::args::pointer::push_key;

/// Parts of two values that differ, at most; the others are counted.
const PARTS: usize = 8;

/// Where a value differs from what was told directly, by JSON pointers.
pub(super) fn parts(own: &Value, direct: &Value) -> String {
    let mut found = Vec::new();
    compare(own, direct, &mut String::new(), &mut found);
    let more = found.len().saturating_sub(PARTS);
    found.truncate(PARTS);
    if more > 0 {
        found.push(format!("and {more} more"));
    }
    found.join("; ")
}

fn compare(own: &Value, direct: &Value, at: &mut String, found: &mut Vec<String>) {
    let mut below = |name: &str, own: Option<&Value>, direct: Option<&Value>, found: &mut Vec<String>| {
        let length = at.len();
        push_key(at, name);
        match (own, direct) {
            (Some(own), Some(direct)) => compare(own, direct, at, found),
            (Some(own), None) => found.push(format!("{at}: {own}, which is not there directly")),
            (None, Some(direct)) => found.push(format!("{at}: nothing, not {direct}")),
            (None, None) => {}
        }
        at.truncate(length);
    };
    match (own, direct) {
        (own, direct) if own == direct => {}
        (Value::Object(own), Value::Object(direct)) => {
            let more = direct.keys().filter(|name| !own.contains_key(*name));
            own.keys().chain(more).for_each(|name| below(name, own.get(name), direct.get(name), found));
        }
        (Value::Array(own), Value::Array(direct)) => {
            (0..own.len().max(direct.len()))
                .for_each(|n| below(&n.to_string(), own.get(n), direct.get(n), found));
        }
        (own, direct) => {
            let at = if at.is_empty() { "all" } else { at };
            found.push(format!("{at}: {own}, not {direct}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_differs_is_told_by_its_pointer() {
        let direct = json!({"a": 1, "b": [1, {"c/d": "x"}], "gone": null});
        let own = json!({"a": 1, "b": [1, {"c/d": "y"}, 3], "new": 2});
        let told = parts(&own, &direct);
        assert_eq!(
            told,
            "/b/1/c~1d: \"y\", not \"x\"; /b/2: 3, which is not there directly; \
             /new: 2, which is not there directly; /gone: nothing, not null"
        );
        assert_eq!(parts(&json!(1), &json!("1")), "all: 1, not \"1\"");
        let many = parts(&json!(vec![0; 10]), &json!(vec![1; 10]));
        assert!(many.ends_with("/7: 0, not 1; and 2 more"), "{many}");
    }
}
