//! The keys of the file: those of every program, and those that a program reads itself.

use serde_json::Value;
use toml::Spanned;
use toml::de::DeValue;
use tool_core::args::{did_you_mean, suggest};

use super::limits::LIMITS;
use crate::settings::word::{self, Misfit};
use crate::settings::{OwnKey, Owner};

/// A key of the file, and whether a text is a value of it.
struct Key {
    name: &'static str,
    check: fn(&str) -> Result<(), Misfit>,
}

/// Every key. All values are texts, as in options and variables.
const KEYS: [Key; 6] = [
    Key { name: "root", check: |_| Ok(()) },
    Key { name: "format", check: |text| word::format(text).map(drop) },
    Key { name: "color", check: |text| word::color(text).map(drop) },
    Key { name: "timeout", check: |text| word::timeout(text).map(drop) },
    Key { name: "log", check: |text| word::log(text).map(drop) },
    Key { name: "policy", check: |_| Ok(()) },
];

/// Keys that somebody might expect, and why they are none.
const REFUSED: [(&str, &str); 1] = [("yes", "consent is given for one call at a time, with --yes")];

/// The value of a key, or what is wrong: with the key itself (`true`) or its value.
pub(super) fn entry(
    key: &str,
    value: &Spanned<DeValue<'_>>,
    owner: Owner<'_>,
) -> Result<(&'static str, String), (bool, String)> {
    let shown: String = key.chars().take(40).collect();
    if key == LIMITS || owner.tables.iter().any(|table| table.name == key) {
        return Err((false, format!("`{shown}`: expected table, got {}", value.get_ref().type_str())));
    }
    let Some(known) = KEYS.iter().find(|known| known.name == key) else {
        if let Some((_, why)) = REFUSED.iter().find(|refused| refused.0 == key) {
            return Err((true, format!("`{shown}` cannot be set here: {why}")));
        }
        let is_key = |name: &str| owner.keys.iter().any(|own| own.name == name);
        let tables = owner.tables.iter().map(|table| table.name).filter(|name| !is_key(name));
        let own = owner.keys.iter().map(|own| own.name).chain(tables);
        let names: Vec<&str> = KEYS.iter().map(|known| known.name).chain([LIMITS]).chain(own).collect();
        let near = did_you_mean(&suggest(key, names.iter().map(|name| (*name, *name))));
        let hint = near.unwrap_or_else(|| format!("the keys are {}", names.join(", ")));
        return Err((true, format!("unknown key `{shown}`; {hint}")));
    };
    let DeValue::String(text) = value.get_ref() else {
        return Err((false, format!("`{shown}`: expected string, got {}", value.get_ref().type_str())));
    };
    match (known.check)(text) {
        Ok(()) => Ok((known.name, text.clone().into_owned())),
        Err(misfit) => {
            let got = crate::fault::text(text);
            let hint = misfit.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            Err((false, format!("`{shown}`: expected {}, got {got}{hint}", misfit.expected)))
        }
    }
}

impl OwnKey {
    /// The value, or why it is none.
    pub(super) fn value(&self, value: &DeValue<'_>) -> Result<Value, String> {
        let (name, got) = (self.name, value.type_str());
        match (self.words, value) {
            ([], DeValue::Boolean(flag)) => Ok(Value::from(*flag)),
            ([], _) => Err(format!("`{name}`: expected true or false, got {got}")),
            (words, DeValue::String(text)) => {
                let words: Vec<((), &'static str)> = words.iter().map(|word| ((), *word)).collect();
                word::choice(text, &words).map(|()| Value::from(text.as_ref())).map_err(|misfit| {
                    let hint = misfit.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
                    format!("`{name}`: expected {}, got {}{hint}", misfit.expected, crate::fault::text(text))
                })
            }
            _ => Err(format!("`{name}`: expected string, got {got}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::parsed;
    use super::*;

    #[test]
    fn a_key_of_the_program_has_one_of_its_words_or_is_true_or_false() {
        let file = parsed("journal = \"all\"\nreplay_reads = true\n");
        assert_eq!(file.mistakes, Vec::<String>::new());
        assert_eq!(file.tables.get("journal"), Some(&Value::from("all")));
        assert_eq!(file.tables.get("replay_reads"), Some(&Value::from(true)));
        let wrong = parsed("journal = \"efects\"\nreplay_reads = \"yes\"\njornal = \"all\"\n").mistakes;
        let wanted = [
            "c.toml:1:11: `journal`: expected one of \"off\", \"effects\", \"all\", got",
            "c.toml:2:16: `replay_reads`: expected true or false, got string",
            "c.toml:3:1: unknown key `jornal`; did you mean",
        ];
        assert_eq!(wrong.len(), 3, "{wrong:#?}");
        for (line, wanted) in wrong.iter().zip(wanted) {
            assert!(line.starts_with(wanted), "{line} is not {wanted}");
        }
    }

    #[test]
    fn every_key_is_read_with_its_line() {
        let file = parsed(
            "root = \"/w\"\n\nformat = \"yaml\"\ncolor = 'never'\ntimeout = \"2m\"\nlog = \"warn,tool_std=debug\"\npolicy = \"p.toml\"\n",
        );
        assert_eq!(file.mistakes, Vec::<String>::new());
        let lines: Vec<usize> =
            KEYS.iter().filter_map(|key| file.get(key.name)).map(|entry| entry.line).collect();
        assert_eq!(lines, [1, 3, 4, 5, 6, 7]);
        assert_eq!(file.get("timeout").unwrap().value, "2m");
    }
}
