//! Values of a canonical schema from a seed, the same each time.
//!
//! Not every keyword is followed: a value may miss a pattern or a condition, so that whoever asks judges it first.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::definition_name;
use super::random::Random;
use super::range::{self, Integers};
use crate::args::validator;

/// Texts that a decoder, a shell or a lexer of options could take for something else.
const TEXTS: [&str; 44] = [
    "",
    " ",
    "a",
    "B",
    "5",
    "-1",
    "1.5",
    "1e3",
    "-1e3",
    "007",
    "true",
    "null",
    "[1]",
    "{",
    "{}",
    "{\"a\":1}",
    "é日本😀",
    "e\u{301}",
    "a,b",
    "a/b.txt",
    "-",
    "--",
    "-x",
    "--limit",
    "--limit=5",
    "@x",
    "@@",
    "@",
    "a b",
    "it's",
    "\"q\"",
    "$HOME",
    "`id`",
    "$(id)",
    "*",
    "a\nb",
    "\n",
    "tab\t",
    "\\",
    "#x",
    "~",
    "!",
    "a=b",
    "nul\0byte",
];

/// A text of each format that types check.
const FORMATS: [(&str, &str); 15] = [
    ("date-time", "2024-02-29T12:30:00Z"),
    ("date", "2024-02-29"),
    ("time", "12:30:00Z"),
    ("duration", "PT5M"),
    ("email", "ann@example.com"),
    ("idn-email", "ann@example.com"),
    ("hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uri", "https://example.com/a"),
    ("uri-reference", "https://example.com/a"),
    ("iri", "https://example.com/a"),
    ("uuid", "67e55044-10b1-426f-9247-bb680e5fe0c8"),
    ("regex", "^a$"),
    ("json-pointer", "/a"),
];

/// Numbers of every kind that doubles have.
const NUMBERS: [f64; 10] =
    [0.5, -1.25, 1e-9, 3.0e20, 0.1, 7.5, -3.5, 123_456.75, 9_007_199_254_740_991.0, -9_007_199_254_740_991.0];

/// The greatest integer that every JSON parser keeps.
const SAFE: i64 = 9_007_199_254_740_991;

/// Levels of references and containers.
const DEPTH: usize = 4;

/// Items of a long list.
const LONG: usize = 64;

/// Texts that patterns are often about.
const COMMON: [&str; 20] = [
    "abc",
    "A",
    "ABC",
    "z",
    "0",
    "12",
    "123456",
    "a1",
    "a-b",
    "a_b",
    "a.b",
    "1.2.3",
    "v1.2.3",
    "AB-123",
    "#a1b2c3",
    "0123456789abcdef",
    "2024-02-29",
    "12:30",
    "ann@example.com",
    "https://example.com/a",
];

/// Values of schemas, from a seed.
#[derive(Clone, Debug)]
pub struct Values {
    random: Random,
    /// The texts that match each pattern met so far.
    patterns: HashMap<String, Vec<&'static str>>,
}

impl Values {
    /// The values of a seed.
    pub fn new(seed: u64) -> Values {
        Values { random: Random::new(seed), patterns: HashMap::new() }
    }

    /// The values of a name: another tool gets others.
    pub(crate) fn named(name: &str) -> Values {
        let seed = |seed: u64, byte: u8| seed.wrapping_mul(31).wrapping_add(byte.into());
        Values::new(name.bytes().fold(0, seed))
    }

    /// A value of a canonical schema.
    pub fn of(&mut self, schema: &Value) -> Value {
        let Values { random, patterns } = self;
        Generated { random, patterns, definitions: schema.get("$defs") }.value(schema, DEPTH)
    }
}

/// The values of one document.
struct Generated<'a> {
    random: &'a mut Random,
    patterns: &'a mut HashMap<String, Vec<&'static str>>,
    definitions: Option<&'a Value>,
}

