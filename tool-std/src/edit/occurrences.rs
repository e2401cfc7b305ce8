//! Every place where a pattern stands in a sequence, overlapping ones included, in linear time (Knuth, Morris and Pratt).

/// The starts of a pattern, from left to right. An empty pattern stands nowhere.
#[derive(Clone, Debug)]
pub(crate) struct Occurrences<'a, T> {
    pattern: &'a [T],
    text: &'a [T],
    /// For each prefix of the pattern the length of the longest proper prefix that is also its end.
    borders: Vec<usize>,
    at: usize,
    matched: usize,
}

impl<'a, T: PartialEq> Occurrences<'a, T> {
    pub(crate) fn new(pattern: &'a [T], text: &'a [T]) -> Self {
        let mut search =
            Self { pattern, text, borders: Vec::with_capacity(pattern.len()), at: 0, matched: 0 };
        let mut border = 0;
        for (at, item) in pattern.iter().enumerate() {
            if at > 0 {
                border = search.extended(border, item);
            }
            search.borders.push(border);
        }
        search
    }

    /// How much of the pattern is matched once one more item is seen.
    fn extended(&self, mut matched: usize, item: &T) -> usize {
        while matched > 0 && self.pattern.get(matched) != Some(item) {
            matched = self.borders.get(matched - 1).copied().unwrap_or(0);
        }
        matched + usize::from(self.pattern.get(matched) == Some(item))
    }
}

impl<T: PartialEq> Iterator for Occurrences<'_, T> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while let Some(item) = self.text.get(self.at) {
            self.matched = self.extended(self.matched, item);
            self.at += 1;
            if self.matched == self.pattern.len() {
                return self.at.checked_sub(self.matched).filter(|_| self.matched > 0);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_occurrences_are_all_found() {
        let found = |pattern: &str, text: &str| -> Vec<usize> {
            Occurrences::new(pattern.as_bytes(), text.as_bytes()).collect()
        };
        assert_eq!(found("aa", "aaabaa"), [0, 1, 4]);
        assert_eq!(found("abab", "ababab"), [0, 2]);
        assert_eq!(found("aab", "aaab"), [1]);
        assert_eq!(found("x", "aaa"), [0; 0]);
        assert_eq!(found("", "aaa"), [0; 0]);
    }
}
