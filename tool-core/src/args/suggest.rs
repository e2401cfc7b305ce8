//! The nearest valid names to one that does not exist: for parameters, fields, choices, tags, attribute keys and tools.
//!
//! What is suggested is only shown, never accepted. (arguments.md §8)

/// The most names that one hint offers.
const OFFERED: usize = 3;

/// The shortest candidate that is compared by distance; shorter ones resemble everything.
const SHORTEST: usize = 3;

/// The names nearest to `given`, best first, at most three.
///
/// A candidate is a pair of the name to show and one spelling of it, so that an alias leads to its canonical name.
pub fn suggest<'a>(given: &str, candidates: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<&'a str> {
    let given = fold(given);
    let mut ranked: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|(shown, spelling)| score(&given, &fold(spelling)).map(|score| (score, shown)))
        .collect();
    ranked.sort_by_key(|(score, _)| *score);
    let mut offered: Vec<&str> = Vec::with_capacity(OFFERED);
    for (_, shown) in ranked {
        if offered.len() < OFFERED && !offered.contains(&shown) {
            offered.push(shown);
        }
    }
    offered
}

/// The hint that offers names: ``did you mean `a`, `b` or `c`?``; `None` without names.
pub fn did_you_mean(names: &[&str]) -> Option<String> {
    let (last, others) = names.split_last()?;
    let mut hint = String::from("did you mean ");
    for (i, name) in others.iter().enumerate() {
        let between = if i + 1 == others.len() { " or " } else { ", " };
        hint.push_str(&format!("`{name}`{between}"));
    }
    hint.push_str(&format!("`{last}`?"));
    Some(hint)
}

/// One spelling for `maxDepth`, `max-depth`, `Max depth` and `max_depth`.
fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len() + 4);
    let mut after_lower = false;
    for character in name.chars() {
        if character == '-' || character == ' ' {
            folded.push('_');
        } else {
            if after_lower && character.is_uppercase() {
                folded.push('_');
            }
            folded.extend(character.to_lowercase());
        }
        after_lower = character.is_lowercase();
    }
    folded
}

/// Twice the score of arguments.md §8, so that it is a whole number: 0 equal, 1 the same words in another order, else
/// the distance. `None` when the candidate is too far away.
fn score(given: &str, candidate: &str) -> Option<usize> {
    if given == candidate {
        return Some(0);
    }
    if same_words(given, candidate) {
        return Some(1);
    }
    let length = candidate.chars().count();
    let farthest = (length / 3).max(1);
    if length < SHORTEST || given.chars().count().abs_diff(length) > farthest {
        return None;
    }
    let distance = strsim::damerau_levenshtein(given, candidate);
    (distance <= farthest).then_some(2 * distance)
}

fn same_words(a: &str, b: &str) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let sorted = |name: &'_ str| {
        let mut words: Vec<String> = name.split('_').map(str::to_owned).collect();
        words.sort_unstable();
        words
    };
    sorted(a) == sorted(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(given: &str, names: &[&'static str]) -> Vec<&'static str> {
        suggest(given, names.iter().map(|name| (*name, *name)))
    }

    #[test]
    fn spelling_conventions_do_not_matter() {
        for given in ["maxDepth", "max-depth", "Max depth", "MAX_DEPTH"] {
            assert_eq!(nearest(given, &["path", "max_depth"]), ["max_depth"], "{given}");
        }
        assert_eq!(nearest("max_depth", &["maxDepth"]), ["maxDepth"]);
    }

    #[test]
    fn another_order_of_words_ranks_between_equal_and_misspelt() {
        assert_eq!(
            nearest("name_file", &["nameofile", "file_name", "NameFile"]),
            ["NameFile", "file_name", "nameofile"]
        );
    }

    #[test]
    fn a_third_of_the_candidate_may_differ_and_no_more() {
        assert_eq!(nearest("pth", &["path"]), ["path"]);
        assert_eq!(nearest("ptah", &["path"]), ["path"]);
        assert!(nearest("pxxh", &["path"]).is_empty());
        assert_eq!(nearest("recurxxve", &["recursive"]), ["recursive"]);
        assert!(nearest("recxxxxve", &["recursive"]).is_empty());
    }

    #[test]
    fn short_candidates_are_found_only_exactly() {
        assert!(nearest("a", &["b", "ab"]).is_empty());
        assert_eq!(nearest("AB", &["b", "ab"]), ["ab"]);
    }

    #[test]
    fn at_most_three_are_offered_by_score_then_order() {
        assert_eq!(nearest("srd", &["src", "srv", "srx", "srd_", "srz"]), ["src", "srv", "srx"]);
        assert_eq!(nearest("tests", &["texts", "test", "tests"]), ["tests", "texts", "test"]);
    }

    #[test]
    fn an_alias_leads_to_its_canonical_name_once() {
        let candidates = [("path", "path"), ("path", "file"), ("limit", "limit")];
        assert_eq!(suggest("fille", candidates), ["path"]);
        assert_eq!(suggest("pathe", [("path", "path"), ("path", "paths")]), ["path"]);
    }

    #[test]
    fn hints_read_as_a_question() {
        assert_eq!(did_you_mean(&[]), None);
        assert_eq!(did_you_mean(&["a"]).unwrap(), "did you mean `a`?");
        assert_eq!(did_you_mean(&["a", "b"]).unwrap(), "did you mean `a` or `b`?");
        assert_eq!(did_you_mean(&["a", "b", "c"]).unwrap(), "did you mean `a`, `b` or `c`?");
    }
}
