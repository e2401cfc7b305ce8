//! Arbitrary bytes as the arguments of a call: nothing panics, both decoders say the same, and a normal form decodes to
//! itself without a note.

#![no_main]
#![allow(dead_code, reason = "what is decoded is compared by its text or dropped")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
#[allow(unused_imports, reason = "traits that the answers of a type come from")]
use tool_core::__private::rungs::*;
use tool_core::__private::{answers, param};
use tool_core::args::{Args, Coerce, MAX_ARGS_BYTES, parse_arguments};
use tool_core::def::{Bounds, Cache, Doc, Handler, Number, Origin, ParamKeys, Range, Run, ToolDef, ToolKeys};
use tool_core::{ToolError, def::ParamDef};

#[derive(Deserialize, JsonSchema)]
struct Item {
    id: u32,
    name: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    children: Vec<Item>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    Circle { radius: f64 },
    Rect { w: u8, h: Option<u8> },
    Empty,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Edit {
    Insert,
    Replace { with: i16, all: bool },
    Raw(String),
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
enum Loose {
    Number(i32),
    Flag(bool),
    Pair { a: u8, b: u8 },
}

fn nowhere(_: &mut Args) -> Result<Run, ToolError> {
    Err(ToolError::internal("It does not run."))
}

macro_rules! params {
    ($($name:literal $type:ty;)*) => {
        fn params() -> Vec<ParamDef<'static>> {
            vec![$(param(answers!($type), $name, "P.")),*]
        }

        /// What generated code does: takes every parameter in declaration order.
        fn take_all(args: &mut Args<'_>) {
            let mut i = 0;
            $(
                let _ = args.take::<$type>(i);
                i += 1;
            )*
            let _ = i;
        }
    };
}

params! {
    "flag" bool;
    "small" Option<i8>;
    "bounded" Option<u32>;
    "float" Option<f32>;
    "text" Option<String>;
    "letter" Option<char>;
    "list" Vec<u16>;
    "set" BTreeSet<u8>;
    "pair" Option<(u8, String)>;
    "map" Option<BTreeMap<String, Option<bool>>>;
    "items" Vec<Item>;
    "shape" Option<Shape>;
    "edits" Vec<Edit>;
    "loose" Option<Loose>;
    "state" Option<Option<u8>>;
}

fn tool(params: Vec<ParamDef<'static>>, input: Option<&'static Value>) -> &'static ToolDef<'static> {
    let cache: &'static Cache = Box::leak(Box::new(Cache::new()));
    let mut def = ToolDef::new("t", Doc::Text("T."), Handler::Sync(nowhere), Origin::DYNAMIC, cache);
    def.params = params.leak();
    def.keys = Box::leak(Box::new(ToolKeys { input, ..ToolKeys::NONE }));
    Box::leak(Box::new(def))
}

static TYPED: LazyLock<&'static ToolDef<'static>> = LazyLock::new(|| {
    let mut params = params();
    for param in &mut params {
        match param.name {
            "bounded" => {
                const KEYS: ParamKeys<'_> =
                    ParamKeys::NONE.bounds(Bounds::between(Number::Int(1), Number::Int(9)));
                param.keys = &KEYS;
            }
            "text" => {
                const BOUNDS: Bounds<'_> =
                    Bounds { len: Range { min: 0, max: Some(8) }, pattern: Some("^[^x]*$"), ..Bounds::NONE };
                const KEYS: ParamKeys<'_> =
                    ParamKeys { aliases: &["words"], ..ParamKeys::NONE.bounds(BOUNDS) };
                param.keys = &KEYS;
            }
            _ => {}
        }
    }
    tool(params, None)
});

static SCHEMA_ONLY: LazyLock<&'static ToolDef<'static>> = LazyLock::new(|| {
    let schema = TYPED.input_schema().expect("a schema").schema().clone();
    tool(TYPED.params.to_vec(), Some(Box::leak(Box::new(schema))))
});

fn by_type(input: Value) -> Result<(Value, Value), ToolError> {
    let mut args = Args::new(*TYPED, input, Coerce::Lenient)?;
    take_all(&mut args);
    args.finish()?;
    Ok((json!(args.normal()), json!(args.notes())))
}

fn by_schema(input: Value) -> Result<(Value, Value), ToolError> {
    let mut args = Args::new(*SCHEMA_ONLY, input, Coerce::Lenient)?;
    let object = args.take_object();
    args.finish()?;
    Ok((json!(object), json!(args.notes())))
}

fn told(outcome: &Result<(Value, Value), ToolError>) -> String {
    match outcome {
        Ok((args, notes)) => json!([args, notes]).to_string(),
        Err(error) => error.to_json().to_string(),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(input) = parse_arguments(text, MAX_ARGS_BYTES) else { return };
    let typed = by_type(input.clone());
    let walked = by_schema(input);
    assert_eq!(told(&typed), told(&walked), "{text}");
    if let Ok((normal, _)) = typed {
        let again = by_type(normal.clone());
        assert_eq!(told(&again), json!([normal, []]).to_string(), "{text}");
    }
});
