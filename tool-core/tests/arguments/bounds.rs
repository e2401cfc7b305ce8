//! Bounds, limits and patterns: those of types and those of parameters.

use super::*;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Bounded {
    #[schemars(range(min = 0))]
    signed: i64,
    #[schemars(length(max = 2), regex(pattern = "^[a-z]*$"))]
    #[serde(default)]
    code: String,
    #[serde(default)]
    set: BTreeSet<u8>,
}

#[test]
fn assertions_that_a_type_does_not_guarantee_are_enforced() {
    assert!(take::<Bounded>(x!(Bounded), json!({"signed": 0, "code": "ab", "set": [1, 2]})).is_ok());
    let wrong = json!({"signed": -1, "code": "abc", "set": [1, "1"]});
    assert_eq!(
        issues(take::<Bounded>(x!(Bounded), wrong)),
        [
            ("/x/signed".to_owned(), IssueCode::Range),
            ("/x/code".to_owned(), IssueCode::Length),
            ("/x/set/1".to_owned(), IssueCode::Duplicate)
        ]
    );
    let equal = json!({"signed": 0, "set": [300, 300]});
    assert_eq!(
        issues(take::<Bounded>(x!(Bounded), equal)),
        [("/x/set/0".to_owned(), IssueCode::Range), ("/x/set/1".to_owned(), IssueCode::Range)]
    );
    let pattern = json!({"signed": 1, "code": "A1"});
    assert_eq!(issues(take::<Bounded>(x!(Bounded), pattern)), told("/x/code", IssueCode::Pattern));
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(try_from = "u32")]
struct Even(u32);

impl TryFrom<u32> for Even {
    type Error = String;

    fn try_from(number: u32) -> Result<Even, String> {
        if number.is_multiple_of(2) { Ok(Even(number)) } else { Err(format!("an even number, not {number}")) }
    }
}

impl JsonSchema for Even {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Even".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        u32::json_schema(generator)
    }
}

#[test]
fn the_refusal_of_a_type_s_own_decoding_is_told_in_its_words_but_not_for_secrets() {
    assert_eq!(take::<Vec<Even>>(x!(Vec<Even>), json!([2, "4"])).unwrap().0, [Even(2), Even(4)]);
    let error = take::<Vec<Even>>(x!(Vec<Even>), json!([2, 3])).unwrap_err();
    let issue = &error.arg_issues()[0];
    assert_eq!(
        (issue.path.as_str(), issue.code, issue.expected.as_str()),
        ("/x/1", IssueCode::Invalid, "an even number, not 3")
    );
    let error = take::<Vec<Even>>(x!(Vec<Even>, secret: true), json!([2, 3])).unwrap_err();
    assert!(!error.to_json().to_string().contains("not 3"), "{error}");
    assert_eq!(error.arg_issues()[0].got, "integer (hidden)");
    // What the schema says of the value itself is no less telling.
    let error = take::<NonZeroI64>(x!(NonZeroI64, secret: true), json!(0)).unwrap_err();
    assert_eq!(error.arg_issues()[0].expected, "another value");
    assert!(take::<NonZeroI64>(x!(NonZeroI64, secret: true), json!(1)).is_ok());
}

#[test]
fn the_limits_of_64_bits_are_those_of_the_type_for_every_item() {
    let error = take::<Vec<i64>>(x!(Vec<i64>), json!([1, u64::MAX, u64::MAX])).unwrap_err();
    let expected = "integer -9223372036854775808..=9223372036854775807";
    let issues: Vec<_> =
        error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.expected.as_str())).collect();
    assert_eq!(issues, [("/x/1", expected), ("/x/2", expected)]);
    assert_eq!(take::<u64>(x!(u64), json!(9_007_199_254_740_993_u64)).unwrap().0, 9_007_199_254_740_993);
    let error = take::<Wide>(x!(Wide), json!({"unsigned": u64::MAX, "signed": u64::MAX})).unwrap_err();
    let issues: Vec<_> =
        error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.expected.as_str())).collect();
    assert_eq!(issues, [("/x/signed", expected)]);
    assert!(take::<Wide>(x!(Wide), json!({"unsigned": u64::MAX, "signed": i64::MAX})).is_ok());
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Wide {
    unsigned: u64,
    signed: i64,
}

