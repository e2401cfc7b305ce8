//! The table: a lint, a set that fires it, and one that just does not.

use std::time::Duration;

use serde_json::{Value, json};
use tool_core::def::{Constraint, ParamKeys, Surface, Surfaces};
use tool_core::{Behavior, DynTool, Registry, ToolOutput};

use crate::annotated::*;
use crate::sets::*;

/// A lint, a set that fires it, and one that just does not.
pub(crate) type Row = (&'static str, Registry, Registry);

fn text() -> Value {
    json!({"type": "string", "description": "A text."})
}

fn errors() -> Vec<Row> {
    let cases = |values: Value| param("mode", json!({"type": "string", "enum": values}));
    let asks = |word: &str| {
        set([
            with(
                "find_things",
                closed(json!({"send_by": {"type": "string", "description": format!("See `{word}`.")}}), &[]),
                |tool| tool,
            ),
            with("send_things", closed(json!({}), &[]), |tool| tool),
        ])
    };
    vec![
        ("example-invalid", typed::<FindBeyondTool>(), typed::<FindWithinTool>()),
        ("example-invalid", typed::<FindFragileTool>(), typed::<FindOpenShownTool>()),
        ("default-invalid", typed::<AddToElevenTool>(), typed::<AddToTenTool>()),
        (
            "default-invalid",
            param("size", json!({"type": "integer", "maximum": 5, "default": 6})),
            param("size", json!({"type": "integer", "maximum": 5, "default": 5})),
        ),
        (
            "default-invalid",
            param("box", closed(json!({"size": {"type": "integer", "default": "6"}}), &[])),
            param("box", closed(json!({"size": {"type": "integer", "default": 6}}), &[])),
        ),
        ("schema-decoder", typed::<AddToEvenTool>(), typed::<AddToTenTool>()),
        ("schema-decoder", typed::<AddToEvenTool>(), typed::<AddToEitherTool>()),
        ("schema-decoder", typed::<FindFragileTool>(), typed::<FindOddTool>()),
        ("pattern-invalid", typed::<FindOpenTool>(), typed::<FindClosedTool>()),
        ("enum-case", cases(json!(["Low", "low"])), cases(json!(["low", "slow"]))),
        (
            "secret-exposed",
            param_with("pin", |tool| tool.param("pin", |pin| pin.secret())),
            param_with("pin", |tool| {
                tool.param("pin", |pin| pin.secret()).surfaces(Surfaces::NONE.with(Surface::Cli))
            }),
        ),
        ("schema-false", typed::<FindNeverTool>(), typed::<FindClosedTool>()),
        (
            "schema-false",
            param("size", json!({"type": "integer", "minimum": 5, "exclusiveMaximum": 5})),
            param("size", json!({"type": "integer", "minimum": 5, "maximum": 5})),
        ),
        ("schema-not-canonical", typed::<FindPanicsTool>(), typed::<FindClosedTool>()),
        (
            "schema-not-canonical",
            written(|_, keys| {
                keys.input = Some(Box::leak(Box::new(json!({"type": "object", "minProperties": "2"}))))
            }),
            written(|_, keys| {
                keys.input = Some(Box::leak(Box::new(json!({"type": "object", "minProperties": 2}))))
            }),
        ),
        (
            "dialect-refused",
            param("a-b!", json!({"type": "string"})),
            param("a_b", json!({"type": "string"})),
        ),
        ("hint-unknown-tool", asks("get_things"), asks("send_things")),
        ("hint-unknown-tool", asks("get_things"), asks("send_by")),
        ("hint-unknown-tool", asks("get_things"), asks("some_things")),
        ("hint-unknown-tool", asks("get_things"), asks("get")),
        ("hint-unknown-tool", asks("get_things"), asks("get_Things")),
        ("hint-unknown-tool", asks("get_things"), asks("read_result")),
        ("hint-unknown-tool", asks("get_things"), asks("search_tools")),
        // What another tool takes or gives may be told of.
        (
            "hint-unknown-tool",
            asks("order_id"),
            set([
                with(
                    "find_things",
                    closed(json!({"it": {"type": "string", "description": "An `order_id`."}}), &[]),
                    |tool| tool,
                ),
                with("cancel_things", closed(json!({"order_id": text()}), &[]), |tool| tool),
            ]),
        ),
        ("hint-unknown-tool", typed::<FindLockedTool>(), typed::<FindClosedTool>()),
        ("effect-without-context", typed::<SendLetterTool>(), typed::<SendLetterOnceTool>()),
        (
            "constraint-required",
            written(|_, keys| keys.constraints = &[Constraint::ExactlyOne(&["always", "first"])]),
            written(|_, keys| keys.constraints = &[Constraint::ExactlyOne(&["second", "first"])]),
        ),
        (
            "constraint-required",
            written(|def, _| {
                def.params =
                    params(&[("first", ParamKeys { conflicts_with: &["always"], ..ParamKeys::NONE })])
            }),
            written(|def, _| {
                def.params =
                    params(&[("first", ParamKeys { conflicts_with: &["second"], ..ParamKeys::NONE })])
            }),
        ),
        (
            "constraint-required",
            written(|def, _| {
                def.params = params(&[
                    ("first", ParamKeys { requires: &["second"], ..ParamKeys::NONE }),
                    ("second", ParamKeys { requires: &["third"], ..ParamKeys::NONE }),
                    ("third", ParamKeys { conflicts_with: &["first"], ..ParamKeys::NONE }),
                ]);
            }),
            written(|def, _| {
                def.params = params(&[
                    ("first", ParamKeys { requires: &["second"], ..ParamKeys::NONE }),
                    ("second", ParamKeys { requires: &["first"], ..ParamKeys::NONE }),
                ]);
            }),
        ),
        ("constraint-required", one_of(&["first", "second"]), one_of(&["first", "third"])),
    ]
}

/// A tool whose first parameter needs the second, and of which one of these is given.
fn one_of(names: &'static [&'static str]) -> Registry {
    written(|def, keys| {
        keys.constraints = Box::leak(Box::new([Constraint::ExactlyOne(names)]));
        def.params = params(&[("first", ParamKeys { requires: &["second"], ..ParamKeys::NONE })]);
    })
}

