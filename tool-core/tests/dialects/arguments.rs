//! Arguments on their way to a model and back.

use super::*;

/// A plan of one tool with a schema, strict as OpenAI has it.
fn strict(schema: Value) -> Plan {
    let tool = DynTool::builder("look").description("Looks.").behavior(Behavior::READ).input_schema(schema);
    let tool = tool.handler_sync(|_, _| Ok(ToolOutput::default())).build().unwrap();
    let registry = Registry::builder().add_dyn(tool).build().unwrap();
    let options = PlanOptions { strict: Some(StrictPolicy::Always), ..PlanOptions::default() };
    OpenAiChat.plan(&[registry.get("look").unwrap()], &options).unwrap()
}

/// What a model that obeys the schema sends, and what is read of something that one sends.
fn sent(plan: &Plan, args: &Value) -> Value {
    OpenAiChat.encode_args(&plan.tools[0], args)
}

fn received(plan: &Plan, sent: Value) -> Result<Value, ToolError> {
    let body = OpenAiChat.encode_calls(&[call("t", sent)], "");
    OpenAiChat.decode(plan, &body, 0).unwrap().calls.remove(0).args
}

/// An object that has a map, which travels as a list of entries.
fn with_map(name: &str, more: Value, required: Value) -> Value {
    let mut properties = more;
    properties[name] =
        json!({"type": "object", "x-entries": true, "additionalProperties": {"type": "integer"}});
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn holding(schema: Value) -> Value {
    json!({"type": "object", "properties": {"it": schema}, "required": ["it"], "additionalProperties": false})
}

#[test]
fn a_value_travels_as_the_branch_that_it_is_meant_for() {
    let tag = |tag: &str| json!({"kind": {"type": "string", "const": tag}});
    let listed = |tag: &str| json!({"kind": {"type": "string", "enum": [tag]}});
    let number = |number: u32| json!({"kind": {"type": "integer", "const": number}});
    let text = || json!({"type": "string"});
    let entries = |name: &str| json!({name: [{"key": "x", "value": 1}]});
    let map = |name: &str| json!({name: {"x": 1}});
    let with = |mut object: Value, key: &str, value: Value| {
        object[key] = value;
        object
    };
    let required = || json!(["kind", "m"]);
    let by_tag =
        json!([with_map("m", tag("a"), required()), with_map("m", with(tag("b"), "n", text()), required())]);
    let by_list = json!([
        with_map("m", listed("a"), required()),
        with_map("m", with(listed("b"), "n", text()), required())
    ]);
    let by_number = json!([
        with_map("m", number(1), required()),
        with_map("m", with(number(2), "n", text()), required())
    ]);
    let by_key =
        json!([with_map("m", json!({"n": text()}), json!(["m"])), with_map("k", json!({}), json!(["k"]))]);
    let by_type = json!([text(), {"type": "null"}, with_map("m", json!({"n": text()}), json!(["m"])), {"type": "array", "items": {"type": "integer"}}]);
    let by_values =
        json!([{"enum": [1, 2]}, {"const": "x"}, with_map("m", json!({"n": text()}), json!(["m"]))]);
    let of_two_types = json!([{"type": ["string", "integer"]}, with_map("m", json!({}), json!(["m"]))]);
    let of_lists = json!([text(), {"type": "array", "items": with_map("m", json!({}), json!(["m"]))}]);
    let of_maps =
        json!([text(), {"type": "object", "x-entries": true, "additionalProperties": {"type": "integer"}}]);
    let mut no_type = with_map("m", json!({}), json!(["m"]));
    no_type.as_object_mut().unwrap().remove("type");
    let untyped = json!([no_type, text()]);
    let one_tag = json!([text(), with_map("m", tag("a"), required())]);
    for (name, branches, value, travels) in [
        (
            "the only tag",
            &one_tag,
            with(map("m"), "kind", json!("z")),
            with(entries("m"), "kind", json!("z")),
        ),
        ("tag a", &by_tag, with(map("m"), "kind", json!("a")), with(entries("m"), "kind", json!("a"))),
        (
            "tag b",
            &by_tag,
            with(map("m"), "kind", json!("b")),
            with(with(entries("m"), "kind", json!("b")), "n", json!(null)),
        ),
        ("list a", &by_list, with(map("m"), "kind", json!("a")), with(entries("m"), "kind", json!("a"))),
        (
            "list b",
            &by_list,
            with(map("m"), "kind", json!("b")),
            with(with(entries("m"), "kind", json!("b")), "n", json!(null)),
        ),
        ("number 1", &by_number, with(map("m"), "kind", json!(1)), with(entries("m"), "kind", json!(1))),
        (
            "number 2",
            &by_number,
            with(map("m"), "kind", json!(2)),
            with(with(entries("m"), "kind", json!(2)), "n", json!(null)),
        ),
        ("key m", &by_key, map("m"), with(entries("m"), "n", json!(null))),
        ("key k", &by_key, map("k"), entries("k")),
        ("object", &by_type, map("m"), with(entries("m"), "n", json!(null))),
        ("text", &by_type, json!("x"), json!("x")),
        ("null", &by_type, json!(null), json!(null)),
        ("list", &by_type, json!([1]), json!([1])),
        ("value", &by_values, json!(2), json!(2)),
        ("constant", &by_values, json!("x"), json!("x")),
        ("object beside values", &by_values, map("m"), with(entries("m"), "n", json!(null))),
        ("one of two types", &of_two_types, json!(7), json!(7)),
        ("object beside two types", &of_two_types, map("m"), entries("m")),
        ("a list of maps", &of_lists, json!([map("m")]), json!([entries("m")])),
        ("a map", &of_maps, json!({"x": 1}), json!([{"key": "x", "value": 1}])),
        ("without a type", &untyped, map("m"), entries("m")),
        ("a text beside one without a type", &untyped, json!("x"), json!("x")),
    ] {
        let plan = strict(holding(json!({"anyOf": branches})));
        let (args, wire) = (json!({"it": value}), json!({"it": travels}));
        assert_eq!(sent(&plan, &args), wire, "{name}");
        assert_eq!(received(&plan, wire).unwrap(), args, "{name}");
    }
    // A tag in other letters is that tag; the decoder of arguments judges it.
    let plan = strict(holding(json!({"anyOf": by_tag})));
    let shouted = json!({"it": with(with(entries("m"), "kind", json!("B")), "n", json!(null))});
    assert_eq!(received(&plan, shouted).unwrap(), json!({"it": with(map("m"), "kind", json!("B"))}));
    // What is meant for no branch, or for several, stays as it came.
    let odd = json!({"it": with(entries("m"), "kind", json!("c"))});
    assert_eq!(received(&plan, odd.clone()).unwrap(), odd);
}

#[test]
fn entries_that_are_no_map_are_refused_each_in_its_place() {
    let plan = strict(with_map("m", json!({}), json!(["m"])));
    let good = json!({"m": [{"key": "x", "value": 1}, {"key": "y", "value": 2}]});
    assert_eq!(received(&plan, good).unwrap(), json!({"m": {"x": 1, "y": 2}}));
    let bad = json!({"m": [{"key": "x", "value": 1}, {"key": "x", "value": 2}, {"key": "z"}, {"key": 5, "value": 1}, 7,
        {"key": "a", "value": 1, "more": 0}]});
    let error = received(&plan, bad).unwrap_err();
    assert_eq!(error.code_str(), "bad_entries");
    let told: Vec<(&str, &str)> =
        error.arg_issues().iter().map(|issue| (issue.path.as_str(), issue.code.as_str())).collect();
    assert_eq!(
        told,
        [("/m/1/key", "duplicate"), ("/m/2", "type"), ("/m/3", "type"), ("/m/4", "type"), ("/m/5", "type")]
    );
    // A model that sends the map itself means it.
    assert_eq!(received(&plan, json!({"m": {"x": 1}})).unwrap(), json!({"m": {"x": 1}}));
}

#[test]
fn what_is_left_out_travels_as_null_and_comes_back_left_out() {
    let inner =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
    let plan = strict(json!({
        "type": "object",
        "properties": {"must": {"type": "string"}, "may": {"type": "string"}, "list": {"type": "array", "items": inner}},
        "required": ["must", "list"],
        "additionalProperties": false,
    }));
    let args = json!({"must": "x", "list": [{}, {"a": "b"}]});
    let wire = json!({"must": "x", "may": null, "list": [{"a": null}, {"a": "b"}]});
    assert_eq!(sent(&plan, &args), wire);
    assert_eq!(received(&plan, wire).unwrap(), args);
    // Null where something must be is for the decoder, and so is what the schema does not know.
    let wrong = json!({"must": null, "list": [], "more": null});
    assert_eq!(received(&plan, wrong.clone()).unwrap(), wrong);
}

#[test]
fn a_union_at_the_root_travels_below_one_key() {
    let case = |tag: &str| json!({"type": "object", "properties": {"kind": {"type": "string", "const": tag}}, "required": ["kind"], "additionalProperties": false});
    let plan = strict(json!({"oneOf": [case("a"), case("b")]}));
    let args = json!({"kind": "a"});
    let wire = sent(&plan, &args);
    let (key, inner) = wire.as_object().unwrap().iter().next().unwrap();
    assert_eq!((wire.as_object().unwrap().len(), inner), (1, &args));
    for came in [wire.clone(), json!({key: r#"{"kind":"a"}"#}), args.clone()] {
        assert_eq!(received(&plan, came.clone()).unwrap(), args, "{came}");
    }
    // More than the one key is not what was asked for: all of it is shown to the decoder.
    let both = json!({key: {"kind": "a"}, "more": 1});
    assert_eq!(received(&plan, both.clone()).unwrap(), both);
    assert_eq!(received(&plan, json!({key: "no JSON"})).unwrap(), json!("no JSON"));
}
