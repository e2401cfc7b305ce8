//! What the short way takes, and that the whole one takes it too.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Deserialize;

use super::*;
#[allow(unused_imports, reason = "traits that the answers of a type come from")]
use crate::__private::rungs::*;
use crate::__private::{ToolArg, answers, param};
use crate::args::{Args, Coerce, parse};
use crate::def::{Cache, Constraint, Doc, Handler, Origin, ParamKeys, Range, ToolKeys};

/// Bounds of every kind but choices.
const BOUNDED: Bounds<'static> = Bounds {
    min: Some(Number::Int(1)),
    max: Some(Number::Int(9)),
    len: Range { min: 1, max: Some(2) },
    ..Bounds::NONE
};

/// Choices.
const CHOSEN: Bounds<'static> = Bounds { choices: &["a", "b"], ..Bounds::NONE };

/// Values as callers write them: plain ones, and those that look like it.
const VALUES: &[&str] = &[
    "0",
    "-0",
    "-0.0",
    "5",
    "5.0",
    "5.5",
    "-1",
    "255",
    "256",
    "1e2",
    "1e39",
    "1e400",
    "9007199254740993",
    "9007199254740993.0",
    "18446744073709551615",
    "18446744073709551616",
    "123456789012345678",
    "0.1",
    "01",
    "\"\"",
    "\" \"",
    "\"5\"",
    "\"a\"",
    "\"A\"",
    "\"abc\"",
    "\"\\u0061\"",
    "\"é\"",
    "\"\\ud800\"",
    "\"[1]\"",
    "\"{}\"",
    "\"true\"",
    "true",
    "false",
    "null",
    "[]",
    "[1]",
    "[1, 2]",
    "[ 1 ,2 ]",
    "[-0]",
    "[1.0]",
    "[300]",
    "[\"a\"]",
    "[\"a\",\"b\",\"c\"]",
    "[\"a\",1]",
    "[null]",
    "[true]",
    "[false, true]",
    "[[1]]",
    "[{}]",
    "{}",
    "{\"a\":1}",
    "{\"a\":1,\"a\":1}",
    "{\"a\":null}",
    "[1",
    "tru",
    "nul",
    "[1e2]",
    "[\"a,b\"]",
    "[12345678901234567890]",
    "1.",
    ".5",
    "-",
    "-.5",
    "00",
    "+1",
    "1_0",
    "inf",
    "[1.]",
    "[01]",
    "[1,]",
    "[,1]",
    "[,]",
    "[1,,2]",
    "[1 2]",
    "[\"a\" \"b\"]",
    "[\"a\",]",
    "[ ]",
    "[\"a\\nb\"]",
    "[ \"a\\nb\" , \"c\" ]",
    "[1, \"\\n\"]",
    "\"a\\nb\"",
    "\"a\nb\"",
    "[\"\t\"]",
    "[true,tru]",
    "1}",
    "1,\"x\":2",
];