fn of_texts() -> Vec<Row> {
    vec![
        (
            "description-short",
            said(|tool| tool.description("x".repeat(19))),
            said(|tool| tool.description("x".repeat(20))),
        ),
        (
            "description-long",
            said(|tool| tool.description("x".repeat(1_025))),
            said(|tool| tool.description("x".repeat(1_024))),
        ),
        (
            "summary-long",
            said(|tool| tool.description("x".repeat(121))),
            said(|tool| tool.description("x".repeat(120))),
        ),
        (
            "summary-long",
            said(|tool| tool.description("Finds it. Then tells of it.")),
            said(|tool| tool.description("Finds it, e.g. JSON (cf. Below).\n\nThen tells of it.")),
        ),
        (
            "description-missing-unit",
            param(
                "max_age",
                json!({"type": "integer", "maximum": 9, "minimum": 0, "description": "The thing's age."}),
            ),
            param(
                "max_age",
                json!({"type": "integer", "maximum": 9, "minimum": 0, "description": "The age in days."}),
            ),
        ),
        (
            "description-missing-unit",
            param("size", json!({"type": "number", "description": "How large."})),
            param("page", json!({"type": "number", "description": "Which one."})),
        ),
        (
            "param-undescribed",
            param("box", closed(json!({"size": {"type": "string"}}), &[])),
            param("box", closed(json!({"size": text()}), &[])),
        ),
        ("param-undescribed", refers(None), refers(Some("A box."))),
        ("param-vague", param("data", text()), param("database", text())),
        ("param-secretish", param("api_key", text()), param("key", text())),
        (
            "param-secretish",
            param("api_key", text()),
            param_with("api_key", |tool| tool.param("api_key", |key| key.log(tool_core::def::LogMode::Full))),
        ),
        (
            "param-boolean-negative",
            param("no_color", json!({"type": "boolean"})),
            param("notify", json!({"type": "boolean"})),
        ),
        ("params-many", one(many(8)), one(many(7))),
        ("name-long", named(&format!("find_{}", "x".repeat(36))), named(&format!("find_{}", "x".repeat(35)))),
        ("name-verbless", named("weather"), named("get_weather")),
        (
            "deprecated-plain",
            said(|tool| tool.deprecated("no longer needed")),
            set([
                with("find_things", closed(json!({}), &[]), |tool| tool.deprecated("use `get_things`")),
                with("get_things", closed(json!({}), &[]), |tool| tool),
            ]),
        ),
        (
            "deprecated-plain",
            one(closed(
                json!({"old": {"type": "string", "deprecated": true, "description": "Use `older`."}, "new": text()}),
                &[],
            )),
            one(closed(
                json!({"old": {"type": "string", "deprecated": true, "description": "Use `new`."}, "new": text()}),
                &[],
            )),
        ),
    ]
}

