//! The settings file: strict TOML, every mistake at once and each with its place.
//!
//! It is found by its name or under the configuration directory, never in the working directory: a repository that was cloned
//! must not configure the program.

use std::collections::BTreeMap;
use std::fs::File as OpenFile;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use tool_core::args::{did_you_mean, suggest};
use tool_core::{ArgIssue, IssueCode, ToolError};

use super::word::{self, Misfit};
use super::{LimitSet, Source};
use super::{OwnKey, Owner};
use crate::cli::{Judge, OwnTable};
use crate::io::Io;
use crate::limits;

/// A larger file is no settings file.
const MAX_BYTES: u64 = 1 << 20;

/// A key of the file, and whether a text is a value of it.
struct Key {
    name: &'static str,
    check: fn(&str) -> Result<(), Misfit>,
}

/// Every key. All values are texts, as in options and variables.
const KEYS: [Key; 5] = [
    Key { name: "root", check: |_| Ok(()) },
    Key { name: "format", check: |text| word::format(text).map(drop) },
    Key { name: "color", check: |text| word::color(text).map(drop) },
    Key { name: "timeout", check: |text| word::timeout(text).map(drop) },
    Key { name: "log", check: |text| word::log(text).map(drop) },
];

/// The table of the limits.
const LIMITS: &str = "limits";

/// Keys that somebody might expect, and why they are none.
const REFUSED: [(&str, &str); 2] = [
    ("yes", "consent is given for one call at a time, with --yes"),
    ("policy", "name the policy file on the command line or in the environment"),
];

/// What the file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    /// Where it is; `None` when there is none.
    pub(crate) path: Option<PathBuf>,
    entries: BTreeMap<&'static str, Entry>,
    /// The tables that the program reads itself.
    pub(crate) tables: BTreeMap<&'static str, Value>,
    /// What stands under `[limits]`.
    pub(crate) limits: Vec<LimitSet>,
    /// Every mistake, `FILE:LINE:COLUMN: …`.
    pub(crate) mistakes: Vec<String>,
    /// What the program says of a limit, where that is the only mistake.
    pub(crate) refused: Option<Refused>,
}

/// A limit that the program refuses, as it says so.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// A value and its line.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) value: String,
    pub(crate) line: usize,
}

impl File {
    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// Reads the file that was named: it must be there.
    pub(crate) fn named(path: PathBuf, owner: Owner<'_>) -> File {
        Self::read(&path, owner).unwrap_or_else(|error| Self::unreadable(path, &error))
    }

    /// Reads the file of the configuration directory, if there is one.
    pub(crate) fn of_user(io: &Io, owner: Owner<'_>) -> File {
        let Some(path) = default_path(io, owner.name) else { return File::default() };
        match Self::read(&path, owner) {
            Ok(file) => file,
            Err(error) if is_absent(&error) => File::default(),
            Err(error) => Self::unreadable(path, &error),
        }
    }

    fn unreadable(path: PathBuf, error: &io::Error) -> File {
        let why = crate::sources::reason(error);
        let mistakes = vec![format!("{}: cannot be read: {why}", path.display())];
        File { path: Some(path), mistakes, ..File::default() }
    }

