//! The name that was probably meant, as anybody who reads a list of names would say.

/// The nearest of some names, at most a third of its letters away; its spelling and the order of its words do not matter.
pub(crate) fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = words(given);
    let ranked = names.into_iter().filter_map(|name| {
        let words = words(name);
        let distance = match is_same(&given, &words) {
            true => 0,
            false => strsim::damerau_levenshtein(&given.concat(), &words.concat()),
        };
        (distance <= name.chars().count() / 3).then_some((distance, name))
    });
    ranked.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

fn is_same(a: &[String], b: &[String]) -> bool {
    let sorted = |words: &[String]| {
        let mut words = words.to_vec();
        words.sort_unstable();
        words
    };
    a.concat() == b.concat() || sorted(a) == sorted(b)
}

/// `caseSensitive`, `case-sensitive` and `Case sensitive` are the words `case`, `sensitive`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for character in name.chars() {
        let starts = after_lower && character.is_uppercase();
        if (starts || !character.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
        after_lower = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn styles_typing_errors_and_orders_lead_to_the_name() {
        let names = ["case_sensitive", "paths", "context"];
        for given in ["caseSensitive", "Case-Sensitive", "sensitive_case", "case_sensitve"] {
            assert_eq!(nearest(given, names), Some("case_sensitive"), "{given}");
        }
        assert_eq!(nearest("path", names), Some("paths"));
        assert_eq!(nearest("why", names), None);
    }
}
