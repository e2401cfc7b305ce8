//! Every lint has one tool that fires it, and one that just does not.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at what it cannot build")]

mod annotated;
mod places;
mod rows;
mod sets;

use std::collections::BTreeSet;

use serde_json::json;
use tool_core::contract::{CheckOptions, Finding, LINTS, Level, check};
use tool_core::def::{Surface, Surfaces};
use tool_core::dialect::DialectId;
use tool_core::{Behavior, DynTool, Registry, ToolOutput};

use annotated::SendLetterTool;
use rows::rows;
use sets::{closed, named, param, param_with, set, typed, with};

fn ids(findings: &[Finding]) -> BTreeSet<&str> {
    findings.iter().map(|finding| finding.id.as_str()).collect()
}

fn lines(findings: &[Finding]) -> String {
    findings.iter().map(|finding| format!("{finding}\n")).collect()
}

#[test]
fn each_lint_fires_and_just_does_not() {
    for (id, fires, passes) in rows() {
        let found = check(&fires, &CheckOptions::default());
        assert!(ids(&found).contains(id), "{id} does not fire:\n{}", lines(&found));
        let found = check(&passes, &CheckOptions::default());
        assert!(!ids(&found).contains(id), "{id} fires:\n{}", lines(&found));
    }
}

#[test]
fn every_lint_has_a_row() {
    let rows = rows();
    let tested: BTreeSet<&str> = rows.iter().map(|row| row.0).chain(["name-clash"]).collect();
    let lints: BTreeSet<&str> = LINTS.iter().map(|lint| lint.id).collect();
    assert_eq!(lints.len(), LINTS.len(), "a lint stands twice");
    assert_eq!(tested, lints);
}

#[test]
fn names_of_registries_that_a_host_merges_clash_where_it_folds_them() {
    let clashing = |other: &str| {
        check(&named("find_things"), &CheckOptions { beside: vec![named(other)], ..CheckOptions::default() })
    };
    let found = clashing("Find-Things");
    assert_eq!(ids(&found), BTreeSet::from(["name-clash"]), "{}", lines(&found));
    assert!(clashing("find_thing").is_empty());
    let same = named("find_things");
    let options = CheckOptions { beside: vec![same.clone()], ..CheckOptions::default() };
    assert!(check(&same, &options).is_empty(), "the same tool is no other");
}

/// The findings of a lint, as their lines.
fn told(id: &str, registry: &Registry, options: &CheckOptions) -> Vec<String> {
    let found = check(registry, options);
    found.iter().filter(|finding| finding.id == id).map(ToString::to_string).collect()
}

#[test]
fn a_finding_says_what_is_wrong_and_is_told_where_it_is() {
    let (rows, rest) = (rows(), param("count", json!({"type": "integer", "default": "few"})));
    let fires = |id: &str, at: usize| {
        told(id, &rows.iter().filter(|row| row.0 == id).nth(at).unwrap().1, &CheckOptions::default())
    };
    assert_eq!(
        fires("example-invalid", 0),
        [
            "error example-invalid find_beyond /word: the example \"beyond\": expected string matching ^[a-z]$, got string \"A\""
        ]
    );
    assert_eq!(
        fires("example-invalid", 1),
        ["error example-invalid find_fragile: the example \"any\": decoding it panicked"]
    );
    assert_eq!(
        fires("schema-decoder", 2),
        ["error schema-decoder find_fragile: the schema allows what fails: decoding it panicked"]
    );
    assert_eq!(
        told("default-invalid", &rest, &CheckOptions::default()),
        [
            "error default-invalid find_things /count: the default does not fit: expected integer, got string \"few\""
        ]
    );
    let together = "would have to be given together";
    assert_eq!(
        fires("constraint-required", 3),
        [format!(
            "error constraint-required pick /first: it can never be given: with what it needs, `first` and `second` {together}"
        )]
    );
    assert_eq!(
        fires("recursion", 0),
        ["warning recursion find_things: `Node` contains itself: some APIs do not take that strictly"]
    );
    assert_eq!(fires("group-single", 0), ["warning group-single find_0: it is alone in the group `lone`"]);
}

