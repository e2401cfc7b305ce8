//! The table of arguments.md §4 for single values: what a scalar, a choice or a text of JSON may be read as.
//!
//! Pure functions over one value. Both decoders, by type and by schema, read values through them and through nothing else.

use std::borrow::Cow;

use serde_json::{Number, Value};

use super::coercion::Rule;
use super::issue::{ArgIssue, IssueCode};
use super::parse::{MAX_DEPTH, parse};

/// Integers up to this magnitude are exact in a double.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The longest text, in characters, that is read as an integer; also the greatest magnitude of its exponent.
const MAX_INTEGER_TEXT: usize = 64;

/// The hint for blank text where something else than text is asked for.
const HINT_BLANK: &str = "leave it out instead of sending an empty string";
/// The hint for a number whose spelling is lost.
const HINT_QUOTES: &str = "send it in quotes";

/// A value and the rule under which it was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Read<T> {
    pub(crate) value: T,
    pub(crate) rule: Option<Rule>,
}

/// Why a value cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub(crate) code: IssueCode,
    pub(crate) hint: Option<&'static str>,
}

impl Misfit {
    pub(crate) const TYPE: Misfit = Misfit { code: IssueCode::Type, hint: None };
    const RANGE: Misfit = Misfit { code: IssueCode::Range, hint: None };
    const PRECISION: Misfit = Misfit { code: IssueCode::Precision, hint: None };

    const fn hinted(hint: &'static str) -> Misfit {
        Misfit { code: IssueCode::Type, hint: Some(hint) }
    }

    /// The misfit of a value whose type is not the one asked for (and is not text either).
    pub(crate) fn of_type(value: &Value) -> Misfit {
        match value {
            Value::String(text) if is_blank(text) => Misfit::hinted(HINT_BLANK),
            _ => Misfit::TYPE,
        }
    }
}

type Reading<T> = Result<Read<T>, Misfit>;

fn plain<T>(value: T) -> Reading<T> {
    Ok(Read { value, rule: None })
}

fn by<T>(rule: Rule, value: T) -> Reading<T> {
    Ok(Read { value, rule: Some(rule) })
}

/// Reads an integer. Its range is that of JSON integers, −2⁶³ … 2⁶⁴−1.
pub(crate) fn integer(value: &Value) -> Reading<i128> {
    match value {
        Value::Number(number) => match exact(number) {
            Some(integer) => plain(integer),
            None => integer_of_double(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) if !is_blank(text) => by(Rule::StringToInteger, integer_of_text(text)?),
        other => Err(Misfit::of_type(other)),
    }
}

/// The value of a number that has neither fraction nor exponent.
pub(crate) fn exact(number: &Number) -> Option<i128> {
    number.as_u64().map(i128::from).or_else(|| number.as_i64().map(i128::from))
}

/// The integers that JSON values hold without loss.
pub(crate) const JSON_INTEGERS: (i128, i128) = (i64::MIN as i128, u64::MAX as i128);

/// The number of a JSON integer.
pub(crate) fn number_of(integer: i128) -> Option<Number> {
    let unsigned = u64::try_from(integer).ok().map(Number::from);
    unsigned.or_else(|| i64::try_from(integer).ok().map(Number::from))
}

/// A whole double up to 2⁵³ as the integer that it is.
pub(crate) fn whole(number: &Number) -> Option<Number> {
    if number.is_f64() { number.as_f64().and_then(exact_of_double).and_then(number_of) } else { None }
}

#[allow(clippy::cast_possible_truncation, reason = "the magnitude is at most 2⁵³ and there is no fraction")]
fn exact_of_double(double: f64) -> Option<i128> {
    (double.fract() == 0.0 && double.abs() <= MAX_EXACT).then_some(double as i128)
}

fn integer_of_double(double: f64) -> Reading<i128> {
    match exact_of_double(double) {
        Some(0) if double.is_sign_negative() => plain(0),
        Some(integer) => by(Rule::FloatToInteger, integer),
        None if double.fract() == 0.0 => Err(Misfit::PRECISION),
        None => Err(Misfit::TYPE),
    }
}

/// The exact value of a text that is a whole JSON number; no double in between.
fn integer_of_text(text: &str) -> Result<i128, Misfit> {
    let literal = Literal::of(trim(text)).ok_or(Misfit::TYPE)?;
    if literal.length > MAX_INTEGER_TEXT {
        return Err(Misfit::RANGE);
    }
    let exponent = literal.exponent().filter(|exponent| exponent.unsigned_abs() as usize <= MAX_INTEGER_TEXT);
    let exponent = exponent.ok_or(Misfit::RANGE)?;
    let digits = format!("{}{}", literal.whole, literal.fraction);
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Ok(0);
    }
    let dropped = digits.len() - significant.len();
    let scale = i64::from(exponent) - literal.fraction.len() as i64 + dropped as i64;
    let scale = u32::try_from(scale).map_err(|_| Misfit::TYPE)?;
    let magnitude: Option<i128> = significant.parse().ok();
    let magnitude = magnitude.and_then(|digits| digits.checked_mul(10_i128.checked_pow(scale)?));
    let signed = magnitude.map(|magnitude| if literal.negative { -magnitude } else { magnitude });
    signed.filter(|integer| number_of(*integer).is_some()).ok_or(Misfit::RANGE)
}

