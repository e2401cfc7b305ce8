//! The bounds of a parameter as the decoder by type checks them: no schema, no allocation.
//!
//! They only say whether a value keeps to them; the issue is written by [`super::walk`], which finds the same bounds in
//! the schema. `pattern` is left to it altogether.

use serde_json::Number;

use super::coerce::{self, Read};
use super::compare::compare;
use super::issue::IssueCode;
use crate::def::{self, Bounds, Range};

/// What a value and the items in it must keep to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    bounds: Option<&'a Bounds<'a>>,
    /// Whether the value is an item of the parameter's list.
    of_item: bool,
}

impl<'a> Limits<'a> {
    /// No limits.
    pub(crate) const NONE: Limits<'static> = Limits { bounds: None, of_item: false };

    /// The limits of a parameter's value.
    pub(crate) fn of(bounds: &'a Bounds<'a>) -> Limits<'a> {
        Limits { bounds: Some(bounds), of_item: false }
    }

    /// The limits of each item.
    pub(crate) fn items(self) -> Limits<'a> {
        match self {
            Limits { bounds, of_item: false } => Limits { bounds, of_item: true },
            Limits { of_item: true, .. } => Limits::NONE,
        }
    }

    /// Whether every list of the parameter has the same number of items.
    pub(crate) fn fixed(self) -> bool {
        let len = self.length();
        len.min > 0 && len.max == Some(len.min)
    }

    /// Whether a list or map may have so many entries.
    pub(crate) fn admit_count(self, count: usize) -> bool {
        self.length().contains(count)
    }

    /// Whether a text has an admitted number of characters.
    pub(crate) fn admit_text(self, text: &str) -> bool {
        let length = self.length();
        // Text has no more characters than bytes, and a quarter of them at least.
        let surely = text.len() / 4 >= length.min && length.max.is_none_or(|max| text.len() <= max);
        surely || length.contains(text.chars().count())
    }

    pub(crate) fn admit_integer(self, integer: i128) -> bool {
        let bounded = self.bounds.is_some_and(|bounds| bounds.min.is_some() || bounds.max.is_some());
        !bounded || coerce::number_of(integer).is_some_and(|number| self.admit_number(&number))
    }

    pub(crate) fn admit_number(self, number: &Number) -> bool {
        let Some(bounds) = self.bounds else { return true };
        let above = bounds.min.is_none_or(|min| compare(number, &as_number(min)).is_ge());
        let below = bounds.max.is_none_or(|max| {
            let order = compare(number, &as_number(max));
            order.is_lt() || (order.is_eq() && !bounds.max_exclusive)
        });
        above && below
    }

    /// The choice that a text is; `None` where any text is admitted.
    pub(crate) fn choice(self, text: &str) -> Result<Option<Read<&'a str>>, IssueCode> {
        let choices = self.bounds.map_or(&[] as &[&str], |bounds| bounds.choices);
        if choices.is_empty() {
            return Ok(None);
        }
        coerce::choice(text, choices.iter().copied()).map(Some).ok_or(IssueCode::Choice)
    }

    fn length(self) -> Range {
        match self.bounds {
            Some(bounds) if self.of_item => bounds.item_len,
            Some(bounds) => bounds.len,
            None => Range::ANY,
        }
    }
}

/// A bound as JSON has it.
fn as_number(bound: def::Number) -> Number {
    let double = |double: f64| Number::from_f64(double).unwrap_or_else(|| Number::from(0));
    match bound {
        #[allow(
            clippy::cast_precision_loss,
            reason = "a bound beyond 64 bits is beyond every number that is compared"
        )]
        def::Number::Int(integer) => coerce::number_of(integer).unwrap_or_else(|| double(integer as f64)),
        def::Number::Float(float) => double(float),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds<'static> = Bounds {
        min: Some(def::Number::Int(1)),
        max: Some(def::Number::Float(2.5)),
        max_exclusive: true,
        len: Range { min: 2, max: Some(2) },
        item_len: Range { min: 1, max: None },
        choices: &["a", "B"],
        ..Bounds::NONE
    };

    #[test]
    fn a_bound_reaches_the_items_of_a_list_but_no_deeper() {
        let list = Limits::of(&BOUNDS);
        assert!(list.fixed() && list.admit_count(2) && !list.admit_count(3));
        let item = list.items();
        assert!(!item.fixed() && item.admit_text("é") && !item.admit_text(""));
        assert!(item.admit_integer(1) && !item.admit_integer(0) && item.items().admit_integer(0));
        assert!(!item.admit_number(&Number::from_f64(2.5).unwrap()));
        assert!(item.admit_number(&Number::from_f64(2.4).unwrap()));
        assert_eq!(item.choice("b").unwrap().unwrap().value, "B");
        assert!(item.choice("c").is_err() && Limits::NONE.choice("c").unwrap().is_none());
    }

    #[test]
    fn one_bound_alone_holds_and_a_length_is_counted_in_characters() {
        let of = |bounds| Limits::of(Box::leak(Box::new(bounds)));
        let least = of(Bounds { min: Some(def::Number::Int(1)), ..Bounds::NONE });
        assert!(least.admit_integer(1) && !least.admit_integer(0));
        let greatest = of(Bounds { max: Some(def::Number::Int(1)), ..Bounds::NONE });
        assert!(greatest.admit_integer(1) && !greatest.admit_integer(2));
        for (min, max, text, admitted) in [
            (2, None, "€", false),
            (2, None, "€€", true),
            (3, None, "ab", false),
            (3, None, "abc", true),
            (3, None, "äöü", true),
            (1, Some(2), "äö", true),
            (1, Some(2), "äöü", false),
        ] {
            let length = of(Bounds { len: Range { min, max }, ..Bounds::NONE });
            assert_eq!(length.admit_text(text), admitted, "{text} {min} {max:?}");
        }
        // A list that must be empty is not one of a fixed number of items, into which a text could be split.
        assert!(!of(Bounds { len: Range { min: 0, max: Some(0) }, ..Bounds::NONE }).fixed());
    }
}
