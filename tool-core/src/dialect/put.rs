//! Adding a member to an object that is being written.

use serde_json::Value;

/// Sets a member of an object.
pub(super) fn put(object: &mut Value, key: &str, value: impl Into<Value>) {
    if let Value::Object(members) = object {
        members.insert(key.to_owned(), value.into());
    }
}
