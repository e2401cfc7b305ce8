//! YAML that readers of version 1.2 and of version 1.1 take for the same values, and tables that cut nothing. (cli.md §8)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test"
)]

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};
use tests::numbers::Numbers;
use tool_cli::{table, yaml};

/// Reads a JSON list of YAML texts, and writes the list of their values as version 1.1 has them.
const OLD: &str = "\
import json, sys, yaml
print(json.dumps([yaml.safe_load(text) for text in json.load(sys.stdin)], default=repr))";

/// The same by version 1.2: what a plain scalar is, the core schema says (YAML 1.2.2 §10.3.2).
const NEW: &str = r#"
import json, re, sys, yaml
class Core(yaml.SafeLoader):
    yaml_implicit_resolvers = {}
def plain(tag, pattern, read):
    Core.add_implicit_resolver(tag, re.compile(pattern + r'\Z'), None)
    Core.add_constructor(tag, lambda loader, node: read(loader.construct_scalar(node)))
def integer(text):
    base = {'0o': 8, '0x': 16}.get(text[:2], 10)
    return int(text if base == 10 else text[2:], base)
def number(text):
    return float(text.replace('.inf', 'inf').replace('.Inf', 'inf').replace('.INF', 'inf').replace('.', '', text[1:].lower() == 'nan'))
plain('tag:yaml.org,2002:null', '(?:null|Null|NULL|~|)', lambda _: None)
plain('tag:yaml.org,2002:bool', '(?:true|True|TRUE|false|False|FALSE)', lambda text: text.lower() == 'true')
plain('tag:yaml.org,2002:int', '(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)', integer)
plain('tag:yaml.org,2002:float',
      r'(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))', number)
print(json.dumps([yaml.load(text, Core) for text in json.load(sys.stdin)], default=repr))"#;

/// Texts that one reader or the other takes for something else when they stand bare.
const TEXTS: [&str; 72] = [
    "",
    " ",
    "a",
    "no",
    "No",
    "NO",
    "yes",
    "y",
    "n",
    "on",
    "Off",
    "true",
    "False",
    "null",
    "Null",
    "~",
    "-",
    "--",
    "---",
    "...",
    "- a",
    "-1",
    "+1",
    "1",
    "01",
    "0o7",
    "0x1F",
    "0b11",
    "1_000",
    "1e3",
    "1.5",
    ".5",
    "5.",
    "1.",
    ".inf",
    "-.INF",
    ".nan",
    "1:30",
    "12:30:45",
    "190:20:30",
    "2026-01-31",
    "2026-01-31T10:00:00Z",
    "2026-01-31 10:00:00",
    "<<",
    "=",
    "!x",
    "&a",
    "*a",
    "%x",
    "@x",
    "`x",
    "# x",
    "a # b",
    "a: b",
    "a:",
    ": a",
    "? a",
    "[a]",
    "{a: 1}",
    "a, b",
    "'a'",
    "\"a\"",
    " lead",
    "trail ",
    "a\nb",
    "a\n",
    "\n",
    "\ttab",
    "é😀\u{2028}",
    "\u{1b}[2J",
    "\u{85}\u{feff}",
    "\\",
];

/// Makes values.
#[derive(Default)]
struct Maker(Numbers);

impl Maker {
    fn scalar(&mut self) -> Value {
        match self.0.below(10) {
            0 => Value::Null,
            1 => json!(self.0.below(2) == 0),
            2 => json!(self.0.any() as i64),
            3 => json!(self.0.any()),
            4 => json!(f64::from(u32::try_from(self.0.below(1 << 30)).unwrap()) / 1024.0),
            5 => json!([1e3, 1e21, 1.5e-9, -0.0, 1e300, 2.0, -12.5][self.0.below(7)]),
            _ => json!(TEXTS[self.0.below(TEXTS.len())]),
        }
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.0.below(if depth == 0 { 1 } else { 3 }) {
            0 => self.scalar(),
            1 => (0..self.0.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => self.object(depth - 1),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let members = (0..self.0.below(4)).map(|_| {
            let key = TEXTS[self.0.below(TEXTS.len())].to_owned();
            (key, self.value(depth))
        });
        Value::Object(members.collect::<Map<_, _>>())
    }
}

/// Every text once, alone and as a key, and generated values.
fn values() -> Vec<Value> {
    let mut made = Maker::default();
    let mut values: Vec<Value> =
        TEXTS.iter().flat_map(|text| [json!(text), json!({*text: [text]})]).collect();
    while values.len() < 500 {
        values.push(made.value(3));
    }
    values
}

/// What a reader makes of the texts, by a program for Python; nothing where it cannot run.
fn read_by(program: &str, texts: &[String]) -> Option<Vec<Value>> {
    let found = Command::new("python3").args(["-c", "import yaml"]).output();
    if !found.is_ok_and(|found| found.status.success()) {
        tool_trials::skip("PyYAML is missing");
        return None;
    }
    let mut python = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(json!(texts).to_string().as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn is_read_by(program: &str) {
    let values = values();
    let texts: Vec<String> = values.iter().map(yaml::render).collect();
    let Some(read) = read_by(program, &texts) else { return };
    assert_eq!(read.len(), values.len());
    let wrong: Vec<String> = values
        .iter()
        .zip(&read)
        .zip(&texts)
        .filter(|((value, read), _)| !same(read, value))
        .map(|((value, read), text)| format!("{value} became {read} in\n{text}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), values.len(), wrong.join("\n"));
}

#[test]
fn the_writers_own_reader_reads_the_same_values() {
    for value in values() {
        let text = yaml::render(&value);
        let read: Value = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
        assert!(same(&read, &value), "{value} became {read} in\n{text}");
    }
}

#[test]
fn a_reader_of_yaml_1_2_reads_the_same_values() {
    is_read_by(NEW);
}

#[test]
fn a_reader_of_yaml_1_1_reads_the_same_values() {
    is_read_by(OLD);
}

#[test]
fn the_two_readers_differ_where_the_versions_do() {
    let texts = ["no", "0o17", "017", "1:30", "2026-01-31", "~", "1e3", "'no'"].map(str::to_owned);
    let Some(new) = read_by(NEW, &texts) else { return };
    assert_eq!(json!(new), json!(["no", 15, 17, "1:30", "2026-01-31", null, 1000.0, "no"]));
    let old = read_by(OLD, &texts).unwrap();
    assert_eq!(json!(old[..4]), json!([false, "0o17", 15, 90]));
    assert_eq!(json!(old[5..]), json!([null, "1e3", "no"]));
}

#[test]
fn a_table_in_a_pipe_holds_every_scalar_in_full() {
    let long = "x".repeat(10_000);
    for value in values().into_iter().chain([json!([{"a": long}])]) {
        let text = table::render(&value, None).text;
        for scalar in scalars(&value) {
            assert!(text.contains(&scalar), "{scalar:?} is not in\n{text}");
        }
    }
}

/// What a cell shows of the scalars at the top; deeper ones are JSON.
fn scalars(value: &Value) -> Vec<String> {
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r"),
        other => other.to_string(),
    };
    let members = |value: &Value| match value {
        Value::Object(members) => members.values().map(cell).collect(),
        other => vec![cell(other)],
    };
    match value {
        Value::Array(items) => items.iter().flat_map(members).collect(),
        other => members(other),
    }
}

/// Equal, numbers by value.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.as_f64() == b.as_f64() && (a.is_f64() || b.is_f64()))
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && b.iter().all(|(key, b)| a.get(key).is_some_and(|a| same(a, b)))
        }
        (a, b) => a == b,
    }
}