/// The same of structs, cases, and lists in lists.
const NESTED: &[&str] = &[
    "[[1], [2,3]]",
    "[[1] [2]]",
    "[[]",
    "[1}",
    "[1, \"a\"]",
    "[1, \"a\", 2]",
    "[\"a\", 1,]",
    "[1, \"a\", tru]",
    "{\"a\":1,\"b\":[\"x\"]}",
    " { \"a\" : 1 , \"b\" : [ ] , \"c\" : \"one\" } ",
    "{\"a\":1,\"b\":[],\"c\":\"One\"}",
    "{\"a\":1,\"b\":[],\"c\":null}",
    "{\"a\":null,\"b\":[]}",
    "{\"b\":[],\"a\":1}",
    "{\"a\":1,\"b\":[],\"e\":1}",
    "{\"a\":1,\"b\":[],}",
    "{\"a\":1,\"b\":[]",
    "{\"a\":1 \"b\":[]}",
    "{\"a\":1,\"b\":[1]}",
    "{\"a\":\"1\",\"b\":[]}",
    "{\"a\":1.0,\"b\":[]}",
    "{\"a\":-0,\"b\":[]}",
    "{\"a\":1,\"a\":2,\"b\":[]}",
    "{\"\\u0061\":1,\"b\":[]}",
    "{\"a\":1,\"b\":[],\"d\":{\"a\":2,\"b\":[]}}",
    "{\"a\":1,\"b\":[],\"d\":{\"a\":2,\"b\":[],\"e\":0}}",
    "{\"a\":1,\"b\":[],\"d\":{\"a\":2,\"b\":[}}",
    "{\"a\":1,\"b\":[],\"d\":[{\"a\":2,\"b\":[]}]}",
    "{\"a\":1,\"b\":\"x\"}",
    "[{\"a\":1,\"b\":[\"\\n\"]}]",
    "[{\"a\":1,\"b\":[]},{\"a\":2,\"b\":[]}]",
    "[{\"a\":1,\"b\":[]},{\"a\":2}]",
    "\"one\"",
    "\"uno\"",
    "\"ONE\"",
    "\"on\\u0065\"",
    "{\"two\":2}",
    "{\"one\":null}",
    "\"two\"",
    "\"other\"",
    "{\"kind\":\"one\"}",
    "{\"kind\":\"one\",\"a\":1}",
];

/// A struct with a field of every sort: needed, list, optional, and of its own type.
#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its printed form is looked at")]
struct Fields {
    a: u8,
    #[serde(alias = "bs")]
    b: Vec<String>,
    c: Option<Case>,
    #[serde(default)]
    d: Option<Box<Fields>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(dead_code, reason = "only its printed form is looked at")]
enum Case {
    #[serde(alias = "uno")]
    One,
    Two,
}

/// Cases with data are a union to the schema.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(dead_code, reason = "only its printed form is looked at")]
enum Data {
    One,
    Two(u8),
}

/// An enum that takes every name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Open {
    One,
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code, reason = "only its printed form is looked at")]
enum Tagged {
    One { a: Option<u8> },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only its printed form is looked at")]
enum Untagged {
    Number(u8),
    Text(String),
    Fields(Fields),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its printed form is looked at")]
struct Flattened {
    #[serde(flatten)]
    rest: Fields,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its printed form is looked at")]
struct Wrapped(Fields);

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its printed form is looked at")]
struct Pair(u8, String);

/// What its schema says more than its type.
#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its printed form is looked at")]
struct Bounded {
    #[schemars(range(min = 2))]
    a: i64,
    b: Vec<String>,
}

/// A text that its type reads further.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[allow(dead_code, reason = "only its printed form is looked at")]
struct Short(String);

impl TryFrom<String> for Short {
    type Error = String;

