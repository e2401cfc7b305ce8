//! JSON of any kind, and values damaged anywhere, from a seed: what decoders and dialects must refuse without a panic.
//!
//! What is expected of a damaged value is not known here. [`mutate`](super::mutate) makes faults of which it is.

use serde_json::{Map, Value, json};

use crate::schema::Random;

/// Texts that look like something else.
const TEXTS: [&str; 16] =
    ["", " ", "a", "B", "5", "-1", "1.5", "1e3", "true", "null", "[1]", "{\"a\":1}", "é😀", "a,b", "[", "{"];

/// Keys that types in tests have, or nearly have.
const KEYS: [&str; 8] = ["a", "b", "kind", "w", "insert", "replace", "x", "A"];

/// Whole doubles, and some that are none.
const DOUBLES: [f64; 7] = [1.0, -0.0, 2.5, 1e16, 1e39, 255.0, 9_007_199_254_740_992.0];

/// Integers at the edges of types.
const INTEGERS: [u64; 3] = [u64::MAX, 9_007_199_254_740_993, 4_294_967_296];

/// A source of damage, the same for the same seed.
///
/// ```
/// use serde_json::json;
/// use tool_core::test::Damage;
///
/// let mut value = json!({"path": "a.txt", "limit": 5});
/// Damage::new(7).damage(&mut value);
/// assert_ne!(value, json!({"path": "a.txt", "limit": 5}));
/// ```
#[derive(Clone, Debug)]
pub struct Damage(Random);

impl Damage {
    /// The damage of a seed.
    pub fn new(seed: u64) -> Damage {
        Damage(Random::new(seed))
    }

    /// What it draws from.
    pub fn random(&mut self) -> &mut Random {
        &mut self.0
    }

    /// A text that looks like something else.
    pub fn text(&mut self) -> String {
        self.pick(&TEXTS).to_owned()
    }

    /// Any JSON of bounded depth.
    pub fn json(&mut self, depth: usize) -> Value {
        match self.0.below(if depth == 0 { 6 } else { 8 }) {
            0 => Value::Null,
            1 => json!(self.0.one_in(2)),
            2 => json!(self.0.between(-300, 300)),
            3 => json!(self.pick(&DOUBLES)),
            4 => json!(self.pick(&INTEGERS)),
            5 => json!(self.text()),
            6 => (0..self.0.below(4)).map(|_| self.json(depth - 1)).collect(),
            _ => {
                let member = |damage: &mut Damage| {
                    let key = damage.pick(&KEYS).to_owned();
                    (key, damage.json(depth - 1))
                };
                Value::Object((0..self.0.below(4)).map(|_| member(self)).collect())
            }
        }
    }

    /// Damages a value in one to three places.
    pub fn damage(&mut self, value: &mut Value) {
        for _ in 0..=self.0.below(3) {
            self.damage_once(value);
        }
    }

    fn damage_once(&mut self, value: &mut Value) {
        let whole = self.0.one_in(3);
        match value {
            Value::Array(items) if !items.is_empty() && !whole => {
                let at = self.0.below(items.len());
                if let Some(item) = items.get_mut(at) {
                    self.damage_once(item);
                }
            }
            Value::Object(members) if !members.is_empty() && !whole => {
                let keys: Vec<String> = members.keys().cloned().collect();
                let key = self.pick(&keys);
                self.damage_member(members, &key);
            }
            other => self.replace(other),
        }
    }

    fn damage_member(&mut self, members: &mut Map<String, Value>, key: &str) {
        let mut taken = || members.shift_remove(key).unwrap_or_default();
        match self.0.below(6) {
            0 => drop(taken()),
            1 => {
                let value = taken();
                members.insert(key.to_uppercase(), value);
            }
            2 => {
                let extra = self.json(1);
                members.insert(format!("{key}x"), extra);
            }
            3 => {
                // The same members, this one last.
                let value = taken();
                members.insert(key.to_owned(), value);
            }
            _ => {
                if let Some(value) = members.get_mut(key) {
                    self.damage_once(value);
                }
            }
        }
    }

    fn replace(&mut self, value: &mut Value) {
        *value = match (self.0.below(9), value.clone()) {
            (0, _) => Value::Null,
            (1, Value::String(text)) => json!(text.to_uppercase()),
            (1 | 2, other) => json!(other.to_string()),
            (3, other) => json!([other]),
            (4, Value::Number(number)) => json!(number.as_f64()),
            (5, other) => json!({ "value": other }),
            (6, Value::String(text)) => json!(format!(" {text} ")),
            _ => self.json(2),
        };
    }

    fn pick<T: Clone + Default>(&mut self, from: &[T]) -> T {
        self.0.pick(from).cloned().unwrap_or_default()
    }
}
