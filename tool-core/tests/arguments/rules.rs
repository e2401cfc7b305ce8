//! What surfaces found, and rules between parameters.

use super::*;

#[test]
fn what_a_surface_found_is_merged_in_declaration_order_and_not_found_again() {
    let names = ["a", "b", "c"];
    let tool = tool(names.map(|name| param!(name, Doc::Text("P."), u8)).to_vec());
    let found = |path: &str| ArgIssue {
        path: path.into(),
        code: IssueCode::Invalid,
        expected: "a file".into(),
        got: "nothing there".into(),
        hint: None,
    };
    let input = json!({"b": "x", "c": "x", "d": 1, "e": [1], "de": 1});
    let args = Args::new(tool, input, Coerce::Text).unwrap();
    let mut args = args.with_issues(vec![found("/e/0"), found("/d"), found("/b")]);
    for i in 0..3 {
        assert_eq!(args.take::<u8>(i), None);
    }
    let expected = [
        ("/a", IssueCode::Missing),
        ("/b", IssueCode::Invalid),
        ("/c", IssueCode::Type),
        ("/e/0", IssueCode::Invalid),
        ("/d", IssueCode::Invalid),
        ("/de", IssueCode::Unknown),
    ];
    let error = args.finish().unwrap_err();
    let issues: Vec<_> = error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.code)).collect();
    assert_eq!(issues, expected);
}

#[test]
fn rules_between_parameters_wait_until_every_argument_fits() {
    let mut def = *tool(["a", "b"].map(|name| param!(name, Doc::Text("P."), Option<u8>)).to_vec());
    def.keys = &ToolKeys { constraints: &[Constraint::ExactlyOne(&["a", "b"])], ..ToolKeys::NONE };
    let run = |input: Value| {
        let mut args = Args::new(&def, input, Coerce::Lenient)?;
        let _ = (args.take::<Option<u8>>(0), args.take::<Option<u8>>(1));
        args.finish()
    };
    assert!(run(json!({"a": 1, "b": null})).is_ok());
    let both = run(json!({"a": 1, "b": 2})).unwrap_err();
    assert_eq!((both.arg_issues()[0].path.as_str(), both.arg_issues()[0].got.as_str()), ("", "2 given"));
    assert_eq!(run(json!({"a": "x", "b": 2})).unwrap_err().arg_issues()[0].code, IssueCode::Type);
}

#[test]
fn a_parameter_is_refused_with_one_it_conflicts_with_and_without_one_it_requires() {
    static CONFLICTING: ParamKeys<'static> = ParamKeys { conflicts_with: &["b"], ..ParamKeys::NONE };
    static REQUIRING: ParamKeys<'static> = ParamKeys { requires: &["b"], ..ParamKeys::NONE };
    for (keys, input, told) in [
        (&CONFLICTING, json!({"a": 1, "b": 2}), Some(("not together with `b`", "both given"))),
        (&CONFLICTING, json!({"a": 1}), None),
        (&CONFLICTING, json!({"b": 2}), None),
        (&CONFLICTING, json!({"a": 1, "b": null}), None),
        (&REQUIRING, json!({"a": 1}), Some(("`b` as well", "`b` missing"))),
        (&REQUIRING, json!({"a": 1, "b": null}), Some(("`b` as well", "`b` missing"))),
        (&REQUIRING, json!({"a": 1, "b": 2}), None),
        (&REQUIRING, json!({"b": 2}), None),
    ] {
        let [a, b] = ["a", "b"].map(|name| param!(name, Doc::Text("P."), Option<u8>));
        let mut args =
            Args::new(tool(vec![ParamDef { keys, ..a }, b]), input.clone(), Coerce::Lenient).unwrap();
        let _ = (args.take::<Option<u8>>(0), args.take::<Option<u8>>(1));
        let error = args.finish().err();
        let issue = error.as_ref().map(|error| &error.arg_issues()[0]);
        let found = issue.map(|issue| (issue.path.as_str(), issue.expected.as_str(), issue.got.as_str()));
        assert_eq!(found, told.map(|(expected, got)| ("/a", expected, got)), "{input}");
    }
}

#[test]
fn one_at_least_is_asked_for_and_a_field_of_a_flattened_parameter_counts() {
    let mut def = *tool(vec![x!(Size, flatten: true), param!("name", Doc::Text("N."), Option<String>)]);
    let of_two = &ToolKeys { constraints: &[Constraint::AtLeastOne(&["deep", "name"])], ..ToolKeys::NONE };
    let of_one = &ToolKeys { constraints: &[Constraint::AtLeastOne(&["deep"])], ..ToolKeys::NONE };
    for (keys, input, got) in [
        (of_two, json!({"width": 1}), Some("none given")),
        (of_two, json!({"width": 1, "name": null}), Some("none given")),
        (of_two, json!({"width": 1, "name": "n"}), None),
        (of_two, json!({"width": 1, "deep": true}), None),
        (of_two, json!({"width": 1, "deep": true, "name": "n"}), None),
        (of_one, json!({"width": 1, "deep": false}), None),
        (of_one, json!({"width": 1, "name": "n"}), Some("none given")),
    ] {
        def.keys = keys;
        let mut args = Args::new(&def, input.clone(), Coerce::Lenient).unwrap();
        let _ = (args.take::<Size>(0), args.take::<Option<String>>(1));
        let told = args.finish().err().map(|error| error.arg_issues()[0].got.clone());
        assert_eq!(told.as_deref(), got, "{input}");
    }
}

#[test]
fn an_object_is_given_under_the_name_of_its_parameter_and_not_of_its_fields() {
    let mut def = *tool(vec![x!(Size)]);
    for (name, given) in [("x", true), ("width", false)] {
        let constraints: &'static [Constraint<'static>] =
            Box::leak(Box::new([Constraint::AtLeastOne(Box::leak(Box::new([name])))]));
        def.keys = Box::leak(Box::new(ToolKeys { constraints, ..ToolKeys::NONE }));
        let mut args = Args::new(&def, json!({"x": {"width": 1}}), Coerce::Lenient).unwrap();
        let _ = args.take::<Size>(0);
        assert_eq!(args.finish().is_ok(), given, "{name}");
    }
}

#[test]
fn an_object_whose_fields_lie_at_the_root_is_told_where_to_put_them() {
    let tool = tool(vec![x!(Size)]);
    for (input, hint) in [
        (json!({"width": 1, "deep": true}), Some("put `width`, `deep` inside `x`")),
        (json!({"other": 1}), None),
    ] {
        let mut args = Args::new(tool, input.clone(), Coerce::Lenient).unwrap();
        assert_eq!(args.take::<Size>(0), None);
        let error = args.finish().unwrap_err();
        let first = &error.arg_issues()[0];
        assert_eq!((first.code, first.hint.as_deref()), (IssueCode::Missing, hint), "{input}");
    }
}