    fn try_from(text: String) -> Result<Short, String> {
        if text.len() < 3 { Ok(Short(text)) } else { Err("too long".to_owned()) }
    }
}

/// Takes a number that is written as a text, although it asks for a number.
#[derive(Debug, JsonSchema)]
#[schemars(transparent)]
#[allow(dead_code, reason = "only its printed form is looked at")]
struct Loose(u8);

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Loose, D::Error> {
        struct Either;
        impl serde::de::Visitor<'_> for Either {
            type Value = Loose;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number")
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Loose, E> {
                number.try_into().map(Loose).map_err(E::custom)
            }
            fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<Loose, E> {
                Ok(Loose(99))
            }
        }
        deserializer.deserialize_u8(Either)
    }
}

/// Does something with a tool of the given parameters.
fn with_tool<R>(params: &[ParamDef<'_>], keys: &ToolKeys<'_>, then: impl FnOnce(&ToolDef<'_>) -> R) -> R {
    let cache = Cache::new();
    let enter = |_: &mut Args| Err(crate::ToolError::internal("It does not run."));
    let mut tool = ToolDef::new("t", Doc::Text("T."), Handler::Sync(enter), Origin::DYNAMIC, &cache);
    (tool.params, tool.keys) = (params, keys);
    then(&tool)
}

/// What the short way takes for the first parameter; `None` where it gives up.
fn short<T: ToolArg>(tool: &ToolDef<'_>, text: &str) -> Option<T> {
    let mut short = Args::short(tool)?;
    short.cut(text)?;
    let taken = short.take::<T>(0);
    short.finish().ok().and(taken)
}

/// What the short way takes, the full decoder takes as the same value and without a note.
fn agrees<T: ToolArg + std::fmt::Debug>(plain: ParamDef<'static>) {
    for bounds in [Bounds::NONE, BOUNDED, CHOSEN] {
        let keys = ParamKeys::NONE.bounds(bounds);
        let params = [ParamDef { keys: &keys, ..plain }];
        let texts = VALUES.iter().chain(NESTED).map(|value| format!("{{\"x\": {value}}}"));
        let others =
            ["{}", "{\"y\": 1}", "{\"x\": 1, \"\": 2}", "{\"x\": 1, \"y\": 2}", "{\"x\": 1} 2", "[]"];
        with_tool(&params, &ToolKeys::NONE, |tool| {
            for text in texts.chain(others.map(String::from)) {
                let Some(taken) = short::<T>(tool, &text) else { continue };
                let input = parse(&text).unwrap_or_else(|error| panic!("{text} was taken, but: {error}"));
                let mut full = Args::new(tool, input, Coerce::Lenient).unwrap();
                let full_taken = full.take::<T>(0);
                let type_name = std::any::type_name::<T>();
                full.finish()
                    .unwrap_or_else(|error| panic!("{text} for {type_name} was taken, but: {error}"));
                assert_eq!(format!("{:?}", Some(taken)), format!("{full_taken:?}"), "{text} for {type_name}");
                assert!(full.notes().is_empty(), "{text} for {type_name} is a coercion: {:?}", full.notes());
            }
        });
    }
}

macro_rules! agree {
    ($($type:ty,)*) => { $(agrees::<$type>(param(answers!($type), "x", "X."));)* };
}

#[test]
fn what_it_takes_the_full_decoder_takes_as_it_is() {
    agree! {
        bool, u8, i8, u32, i64, u64, f32, f64, char, String, Option<u8>, Option<String>, Option<Option<u8>>,
        Option<bool>, Vec<u8>, Vec<i64>, Vec<f64>, Vec<f32>, Vec<String>, Vec<bool>, Vec<char>, Vec<Option<u8>>,
        Vec<Vec<u8>>, Option<Vec<u8>>, BTreeMap<String, u8>, Fields, Option<Fields>, Vec<Fields>, Case, Vec<Case>,
        Data, Open, Tagged, Untagged, Flattened, Wrapped, Pair, (u8, String), [u8; 2], Bounded, Short, Loose, Option<Loose>,
        Vec<serde_json::Value>, i128, u128, (), BTreeMap<String, Fields>,
    }
}

/// Those of some values that the short way takes.
fn taken<T: ToolArg>(
    plain: ParamDef<'static>,
    keys: &'static ParamKeys<'static>,
    values: &[&'static str],
) -> Vec<&'static str> {
    with_tool(&[ParamDef { keys, ..plain }], &ToolKeys::NONE, |tool| {
        let is_taken = |value: &&&str| short::<T>(tool, &format!("{{\"x\":{value}}}")).is_some();
        values.iter().filter(is_taken).copied().collect()
    })
}

macro_rules! takes {
    (of $values:ident $($type:ty, $keys:expr => [$($value:literal),*];)*) => { $(
        let found = taken::<$type>(param(answers!($type), "x", "X."), $keys, $values);
        let expected: &[&str] = &[$($value),*];
        assert_eq!(found, expected, "{} {}", stringify!($type), stringify!($keys));
    )* };
}

/// The full decoder would say the same of them, but costs several times as much.
#[test]
fn what_is_plainly_right_does_not_cost_a_tree() {
    const KEYS: ParamKeys<'static> = ParamKeys::NONE;
    const BELOW_ZERO: Bounds<'static> = Bounds { min: Some(Number::Int(-5)), ..BOUNDED };
    const EXCLUSIVE: Bounds<'static> =
        Bounds { max: Some(Number::Int(9)), max_exclusive: true, ..Bounds::NONE };
    const FLOAT: Bounds<'static> = Bounds { min: Some(Number::Float(0.5)), ..Bounds::NONE };
    static ALIASED: ParamKeys<'static> = ParamKeys { aliases: &["ex"], ..KEYS };
    static IN_BOUNDS: ParamKeys<'static> = KEYS.bounds(BOUNDED);
    static FROM_BELOW: ParamKeys<'static> = KEYS.bounds(BELOW_ZERO);
    static BELOW: ParamKeys<'static> = KEYS.bounds(EXCLUSIVE);
    static ABOVE_HALF: ParamKeys<'static> = KEYS.bounds(FLOAT);
    static CHOICES: ParamKeys<'static> = KEYS.bounds(CHOSEN);
    let bare = ParamKeys::none();
    takes! {
        of VALUES
        bool, bare => ["true", "false"];
        bool, &IN_BOUNDS => ["true", "false"];
        u8, bare => ["0", "5", "255"];
        u8, &ALIASED => ["0", "5", "255"];
        u8, &IN_BOUNDS => ["5"];
        i64, bare => ["0", "5", "-1", "255", "256", "9007199254740993", "123456789012345678"];
        i64, &FROM_BELOW => ["0", "5", "-1"];
        f64, bare => ["0", "5", "5.0", "5.5", "-1", "255", "256", "9007199254740993", "9007199254740993.0",
            "123456789012345678", "0.1"];
        f64, &ALIASED => ["0", "5", "5.0", "5.5", "-1", "255", "256", "9007199254740993", "9007199254740993.0",
            "123456789012345678", "0.1"];
        f64, &FROM_BELOW => ["0", "5", "-1"];
        f64, &BELOW => [];
        f64, &ABOVE_HALF => [];
        char, bare => ["\" \"", "\"5\"", "\"a\"", "\"A\"", "\"é\""];
        String, bare => ["\"\"", "\" \"", "\"5\"", "\"a\"", "\"A\"", "\"abc\"", "\"\\u0061\"", "\"é\"", "\"[1]\"",
            "\"{}\"", "\"true\"", "\"a\\nb\""];
        String, &IN_BOUNDS => ["\" \"", "\"5\"", "\"a\"", "\"A\"", "\"é\"", "\"{}\""];
        String, &CHOICES => ["\"a\""];
        Option<u8>, bare => ["0", "5", "255"];
        Vec<u8>, bare => ["[]", "[1]", "[1, 2]", "[ 1 ,2 ]", "[ ]"];
        Vec<u8>, &ALIASED => ["[]", "[1]", "[1, 2]", "[ 1 ,2 ]", "[ ]"];
        Vec<u8>, &IN_BOUNDS => [];
        Vec<f64>, bare => ["[]", "[1]", "[1, 2]", "[ 1 ,2 ]", "[1.0]", "[300]", "[ ]"];
        Vec<String>, bare => ["[]", "[\"a\"]", "[\"a\",\"b\",\"c\"]", "[\"a,b\"]", "[ ]", "[\"a\\nb\"]",
            "[ \"a\\nb\" , \"c\" ]"];
        Vec<bool>, bare => ["[]", "[true]", "[false, true]", "[ ]"];
        Vec<Option<u8>>, bare => ["[]", "[1]", "[1, 2]", "[ 1 ,2 ]", "[null]", "[ ]"];
        Vec<Vec<u8>>, bare => ["[]", "[[1]]", "[ ]"];
        Short, bare => ["\"\"", "\" \"", "\"5\"", "\"a\"", "\"A\"", "\"\\u0061\"", "\"é\"", "\"{}\""];
        Loose, bare => ["0", "5", "255"];
    }
}

/// Of other types all is told by the type, too, unless their schema says more.
#[test]
fn structs_names_of_cases_and_tuples_do_not_cost_a_tree_either() {
    let bare = ParamKeys::none();
    static ALIASED: ParamKeys<'static> = ParamKeys { aliases: &["ex"], ..ParamKeys::NONE };
    static LONG: ParamKeys<'static> =
        ParamKeys::NONE.bounds(Bounds { len: Range { min: 1, max: None }, ..Bounds::NONE });
    static ANY: ParamKeys<'static> = ParamKeys { any: true, ..ParamKeys::NONE };
    takes! {
        of NESTED
        Vec<Vec<u8>>, bare => ["[[1], [2,3]]"];
        Fields, bare => ["{\"a\":1,\"b\":[\"x\"]}", " { \"a\" : 1 , \"b\" : [ ] , \"c\" : \"one\" } ",
            "{\"a\":1,\"b\":[],\"d\":{\"a\":2,\"b\":[]}}"];
        Fields, &ALIASED => ["{\"a\":1,\"b\":[\"x\"]}", " { \"a\" : 1 , \"b\" : [ ] , \"c\" : \"one\" } ",
            "{\"a\":1,\"b\":[],\"d\":{\"a\":2,\"b\":[]}}"];
        Vec<Fields>, bare => ["[{\"a\":1,\"b\":[\"\\n\"]}]", "[{\"a\":1,\"b\":[]},{\"a\":2,\"b\":[]}]"];
        Vec<Fields>, &LONG => [];
        Vec<Fields>, &ANY => [];
        Wrapped, bare => ["{\"a\":1,\"b\":[\"x\"]}", " { \"a\" : 1 , \"b\" : [ ] , \"c\" : \"one\" } ",
            "{\"a\":1,\"b\":[],\"d\":{\"a\":2,\"b\":[]}}"];
        Case, bare => ["\"one\"", "\"uno\"", "\"two\""];
        Data, bare => [];
        Open, bare => ["\"one\"", "\"other\""];
        Pair, bare => ["[1, \"a\"]"];
        (u8, String), bare => ["[1, \"a\"]"];
        Bounded, bare => [];
        Tagged, bare => [];
        Untagged, bare => [];
        Flattened, bare => [];
    }
}

#[test]
fn a_tool_goes_this_way_when_its_types_say_all_it_takes() {
    const KEYS: ParamKeys<'static> = ParamKeys::NONE;
    let plain = param(answers!(u8), "x", "X.");
    let way = |params: &[ParamDef<'_>], keys: &ToolKeys<'_>| with_tool(params, keys, Direct::is_way);
    for (count, expected) in [(0, true), (1, true), (MOST_PARAMS, true), (MOST_PARAMS + 1, false)] {
        assert_eq!(way(&vec![plain; count], &ToolKeys::NONE), expected, "{count} parameters");
    }
    for (what, keys, expected) in [
        ("aliases", ParamKeys { aliases: &["ex"], ..KEYS }, true),
        ("bounds", KEYS.bounds(BOUNDED), true),
        ("flatten", ParamKeys { flatten: true, ..KEYS }, false),
        ("pattern", KEYS.bounds(Bounds { pattern: Some("^1"), ..Bounds::NONE }), false),
        ("conflicts_with", ParamKeys { conflicts_with: &["y"], ..KEYS }, false),
        ("requires", ParamKeys { requires: &["y"], ..KEYS }, false),
    ] {
        let params = [ParamDef { keys: &keys, ..plain }, ParamDef { name: "y", ..plain }];
        assert_eq!(way(&params, &ToolKeys::NONE), expected, "{what}");
        // A type that does not say all has a schema that may say more.
        let other = ParamDef { simple: false, ..plain };
        assert_eq!(
            way(&[ParamDef { keys: &keys, ..other }, params[1]], &ToolKeys::NONE),
            what == "aliases",
            "{what}"
        );
    }
    let rules = ToolKeys { constraints: &[Constraint::AtLeastOne(&["x"])], ..ToolKeys::NONE };
    assert!(!way(&[plain], &rules));
}

#[test]
fn a_key_may_stand_anywhere_and_under_each_of_its_names_but_once() {
    let aliased = ParamKeys { aliases: &["ex"], ..ParamKeys::NONE };
    let x = ParamDef { keys: &aliased, ..param(answers!(u8), "x", "X.") };
    let y = param(answers!(Option<u8>), "y", "Y.");
    with_tool(&[x, y], &ToolKeys::NONE, |tool| {
        for (text, expected) in [
            ("{\"x\":1,\"y\":2}", Some((1, Some(2)))),
            (" { \"y\" : 2 , \"x\" : 1 } ", Some((1, Some(2)))),
            ("{\"ex\":1,\"y\":2}", Some((1, Some(2)))),
            ("{\"x\":1}", Some((1, None))),
            ("{\"y\":2}", None),
            ("{\"x\":1,\"x\":1}", None),
            ("{\"x\":1,\"ex\":1}", None),
            ("{\"x\":1,\"z\":1}", None),
        ] {
            let mut args = Args::short(tool).unwrap();
            let found = args.cut(text).and_then(|()| {
                let taken = (args.take::<u8>(0), args.take::<Option<u8>>(1));
                args.finish().ok()?;
                Some((taken.0?, taken.1?))
            });
            assert_eq!(found, expected, "{text}");
        }
    });
}

#[test]
fn what_was_left_out_has_the_value_that_its_type_or_its_author_says() {
    fn left_out<T: ToolArg>(param: ParamDef<'_>) -> Option<T> {
        with_tool(&[param], &ToolKeys::NONE, |tool| short(tool, "{}"))
    }
    let keys = ParamKeys::NONE.bounds(Bounds { len: Range { min: 1, max: None }, ..Bounds::NONE });
    let list = param(answers!(Vec<u8>), "x", "X.");
    assert_eq!(left_out(list), Some(Vec::<u8>::new()));
    assert_eq!(left_out(ParamDef { keys: &keys, ..list }), None::<Vec<u8>>);
    assert_eq!(left_out(param(answers!(bool), "x", "X.")), Some(false));
    let option = param(answers!(Option<u8>), "x", "X.");
    assert_eq!(left_out(option), Some(None::<u8>));
    assert_eq!(left_out::<Option<u8>>(ParamDef { required: true, ..option }), None);
    // Its default is not decoded here, but made where the function takes it.
    let with_default = ParamDef { default: Some(|| 5.into()), ..param(answers!(u8), "x", "X.") };
    with_tool(&[with_default], &ToolKeys::NONE, |tool| {
        assert_eq!(short::<u8>(tool, "{}"), None);
        for (text, expected) in [("{}", Some(5)), ("{\"x\":7}", Some(7)), ("{\"x\":256}", None)] {
            let mut args = Args::short(tool).unwrap();
            args.cut(text).unwrap();
            let value = args.take_or(0, || 5_u8);
            assert_eq!((value, args.finish().is_ok()), (expected, expected.is_some()), "{text}");
        }
    });
}

#[test]
fn what_only_the_whole_way_can_tell_gives_this_one_up() {
    type Taken = fn(&mut Args<'_>) -> bool;
    let asked: [(&str, Taken); 3] = [
        ("a value", |args| args.take_value(0).is_none()),
        ("an object", |args| args.take_object().is_none()),
        ("a seed", |args| args.take_seed(0, PhantomData::<u8>).is_none()),
    ];
    with_tool(&[param(answers!(u8), "x", "X.")], &ToolKeys::NONE, |tool| {
        for (what, ask) in asked {
            let mut args = Args::short(tool).unwrap();
            args.cut("{\"x\":1}").unwrap();
            assert!(args.finish().is_ok(), "{what}");
            assert!(ask(&mut args) && args.finish().is_err(), "{what}");
        }
    });
}
