//! Text that takes the short way to values gives what the whole way gives: from good arguments on, with every byte of them taken
//! away, doubled or replaced. (arguments.md §6)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::Saturating;

use schemars::JsonSchema;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tool_core::args::{MAX_ARGS_BYTES, parse_arguments};
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Registry, ToolResult};

/// Where it is.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Place {
    #[serde(alias = "road")]
    street: String,
    number: u8,
    #[serde(default)]
    floor: Option<i64>,
    tags: Vec<String>,
    sort: Option<Sort>,
    near: Option<Box<Place>>,
}

/// What it is.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sort {
    House,
    Flat,
}

/// Gives back what it was given.
#[tool]
fn visit(
    /// A struct.
    place: Option<Place>,
    /// Structs.
    places: Vec<Place>,
    /// A name.
    sort: Option<Sort>,
    /// A pair.
    pair: Option<(i32, String)>,
    /// Numbers in rows.
    rows: Vec<Vec<f64>>,
    /// A flag.
    flag: bool,
) -> Value {
    json!([place, places, sort, pair, rows, flag])
}

const GOOD: &[&str] = &[
    r#"{"place":{"street":"A","number":7,"floor":-1,"tags":["x","y\n"],"sort":"flat","near":{"road":"B","number":0,"tags":[]}}}"#,
    r#"{"places":[{"street":"\"C\" \u00e9 \\","number":255,"tags":["1"]},{"street":"","number":10,"tags":[""],"sort":"house"}]}"#,
    r#"{"sort":"house","pair":[-12,"p"],"rows":[[1,2.5,-0.5,10.25],[],[0]],"flag":true}"#,
];

/// What every byte is replaced with in turn.
const BYTES: &str = "{}[]\":,\\ 019-.eEntaéZ\n\u{0}";

fn executor() -> Executor {
    Executor::standard(Registry::builder().discover().build().unwrap()).build().unwrap()
}

/// Whether a text is taken, which both ways must say alike.
fn is_same_on_both_ways(executor: &Executor, tool: &str, text: &str) -> bool {
    let short = executor.call_text_blocking(tool, text, &ToolContext::empty(), Caller::Test);
    let is_taken = short.is_ok();
    match parse_arguments(text, MAX_ARGS_BYTES) {
        Ok(args) => {
            let whole = executor.call_blocking(Call::new(tool, args), &ToolContext::empty(), Caller::Test);
            assert_eq!(told(short), told(whole), "{tool} {text}");
        }
        Err(_) => assert!(!is_taken, "{text} is no object"),
    }
    is_taken
}

fn told(result: ToolResult) -> String {
    match result {
        Ok(output) => json!([output.structured, output.meta]).to_string(),
        Err(error) => error.to_json().to_string(),
    }
}

/// Whatever is wrong is 0, or nothing.
fn lossy<'de, T: Deserialize<'de> + Default, D: Deserializer<'de>>(source: D) -> Result<T, D::Error> {
    Ok(T::deserialize(source).unwrap_or_default())
}

/// Seven, whatever comes.
fn seven<'de, D: Deserializer<'de>>(_: D) -> Result<u8, D::Error> {
    Ok(7)
}

/// Two numbers.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
struct Two {
    x: u8,
    y: Option<u8>,
}

/// What ignores that it could not be read.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Ignoring {
    #[serde(default, deserialize_with = "lossy")]
    a: u8,
    #[serde(default, deserialize_with = "lossy")]
    b: Two,
    #[serde(default, deserialize_with = "lossy")]
    c: BTreeMap<String, u8>,
    #[serde(default, deserialize_with = "seven")]
    d: u8,
    #[schemars(with = "u8")]
    #[serde(default)]
    e: Saturating<u8>,
}

/// A list without what is no number.
#[derive(Serialize, JsonSchema)]
#[schemars(transparent)]
struct Skipping(Vec<u8>);

impl<'de> Deserialize<'de> for Skipping {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Skipping, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Skipping;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Skipping, A::Error> {
                let mut numbers = Vec::new();
                loop {
                    match items.next_element() {
                        Ok(Some(number)) => numbers.push(number),
                        Ok(None) => return Ok(Skipping(numbers)),
                        Err(_) => {}
                    }
                }
            }
        }
        source.deserialize_seq(Numbers)
    }
}

/// Its fields are counted, not read.
#[derive(Serialize, JsonSchema)]
#[schemars(transparent)]
struct Counted(Two);

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Counted, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Counted;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Counted, A::Error> {
                let mut x = 0;
                while members.next_key::<String>()?.is_some() {
                    x += 1;
                }
                Ok(Counted(Two { x, y: None }))
            }
        }
        source.deserialize_struct("Two", &["x", "y"], Keys)
    }
}