#[test]
fn the_greatest_number_of_a_type_is_one_of_it() {
    for sign in [1.0, -1.0] {
        let most = f64::from(f32::MAX) * sign;
        assert_eq!(f64::from(take::<f32>(x!(f32), json!(most)).unwrap().0), most);
        assert_eq!(issues(take::<f32>(x!(f32), json!(most * 1.001))), told("/x", IssueCode::Range));
        assert_eq!(take::<f64>(x!(f64), json!(f64::MAX * sign)).unwrap().0, f64::MAX * sign);
    }
    assert_eq!(issues(take::<f64>(x!(f64), json!("1e309"))), told("/x", IssueCode::Range));
}

#[test]
fn items_of_a_list_of_the_wrong_length_are_told_of_and_those_of_a_tuple_have_no_place() {
    let one = Bounds { len: Range { min: 0, max: Some(1) }, ..Bounds::NONE };
    let list = take::<Vec<u8>>(x!(Vec<u8>, bounds: one), json!(["x", 1]));
    assert_eq!(issues(list), [("/x".to_owned(), IssueCode::Length), ("/x/0".to_owned(), IssueCode::Type)]);
    assert!(take::<Vec<u8>>(x!(Vec<u8>, bounds: one), json!([1])).is_ok());
    assert_eq!(issues(take::<(u8, bool)>(x!((u8, bool)), json!(["x"]))), told("/x", IssueCode::Length));
    assert_eq!(issues(take::<(u8, bool)>(x!((u8, bool)), json!(["x", true]))), told("/x/0", IssueCode::Type));
    assert_eq!(take::<(u8, bool)>(x!((u8, bool)), json!([1, true])).unwrap().0, (1, true));
}

#[test]
fn a_number_that_no_json_holds_is_told_the_limits_that_hold() {
    let beyond = "170141183460469231731687303715884105727";
    let expected = |refused: Result<_, ToolError>| -> String {
        let error: ToolError = refused.unwrap_err();
        assert_eq!(error.arg_issues()[0].code, IssueCode::Range);
        error.arg_issues()[0].expected.clone()
    };
    let signed = "integer -9223372036854775808..=18446744073709551615";
    assert_eq!(expected(take::<i128>(x!(i128), json!(beyond)).map(drop)), signed);
    let unsigned = "integer 0..=18446744073709551615";
    assert_eq!(expected(take::<u128>(x!(u128), json!(beyond)).map(drop)), unsigned);
    assert_eq!(take::<i128>(x!(i128), json!(u64::MAX)).unwrap().0, u64::MAX.into());
    assert_eq!(take::<u128>(x!(u128), json!("18446744073709551615")).unwrap().0, u64::MAX.into());
}

#[test]
fn a_map_is_told_how_many_members_it_may_have() {
    let len = Bounds { len: Range { min: 0, max: Some(1) }, ..Bounds::NONE };
    let two = json!({"a": 1, "b": 2});
    let error = take::<BTreeMap<String, i8>>(x!(BTreeMap<String, i8>, bounds: len), two).unwrap_err();
    let issue = &error.arg_issues()[0];
    assert_eq!((issue.code, issue.path.as_str()), (IssueCode::Length, "/x"));
    assert_eq!(issue.expected, "object of integer -128..=127 with at most 1 member");
    assert!(take::<BTreeMap<String, i8>>(x!(BTreeMap<String, i8>, bounds: len), json!({"a": 1})).is_ok());
}

