//! Objects: keys that are gone, keys that nobody knows, tags.

use serde_json::{Map, Value, json};

use super::{Expected, MutationKind, Place, Role, Walk};
use crate::args::IssueCode;

/// A name that is near none.
const FAR: &str = "zzz_far_from_all";

/// A tag of no case.
const NO_CASE: &str = "zzz_no_case";

impl<'a> Walk<'a> {
    /// The members of an object; the tag of a case is no member like others.
    pub(super) fn members(&mut self, place: &Place<'a>, tag: Option<&str>) {
        let Some(members) = place.value.as_object() else { return };
        let none = Map::new();
        let properties = place.schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required = place.schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let required = |name: &str| required.iter().any(|other| other == name);
        for (name, value) in members.iter().filter(|(name, _)| Some(name.as_str()) != tag) {
            match place.schema.get("properties").and_then(|all| all.get(name)) {
                Some(schema) => {
                    if required(name) {
                        let (path, expected) = (place.at(name), Expected::Refused(IssueCode::Missing));
                        self.put_telling(
                            MutationKind::Dropped,
                            place,
                            without(members, name),
                            path,
                            expected,
                        );
                    }
                    let role = if required(name) { Role::Member } else { Role::Optional };
                    self.visit(&place.below(name, schema, value, role));
                }
                None => {
                    let others = place.schema.get("additionalProperties");
                    if let Some(schema) = others.filter(|schema| schema.is_object()) {
                        self.visit(&place.below(name, schema, value, Role::Member));
                    }
                }
            }
        }
        let closed = place.schema.get("additionalProperties") == Some(&Value::Bool(false));
        if closed && !place.has("patternProperties") {
            let near = properties.keys().next().map(|name| format!("{name}x"));
            for name in near.into_iter().chain([FAR.to_owned()]) {
                if properties.contains_key(&name) {
                    continue;
                }
                let mut more = members.clone();
                more.insert(name.clone(), json!(1));
                let (path, expected) = (place.at(&name), Expected::Refused(IssueCode::Unknown));
                self.put_telling(MutationKind::Added, place, Value::Object(more), path, expected);
            }
        }
    }

    /// A tag that is gone, and one of no case.
    pub(super) fn tag<'c>(&mut self, place: &Place<'a>, tag: &str, mut cases: impl Iterator<Item = &'c str>) {
        let Some(members) = place.value.as_object() else { return };
        let path = place.at(tag);
        let gone = Expected::Refused(IssueCode::Missing);
        self.put_telling(MutationKind::Tag, place, without(members, tag), path.clone(), gone);
        if cases.all(|case| case != NO_CASE) {
            let mut other = members.clone();
            other.insert(tag.to_owned(), json!(NO_CASE));
            let expected = Expected::Refused(IssueCode::Choice);
            self.put_telling(MutationKind::Tag, place, Value::Object(other), path, expected);
        }
    }
}

fn without(members: &Map<String, Value>, name: &str) -> Value {
    let mut rest = members.clone();
    rest.shift_remove(name);
    Value::Object(rest)
}
