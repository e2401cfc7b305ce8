//! The whole input: unknown keys, limits, defaults, secrets.

use super::*;

#[test]
fn what_is_left_out_by_null_is_noted_fifty_times() {
    let names = (0..=MAX_NOTES).map(|i| -> &'static str { format!("p{i}").leak() });
    let tool = tool(names.map(|name| param!(name, Doc::Text("P."), Option<u8>)).collect());
    let nulls: Map<String, Value> = (0..=MAX_NOTES).map(|i| (format!("p{i}"), Value::Null)).collect();
    let mut args = Args::new(tool, Value::Object(nulls), Coerce::Lenient).unwrap();
    (0..=MAX_NOTES).for_each(|i| assert_eq!(args.take::<Option<u8>>(i), Some(None)));
    args.finish().unwrap();
    assert_eq!(args.notes().len(), MAX_NOTES);
}

#[test]
fn what_was_meant_for_a_secret_parameter_is_not_repeated() {
    let secret = ParamDef {
        keys: &ParamKeys { secret: true, ..ParamKeys::NONE },
        ..param!("password", Doc::Text("P."), String)
    };
    let tool = tool(vec![secret, param!("name", Doc::Text("N."), String)]);
    let mut args = Args::new(tool, json!({"pasword": "hunter2", "nme": "Ada"}), Coerce::Lenient).unwrap();
    assert_eq!((args.take::<String>(0), args.take::<String>(1)), (None, None));
    let told = args.finish().unwrap_err().to_json().to_string();
    assert!(!told.contains("hunter2") && told.contains("Ada"), "{told}");
}

#[test]
fn ten_thousand_unknown_keys_are_counted_and_fifty_are_listed() {
    let mut input: Map<String, Value> = (0..10_000).map(|i| (format!("key_{i}"), json!(i))).collect();
    input.insert("x".into(), json!(1));
    let error = take_in::<u8>(x!(u8), Value::Object(input.clone()), Coerce::Lenient).unwrap_err();
    assert_eq!((error.arg_issues().len(), &error.details()["more"]), (MAX_ISSUES, &json!(9_950)));
    assert_eq!(error.message(), "10000 arguments do not fit.");
    let error = take::<Edit>(x!(Edit), Value::Object(input)).unwrap_err();
    assert_eq!((error.arg_issues().len(), &error.details()["more"]), (MAX_ISSUES, &json!(9_952)));
    let error = take::<Vec<u8>>(x!(Vec<u8>), (0..10_000).map(|i| json!([i])).collect()).unwrap_err();
    assert_eq!((error.arg_issues().len(), &error.details()["more"]), (MAX_ISSUES, &json!(9_950)));
}

#[test]
fn a_text_for_the_object_of_arguments_is_refused_where_nothing_is_coerced() {
    let text = || json!("{\"x\": 5}");
    let error = take_in::<u8>(x!(u8), text(), Coerce::Strict).unwrap_err();
    assert_eq!(error.code_str(), "not_an_object");
    let (value, _, notes) = take_in::<u8>(x!(u8), text(), Coerce::Lenient).unwrap();
    assert_eq!((value, notes[0].rule), (5, Rule::JsonStringToObject));
}

/// What is surely small is not measured, so what is taken for small must be.
#[test]
fn no_value_of_any_form_gets_past_the_limit_of_bytes() {
    let long = "\u{1}".repeat(200);
    let empty_texts = Value::from(vec![""; 400]);
    let rows = [
        json!({"x": long}),
        json!({"x": [long]}),
        json!({ long.as_str(): 1 }),
        json!({"x": empty_texts}),
        json!({"x": {"y": long}}),
        json!({"x": [[long]]}),
        json!({"x": vec![1; 600]}),
        json!({"": []}),
    ];
    for input in rows {
        let bytes = input.to_string().len();
        for (most, fits) in [(bytes, true), (bytes - 1, false)] {
            let made = Args::within(tool(vec![x!(String)]), input.clone(), Coerce::Lenient, most);
            let code = made.err().map(|error| error.code_str().to_owned());
            assert_eq!(code, (!fits).then(|| "args_too_large".to_owned()), "{most} for {input}");
        }
    }
}

#[test]
fn issues_and_unknown_keys_together_are_no_more_than_fifty() {
    let mut input: Map<String, Value> = (0..60).map(|i| (format!("key_{i}"), json!(i))).collect();
    input.insert("a".into(), json!("no number"));
    let def = tool(["a", "b"].map(|name| param!(name, Doc::Text("P."), u8)).to_vec());
    let mut args = Args::new(def, Value::Object(input), Coerce::Lenient).unwrap();
    let _ = (args.take::<u8>(0), args.take::<u8>(1));
    let error = args.finish().unwrap_err();
    assert_eq!((error.arg_issues().len(), &error.details()["more"]), (MAX_ISSUES, &json!(12)));
}

#[test]
fn a_default_is_used_as_typed_and_stands_in_the_normal_form() {
    let mut limit = param!("limit", Doc::Text("L."), u32);
    limit.default = Some(|| json!(10));
    let tool = tool(vec![limit]);
    for (input, expected) in [(json!({}), 10), (json!({"limit": null}), 10), (json!({"limit": "3"}), 3)] {
        let mut args = Args::new(tool, input, Coerce::Lenient).unwrap();
        assert_eq!(args.take_or::<u32>(0, || 10), Some(expected));
        args.finish().unwrap();
        assert_eq!(args.normal()["limit"], json!(expected));
    }
}

#[test]
fn a_default_that_is_a_whole_number_is_written_like_one_that_is_given() {
    let mut wait = param!("wait", Doc::Text("W."), f64);
    wait.default = Some(|| json!(2.0));
    let tool = tool(vec![wait]);
    for input in [json!({}), json!({"wait": null}), json!({"wait": 2.0}), json!({"wait": 2})] {
        let mut args = Args::new(tool, input.clone(), Coerce::Lenient).unwrap();
        assert_eq!(args.take_or::<f64>(0, || 2.0), Some(2.0));
        args.finish().unwrap();
        assert_eq!(json!(args.normal()).to_string(), r#"{"wait":2}"#, "{input}");
    }
}

#[test]
fn null_stands_in_the_normal_form_where_it_is_a_value() {
    static ANY: ParamKeys<'static> = ParamKeys { any: true, ..ParamKeys::NONE };
    let any = param_with(answers!(Value), "x", Doc::Text("X."), None, &ANY);
    let (value, normal, notes) = take::<Value>(any, Value::Null).unwrap();
    assert_eq!((value, normal.get("x"), notes.len()), (Value::Null, Some(&Value::Null), 0));
    let (value, normal, notes) = take::<Option<Option<u8>>>(x!(Option<Option<u8>>), Value::Null).unwrap();
    assert_eq!((value, normal.get("x"), notes.len()), (Some(None), Some(&Value::Null), 0));
    let (value, normal, notes) = take::<Option<u8>>(x!(Option<u8>), Value::Null).unwrap();
    assert_eq!((value, normal.get("x"), notes.len()), (None, None, 1));
}

#[test]
fn a_default_that_only_a_schema_tells_is_not_in_the_normal_form() {
    let (value, normal, _) =
        take_in::<Option<types::Seven>>(x!(Option<types::Seven>), json!({}), Coerce::Lenient).unwrap();
    assert_eq!((value, normal), (None, Map::new()));
}
