//! Random values of types of the type language, and random damage to values, from a seed that is printed.

use serde_json::{Map, Value, json};
use tool_core::test::Damage;

/// A source of values and of damage to them.
pub(crate) struct Random(Damage);

impl Random {
    /// The values of a seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random(Damage::new(seed))
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.random().below(end)
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.0.random().one_in(chances)
    }

    fn pick<'p, T>(&mut self, from: &'p [T]) -> &'p T {
        self.0.random().pick(from).expect("something to pick from")
    }

    /// Any JSON of bounded depth.
    pub(crate) fn json(&mut self, depth: usize) -> Value {
        self.0.json(depth)
    }

    /// Damages a value in one to three places.
    pub(crate) fn damage(&mut self, value: &mut Value) {
        self.0.damage(value);
    }

    fn text(&mut self) -> String {
        self.0.text()
    }

    fn integer(&mut self, least: i64, greatest: i64) -> i64 {
        if self.one_in(4) { least.max(0).min(greatest) } else { self.0.random().between(least, greatest) }
    }

    fn double(&mut self) -> f64 {
        *self.pick(&[0.5, -1.25, 1e-9, 3.0e20, -7.5, 0.1, 123_456.75])
    }

    /// A value of a type; none for a field left out.
    pub(crate) fn value(&mut self, kind: &Value, whole: &Value, depth: usize) -> Option<Value> {
        let parts = kind.as_array().map_or(&[][..], Vec::as_slice);
        let name = kind.as_str().or_else(|| kind[0].as_str()).expect("a type has a name");
        let many = |random: &mut Random| if depth == 0 { 0 } else { random.below(4) };
        Some(match name {
            "bool" => json!(self.one_in(2)),
            "i8" => json!(self.integer(i8::MIN.into(), i8::MAX.into())),
            "i16" => json!(self.integer(i16::MIN.into(), i16::MAX.into())),
            "i32" => json!(self.integer(i32::MIN.into(), i32::MAX.into())),
            "i64" => json!(self.integer(i64::MIN, i64::MAX)),
            "u8" => json!(self.integer(0, u8::MAX.into())),
            "u16" => json!(self.integer(0, u16::MAX.into())),
            "u32" => json!(self.integer(0, u32::MAX.into())),
            "u64" => json!(self.0.random().number()),
            "f32" | "f64" => match self.one_in(2) {
                true => json!(self.double()),
                false => json!(self.integer(-1000, 1000)),
            },
            "string" => json!(self.text()),
            "char" => json!(*self.pick(&["a", "é", "😀", " "])),
            "any" => match self.json(depth.min(2)) {
                Value::Null => json!(0),
                other => other,
            },
            "option" if self.one_in(3) => return None,
            "option" => return self.value(&parts[1], whole, depth),
            "list" | "set" => {
                let mut items: Vec<Value> = Vec::new();
                for _ in 0..many(self) {
                    let item = self.value(&parts[1], whole, depth - 1).unwrap_or(Value::Null);
                    if name == "list" || !items.contains(&item) {
                        items.push(item);
                    }
                }
                Value::Array(items)
            }
            "tuple" => {
                let item = |kind| self.value(kind, whole, depth.saturating_sub(1)).unwrap_or(Value::Null);
                parts[1..].iter().map(item).collect()
            }
            "array" => {
                let count = parts[1].as_u64().expect("a count");
                (0..count)
                    .map(|_| self.value(&parts[2], whole, depth.saturating_sub(1)).unwrap_or(Value::Null))
                    .collect()
            }
            "map" => {
                let mut map = Map::new();
                for _ in 0..many(self) {
                    let key = self.text();
                    map.insert(key, self.value(&parts[1], whole, depth - 1).unwrap_or(Value::Null));
                }
                Value::Object(map)
            }
            "enum" => self.pick(&parts[1..]).clone(),
            "enum_doc" => {
                let cases: Vec<&String> = parts[1].as_object().expect("cases").keys().collect();
                json!(self.pick(&cases))
            }
            "struct" => Value::Object(self.fields(&parts[1], whole, depth)),
            "tagged" => {
                let cases: Vec<(&String, &Value)> = parts[2].as_object().expect("cases").iter().collect();
                let (case, fields) = *self.pick(&cases);
                let mut object =
                    Map::from_iter([(parts[1].as_str().expect("a tag").to_owned(), json!(case))]);
                object.extend(self.fields(fields, whole, depth));
                Value::Object(object)
            }
            "external" => {
                let cases: Vec<(&String, &Value)> = parts[1].as_object().expect("cases").iter().collect();
                let (case, content) = *self.pick(&cases);
                match content {
                    Value::Null => json!(case),
                    Value::Object(_) => json!({case: self.fields(content, whole, depth)}),
                    kind => json!({case: self.value(kind, whole, depth.saturating_sub(1))}),
                }
            }
            "untagged" => {
                let kind = self.pick(&parts[1..]).clone();
                return self.value(&kind, whole, depth);
            }
            "rec" => return self.value(&parts[2], whole, depth),
            "self" => {
                let kind = whole[2].clone();
                return self.value(&kind, whole, depth.saturating_sub(1));
            }
            other => panic!("unknown type {other}"),
        })
    }

    fn fields(&mut self, fields: &Value, whole: &Value, depth: usize) -> Map<String, Value> {
        let mut object = Map::new();
        for (field, kind) in fields.as_object().expect("fields") {
            let left_out = field.ends_with('?') && self.one_in(2);
            if !left_out && let Some(value) = self.value(kind, whole, depth.saturating_sub(1)) {
                object.insert(field.trim_end_matches('?').to_owned(), value);
            }
        }
        object
    }
}
