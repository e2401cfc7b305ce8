//! What a misspelt word may have been meant to be.

/// The most letters that may differ.
const FARTHEST: usize = 2;

/// The shortest word that is compared.
const SHORTEST: usize = 3;

/// The nearest of the known words: at most two letters differ, or one begins with the other.
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = known.into_iter().filter_map(|word| {
        let shorter = given.chars().count().min(word.chars().count());
        let distance = strsim::osa_distance(given, word);
        let begins = given.starts_with(word) || word.starts_with(given);
        (shorter >= SHORTEST && (distance <= FARTHEST || begins)).then_some((distance, word))
    });
    near.min_by_key(|found| found.0).map(|found| found.1.to_owned())
}
