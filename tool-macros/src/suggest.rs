//! The nearest of some names, by the rule that also serves arguments and tool names at run time.

/// The candidate that the written name most likely means; `None` when none is near.
pub(crate) fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = fold(written);
    let scored = candidates.into_iter().filter_map(|name| Some((score(&written, &fold(name))?, name)));
    // `min_by_key` keeps the first of equals: the order of the candidates decides.
    scored.min_by_key(|(score, _)| *score).map(|(_, name)| name)
}

/// Twice the distance, so that half a step is a whole number; `None` when too far.
fn score(written: &str, candidate: &str) -> Option<usize> {
    if written == candidate {
        return Some(0);
    }
    if words(written) == words(candidate) {
        return Some(1);
    }
    let length = candidate.chars().count();
    let distance = strsim::damerau_levenshtein(written, candidate);
    (length >= 3 && distance <= (length / 3).max(1)).then_some(distance * 2)
}

/// The words between `_`, in one order.
fn words(name: &str) -> Vec<&str> {
    let mut words: Vec<&str> = name.split('_').collect();
    words.sort_unstable();
    words
}

/// `aB` → `a_b`, `-` and blank → `_`, lower case.
fn fold(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut after_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && after_lower {
            out.push('_');
        }
        after_lower = c.is_lowercase();
        if c == '-' || c == ' ' { out.push('_') } else { out.extend(c.to_lowercase()) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_typo_and_another_word_order_are_near_and_another_word_is_not() {
        assert_eq!(nearest("grup", ["name", "group"]), Some("group"));
        assert_eq!(nearest("sideEffect", ["side_effect"]), Some("side_effect"));
        assert_eq!(nearest("depth_max", ["max_depth", "depth"]), Some("max_depth"));
        assert_eq!(nearest("colour", ["name", "group"]), None);
        assert_eq!(nearest("xy", ["ab"]), None);
    }
}
