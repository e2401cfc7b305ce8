//! The tables that a program reads itself: kept as JSON, with everything that the program finds wrong in its place.

use serde_json::Value;
use toml::Spanned;
use toml::de::DeValue;
use tool_core::args::shown_name;
use tool_core::{ArgIssue, IssueCode};

use crate::cli::OwnTable;

/// Everything that the program finds wrong with a table of its own, each with its place. `at` is where the table's key is.
pub(super) fn misfits(table: &OwnTable, at: usize, value: &Spanned<DeValue<'_>>) -> Vec<(usize, String)> {
    let issues = match (table.judge)(table.name, &json(value.get_ref())) {
        Ok(issues) => issues,
        Err(error) => return vec![(at, error.message().to_owned())],
    };
    let told = |issue: ArgIssue| {
        let keys = || issue.path.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~"));
        let shown: Vec<String> = std::iter::once(table.name.to_owned()).chain(keys()).collect();
        let shown = shown.join(".");
        let shown = shown_name(&shown);
        let (key_at, value_at) = place_of(at, value, keys());
        let hint = issue.hint.as_ref().map(|hint| format!("; {hint}"));
        match issue.code {
            IssueCode::Unknown => {
                let hint = hint.unwrap_or_else(|| format!("; expected {}", issue.expected));
                (key_at, format!("unknown key `{shown}`{hint}"))
            }
            _ => {
                let hint = hint.unwrap_or_default();
                (value_at, format!("`{shown}`: expected {}, got {}{hint}", issue.expected, issue.got))
            }
        }
    };
    issues.into_iter().map(told).collect()
}

/// Where the last of these keys stands below a table, and its value; as far as there are such keys.
fn place_of(
    table: usize,
    value: &Spanned<DeValue<'_>>,
    keys: impl Iterator<Item = String>,
) -> (usize, usize) {
    let (mut at, mut value) = ((table, value.span().start), value);
    for key in keys {
        let below = match value.get_ref() {
            DeValue::Table(members) => {
                let member = members.iter().find(|(name, _)| name.get_ref() == &key);
                member.map(|(name, below)| (name.span().start, below))
            }
            DeValue::Array(items) => {
                let item = key.parse::<usize>().ok().and_then(|index| items.get(index));
                item.map(|below| (below.span().start, below))
            }
            _ => None,
        };
        let Some((key_at, below)) = below else { break };
        (at, value) = ((key_at, below.span().start), below);
    }
    at
}

/// A value as JSON. A date is its text.
pub(super) fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Integer(number) => {
            let text = number.as_str().replace('_', "");
            i64::from_str_radix(&text, number.radix()).map_or_else(|_| Value::from(text), Value::from)
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().map_or(Value::Null, Value::from),
        DeValue::Boolean(flag) => Value::from(*flag),
        DeValue::Datetime(date) => Value::from(date.to_string()),
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(members) => {
            let members =
                members.iter().map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref())));
            Value::Object(members.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::parsed;

    #[test]
    fn everything_wrong_with_a_table_of_the_program_is_told_with_its_place() {
        let file = parsed(
            "rot = 1\n[sandbox]\nnetwrok = \"allow\"\nnetwork = 5\nread = [\"a\",\n  7]\n[sandbox.env]\n\"A/B\" = 1\n",
        );
        assert_eq!(
            file.mistakes,
            [
                "c.toml:1:1: unknown key `rot`; did you mean `root`?",
                "c.toml:3:1: unknown key `sandbox.netwrok`; did you mean `network`?",
                "c.toml:4:11: `sandbox.network`: expected a word, got what came",
                "c.toml:6:3: `sandbox.read.1`: expected a word, got what came",
                "c.toml:8:9: `sandbox.env.A/B`: expected a word, got what came; quote it",
            ]
        );
    }

    #[test]
    fn a_table_of_the_program_is_kept_as_it_is_and_another_is_a_mistake() {
        let file = parsed("[sandbox]\nnetwork = \"allow\"\nn = 1_000\n[sandbox.env]\nA = \"b\"\n");
        let expected = serde_json::json!({"network": "allow", "n": 1000, "env": {"A": "b"}});
        assert_eq!((file.tables.get("sandbox"), file.mistakes.as_slice()), (Some(&expected), &[][..]));
        assert_eq!(parsed("[sandbax]\nx = 1\n").mistakes.len(), 1);
        assert_eq!(parsed("sandbox = \"off\"\n").mistakes.len(), 1);
    }
}
