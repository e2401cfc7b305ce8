//! Numbers, booleans, texts and closed lists of values.

use serde_json::{Number, Value};

use super::Walk;
use crate::args::coerce::{self, Misfit, Read};
use crate::args::compare::{compare, same};
use crate::args::issue::IssueCode;
use crate::args::place::Place;
use crate::args::suggest;
use crate::args::texts;

impl Walk<'_> {
    pub(super) fn integer(&mut self, schema: &Value, value: &Value, place: &Place<'_>) -> Value {
        let limits = self.limits_at(schema, place);
        let integer = match coerce::integer(value) {
            Err(Misfit { code: IssueCode::Range, .. }) => {
                return self.out_of_range(
                    schema,
                    value,
                    place,
                    Some(limits.unwrap_or(coerce::JSON_INTEGERS)),
                );
            }
            read => read.and_then(|read| self.accept(read, place)),
        };
        let number = match integer.map(coerce::number_of) {
            Ok(Some(number)) => number,
            Ok(None) => return self.out_of_range(schema, value, place, limits),
            Err(misfit) => return self.misfit(misfit, schema, value, place),
        };
        if let (Some((least, greatest)), Some(integer)) = (limits, coerce::exact(&number))
            && !(least..=greatest).contains(&integer)
        {
            return self.out_of_range(schema, value, place, limits);
        }
        self.changed |= value.is_f64();
        self.bounded(schema, number, value, place)
    }

    pub(super) fn number(&mut self, schema: &Value, value: &Value, place: &Place<'_>) -> Value {
        match coerce::number(value).and_then(|read| self.accept(read, place)) {
            Ok(number) => {
                self.changed |= value.is_f64() && !number.is_f64();
                self.bounded(schema, number, value, place)
            }
            Err(misfit) => self.misfit(misfit, schema, value, place),
        }
    }

    pub(super) fn boolean(&mut self, schema: &Value, value: &Value, place: &Place<'_>) -> Value {
        match coerce::boolean(value).and_then(|read| self.accept(read, place)) {
            Ok(boolean) => self.listed(schema, Value::Bool(boolean), value, place),
            Err(misfit) => self.misfit(misfit, schema, value, place),
        }
    }

    pub(super) fn text(&mut self, schema: &Value, value: &Value, place: &Place<'_>) -> Value {
        if schema.get("enum").is_some() || schema.get("const").is_some() {
            return self.choice(schema, value, place);
        }
        let text = match coerce::text(value).and_then(|read| self.accept(read, place)) {
            Ok(text) => text,
            Err(misfit) => return self.misfit(misfit, schema, value, place),
        };
        self.limited(schema, &text, value, place)
    }

    /// A text that must be of the length and pattern that the schema says.
    pub(super) fn limited(&mut self, schema: &Value, text: &str, value: &Value, place: &Place<'_>) -> Value {
        if !within(schema, "minLength", "maxLength", || text.chars().count()) {
            return self.refuse(IssueCode::Length, schema, value, place);
        }
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
            && !self.around.patterns.matches(pattern, text)
        {
            return self.refuse(IssueCode::Pattern, schema, value, place);
        }
        Value::from(text)
    }

    /// One of a closed list of texts.
    fn choice(&mut self, schema: &Value, value: &Value, place: &Place<'_>) -> Value {
        let Value::String(text) = value else { return self.refuse(IssueCode::Type, schema, value, place) };
        let cases = members(schema).iter().filter_map(Value::as_str);
        if self.names.cases.has_alias(cases.clone(), text) {
            return value.clone();
        }
        match coerce::choice(text, cases.clone()) {
            Some(Read { value: case, rule: None }) => Value::from(case),
            Some(Read { value: case, rule: Some(rule) }) => match self.apply(rule, place) {
                Ok(()) => Value::from(case),
                Err(_) => self.not_a_choice(schema, cases, text, value, place),
            },
            None if coerce::is_blank(text) => self.misfit(Misfit::of_type(value), schema, value, place),
            None => self.not_a_choice(schema, cases, text, value, place),
        }
    }

    /// Reports a text that is none of the cases, with the nearest of them.
    pub(super) fn not_a_choice<'c>(
        &mut self,
        schema: &Value,
        cases: impl Iterator<Item = &'c str>,
        given: &str,
        value: &Value,
        place: &Place<'_>,
    ) -> Value {
        let definitions = self.around.definitions;
        let got = self.got(value);
        self.found.issue(IssueCode::Choice, || {
            let nearest = suggest::suggest(given, cases.map(|case| (case, case)));
            let hint = suggest::did_you_mean(&nearest);
            (place.pointer(), texts::expected(schema, definitions), got(), hint)
        });
        value.clone()
    }

    /// A value that must be one of those that the schema lists, if it lists any.
    pub(super) fn listed(&mut self, schema: &Value, taken: Value, value: &Value, place: &Place<'_>) -> Value {
        let members = members(schema);
        match members.is_empty() || members.iter().any(|member| same(member, &taken)) {
            true => taken,
            false => self.refuse(IssueCode::Choice, schema, value, place),
        }
    }

    /// An array or object, which must be one of those that the schema lists once its parts fit.
    pub(super) fn container(
        &mut self,
        schema: &Value,
        value: &Value,
        place: &Place<'_>,
        decode: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let issues = self.found.count();
        let taken = decode(self);
        if self.found.count() > issues { taken } else { self.listed(schema, taken, value, place) }
    }

    /// A number that must be within the bounds that the schema says.
    pub(super) fn bounded(
        &mut self,
        schema: &Value,
        number: Number,
        value: &Value,
        place: &Place<'_>,
    ) -> Value {
        let holds = |keyword: &str, test: fn(std::cmp::Ordering) -> bool| {
            let bound = schema.get(keyword).and_then(Value::as_number);
            bound.is_none_or(|bound| test(compare(&number, bound)))
        };
        let inside = holds("minimum", std::cmp::Ordering::is_ge)
            && holds("maximum", std::cmp::Ordering::is_le)
            && holds("exclusiveMinimum", std::cmp::Ordering::is_gt)
            && holds("exclusiveMaximum", std::cmp::Ordering::is_lt);
        if !inside {
            let limits = self.limits_at(schema, place);
            return self.out_of_range(schema, value, place, limits);
        }
        self.listed(schema, Value::Number(number), value, place)
    }

    /// What was read, once its rule is noted.
    fn accept<T>(&mut self, read: Read<T>, place: &Place<'_>) -> Result<T, Misfit> {
        match read.rule {
            None => Ok(read.value),
            Some(rule) => self.apply(rule, place).map(|()| read.value),
        }
    }

    /// The limits of the Rust type at a place, where the decoder by type met them.
    fn limits_at(&mut self, schema: &Value, place: &Place<'_>) -> Option<(i128, i128)> {
        let limits = self.limits.as_ref()?;
        if self.limited.is_none() && limits.path == place.pointer() {
            self.limited = Some(std::ptr::from_ref(schema));
        }
        (self.limited == Some(std::ptr::from_ref(schema))).then_some((limits.least, limits.greatest))
    }
}

/// The values of `enum` or `const`.
pub(super) fn members(schema: &Value) -> &[Value] {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => std::slice::from_ref(value),
        (None, Some(Value::Array(values))) => values,
        _ => &[],
    }
}

/// Whether a count lies between two keywords.
pub(in crate::args) fn within(
    schema: &Value,
    least: &str,
    greatest: &str,
    count: impl FnOnce() -> usize,
) -> bool {
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    let (least, greatest) = (bound(least), bound(greatest));
    if least.is_none() && greatest.is_none() {
        return true;
    }
    let count = count() as u64;
    least.is_none_or(|least| count >= least) && greatest.is_none_or(|greatest| count <= greatest)
}
