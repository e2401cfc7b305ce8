//! Structs, enums, maps and lists: what serde is told of them and what callers get back.

use super::*;

#[test]
fn a_struct_is_read_at_any_depth_and_its_normal_form_has_declaration_order() {
    let (edits, normal, notes) =
        take::<Vec<Edit>>(x!(Vec<Edit>), json!([{"text": 5, "line": "7"}, {"all": null, "line": 1}]))
            .unwrap();
    assert_eq!(edits[0], Edit { line: 7, all: false, text: Some("5".into()) });
    assert_eq!(Value::Object(normal).to_string(), r#"{"x":[{"line":7,"text":"5"},{"line":1}]}"#);
    let rules: Vec<_> = notes.iter().map(|note| (note.path.as_str(), note.rule)).collect();
    let expected = [
        ("/x/0/line", Rule::StringToInteger),
        ("/x/0/text", Rule::NumberToString),
        ("/x/1/all", Rule::NullToAbsent),
    ];
    assert_eq!(rules, expected);
    // The type alone tells the notes in the same order.
    let (_, _, notes) = take::<Edit>(x!(Edit), json!({"text": 5, "line": "7"})).unwrap();
    let rules: Vec<_> = notes.iter().map(|note| (note.path.as_str(), note.rule)).collect();
    assert_eq!(rules, [("/x/line", Rule::StringToInteger), ("/x/text", Rule::NumberToString)]);
}

#[test]
fn null_for_a_field_that_may_be_left_out_is_noted_and_strictly_refused() {
    let null = json!({"x": {"line": 1, "text": null}});
    let (edit, normal, notes) = take_in::<Edit>(x!(Edit), null.clone(), Coerce::Lenient).unwrap();
    assert_eq!((edit.text, &normal["x"]), (None, &json!({"line": 1})));
    assert_eq!(notes, [Coercion { path: "/x/text".into(), rule: Rule::NullToAbsent }]);
    assert_eq!(issues(take_in::<Edit>(x!(Edit), null, Coerce::Strict)), told("/x/text", IssueCode::Type));
}

#[test]
fn an_array_is_no_struct_and_an_unknown_field_is_refused_without_deny_unknown_fields() {
    assert_eq!(issues(take::<Edit>(x!(Edit), json!([1, true, "a"]))), told("/x", IssueCode::Type));
    assert_eq!(
        issues(take::<Edit>(x!(Edit), json!({"line": 1, "lime": 1}))),
        told("/x/lime", IssueCode::Unknown)
    );
    assert!(take::<Edit>(x!(Edit), json!({"line": 1})).is_ok());
}

#[test]
fn aliases_of_serde_hold_also_where_a_coercion_or_an_issue_needs_the_schema() {
    let (edit, normal, _) = take::<Edit>(x!(Edit), json!({"line_number": 3})).unwrap();
    assert_eq!((edit.line, &normal["x"]), (3, &json!({"line_number": 3})));
    let (edit, normal, notes) = take::<Edit>(x!(Edit), json!({"line_number": "3"})).unwrap();
    assert_eq!((edit.line, &normal["x"]), (3, &json!({"line_number": 3})));
    assert_eq!(notes[0].path, "/x/line_number");
    let wrong = json!({"line_number": 3, "all": 7, "text": []});
    assert_eq!(
        issues(take::<Edit>(x!(Edit), wrong)),
        [("/x/all".to_owned(), IssueCode::Type), ("/x/text".to_owned(), IssueCode::Type)]
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    Circle {
        #[serde(alias = "r")]
        radius: f64,
    },
    Rect {
        w: u8,
        h: u8,
    },
    Empty,
}

#[test]
fn what_serde_buffers_is_coerced_and_closed_all_the_same() {
    let (shape, normal, notes) =
        take::<Shape>(x!(Shape), json!({"w": "2", "kind": "RECT", "h": 3.0})).unwrap();
    assert_eq!(shape, Shape::Rect { w: 2, h: 3 });
    assert_eq!(Value::Object(normal).to_string(), r#"{"x":{"kind":"rect","w":2,"h":3}}"#);
    assert_eq!(notes.len(), 3);
    let unknown = json!({"kind": "empty", "w": 1});
    assert_eq!(issues(take::<Shape>(x!(Shape), unknown)), told("/x/w", IssueCode::Unknown));
    assert_eq!(
        take::<Shape>(x!(Shape), json!({"kind": "circle", "r": 2})).unwrap().0,
        Shape::Circle { radius: 2.0 }
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Step {
    Stop,
    #[serde(alias = "pause")]
    Wait,
    #[serde(alias = "go")]
    Move {
        #[schemars(range(max = 9))]
        by: i64,
    },
    #[serde(alias = "speak")]
    Say(#[schemars(length(max = 5))] String),
    #[serde(alias = "spin")]
    Turn(u8, bool),
}

#[test]
fn every_shape_of_an_externally_tagged_enum_is_read() {
    let one = |x: Value| take::<Step>(x!(Step), x).unwrap().0;
    assert_eq!(one(json!("STOP")), Step::Stop);
    assert_eq!(one(json!("pause")), Step::Wait);
    assert_eq!(one(json!({"move": {"by": "-3"}})), Step::Move { by: -3 });
    assert_eq!(one(json!("{\"Say\": 5}")), Step::Say("5".into()));
    assert_eq!(one(json!({"turn": ["1", "true"]})), Step::Turn(1, true));
    assert_eq!(issues(take::<Step>(x!(Step), json!("move"))), told("/x", IssueCode::Choice));
    assert_eq!(issues(take::<Step>(x!(Step), json!({"stop": null}))), told("/x", IssueCode::Type));
    assert_eq!(issues(take::<Step>(x!(Step), json!({"turn": [1]}))), told("/x/turn", IssueCode::Length));
    assert_eq!(issues(take::<Step>(x!(Step), json!(" "))), told("/x", IssueCode::Type));
}

#[test]
fn a_case_is_held_to_its_bounds_under_an_alias_too() {
    for name in ["move", "go"] {
        let (step, normal, notes) = take::<Step>(x!(Step), json!({ name: {"by": "9"} })).unwrap();
        assert_eq!((step, &normal["x"], notes.len()), (Step::Move { by: 9 }, &json!({ name: {"by": 9} }), 1));
        let far = take::<Step>(x!(Step), json!({ name: {"by": 10} }));
        assert_eq!(issues(far), told(&format!("/x/{name}/by"), IssueCode::Range));
    }
    // `speak` stands between `say` and `turn` in the list of names.
    for name in ["say", "speak"] {
        assert_eq!(take::<Step>(x!(Step), json!({ name: "hello" })).unwrap().0, Step::Say("hello".into()));
        let long = take::<Step>(x!(Step), json!({ name: "hello!" }));
        assert_eq!(issues(long), told(&format!("/x/{name}"), IssueCode::Length));
    }
    // So does `spin`, which names the other one.
    assert_eq!(take::<Step>(x!(Step), json!({"spin": [1, "true"]})).unwrap().0, Step::Turn(1, true));
    assert_eq!(issues(take::<Step>(x!(Step), json!({"spin": [1]}))), told("/x/spin", IssueCode::Type));
    assert_eq!(issues(take::<Step>(x!(Step), json!({"pause": {}}))), told("/x", IssueCode::Type));
    assert_eq!(issues(take::<Step>(x!(Step), json!({"halt": {}}))), told("/x", IssueCode::Choice));
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Page {
    name: String,
    #[serde(flatten)]
    size: Size,
}

#[test]
fn fields_that_serde_flattens_are_coerced_and_closed() {
    let (page, _, notes) = take::<Page>(x!(Page), json!({"name": "a", "width": "8"})).unwrap();
    assert_eq!((page.size.width, notes.len()), (8, 1));
    let unknown = json!({"name": "a", "width": 8, "heigth": 1});
    assert_eq!(issues(take::<Page>(x!(Page), unknown)), told("/x/heigth", IssueCode::Unknown));
}

#[test]
fn maps_take_keys_as_they_are_and_parse_those_of_other_types() {
    let (map, ..) = take::<BTreeMap<u32, f32>>(x!(BTreeMap<u32, f32>), json!({"7": "1.5"})).unwrap();
    assert_eq!(map, BTreeMap::from([(7, 1.5)]));
    assert!(take::<BTreeMap<u32, f32>>(x!(BTreeMap<u32, f32>), json!({"seven": 1})).is_err());
    let (map, ..) =
        take::<HashMap<String, Option<u8>>>(x!(HashMap<String, Option<u8>>), json!({"": null})).unwrap();
    assert_eq!(map, HashMap::from([(String::new(), None)]));
}

#[test]
fn texts_and_lone_values_are_not_guessed_at() {
    assert_eq!(take::<Vec<String>>(x!(Vec<String>), json!("a,b")).unwrap().0, ["a,b"]);
    assert_eq!(take::<Vec<Vec<u8>>>(x!(Vec<Vec<u8>>), json!([[5], "[6]"])).unwrap().0, [[5], [6]]);
    assert_eq!(issues(take::<Vec<Vec<u8>>>(x!(Vec<Vec<u8>>), json!([5]))), told("/x/0", IssueCode::Type));
    assert_eq!(issues(take::<Vec<Vec<u8>>>(x!(Vec<Vec<u8>>), json!(5))), told("/x", IssueCode::Type));
    for blank in ["", " \t"] {
        assert_eq!(issues(take::<Option<u8>>(x!(Option<u8>), json!(blank))), told("/x", IssueCode::Type));
        assert_eq!(issues(take::<Vec<u8>>(x!(Vec<u8>), json!(blank))), told("/x", IssueCode::Type));
        assert_eq!(issues(take::<Vec<String>>(x!(Vec<String>), json!(blank))), told("/x", IssueCode::Type));
        assert_eq!(take::<String>(x!(String), json!(blank)).unwrap().0, blank);
    }
    assert_eq!(issues(take::<String>(x!(String), json!(1.5))), told("/x", IssueCode::Type));
}

#[test]
fn what_is_wrong_with_a_lone_value_is_told_of_the_list_where_it_is_the_type() {
    let expected = |error: ToolError| {
        let issue = error.arg_issues()[0].clone();
        (issue.path, issue.code, issue.expected)
    };
    for (error, path, code, told) in [
        (
            take::<Vec<u8>>(x!(Vec<u8>), json!("x")).unwrap_err(),
            "/x",
            IssueCode::Type,
            "array of integer 0..=255",
        ),
        (take::<Vec<u8>>(x!(Vec<u8>), json!(300)).unwrap_err(), "/x", IssueCode::Range, "integer 0..=255"),
        (
            take::<Vec<Size>>(x!(Vec<Size>), json!({"width": "w"})).unwrap_err(),
            "/x/width",
            IssueCode::Type,
            "integer 0..=65535",
        ),
    ] {
        assert_eq!(expected(error), (path.to_owned(), code, told.to_owned()));
    }
    assert_eq!(take::<Vec<u8>>(x!(Vec<u8>), json!("7")).unwrap().0, [7]);
}

#[test]
fn three_states_of_an_option_are_told_apart() {
    let state = |input: Value| {
        take_in::<Option<Option<u8>>>(x!(Option<Option<u8>>), input, Coerce::Lenient).unwrap().0
    };
    assert_eq!(state(json!({})), None);
    assert_eq!(state(json!({"x": null})), Some(None));
    assert_eq!(state(json!({"x": "5"})), Some(Some(5)));
}

#[test]
fn strict_refuses_what_would_leave_a_note_and_text_leaves_none_for_scalars() {
    let strict = |x: Value| take_in::<Vec<u8>>(x!(Vec<u8>), json!({ "x": x }), Coerce::Strict);
    assert!(strict(json!([1])).is_ok());
    for refused in [json!(["1"]), json!(1), json!("[1]"), json!([1.0]), json!(null)] {
        assert_eq!(strict(refused.clone()).unwrap_err().arg_issues()[0].code, IssueCode::Type, "{refused}");
    }
    let choice = take_in::<Step>(x!(Step), json!({"x": "Stop"}), Coerce::Strict);
    assert_eq!(issues(choice), told("/x", IssueCode::Choice));
    let case = |name: &str| take_in::<Step>(x!(Step), json!({"x": {name: {"by": 1}}}), Coerce::Strict);
    assert_eq!(issues(case("MOVE")), told("/x", IssueCode::Choice));
    assert_eq!(case("move").unwrap().0, Step::Move { by: 1 });
    let (value, normal, notes) = take_in::<Vec<u8>>(x!(Vec<u8>), json!({"x": ["1"]}), Coerce::Text).unwrap();
    assert_eq!((value, &normal["x"], notes.len()), (vec![1], &json!([1]), 0));
}

#[test]
fn a_flattened_enum_stands_beside_the_other_parameters() {
    let params = vec![
        param!("query", Doc::Text("Q."), String),
        x!(Shape, flatten: true),
        param!("deep", Doc::Text("D."), bool),
    ];
    let tool = tool(params);
    let run = |input: Value| {
        let mut args = Args::new(tool, input, Coerce::Lenient)?;
        let (_, shape, _) = (args.take::<String>(0), args.take::<Shape>(1), args.take::<bool>(2));
        args.finish().map(|()| (shape, Value::Object(args.normal().clone()).to_string()))
    };
    let (shape, normal) = run(json!({"h": 1, "deep": true, "kind": "Rect", "w": 2, "query": "q"})).unwrap();
    assert_eq!(shape, Some(Shape::Rect { w: 2, h: 1 }));
    assert_eq!(normal, r#"{"query":"q","kind":"rect","w":2,"h":1,"deep":true}"#);
    let error = run(json!({"kind": "empty", "query": "q", "w": 1})).unwrap_err();
    let issue = &error.arg_issues()[0];
    assert_eq!(
        (issue.path.as_str(), issue.expected.as_str()),
        ("/w", "one of the parameters query, kind, deep")
    );
    let error = run(json!({"w": 1, "query": "q"})).unwrap_err();
    assert_eq!(error.arg_issues().iter().map(|issue| issue.path.as_str()).collect::<Vec<_>>(), ["/kind"]);
}

#[test]
fn a_flattened_struct_spreads_its_fields() {
    let tool = tool(vec![x!(Size, flatten: true), param!("name", Doc::Text("N."), String)]);
    let run = |input: Value| {
        let mut args = Args::new(tool, input, Coerce::Lenient)?;
        let (size, _) = (args.take::<Size>(0), args.take::<String>(1));
        args.finish().map(|()| (size, args.notes().to_vec()))
    };
    let (size, notes) = run(json!({"name": "n", "width": "5"})).unwrap();
    assert_eq!((size, notes[0].path.as_str()), (Some(Size { width: 5, deep: false }), "/width"));
    let error = run(json!({"name": "n", "widht": 5})).unwrap_err();
    let issues: Vec<_> =
        error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.hint.as_deref())).collect();
    assert_eq!(issues, [("/width", None), ("/widht", Some("did you mean `width`?"))]);
    // Its own name is no key, wherever it stands.
    for input in [
        json!({"x": {"width": 6}, "width": 5, "name": "n"}),
        json!({"name": "n", "x": {"width": 6}, "width": 5}),
    ] {
        let error = run(input.clone()).unwrap_err();
        let issues: Vec<_> =
            error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.code)).collect();
        assert_eq!(issues, [("/x", IssueCode::Unknown)], "{input}");
    }
}

#[test]
fn a_handler_made_by_hand_may_take_a_value_by_its_schema_or_by_a_seed() {
    let tool = tool(vec![x!(u8, default: Some(|| json!(7)))]);
    for (input, value, typed) in [
        (json!({"x": "5"}), Some(json!(5)), Some(5)),
        (json!({}), Some(json!(7)), Some(7)),
        (json!({"x": "y"}), None, None),
    ] {
        let mut args = Args::new(tool, input.clone(), Coerce::Lenient).unwrap();
        assert_eq!(args.take_value(0), value, "{input}");
        assert_eq!(args.finish().is_ok(), value.is_some(), "{input}");
        let mut args = Args::new(tool, input.clone(), Coerce::Lenient).unwrap();
        assert_eq!(args.take_seed(0, PhantomData::<u8>), typed, "{input}");
        assert_eq!(args.finish().is_ok(), typed.is_some(), "{input}");
    }
}

/// A byte whose schema says less than that.
macro_rules! lax {
    ($name:ident, $schema:tt) => {
        #[derive(Debug, PartialEq, Deserialize)]
        pub(crate) struct $name(u8);

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}

lax!(Anything, {});
lax!(Positive, {"type": "integer", "minimum": 0});
lax!(Seven, {"type": "integer", "default": 7});

#[test]
fn what_a_schema_leaves_open_the_type_decides_as_strictly_as_the_call_is() {
    let strict = |x: Value| take_in::<Vec<Anything>>(x!(Vec<Anything>), json!({ "x": x }), Coerce::Strict);
    assert_eq!(strict(json!([5])).unwrap().0, [Anything(5)]);
    assert_eq!(issues(strict(json!(["5"]))), told("/x/0", IssueCode::Type));
    assert_eq!(take::<Vec<Anything>>(x!(Vec<Anything>), json!(["5"])).unwrap().0, [Anything(5)]);
}

#[test]
fn every_number_beyond_a_type_is_told_where_its_schema_is_wider() {
    assert_eq!(take::<Vec<Positive>>(x!(Vec<Positive>), json!([255])).unwrap().0, [Positive(255)]);
    assert_eq!(
        issues(take::<Vec<Positive>>(x!(Vec<Positive>), json!([300, 7, 400]))),
        [("/x/0".to_owned(), IssueCode::Range), ("/x/2".to_owned(), IssueCode::Range)]
    );
}

#[test]
fn a_key_that_looks_like_a_place_in_a_list_is_told_as_it_stands() {
    type Rows = Vec<BTreeMap<String, u8>>;
    let (rows, normal, _) = take::<Rows>(x!(Rows), json!({"0": "7"})).unwrap();
    assert_eq!((rows.len(), &normal["x"]), (1, &json!([{"0": 7}])));
    assert_eq!(issues(take::<Rows>(x!(Rows), json!({"0": "x"}))), told("/x/0", IssueCode::Type));
}