impl Generated<'_> {
    fn pick<T: Clone + Default>(&mut self, from: &[T]) -> T {
        self.random.pick(from).cloned().unwrap_or_default()
    }

    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            return self.pick(values);
        }
        if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(definition_name) {
            let definition = self.definitions.and_then(|definitions| definitions.get(&name));
            return definition.map_or(Value::Null, |schema| self.value(schema, depth.saturating_sub(1)));
        }
        let branches = ["anyOf", "oneOf"].iter().find_map(|key| schema.get(*key)).and_then(Value::as_array);
        if let Some(branches) = branches {
            let branch = self.pick(branches);
            return self.value(&branch, depth);
        }
        let kind = match schema.get("type") {
            Some(Value::Array(names)) => self.pick(names),
            Some(name) => name.clone(),
            None => return self.anything(),
        };
        match kind.as_str() {
            Some("boolean") => json!(self.random.one_in(2)),
            Some("integer") => self.integer(schema),
            Some("number") => self.number(schema),
            Some("array") => self.list(schema, depth),
            Some("object") => self.object(schema, depth),
            Some("string") => self.text(schema),
            _ => Value::Null,
        }
    }

    fn integer(&mut self, schema: &Value) -> Value {
        let Integers { least, most, step } = range::integers(schema);
        let (least, most) = (least.unwrap_or(-SAFE).max(-SAFE), most.unwrap_or(SAFE).min(SAFE));
        // Those without bounds are multiples too; beside a bound is where it is forgotten.
        let (first, last) = (-(-least).div_euclid(step), most.div_euclid(step));
        let times = match self.random.below(8) {
            0 => first.saturating_add(1).min(last),
            1 => last.saturating_sub(1).max(first),
            _ => self.random.between(first, last),
        };
        json!(times.saturating_mul(step))
    }

    fn number(&mut self, schema: &Value) -> Value {
        let (least, most) = range::numbers(schema);
        let inside = |number: f64| number.max(least.unwrap_or(f64::MIN)).min(most.unwrap_or(f64::MAX));
        let number = match (self.random.below(8), least, most) {
            (0, Some(least), _) => inside(least.next_up()),
            (1, _, Some(most)) => inside(most.next_down()),
            (2..=4, Some(least), Some(most)) => inside(least + (most - least) * self.random.share()),
            // At a bound where it is beyond it.
            _ => inside(self.pick(&NUMBERS)),
        };
        json!(number)
    }

    fn text(&mut self, schema: &Value) -> Value {
        let format = schema.get("format").and_then(Value::as_str);
        if let Some((_, text)) = FORMATS.iter().find(|row| Some(row.0) == format) {
            return json!(text);
        }
        if schema.get("contentEncoding").is_some() {
            return json!(self.pick(&["", "aGk=", "AAECAw==", "/+8="]));
        }
        let count =
            |keyword| schema.get(keyword).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
            return json!(self.matching(pattern));
        }
        let (least, most) = (count("minLength").unwrap_or(0), count("maxLength").unwrap_or(usize::MAX));
        let mut text = self.pick(&TEXTS).to_owned();
        if self.random.one_in(3) {
            text.push_str(self.pick(&TEXTS));
        }
        let length = text.chars().count();
        let more = std::iter::repeat_n('x', least.saturating_sub(length).min(LONGEST));
        json!(text.chars().chain(more).take(most).collect::<String>())
    }

    /// A text that matches a pattern, where a common one does.
    fn matching(&mut self, pattern: &str) -> String {
        let fit = self.patterns.entry(pattern.to_owned()).or_insert_with(|| {
            let judge = validator(&json!({"type": "string", "pattern": pattern}));
            let fits = |text: &&&str| judge.as_ref().is_ok_and(|judge| judge.is_valid(&json!(text)));
            TEXTS.iter().chain(&COMMON).filter(fits).copied().collect()
        });
        self.random.pick(fit).copied().unwrap_or_default().to_owned()
    }

    fn list(&mut self, schema: &Value, depth: usize) -> Value {
        let inner = depth.saturating_sub(1);
        if let Some(Value::Array(items)) = schema.get("prefixItems") {
            return items.iter().map(|item| self.value(item, inner)).collect();
        }
        let count =
            |keyword| schema.get(keyword).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let least = count("minItems").unwrap_or(0).min(LONGEST);
        // A long list is one of parameters, so that lists of lists stay small.
        let usual = if depth + 1 == DEPTH && self.random.one_in(16) { LONG } else { 4 };
        let most = if depth == 0 { least } else { count("maxItems").unwrap_or(usual).min(usual).max(least) };
        let length = least + self.random.below(most - least + 1);
        let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..length {
            let item = match schema.get("items") {
                Some(items) => self.value(items, inner),
                None => self.anything(),
            };
            if !unique || !items.contains(&item) {
                items.push(item);
            }
        }
        items.into()
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut object = Map::new();
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if required.iter().any(|other| other == name) || (depth > 0 && self.random.one_in(2)) {
                object.insert(name.clone(), self.value(property, depth.saturating_sub(1)));
            }
        }
        if let Some(others) =
            schema.get("additionalProperties").filter(|others| others.is_object() && depth > 0)
        {
            for _ in 0..self.random.below(3) {
                let key = self.pick(&TEXTS).to_owned();
                object.entry(key).or_insert(self.value(others, depth - 1));
            }
        }
        object.into()
    }

    /// A value where nothing is said of it.
    fn anything(&mut self) -> Value {
        let values = [json!(true), json!(-5), json!(2.5), json!("text"), json!([1]), json!({"a": 1})];
        self.pick(&values)
    }
}

/// The most items and characters that a bound asks for and gets.
const LONGEST: usize = 4_096;

/// Equal, where a number is what it counts and members of `b` alone are defaults.
pub fn says_all_of(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| says_all_of(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.iter().all(|(key, a)| b.get(key).is_some_and(|b| says_all_of(a, b)))
        }
        (a, b) => a == b,
    }
}
