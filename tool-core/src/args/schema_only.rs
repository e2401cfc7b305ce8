//! Taking the whole input of a tool that has a schema and no types. (arguments.md §9, registry.md §5)

use serde_json::{Map, Value};

use super::frame::Args;
use super::place::Place;
use super::shape;
use super::walk::{Found, Role, Walk};
use super::whole::Whole;

impl Args<'_> {
    /// Decodes every parameter by the tool's schema: the object that the call means, with defaults and, where the
    /// schema is open, with the keys that it does not name. `None` where issues were recorded.
    pub fn take_object(&mut self) -> Option<Map<String, Value>> {
        self.whole()?.take_object()
    }
}

impl Whole<'_> {
    fn take_object(&mut self) -> Option<Map<String, Value>> {
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
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Takes the keys that an open schema does not name.
    fn take_open(&mut self) {
        let Some(shape) = self.shape() else { return };
        let root = shape.root();
        if root.get("properties").is_none() && self.params.iter().any(|param| param.keys.flatten) {
            return;
        }
        let others = root.get("additionalProperties");
        for (key, value) in std::mem::take(&mut self.unknown) {
            let schema = match shape.patterns().values_of(root, &key).or(others) {
                Some(Value::Bool(false)) => {
                    self.unknown.push((key, value));
                    continue;
                }
                None | Some(Value::Bool(true)) => {
                    self.open.push((key, value));
                    continue;
                }
                Some(schema) => schema,
            };
            let mut walk = Walk::new(self.around(shape, false));
            let read = walk.value(schema, &value, &Place::Key(&Place::Top, &key), Role::Other);
            self.notes.extend(std::mem::take(&mut walk.found.notes));
            self.record(self.params.len(), walk.found);
            self.open.push((key, read));
        }
    }

    fn judge_whole(&mut self, object: &Value) {
        let Ok(shape) = shape::of(self.tool) else { return };
        let found = shape.judge_whole(object, self.params.iter().any(|param| param.keys.secret));
        self.record(self.params.len(), found);
    }

    /// Keeps what was found about a parameter, or behind the last one about the rest.
    pub(super) fn record(&mut self, i: usize, found: Found) {
        self.more += found.more;
        self.issues.extend(found.issues.into_iter().map(|issue| (i, issue)));
    }
}
