//! Generated values satisfy their schema, and changed ones are answered as the change says: the decoder by schema is asked.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at what it cannot build")]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tool_core::args::Args;
use tool_core::test::{Damage, Expected, MutationKind, Random, Values, mutate, values};
use tool_core::{Behavior, Coerce, DynTool, IssueCode, Registry, ToolOutput};

/// One of every construct that a schema can have.
fn schema() -> Value {
    let case = |tag: &str, more: Value| {
        let mut properties = json!({"kind": {"type": "string", "const": tag}});
        properties.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"type": "object", "properties": properties, "required": ["kind"], "additionalProperties": false})
    };
    json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 3, "maximum": 9},
            "step": {"type": "integer", "minimum": 0, "multipleOf": 5},
            "ratio": {"type": "number", "exclusiveMinimum": 0.5, "maximum": 2.5},
            "flag": {"type": "boolean", "default": false},
            "word": {"type": "string", "minLength": 2, "maxLength": 5},
            "code": {"type": "string", "pattern": "^[a-z]+$"},
            "mode": {"type": "string", "enum": ["fast", "slow"]},
            "words": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
            "ids": {"type": "array", "items": {"type": "integer"}, "uniqueItems": true},
            "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": false,
                     "minItems": 2, "maxItems": 2},
            "sizes": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}, "minProperties": 1, "maxProperties": 3},
            "odd": {"type": "integer", "minimum": -7, "exclusiveMaximum": 11, "multipleOf": 5},
            "share": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
            "point": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
                      "required": ["x"], "additionalProperties": false},
            "shape": {"oneOf": [case("circle", json!({"radius": {"type": "number"}})), case("dot", json!({}))]},
            "maybe": {"type": ["integer", "null"], "x-keep-null": true},
            "any": {},
        },
        "required": ["count", "word"],
        "additionalProperties": false,
    })
}

/// The codes of notes with their pointers, or those of issues.
type Decoded = Result<Vec<(String, String)>, Vec<(String, IssueCode)>>;

/// Issues as `(path, code)`, or the notes as `(path, rule)`.
fn decoded(registry: &Registry, input: &Value) -> Decoded {
    let def = registry.iter().next().unwrap().def();
    let take = || {
        let mut args = Args::new(def, input.clone(), Coerce::Lenient)?;
        args.take_object();
        args.finish()?;
        Ok(args.notes().iter().map(|note| (note.path.clone(), note.rule.as_str().to_owned())).collect())
    };
    take().map_err(|error: tool_core::ToolError| {
        error.arg_issues().iter().map(|issue| (issue.path.clone(), issue.code)).collect()
    })
}

fn registry() -> Registry {
    let tool = DynTool::builder("find_all")
        .description("Finds all.")
        .behavior(Behavior::READ)
        .input_schema(schema());
    let tool = tool.handler_sync(|args, _| Ok(ToolOutput::structured(args))).build().unwrap();
    Registry::builder().add_dyn(tool).build().unwrap()
}

#[test]
fn values_satisfy_their_schema_are_many_and_the_same_for_the_same_seed() {
    let (schema, judge) = (schema(), jsonschema::draft202012::new(&schema()).unwrap());
    let made: Vec<Value> = values(&schema).seed(3).take(500).collect();
    assert_eq!(made.len(), 500);
    assert!(made.iter().all(|value| judge.is_valid(value)));
    assert!(made.iter().map(Value::to_string).collect::<BTreeSet<_>>().len() > 400);
    assert_eq!(made, values(&schema).seed(3).take(500).collect::<Vec<_>>());
    assert_ne!(made, values(&schema).seed(4).take(500).collect::<Vec<_>>());
    for name in schema["properties"].as_object().unwrap().keys() {
        assert!(made.iter().any(|value| value.get(name).is_some()), "{name} is never given");
    }
    let counts: BTreeSet<i64> = made.iter().map(|value| value["count"].as_i64().unwrap()).collect();
    assert!([3, 4, 8, 9].iter().all(|at| counts.contains(at)), "at and beside the bounds: {counts:?}");
}

