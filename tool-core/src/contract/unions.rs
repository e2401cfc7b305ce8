//! The branches of a union, each under what tells it from the others: its tag, its only key, its values or its type.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::canonical;

/// The branches of a schema that is a union.
pub(super) fn branches(schema: &Value) -> Option<Vec<&Value>> {
    let list = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    Some(list.iter().collect())
}

/// The values that a schema lists.
pub(super) fn listed(schema: &Value) -> Option<impl Iterator<Item = &Value>> {
    let list = schema.get("enum").and_then(Value::as_array);
    let one = schema.get("const").filter(|_| list.is_none());
    (list.is_some() || one.is_some()).then(|| list.into_iter().flatten().chain(one))
}

/// The values that a schema lists, as a set.
pub(super) fn values(schema: &Value) -> Option<BTreeSet<String>> {
    Some(listed(schema)?.map(canonical::text).collect())
}

/// The properties that an object must have.
pub(super) fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The branches of one union by what tells them apart.
pub(super) struct Branches<'a> {
    named: BTreeMap<String, &'a Value>,
    /// The values of all branches that only list values.
    units: Option<BTreeSet<String>>,
}

impl<'a> Branches<'a> {
    /// Sorts branches, each as it stands and with its references followed.
    pub(super) fn of(branches: impl Iterator<Item = (&'a Value, &'a Value)>) -> Branches<'a> {
        let mut sorted = Branches { named: BTreeMap::new(), units: None };
        for (branch, followed) in branches {
            match values(followed) {
                Some(values) => sorted.units.get_or_insert_default().extend(values),
                None => {
                    let key = key(followed);
                    // What nothing tells apart is told apart by all of it.
                    let key = if sorted.named.contains_key(&key) { canonical::text(branch) } else { key };
                    sorted.named.insert(key, branch);
                }
            }
        }
        sorted
    }

    /// Takes the key of the one branch that another union has besides these for the one that is left here, unless both are told
    /// by a tag or a sole key: what is told by its properties or type alone is told otherwise when they change.
    pub(super) fn follow(&mut self, other: &Branches<'_>) {
        let left = |one: &Branches<'_>, two: &Branches<'_>| {
            let mut left = one.keys().filter(|key| !two.named.contains_key(*key)).cloned();
            left.next().filter(|_| left.next().is_none())
        };
        if let (Some(old), Some(new)) = (left(self, other), left(other, self))
            && !(is_told(&old) && is_told(&new))
            && let Some(branch) = self.named.remove(&old)
        {
            self.named.insert(new, branch);
        }
    }

    /// What tells the branches apart that do more than list values.
    pub(super) fn keys(&self) -> impl Iterator<Item = &String> {
        self.named.keys()
    }

    /// The branch of a key.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.named.get(key).copied()
    }

    /// Whether there is a branch that another union has nothing for.
    pub(super) fn has_more_than(&self, other: &Branches<'_>) -> bool {
        let listed = self.units.is_some() && other.units.is_none();
        listed || self.keys().any(|key| !other.named.contains_key(key))
    }

    /// The values of the branches that only list values.
    pub(super) fn units(&self) -> Option<&BTreeSet<String>> {
        self.units.as_ref()
    }
}

fn key(branch: &Value) -> String {
    let properties = branch.get("properties").and_then(Value::as_object);
    let Some(properties) = properties else {
        return match branch.get("type") {
            Some(name) => canonical::text(name),
            None => canonical::text(branch),
        };
    };
    let tag = properties.iter().find_map(|(name, schema)| {
        let constant = schema.get("const").filter(|_| required(branch).any(|required| required == name))?;
        Some(format!("{name}={}", canonical::text(constant)))
    });
    let sole = || {
        let mut required = required(branch);
        let only = required.next()?;
        required.next().is_none().then(|| format!("{only}:"))
    };
    let names = || required(branch).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ");
    tag.or_else(sole).unwrap_or_else(|| format!("object {}", names()))
}

/// Whether a key is a tag or a sole key.
fn is_told(key: &str) -> bool {
    !key.starts_with("object ") && (key.contains('=') || key.ends_with(':'))
}
