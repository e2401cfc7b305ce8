//! What names, groups, flags and variables look like, and the nearest right spelling of a wrong one.

/// A kind of name.
pub(super) struct Spelling {
    /// The rule, as messages show it.
    pub(super) pattern: &'static str,
    start: fn(char) -> bool,
    inside: fn(char) -> bool,
    limit: usize,
    case: Case,
    filler: char,
}

/// The case of a suggestion.
enum Case {
    Kept,
    Lower,
    Upper,
}

/// Tools, parameters and their aliases.
pub(super) const NAME: Spelling = Spelling {
    pattern: "^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$",
    start: |c| c.is_ascii_alphabetic() || c == '_',
    inside: |c| c.is_ascii_alphanumeric() || c == '_' || c == '-',
    limit: 64,
    case: Case::Kept,
    filler: '_',
};

/// Groups.
pub(super) const GROUP: Spelling = Spelling {
    pattern: "^[a-z][a-z0-9_-]{0,31}$",
    start: |c| c.is_ascii_lowercase(),
    inside: |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-',
    limit: 32,
    case: Case::Lower,
    filler: '_',
};

/// Tags.
pub(super) const TAG: Spelling = Spelling {
    pattern: "^[a-z][a-z0-9:_-]{0,31}$",
    start: |c| c.is_ascii_lowercase(),
    inside: |c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, ':' | '_' | '-'),
    limit: 32,
    case: Case::Lower,
    filler: '_',
};

/// Long flags.
pub(super) const FLAG: Spelling = Spelling {
    pattern: "^[a-z][a-z0-9-]{0,63}$",
    start: |c| c.is_ascii_lowercase(),
    inside: |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-',
    limit: 64,
    case: Case::Lower,
    // A flag has no `_`.
    filler: '-',
};

/// Environment variables.
pub(super) const VARIABLE: Spelling = Spelling {
    pattern: "^[A-Z_][A-Z0-9_]{0,127}$",
    start: |c| c.is_ascii_uppercase() || c == '_',
    inside: |c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_',
    limit: 128,
    case: Case::Upper,
    filler: '_',
};

/// Headers: of the tokens of RFC 9110 §5.6.2 those that every proxy lets through.
pub(super) const HEADER: Spelling = Spelling {
    pattern: "^[a-zA-Z][a-zA-Z0-9-]{0,63}$",
    start: |c| c.is_ascii_alphabetic(),
    inside: |c| c.is_ascii_alphanumeric() || c == '-',
    limit: 64,
    case: Case::Kept,
    filler: '-',
};

/// Secrets.
pub(super) const SECRET: Spelling = Spelling {
    pattern: "^[A-Z][A-Z0-9_]{0,63}$",
    start: |c| c.is_ascii_uppercase(),
    inside: |c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_',
    limit: 64,
    case: Case::Upper,
    filler: '_',
};

impl Spelling {
    /// Whether a text is spelled so.
    pub(super) fn fits(&self, text: &str) -> bool {
        self.fits_but_for_length(text) && text.chars().count() <= self.limit
    }

    /// Whether only its length may be wrong.
    pub(super) fn fits_but_for_length(&self, text: &str) -> bool {
        text.starts_with(self.start) && text.chars().all(self.inside)
    }

    /// What is wrong with a text.
    pub(super) fn refusal(&self, what: &str, text: &str) -> String {
        let right = self.repaired(text);
        let rule = format!("{what} `{text}` must match {}", self.pattern);
        if self.fits(&right) { format!("{rule}; try `{right}`") } else { rule }
    }

    /// Each run of bad characters becomes one `_`, outer ones go, and what may not come first gets one in front.
    fn repaired(&self, text: &str) -> String {
        let cased = match self.case {
            Case::Kept => text.to_owned(),
            Case::Lower => text.to_lowercase(),
            Case::Upper => text.to_uppercase(),
        };
        let mut out = String::with_capacity(cased.len());
        let mut in_run = false;
        for c in cased.chars() {
            let bad = !(self.inside)(c);
            if !bad {
                out.push(c);
            } else if !in_run {
                out.push(self.filler);
            }
            in_run = bad;
        }
        let trimmed = out.trim_matches(self.filler);
        let prefix = if trimmed.is_empty() || trimmed.starts_with(self.start) { "" } else { "_" };
        format!("{prefix}{trimmed}").chars().take(self.limit).collect()
    }
}

/// The name in kebab-case: `maxDepth`, `max_depth` → `max-depth`.
pub(super) fn kebab(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            if !out.is_empty() && !out.ends_with('-') {
                out.push('-');
            }
            continue;
        }
        let before = i.checked_sub(1).and_then(|i| chars.get(i));
        let next_lower = chars.get(i + 1).is_some_and(|next| next.is_lowercase());
        let starts_word =
            before.is_some_and(|b| b.is_lowercase() || (b.is_uppercase() && next_lower)) && c.is_uppercase();
        if starts_word && !out.ends_with('-') {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_is_repaired_to_a_right_one() {
        assert_eq!(
            NAME.refusal("alias", "a b"),
            "alias `a b` must match ^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$; try `a_b`"
        );
        assert_eq!(NAME.repaired("2nd"), "_2nd");
        assert_eq!(NAME.repaired("-x"), "_-x");
        assert_eq!(GROUP.repaired("My  Files!"), "my_files");
        assert_eq!(SECRET.repaired("api-key"), "API_KEY");
        assert_eq!(FLAG.repaired("Max_Depth"), "max-depth");
        assert_eq!(HEADER.repaired("X Key:"), "X-Key");
    }

    #[test]
    fn kebab_case_splits_words_like_the_command_line() {
        for (name, flag) in
            [("max_depth", "max-depth"), ("maxDepth", "max-depth"), ("HTTPPort", "http-port"), ("_x", "x")]
        {
            assert_eq!(kebab(name), flag);
        }
    }
}
