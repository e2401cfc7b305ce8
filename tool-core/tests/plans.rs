//! The tools of one request: how many fit, which are strict, deferred or left out, and what is told of them. (dialects.md §4 to §6)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use serde_json::{Value, json};
use tool_core::dialect::{
    Action, Dialect as _, DialectId, Examples, Limit, Limits, Overflow, Plan, PlanOptions, Reason,
    SEARCH_TOOLS, StrictPolicy, limits,
};
use tool_core::prelude::*;
use tool_core::{Behavior, DynTool, Registry};

use DialectId::{Anthropic, Gemini, Mcp20251125, Mcp20260728, OpenAiChat, OpenAiResponses};

/// The dialects of model APIs, with the number of tools that each takes.
const MODELS: [(DialectId, Limit); 4] = [
    (Anthropic, limits::ANTHROPIC_TOOLS),
    (OpenAiChat, limits::OPENAI_TOOLS),
    (OpenAiResponses, limits::OPENAI_TOOLS),
    (Gemini, limits::GEMINI_TOOLS),
];

/// Tools by name and schema, and those that stand for all others.
fn registry(tools: &[(&str, Value)], search: &[&str]) -> Registry {
    let search = search.iter().map(|name| (*name, json!({"type": "object"})));
    tools
        .iter()
        .cloned()
        .chain(search)
        .fold(Registry::builder(), |builder, (name, schema)| {
            let tool =
                DynTool::builder(name).description("Does it.").behavior(Behavior::READ).input_schema(schema);
            builder.add_dyn(tool.handler_sync(|_, _| Ok(ToolOutput::default())).build().unwrap())
        })
        .build()
        .unwrap()
}

