//! Asking serde which field a key names, where nothing else tells. (arguments.md §4)
//!
//! Derived code refuses a field that comes twice, and says which. An object with a field under its own name and the key
//! beside it, both with a value that the field takes, is thus refused exactly where the key is another word for that
//! field. It works for everything that serde derives, buffered or not, but not inside untagged enums: they swallow what
//! their alternatives say.

use serde_json::{Map, Value};

use super::coercion::Coerce;
use super::decode::Given;
use super::measure::measure;
use super::names::{Meaning, Names, Told};
use super::pointer::push_key;
use super::sample::sample;
use super::shape::Shape;
use super::typed::Typed;
use super::walk::{Role, Walk, is_required};

/// The most questions about one value: each decodes a small object.
const MOST_QUESTIONS: usize = 300;

/// The most bytes of a value to ask with: what is longer is told from a made-up one.
const MOST_BYTES: usize = 1_024;

/// How many levels of aliases are looked through: what one leads to is only known once it is known as one.
pub(super) const MOST_LEVELS: usize = 8;

/// The most items, and texts, that are kept beside an object on the way to it, and the most bytes of such a text: a tag is short,
/// and so is a tuple.
const MOST_BESIDE: usize = 32;

/// An object with keys that its schema does not know.
#[derive(Clone, Debug)]
pub(crate) struct Strangers {
    /// The pointer to the object.
    pub(crate) object: String,
    /// Tag and case, where the object is that of an internally tagged enum.
    pub(crate) tag: Option<(String, String)>,
    /// Its schema.
    pub(crate) schema: Value,
    /// The keys with what came under them.
    pub(crate) keys: Vec<(String, Value)>,
}

impl Strangers {
    /// The pointer to one of the keys.
    pub(crate) fn path(&self, key: &str) -> String {
        let mut path = self.object.clone();
        push_key(&mut path, key);
        path
    }

    fn fields(&self) -> impl Iterator<Item = (&str, &Value)> + Clone {
        let fields = self.schema.get("properties").and_then(Value::as_object);
        fields.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
    }
}

/// One look at what serde takes, with what is left of the questions.
pub(super) struct Asking<'q, 'g, 'a> {
    given: &'q Given<'g, 'a>,
    shape: Shape<'a>,
    reading: &'q dyn Typed,
    left: usize,
}

impl<'q, 'g, 'a> Asking<'q, 'g, 'a> {
    pub(super) fn new(
        given: &'q Given<'g, 'a>,
        shape: Shape<'a>,
        reading: &'q dyn Typed,
    ) -> Asking<'q, 'g, 'a> {
        Asking { given, shape, reading, left: MOST_QUESTIONS }
    }

    /// The fields that the keys of an object name: at once where a list tells, else by asking.
    pub(super) fn told(&mut self, strangers: &Strangers, names: &Names) -> Vec<Told> {
        let own = || strangers.fields().map(|(name, _)| name);
        let mut told = Vec::new();
        for (key, value) in &strangers.keys {
            let path = strangers.path(key);
            // A pointer that was cut may be that of another object.
            if path.contains('…') {
                continue;
            }
            let came = Some(value).filter(|value| measure(value, MOST_BYTES).is_ok());
            let asked = |field: &&str| self.names(strangers, field, key, came);
            let field = match names.meaning(own(), key, || path.clone()) {
                Meaning::Field(field) => Some(field),
                Meaning::Either(before, after) => [before, after].into_iter().find(asked).map(str::to_owned),
                Meaning::Unknown => own().find(asked).map(str::to_owned),
            };
            told.extend(field.map(|field| Told { path, field }));
        }
        told
    }

    /// Whether a key is another word for a field, seen with the value that came or else with one that was made up.
    fn names(&mut self, strangers: &Strangers, field: &str, key: &str, came: Option<&Value>) -> bool {
        if self.left == 0 || strangers.tag.as_ref().is_some_and(|(tag, _)| tag == field) {
            return false;
        }
        let Some((_, schema)) = strangers.fields().find(|(name, _)| *name == field) else { return false };
        let read = came.and_then(|came| {
            let mut walk = Walk::new(self.given.around(self.shape)).in_mode(Coerce::Lenient);
            let read = walk.value(schema, came, self.given.place, Role::Other);
            walk.found.is_clean().then_some(read)
        });
        let made = sample(schema, self.shape.definitions());
        read.into_iter().chain([made]).any(|value| self.are_one(strangers, field, key, &value))
    }

    fn are_one(&mut self, strangers: &Strangers, field: &str, key: &str, value: &Value) -> bool {
        let mut object = Map::new();
        if let Some((tag, case)) = &strangers.tag {
            object.insert(tag.clone(), Value::from(case.as_str()));
        }
        object.insert(field.to_owned(), value.clone());
        object.insert(key.to_owned(), value.clone());
        // Where serde flattens a struct, what is missing beside it is told first.
        for (name, schema) in strangers.fields().filter(|(name, _)| is_required(&strangers.schema, name)) {
            object.entry(name).or_insert_with(|| sample(schema, self.shape.definitions()));
        }
        let place = self.given.place.pointer();
        let Some(pointer) = strangers.object.strip_prefix(&place) else { return false };
        let object = Value::Object(object);
        // What stands around may be wrong itself, or be a tag that is needed.
        [Around::Nothing, Around::Texts, Around::Items].into_iter().any(|around| {
            if self.left == 0 || (pointer.is_empty() && around != Around::Nothing) {
                return false;
            }
            self.left -= 1;
            let asked = around.replaced(self.given.value, pointer, &object);
            self.given
                .asked(&asked, self.reading)
                .err()
                .is_some_and(|refusal| refusal.field_twice() == Some(field))
        })
    }
}

