//! From the text to keys, tables and limits. What is wrong with one of them does not hide what is wrong with the next.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::keys::entry;
use super::limits::{LIMITS, Refused, Unfit, limit};
use super::place::{mistake, place};
use super::tables::{json, misfits};
use super::{Entry, File};
use crate::settings::{LimitSet, Owner, Source};

impl File {
    /// Reads all that stands in a text.
    pub(super) fn parse(&mut self, text: &str, path: &Path, owner: Owner<'_>) {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut found: Vec<(usize, String)> = errors
            .iter()
            .map(|error| (error.span().map_or(text.len(), |span| span.start), error.message().to_owned()))
            .collect();
        let mut refused = None;
        for (key, value) in table.get_ref() {
            if let (LIMITS, DeValue::Table(limits)) = (&**key.get_ref(), value.get_ref()) {
                for unfit in self.limits(limits, text, path, owner) {
                    found.push((unfit.at, unfit.why));
                    refused = refused.or(unfit.refused);
                }
                continue;
            }
            let own = owner.tables.iter().find(|table| table.name == key.get_ref());
            if let (Some(table), DeValue::Table(members)) = (own, value.get_ref()) {
                let at = key.span().start;
                let line = |member: &Spanned<DeString<'_>>| place(text, member.span().start).0;
                let lines =
                    members.keys().map(|key| (format!("{}.{}", table.name, key.get_ref()), line(key)));
                self.lines.extend(lines);
                found.extend(misfits(table, at, value));
                self.tables.insert(table.name, json(value.get_ref()));
                continue;
            }
            if let Some(own) = owner.keys.iter().find(|own| own.name == key.get_ref()) {
                match own.value(value.get_ref()) {
                    Ok(value) => drop(self.tables.insert(own.name, value)),
                    Err(why) => found.push((value.span().start, why)),
                }
                continue;
            }
            match entry(key.get_ref(), value, owner) {
                Ok((name, value)) => {
                    let line = place(text, key.span().start).0;
                    self.entries.insert(name, Entry { value, line });
                }
                Err((true, why)) => found.push((key.span().start, why)),
                Err((false, why)) => found.push((value.span().start, why)),
            }
        }
        // At one place what TOML says comes first: a value that was guessed from what is none says nothing.
        found.sort_by_key(|mistake| mistake.0);
        found.dedup_by_key(|mistake| mistake.0);
        self.mistakes = found.iter().map(|(at, why)| mistake(path, text, *at, why)).collect();
        if let ([(at, _)], Some(error)) = (found.as_slice(), refused) {
            let (line, column) = place(text, *at);
            let told = error.hint_str().map(|hint| format!("{hint}; ")).unwrap_or_default();
            self.refused = Some(Refused {
                code: error.code_str().to_owned(),
                message: error.message().to_owned(),
                hint: format!("{told}it is set in {}:{line}:{column}", path.display()),
            });
        }
    }
    /// Takes the limits that can be set, and gives back the others.
    fn limits(&mut self, limits: &DeTable<'_>, text: &str, path: &Path, owner: Owner<'_>) -> Vec<Unfit> {
        let mut unfit = Vec::new();
        for (key, value) in limits {
            match limit(key, value, owner.limits) {
                Ok(value) => {
                    let line = place(text, key.span().start).0;
                    let source = Source::File { path: path.to_owned(), line };
                    self.limits.push(LimitSet { name: key.get_ref().to_string(), value, source });
                }
                Err(why) => unfit.push(why),
            }
        }
        unfit
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use serde_json::Value;
    use tool_core::{ArgIssue, IssueCode, ToolError};

    use super::*;
    use crate::cli::{Judge, OwnTable};
    use crate::settings::OwnKey;

    /// The file of a program with one limit, two keys and one table of its own.
    pub(crate) fn parsed(text: &str) -> File {
        let mut file = File::default();
        let judge: &Judge = &|name, value| match (name, value) {
            ("most", 1..=9) => Ok(()),
            ("most", _) => Err(ToolError::not_configured("most exceeds 9.").code("limit_out_of_range")),
            _ => Err(ToolError::not_configured("There is no such limit.")
                .code("limit_unknown")
                .hint("it is `most`")),
        };
        let keys = &[
            OwnKey { name: "journal", words: &["off", "effects", "all"] },
            OwnKey { name: "replay_reads", words: &[] },
        ];
        let tables = [OwnTable { name: "sandbox", judge: Arc::new(judge_table) }];
        let owner = Owner { name: "demo", prefix: "DEMO", limits: Some(judge), tables: &tables, keys };
        file.parse(text, Path::new("c.toml"), owner);
        file
    }

    /// Knows `network`, a text, and takes whatever else is a number or a table.
    fn judge_table(name: &str, table: &Value) -> Result<Vec<ArgIssue>, ToolError> {
        assert_eq!(name, "sandbox");
        let issue = |path: &str, code, hint: Option<&str>| ArgIssue {
            path: path.to_owned(),
            code,
            expected: "a word".to_owned(),
            got: "what came".to_owned(),
            hint: hint.map(str::to_owned),
        };
        let mut issues = Vec::new();
        if table["network"].is_number() {
            issues.push(issue("/network", IssueCode::Type, None));
        }
        if table["env"]["A/B"].is_number() {
            issues.push(issue("/env/A~1B", IssueCode::Type, Some("quote it")));
        }
        if table["read"][1].is_number() {
            issues.push(issue("/read/1", IssueCode::Type, None));
        }
        if !table["netwrok"].is_null() {
            issues.push(issue("/netwrok", IssueCode::Unknown, Some("did you mean `network`?")));
        }
        Ok(issues)
    }

    #[test]
    fn every_mistake_is_told_with_its_place() {
        let file = parsed(
            "rot = \"/w\"\nyes = true\n  format = \"jsn\"\ntimeout = 30\nlog = \"loud\"\n[limit]\nx = 1\n",
        );
        assert_eq!(
            file.mistakes,
            [
                "c.toml:1:1: unknown key `rot`; did you mean `root`?",
                "c.toml:2:1: `yes` cannot be set here: consent is given for one call at a time, with --yes",
                "c.toml:3:12: `format`: expected one of \"text\", \"json\", \"jsonl\", \"yaml\", \"table\", got string \"jsn\"; did you mean `json`?",
                "c.toml:4:11: `timeout`: expected string, got integer",
                "c.toml:5:7: `log`: expected off, error, warn, info, debug, trace, or TARGET=LEVEL for some targets, separated by commas, got string \"loud\"",
                "c.toml:6:2: unknown key `limit`; did you mean `limits`?",
            ]
        );
    }

    #[test]
    fn what_is_no_toml_and_a_key_given_twice_are_mistakes_with_a_place() {
        let file = parsed("root = \nformat = \"json\"\nformat = \"yaml\"\n");
        assert_eq!(file.mistakes.len(), 2, "{:?}", file.mistakes);
        assert!(file.mistakes[0].starts_with("c.toml:1:"), "{:?}", file.mistakes);
        assert!(file.mistakes[1].starts_with("c.toml:3:1: duplicate key"), "{:?}", file.mistakes);
    }

    #[test]
    fn what_toml_says_of_a_text_that_is_none_comes_before_what_is_guessed_of_it() {
        for text in ["format = jsn\n", "format = 5x\n", "timeout = 30s\n"] {
            let mistakes = parsed(text).mistakes;
            assert_eq!(mistakes.len(), 1, "{mistakes:?}");
            assert!(mistakes[0].ends_with("expected literal string"), "{mistakes:?}");
        }
        assert_eq!(parsed("format = \"json\"\n").mistakes, Vec::<String>::new());
    }
}