#[test]
fn a_finding_is_a_line_and_an_object() {
    let found = check(&param("no_color", json!({"type": "boolean"})), &CheckOptions::default());
    let told = "true means no here: call it `color`, with a default of true";
    assert_eq!(lines(&found), format!("warning param-boolean-negative find_things /no_color: {told}\n"));
    let value = json!({
        "level": "warning", "id": "param-boolean-negative", "tool": "find_things", "path": "/no_color", "text": told,
        "origin": "run time",
    });
    assert_eq!(found[0].to_json(), value);
    let origin = &check(&typed::<SendLetterTool>(), &CheckOptions::default())[0].origin;
    assert!(origin.starts_with("tool-core ") && origin.contains("tests/check/annotated.rs:"), "{origin}");
}

#[test]
fn findings_are_sorted_by_level_lint_tool_and_place() {
    let schema = || {
        closed(
            json!({"no_b": {"type": "boolean"}, "no_a": {"type": "boolean"}, "x": {"type": "string", "enum": ["a", "A"]}}),
            &[],
        )
    };
    let found = check(
        &set(["weather", "find_it"].map(|name| with(name, schema(), |tool| tool))),
        &CheckOptions::default(),
    );
    let heads: Vec<String> =
        found.iter().map(|f| format!("{} {} {}{}", f.level.as_str(), f.id, f.tool, f.path)).collect();
    assert!(heads.is_sorted(), "{heads:#?}");
    assert_eq!((found.len(), heads[0].as_str()), (13, "error enum-case find_it/x"), "{heads:#?}");
}

#[test]
fn a_tag_silences_a_warning_of_its_tool_and_no_error() {
    let weather = |name: &str, tag: Option<&'static str>| {
        let tool = DynTool::builder(name)
            .description("Tells of the weather.")
            .behavior(Behavior::READ)
            .input_schema(closed(
                json!({"mode": {"type": "string", "description": "How.", "enum": ["a", "A"]}}),
                &[],
            ))
            .handler_sync(|args, _| Ok(ToolOutput::structured(args)));
        let tool = tag.into_iter().fold(tool, |tool, tag| tool.tag(tag).tag("allow:enum-case"));
        tool.build().unwrap()
    };
    let found = check(
        &set([weather("weather", Some("allow:name-verbless")), weather("climate", None)]),
        &CheckOptions::default(),
    );
    let heads: Vec<(&str, &str)> =
        found.iter().map(|finding| (finding.id.as_str(), finding.tool.as_str())).collect();
    assert_eq!(heads, [("enum-case", "climate"), ("enum-case", "weather"), ("name-verbless", "climate")]);
    let errors = found.iter().filter(|finding| finding.level == Level::Error).count();
    assert_eq!(errors, 2);
}

#[test]
fn losses_are_told_of_the_dialects_that_are_asked_for() {
    let registry = param("code", json!({"type": "string", "pattern": "^[a-z]+$"}));
    let losses = |dialects: Vec<DialectId>| {
        lines(&check(&registry, &CheckOptions { dialects, ..CheckOptions::default() }))
    };
    assert_eq!(losses(Vec::new()), "");
    assert_eq!(losses(vec![DialectId::Mcp20260728]), "");
    let gemini = "warning dialect-gemini find_things /properties/code: pattern: described\n";
    assert_eq!(losses(vec![DialectId::Gemini]), gemini);
    let either = |tweak: sets::Tweak| {
        let overlap =
            json!({"description": "It.", "oneOf": [{"type": "string"}, {"type": "string", "maxLength": 3}]});
        set([with("find_things", closed(json!({"it": overlap}), &[]), tweak)])
    };
    let options = CheckOptions { dialects: vec![DialectId::Mcp20260728], ..CheckOptions::default() };
    let to_mcp = either(|tool| tool.surfaces(Surfaces::NONE.with(Surface::Mcp)));
    assert_eq!(
        told("dialect-mcp-2026-07-28", &to_mcp, &options),
        ["warning dialect-mcp-2026-07-28 find_things /properties/it: oneOf: relaxed"]
    );
    let to_models = either(|tool| tool.surfaces(Surfaces::NONE.with(Surface::Llm)));
    assert_eq!(told("dialect-mcp-2026-07-28", &to_models, &options), [""; 0]);
    let people = param_with("code", |tool| tool.surfaces(Surfaces::NONE.with(Surface::Cli)));
    let options = CheckOptions { dialects: vec![DialectId::Gemini], ..CheckOptions::default() };
    assert!(check(&people, &options).is_empty());
}