/// The first letter of a text, which it calls a character.
#[derive(Serialize, JsonSchema)]
#[schemars(transparent)]
struct First(char);

impl<'de> Deserialize<'de> for First {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<First, D::Error> {
        struct Letter;
        impl Visitor<'_> for Letter {
            type Value = First;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a letter")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<First, E> {
                text.chars().next().map(First).ok_or_else(|| E::custom("no letter"))
            }
            fn visit_char<E: de::Error>(self, letter: char) -> Result<First, E> {
                Ok(First(letter))
            }
        }
        source.deserialize_char(Letter)
    }
}

/// A pair whose second number may be left out where serde has the say.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Pair(u8, #[serde(default)] u8);

/// Names that are not written as they are.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Named {
    #[serde(rename = "a\"b\"c", default)]
    quoted: u8,
    #[serde(rename = "c\\b", default)]
    escaped: u8,
    #[serde(rename = "a\":1,\"b", default)]
    two: u8,
}

macro_rules! echoes {
    ($($name:ident $type:ty;)*) => {
        $(/// Gives back what it was given.
        #[tool]
        fn $name(
            /// It.
            it: $type,
        ) -> Value {
            json!(it)
        })*
    };
}

echoes! {
    ignoring Ignoring;
    skipping Skipping;
    counted Counted;
    first First;
    pair Pair;
    named Named;
}

/// serde lets a type ignore that it got nothing, and leave out what it was offered.
#[test]
fn types_that_do_not_care_get_the_same_on_both_ways() {
    let executor = executor();
    let values = [
        "{}",
        "{\"a\":5}",
        "{\"a\":\"5\"}",
        "{\"a\":5.0}",
        "{\"a\":1e1}",
        "{\"a\":tru}",
        "{\"a\":null}",
        "{\"a\":256}",
        "{\"b\":{\"x\":2,\"y\":1}}",
        "{\"b\":{\"y\":1,\"x\":2}}",
        "{\"b\":{\"x\":2,\"x\":3}}",
        "{\"b\":{\"x\":}}",
        "{\"b\":{\"x\":2,\"z\":3}}",
        "{\"b\":[",
        "{\"c\":{\"k\":1}}",
        "{\"c\":{\"k\":1,\"k\":2}}",
        "{\"d\":1}",
        "{\"d\":tru}",
        "{\"d\":01}",
        "{\"d\":[1}",
        "{\"e\":200}",
        "{\"e\":300}",
        "{\"e\":-1}",
        "[1,2,3]",
        "[1,\"2\",3]",
        "[1,01,2]",
        "[1,-0]",
        "[1,[]]",
        "[1,,2]",
        "[1 2]",
        "[1",
        "{\"x\":1,\"y\":2}",
        "{\"x\":[,],\"y\":x}",
        "{\"x\":1,\"y\":}",
        "{\"x\":1,}",
        "\"a\"",
        "\"ab\"",
        "\"\"",
        "\"\\n\"",
        "\"\\nb\"",
        "[1]",
        "[1,2]",
        "[]",
        "{\"a\"b\"c\":1}",
        "{\"a\\\"b\\\"c\":1}",
        "{\"c\\b\":1}",
        "{\"c\\\\b\":1}",
        "{\"a\":1,\"b\":2}",
        "{\"a\\\":1,\\\"b\":2}",
    ];
    let mut taken = 0;
    for tool in ["ignoring", "skipping", "counted", "first", "pair", "named"] {
        for value in values {
            taken += usize::from(is_same_on_both_ways(&executor, tool, &format!("{{\"it\":{value}}}")));
        }
    }
    assert!(taken > 30, "{taken}");
}

#[test]
fn what_is_wrong_by_a_byte_is_told_and_read_as_on_the_whole_way() {
    let executor = executor();
    let mut texts: BTreeSet<String> = GOOD.iter().map(|text| (*text).to_owned()).collect();
    for text in GOOD {
        for (at, character) in text.char_indices() {
            let (before, behind) = (&text[..at], &text[at + character.len_utf8()..]);
            texts.insert(format!("{before}{behind}"));
            texts.insert(format!("{before}{character}{character}{behind}"));
            texts.extend(BYTES.chars().map(|other| format!("{before}{other}{behind}")));
        }
    }
    let taken = texts.iter().filter(|text| is_same_on_both_ways(&executor, "visit", text)).count();
    assert!(taken > 300 && texts.len() - taken > 5000, "{taken} of {}", texts.len());
}
