//! Which words a value came from, so that an issue with the value can point at them.

use std::ops::Range;

/// The origin of one value.
#[derive(Clone, Debug)]
struct Origin {
    pointer: String,
    flag: String,
    words: Option<Range<usize>>,
}

/// The origins of every value of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins(Vec<Origin>);

impl Origins {
    /// Notes that the value at a pointer came from an option, `--input` or a variable.
    pub(crate) fn note(&mut self, pointer: String, flag: &str, words: Option<Range<usize>>) {
        self.0.push(Origin { pointer, flag: flag.to_owned(), words });
    }

    /// The option and words of the value at a pointer, or of the nearest value around it.
    pub(crate) fn of(&self, pointer: &str) -> Option<(&str, Option<Range<usize>>)> {
        let around = |origin: &&Origin| {
            let rest = pointer.strip_prefix(origin.pointer.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let origin = self.0.iter().filter(around).max_by_key(|origin| origin.pointer.len())?;
        Some((&origin.flag, origin.words.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_value_around_a_pointer_tells_its_origin() {
        let mut origins = Origins::default();
        origins.note("/ids".to_owned(), "--ids", None);
        origins.note("/ids/1".to_owned(), "--ids", Some(4..6));
        assert_eq!(origins.of("/ids/1").unwrap(), ("--ids", Some(4..6)));
        assert_eq!(origins.of("/ids/10").unwrap(), ("--ids", None));
        assert!(origins.of("/id").is_none());
    }
}
