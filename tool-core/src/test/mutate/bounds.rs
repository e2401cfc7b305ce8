//! Values at each bound, and the next ones outside.

use serde_json::{Map, Value, json};

use super::{Expected, MutationKind, Place, Walk};
use crate::args::{IssueCode, validator};
use crate::canonical;
use crate::schema::range::{self, Integers};

/// The greatest integer that every JSON parser keeps.
const SAFE: i64 = 9_007_199_254_740_991;

/// The most characters, items or entries that a value is made of to reach a bound.
const LONGEST: u64 = 10_000;

/// Texts of which one is likely to miss a pattern.
const ODD: [&str; 6] = ["", "\u{1}", "!", "x y", "é", "0"];

impl<'a> Walk<'a> {
    /// What stands at the bounds of a place, and beyond them.
    pub(super) fn bounds(&mut self, place: &Place<'a>, kind: &str) {
        match kind {
            "integer" => self.integers(place),
            "number" => self.numbers(place),
            "string" => self.texts(place),
            "array" => self.lengths(place),
            "object" => self.entries(place),
            _ => {}
        }
    }

    fn at(&mut self, place: &Place<'a>, value: Value) {
        // In a set it may be there already.
        let around = place.path.rsplit_once('/').and_then(|(around, _)| self.whole.pointer(around));
        let mut others = around.and_then(Value::as_array).into_iter().flatten();
        if others.any(|other| canonical::equal(other, &value)) {
            return;
        }
        self.put(MutationKind::AtBound, place, value, Expected::Taken);
    }

    fn over(&mut self, place: &Place<'a>, value: Value, code: IssueCode) {
        self.put(MutationKind::OverBound, place, value, Expected::Refused(code));
    }

    fn integers(&mut self, place: &Place<'a>) {
        let safe = |number: &i64| (-SAFE..=SAFE).contains(number);
        let Integers { least, most, step } = range::integers(place.schema);
        for (edge, beyond) in [(least, -step), (most, step)] {
            let Some(edge) = edge.filter(safe) else { continue };
            self.at(place, json!(edge));
            self.over(place, json!(edge.saturating_add(beyond)), IssueCode::Range);
        }
        let Some(number) = place.value.as_i64().filter(|_| step > 1) else { return };
        // Between two multiples, not beyond the last one.
        if most.is_none_or(|most| number < most) {
            self.over(place, json!(number.saturating_add(1)), IssueCode::Invalid);
        } else if least.is_none_or(|least| number > least) {
            self.over(place, json!(number.saturating_sub(1)), IssueCode::Invalid);
        }
    }

    fn numbers(&mut self, place: &Place<'a>) {
        // At a bound there may be no multiple.
        if place.has("multipleOf") {
            return;
        }
        let (least, most) = range::numbers(place.schema);
        let edges = [(least, least.map(f64::next_down)), (most, most.map(f64::next_up))];
        for (edge, beyond) in edges {
            if let (Some(edge), Some(beyond)) = (edge, beyond.filter(|beyond| beyond.is_finite())) {
                self.at(place, json!(edge));
                self.over(place, json!(beyond), IssueCode::Range);
            }
        }
    }

    /// How many entries a map has.
    fn entries(&mut self, place: &Place<'a>) {
        let Some(members) = place.value.as_object() else { return };
        // Other keys could be refused for what they are.
        if ["properties", "patternProperties", "propertyNames"].into_iter().any(|key| place.has(key)) {
            return;
        }
        let of_length = |length: u64| -> Option<Value> {
            let (_, value) = members.iter().next()?;
            let more = (1_u64..).map(|i| (format!("key{i}"), value.clone()));
            let more = more.filter(|(key, _)| !members.contains_key(key));
            let all = members.iter().map(|(key, value)| (key.clone(), value.clone())).chain(more);
            Some(all.take(usize::try_from(length).ok()?).collect::<Map<String, Value>>().into())
        };
        for (edge, beyond) in edges(place, "minProperties", "maxProperties") {
            if let Some(map) = of_length(edge) {
                self.at(place, map);
            }
            if let Some(map) = beyond.and_then(of_length) {
                self.over(place, map, IssueCode::Length);
            }
        }
    }

    fn texts(&mut self, place: &Place<'a>) {
        if ["format", "contentEncoding", "contentMediaType"].into_iter().any(|key| place.has(key)) {
            return;
        }
        if let Some(pattern) = place.schema.get("pattern") {
            let judge = validator(&json!({"type": "string", "pattern": pattern}));
            let misses = |text: &String| judge.as_ref().is_ok_and(|judge| !judge.is_valid(&json!(text)));
            let least =
                place.schema.get("minLength").and_then(Value::as_u64).filter(|least| *least < LONGEST);
            let most = place.schema.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
            // Of a length that is right, since only one of the two is told.
            let filled = |text: &&str| {
                let missing = least.unwrap_or(0).saturating_sub(text.chars().count() as u64);
                let last = text.chars().last().unwrap_or('!');
                text.chars().chain((0..missing).map(|_| last)).collect::<String>()
            };
            let fits = |text: &String| text.chars().count() as u64 <= most;
            if let Some(text) = ODD.iter().map(filled).filter(fits).find(misses) {
                self.over(place, json!(text), IssueCode::Pattern);
            }
            return;
        }
        let Some(text) = place.value.as_str() else { return };
        let of_length = |length: u64| {
            let filled = text.chars().chain(std::iter::repeat('x'));
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            json!(filled.take(length).collect::<String>())
        };
        for (edge, beyond) in edges(place, "minLength", "maxLength") {
            self.at(place, of_length(edge));
            if let Some(beyond) = beyond {
                self.over(place, of_length(beyond), IssueCode::Length);
            }
        }
    }

    fn lengths(&mut self, place: &Place<'a>) {
        let Some(items) = place.value.as_array() else { return };
        if place.has("prefixItems") {
            let least = place.schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
            if let Some((_, first)) = items.split_last().filter(|(_, first)| (first.len() as u64) < least) {
                self.over(place, json!(first), IssueCode::Length);
            }
            return;
        }
        let is_set = place.schema.get("uniqueItems") == Some(&Value::Bool(true));
        let Some(last) = items.last() else { return };
        for (edge, beyond) in edges(place, "minItems", "maxItems") {
            let of_length = |length: u64| -> Option<Value> {
                let length =
                    usize::try_from(length).ok().filter(|length| !is_set || *length <= items.len())?;
                Some(items.iter().chain(std::iter::repeat(last)).take(length).cloned().collect())
            };
            if let Some(list) = of_length(edge) {
                self.at(place, list);
            }
            if let Some(list) = beyond.and_then(of_length) {
                self.over(place, list, IssueCode::Length);
            }
        }
    }
}

/// The bounds of a length that can be reached, each with the next one outside, where there is one.
fn edges(place: &Place<'_>, least: &str, most: &str) -> Vec<(u64, Option<u64>)> {
    let bound = |keyword: &str| place.schema.get(keyword).and_then(Value::as_u64);
    let least = bound(least).map(|least| (least, least.checked_sub(1)));
    let most = bound(most).map(|most| (most, Some(most + 1)));
    least.into_iter().chain(most).filter(|(edge, _)| *edge < LONGEST).collect()
}
