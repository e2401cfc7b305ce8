//! What the line of a change says: its code by names that stay, what was and what is, in few words. (registry.md §10)

use serde_json::{Value, json};

use super::{changes, lines, told};

/// A tool whose parameters are texts.
fn of_params(params: &[Value]) -> Value {
    let properties: serde_json::Map<String, Value> = params
        .iter()
        .map(|param| (param["name"].as_str().unwrap().to_owned(), json!({"type": "string"})))
        .collect();
    let input = json!({"type": "object", "properties": properties, "additionalProperties": false});
    json!({"name": "tool", "params": params, "input": input})
}

#[test]
fn what_has_the_old_name_among_its_aliases_is_renamed_and_what_has_not_is_another() {
    let tool = |name: &str, aliases: &[&str]| json!({"name": name, "aliases": aliases});
    let new = [tool("another", &["elder"]), tool("newer", &["older", "old"]), tool("third", &[])];
    let changes: Vec<String> =
        changes(&[tool("old", &["older"])], &new).iter().map(ToString::to_string).collect();
    assert_eq!(
        changes,
        [
            "additive tool_added another: nothing → another",
            "additive tool_renamed newer: old → newer",
            "additive tool_added third: nothing → third",
        ]
    );
    let new = [
        json!({"name": "a", "aliases": ["b"]}),
        json!({"name": "length", "aliases": ["size"]}),
        json!({"name": "z"}),
    ];
    assert_eq!(
        lines(&of_params(&[json!({"name": "size"})]), &of_params(&new)),
        [
            "additive param_added tool /a: nothing → a",
            "additive param_renamed tool /length: size → length",
            "additive param_added tool /z: nothing → z",
        ]
    );
}

#[test]
fn an_option_that_stays_as_an_alias_is_not_removed() {
    let param = |name: &str, aliases: &[&str], flags: &[&str]| {
        of_params(&[json!({"name": name, "aliases": aliases, "flags": flags})])
    };
    let (limit, most) = (param("limit", &[], &["--limit"]), param("most", &["limit"], &["--most"]));
    assert_eq!(
        told(&limit, &most),
        ["additive flag_added /most", "additive param_renamed /most"],
        "`--limit` is still taken"
    );
    assert_eq!(told(&most, &limit), ["additive param_added /limit", "breaking param_removed /most"]);
    // Where another parameter takes it, the alias does not.
    let other = of_params(&[
        json!({"name": "most", "aliases": ["limit"], "flags": ["--most"]}),
        json!({"name": "size", "flags": ["--limit"]}),
    ]);
    assert!(told(&limit, &other).contains(&"breaking flag_removed /most".to_owned()));
    let short = param("most", &["limit"], &["--most", "-m"]);
    assert_eq!(told(&short, &most), ["breaking flag_removed /most"]);
    let (two_words, joined) = (
        param("page_size", &["max_size"], &["--page-size"]),
        param("max_size", &["page_size"], &["--max-size"]),
    );
    assert_eq!(told(&two_words, &joined), ["additive param_renamed /max_size"]);
}

#[test]
fn that_a_value_is_hidden_is_told_once() {
    let tool = |secret: bool| {
        let mut tool = of_params(&[json!({"name": "pin", "secret": secret, "flags": ["--pin-file"]})]);
        if secret {
            tool["input"]["properties"]["pin"]["writeOnly"] = json!(true);
        }
        tool
    };
    assert_eq!(told(&tool(false), &tool(true)), ["additive secret_marked /pin"]);
    assert_eq!(told(&tool(true), &tool(false)), ["breaking secret_unmarked /pin"]);
}

#[test]
fn no_line_says_twice_the_same() {
    let it = |schema: Value| {
        let mut tool = of_params(&[json!({"name": "it"})]);
        tool["input"]["properties"]["it"] = schema;
        tool
    };
    let object = |required: Value| json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": required, "additionalProperties": false});
    let (free, bound) = (it(object(json!([]))), it(object(json!(["a"]))));
    assert_eq!(lines(&free, &bound), ["breaking input_narrowed tool /it/a: optional → required"]);
    assert_eq!(lines(&bound, &free), ["additive input_widened tool /it/a: required → optional"]);

    let number = |bounds: Value| {
        let mut schema = json!({"type": "number"});
        schema.as_object_mut().unwrap().extend(bounds.as_object().unwrap().clone());
        it(schema)
    };
    let half = json!({"minimum": 0, "exclusiveMaximum": 0.5});
    assert_eq!(
        lines(&number(json!({"minimum": 0, "exclusiveMaximum": 1.0})), &number(half)),
        ["breaking input_narrowed tool /it: exclusiveMaximum 1.0 → exclusiveMaximum 0.5"]
    );
    assert_eq!(
        lines(&number(json!({"minimum": 1, "maximum": 9})), &number(json!({"minimum": 2, "maximum": 5}))),
        ["breaking input_narrowed tool /it: minimum 1, maximum 9 → minimum 2, maximum 5"]
    );
    let (reads, destroys) = (
        json!({"name": "tool"}),
        json!({"name": "tool", "behavior": {"side_effect": true,
        "destructive": true, "idempotent": false, "open_world": false}}),
    );
    assert_eq!(
        lines(&reads, &destroys),
        ["breaking effect_added tool: nothing → side effect, destructive, not idempotent"]
    );
}

