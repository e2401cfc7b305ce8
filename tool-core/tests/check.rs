//! Every lint has one tool that fires it, and one that just does not.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at what it cannot build")]

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::contract::{CheckOptions, Finding, LINTS, Level, check};
use tool_core::def::{Cache, Constraint, ParamDef, ParamKeys, Surface, Surfaces, ToolKeys};
use tool_core::dialect::DialectId;
use tool_core::registry::RegistryBuilder;
use tool_core::{Behavior, DynTool, Registry, Tool, ToolDef, ToolOutput, tool};

// ---- how tools are made -----------------------------------------------------------------------------------------------

type Tweak = fn(tool_core::registry::DynToolBuilder) -> tool_core::registry::DynToolBuilder;

/// A schema-only tool that fires nothing, with one more thing said.
fn with(name: &str, schema: Value, tweak: Tweak) -> DynTool {
    let tool = DynTool::builder(name)
        .description("Finds what was asked for.")
        .input_schema(schema)
        .behavior(Behavior::READ)
        .handler_sync(|args, _| Ok(ToolOutput::structured(args)));
    tweak(tool).build().unwrap()
}

fn set(tools: impl IntoIterator<Item = DynTool>) -> Registry {
    tools.into_iter().fold(Registry::builder(), RegistryBuilder::add_dyn).build().unwrap()
}

fn one(schema: Value) -> Registry {
    set([with("find_things", schema, |tool| tool)])
}

fn said(tweak: Tweak) -> Registry {
    set([with(
        "find_things",
        json!({"type": "object", "properties": {}, "additionalProperties": false}),
        tweak,
    )])
}

fn named(name: &str) -> Registry {
    set([with(name, closed(json!({}), &[]), |tool| tool)])
}

fn closed(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// A tool with one required parameter, described unless it describes itself.
fn param(name: &str, mut schema: Value) -> Registry {
    let words = schema.as_object_mut().unwrap();
    words.entry("description").or_insert_with(|| "What to look for.".into());
    one(closed(json!({ name: schema }), &[name]))
}

/// As [`param`], with more said of the parameter.
fn param_with(name: &'static str, tweak: Tweak) -> Registry {
    let schema = closed(json!({name: {"type": "string", "description": "What to look for."}}), &[name]);
    set([with("find_things", schema, tweak)])
}

fn typed<T: Tool>() -> Registry {
    Registry::builder().add::<T>().build().unwrap()
}

/// A definition that the macro refuses, as a host could write it.
fn written(change: impl FnOnce(&mut ToolDef<'static>, &mut ToolKeys<'static>)) -> Registry {
    let mut keys = *PickTool::DEF.keys;
    let mut def = ToolDef { cache: Box::leak(Box::new(Cache::new())), ..*PickTool::DEF };
    change(&mut def, &mut keys);
    def.keys = Box::leak(Box::new(keys));
    Registry::builder().add_def(Box::leak(Box::new(def))).build().unwrap()
}

/// The parameters of [`pick`], with the keys of some.
fn params(keys: &[(&str, ParamKeys<'static>)]) -> &'static [ParamDef<'static>] {
    let param = |param: &ParamDef<'static>| {
        let said = keys.iter().find(|row| row.0 == param.name);
        ParamDef { keys: said.map_or(param.keys, |row| Box::leak(Box::new(row.1))), ..*param }
    };
    PickTool::DEF.params.iter().map(param).collect::<Vec<_>>().leak()
}

/// Picks what was asked for.
#[tool(register = false)]
fn pick(
    /// Always given.
    always: String,
    /// The first.
    first: Option<String>,
    /// The second.
    second: Option<String>,
    /// The third.
    third: Option<String>,
) -> String {
    format!("{always}{first:?}{second:?}{third:?}")
}

// ---- tools that only the macro makes ----------------------------------------------------------------------------------

/// Finds by a word in lower case.
#[tool(register = false)]
#[example("beyond", { "word": "A" })]
fn find_beyond(
    /** A word. */
    #[arg(pattern = "^[a-z]$")]
    word: &str,
) -> String {
    word.to_owned()
}

/// Finds by a word in lower case.
#[tool(register = false)]
#[example("within", { "word": "a" })]
fn find_within(
    /** A word. */
    #[arg(pattern = "^[a-z]$")]
    word: &str,
) -> String {
    word.to_owned()
}

/// The number where none is given: asked for when the tool runs, so that no compiler sees it.
fn eleven() -> u8 {
    11
}

fn ten() -> u8 {
    10
}

/// Adds one to a small number.
#[tool(register = false)]
fn add_to_eleven(
    /** A number. */
    #[arg(range = 1..=10, default = eleven())]
    number: u8,
) -> String {
    number.to_string()
}

/// Adds one to a small number.
#[tool(register = false)]
fn add_to_ten(
    /** A number. */
    #[arg(range = 1..=10, default = ten())]
    number: u8,
    /** Must be given. */
    other: u8,
) -> String {
    format!("{number}{other}")
}

/// Finds by a pattern that is cut off.
#[tool(register = false)]
fn find_open(
    /** A word. */
    #[arg(pattern = "^[a-z")]
    word: &str,
) -> String {
    word.to_owned()
}

/// Finds by a whole pattern.
#[tool(register = false)]
fn find_closed(
    /** A word. */
    #[arg(pattern = "^[a-z]$")]
    word: &str,
) -> String {
    word.to_owned()
}

/// A type that no value is of.
#[derive(serde::Deserialize)]
struct Never;

impl schemars::JsonSchema for Never {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Never".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        false.into()
    }
}

/// Finds what can never be asked for.
#[tool(register = false)]
fn find_never(
    /** Nothing fits. */
    never: Never,
) -> String {
    let Never = never;
    String::new()
}

/// A type that does not know its schema.
#[derive(serde::Deserialize)]
struct Panics;

impl schemars::JsonSchema for Panics {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Panics".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        "".parse::<u8>().map(|_| true.into()).unwrap()
    }
}

/// Finds what cannot be described.
#[tool(register = false)]
fn find_panics(
    /** Unknown. */
    what: Panics,
) -> String {
    let Panics = what;
    String::new()
}

/// An even number, of which its schema does not say that it is even.
#[derive(serde::Deserialize)]
#[serde(try_from = "u8")]
struct Even(u8);

impl TryFrom<u8> for Even {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<Even, &'static str> {
        if number.is_multiple_of(2) { Ok(Even(number)) } else { Err("an even number") }
    }
}