#[test]
fn every_change_is_answered_as_it_says() {
    let (schema, registry) = (schema(), registry());
    let (mut kinds, mut codes, mut rules) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for value in values(&schema).seed(1).take(100) {
        assert_eq!(decoded(&registry, &value), Ok(Vec::new()), "{value}");
        for change in mutate(&schema, &value) {
            kinds.insert(format!("{:?}", change.kind));
            assert_ne!(change.value, json!(null));
            let (found, shown) = (decoded(&registry, &change.value), format!("{change:?} of {value}"));
            match change.expected {
                Expected::Taken => assert_eq!(found, Ok(Vec::new()), "{shown}"),
                Expected::Noted(rule) => {
                    rules.insert(rule.as_str());
                    assert!(found.unwrap().contains(&(change.path, rule.as_str().to_owned())), "{shown}");
                }
                Expected::Refused(code) => {
                    codes.insert(code.as_str());
                    let issues = found.unwrap_err();
                    assert!(issues.contains(&(change.path, code)), "{shown}: {issues:?}");
                }
            }
        }
    }
    let all = [
        "Added",
        "AtBound",
        "Choice",
        "Depth",
        "Dropped",
        "Lenient",
        "Null",
        "OverBound",
        "Tag",
        "Twice",
        "Type",
    ];
    assert_eq!(kinds, all.map(str::to_owned).into());
    let told = [
        "choice",
        "depth",
        "duplicate",
        "invalid",
        "length",
        "missing",
        "pattern",
        "range",
        "type",
        "unknown",
    ];
    assert_eq!(codes, told.into());
    let rules_of_all = [
        "boolean_to_string",
        "choice_case",
        "float_to_integer",
        "json_string_to_array",
        "json_string_to_object",
        "null_to_absent",
        "number_to_string",
        "single_to_array",
        "string_to_boolean",
        "string_to_integer",
        "string_to_number",
    ];
    assert!(rules.is_subset(&rules_of_all.into()) && rules.len() >= 10, "{rules:?}");
}

#[test]
fn a_change_below_what_the_schema_leaves_open_is_not_made() {
    let open = json!({"type": "object", "properties": {"either": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}});
    let changes = mutate(&open, &json!({"either": "5"}));
    assert!(changes.iter().all(|change| change.kind == MutationKind::Depth), "{changes:?}");
}

#[test]
fn damage_changes_most_values_and_is_the_same_for_the_same_seed() {
    let schema = schema();
    let damaged = |seed| {
        let mut damage = Damage::new(seed);
        let made = values(&schema).take(200).map(|mut value| {
            let before = value.clone();
            damage.damage(&mut value);
            (value != before, value)
        });
        made.collect::<Vec<_>>()
    };
    assert_eq!(damaged(5), damaged(5));
    assert!(damaged(5).iter().filter(|(changed, _)| *changed).count() > 150);
}

