//! The input schema of a tool, row by row of the table in arguments.md §1.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
#[allow(unused_imports, reason = "traits that the answers of a type come from")]
use tool_core::__private::rungs::*;
use tool_core::__private::{answers, output, param_with};
use tool_core::ToolDef;
use tool_core::def::{
    Bounds, Cache, Doc, Handler, LogMode, Number, Origin, ParamDef, ParamKeys, Range, Run, SchemaSource,
    ToolKeys,
};
use tool_core::schema::{InputSchema, built};

#[macro_use]
mod row;

fn nowhere(_: &mut tool_core::args::Args) -> Result<Run, tool_core::ToolError> {
    Err(tool_core::ToolError::internal("It does not run."))
}

fn tool(params: Vec<ParamDef<'static>>) -> ToolDef<'static> {
    let cache = Box::leak(Box::new(Cache::new()));
    let mut tool = ToolDef::new("t", Doc::NONE, Handler::Sync(nowhere), Origin::DYNAMIC, cache);
    tool.params = params.leak();
    tool
}

fn input(params: Vec<ParamDef<'static>>) -> &'static InputSchema {
    tool(params).input_schema().unwrap()
}

/// The schema of one parameter `x`, and whether it is required.
fn one(param: ParamDef<'static>) -> (Value, bool) {
    let schema = input(vec![param]).schema();
    (schema["properties"]["x"].clone(), schema["required"] == json!(["x"]))
}

/// What a parameter has where a test says nothing.
const KEYS: ParamKeys<'static> = ParamKeys { any: true, ..ParamKeys::NONE };
const DOC: Doc<'static> = Doc::Text("");

const BOUNDS: Bounds<'static> = Bounds::NONE;

/// How much.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    /// Little.
    Low,
    High,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Node {
    next: Option<Box<Node>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Page {
    /// Where to begin.
    from: Option<u32>,
    size: u8,
}

/// How it is read.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Mode {
    Head { lines: u32 },
    All,
}

#[test]
fn a_type_decides_what_may_be_left_out() {
    assert_eq!(one(x!(String)), (json!({"type": "string"}), true));
    assert_eq!(one(x!(Option<String>)), (json!({"type": "string"}), false));
    assert_eq!(one(x!(bool)), (json!({"type": "boolean", "default": false}), false));
    let list = json!({"type": "array", "items": {"type": "string"}, "default": []});
    assert_eq!(one(x!(Vec<String>)), (list, false));
    assert_eq!(
        one(x!(Option<Option<u8>>)),
        (json!({"type": ["integer", "null"], "minimum": 0, "maximum": 255, "x-keep-null": true}), false)
    );
    assert_eq!(one(x!(Option<Value>)), (json!({}), false));
    assert_eq!(
        one(x!(Option<Vec<u64>>)),
        (json!({"type": "array", "items": {"type": "integer", "minimum": 0}}), false)
    );
}

#[test]
fn required_makes_null_a_value_and_takes_the_default_away() {
    assert_eq!(one(x!(Option<String>, required: true)), (json!({"type": ["string", "null"]}), true));
    assert_eq!(one(x!(bool, required: true)), (json!({"type": "boolean"}), true));
    assert_eq!(
        one(x!(Vec<bool>, required: true)),
        (json!({"type": "array", "items": {"type": "boolean"}}), true)
    );
    let least = Bounds { len: Range { min: 1, max: Some(3) }, ..BOUNDS };
    assert_eq!(
        one(x!(Vec<bool>, bounds: least)),
        (json!({"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 3}), true)
    );
    assert_eq!(
        one(x!(Option<Page>, required: true)).0["anyOf"][1],
        json!({"type": "null"}),
        "a nullable object"
    );
}

#[test]
fn bounds_go_through_options_and_onto_items() {
    let range = Bounds { min: Some(Number::Int(1)), max: Some(Number::Int(9)), ..BOUNDS };
    let nine = json!({"type": "integer", "minimum": 1, "maximum": 9});
    assert_eq!(one(x!(Option<u8>, bounds: range)).0, nine);
    assert_eq!(one(x!(Vec<i64>, bounds: range)).0["items"], nine);
    assert_eq!(
        one(x!(Option<u8>, bounds: range, required: true)).0,
        json!({"type": ["integer", "null"], "minimum": 1, "maximum": 9})
    );
    // The tighter bound holds.
    let loose = Bounds { min: Some(Number::Int(-5)), max: Some(Number::Int(999)), ..BOUNDS };
    assert_eq!(one(x!(u8, bounds: loose)).0, json!({"type": "integer", "minimum": 0, "maximum": 255}));
    let half =
        Bounds { min: Some(Number::Float(0.5)), max: Some(Number::Int(1)), max_exclusive: true, ..BOUNDS };
    assert_eq!(
        one(x!(f32, bounds: half)).0,
        json!({"type": "number", "minimum": 0.5, "exclusiveMaximum": 1})
    );
    assert_eq!(
        one(x!(f64, bounds: half)).0,
        json!({"type": "number", "minimum": 0.5, "exclusiveMaximum": 1})
    );
}

/// A schema that stands in the place of a type's.
fn given(schema: Value) -> SchemaSource<'static> {
    SchemaSource::Given(Box::leak(Box::new(schema)))
}

#[test]
fn the_tighter_bound_of_a_type_stays_whatever_is_said_of_it() {
    let below = |most: i128| Bounds { max: Some(Number::Int(most)), max_exclusive: true, ..BOUNDS };
    let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
    assert_eq!(one(x!(u8, bounds: below(300))).0, byte);
    let ten = json!({"type": "integer", "minimum": 0, "exclusiveMaximum": 10});
    assert_eq!(one(x!(u8, bounds: below(10))).0, ten);
    // By every digit.
    let own = json!({"type": "integer", "maximum": 9_007_199_254_740_992_u64});
    let looser = Bounds { max: Some(Number::Int(9_007_199_254_740_993)), ..BOUNDS };
    assert_eq!(one(x!(Value, schema: given(own.clone()), bounds: looser)).0, own);
}

#[test]
fn bounds_are_those_of_what_is_no_null() {
    let len = Bounds { len: Range { min: 2, max: None }, ..BOUNDS };
    let map = json!({"type": "object", "additionalProperties": {"type": "boolean"}, "minProperties": 2});
    assert_eq!(
        one(x!(Option<BTreeMap<String, bool>>, bounds: len, required: true)).0,
        json!({"anyOf": [map, {"type": "null"}]})
    );
    // Of several alternatives none is meant.
    let object = json!({"type": "object", "additionalProperties": {"type": "boolean"}});
    for branches in [
        json!([{"type": "string"}, {"type": "integer"}]),
        json!([{"type": "string"}, object, {"type": "null"}]),
    ] {
        let either = json!({ "anyOf": branches });
        assert_eq!(one(x!(Value, schema: given(either.clone()), bounds: len, required: true)).0, either);
    }
}

#[test]
fn lengths_patterns_and_choices_follow_the_type() {
    let len = Bounds { len: Range { min: 2, max: None }, ..BOUNDS };
    assert_eq!(one(x!(String, bounds: len)).0, json!({"type": "string", "minLength": 2}));
    assert_eq!(
        one(x!(BTreeMap<String, bool>, bounds: len)).0,
        json!({"type": "object", "additionalProperties": {"type": "boolean"}, "minProperties": 2})
    );
    let items = Bounds {
        item_len: Range { min: 0, max: Some(4) },
        pattern: Some("^a"),
        choices: &["a", "ab"],
        ..BOUNDS
    };
    assert_eq!(
        one(x!(Option<BTreeSet<Option<String>>>, bounds: items)).0,
        json!({"type": "array", "uniqueItems": true, "items":
            {"type": ["string", "null"], "maxLength": 4, "pattern": "^a", "enum": ["a", "ab", null]}})
    );
    assert_eq!(
        one(x!(String, bounds: Bounds { choices: &["b", "a"], ..BOUNDS })).0,
        json!({"type": "string", "enum": ["b", "a"]})
    );
    assert_eq!(one(x!(String, format: Some("uuid"))).0, json!({"type": "string", "format": "uuid"}));
}

#[test]
fn facts_of_a_parameter_stand_beside_its_type() {
    let (schema, required) = one(x!(
        BTreeMap<String, u64>,
        doc: Doc::Text("Limits."),
        default: Some(|| json!({"a": 1})),
        examples: Some(|| json!([{"b": 2}])),
        entries: true,
        log: Some(LogMode::Hash),
        header: Some("Limits"),
        deprecated: Some("use `y`.")
    ));
    assert!(!required);
    assert_eq!(
        schema,
        json!({
            "type": "object", "additionalProperties": {"type": "integer", "minimum": 0},
            "description": "Limits. Deprecated: use `y`.", "default": {"a": 1}, "examples": [{"b": 2}],
            "x-entries": true, "x-log": "hash", "x-mcp-header": "Limits", "deprecated": true,
        })
    );
    assert_eq!(one(x!(String, secret: true)).0, json!({"type": "string", "writeOnly": true}));
}

#[test]
fn the_text_of_a_parameter_comes_before_the_notes_of_its_type() {
    let level = |doc| one(x!(Level, doc: Doc::Text(doc), deprecated: Some("it is gone.")));
    assert_eq!(level("Mine.").0["description"], "Mine. `low`: Little. Deprecated: it is gone.");
    assert_eq!(level(" ").0["description"], "How much. `low`: Little. Deprecated: it is gone.");
    assert_eq!(
        one(x!(Option<Level>, doc: Doc::Raw(" Mine,\n wrapped."))).0["description"],
        "Mine, wrapped. `low`: Little."
    );
}

#[test]
fn definitions_are_shared_at_the_root() {
    let y = ParamDef {
        keys: &ParamKeys { secret: true, ..ParamKeys::NONE },
        ..param!("y", Doc::Text("The second."), Option<Node>)
    };
    let schema = input(vec![x!(Node), y, param!("z", Doc::NONE, Vec<Node>)]).schema();
    assert_eq!(
        *schema,
        json!({
            "type": "object",
            "properties": {
                "x": {"$ref": "#/$defs/Node"},
                "y": {"anyOf": [{"$ref": "#/$defs/Node"}], "description": "The second.", "writeOnly": true},
                "z": {"type": "array", "items": {"$ref": "#/$defs/Node"}, "default": []},
            },
            "required": ["x"],
            "additionalProperties": false,
            "$defs": {"Node": {
                "type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}, "additionalProperties": false,
            }},
        })
    );
}

#[test]
fn different_definitions_of_one_name_are_told_apart() {
    let list = |kind: &str| {
        let schema =
            json!({"$ref": "#/$defs/L", "$defs": {"L": {"type": kind, "items": {"$ref": "#/$defs/L"}}}});
        SchemaSource::Given(Box::leak(Box::new(schema)))
    };
    let schema = input(vec![x!(Value, schema: list("array")), {
        let mut y = param!("y", Doc::NONE, Value);
        y.schema = list("object");
        y
    }])
    .schema();
    assert_eq!(schema["properties"]["y"], json!({"$ref": "#/$defs/L2"}));
    assert_eq!(schema["$defs"]["L2"], json!({"type": "object", "items": {"$ref": "#/$defs/L2"}}));
    assert_eq!(schema["$defs"]["L"]["type"], "array");
}

#[test]
fn words_are_those_of_the_parameter_or_of_its_type() {
    let description =
        |param: ParamDef<'static>| input(vec![param]).param(0).unwrap().schema["description"].clone();
    assert_eq!(description(x!(Mode)), "How it is read.");
    assert_eq!(description(x!(Mode, doc: Doc::Text("Mine."))), "Mine.");
    assert_eq!(description(x!(Mode, doc: Doc::Text("Mine."), flatten: true)), "How it is read.");
    assert_eq!(description(x!(Value, schema: given(json!(true)), doc: Doc::Text("Mine."))), "Mine.");
}

#[test]
fn what_is_wrong_with_the_schema_of_a_parameter_is_told_at_its_place() {
    let broken = tool(vec![x!(Value, schema: given(json!({"items": {"not": 5}})))]);
    let problem = broken.input_schema().unwrap_err();
    assert!(problem.to_string().contains(" at `/properties/x/items/not`: "), "{problem}");
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Open {
    size: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, bool>,
}

#[test]
fn what_a_flattened_struct_takes_besides_its_fields_is_taken_at_the_root() {
    let others = |param: ParamDef<'static>| input(vec![param]).schema()["additionalProperties"].clone();
    assert_eq!(others(x!(Open, flatten: true)), json!({"type": "boolean"}));
    assert_eq!(others(x!(Page, flatten: true)), json!(false));
}

#[test]
fn a_definition_gets_a_name_that_neither_side_has() {
    let list = |kind: &str| json!({"type": kind, "items": {"$ref": "#/$defs/L"}});
    let other = json!({"type": "array", "items": {"$ref": "#/$defs/L2"}});
    let own = json!({"anyOf": [{"$ref": "#/$defs/L"}, {"$ref": "#/$defs/L2"}], "$defs": {"L": list("object"), "L2": other}});
    let first = given(json!({"$ref": "#/$defs/L", "$defs": {"L": list("array")}}));
    let schema = input(vec![x!(Value, schema: first), {
        let mut y = param!("y", Doc::NONE, Value);
        y.schema = given(own);
        y
    }])
    .schema();
    assert_eq!(schema["properties"]["y"]["anyOf"], json!([{"$ref": "#/$defs/L3"}, {"$ref": "#/$defs/L2"}]));
    assert_eq!(schema["$defs"]["L2"], other);
    assert_eq!(schema["$defs"]["L3"], json!({"type": "object", "items": {"$ref": "#/$defs/L3"}}));
}

#[test]
fn fields_of_a_flattened_struct_become_parameters_in_its_place() {
    let schema =
        input(vec![x!(String), { x!(Page, name: "page", flatten: true) }, param!("y", Doc::NONE, bool)])
            .schema();
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["x", "from", "size", "y"]);
    assert_eq!(schema["required"], json!(["x", "size"]));
    assert_eq!(schema["properties"]["from"]["description"], "Where to begin.");
}

#[test]
fn a_flattened_enum_makes_the_root_a_union() {
    let mode = || x!(Mode, name: "mode", flatten: true);
    let alone = input(vec![mode()]);
    assert_eq!(alone.schema()["oneOf"], alone.param(0).unwrap().schema["oneOf"]);
    assert_eq!(alone.schema().as_object().unwrap().len(), 1);
    let schema = input(vec![x!(String), mode(), param!("deep", Doc::NONE, bool)]).schema();
    let head = &schema["oneOf"][0];
    let names: Vec<&String> = head["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["kind", "x", "deep", "lines"]);
    assert_eq!(head["required"], json!(["kind", "lines", "x"]));
    assert_eq!(head["additionalProperties"], json!(false));
    assert_eq!(
        tool(vec![x!(u8, flatten: true)]).input_schema().unwrap_err().code_str(),
        "flatten_not_object"
    );
}

#[test]
fn what_a_type_does_not_guarantee_is_walked() {
    let walk = |param: ParamDef<'static>| input(vec![param]).param(0).unwrap().walk;
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Checked {
        #[schemars(range(min = 1, max = 5))]
        n: u8,
    }
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Deep {
        checked: Vec<Option<Checked>>,
    }
    for walked in [walk(x!(Checked)), walk(x!(Option<Deep>)), walk(x!(Mode)), walk(x!(BTreeSet<u8>))] {
        assert!(walked);
    }
    for sure in [walk(x!(Page)), walk(x!(Option<Node>)), walk(x!(Level)), walk(x!((u8, f32))), walk(x!(u64))]
    {
        assert!(!sure);
    }
    macro_rules! said {
        ($($keywords:tt)*) => {{
            struct Said;
            impl JsonSchema for Said {
                fn schema_name() -> std::borrow::Cow<'static, str> {
                    "Said".into()
                }
                fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                    schemars::json_schema!({ $($keywords)* })
                }
            }
            #[derive(JsonSchema)]
            #[expect(dead_code, reason = "only its schema is asked for")]
            struct Holds {
                said: Said,
            }
            walk(x!(Holds))
        }};
    }
    assert!(said!("enum": [1, 2]) && !said!("enum": ["a", "b"]) && !said!("enum": ["a", null]));
    assert!(said!("type": "array", "minItems": 1) && said!("type": "array", "maxItems": 9));
    assert!(!said!("prefixItems": [{"type": "string"}], "minItems": 1, "maxItems": 1));
    assert!(
        said!("anyOf": [{"type": "string"}, {"type": "integer"}]) && !said!("anyOf": [{"type": "string"}])
    );
    assert!(said!("oneOf": [{"type": "string"}]));
    // The bounds of one number type, not half of those of two.
    for sure in [
        said!("type": "integer", "minimum": -128, "maximum": 127),
        said!("type": "integer", "minimum": 0, "maximum": 255),
        said!("type": "integer", "minimum": 0),
        said!("type": "integer"),
    ] {
        assert!(!sure);
    }
    for walked in [
        said!("type": "integer", "minimum": -128, "maximum": 255),
        said!("type": "integer", "minimum": -128),
        said!("type": "integer", "maximum": 127),
        said!("type": "integer", "minimum": 3),
        said!("type": "integer", "minimum": 0, "maximum": 5),
    ] {
        assert!(walked);
    }
    // The bounds of the parameter itself are checked without its schema.
    assert!(!walk(x!(u32, bounds: Bounds { min: Some(Number::Int(3)), ..BOUNDS })));
}

fn keys_with(schema: &'static Value) -> &'static ToolKeys<'static> {
    Box::leak(Box::new(ToolKeys { input: Some(schema), ..ToolKeys::NONE }))
}

#[test]
fn a_given_schema_is_shown_as_it_was_given() {
    let given = json!({"type": "object", "title": "T", "properties": {"x": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "string", "title": "A"}}});
    let mut tool = tool(vec![x!(Value)]);
    let given: &'static Value = Box::leak(Box::new(given));
    tool.keys = keys_with(given);
    let input = tool.input_schema().unwrap();
    assert_eq!(input.schema(), given);
    assert_eq!(input.decoded(), &json!({"type": "object", "properties": {"x": {"type": "string"}}}));
    assert_eq!(input.param(0).unwrap().schema, json!({"type": "string"}));
    let remote: &'static Value = Box::leak(Box::new(json!({"properties": {"x": {"$ref": "http://x"}}})));
    let mut tool = self::tool(vec![]);
    tool.keys = keys_with(remote);
    assert_eq!(tool.input_schema().unwrap_err().code_str(), "schema_remote_ref");
}

#[test]
fn a_schema_is_built_on_first_use_and_once() {
    static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    struct Counted;
    impl JsonSchema for Counted {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Counted".into()
        }
        fn inline_schema() -> bool {
            true
        }
        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            CALLS.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            schemars::json_schema!({"type": "string"})
        }
    }
    let tool = tool(vec![x!(Counted)]);
    assert_eq!(CALLS.load(std::sync::atomic::Ordering::SeqCst), 0);
    let before = built();
    tool.input_schema().unwrap();
    tool.input_schema().unwrap();
    assert_eq!(CALLS.load(std::sync::atomic::Ordering::SeqCst), 1);
    assert!(built() > before);
}

#[test]
fn results_have_the_schema_that_serde_writes() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Out {
        #[serde(skip_deserializing)]
        made: u8,
        maybe: Option<String>,
    }
    let mut described = tool(vec![]);
    described.output = Some(output!(Result<Vec<Out>, String>));
    assert_eq!(
        **described.output_schema().unwrap(),
        json!({"type": "array", "items": {
            "type": "object",
            "properties": {"made": {"type": "integer", "minimum": 0, "maximum": 255, "default": 0}, "maybe": {"type": ["string", "null"]}},
            "required": ["made", "maybe"], "additionalProperties": false,
        }})
    );
    assert!(tool(vec![]).output_schema().is_none());
}
