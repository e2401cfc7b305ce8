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
use tool_cli::{table, yaml};

/// Reads a JSON list of YAML texts, and writes the list of their values.
const READER: &str = "\
import json, sys, yaml
print(json.dumps([yaml.safe_load(text) for text in json.load(sys.stdin)], default=repr))";

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

/// Numbers that are the same in every run (xorshift64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    fn scalar(&mut self) -> Value {
        match self.below(10) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.0 as i64),
            3 => json!(self.0),
            4 => json!(f64::from(u32::try_from(self.below(1 << 30)).unwrap()) / 1024.0),
            5 => json!([1e3, 1e21, 1.5e-9, -0.0, 1e300, 2.0, -12.5][self.below(7)]),
            _ => json!(TEXTS[self.below(TEXTS.len())]),
        }
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 1 } else { 3 }) {
            0 => self.scalar(),
            1 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => self.object(depth - 1),
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let members = (0..self.below(4)).map(|_| {
            let key = TEXTS[self.below(TEXTS.len())].to_owned();
            (key, self.value(depth))
        });
        Value::Object(members.collect::<Map<_, _>>())
    }
}

/// Every text once, alone and as a key, and generated values.
fn values() -> Vec<Value> {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut values: Vec<Value> =
        TEXTS.iter().flat_map(|text| [json!(text), json!({*text: [text]})]).collect();
    while values.len() < 500 {
        values.push(numbers.value(3));
    }
    values
}

#[test]
fn a_reader_of_yaml_1_2_reads_the_same_values() {
    for value in values() {
        let text = yaml::render(&value);
        let read: Value = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
        assert!(same(&read, &value), "{value} became {read} in\n{text}");
    }
}

#[test]
fn a_reader_of_yaml_1_1_reads_the_same_values() {
    let found = Command::new("python3").args(["-c", "import yaml"]).output();
    if !found.is_ok_and(|found| found.status.success()) {
        return tool_trials::skip("PyYAML is missing");
    }
    let values = values();
    let texts: Vec<String> = values.iter().map(yaml::render).collect();
    let mut python = Command::new("python3")
        .args(["-c", READER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(json!(texts).to_string().as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    let read: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
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