#[test]
fn numbers_are_those_of_the_published_generator() {
    let mut random = Random::new(0);
    let numbers = [(); 3].map(|()| random.number());
    assert_eq!(numbers, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
}

#[test]
fn every_number_of_a_range_comes_and_its_ends_come_most() {
    let mut random = Random::new(1);
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for _ in 0..8_000 {
        *counts.entry(random.between(-2, 2)).or_default() += 1;
    }
    assert_eq!(counts.keys().copied().collect::<Vec<i64>>(), [-2, -1, 0, 1, 2]);
    for (number, count) in counts {
        // A quarter each besides a fifth of the other half.
        let expected = if number.abs() == 2 { 2_800 } else { 800 };
        assert!(count.abs_diff(expected) < 200, "{number}: {count}");
    }
    assert_eq!((random.between(3, 3), random.between(3, 1)), (3, 3));
    assert!((0..100).map(|_| random.between(i64::MIN, i64::MAX)).collect::<BTreeSet<i64>>().len() > 40);
    let once = (0..8_000).filter(|_| random.one_in(4)).count();
    assert!(once.abs_diff(2_000) < 200, "{once}");
    let below: BTreeSet<usize> = (0..100).map(|_| random.below(3)).collect();
    assert_eq!(below.into_iter().collect::<Vec<usize>>(), [0, 1, 2]);
    assert_eq!((random.below(0), random.pick::<u8>(&[]), random.pick(&["a"])), (0, None, Some(&"a")));
}

/// The values of one parameter of a tool.
fn of_parameter(schema: Value) -> Vec<Value> {
    let whole = json!({"type": "object", "properties": {"it": schema}, "required": ["it"]});
    // Unjudged: those that are wrong are not passed over here.
    let mut made = Values::new(7);
    (0..2_000).map(|_| made.of(&whole)["it"].take()).collect()
}

fn whole_numbers(schema: Value) -> BTreeSet<i64> {
    of_parameter(schema).iter().map(|value| value.as_i64().unwrap()).collect()
}

#[test]
fn integers_are_those_between_the_tighter_bounds_and_multiples_of_the_step() {
    let all = |range: std::ops::RangeInclusive<i64>| range.collect::<BTreeSet<i64>>();
    assert_eq!(whole_numbers(json!({"type": "integer", "minimum": 3, "maximum": 9})), all(3..=9));
    assert_eq!(
        whole_numbers(json!({"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 9})),
        all(4..=8)
    );
    let both =
        json!({"type": "integer", "minimum": -2, "exclusiveMinimum": 0, "maximum": 7, "exclusiveMaximum": 4});
    assert_eq!(whole_numbers(both), all(1..=3));
    assert_eq!(whole_numbers(json!({"type": "integer", "minimum": 5, "maximum": 5})), all(5..=5));
    let stepped = json!({"type": "integer", "minimum": -7, "maximum": 11, "multipleOf": 5});
    assert_eq!(whole_numbers(stepped), [-5, 0, 5, 10].into());
    // Those that a JSON parser which reads doubles keeps, at and beside their ends too. (RFC 8259 §6)
    let safe = (1_i64 << 53) - 1;
    let any = whole_numbers(json!({"type": "integer"}));
    let [least, .., most] = any.iter().copied().collect::<Vec<_>>()[..] else { panic!("too few") };
    assert_eq!((least, most), (-safe, safe));
    assert!([-safe + 1, safe - 1].iter().all(|beside| any.contains(beside)) && any.len() > 500);
    // No number is both: what comes says nothing, but something comes.
    let mut unjudged = Values::new(7);
    for step in [0, i64::MAX] {
        let none = json!({"type": "integer", "minimum": i64::MAX, "maximum": i64::MIN, "multipleOf": step});
        assert!((0..100).all(|_| unjudged.of(&none).is_i64()));
    }
}

fn fractions(schema: Value) -> Vec<f64> {
    of_parameter(schema).iter().map(|value| value.as_f64().unwrap()).collect()
}

#[test]
fn numbers_are_at_and_beside_the_tighter_bounds_and_between_them() {
    for (schema, least, most) in [
        (json!({"type": "number", "minimum": 2, "maximum": 3}), 2.0, 3.0),
        (
            json!({"type": "number", "exclusiveMinimum": 2, "exclusiveMaximum": 3}),
            2_f64.next_up(),
            3_f64.next_down(),
        ),
        (
            json!({"type": "number", "minimum": -9, "exclusiveMinimum": 0.5, "maximum": 2.5, "exclusiveMaximum": 9}),
            0.5_f64.next_up(),
            2.5,
        ),
    ] {
        let made = fractions(schema.clone());
        assert!(made.iter().all(|number| (least..=most).contains(number)), "{schema}");
        for expected in [least, least.next_up(), most.next_down(), most] {
            assert!(made.contains(&expected), "{expected} of {schema}");
        }
        let between = made.iter().filter(|number| **number > least.next_up() && **number < most.next_down());
        assert!(between.count() > 200, "{schema}");
    }
    let wide = fractions(json!({"type": "number", "minimum": 100, "maximum": 200}));
    for part in [110.0..150.0, 150.0..190.0] {
        assert!(wide.iter().filter(|number| part.contains(*number)).count() > 100, "{part:?}");
    }
    let safe = 9_007_199_254_740_991.0;
    let any = fractions(json!({"type": "number"}));
    assert!(any.contains(&safe) && any.contains(&-safe) && any.contains(&0.5));
    let one_sided = fractions(json!({"type": "number", "minimum": 100}));
    assert!(one_sided.iter().all(|number| *number >= 100.0));
    assert!([100.0, 100_f64.next_up(), 123_456.75, 3.0e20].iter().all(|number| one_sided.contains(number)));
}

/// What is made of a value, by whether it is at a bound or beyond one.
fn at_bounds(schema: &Value, value: &Value) -> (Vec<Value>, Vec<Value>) {
    let whole = json!({"type": "object", "properties": {"it": schema}, "required": ["it"], "additionalProperties": false});
    let of = |kind: MutationKind| {
        let made = mutate(&whole, &json!({"it": value})).into_iter().filter(|made| made.kind == kind);
        made.map(|made| made.value["it"].clone()).collect::<Vec<Value>>()
    };
    (of(MutationKind::AtBound), of(MutationKind::OverBound))
}

#[test]
fn changes_are_at_the_bound_and_the_next_outside() {
    let numbers = |list: &[f64]| list.iter().map(|number| json!(number)).collect::<Vec<Value>>();
    let map = |count: usize| {
        (0..count)
            .map(|i| (["a", "b", "key1", "key2"][i].to_owned(), json!(1)))
            .collect::<serde_json::Map<_, _>>()
    };
    for (schema, value, at, over) in [
        (
            json!({"type": "integer", "minimum": -7, "maximum": 11, "multipleOf": 5}),
            json!(0),
            vec![json!(-5), json!(10)],
            vec![json!(-10), json!(15), json!(1)],
        ),
        (
            json!({"type": "integer", "minimum": -2, "exclusiveMinimum": 0}),
            json!(4),
            vec![json!(1)],
            vec![json!(0)],
        ),
        (
            json!({"type": "integer", "maximum": 9, "exclusiveMaximum": 9}),
            json!(4),
            vec![json!(8)],
            vec![json!(9)],
        ),
        (
            json!({"type": "number", "minimum": 0.5, "maximum": 2.5}),
            json!(1.5),
            numbers(&[0.5, 2.5]),
            numbers(&[0.5_f64.next_down(), 2.5_f64.next_up()]),
        ),
        (
            json!({"type": "number", "exclusiveMinimum": 0.5}),
            json!(1.5),
            numbers(&[0.5_f64.next_up()]),
            numbers(&[0.5]),
        ),
        (
            json!({"type": "number", "exclusiveMaximum": 2.5}),
            json!(1.5),
            numbers(&[2.5_f64.next_down()]),
            numbers(&[2.5]),
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 3}),
            json!(map(2)),
            vec![json!(map(1)), json!(map(3))],
            vec![json!({}), json!(map(4))],
        ),
        // A shorter tuple is one where the schema does not say how long it must be.
        (json!({"type": "array", "prefixItems": [{}, {}]}), json!([1, 2]), vec![], vec![]),
        (json!({"type": "array", "prefixItems": [{}, {}], "minItems": 1}), json!([1, 2]), vec![], vec![]),
        (
            json!({"type": "array", "prefixItems": [{}, {}], "minItems": 2}),
            json!([1, 2]),
            vec![],
            vec![json!([1])],
        ),
        // What misses a pattern has a length that is right.
        (
            json!({"type": "string", "pattern": "^[0-9]+$", "minLength": 5, "maxLength": 5}),
            json!("12345"),
            vec![],
            vec![json!("!!!!!")],
        ),
        // Two is in the set already, however it is spelt.
        (
            json!({"type": "array", "uniqueItems": true, "items": {"type": "number", "minimum": 0.5, "maximum": 2}}),
            json!([1, 2]),
            vec![json!([0.5, 2]), json!([1, 0.5])],
            [
                (0, 0.5_f64.next_down()),
                (0, 2.0_f64.next_up()),
                (1, 0.5_f64.next_down()),
                (1, 2.0_f64.next_up()),
            ]
            .map(|(at, beyond)| if at == 0 { json!([beyond, 2]) } else { json!([1, beyond]) })
            .to_vec(),
        ),
    ] {
        assert_eq!(at_bounds(&schema, &value), (at, over), "{schema}");
    }
}

/// The lengths of lists.
fn lengths<'a>(lists: impl IntoIterator<Item = &'a Value>) -> BTreeSet<usize> {
    lists.into_iter().map(|list| list.as_array().unwrap().len()).collect()
}

#[test]
fn lists_have_every_length_and_only_those_of_parameters_are_long() {
    let lists = of_parameter(json!({"type": "array", "items": {"type": "boolean"}}));
    let found = lengths(&lists);
    assert!((0..=4).all(|length| found.contains(&length)), "{found:?}");
    assert_eq!(found.last(), Some(&64));
    let long = lists.iter().filter(|list| list.as_array().unwrap().len() > 4).count();
    assert!((60..200).contains(&long), "{long} of 2000");

    let inner =
        of_parameter(json!({"type": "array", "items": {"type": "array", "items": {"type": "boolean"}}}));
    let inner: Vec<&Value> = inner.iter().flat_map(|list| list.as_array().unwrap()).collect();
    assert_eq!(lengths(inner.iter().copied()), (0..=4).collect());
    let roots: Vec<Value> = values(&json!({"type": "array", "items": {"type": "null"}})).take(500).collect();
    assert_eq!(lengths(&roots), (0..=4).collect());

    let bounded =
        of_parameter(json!({"type": "array", "items": {"type": "null"}, "minItems": 2, "maxItems": 4}));
    assert_eq!(lengths(&bounded), [2, 3, 4].into());
    let fixed =
        of_parameter(json!({"type": "array", "items": {"type": "null"}, "minItems": 6, "maxItems": 6}));
    assert_eq!(lengths(&fixed), [6].into());
}

#[test]
fn items_repeat_unless_they_must_not() {
    let repeats = |schema: Value| {
        of_parameter(schema)
            .iter()
            .filter(|list| {
                let list = list.as_array().unwrap();
                list.iter().map(Value::to_string).collect::<BTreeSet<_>>().len() < list.len()
            })
            .count()
    };
    let items = json!({"type": "integer", "minimum": 0, "maximum": 9});
    assert!(repeats(json!({"type": "array", "items": items})) > 500);
    assert!(repeats(json!({"type": "array", "items": items, "uniqueItems": false})) > 500);
    let unique = json!({"type": "array", "items": items, "uniqueItems": true});
    assert_eq!(repeats(unique.clone()), 0);
    assert_eq!(lengths(&of_parameter(unique)).last(), Some(&10));
}

#[test]
fn texts_match_a_pattern_that_common_ones_match() {
    let texts = of_parameter(json!({"type": "string", "pattern": "^[0-9]+$"}));
    let texts: BTreeSet<&str> = texts.iter().map(|text| text.as_str().unwrap()).collect();
    assert!(
        texts.len() > 3 && texts.iter().all(|text| text.bytes().all(|byte| byte.is_ascii_digit())),
        "{texts:?}"
    );
}

#[test]
fn objects_have_what_they_must_and_at_times_what_they_may() {
    let closed = of_parameter(json!({
        "type": "object",
        "properties": {"must": {"type": "null"}, "may": {"type": "null"}},
        "required": ["must"],
        "additionalProperties": false,
    }));
    assert!(closed.iter().all(|object| object.get("must").is_some()));
    let may = closed.iter().filter(|object| object.get("may").is_some()).count();
    assert!(may.abs_diff(1_000) < 100, "{may} of 2000");
    let keys = |objects: &[Value]| -> BTreeSet<String> {
        objects.iter().flat_map(|object| object.as_object().unwrap().keys().cloned()).collect()
    };
    assert_eq!(keys(&closed), ["may".to_owned(), "must".to_owned()].into());
    let map = of_parameter(
        json!({"type": "object", "additionalProperties": {"type": "integer", "minimum": 1, "maximum": 1}}),
    );
    assert!(
        keys(&map).len() > 20
            && map.iter().flat_map(|map| map.as_object().unwrap().values()).all(|value| *value == 1)
    );
}

/// How many objects and lists stand inside each other.
fn levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(levels).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

#[test]
fn what_contains_itself_ends_after_four_levels() {
    let deepest = |definition: Value| {
        let schema = json!({"$ref": "#/$defs/T", "$defs": {"T": definition}});
        values(&schema).seed(2).take(2_000).map(|value| levels(&value)).max().unwrap()
    };
    // A reference is a level, and so is what it leads to.
    let inner = json!({"$ref": "#/$defs/T"});
    assert_eq!(deepest(json!({"type": "object", "properties": {"next": inner}})), 3);
    assert_eq!(deepest(json!({"type": "object", "additionalProperties": inner})), 3);
    assert_eq!(deepest(json!({"type": "array", "items": inner})), 3);
    let map = |of: Value| json!({"type": "object", "additionalProperties": of});
    assert_eq!(of_parameter(map(map(map(map(json!({"type": "null"})))))).iter().map(levels).max(), Some(4));
    let boxed = json!({"type": "object", "properties": {"next": inner}, "required": ["next"]});
    let boxed = json!({"anyOf": [boxed, {"type": "null"}]});
    assert!(deepest(boxed) >= 3, "a required member is there on every level");
}

#[test]
fn a_value_says_all_of_another_that_adds_only_defaults() {
    use tool_core::test::says_all_of;
    let says = |a: Value, b: Value| says_all_of(&a, &b);
    assert!(
        says(json!({"a": 1}), json!({"a": 1.0, "b": 2})) && !says(json!({"a": 1, "b": 2}), json!({"a": 1}))
    );
    assert!(!says(json!({"a": 1}), json!({"a": 2})) && !says(json!({"a": 1}), json!({"b": 1})));
    assert!(says(json!(5), json!(5)) && says(json!(5), json!(5.0)) && !says(json!(5), json!(6)));
    assert!(says(json!([{"a": 1}, 2]), json!([{"a": 1, "b": 0}, 2])));
    assert!(
        !says(json!([1]), json!([1, 2])) && !says(json!([1, 2]), json!([1])) && !says(json!([1]), json!([2]))
    );
    assert!(says(json!("a"), json!("a")) && !says(json!("a"), json!("b")) && !says(json!("5"), json!(5)));
    assert!(
        !says(json!({}), json!([])) && says(json!(null), json!(null)) && !says(json!(true), json!(false))
    );
}