/// Reads a number. A text is read as the nearest double.
pub(crate) fn number(value: &Value) -> Reading<Number> {
    match value {
        Value::Number(number) => plain(whole(number).unwrap_or_else(|| number.clone())),
        Value::String(text) if !is_blank(text) => {
            let literal = trim(text);
            Literal::of(literal).ok_or(Misfit::TYPE)?;
            let double: f64 = literal.parse().map_err(|_| Misfit::TYPE)?;
            let number = Number::from_f64(double).ok_or(Misfit::RANGE)?;
            by(Rule::StringToNumber, whole(&number).unwrap_or(number))
        }
        other => Err(Misfit::of_type(other)),
    }
}

/// Reads a boolean: `true` or `false` in any ASCII case.
pub(crate) fn boolean(value: &Value) -> Reading<bool> {
    match value {
        Value::Bool(boolean) => plain(*boolean),
        Value::String(text) if trim(text).eq_ignore_ascii_case("true") => by(Rule::StringToBoolean, true),
        Value::String(text) if trim(text).eq_ignore_ascii_case("false") => by(Rule::StringToBoolean, false),
        other => Err(Misfit::of_type(other)),
    }
}

/// Reads a text. Any string is one, also a blank one.
pub(crate) fn text(value: &Value) -> Reading<Cow<'_, str>> {
    match value {
        Value::String(text) => plain(Cow::Borrowed(text)),
        Value::Bool(boolean) => {
            by(Rule::BooleanToString, Cow::Borrowed(if *boolean { "true" } else { "false" }))
        }
        Value::Number(number) => match exact(number) {
            Some(integer) => by(Rule::NumberToString, Cow::Owned(integer.to_string())),
            None => Err(Misfit::hinted(HINT_QUOTES)),
        },
        Value::Null | Value::Array(_) | Value::Object(_) => Err(Misfit::TYPE),
    }
}

/// Finds a text among cases: exactly, else the only one that is equal in Unicode lower case.
pub(crate) fn choice<'c>(given: &str, cases: impl Iterator<Item = &'c str> + Clone) -> Option<Read<&'c str>> {
    if let Some(value) = cases.clone().find(|case| *case == given) {
        return Some(Read { value, rule: None });
    }
    let folded = given.to_lowercase();
    let mut alike = cases.filter(|case| case.to_lowercase() == folded);
    match (alike.next(), alike.next()) {
        (Some(value), None) => Some(Read { value, rule: Some(Rule::ChoiceCase) }),
        _ => None,
    }
}

/// What a text is opened as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    Array,
    Object,
}

impl Container {
    pub(crate) fn rule(self) -> Rule {
        match self {
            Container::Array => Rule::JsonStringToArray,
            Container::Object => Rule::JsonStringToObject,
        }
    }

    fn misfit(self) -> Misfit {
        Misfit::hinted(match self {
            Container::Array => "it starts like a JSON array but is not one",
            Container::Object => "it starts like a JSON object but is not one",
        })
    }

    /// Whether a text starts like this container.
    pub(crate) fn starts(self, text: &str) -> bool {
        text.trim_start_matches(is_blank_char).starts_with(match self {
            Container::Array => '[',
            Container::Object => '{',
        })
    }
}

