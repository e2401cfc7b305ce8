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
            // One more is allowed.
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