fn plain(names: &[&'static str]) -> Vec<(&'static str, Value)> {
    names.iter().map(|name| (*name, json!({"type": "object"}))).collect()
}

fn planned(dialect: DialectId, registry: &Registry, options: &PlanOptions) -> Result<Plan, ToolError> {
    dialect.plan(&registry.iter().collect::<Vec<_>>(), options)
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.tools.iter().map(|tool| tool.name()).collect()
}

fn at_most(limit: Limit, most: usize, overflow: Overflow, pinned: &[&str]) -> PlanOptions {
    PlanOptions {
        limits: Limits::default().with(limit, most),
        overflow,
        pinned: pinned.iter().map(|name| (*name).to_owned()).collect(),
        ..PlanOptions::default()
    }
}

#[test]
fn as_many_tools_fit_as_the_api_takes() {
    let registry = registry(&plain(&["c", "a", "b"]), &[]);
    for (dialect, limit) in MODELS {
        for overflow in [Overflow::Fail, Overflow::Search] {
            let plan = planned(dialect, &registry, &at_most(limit, 3, overflow, &[])).unwrap();
            assert_eq!(names(&plan), ["a", "b", "c"], "{dialect}");
            let error = planned(dialect, &registry, &at_most(limit, 2, overflow, &[])).unwrap_err();
            assert_eq!(
                (error.code_str(), &error.details()["limit"]),
                ("too_many_tools", &json!(2)),
                "{dialect}"
            );
            assert_eq!(error.message(), "3 tools do not fit into one request, which takes 2.");
        }
    }
    for dialect in [Mcp20251125, Mcp20260728] {
        assert_eq!(planned(dialect, &registry, &PlanOptions::default()).unwrap().tools.len(), 3);
    }
}

#[test]
fn the_search_tools_and_the_pinned_ones_stand_for_the_others() {
    let tools = plain(&["a", "b", "c", "d"]);
    let all = registry(&tools, &SEARCH_TOOLS);
    for (dialect, limit) in MODELS {
        let plan = planned(dialect, &all, &at_most(limit, 5, Overflow::Search, &["c"])).unwrap();
        let mut expected: Vec<&str> = SEARCH_TOOLS.into_iter().chain(["c"]).collect();
        expected.sort_unstable();
        assert_eq!(names(&plan), expected, "{dialect}");
        // Even these are too many.
        let error = planned(dialect, &all, &at_most(limit, 4, Overflow::Search, &["c"])).unwrap_err();
        assert_eq!(error.message(), "5 tools do not fit into one request, which takes 4.");
        // Where all fit, nothing is left out; where nobody asks for it, neither.
        assert_eq!(planned(dialect, &all, &at_most(limit, 8, Overflow::Search, &[])).unwrap().tools.len(), 8);
        assert!(planned(dialect, &all, &at_most(limit, 5, Overflow::Fail, &[])).is_err());
        for left_out in SEARCH_TOOLS {
            let search: Vec<&str> = SEARCH_TOOLS.into_iter().filter(|name| *name != left_out).collect();
            let some = registry(&tools, &search);
            assert!(
                planned(dialect, &some, &at_most(limit, 5, Overflow::Search, &[])).is_err(),
                "{left_out}"
            );
        }
    }
}

#[test]
fn all_but_the_pinned_tools_are_deferred_where_the_api_searches_them() {
    let registry = registry(&plain(&["a", "b", "c"]), &[]);
    for (dialect, limit) in MODELS {
        let plan = planned(dialect, &registry, &at_most(limit, 2, Overflow::Defer, &["b"]));
        match dialect {
            Anthropic | OpenAiResponses => {
                let plan = plan.unwrap();
                let deferred: Vec<bool> = plan.tools.iter().map(|tool| tool.deferred).collect();
                assert_eq!(deferred, [true, false, true], "{dialect}");
                let marked = plan.text().matches(r#""defer_loading":true"#).count();
                assert_eq!(marked, 2, "{dialect}: {}", plan.text());
            }
            _ => assert_eq!(plan.unwrap_err().code_str(), "too_many_tools", "{dialect}"),
        }
        let few = planned(dialect, &registry, &at_most(limit, 9, Overflow::Defer, &["b"])).unwrap();
        let defers = matches!(dialect, Anthropic | OpenAiResponses);
        assert_eq!(few.tools.iter().any(|tool| tool.deferred), defers, "{dialect}");
        // Tools that are loaded later are not offered, so nobody advises against their number.
        let advised = match dialect {
            Anthropic => limits::ANTHROPIC_TOOLS_ADVISED,
            Gemini => limits::GEMINI_TOOLS_ADVISED,
            _ => limits::OPENAI_TOOLS_ADVISED,
        };
        let warned = |overflow, most| {
            let options = PlanOptions {
                limits: Limits::default().with(advised, most),
                overflow,
                pinned: vec!["b".to_owned()],
                ..PlanOptions::default()
            };
            planned(dialect, &registry, &options).unwrap().warnings
        };
        assert_eq!(warned(Overflow::Fail, 3), [""; 0], "{dialect}");
        assert_eq!(warned(Overflow::Fail, 2).len(), 1, "{dialect}");
        assert_eq!(warned(Overflow::Defer, 2).is_empty(), defers, "{dialect}");
        assert!(warned(Overflow::Fail, 2)[0].starts_with("3 tools are offered; "));
    }
}

#[test]
fn a_plan_is_written_once_and_finds_its_tools() {
    let registry = registry(&plain(&["b", "a"]), &[]);
    for dialect in [Anthropic, OpenAiChat, OpenAiResponses, Gemini, Mcp20251125, Mcp20260728] {
        let plan = planned(dialect, &registry, &PlanOptions::default()).unwrap();
        assert_eq!(plan.text(), dialect.tools(&plan).to_string());
        assert!(std::ptr::eq(plan.text(), plan.text()));
        assert_eq!(plan.tool("b").map(|tool| tool.name()), Some("b"));
        assert!(plan.tool("c").is_none());
    }
}

/// Reads a file.
#[tool(register = false)]
#[example("All of it", { "path": "a.txt" })]
#[example("Its head", { "path": "b.txt", "lines": 5 })]
#[example("One more", { "path": "c" })]
#[example("One too many", { "path": "d" })]
fn read(
    /// Which one.
    path: &str,
    /// How much.
    #[arg(range = 1..=9)]
    lines: Option<u32>,
) -> String {
    format!("{path} {lines:?}")
}

#[test]
fn examples_are_sent_described_or_left_out_and_never_more_than_three() {
    let registry = Registry::builder().add::<ReadTool>().build().unwrap();
    let tool = |dialect: DialectId, examples| {
        let options = PlanOptions { examples, strict: Some(StrictPolicy::Never), ..PlanOptions::default() };
        dialect.tools(&planned(dialect, &registry, &options).unwrap())[0].clone()
    };
    let native = tool(Anthropic, Examples::Native);
    assert_eq!(
        native["input_examples"],
        json!([{"path": "a.txt"}, {"path": "b.txt", "lines": 5}, {"path": "c"}])
    );
    assert_eq!(native["description"], "Reads a file.");
    let described = "Reads a file.\nExample: {\"path\":\"a.txt\"}.\nExample: {\"path\":\"b.txt\",\"lines\":5}.\nExample: {\"path\":\"c\"}.";
    assert_eq!(tool(Anthropic, Examples::Describe)["description"], described);
    assert_eq!(tool(Anthropic, Examples::Describe).get("input_examples"), None);
    assert_eq!(tool(OpenAiChat, Examples::Describe)["function"]["description"], described);
    assert_eq!(tool(Gemini, Examples::Describe)["functionDeclarations"][0]["description"], described);
    let omitted = tool(Anthropic, Examples::Omit);
    assert_eq!((omitted.get("input_examples"), &omitted["description"]), (None, &json!("Reads a file.")));
}

fn object(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

#[test]
fn a_schema_that_is_too_much_for_a_strict_form_is_sent_loose_with_the_limit_as_reason() {
    let deep = (0..4).fold(json!({"type": "string"}), |inner, _| object(json!({"in": inner})));
    let choice = json!({"type": "string", "enum": ["one", "two", "three"]});
    let registry = registry(
        &[("deep", deep), ("choice", object(json!({"which": choice}))), ("none", object(json!({})))],
        &[],
    );
    for dialect in [OpenAiChat, OpenAiResponses] {
        let with = |limit, most| PlanOptions {
            limits: Limits::default().with(limit, most),
            ..PlanOptions::default()
        };
        for (limit, most, loose) in [
            (limits::OPENAI_STRICT_DEPTH, 3, "deep"),
            (limits::OPENAI_STRICT_PROPERTIES, 3, "deep"),
            (limits::OPENAI_STRICT_ENUM_VALUES, 2, "choice"),
            (limits::OPENAI_STRICT_CHARS, 10, "choice"),
        ] {
            let options = with(limit, most);
            let plan = planned(dialect, &registry, &options).unwrap();
            let reasons: Vec<_> =
                plan.tools.iter().map(|tool| (tool.name(), tool.strict(), tool.reason)).collect();
            let expected = ["choice", "deep", "none"]
                .map(|name| (name, name != loose, (name == loose).then_some(Reason::Downgraded)));
            assert_eq!(reasons, expected, "{}", limit.name);
            let told: Vec<String> = plan.issues().map(|issue| issue.to_string()).collect();
            assert_eq!(told, [format!("{loose}: {dialect}: : {}: downgraded", limit.name)]);
            assert_eq!(plan.used.tools, 2);
            let report = plan.report();
            let row = report["tools"].as_array().unwrap().iter().find(|row| row["name"] == loose).unwrap();
            assert_eq!(row, &json!({"name": loose, "strict": false, "reason": "downgraded"}));

            let always = PlanOptions { strict: Some(StrictPolicy::Always), ..options };
            let error = planned(dialect, &registry, &always).unwrap_err();
            assert_eq!(error.code_str(), "strict_impossible");
            assert_eq!(error.details()["issues"][0]["keyword"], limit.name);
            assert_eq!(error.details()["issues"][0]["tool"], loose);
            // Where there is room, all are.
            assert!(
                planned(dialect, &registry, &with(limit, 1_000))
                    .unwrap()
                    .tools
                    .iter()
                    .all(|tool| tool.strict())
            );
        }
        let never = PlanOptions { strict: Some(StrictPolicy::Never), ..PlanOptions::default() };
        let plan = planned(dialect, &registry, &never).unwrap();
        assert!(plan.tools.iter().all(|tool| !tool.strict() && tool.reason == Some(Reason::Policy)));
    }
}

#[test]
fn what_is_told_of_a_construct_names_its_place_keyword_and_fate() {
    let pattern = object(json!({"code": {"type": "string", "pattern": "^a+$"}}));
    let registry = registry(&[("look", pattern)], &[]);
    let plan = planned(Gemini, &registry, &PlanOptions::default()).unwrap();
    let issue = plan.issues().next().unwrap();
    assert_eq!(issue.issue.action, Action::Described);
    assert_eq!(issue.issue.to_string(), "/properties/code: pattern: described");
    assert_eq!(issue.to_string(), format!("look: {Gemini}: /properties/code: pattern: described"));
    assert_eq!(limits::OPENAI_TOOLS.value.to_string(), "128");
    assert_eq!(limits::OPENAI_NAME.value.to_string(), "^[a-zA-Z0-9_-]{1,64}$");
    assert!(limits::OPENAI_IMAGE_TYPES.value.to_string().starts_with("image/png image/jpeg "));
    assert_eq!((limits::OPENAI_NAME.number(), limits::OPENAI_NAME.types()), (usize::MAX, &[][..]));
    assert_eq!(limits::OPENAI_IMAGE_TYPES.number(), usize::MAX);
    assert_eq!(Limits::default().get(limits::OPENAI_TOOLS), 128);
}

/// The most that a limit of a strict OpenAI schema must be for a tool to be strict.
fn needed(registry: &Registry, limit: Limit, others: &Limits) -> usize {
    let is_strict = |most: &usize| {
        let options = PlanOptions { limits: others.clone().with(limit, *most), ..PlanOptions::default() };
        planned(OpenAiChat, registry, &options).unwrap().tools[0].strict()
    };
    (0..200).find(is_strict).unwrap()
}

#[test]
fn what_a_strict_schema_costs_is_counted_at_every_depth() {
    let inner = object(json!({"x": {"type": "string"}}));
    let flat = object(json!({
        "which": {"type": "string", "enum": ["one", "two", "three"]},
        "mark": {"type": "string", "const": "abcd"},
        "in": object(json!({"list": {"type": "array", "items": inner}})),
        "last": {"type": "string", "enum": ["y", "n"]},
    }));
    let node = json!({"type": "object", "properties": {"name": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
        "required": ["name", "kids"], "additionalProperties": false});
    let mut tree = object(json!({"tree": {"$ref": "#/$defs/Node"}}));
    tree["$defs"] = json!({"Node": node});
    let none = Limits::default();
    let count_all = Limits::default().with(limits::OPENAI_STRICT_LONG_ENUM, 0);
    let count_long = Limits::default().with(limits::OPENAI_STRICT_LONG_ENUM, 2);
    let count_none = Limits::default().with(limits::OPENAI_STRICT_LONG_ENUM, 3);
    for (schema, limit, others, cost) in [
        (&flat, limits::OPENAI_STRICT_PROPERTIES, &none, 6),
        (&flat, limits::OPENAI_STRICT_DEPTH, &none, 4),
        (&flat, limits::OPENAI_STRICT_ENUM_VALUES, &none, 5),
        // The names of six properties, five choices, a constant.
        (&flat, limits::OPENAI_STRICT_CHARS, &none, 20 + 13 + 4),
        // Of the lists of choices that are long, the one with most characters.
        (&flat, limits::OPENAI_STRICT_ENUM_CHARS, &count_all, 11),
        (&flat, limits::OPENAI_STRICT_ENUM_CHARS, &count_long, 11),
        (&flat, limits::OPENAI_STRICT_ENUM_CHARS, &count_none, 0),
        (&tree, limits::OPENAI_STRICT_PROPERTIES, &none, 3),
        (&tree, limits::OPENAI_STRICT_DEPTH, &none, 2),
        (&tree, limits::OPENAI_STRICT_CHARS, &none, 4 + "Node".len() + 8),
        (&tree, limits::OPENAI_STRICT_ENUM_VALUES, &none, 0),
    ] {
        assert_eq!(
            needed(&registry(&[("look", schema.clone())], &[]), limit, others),
            cost,
            "{}",
            limit.name
        );
    }
}

/// A tool with so many optional parameters and unions.
fn costing(optional: usize, unions: usize) -> Value {
    let optional = (0..optional).map(|i| (format!("o{i}"), json!({"type": "string"})));
    let unions =
        (0..unions).map(|i| (format!("u{i}"), json!({"anyOf": [{"type": "string"}, {"type": "integer"}]})));
    let required: Vec<String> = unions.clone().map(|row| row.0).collect();
    let properties: serde_json::Map<String, Value> = optional.chain(unions).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

#[test]
fn strict_tools_share_what_a_request_has_room_for() {
    let registry = registry(&[("a", costing(2, 0)), ("b", costing(0, 2)), ("c", costing(2, 2))], &[]);
    let limited = |limit: Limit, most: usize, policy: StrictPolicy| PlanOptions {
        limits: Limits::default().with(limit, most),
        strict: Some(policy),
        ..PlanOptions::default()
    };
    let (tools, optional, unions) =
        (limits::ANTHROPIC_STRICT_TOOLS, limits::ANTHROPIC_STRICT_OPTIONAL, limits::ANTHROPIC_STRICT_UNIONS);
    for (limit, most, reason, loose) in [
        (tools, 3, None, &[][..]),
        (tools, 2, Some(Reason::Tools), &["c"]),
        (tools, 1, Some(Reason::Tools), &["b", "c"]),
        (tools, 0, Some(Reason::Tools), &["a", "b", "c"]),
        (optional, 4, None, &[]),
        (optional, 3, Some(Reason::Optional), &["c"]),
        (optional, 2, Some(Reason::Optional), &["c"]),
        (optional, 0, Some(Reason::Optional), &["a", "c"]),
        (unions, 4, None, &[]),
        (unions, 3, Some(Reason::Unions), &["c"]),
        (unions, 0, Some(Reason::Unions), &["b", "c"]),
    ] {
        let plan = planned(Anthropic, &registry, &limited(limit, most, StrictPolicy::Prefer)).unwrap();
        let found: Vec<&str> =
            plan.tools.iter().filter(|tool| !tool.strict()).map(|tool| tool.name()).collect();
        assert_eq!(found, loose, "{} {most}", limit.name);
        assert!(plan.tools.iter().all(|tool| tool.reason == reason.filter(|_| !tool.strict())));
        assert_eq!(plan.used.tools, 3 - loose.len());

        let always = planned(Anthropic, &registry, &limited(limit, most, StrictPolicy::Always));
        match reason {
            None => assert!(always.unwrap().tools.iter().all(|tool| tool.strict())),
            Some(reason) => {
                let error = always.unwrap_err();
                assert_eq!((error.code_str(), &error.details()["reason"]), ("strict_budget", &json!(reason)));
            }
        }
    }
    let plan = planned(Anthropic, &registry, &limited(tools, 3, StrictPolicy::Prefer)).unwrap();
    assert_eq!((plan.used.optional, plan.used.unions), (4, 4));
    // The dialect's own is never, and then nothing is spent.
    let plan = planned(Anthropic, &registry, &PlanOptions::default()).unwrap();
    assert!(plan.tools.iter().all(|tool| !tool.strict() && tool.reason == Some(Reason::Policy)));
    assert_eq!(plan.used.tools, 0);
}

#[test]
fn a_tool_that_a_dialect_cannot_carry_is_not_dropped_in_silence() {
    let odd = registry(&[("look", object(json!({"no-name": {"type": "string"}})))], &[]);
    let error = planned(Gemini, &odd, &PlanOptions::default()).unwrap_err();
    assert_eq!(error.code_str(), "dialect_refused");
    assert_eq!(error.message(), format!("{Gemini} cannot carry `look`."));
    assert!(planned(OpenAiChat, &odd, &PlanOptions::default()).is_ok());
    let long = "x".repeat(64);
    let names = object(
        json!({long.as_str(): {"type": "string"}, "_a1": {"type": "string"}, "B": {"type": "string"}}),
    );
    assert!(planned(Gemini, &registry(&[("look", names)], &[]), &PlanOptions::default()).is_ok());
    for refused in [format!("{long}x"), "1a".to_owned(), "a.b".to_owned(), "é".to_owned()] {
        let one = registry(&[("look", object(json!({refused.as_str(): {"type": "string"}})))], &[]);
        assert!(planned(Gemini, &one, &PlanOptions::default()).is_err(), "{refused}");
    }
}

#[test]
fn the_most_items_of_all_tools_share_one_sum() {
    let list =
        |most: u64| object(json!({"list": {"type": "array", "items": {"type": "string"}, "maxItems": most}}));
    let registry = registry(&[("a", list(5)), ("b", list(7)), ("c", object(json!({}))), ("d", list(7))], &[]);
    for (most, described) in
        [(19, &[][..]), (18, &["b"]), (12, &["b"]), (11, &["b", "d"]), (4, &["b", "d", "a"])]
    {
        let options = PlanOptions {
            limits: Limits::default().with(limits::GEMINI_MAX_ITEMS_SUM, most),
            ..PlanOptions::default()
        };
        let plan = planned(Gemini, &registry, &options).unwrap();
        let mut expected = described.to_vec();
        expected.sort_unstable();
        let in_words = |tool: &&tool_core::dialect::Planned| {
            tool.compiled.issues.iter().any(|issue| issue.keyword == "maxItems")
        };
        let found: Vec<&str> = plan.tools.iter().filter(in_words).map(|tool| tool.name()).collect();
        assert_eq!(found, expected, "{most}");
    }
}