/// A parameter that only refers to a definition, which may say what it is.
fn refers(description: Option<&str>) -> Registry {
    let mut node = closed(json!({"next": {"$ref": "#/$defs/Node", "description": "The next."}}), &[]);
    if let Some(description) = description {
        node["description"] = description.into();
    }
    let mut schema = closed(json!({"box": {"anyOf": [{"$ref": "#/$defs/Node"}]}}), &[]);
    schema["$defs"] = json!({ "Node": node });
    one(schema)
}

fn many(count: usize) -> Value {
    let properties: serde_json::Map<String, Value> = (0..count).map(|i| (format!("p{i}"), text())).collect();
    closed(properties.into(), &[])
}

/// Objects inside objects.
fn nested(levels: usize) -> Value {
    let leaf = json!({"type": "string", "description": "A text."});
    (0..levels).fold(leaf, |inner, _| {
        let mut outer = closed(json!({"inner": inner}), &[]);
        outer["description"] = "An object.".into();
        outer
    })
}

fn of_schemas() -> Vec<Row> {
    let list = |most: u32| {
        param(
            "picture",
            json!({"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": most}}),
        )
    };
    let integer = |most: i64| {
        param("count", json!({"type": "integer", "minimum": -9_007_199_254_740_991_i64, "maximum": most}))
    };
    let case = |kind: &str| json!({"type": "object", "properties": {"kind": {"const": kind}}, "required": ["kind"], "additionalProperties": false});
    let either = |a: &str, b: &str| param("shape", json!({"oneOf": [case(a), case(b)]}));
    let pattern = |pattern: &str| param("word", json!({"type": "string", "pattern": pattern}));
    let node = |inner: Value| {
        json!({
            "type": "object",
            "properties": {"node": {"$ref": "#/$defs/Node", "description": "A node."}},
            "additionalProperties": false,
            "$defs": {"Node": {"type": "object", "properties": {"next": inner}, "additionalProperties": false}},
        })
    };
    let large = |bytes: usize| {
        let schema = |length: usize| {
            closed(json!({"word": {"type": "string", "description": "x".repeat(length)}}), &[])
        };
        let around = schema(0).to_string().len();
        one(schema(bytes - around))
    };
    vec![
        ("any-value", param("what", json!({})), param("what", json!({"enum": [1, "x"]}))),
        (
            "any-value",
            param("what", json!({"type": "object"})),
            param("what", json!({"type": "object", "properties": {"size": text()}})),
        ),
        (
            "any-value",
            param("what", json!({"type": "array"})),
            param("what", json!({"type": "array", "items": {"type": "string"}})),
        ),
        ("any-value", param("what", json!({"type": "object"})), param("what", closed(json!({}), &[]))),
        ("bytes-as-list", list(255), list(256)),
        ("int-53-bits", integer(9_007_199_254_740_992), integer(9_007_199_254_740_991)),
        (
            "int-53-bits",
            param("count", json!({"type": "integer"})),
            param("count", json!({"type": "integer", "enum": [1, 2]})),
        ),
        (
            "int-53-bits",
            param("count", json!({"type": "integer"})),
            param("count", json!({"type": "integer", "const": 1})),
        ),
        (
            "root-union",
            one(json!({"oneOf": [case("a"), case("b")]})),
            one(closed(json!({"shape": {"description": "A shape.", "oneOf": [case("a"), case("b")]}}), &[])),
        ),
        (
            "recursion",
            one(node(json!({"$ref": "#/$defs/Node", "description": "The next."}))),
            one(node(text())),
        ),
        (
            "map-strict",
            param("labels", json!({"type": "object", "additionalProperties": {"type": "string"}})),
            param(
                "labels",
                json!({"type": "object", "additionalProperties": {"type": "string"}, "x-entries": true}),
            ),
        ),
        (
            "tuple-strict",
            param("pair", json!({"type": "array", "prefixItems": [{"type": "string"}]})),
            param("pair", json!({"type": "array", "items": {"type": "string"}, "maxItems": 1})),
        ),
        ("oneof-overlap", either("a", "a"), either("a", "b")),
        ("regex-portable", pattern("\\bword"), pattern("\\\\bword")),
        ("nesting-deep", one(nested(6)), one(nested(5))),
        ("schema-large", large(8 * 1024 + 1), large(8 * 1024)),
        ("output-untyped", typed::<MeasureBareTool>(), typed::<MeasureToldTool>()),
        ("output-untyped", typed::<MeasureBareTool>(), typed::<FindClosedTool>()),
        ("output-opaque", typed::<MeasureAnyTool>(), typed::<MeasureToldTool>()),
    ]
}