#[test]
fn bounds_of_a_parameter_reach_through_options_and_into_lists() {
    let bounds = Bounds { min: Some(Number::Int(1)), max: Some(Number::Int(10)), ..Bounds::NONE };
    assert!(take::<Option<Vec<u32>>>(x!(Option<Vec<u32>>, bounds: bounds), json!([1, "10"])).is_ok());
    assert_eq!(
        issues(take::<Option<Vec<u32>>>(x!(Option<Vec<u32>>, bounds: bounds), json!([0, 5, 11]))),
        [("/x/0".to_owned(), IssueCode::Range), ("/x/2".to_owned(), IssueCode::Range)]
    );
    let pattern = Bounds { pattern: Some("^a"), len: Range { min: 0, max: Some(2) }, ..Bounds::NONE };
    assert!(take::<String>(x!(String, bounds: pattern), json!("ab")).is_ok());
    assert_eq!(
        issues(take::<String>(x!(String, bounds: pattern), json!("ba"))),
        told("/x", IssueCode::Pattern)
    );
    assert_eq!(
        issues(take::<String>(x!(String, bounds: pattern), json!("abc"))),
        told("/x", IssueCode::Length)
    );
    let choices = Bounds { choices: &["eu", "us"], ..Bounds::NONE };
    let (value, normal, notes) = take::<Vec<String>>(x!(Vec<String>, bounds: choices), json!("EU")).unwrap();
    assert_eq!((value, &normal["x"], notes.len()), (vec!["eu".to_owned()], &json!(["eu"]), 2));
}

#[test]
fn a_broken_pattern_is_the_tool_s_fault_and_not_the_caller_s() {
    let bounds = Bounds { pattern: Some("("), ..Bounds::NONE };
    let error = take::<String>(x!(String, bounds: bounds), json!("a")).unwrap_err();
    assert_eq!((error.kind().as_str(), error.code_str()), ("internal", "bad_pattern"));
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Coded {
    #[schemars(regex(pattern = "^[A-Z]+$"))]
    code: String,
}

#[test]
fn patterns_hold_inside_a_flattened_parameter_and_beside_it() {
    let beside = ParamKeys { bounds: Bounds { pattern: Some("^a"), ..Bounds::NONE }, ..ParamKeys::NONE };
    let mut name = param!("name", Doc::Text("N."), String);
    name.keys = Box::leak(Box::new(beside));
    let tool = tool(vec![x!(Coded, flatten: true), name]);
    let run = |code: &str, name: &str| {
        let mut args = Args::new(tool, json!({"code": code, "name": name}), Coerce::Lenient).unwrap();
        let _ = (args.take::<Coded>(0), args.take::<String>(1));
        args.finish().map_err(|error| error.arg_issues()[0].path.clone())
    };
    assert_eq!(run("AB", "ab"), Ok(()));
    assert_eq!(run("ab", "ab"), Err("/code".to_owned()));
    assert_eq!(run("AB", "b"), Err("/name".to_owned()));
}

#[test]
fn bounds_and_alternatives_are_looked_at_however_many_parameters_there_are() {
    let names: Vec<String> = (0..66).map(|i| format!("p{i}")).collect();
    let params = |last: fn(&'static str) -> ParamDef<'static>| {
        let name = |i: usize| -> &'static str { names[i].clone().leak() };
        let first = (0..64).map(|i| param!(name(i), Doc::Text("P."), Option<u8>));
        tool(first.chain([last(name(64)), last(name(65))]).collect())
    };
    let bounded = params(|name| param!(name, Doc::Text("P."), Bounded));
    for (signed, told) in [(1, 0), (-1, 2)] {
        let input = json!({"p64": {"signed": signed}, "p65": {"signed": signed}});
        let mut args = Args::new(bounded, input, Coerce::Lenient).unwrap();
        (0..64).for_each(|i| assert_eq!(args.take::<Option<u8>>(i), Some(None)));
        let _ = (args.take::<Bounded>(64), args.take::<Bounded>(65));
        assert_eq!(args.finish().err().map_or(0, |error| error.arg_issues().len()), told);
    }
    let hiding = params(|name| param!(name, Doc::Text("P."), Hiding));
    for (value, told) in [(json!({"id": 1}), 0), (json!({"id": 1, "name": "a"}), 2)] {
        let mut args = Args::new(hiding, json!({"p64": value, "p65": value}), Coerce::Lenient).unwrap();
        (0..64).for_each(|i| assert_eq!(args.take::<Option<u8>>(i), Some(None)));
        let _ = (args.take::<Hiding>(64), args.take::<Hiding>(65));
        assert_eq!(args.finish().err().map_or(0, |error| error.arg_issues().len()), told);
    }
}

/// The lesser alternative hides the greater one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "it is only decoded")]
enum Hiding {
    Id { id: u8 },
    Both { id: u8, name: String },
}