/// Why a text that starts like a container cannot be opened.
#[derive(Debug)]
pub(crate) enum Unopened {
    /// It is not JSON.
    Misfit(Misfit),
    /// Keys are given twice in it; the paths are those inside the text.
    Twice(Vec<ArgIssue>),
}

/// Opens a text that starts like a container and stands at a level of nesting.
pub(crate) fn open(text: &str, container: Container, level: usize) -> Result<Value, Unopened> {
    match parse(text) {
        Ok(value) if level + depth(&value) > MAX_DEPTH + 1 => Err(Unopened::Misfit(container.misfit())),
        Ok(value) => Ok(value),
        Err(error) if error.code_str() == "duplicate_key" => {
            Err(Unopened::Twice(error.arg_issues().to_vec()))
        }
        Err(_) => Err(Unopened::Misfit(container.misfit())),
    }
}

/// The levels of nesting of a value; its callers have limited them.
pub(crate) fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn is_blank_char(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_blank_char)
}

/// Whether a text has nothing but blanks.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(is_blank_char)
}

/// A JSON number in its parts (RFC 8259 §6).
struct Literal<'a> {
    length: usize,
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: Option<&'a str>,
}

impl<'a> Literal<'a> {
    fn of(text: &'a str) -> Option<Literal<'a>> {
        let unsigned = text.strip_prefix('-');
        let (mantissa, exponent) = match unsigned.unwrap_or(text).split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned.unwrap_or(text), None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if is_digits(fraction) => (whole, fraction),
            Some(_) => return None,
            None => (mantissa, ""),
        };
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        let digits = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
        let fits = is_digits(whole) && !leading_zero && digits.is_none_or(is_digits);
        fits.then_some(Literal {
            length: text.len(),
            negative: unsigned.is_some(),
            whole,
            fraction,
            exponent,
        })
    }

