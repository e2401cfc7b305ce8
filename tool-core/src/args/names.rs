//! Which words name a field or a case: the one authority on serde's aliases, which no schema tells. (arguments.md §4)
//!
//! Derived code hands the decoder by type every name that it takes, as one list. A list that has all names of a schema and
//! more tells the aliases; in it, serde puts a field's names side by side and sorts them. What serde buffers (cases of an
//! internally tagged enum, its own `flatten`) hands out no list: there, and where a word stands between two fields,
//! [`super::asked`] asks and the answer is kept here.

/// What derived code has asked with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Of the fields of structs.
    pub(crate) fields: Lists,
    /// Of the cases of enums.
    pub(crate) cases: Lists,
    /// What was found out by asking.
    told: Vec<Told>,
}

/// A key that serde was seen to take for a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// The pointer to the key.
    pub(crate) path: String,
    /// The field's own name.
    pub(crate) field: String,
}

/// What a key that no schema knows names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// This field.
    Field(String),
    /// One of these two fields, between which it stands in the list.
    Either(&'static str, &'static str),
    /// Nothing that is known.
    Unknown,
}

impl Names {
    /// Keeps what was found out by asking; whether it was news.
    pub(crate) fn tell(&mut self, told: Told) -> bool {
        let news = !self.told.contains(&told);
        if news {
            self.told.push(told);
        }
        news
    }

    /// The field of an object that a key of it names, given the fields' own names and the pointer to the key.
    pub(crate) fn meaning<'n>(
        &self,
        own: impl Iterator<Item = &'n str> + Clone,
        key: &str,
        path: impl FnOnce() -> String,
    ) -> Meaning {
        if !self.told.is_empty() {
            let path = path();
            if let Some(told) = self.told.iter().find(|told| told.path == path) {
                return Meaning::Field(told.field.clone());
            }
        }
        match self.fields.aliased(own, key).as_slice() {
            [] => Meaning::Unknown,
            [field] => Meaning::Field((*field).to_owned()),
            [before, after, ..] => Meaning::Either(before, after),
        }
    }
}

/// Lists of names, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists(Vec<&'static [&'static str]>);

impl Lists {
    /// Keeps a list.
    pub(crate) fn learn(&mut self, names: &'static [&'static str]) {
        if !self.0.contains(&names) {
            self.0.push(names);
        }
    }

    /// Whether a name is an alias of one of the names that the schema knows.
    pub(crate) fn has_alias<'n>(&self, own: impl Iterator<Item = &'n str> + Clone, name: &str) -> bool {
        own.clone().all(|one| one != name) && self.list(own, name).is_some()
    }

    /// The names that another may be an alias of, given those that the schema knows: one, or the two between which it
    /// stands in the list.
    pub(crate) fn aliased<'n>(
        &self,
        own: impl Iterator<Item = &'n str> + Clone,
        key: &str,
    ) -> Vec<&'static str> {
        let list = self.list(own.clone(), key).unwrap_or_default();
        let own: Vec<&'n str> = own.collect();
        let at = list.iter().position(|name| *name == key).unwrap_or(0);
        let before = own_beside(list.get(..=at).unwrap_or_default().iter().rev(), &own, |a, b| a >= b);
        let after = own_beside(list.get(at..).unwrap_or_default().iter(), &own, |a, b| a <= b);
        before.into_iter().chain(after).collect()
    }

    /// Every alias of the fields that a list tells, each behind the field it leads to.
    pub(crate) fn aliases<'n>(
        &self,
        own: impl Iterator<Item = &'n str> + Clone,
    ) -> Vec<(&'static str, &'static str)> {
        let has_all = |list: &&&[&str]| own.clone().all(|name| list.contains(&name));
        let list = self.0.iter().filter(has_all).min_by_key(|list| list.len()).copied().unwrap_or_default();
        let others = list.iter().copied().filter(|word| own.clone().all(|name| name != *word));
        others
            .flat_map(|word| self.aliased(own.clone(), word).into_iter().map(move |field| (field, word)))
            .collect()
    }

    /// The list that has all these names and another one.
    fn list<'n>(
        &self,
        own: impl Iterator<Item = &'n str> + Clone,
        other: &str,
    ) -> Option<&'static [&'static str]> {
        let has_all = |list: &&&'static [&'static str]| {
            list.contains(&other) && own.clone().all(|name| list.contains(&name))
        };
        self.0.iter().filter(has_all).min_by_key(|list| list.len()).copied()
    }
}

/// The nearest name of the schema on one side, if the names up to it are sorted.
fn own_beside(
    names: impl Iterator<Item = &'static &'static str>,
    own: &[&str],
    sorted: fn(&str, &str) -> bool,
) -> Option<&'static str> {
    let mut previous: Option<&str> = None;
    for name in names {
        if previous.is_some_and(|previous| !sorted(previous, name)) {
            return None;
        }
        if own.contains(name) {
            return Some(name);
        }
        previous = Some(name);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[&str] = &["file", "path", "limit", "max", "zone"];

    fn fields_of(own: &[&'static str], key: &str) -> Vec<&'static str> {
        let mut names = Lists::default();
        names.learn(&["other"]);
        names.learn(FIELDS);
        names.aliased(own.iter().copied(), key)
    }

    #[test]
    fn an_alias_stands_beside_its_field_in_alphabetical_order() {
        assert_eq!(fields_of(&["path", "limit", "zone"], "file"), ["path"]);
        assert_eq!(fields_of(&["path", "limit", "zone"], "max"), ["limit", "zone"]);
        assert_eq!(fields_of(&["path", "max", "zone"], "limit"), ["max"]);
    }

    #[test]
    fn names_of_another_type_are_no_aliases() {
        assert!(fields_of(&["path", "size"], "file").is_empty());
        assert!(fields_of(&["path", "limit"], "fille").is_empty());
    }
}