fn of_sets() -> Vec<Row> {
    const OUTSIDE: Behavior = Behavior { open_world: true, ..Behavior::READ };
    let group = |tools: usize| {
        set((0..tools).map(|i| {
            let tweak: Tweak = if i == 0 { |tool| tool.group("lone") } else { |tool| tool.group("crowd") };
            with(&format!("find_{i}"), closed(json!({}), &[]), tweak)
        }))
    };
    let offered = |tools: usize| {
        set((0..tools).map(|i| with(&format!("find_{i}"), closed(json!({}), &[]), |tool| tool)))
    };
    let offered_to_mcp = |tools: usize| {
        set((0..tools).map(|i| {
            with(&format!("find_{i}"), closed(json!({}), &[]), |tool| {
                tool.surfaces(Surfaces::NONE.with(Surface::Mcp))
            })
        }))
    };
    let alias = |tweak: Tweak| {
        set([
            with("find_things", closed(json!({}), &[]), |tool| tool),
            with("get_things", closed(json!({}), &[]), tweak),
        ])
    };
    let unstated = DynTool::builder("find_things")
        .description("Finds what was asked for.")
        .input_schema(closed(json!({}), &[]))
        .handler_sync(|args, _| Ok(ToolOutput::structured(args)));
    vec![
        (
            "open-world-untimed",
            said(|tool| tool.behavior(OUTSIDE)),
            said(|tool| tool.behavior(OUTSIDE).timeout(Duration::from_secs(5))),
        ),
        ("effects-unknown", set([unstated.build().unwrap()]), said(|tool| tool.behavior(Behavior::UNKNOWN))),
        ("alias-shadow", alias(|tool| tool.alias("Find-Things")), alias(|tool| tool.alias("find_thing"))),
        ("group-single", group(9), group(8)),
        ("tools-many", offered(31), offered(30)),
        ("tools-many", offered_to_mcp(31), offered_to_mcp(30)),
    ]
}

pub(crate) fn rows() -> Vec<Row> {
    [errors(), of_texts(), of_schemas(), of_sets()].concat()
}