/// What is kept around an object that takes the place of another one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    /// The texts beside it on its way: tags among them.
    Texts,
    /// The items before it, too: they may be those of a tuple.
    Items,
}

impl Around {
    /// A value that has an object at a pointer and little else.
    fn replaced(self, value: &Value, pointer: &str, object: &Value) -> Value {
        let Some(rest) = pointer.strip_prefix('/') else { return object.clone() };
        let (token, below) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let key = token.replace("~1", "/").replace("~0", "~");
        match value {
            Value::Object(members) => {
                let inside =
                    members.get(&key).map_or(Value::Null, |value| self.replaced(value, below, object));
                // First, so that nothing beside it is read, and refused, before.
                let inside = std::iter::once((key.clone(), inside));
                let beside = members.iter().filter(|(name, value)| **name != key && self.keeps(value));
                let beside = beside.take(MOST_BESIDE).map(|(name, value)| (name.clone(), value.clone()));
                Value::Object(inside.chain(beside).collect())
            }
            Value::Array(items) => {
                let at = key.parse().unwrap_or(0);
                let inside = items.get(at).map_or(Value::Null, |item| self.replaced(item, below, object));
                let before = items.iter().take(at).filter(|_| self == Around::Items && at <= MOST_BESIDE);
                Value::Array(before.cloned().chain([inside]).collect())
            }
            // JSON text is opened on the way.
            Value::String(text) => match serde_json::from_str::<Value>(text) {
                Ok(opened @ (Value::Object(_) | Value::Array(_))) => self.replaced(&opened, pointer, object),
                _ => Value::Null,
            },
            other => other.clone(),
        }
    }

    fn keeps(self, value: &Value) -> bool {
        self != Around::Nothing && value.as_str().is_some_and(|text| text.len() <= MOST_BESIDE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_takes_the_place_of_another_one_with_little_around_it() {
        let value = json!({"a": 1, "kind": "k", "of~": [true, {"deep": "{\"x\": {\"y\": 2}, \"z\": 3}"}]});
        let replaced = |around: Around| around.replaced(&value, "/of~0/1/deep/x", &json!({"new": 0}));
        let deep = json!({"deep": {"x": {"new": 0}}});
        assert_eq!(replaced(Around::Nothing), json!({"of~": [deep]}));
        assert_eq!(replaced(Around::Texts), json!({"of~": [deep], "kind": "k"}));
        assert_eq!(replaced(Around::Items), json!({"of~": [true, deep], "kind": "k"}));
        assert_eq!(Around::Nothing.replaced(&value, "", &json!({"new": 0})), json!({"new": 0}));
    }

    #[test]
    fn items_before_an_object_are_kept_up_to_the_most_of_them() {
        for (before, kept) in [(MOST_BESIDE, MOST_BESIDE), (MOST_BESIDE + 1, 0)] {
            let items: Value = (0..=before).map(|i| json!({"i": i})).collect();
            let replaced = Around::Items.replaced(&items, &format!("/{before}"), &json!({"new": 0}));
            assert_eq!(replaced.as_array().unwrap().len(), kept + 1);
            assert_eq!(replaced[kept], json!({"new": 0}));
        }
    }
}
