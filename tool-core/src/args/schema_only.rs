//! Taking the whole input of a tool that has a schema and no types. (arguments.md §9, registry.md §5)

use serde_json::{Map, Value};

use super::frame::Args;
use super::place::Place;
use super::shape;
use super::walk::{Role, Walk};

impl Args<'_> {
    /// Decodes every parameter by the tool's schema: the object that the call means, with defaults and, where the
    /// schema is open, with the keys that it does not name. `None` where issues were recorded.
    pub fn take_object(&mut self) -> Option<Map<String, Value>> {
        for i in 0..self.params.len() {
            self.take_value(i);
        }
        self.take_open();
        if !self.issues.is_empty() || !self.unknown.is_empty() || self.fault.is_some() {
            return None;
        }
        let object = Value::Object(self.make_normal());
        self.judge_whole(&object);
        match object {
            Value::Object(object) if self.issues.is_empty() => Some(object),
            _ => None,
        }
    }

    /// Takes the keys that an open schema does not name.
    fn take_open(&mut self) {
        let Some(shape) = self.shape() else { return };
        let root = shape.root();
        let values = match root.get("additionalProperties") {
            _ if root.get("properties").is_none() && self.params.iter().any(|param| param.flatten) => return,
            Some(Value::Bool(false)) if root.get("patternProperties").is_none() => return,
            Some(values @ Value::Object(_)) => Some(values),
            _ => None,
        };
        for (key, value) in std::mem::take(&mut self.unknown) {
            let Some(schema) = values else {
                self.open.push((key, value));
                continue;
            };
            let mut walk = Walk::new(self.around(shape, false), None);
            let read = walk.value(schema, &value, &Place::Key(&Place::Top, &key), Role::Other);
            let end = self.params.len();
            self.more += walk.found.more;
            self.issues.extend(walk.found.issues.into_iter().map(|issue| (end, issue)));
            self.notes.extend(walk.found.notes);
            self.open.push((key, read));
        }
    }

    fn judge_whole(&mut self, object: &Value) {
        if self.tool.input.is_none() {
            return;
        }
        let Ok(shape) = shape::of(self.tool) else { return };
        let mut walk = Walk::new(self.around(shape, self.params.iter().any(|param| param.secret)), None);
        shape.judge(0, object, &Place::Top, &mut walk);
        let end = self.params.len();
        self.more += walk.found.more;
        self.issues.extend(walk.found.issues.into_iter().map(|issue| (end, issue)));
    }
}
