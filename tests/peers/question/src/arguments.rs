//! The calls, each with its answer.

use std::fmt::Write as _;

/// One call of one tool.
pub struct Question {
    /// What it is called in the table.
    pub name: &'static str,
    /// The tool.
    pub tool: &'static str,
    /// The text of its arguments.
    pub args: fn() -> String,
    /// The answer as JSON; a plain text as a string.
    pub answer: &'static str,
}

/// Two scalars; eight parameters with a struct and an enum; 1 MiB of text; 10,000 numbers.
pub const QUESTIONS: &[Question] = &[
    Question {
        name: "small",
        tool: "reserve",
        args: || r#"{"event":"Aida in the park","seats":3}"#.to_owned(),
        answer: r#""3 seats for Aida in the park""#,
    },
    Question {
        name: "medium",
        tool: "order",
        args: || {
            r#"{"customer":"Ada Lovelace","item":"blue lamp","quantity":4,"price":12.5,"express":true,"tags":["sale","new"],
               "address":{"street":"St James's Square 12","city":"London"},"payment":"invoice"}"#
                .to_owned()
        },
        answer: r#"{"item":"blue lamp","total":58.0,"to":"Ada Lovelace, London"}"#,
    },
    Question { name: "text", tool: "measure", args: text, answer: r#""1048576 bytes""# },
    Question { name: "numbers", tool: "sum", args: numbers, answer: r#""10000 numbers, 24997500""# },
];

/// Arguments that must be refused, by tool.
pub const BAD: &[(&str, &str)] = &[
    ("reserve", r#"{"event":"Aida in the park","seats":11}"#),
    ("reserve", r#"{"event":"Aida in the park","seats":"many"}"#),
    ("reserve", r#"{"seats":3}"#),
    ("order", "{}"),
];

/// A text of 1 MiB in lines, as a file is.
fn text() -> String {
    let line = "The quick brown fox jumps over the lazy dog, and then it rests.\\n";
    assert_eq!(line.len(), 65);
    format!(r#"{{"text":"{}"}}"#, line.repeat((1 << 20) / 64))
}

/// Numbers with a half each second time.
fn numbers() -> String {
    let mut text = "{\"numbers\":[".to_owned();
    for at in 0..10_000 {
        let comma = if at == 0 { "" } else { "," };
        let _ = write!(text, "{comma}{:?}", f64::from(at) / 2.0);
    }
    text + "]}"
}
