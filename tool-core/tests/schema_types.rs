//! Schemas of derived types: valid, canonical, and true to what serde writes and reads.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::schema::canonical;

/// How much.
#[derive(Clone, Serialize, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Level {
    /// Only the essentials.
    Low,
    /// Everything.
    High,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Circle {
    r: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    Circle(Circle),
    Rect {
        w: f64,
        #[serde(default)]
        h: f64,
    },
    Empty,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum External {
    Unit,
    New(Circle),
    Tuple(u8, String),
    Struct { level: Level },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    A(u8),
    B { x: String },
    C,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(u32),
    Text(String),
    Circle(Circle),
    List(Vec<Untagged>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Node {
    value: i64,
    children: Vec<Node>,
    /// The parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    up: Option<Box<Node>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op")]
enum Expr {
    Num { v: f64 },
    Neg(Box<Unary>),
    Add { l: Box<Expr>, r: Box<Expr> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Unary {
    of: Box<Expr>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t2")]
enum Other {
    X { x: u8 },
    Y,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Flat {
    a: i32,
    #[serde(flatten)]
    shape: Shape,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatTwice {
    a: i32,
    #[serde(flatten)]
    shape: Shape,
    #[serde(flatten)]
    other: Other,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatOption {
    a: i32,
    #[serde(flatten)]
    other: Option<Other>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FlatMap {
    a: i32,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Options {
    list: Vec<Option<Circle>>,
    map: HashMap<String, Option<u8>>,
    tuple: (u8, Option<Level>),
    set: BTreeSet<Level>,
    any: Value,
    by_number: BTreeMap<u16, Circle>,
    array: [char; 2],
    nested: Vec<Vec<Option<Shape>>>,
}

fn circle() -> Circle {
    Circle { r: 1.5, name: Some("c".into()) }
}

fn rect() -> Shape {
    Shape::Rect { w: 1.0, h: 2.0 }
}

/// The canonical schema of a type accepts what serde writes of these values, and serde reads that again.
fn holds<T: Serialize + DeserializeOwned + JsonSchema>(values: Vec<T>) -> Value {
    let name = std::any::type_name::<T>();
    let schema = canonical(&schemars::schema_for!(T).to_value()).unwrap();
    assert!(jsonschema::draft202012::meta::is_valid(&schema), "{name}: {schema}");
    assert_eq!(canonical(&schema).unwrap().to_string(), schema.to_string(), "{name}");
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for value in values {
        let mut value = serde_json::to_value(value).unwrap();
        if let Err(error) = validator.validate(&value) {
            panic!("{name}: {error}: {value} under {schema}");
        }
        serde_json::from_value::<T>(value.clone()).unwrap();
        if let Some(object) = value.as_object_mut()
            && schema.get("additionalProperties") != Some(&json!(true))
        {
            object.insert("nobody_knows_this".into(), json!(1));
            assert!(!validator.is_valid(&value), "{name} is open: {schema}");
        }
    }
    schema
}

#[test]
fn schemas_accept_what_serde_writes_and_are_closed() {
    holds(vec![Level::Low, Level::High]);
    holds(vec![circle(), Circle { r: 0.0, name: None }]);
    holds(vec![Shape::Circle(circle()), rect(), Shape::Empty]);
    holds(vec![
        External::Unit,
        External::New(circle()),
        External::Tuple(1, "a".into()),
        External::Struct { level: Level::Low },
    ]);
    holds(vec![Adjacent::A(1), Adjacent::B { x: "a".into() }, Adjacent::C]);
    holds(vec![
        Untagged::Number(1),
        Untagged::Text("a".into()),
        Untagged::Circle(circle()),
        Untagged::List(vec![Untagged::List(vec![]), Untagged::Number(1)]),
    ]);
    holds(vec![Flat { a: 1, shape: rect() }, Flat { a: 1, shape: Shape::Circle(circle()) }]);
    holds(vec![FlatTwice { a: 1, shape: Shape::Empty, other: Other::X { x: 1 } }]);
    holds(vec![
        FlatOption { a: 1, other: Some(Other::Y) },
        FlatOption { a: 1, other: Some(Other::X { x: 1 }) },
        FlatOption { a: 1, other: None },
    ]);
    holds(vec![FlatMap { a: 1, rest: [("b".to_owned(), json!([1]))].into() }]);
    holds(vec![Options {
        list: vec![Some(circle()), None],
        map: [("a".to_owned(), None), ("b".to_owned(), Some(1))].into(),
        tuple: (1, None),
        set: [Level::High].into(),
        any: json!({"a": null}),
        by_number: [(1, circle())].into(),
        array: ['a', 'é'],
        nested: vec![vec![Some(rect()), None]],
    }]);
}

#[test]
fn recursive_types_keep_their_definitions_and_nothing_else() {
    let node = Node { value: 1, children: vec![], up: None };
    let schema = holds(vec![
        Node { value: 2, children: vec![node], up: None },
        Node {
            value: 3,
            children: vec![],
            up: Some(Box::new(Node { value: 4, children: vec![], up: None })),
        },
    ]);
    assert_eq!(schema["$defs"].as_object().unwrap().len(), 1);
    assert_eq!(
        schema["$defs"]["Node"]["properties"]["up"],
        json!({"anyOf": [{"$ref": "#/$defs/Node"}], "description": "The parent."})
    );
}

#[test]
fn a_tagged_newtype_of_a_recursive_struct_has_the_tag_and_the_fields() {
    let num = || Box::new(Expr::Num { v: 1.0 });
    let schema = holds(vec![Expr::Neg(Box::new(Unary { of: num() })), Expr::Add { l: num(), r: num() }]);
    let neg = &schema["$defs"]["Expr"]["oneOf"][1];
    assert_eq!(neg["required"], json!(["op", "of"]));
    assert_eq!(neg["properties"]["of"], json!({"$ref": "#/$defs/Expr"}));
    assert!(schema["$defs"].get("Unary").is_none());
}
