//! Values of another type, those that a rule reads as their own, and choices.

use serde_json::{Value, json};

use super::{Expected, MutationKind, Place, Role, Walk};
use crate::args::{IssueCode, Rule};

/// The greatest double below which every integer is one.
const MAX_EXACT: i64 = 9_007_199_254_740_992;

impl<'a> Walk<'a> {
    /// A value of another type, where no rule reads it as this one, and some where a rule does.
    pub(super) fn types(&mut self, place: &Place<'a>, kind: &str) {
        if let Some(other) = self.other(place, kind) {
            // What is wrapped into a list that must be longer has the wrong length first.
            let too_few = kind == "array" && !is_fixed(place) && place.role != Role::Item && {
                place.schema.get("minItems").and_then(Value::as_u64).is_some_and(|least| least > 1)
            };
            let code = if too_few { IssueCode::Length } else { IssueCode::Type };
            self.put(MutationKind::Type, place, other, Expected::Refused(code));
        }
        for (read, rule) in self.read_as(place, kind) {
            self.put(MutationKind::Lenient, place, read, Expected::Noted(rule));
        }
    }

    fn other(&self, place: &Place<'a>, kind: &str) -> Option<Value> {
        match kind {
            "integer" | "number" | "boolean" => Some(json!("zzz")),
            "string" => Some(json!({})),
            "object" => Some(json!(5)),
            // A value that is no list may be wrapped, so that it must not fit an item either.
            "array" => match self.item_kind(place)? {
                "object" => Some(json!(5)),
                _ => Some(json!({})),
            },
            _ => None,
        }
    }

    /// The one type of the items of a list; none of a tuple, and where any or several fit.
    fn item_kind(&self, place: &Place<'a>) -> Option<&'a str> {
        let items = place.schema.get("items").filter(|_| !place.has("prefixItems"))?;
        let alternatives = ["anyOf", "oneOf", "allOf"].into_iter().any(|key| items.get(key).is_some());
        items.get("type").filter(|_| !alternatives)?.as_str()
    }

    fn read_as(&self, place: &Place<'a>, kind: &str) -> Vec<(Value, Rule)> {
        let told = ["format", "contentEncoding", "contentMediaType"].into_iter().any(|key| place.has(key));
        let value = place.value;
        match kind {
            "integer" => {
                let small = value.as_i64().filter(|number| (-MAX_EXACT..=MAX_EXACT).contains(number));
                let double = small.map(|number| (json!(number as f64), Rule::FloatToInteger));
                let text = (value.is_i64() || value.is_u64())
                    .then(|| (json!(value.to_string()), Rule::StringToInteger));
                double.into_iter().chain(text).collect()
            }
            "number" => vec![(json!(value.to_string()), Rule::StringToNumber)],
            "boolean" => vec![(json!(value.to_string()), Rule::StringToBoolean)],
            "string" if !told => scalar_of(value).into_iter().collect(),
            "object" => vec![(json!(value.to_string()), Rule::JsonStringToObject)],
            "array" => {
                let single = self.single(place).map(|item| (item, Rule::SingleToArray));
                let text = (json!(value.to_string()), Rule::JsonStringToArray);
                [Some(text), single].into_iter().flatten().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The only item of a list, where a value alone is read as a list of it.
    fn single(&self, place: &Place<'a>) -> Option<Value> {
        let [item] = place.value.as_array()?.as_slice() else { return None };
        let kind = self.item_kind(place)?;
        let alone = !is_fixed(place) && place.role != Role::Item && kind != "array";
        let readable = match item {
            Value::String(text) => !text.trim().is_empty() && !text.trim_start().starts_with('['),
            Value::Null | Value::Array(_) => false,
            _ => true,
        };
        (alone && readable).then(|| item.clone())
    }

    /// A choice that is none, and one in another case.
    pub(super) fn choice(&mut self, place: &Place<'a>) {
        let Some(cases) = place.schema.get("enum").and_then(Value::as_array) else { return };
        let Some(given) =
            place.value.as_str().filter(|_| cases.iter().all(|case| case.is_string() || case.is_null()))
        else {
            return;
        };
        let alike = |word: &str| {
            cases
                .iter()
                .filter_map(Value::as_str)
                .filter(|case| case.to_lowercase() == word.to_lowercase())
                .count()
        };
        let longer = format!("{given}x");
        if alike(&longer) == 0 {
            self.put(MutationKind::Choice, place, json!(longer), Expected::Refused(IssueCode::Choice));
        }
        let upper = given.to_uppercase();
        if upper != given && alike(&upper) == 1 {
            self.put(MutationKind::Choice, place, json!(upper), Expected::Noted(Rule::ChoiceCase));
        }
    }
}

/// Whether all lists of a place have the same length.
fn is_fixed(place: &Place<'_>) -> bool {
    place.schema.get("minItems").is_some_and(|least| Some(least) == place.schema.get("maxItems"))
}

/// The number or boolean that a text is the word of.
fn scalar_of(text: &Value) -> Option<(Value, Rule)> {
    let text = text.as_str()?;
    match text {
        "true" | "false" => Some((json!(text == "true"), Rule::BooleanToString)),
        _ => {
            let number: i64 = text.parse().ok()?;
            (number.to_string() == text).then(|| (json!(number), Rule::NumberToString))
        }
    }
}