    fn read(path: &Path, owner: Owner<'_>) -> io::Result<File> {
        let file = OpenFile::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut file = File { path: Some(path.to_owned()), ..File::default() };
        match String::from_utf8(bytes) {
            Ok(text) => file.parse(&text, path, owner),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let before =
                    String::from_utf8_lossy(error.as_bytes().get(..at).unwrap_or_default()).into_owned();
                file.mistakes.push(mistake(path, &before, at, "not UTF-8 text"));
            }
        }
        Ok(file)
    }

    fn parse(&mut self, text: &str, path: &Path, owner: Owner<'_>) {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut found: Vec<(usize, String)> = errors
            .iter()
            .map(|error| (error.span().map_or(text.len(), |span| span.start), error.message().to_owned()))
            .collect();
        let mut refused = None;
        for (key, value) in table.get_ref() {
            if let (LIMITS, DeValue::Table(limits)) = (&**key.get_ref(), value.get_ref()) {
                for (key, value) in limits {
                    match limit(key.get_ref(), value, owner.limits) {
                        Ok(value) => {
                            let line = place(text, key.span().start).0;
                            let source = Source::File { path: path.to_owned(), line };
                            self.limits.push(LimitSet { name: key.get_ref().to_string(), value, source });
                        }
                        Err(Unfit { at_key, why, refused: error }) => {
                            found.push((if at_key { key.span().start } else { value.span().start }, why));
                            refused = refused.or(error);
                        }
                    }
                }
                continue;
            }
            let own = owner.tables.iter().find(|table| table.name == key.get_ref());
            if let (Some(table), DeValue::Table(_)) = (own, value.get_ref()) {
                let at = key.span().start;
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
                Err((at_key, why)) => {
                    found.push((if at_key { key.span().start } else { value.span().start }, why));
                }
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
}

/// Why a limit cannot be set.
struct Unfit {
    /// Whether it is the key itself, or its value.
    at_key: bool,
    why: String,
    /// What the program says of it.
    refused: Option<ToolError>,
}

impl Unfit {
    fn value(why: String) -> Unfit {
        Unfit { at_key: false, why, refused: None }
    }
}

/// A value as JSON. A date is its text.
fn json(value: &DeValue<'_>) -> Value {
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

impl OwnKey {
    /// The value, or why it is none.
    fn value(&self, value: &DeValue<'_>) -> Result<Value, String> {
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

/// The value of a key, or what is wrong: with the key itself (`true`) or its value.
fn entry(
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
        let tables = owner.tables.iter().map(|table| table.name);
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

/// Everything that the program finds wrong with a table of its own, each with its place. `at` is where the table's key is.
fn misfits(table: &OwnTable, at: usize, value: &Spanned<DeValue<'_>>) -> Vec<(usize, String)> {
    let issues = match (table.judge)(table.name, &json(value.get_ref())) {
        Ok(issues) => issues,
        Err(error) => return vec![(at, error.message().to_owned())],
    };
    let told = |issue: ArgIssue| {
        let keys = || issue.path.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~"));
        let shown: Vec<String> = std::iter::once(table.name.to_owned()).chain(keys()).collect();
        let shown: String = shown.join(".").chars().take(80).collect();
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

/// The value of a limit, or what is wrong with it.
fn limit(key: &str, value: &Spanned<DeValue<'_>>, judge: Option<&Judge>) -> Result<u64, Unfit> {
    let shown: String = key.chars().take(40).collect();
    let number = match value.get_ref() {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    let Some(number) = number else {
        let got = value.get_ref().type_str();
        return Err(Unfit::value(format!("`{shown}`: expected a whole number, got {got}")));
    };
    let own = limits::judge(key, number);
    let is_unknown = own.as_ref().is_err_and(|error| error.code_str() == "limit_unknown");
    let judged = match judge {
        Some(judge) if is_unknown => judge(key, number),
        _ => own,
    };
    judged.map(|()| number).map_err(|error| {
        let hint = error.hint_str().map(|hint| format!("; {hint}")).unwrap_or_default();
        let why = format!("`{shown}`: {}{hint}", error.message().trim_end_matches('.'));
        Unfit { at_key: error.code_str() == "limit_unknown", why, refused: Some(error) }
    })
}

fn mistake(path: &Path, text: &str, at: usize, why: &str) -> String {
    let (line, column) = place(text, at);
    format!("{}:{line}:{column}: {why}", path.display())
}

/// Line and column of a byte, both counted from 1, the column in characters.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before.get(start..).unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// `$XDG_CONFIG_HOME/demo/config.toml`. A relative directory does not count (XDG Base Directory Specification 0.8), and the
/// variables are those of the run, not of the process.
pub(crate) fn default_path(io: &Io, program: &str) -> Option<PathBuf> {
    let absolute = |name: &str| io.var(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let directory = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(directory.join(program).join("config.toml"))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn parsed(text: &str) -> File {
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
            "root = \"/w\"\n\nformat = \"yaml\"\ncolor = 'never'\ntimeout = \"2m\"\nlog = \"warn,tool_std=debug\"\n",
        );
        assert_eq!(file.mistakes, Vec::<String>::new());
        let lines: Vec<usize> =
            KEYS.iter().filter_map(|key| file.get(key.name)).map(|entry| entry.line).collect();
        assert_eq!(lines, [1, 3, 4, 5, 6]);
        assert_eq!(file.get("timeout").unwrap().value, "2m");
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
    fn a_limit_that_is_the_only_mistake_is_refused_as_the_program_says_it() {
        for (text, code, hint) in [
            ("[limits]\nmost = 10\n", "limit_out_of_range", "it is set in c.toml:2:8"),
            ("[limits]\nleast = 1\n", "limit_unknown", "it is `most`; it is set in c.toml:2:1"),
        ] {
            let refused = parsed(text).refused.unwrap();
            assert_eq!((refused.code.as_str(), refused.hint.as_str()), (code, hint));
        }
        assert!(parsed("[limits]\nmost = \"9\"\n").refused.is_none());
    }

    #[test]
    fn a_limit_is_read_with_its_line_and_one_that_is_none_or_out_of_range_is_told() {
        let file = parsed("root = \"/w\"\n[limits]\nmost = 0x9\n");
        assert_eq!(file.mistakes, Vec::<String>::new());
        let source = Source::File { path: "c.toml".into(), line: 3 };
        assert_eq!(file.limits, [LimitSet { name: "most".to_owned(), value: 9, source }]);
        let file = parsed("[limits]\nmost = 10\nleast = 1\n\"a b\" = \"1\"\n");
        assert_eq!(
            file.mistakes,
            [
                "c.toml:2:8: `most`: most exceeds 9",
                "c.toml:3:1: `least`: There is no such limit; it is `most`",
                "c.toml:4:9: `a b`: expected a whole number, got string",
            ]
        );
        assert!(file.limits.is_empty() && file.refused.is_none());
        let mut without = File::default();
        let nobody = Owner { name: "demo", prefix: "DEMO", limits: None, tables: &[], keys: &[] };
        without.parse("limits = 1\n", Path::new("c.toml"), nobody);
        assert_eq!(without.mistakes, ["c.toml:1:10: `limits`: expected table, got integer"]);
        let mut without = File::default();
        without.parse("[limits]\nmost = 1\n", Path::new("c.toml"), nobody);
        assert_eq!(
            without.mistakes,
            ["c.toml:2:1: `most`: There is no limit `most`; the limits are max_args_bytes"]
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

    #[test]
    fn a_relative_configuration_directory_does_not_count() {
        let io = |env: &[(&str, &str)]| Io {
            env: env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
            ..Io::detached("/")
        };
        let path = |env: &[(&str, &str)]| default_path(&io(env), "demo");
        assert_eq!(path(&[("XDG_CONFIG_HOME", "/x")]), Some("/x/demo/config.toml".into()));
        assert_eq!(
            path(&[("XDG_CONFIG_HOME", "x"), ("HOME", "/h")]),
            Some("/h/.config/demo/config.toml".into())
        );
        assert_eq!(path(&[("XDG_CONFIG_HOME", "."), ("HOME", "h")]), None);
    }
}
