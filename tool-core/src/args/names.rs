//! Names that a schema does not tell: serde aliases of fields and cases, learnt while the decoder by type runs.
//!
//! Derived code hands the decoder every name that it takes. A list that has all names of a schema and more tells the
//! aliases. In it, serde puts a field's names side by side and sorts them. (arguments.md §4)

/// What derived code has asked with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Of the fields of structs.
    pub(crate) fields: Lists,
    /// Of the cases of enums.
    pub(crate) cases: Lists,
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

    /// Whether nothing was learnt.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a name is an alias of one of the names that the schema knows.
    pub(crate) fn has_alias<'n>(&self, own: impl Iterator<Item = &'n str> + Clone, name: &str) -> bool {
        !self.is_empty() && own.clone().all(|one| one != name) && self.list(own, name).is_some()
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