    /// The exponent, unless it is enormous.
    fn exponent(&self) -> Option<i32> {
        self.exponent.map_or(Some(0), |exponent| exponent.parse().ok())
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn code<T: std::fmt::Debug>(reading: Reading<T>) -> IssueCode {
        reading.unwrap_err().code
    }

    #[test]
    fn a_text_is_an_integer_when_its_exact_value_is_whole() {
        for (text, expected) in [
            ("5", 5),
            (" \t5\r\n", 5),
            ("-0", 0),
            ("20.0", 20),
            ("1e3", 1000),
            ("500e-2", 5),
            ("1.5E+1", 15),
            ("0.0e-9", 0),
            ("0e64", 0),
            ("18446744073709551615", i128::from(u64::MAX)),
            ("-9223372036854775808", i128::from(i64::MIN)),
            ("9007199254740993", 9_007_199_254_740_993),
        ] {
            assert_eq!(integer(&json!(text)), by(Rule::StringToInteger, expected), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_json_number_is_no_integer() {
        for text in [
            "+5", "007", "0x10", "1_000", "1,000", "5 lines", ".5", "5.", "５", "NaN", "Infinity", "1e",
            "e1", "-", "--1", "1.e1", "1.5", "1e-1", "\u{a0}5", "5\u{b}", "",
        ] {
            assert_eq!(code(integer(&json!(text))), IssueCode::Type, "{text:?}");
        }
        assert_eq!(integer(&json!(" ")).unwrap_err().hint, Some(HINT_BLANK));
    }

    #[test]
    fn a_text_of_an_enormous_integer_is_out_of_range() {
        let long = "1".repeat(65);
        for text in
            ["18446744073709551616", "-9223372036854775809", "1e65", "1e-65", "1e99999999999", "0e65", &long]
        {
            assert_eq!(code(integer(&json!(text))), IssueCode::Range, "{text}");
        }
        assert!(integer(&json!(format!("1.{}", "0".repeat(62)))).is_ok());
    }

    #[test]
    fn a_double_is_an_integer_while_every_integer_is_a_double() {
        assert_eq!(integer(&json!(5.0)), by(Rule::FloatToInteger, 5));
        assert_eq!(integer(&json!(MAX_EXACT)), by(Rule::FloatToInteger, 9_007_199_254_740_992));
        assert_eq!(integer(&json!(-0.0)), plain(0));
        assert_eq!(integer(&json!(0.0)), by(Rule::FloatToInteger, 0));
        assert_eq!(code(integer(&json!(MAX_EXACT + 2.0))), IssueCode::Precision);
        assert_eq!(code(integer(&json!(5.5))), IssueCode::Type);
        assert_eq!(code(integer(&json!(true))), IssueCode::Type);
    }

    #[test]
    fn a_text_is_a_number_and_beyond_the_range_of_a_double_it_is_not() {
        assert_eq!(number(&json!("-1e-3")), by(Rule::StringToNumber, Number::from_f64(-0.001).unwrap()));
        assert_eq!(number(&json!("10")), by(Rule::StringToNumber, Number::from(10)));
        assert_eq!(number(&json!(2.0)), plain(Number::from(2)));
        assert_eq!(number(&json!(1e16)), plain(Number::from_f64(1e16).unwrap()));
        assert_eq!(code(number(&json!("1e400"))), IssueCode::Range);
        for text in ["inf", "nan", "1,5", ".5", "infinity", "1_0"] {
            assert_eq!(code(number(&json!(text))), IssueCode::Type, "{text}");
        }
    }

    #[test]
    fn words_of_other_vocabularies_are_no_booleans() {
        assert_eq!(boolean(&json!(" TRUE ")), by(Rule::StringToBoolean, true));
        assert_eq!(boolean(&json!("False")), by(Rule::StringToBoolean, false));
        for value in [json!("yes"), json!("on"), json!("1"), json!(1), json!(0), json!(null), json!("")] {
            assert_eq!(code(boolean(&value)), IssueCode::Type, "{value}");
        }
    }

    #[test]
    fn a_number_that_lost_its_spelling_is_no_text() {
        assert_eq!(text(&json!(-7)), by(Rule::NumberToString, Cow::Borrowed("-7")));
        assert_eq!(text(&json!(u64::MAX)).unwrap().value, "18446744073709551615");
        assert_eq!(text(&json!(false)), by(Rule::BooleanToString, Cow::Borrowed("false")));
        assert_eq!(text(&json!(" ")), plain(Cow::Borrowed(" ")));
        assert_eq!(text(&json!(5.0)).unwrap_err().hint, Some(HINT_QUOTES));
        assert_eq!(text(&json!([1])).unwrap_err(), Misfit::TYPE);
    }

    #[test]
    fn a_choice_is_exact_or_the_only_one_in_lower_case() {
        let find = |given: &str, cases: &[&'static str]| choice(given, cases.iter().copied());
        assert_eq!(find("LOW", &["Low", "LOW"]), Some(Read { value: "LOW", rule: None }));
        assert_eq!(find("lOW", &["Low", "high"]), Some(Read { value: "Low", rule: Some(Rule::ChoiceCase) }));
        assert_eq!(find("ÄRGER", &["ärger"]).unwrap().value, "ärger");
        assert_eq!(find("low", &["Low", "LOW"]), None);
        assert_eq!(find(" low", &["low"]), None);
    }

    #[test]
    fn text_is_opened_strictly_and_not_beyond_the_limit_of_depth() {
        assert!(Container::Array.starts(" \n[1]") && !Container::Array.starts("\"[1]\""));
        assert_eq!(open(" [1] ", Container::Array, 2).unwrap(), json!([1]));
        assert!(matches!(open("[1,]", Container::Array, 2), Err(Unopened::Misfit(m)) if m.hint.is_some()));
        assert!(
            matches!(open("{\"a\":1,\"a\":1}", Container::Object, 2), Err(Unopened::Twice(i)) if i.len() == 1)
        );
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(open(&nested(MAX_DEPTH - 1), Container::Array, 2).is_ok());
        assert!(open(&nested(MAX_DEPTH), Container::Array, 2).is_err());
        let nested =
            |levels: usize| format!("{}{{}}{}", "{\"a\":".repeat(levels - 1), "}".repeat(levels - 1));
        assert!(open(&nested(MAX_DEPTH - 1), Container::Object, 2).is_ok());
        assert!(open(&nested(MAX_DEPTH), Container::Object, 2).is_err());
    }
}