#[test]
fn long_values_are_shown_around_their_first_difference() {
    let it = |values: Value| {
        let mut tool = of_params(&[json!({"name": "it"})]);
        tool["input"]["properties"]["it"] = json!({"type": "string", "enum": values});
        tool
    };
    let names: Vec<String> = (10..30).map(|n| format!("N{n}")).collect();
    assert_eq!(
        lines(&it(json!(names)), &it(json!(names[..19]))),
        [r#"breaking input_narrowed tool /it: …5","N26","N27","N28","N29"] → …5","N26","N27","N28"]"#]
    );
    let described = |text: String| json!({"name": "tool", "description": text});
    let head = "w".repeat(100);
    let (was, is) = (described(format!("{head}A{head}")), described(format!("{head}B{head}")));
    let shown = |mark: char| format!("…{}{mark}{}…", "w".repeat(20), "w".repeat(37));
    assert_eq!(lines(&was, &is), [format!("text description_changed tool: {} → {}", shown('A'), shown('B'))]);
}

#[test]
fn a_change_says_in_few_words_what_was_there_and_what_is() {
    let described = |text: &str| json!({"name": "tool", "description": text});
    let whole = "x".repeat(60);
    let cut = format!("{}…", "x".repeat(59));
    for (text, shown) in [
        (whole.as_str(), &whole),
        (&"x".repeat(61), &cut),
        (&"x".repeat(99), &cut),
        ("two\n  lines", &"two lines".into()),
    ] {
        assert_eq!(
            lines(&described(""), &described(text)),
            [format!("text description_changed tool: nothing → {shown}")]
        );
    }
    let default = |default: &Value| {
        let mut tool = of_params(&[json!({"name": "it"})]);
        tool["input"]["properties"]["it"] = json!({"default": default});
        tool
    };
    assert_eq!(
        lines(&default(&json!("few")), &default(&json!(["many"]))),
        ["breaking default_changed tool /it: few → [\"many\"]"]
    );
}

#[test]
fn what_comes_and_what_goes_is_told_by_its_name() {
    let tool = |member: &str, value: Value| {
        let mut tool = json!({"name": "tool"});
        tool[member] = value;
        tool
    };
    let secret = |optional: Option<bool>| match optional {
        Some(optional) => tool("secrets", json!([{"key": "KEY", "optional": optional}])),
        None => tool("secrets", json!([])),
    };
    let hidden = |secret: bool| of_params(&[json!({"name": "pin", "secret": secret})]);
    let named =
        |names: &[&str]| of_params(&names.iter().map(|name| json!({ "name": name })).collect::<Vec<Value>>());
    let rows = [
        (tool("aliases", json!([])), tool("aliases", json!(["b"])), "additive alias_added tool: nothing → b"),
        (
            tool("aliases", json!(["b"])),
            tool("aliases", json!([])),
            "breaking alias_removed tool: b → nothing",
        ),
        (secret(None), secret(Some(true)), "additive optional_secret_added tool: nothing → KEY"),
        (secret(None), secret(Some(false)), "breaking secret_added tool: nothing → KEY"),
        (secret(Some(true)), secret(Some(false)), "breaking secret_required tool: KEY → KEY"),
        (secret(Some(false)), secret(Some(true)), "additive secret_optional tool: KEY → KEY"),
        (secret(Some(true)), secret(None), "additive secret_removed tool: KEY → nothing"),
        (hidden(false), hidden(true), "additive secret_marked tool /pin: nothing → secret"),
        (hidden(true), hidden(false), "breaking secret_unmarked tool /pin: secret → nothing"),
        (named(&["a", "b"]), named(&["b", "a"]), "text param_order_changed tool: a, b → b, a"),
    ];
    for (old, new, line) in &rows {
        assert_eq!(lines(old, new), [*line]);
        assert_eq!(lines(old, old), [""; 0]);
    }
    // Where a parameter is gone or new, the others are still in order.
    let told = lines(&named(&["a", "b", "c"]), &named(&["d", "a", "c"]));
    assert!(told.iter().all(|line| !line.contains("order")), "{told:?}");
}
