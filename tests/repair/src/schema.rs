//! A schema as a model reads it: what stands at a place, whoever wrote it down.

use serde_json::{Map, Value};

/// A schema inside the one of a tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema<'a> {
    root: &'a Value,
    here: &'a Value,
}

impl<'a> Schema<'a> {
    pub(crate) fn of(root: &'a Value) -> Schema<'a> {
        Schema { root, here: root }
    }

    fn at(self, here: &'a Value) -> Schema<'a> {
        let mut here = here;
        while let Some(target) = here.get("$ref").and_then(Value::as_str)
            && let Some(found) = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer))
        {
            here = found;
        }
        Schema { root: self.root, here }
    }

    /// The alternatives that are not null; itself where there are none.
    pub(crate) fn cases(self) -> Vec<Schema<'a>> {
        let unions = ["anyOf", "oneOf"].iter().filter_map(|keyword| self.here.get(keyword)?.as_array());
        let cases: Vec<Schema<'a>> = unions.flatten().map(|case| self.at(case)).collect();
        match cases.is_empty() {
            true => vec![self],
            false => cases.into_iter().filter(|case| !case.is("null")).flat_map(Schema::cases).collect(),
        }
    }

    fn types(self) -> Vec<&'a str> {
        match self.here.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if self.here.get("properties").is_some() => vec!["object"],
            _ => Vec::new(),
        }
    }

    /// Whether only this type may stand there, null left aside.
    fn is(self, name: &str) -> bool {
        let types = self.types();
        types.contains(&name) && types.iter().all(|one| *one == name || *one == "null")
    }

    /// Whether this type is wanted there, in any case.
    pub(crate) fn wants(self, name: &str) -> bool {
        self.cases().iter().any(|case| case.is(name))
    }

    /// The names of the members, in all cases.
    pub(crate) fn names(self) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        for case in [self].into_iter().chain(self.cases()) {
            let properties = case.here.get("properties").and_then(Value::as_object);
            for name in properties.into_iter().flat_map(Map::keys) {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// The member of a name, or the values of a map.
    pub(crate) fn member(self, name: &str) -> Option<Schema<'a>> {
        let found = |case: Schema<'a>| {
            let property = case.here.get("properties").and_then(|properties| properties.get(name));
            let property = property.or_else(|| case.here.get("additionalProperties"));
            Some(case.at(property.filter(|schema| schema.is_object())?))
        };
        found(self).or_else(|| self.cases().into_iter().find_map(found))
    }

    /// The members of a name, one per case.
    pub(crate) fn members(self, name: &str) -> Vec<Schema<'a>> {
        let of_case = |case: Schema<'a>| {
            let property = case.here.get("properties").and_then(|properties| properties.get(name))?;
            Some(case.at(property))
        };
        of_case(self).into_iter().chain(self.cases().into_iter().filter_map(of_case)).collect()
    }

    /// The items of a list; of a tuple that of the position.
    pub(crate) fn item(self, position: usize) -> Option<Schema<'a>> {
        self.cases().into_iter().find_map(|case| {
            let of_tuple = case.here.get("prefixItems").and_then(|items| items.get(position));
            Some(case.at(of_tuple.or_else(|| case.here.get("items"))?))
        })
    }

    pub(crate) fn is_required(self, name: &str) -> bool {
        let required = |case: &Schema<'a>| case.here.get("required").and_then(Value::as_array);
        let names =
            |case: Schema<'a>| required(&case).is_some_and(|names| names.iter().any(|one| one == name));
        names(self) || self.cases().into_iter().any(names)
    }

    /// The texts of a closed list.
    pub(crate) fn choices(self) -> Vec<&'a str> {
        let of = |case: Schema<'a>| -> Vec<&'a str> {
            match (case.here.get("const"), case.here.get("enum").and_then(Value::as_array)) {
                (Some(one), _) => one.as_str().into_iter().collect(),
                (None, Some(all)) => all.iter().filter_map(Value::as_str).collect(),
                (None, None) => Vec::new(),
            }
        };
        self.cases().into_iter().flat_map(of).collect()
    }

    /// A bound of a number.
    pub(crate) fn bound(self, keyword: &str) -> Option<f64> {
        self.cases().into_iter().find_map(|case| case.here.get(keyword)?.as_f64())
    }

    /// Whether a value is of a type that may stand there.
    pub(crate) fn takes(self, value: &Value) -> bool {
        let takes = |case: &Schema<'a>| {
            let types = case.types();
            let choices = case.choices();
            let listed = choices.is_empty() || value.as_str().is_none_or(|text| choices.contains(&text));
            listed && (types.is_empty() || types.iter().any(|name| is_of(value, name)))
        };
        match value {
            Value::Null => self.here.get("type").is_some_and(|types| types.to_string().contains("null")),
            _ => self.cases().iter().any(takes),
        }
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}
