//! What is proved of every tool in the same way, each in one function: examples, cases, surfaces, help.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tool_core::ErrorKind;
use tool_core::test::{Answer, FORMS, answer, says_all_of};

use crate::common::{Expected, Subject, registry};

/// How many examples a tool with parameters has at least. (testing.md §5, item 2)
const EXAMPLES: usize = 2;

/// How many cases a table has at least. (item 3)
const CASES: usize = 12;

/// Every example runs, and one that names its result has it.
pub(crate) fn examples_run(subject: &Subject) {
    let examples = subject.def().examples;
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    // Without parameters there is one call to show.
    let least = if subject.def().params.is_empty() { 1 } else { EXAMPLES };
    assert!(examples.len() >= least, "{} has {} examples", subject.tool, examples.len());
    assert!(examples.iter().any(|example| example.result.is_some()), "{}: no result", subject.tool);
    for example in examples {
        let output = subject.result(&parse(example.args)).unwrap().data();
        if let Some(expected) = example.result.map(parse) {
            assert!(says_all_of(&expected, &output), "{}: {output}", example.label);
        }
    }
}

/// Every case comes to what it says, and every code that is documented occurs.
pub(crate) fn cases_hold(subject: &Subject) {
    cases_hold_of(subject, CASES);
}

/// The same for a table that has at least so many.
pub(crate) fn cases_hold_of(subject: &Subject, least: usize) {
    let cases = (subject.cases)();
    let (mut wrong, mut codes) = (Vec::new(), BTreeSet::new());
    for case in &cases {
        let (_, result) = subject.call(case.setting((subject.files)()), &case.args);
        wrong.extend(case.wrong(&result));
        if let Expected::Error(_, code, ..) = &case.expected {
            codes.insert(*code);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.len() >= least, "{}: only {} cases", subject.tool, cases.len());
    let documented: BTreeSet<&str> = subject.codes.iter().copied().collect();
    assert_eq!(codes, documented, "{}", subject.tool);
}

/// A success, an error of each kind and arguments that do not fit come to the same on every surface.
pub(crate) fn every_surface_tells_the_same(subject: &Subject) {
    let mut kinds = BTreeMap::new();
    for case in (subject.cases)().into_iter().filter(|case| !case.tells_times) {
        let kind = match case.expected {
            Expected::Data(_) => None,
            Expected::Error(kind, ..) => Some(kind.as_str()),
        };
        kinds.entry(kind).or_insert((case.setting((subject.files)()), case.args));
    }
    assert!(kinds.contains_key(&None) || subject.def().params.is_empty(), "{}", subject.tool);
    let unknown = (subject.setting(), json!({"no_such_parameter": [1]}));
    let cases = kinds.into_iter().chain([(Some(ErrorKind::InvalidArgs.as_str()), unknown)]);
    for (kind, (setting, args)) in cases {
        let kit = (subject.kit)(setting).surfaces(surfaces()).answers(answers(subject, kind)).build();
        let outcomes = kit.everywhere(subject.tool, args.clone()).varying(subject.varying.iter().copied());
        let outcomes = outcomes.blocking();
        assert!(outcomes.told().count() >= 11, "{} {args}: {:?}", subject.tool, outcomes);
        let direct = outcomes.assert_same();
        assert_eq!(direct.as_ref().err().map(|error| error.kind().as_str()), kind, "{args}: {direct:?}");
    }
}

fn surfaces() -> Vec<std::sync::Arc<dyn tool_core::test::SurfaceUnderTest>> {
    [tool_cli::test::surfaces(), tool_mcp::test::surfaces()].concat()
}

/// Somebody is asked about what destroys when its arguments fit one by one.
fn answers(subject: &Subject, kind: Option<&str>) -> Option<Answer> {
    let asked = subject.def().behavior.destructive && kind != Some(ErrorKind::InvalidArgs.as_str());
    asked.then(|| answer::yes(subject.tool))
}

/// Help names every parameter with its default, choices and bounds; schema, dialects and Markdown name every parameter too.
pub(crate) fn help_names_everything(subject: &Subject) {
    let entry = subject.entry();
    let help = (tool_cli::test::HELP.render)(registry(), entry).unwrap().unwrap();
    let schema = subject.def().input_schema().unwrap().schema();
    let empty = serde_json::Map::new();
    let members = schema["properties"].as_object().unwrap_or(&empty);
    assert_eq!(members.len(), subject.def().params.len(), "{}", subject.tool);
    let shown = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for (name, member) in members {
        let part = part_of(&shown, name, subject);
        assert!(!part.is_empty(), "{} is not in the help:\n{help}", name);
        for fact in facts(member, schema) {
            assert!(part.contains(&fact), "{name}: {fact} is not told in {part:?}");
        }
    }
    for form in FORMS {
        let text = (form.render)(registry(), entry).unwrap().unwrap();
        for name in members.keys() {
            assert!(text.contains(name.as_str()), "{name} is not in {}:\n{text}", form.file);
        }
        assert!(text.contains(subject.tool), "{}:\n{text}", form.file);
    }
}

/// What the help says of one parameter: from its name to the next.
fn part_of<'h>(help: &'h str, name: &str, subject: &Subject) -> &'h str {
    let param = subject.def().params.iter().find(|param| param.name == name).unwrap();
    let long = param.keys.cli.long.map_or_else(|| name.replace('_', "-"), str::to_owned);
    let upper = name.to_uppercase();
    let starts = [
        format!(" <{upper}>"),
        format!(" [{upper}]"),
        format!(" --{long} "),
        format!(" --[no-]{long} "),
        format!(" --no-{long} "),
        format!(" [{upper}]..."),
        format!(" <{upper}>..."),
        format!(" --{long}... "),
    ];
    // The line of usage comes first and tells nothing.
    let body = help.split_once(" Arguments: ").or_else(|| help.split_once(" Options: "));
    let body = body.map_or("", |(before, _)| &help[before.len()..]);
    let start = starts.iter().filter_map(|start| body.find(start.as_str())).min();
    let rest = start.map_or("", |start| &body[start + 1..]);
    let end = [" --", " Options:", " Structured options:"].iter().filter_map(|end| rest.find(end)).min();
    &rest[..end.unwrap_or(rest.len())]
}

/// Default, choices and bounds, as the help words them.
fn facts(member: &Value, schema: &Value) -> Vec<String> {
    let mut facts = Vec::new();
    match &member["default"] {
        Value::String(text) => facts.push(format!("[default: {text}")),
        Value::Number(number) => facts.push(format!("[default: {number}")),
        // What is on is told by how it is turned off.
        Value::Bool(true) => facts.push("--no-".to_owned()),
        _ => {}
    }
    let named = |member: &Value| {
        let name = member["$ref"].as_str().and_then(|path| path.strip_prefix("#"));
        name.and_then(|path| schema.pointer(path).cloned())
    };
    let target = named(member).unwrap_or_else(|| member.clone());
    let choices = target["enum"].as_array().into_iter().flatten().cloned();
    let constants = target["oneOf"].as_array().into_iter().flatten().map(|choice| choice["const"].clone());
    facts.extend(choices.chain(constants).filter_map(|choice| choice.as_str().map(str::to_owned)));
    // Bounds of the type alone are no bounds of the tool.
    let bound = |name: &str| member.get(name).filter(|bound| bound.as_f64() != Some(0.0));
    facts.extend(
        ["minimum", "maximum", "maxLength"].iter().filter_map(|name| bound(name)).map(Value::to_string),
    );
    facts
}
