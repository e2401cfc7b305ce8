//! Flattened parameters: whose keys stand at the root beside the other parameters. (arguments.md §3, definition.md §7)

use serde_json::{Map, Value};

use super::coerce;
use crate::schema::form::{self, Union};

/// The keys of a flattened struct or internally tagged enum.
pub(super) struct Flat<'s> {
    tag: Option<&'s str>,
    /// Name of the case (a struct has one without) and its object.
    cases: Vec<(&'s str, &'s Value)>,
    /// Every key at the root belongs to it: a union whose cases nothing tells apart.
    open: bool,
}

impl<'s> Flat<'s> {
    pub(super) fn new(schema: &'s Value, definitions: &'s Map<String, Value>) -> Flat<'s> {
        let schema = form::resolve(schema, definitions);
        match form::union(schema, definitions) {
            Some(Union::Tagged { tag, cases }) => Flat { tag: Some(tag), cases, open: false },
            Some(_) => Flat { tag: None, cases: Vec::new(), open: true },
            None => Flat { tag: None, cases: vec![("", schema)], open: false },
        }
    }

    /// Takes the members that belong to it out of those that are left.
    ///
    /// With a usable tag these are the fields of its case; without one those of any case, because only the tag is
    /// reported then.
    pub(super) fn collect(&self, rest: &mut Vec<(String, Value)>) -> Map<String, Value> {
        if self.open {
            return rest.drain(..).collect();
        }
        let case = self.case(rest);
        let keys: Vec<&str> = self.keys_of(case).collect();
        let belongs = |(key, _): &mut (String, Value)| keys.contains(&key.as_str());
        rest.extract_if(.., belongs).collect()
    }

    /// Every key that may be given: those of the case that the members name, else of all cases.
    pub(super) fn keys<'k>(&'k self, object: &Value) -> Vec<&'s str> {
        let case = self.tag.and_then(|tag| object.get(tag)).and_then(|given| self.named(given));
        let mut keys: Vec<&str> = Vec::new();
        for key in self.keys_of(case) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    fn case(&self, members: &[(String, Value)]) -> Option<&'s Value> {
        let tag = self.tag?;
        let given = members.iter().find(|(key, _)| key == tag)?;
        self.named(&given.1)
    }

    fn named(&self, given: &Value) -> Option<&'s Value> {
        let name = coerce::choice(given.as_str()?, self.cases.iter().map(|case| case.0))?.value;
        self.cases.iter().find(|case| case.0 == name).map(|case| case.1)
    }

    fn keys_of<'k>(&'k self, case: Option<&'s Value>) -> impl Iterator<Item = &'s str> + use<'k, 's> {
        let cases = self
            .cases
            .iter()
            .map(|case| case.1)
            .filter(move |one| case.is_none_or(|case| std::ptr::eq(*one, case)));
        cases
            .filter_map(|case| case.get("properties")?.as_object())
            .flat_map(|fields| fields.keys().map(String::as_str))
    }
}