impl schemars::JsonSchema for Even {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Even".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "integer", "minimum": 0, "maximum": 255})
    }
}

/// Adds one to an even number.
#[tool(register = false)]
fn add_to_even(
    /** A number. */
    number: Even,
) -> String {
    number.0.to_string()
}

/// Adds one to a number, or to two.
#[tool(register = false, exactly_one(one, other))]
fn add_to_either(
    /** A number. */
    one: Option<u8>,
    /** A number. */
    other: Option<u8>,
) -> String {
    format!("{one:?}{other:?}")
}

/// Sends a letter, again and again.
#[tool(side_effect, idempotent = false, register = false)]
fn send_letter() -> String {
    String::new()
}

/// Sends a letter, once for each key.
#[tool(side_effect, idempotent = false, register = false)]
fn send_letter_once(ctx: &tool_core::ToolContext) -> String {
    ctx.idempotency_key().to_owned()
}

#[derive(serde::Serialize)]
struct Bare {
    size: u8,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Told {
    size: u8,
}

/// Measures a thing without a schema.
#[tool(register = false)]
fn measure_bare() -> Result<Bare, std::fmt::Error> {
    Ok(Bare { size: 1 })
}

/// Measures a thing with a schema.
#[tool(register = false)]
fn measure_told() -> Result<Told, std::fmt::Error> {
    Ok(Told { size: 1 })
}

/// Measures a thing as any value.
#[tool(register = false)]
fn measure_any() -> Value {
    Value::Null
}

// ---- the table --------------------------------------------------------------------------------------------------------

/// A lint, a set that fires it, and one that just does not.
type Row = (&'static str, Registry, Registry);

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
    ]
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
            said(|tool| tool.description("Finds it, e.g. here.\n\nThen tells of it.")),
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
        ("bytes-as-list", list(255), list(256)),
        ("int-53-bits", integer(9_007_199_254_740_992), integer(9_007_199_254_740_991)),
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
    ]
}

fn rows() -> Vec<Row> {
    [errors(), of_texts(), of_schemas(), of_sets()].concat()
}

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
    assert!(origin.starts_with("tool-core ") && origin.contains("tests/check.rs:"), "{origin}");
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
    let people = param_with("code", |tool| tool.surfaces(Surfaces::NONE.with(Surface::Cli)));
    let options = CheckOptions { dialects: vec![DialectId::Gemini], ..CheckOptions::default() };
    assert!(check(&people, &options).is_empty());
}
