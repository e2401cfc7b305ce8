//! Random values of a canonical schema, from a seed: texts that a shell, a lexer or a decoder could take for something else.

use serde_json::{Map, Value, json};

/// Texts with a meaning somewhere.
const TEXTS: [&str; 36] = [
    "",
    "-",
    "--",
    "-x",
    "--limit",
    "--limit=5",
    "@x",
    "@@",
    "@",
    "a b",
    " ",
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
    "=",
    "{",
    "{}",
    "[1]",
    "null",
    "true",
    "007",
    "-5",
    "-1e3",
    "é日本😀",
    "nul\0byte",
];

/// Levels of references and containers.
const DEPTH: usize = 4;

/// A small generator of pseudo-random values (xorshift64).
pub(crate) struct Values(u64);

impl Values {
    /// The values of a seed.
    pub(crate) fn new(seed: u64) -> Values {
        Values(seed | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap_or(0)
    }

    fn pick<'p>(&mut self, from: &'p [Value]) -> &'p Value {
        &from[self.below(from.len())]
    }

    /// A value of a whole schema.
    pub(crate) fn of(&mut self, schema: &Value) -> Value {
        let definitions = schema.get("$defs").cloned().unwrap_or_default();
        self.value(schema, &definitions, DEPTH)
    }

    fn value(&mut self, schema: &Value, definitions: &Value, depth: usize) -> Value {
        if let Some(values) = schema["enum"].as_array() {
            return self.pick(values).clone();
        }
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            return self.value(&definitions[name], definitions, depth.saturating_sub(1));
        }
        if let Some(branches) = ["anyOf", "oneOf"].iter().find_map(|key| schema[*key].as_array()) {
            let branch = self.pick(branches).clone();
            return self.value(&branch, definitions, depth);
        }
        let kind = match &schema["type"] {
            Value::Array(names) => self.pick(names).clone(),
            other => other.clone(),
        };
        match kind.as_str() {
            Some("null") => Value::Null,
            Some("boolean") => json!(self.below(2) == 0),
            Some("integer") => self.integer(schema),
            Some("number") => self.number(schema),
            Some("array") => self.list(schema, definitions, depth),
            Some("object") => self.object(schema, definitions, depth),
            Some(_) => self.text(schema),
            None => self.anything(depth),
        }
    }

    fn integer(&mut self, schema: &Value) -> Value {
        let least = schema["minimum"].as_i64().unwrap_or(-1_000_000);
        let most = schema["maximum"].as_i64().unwrap_or(least.saturating_add(2_000_000)).max(least);
        match self.below(4) {
            0 => json!(least),
            1 => json!(most),
            _ => {
                let span = usize::try_from(most.saturating_sub(least)).unwrap_or(0).saturating_add(1);
                json!(least.saturating_add(i64::try_from(self.below(span)).unwrap_or(0)))
            }
        }
    }

    fn number(&mut self, schema: &Value) -> Value {
        let bounds = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        let numbers = [0.5, -1.25, 1e-9, 3.0e20, 0.1, -0.0, 7.0, -3.0];
        let number: f64 = numbers[self.below(numbers.len())];
        json!(number.max(bounds.0.unwrap_or(f64::MIN)).min(bounds.1.unwrap_or(f64::MAX)))
    }

    fn text(&mut self, schema: &Value) -> Value {
        if schema.get("contentEncoding").is_some() {
            return ["", "aGk=", "AAECAw==", "/+8="][self.below(4)].into();
        }
        let least = schema["minLength"].as_u64().unwrap_or(0);
        let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
        let mut text = TEXTS[self.below(TEXTS.len())].to_owned();
        if self.below(3) == 0 {
            text.push_str(TEXTS[self.below(TEXTS.len())]);
        }
        while (text.chars().count() as u64) < least {
            text.push('x');
        }
        text.chars().take(usize::try_from(most).unwrap_or(usize::MAX)).collect::<String>().into()
    }

    fn list(&mut self, schema: &Value, definitions: &Value, depth: usize) -> Value {
        if let Some(items) = schema["prefixItems"].as_array() {
            return items.iter().map(|item| self.value(item, definitions, depth - 1)).collect();
        }
        let least = usize::try_from(schema["minItems"].as_u64().unwrap_or(0)).unwrap_or(0);
        let most = usize::try_from(schema["maxItems"].as_u64().unwrap_or(4)).unwrap_or(4).min(4).max(least);
        let most = if depth == 0 { least } else { most };
        let count = least + self.below(most - least + 1);
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..count {
            let item = self.value(&schema["items"], definitions, depth.saturating_sub(1));
            if schema["uniqueItems"] != true || !items.contains(&item) {
                items.push(item);
            }
        }
        items.into()
    }

    fn object(&mut self, schema: &Value, definitions: &Value, depth: usize) -> Value {
        let mut object = Map::new();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let required =
                schema["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name));
            if required || self.below(2) == 0 {
                object.insert(name.clone(), self.value(property, definitions, depth.saturating_sub(1)));
            }
        }
        let free = schema["additionalProperties"].clone();
        if free.is_object() && depth > 0 {
            for _ in 0..self.below(3) {
                let key = TEXTS[self.below(TEXTS.len())].to_owned();
                object.insert(key, self.value(&free, definitions, depth - 1));
            }
        }
        object.into()
    }

    fn anything(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 4 } else { 6 }) {
            0 => json!(self.below(2) == 0),
            1 => json!(-5),
            2 => json!(2.5),
            3 => json!(TEXTS[self.below(TEXTS.len())]),
            4 => json!([self.anything(depth - 1)]),
            _ => json!({ TEXTS[self.below(TEXTS.len())]: self.anything(depth - 1) }),
        }
    }
}
