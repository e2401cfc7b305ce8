//! The laws that bind schema and decoder together, for every standard tool: random values of its schema, and the same
//! values damaged. (arguments.md §11; types of the type language have theirs beside the vectors.)

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use jsonschema::Validator;
use serde_json::{Map, Value, json};
use tests::rounds::rounds;
use tool_core::args::{ArgIssue, Args};
use tool_core::def::{Cache, Handler, ToolDef, ToolKeys};
use tool_core::test::{Damage, Values, says_all_of};
use tool_core::{Coerce, IssueCode, Registry, ToolError};
use tool_std as _;

/// Values of each tool, and as many damaged ones.
fn values() -> usize {
    rounds(2_000)
}

/// The limits of 64 bits, as messages tell them.
const LIMITS: [&str; 2] = ["..=9223372036854775807", "..=18446744073709551615"];

/// Whether a number is refused that a schema without the limits of 64 bits takes.
fn is_limit(issue: &ArgIssue) -> bool {
    LIMITS.iter().any(|limit| issue.expected.contains(limit))
}

fn place(issue: &ArgIssue) -> (&str, &str) {
    (&issue.path, issue.code.as_str())
}

/// Path and code of every issue.
fn places(error: &ToolError) -> Vec<(&str, &str)> {
    error.arg_issues().iter().map(place).collect()
}

/// The normal form and the notes.
type Decoded = Result<(Map<String, Value>, Value), ToolError>;

/// A tool by its types, and by nothing but its schema.
struct Subject {
    typed: &'static ToolDef<'static>,
    by_schema: &'static ToolDef<'static>,
    schema: &'static Value,
    validator: Validator,
}

impl Subject {
    fn of(typed: &'static ToolDef<'static>) -> Subject {
        let schema: &'static Value = Box::leak(Box::new(typed.input_schema().unwrap().schema().clone()));
        let cache: &'static Cache = Box::leak(Box::new(Cache::new()));
        let keys = Box::leak(Box::new(ToolKeys { input: Some(schema), ..*typed.keys }));
        let by_schema = Box::leak(Box::new(ToolDef { keys, cache, ..*typed }));
        Subject { typed, by_schema, schema, validator: jsonschema::draft202012::new(schema).unwrap() }
    }

    fn by_type(&self, input: &Value) -> Decoded {
        let mut args = Args::new(self.typed, input.clone(), Coerce::Lenient)?;
        match self.typed.handler {
            Handler::Sync(enter) | Handler::Async(enter) => enter(&mut args).map(drop)?,
            Handler::Dynamic(_) => panic!("{} has no types", self.typed.name),
        }
        Ok((args.normal().clone(), json!(args.notes())))
    }

    fn by_schema(&self, input: &Value) -> Decoded {
        let mut args = Args::new(self.by_schema, input.clone(), Coerce::Lenient)?;
        let object = args.take_object();
        args.finish()?;
        Ok((object.unwrap(), json!(args.notes())))
    }

    /// Law 4: both decoders say the same, to the letter; but the limits of 64 bits are told by types alone.
    fn decode(&self, input: &Value) -> Decoded {
        let told = |decoded: &Decoded| match decoded {
            Ok((args, notes)) => json!({ "args": args, "notes": notes }).to_string(),
            Err(error) => error.to_json().to_string(),
        };
        let (by_type, by_schema) = (self.by_type(input), self.by_schema(input));
        match &by_type {
            Err(typed) if typed.arg_issues().iter().any(is_limit) => {
                let by_schema = by_schema.as_ref().map_or_else(places, |_| Vec::new());
                let untold = |issue: &&ArgIssue| by_schema.contains(&place(issue)) || !is_limit(issue);
                let by_type: Vec<_> = typed.arg_issues().iter().filter(untold).map(place).collect();
                assert_eq!(by_type, by_schema, "{input} of {}", self.typed.name);
            }
            _ => assert_eq!(told(&by_type), told(&by_schema), "{input} of {}", self.typed.name),
        }
        by_type
    }

    /// Law 2: a normal form is valid, and decoding it gives itself without a note.
    fn normal_form_is_stable(&self, normal: &Map<String, Value>, input: &Value) {
        let name = self.typed.name;
        let normal = Value::Object(normal.clone());
        assert!(self.validator.is_valid(&normal), "{normal} of {input} is not valid for {name}");
        let (again, notes) =
            self.decode(&normal).unwrap_or_else(|error| panic!("{normal} of {name}: {error}"));
        assert_eq!((Value::Object(again).to_string(), notes), (normal.to_string(), json!([])), "{name}");
    }
}

/// A rule between parameters is no part of the schema.
fn breaks_only_rules_between_parameters(error: &ToolError) -> bool {
    let issues = error.arg_issues();
    !issues.is_empty() && issues.iter().all(|issue| issue.code == IssueCode::Constraint)
}

fn subjects() -> Vec<Subject> {
    let registry: &'static Registry = Box::leak(Box::new(Registry::builder().discover().build().unwrap()));
    assert!(registry.len() >= 15, "the standard tools are linked");
    registry.iter().map(|entry| Subject::of(entry.def())).collect()
}

#[test]
fn a_valid_call_of_a_standard_tool_is_taken_as_it_is() {
    for (number, subject) in subjects().iter().enumerate() {
        let (name, mut taken) = (subject.typed.name, 0);
        let mut random = Values::new(number as u64 * 2 + 1);
        for _ in 0..values() {
            let input = random.of(subject.schema);
            if !subject.validator.is_valid(&input) {
                continue;
            }
            match subject.decode(&input) {
                Ok((normal, notes)) => {
                    assert_eq!(notes, json!([]), "{input} of {name}");
                    let normal_value = Value::Object(normal.clone());
                    assert!(says_all_of(&input, &normal_value), "{input} of {name} became {normal_value}");
                    subject.normal_form_is_stable(&normal, &input);
                    taken += 1;
                }
                Err(error) => {
                    assert!(breaks_only_rules_between_parameters(&error), "{input} of {name}: {error}");
                }
            }
        }
        assert!(taken * 20 > values(), "only {taken} calls of {name} were taken");
    }
}

#[test]
fn a_damaged_call_of_a_standard_tool_is_refused_or_noted() {
    for (number, subject) in subjects().iter().enumerate() {
        let mut random = Values::new(number as u64 * 2 + 1);
        let mut damage = Damage::new(number as u64);
        for _ in 0..values() {
            let mut input = random.of(subject.schema);
            damage.damage(&mut input);
            if !input.is_object() {
                continue;
            }
            if let Ok((normal, notes)) = subject.decode(&input) {
                let valid = subject.validator.is_valid(&input);
                assert!(valid || notes != json!([]), "{input} is not valid for {}", subject.typed.name);
                subject.normal_form_is_stable(&normal, &input);
            }
        }
    }
}
