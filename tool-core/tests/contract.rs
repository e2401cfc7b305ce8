//! What a change of a contract is called where its kind alone does not tell: unions, what stands beside them, recursion, and
//! keywords without a rule. (registry.md §10)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use serde_json::{Value, json};
use tool_core::contract::{Change, Entry, Lock, compare};
use tool_core::{Registry, Tool, tool};

/// The changes from some tools to others.
fn changes(old: &[Value], new: &[Value]) -> Vec<Change> {
    let entries = |tools: &[Value]| -> Vec<Entry> {
        tools.iter().map(|tool| serde_json::from_value(tool.clone()).unwrap()).collect()
    };
    compare(&entries(old), &entries(new))
}

/// The changes from one tool to another, each as class, code and place.
fn told(old: &Value, new: &Value) -> Vec<String> {
    let changes = changes(std::slice::from_ref(old), std::slice::from_ref(new));
    changes.iter().map(|change| format!("{} {} {}", change.class(), change.code, change.path)).collect()
}

/// The changes from one tool to another, as their lines.
fn lines(old: &Value, new: &Value) -> Vec<String> {
    changes(std::slice::from_ref(old), std::slice::from_ref(new)).iter().map(ToString::to_string).collect()
}

/// The changes of the whole input.
fn of_input(old: &Value, new: &Value) -> Vec<String> {
    let tool = |input: &Value| json!({"name": "tool", "input": input});
    told(&tool(old), &tool(new))
}

/// The changes of a parameter, or of an output, among definitions.
fn below(member: &str, definitions: (&Value, &Value), old: &Value, new: &Value) -> Vec<String> {
    let tool = |definitions: &Value, schema: &Value| {
        let object = json!({"type": "object", "properties": {"it": schema}, "additionalProperties": false,
            "$defs": definitions});
        let params = if member == "input" { json!([{"name": "it"}]) } else { json!([]) };
        let input = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let mut tool = json!({"name": "tool", "params": params, "input": input});
        tool[member] = object;
        tool
    };
    told(&tool(definitions.0, old), &tool(definitions.1, new))
}

fn of_param(old: &Value, new: &Value) -> Vec<String> {
    below("input", (&json!({}), &json!({})), old, new)
}

fn of_output(old: &Value, new: &Value) -> Vec<String> {
    below("output", (&json!({}), &json!({})), old, new)
}

#[test]
fn what_refers_to_itself_is_compared_with_anything() {
    let nest = json!({"Nest": {"type": "array", "items": {"$ref": "#/$defs/Nest"}}});
    let opt =
        json!({"Nest": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/Nest"}, {"type": "null"}]}}});
    let (refers, any) = (json!({"$ref": "#/$defs/Nest"}), json!({"type": "array"}));
    for definitions in [&nest, &opt] {
        assert!(!below("input", (definitions, &json!({})), &refers, &any).is_empty());
        assert!(!below("input", (&json!({}), definitions), &any, &refers).is_empty());
        assert_eq!(below("input", (definitions, definitions), &refers, &refers), [""; 0]);
    }
}

#[test]
fn what_stands_beside_a_union_is_compared_too() {
    let input = |a: &str, required: Value| {
        json!({"type": "object", "properties": {"a": {"type": a}, "b": {"type": "integer"}, "c": {"type": "integer"}},
            "required": required, "additionalProperties": false,
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})
    };
    let old = input("string", json!([]));
    assert_eq!(of_input(&old, &old), [""; 0]);
    assert_eq!(of_input(&old, &input("integer", json!([]))), ["breaking input_changed /a"]);
    assert_eq!(of_input(&old, &input("string", json!(["c"]))), ["breaking input_narrowed /c"]);
    assert_eq!(of_input(&input("string", json!(["c"])), &old), ["additive input_widened /c"]);
    let text = |most: u64| json!({"maxLength": most, "anyOf": [{"type": "string"}, {"type": "null"}]});
    assert_eq!(of_param(&text(10), &text(3)), ["breaking input_narrowed /it"]);
    assert_eq!(of_param(&text(3), &text(10)), ["additive input_widened /it"]);
    let kinds = |key: &str| {
        let branches = json!([{"type": "integer"}, {"type": "string"}]);
        Value::Object([(key.to_owned(), branches)].into_iter().collect())
    };
    assert_eq!(of_param(&kinds("anyOf"), &kinds("oneOf")), ["breaking input_narrowed /it"]);
    assert_eq!(of_param(&kinds("oneOf"), &kinds("anyOf")), ["additive input_widened /it"]);
    let both = |any: Value| json!({"oneOf": [{"type": "integer"}, {"type": "string"}], "anyOf": any});
    let (wide, narrow) = (json!([{"type": "integer"}, {"type": "string"}]), json!([{"type": "integer"}]));
    assert_eq!(of_param(&both(wide), &both(narrow)), ["breaking input_changed /it"]);
}

#[test]
fn what_must_be_there_is_compared_where_no_property_says_what_it_is() {
    let beside = |one: &str, two: &str| json!({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "anyOf": [{"required": [one]}, {"required": [two]}]});
    assert_eq!(of_param(&beside("a", "b"), &beside("b", "a")), [""; 0]);
    let changes = of_param(&beside("a", "b"), &beside("a", "c"));
    assert!(changes.iter().any(|change| change.starts_with("breaking ")), "{changes:?}");
    let open = |required: &[&str]| json!({"type": "object", "required": required});
    assert_eq!(of_param(&open(&[]), &open(&["a"])), ["breaking input_narrowed /it/a"]);
    assert_eq!(of_param(&open(&["a"]), &open(&[])), ["additive input_widened /it/a"]);
    assert_eq!(of_input(&open(&[]), &open(&["a"])), ["breaking input_narrowed /a"]);
    assert_eq!(of_input(&open(&["a"]), &open(&[])), ["additive input_widened /a"]);
}

#[test]
fn a_keyword_that_goes_lets_more_in_only_where_it_shuts_out_and_nothing_else() {
    let closed = json!({"type": "object", "additionalProperties": false});
    let mut patterned = closed.clone();
    patterned["patternProperties"] = json!({"^x-": {"type": "string"}});
    assert_eq!(of_param(&patterned, &closed), ["breaking input_changed /it"]);
    assert_eq!(of_param(&closed, &patterned), ["breaking input_changed /it"]);
    let least = json!({"type": "array", "contains": {"type": "integer"}, "minContains": 0});
    let one = json!({"type": "array", "contains": {"type": "integer"}});
    assert_eq!(of_param(&least, &one), ["breaking input_changed /it"]);
    let not = json!({"type": "string", "not": {"const": "a"}});
    assert_eq!(of_param(&not, &json!({"type": "string"})), ["additive input_widened /it"]);
    assert_eq!(of_param(&json!({"type": "string"}), &not), ["breaking input_narrowed /it"]);
}

/// A struct that may be null.
fn nullable(properties: &Value, required: &[&str]) -> Value {
    let object = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    json!({"anyOf": [object, {"type": "null"}]})
}

#[test]
fn a_struct_that_may_be_null_is_compared_field_by_field() {
    let one = json!({"id": {"type": "integer"}});
    let two = json!({"id": {"type": "integer"}, "n": {"type": "integer"}});
    let (old, new) = (nullable(&one, &["id"]), nullable(&two, &["id", "n"]));
    assert_eq!(of_output(&old, &new), ["additive output_property_added /it/n"]);
    assert_eq!(of_output(&new, &old), ["breaking output_property_removed /it/n"]);
    assert_eq!(of_param(&new, &nullable(&two, &["id"])), ["additive input_widened /it/n"]);
    assert_eq!(of_param(&nullable(&two, &["id"]), &new), ["breaking input_narrowed /it/n"]);
}

#[test]
fn the_order_of_untagged_branches_means_nothing() {
    let object = |names: &[&str], optional: Option<&str>| {
        let properties: serde_json::Map<String, Value> = names
            .iter()
            .copied()
            .chain(optional)
            .map(|name| (name.to_owned(), json!({"type": "integer"})))
            .collect();
        json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
    };
    let union = |branches: [Value; 2]| json!({ "anyOf": branches });
    let (ab, cd) = (object(&["a", "b"], None), object(&["c", "d"], None));
    let old = union([ab.clone(), cd.clone()]);
    assert_eq!(of_param(&old, &union([cd, ab.clone()])), [""; 0]);
    assert_eq!(
        of_param(&old, &union([ab, object(&["c", "d"], Some("e"))])),
        ["additive input_widened /it/e"]
    );
    let kinds = |number: &str| json!({"anyOf": [{"type": "string"}, {"type": number}]});
    assert_eq!(of_param(&kinds("integer"), &kinds("number")), ["additive input_widened /it"]);
    assert_eq!(of_param(&kinds("number"), &kinds("integer")), ["breaking input_narrowed /it"]);
}

#[test]
fn a_field_that_need_not_be_given_any_more_has_a_default_and_is_not_changed_by_it() {
    let object = |depth: Value, required: &[&str]| json!({"type": "object", "properties": {"depth": depth}, "required": required, "additionalProperties": false});
    let (bare, with) = (json!({"type": "integer"}), json!({"type": "integer", "default": 0}));
    let (old, new) = (object(bare.clone(), &["depth"]), object(with.clone(), &[]));
    assert_eq!(of_param(&old, &new), ["additive input_widened /it/depth"]);
    assert_eq!(of_param(&new, &old), ["breaking input_narrowed /it/depth"]);
    assert_eq!(of_param(&object(bare, &[]), &object(with, &[])), ["breaking default_changed /it/depth"]);
}

#[test]
fn words_of_what_refers_to_itself_are_compared_wherever_they_stand() {
    let tree = |text: &str| {
        json!({"Tree": {"type": "object", "description": text, "properties": {"next": {"$ref": "#/$defs/Tree"}},
            "additionalProperties": false}})
    };
    let (old, new, refers) = (tree("A tree."), tree("Another tree."), json!({"$ref": "#/$defs/Tree"}));
    let changes = below("input", (&old, &new), &refers, &refers);
    assert!(changes.iter().any(|change| change == "text param_text_changed /it"), "{changes:?}");
    assert!(changes.iter().all(|change| change.starts_with("text ")), "{changes:?}");
    let tool = |second: &str| {
        json!({"name": "tool", "params": [{"name": "a"}, {"name": "b"}], "input": {"type": "object", "properties": {
            "a": refers, "b": {"$ref": "#/$defs/Tree", "description": second}}, "$defs": old, "additionalProperties": false}})
    };
    assert_eq!(told(&tool("One."), &tool("Two.")), ["text param_text_changed /b"]);
    let root = |text: &str| json!({"type": "object", "description": text, "additionalProperties": false});
    assert_eq!(of_input(&root("One."), &root("Two.")), ["text param_text_changed "]);
}

#[test]
fn words_of_what_an_object_takes_besides_are_compared_also_where_that_is_anything() {
    for more in [json!({}), json!({"type": "string"})] {
        let object = |words: &str| {
            let mut besides = more.clone();
            besides["description"] = words.into();
            json!({"type": "object", "additionalProperties": besides})
        };
        assert_eq!(of_param(&object("One."), &object("Two.")), ["text param_text_changed /it/*"], "{more}");
        assert_eq!(of_param(&object("One."), &object("One.")), [""; 0], "{more}");
    }
    let open = |besides: Value| json!({"type": "object", "additionalProperties": besides});
    assert_eq!(of_param(&open(true.into()), &open(json!({}))), [""; 0]);
}

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
    assert_eq!(
        told(&most, &limit),
        ["breaking param_removed /most", "additive param_added /limit"]
            .map(str::to_owned)
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
    );
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

struct Paper;
struct Ink;

/// What became of it.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Sent {
    pages: u8,
}

/// Sends a letter.
///
/// Not a parcel.
#[tool(
    name = "send",
    title = "Post",
    aliases = ["post", "mail"],
    group = "post",
    tags = ["slow", "paper"],
    deprecated = "use `write`",
    side_effect,
    idempotent = false,
    open_world,
    terminal,
    surfaces(mcp, cli),
    requires(secret = "STAMP", secret(key = "BOX", optional)),
    at_least_one(text, copy_of),
    register = false
)]
#[example("to Ann", { "to": "Ann", "text": "Hello." })]
fn send_letter(
    /// Who.
    #[arg(positional, aliases = ["recipient"])]
    to: &str,
    /// What.
    #[arg(short = 't', env = "TEXT", conflicts_with = ["copy_of"])]
    text: Option<&str>,
    /// Which other letter.
    #[arg(long = "copy")]
    copy_of: Option<u8>,
    /// How many.
    #[arg(positional, requires = ["text"])]
    pages: Option<u8>,
    /// To open it.
    #[arg(secret)]
    pin: Option<&str>,
    #[ctx] paper: &Paper,
    #[ctx] ink: Option<&Ink>,
) -> Result<Sent, std::fmt::Error> {
    let (Paper, _, _) = (paper, ink.is_some_and(|Ink| true), (to, text, copy_of, pin));
    Ok(Sent { pages: pages.unwrap_or(1) })
}

#[test]
fn an_entry_says_everything_that_was_declared() {
    let registry = Registry::builder().add::<SendLetterTool>().build().unwrap();
    let tool = registry.iter().next().unwrap();
    let entry = Entry::of(tool).unwrap();
    assert_eq!(entry.fingerprint, tool_core::fingerprint(tool));
    let def = SendLetterTool::DEF;
    let expected = json!({
        "name": "send",
        "fingerprint": entry.fingerprint,
        "title": "Post",
        "description": "Sends a letter.\n\nNot a parcel.\nGive at least one of text, copy_of.\n\
            text cannot be combined with copy_of.\npages needs text.\n\nDeprecated: use `write`",
        "deprecated": "use `write`",
        "aliases": ["post", "mail"],
        "group": "post",
        "tags": ["paper", "slow"],
        "surfaces": ["cli", "mcp"],
        "behavior": {"side_effect": true, "destructive": false, "idempotent": false, "open_world": true},
        "terminal": true,
        "capabilities": ["Paper"],
        "secrets": [{"key": "BOX", "optional": true}, {"key": "STAMP", "optional": false}],
        "params": [
            {"name": "to", "aliases": ["recipient"], "flags": ["--to"], "positional": 0},
            {"name": "text", "flags": ["--text", "-t", "env:TEXT"]},
            {"name": "copy_of", "flags": ["--copy"]},
            {"name": "pages", "flags": ["--pages"], "positional": 1},
            {"name": "pin", "flags": ["--pin-file"], "secret": true},
        ],
        "constraints": [
            ["at_least_one", "text", "copy_of"], ["conflicts_with", "text", "copy_of"], ["requires", "pages", "text"],
        ],
        "input": def.input_schema().unwrap().schema(),
        "output": **def.output_schema().unwrap(),
        "examples": [{"label": "to Ann", "input": {"to": "Ann", "text": "Hello."}}],
    });
    assert_eq!(json!(entry), expected);
    let lock = Lock::of(&registry).unwrap();
    assert_eq!(Lock::read(&lock.text().unwrap()).unwrap().tools, [entry]);
}

/// How it travels.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Way {
    /// On the road.
    Post { street: String },
    /// Through the wire.
    Wire { address: String, fast: Option<bool> },
}

/// Delivers something.
#[tool(register = false)]
fn deliver(
    #[arg(flatten)] way: Way,
    /** What. */
    #[arg(positional)]
    what: &str,
) -> String {
    let at = match way {
        Way::Post { street } => street,
        Way::Wire { address, fast } => format!("{address}{fast:?}"),
    };
    format!("{at}{what}")
}

#[test]
fn an_entry_of_a_union_names_the_own_parameters_and_then_those_of_its_cases() {
    let registry = Registry::builder().add::<DeliverTool>().build().unwrap();
    let entry = Entry::of(registry.iter().next().unwrap()).unwrap();
    let params: Vec<(&str, Option<usize>)> =
        entry.params.iter().map(|param| (param.name.as_str(), param.positional)).collect();
    assert_eq!(
        params,
        [("what", Some(0)), ("by", None), ("street", None), ("address", None), ("fast", None)]
    );
}

#[test]
fn what_an_entry_leaves_out_is_empty_and_offered_everywhere() {
    let entry = Entry { name: "tool".to_owned(), ..Entry::default() };
    let input = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let behavior =
        json!({"side_effect": false, "destructive": false, "idempotent": true, "open_world": false});
    assert_eq!(json!(entry), json!({"name": "tool", "behavior": behavior, "input": input}));
    assert_eq!(entry.surfaces, ["cli", "llm", "mcp"]);
    assert_eq!(serde_json::from_value::<Entry>(json!(entry)).unwrap(), entry);
}

#[test]
fn each_keyword_says_whether_more_or_less_is_taken() {
    let wider = ["additive input_widened /it"].as_slice();
    let narrower = ["breaking input_narrowed /it"].as_slice();
    let changed = ["breaking input_changed /it"].as_slice();
    let rows = [
        // Unlike its opposite, what is gone lets more in.
        (json!({"uniqueItems": true}), json!({}), wider),
        (json!({"uniqueItems": true}), json!({"uniqueItems": false}), wider),
        (json!({"pattern": "a"}), json!({}), wider),
        (json!({"pattern": "a"}), json!({"pattern": "b"}), changed),
        (json!({"pattern": "a", "maxLength": 3}), json!({"pattern": "a", "maxLength": 2}), narrower),
        (json!({"not": {"const": "a"}}), json!({"not": {"const": "b"}}), changed),
        (
            json!({"not": {"const": "a"}, "maxLength": 3}),
            json!({"not": {"const": "a"}, "maxLength": 2}),
            narrower,
        ),
        // Integers are compared by every digit.
        (
            json!({"minimum": 9_007_199_254_740_992_u64}),
            json!({"minimum": 9_007_199_254_740_993_u64}),
            narrower,
        ),
        (json!({"minimum": -1}), json!({"minimum": u64::MAX}), narrower),
        (json!({"minimum": 1}), json!({"minimum": 1.5}), narrower),
        // Of an inclusive and an exclusive bound the tighter one holds.
        (json!({"minimum": 5, "exclusiveMinimum": 3}), json!({"minimum": 5}), &[]),
        (json!({"minimum": 3, "exclusiveMinimum": 5}), json!({"exclusiveMinimum": 5}), &[]),
        (json!({"minimum": 5, "exclusiveMinimum": 5}), json!({"exclusiveMinimum": 5}), &[]),
        (json!({"minimum": 5, "exclusiveMinimum": 5}), json!({"minimum": 5}), wider),
        (json!({"maximum": 5, "exclusiveMaximum": 7}), json!({"maximum": 5}), &[]),
        (json!({"maximum": 7, "exclusiveMaximum": 5}), json!({"exclusiveMaximum": 5}), &[]),
        // Nothing at all.
        (json!(false), json!({"type": "string"}), wider),
        (json!({"type": "string"}), json!(false), narrower),
        // What an object takes besides its properties.
        (json!({"additionalProperties": false}), json!({"additionalProperties": {"type": "string"}}), wider),
        (
            json!({"additionalProperties": {"type": "string"}}),
            json!({"additionalProperties": false}),
            narrower,
        ),
        (json!({"additionalProperties": {"type": "string"}}), json!({}), wider),
        (json!({"additionalProperties": {}}), json!({}), &[]),
        (json!({"additionalProperties": true}), json!({"additionalProperties": {}}), &[]),
        (
            json!({"additionalProperties": {"type": "string"}}),
            json!({"additionalProperties": {"type": ["string", "integer"]}}),
            &["additive input_widened /it/*"],
        ),
        // Tuples of one length are compared item by item; of what has another one, how many items there are is no more to say.
        (
            json!({"prefixItems": [{}], "minItems": 1, "maxItems": 1}),
            json!({"prefixItems": [{}, {}], "minItems": 2, "maxItems": 2}),
            changed,
        ),
        (json!({"minItems": 1, "maxItems": 2}), json!({"minItems": 0, "maxItems": 3}), wider),
        (
            json!({"prefixItems": [{"type": "integer"}, {}]}),
            json!({"prefixItems": [{"type": "number"}, {}]}),
            &["additive input_widened /it/0"],
        ),
        (
            json!({"prefixItems": [{"type": "integer"}]}),
            json!({"prefixItems": [{"type": "number"}, {}]}),
            changed,
        ),
    ];
    for (old, new, expected) in &rows {
        assert_eq!(of_param(old, new), *expected, "{old} {new}");
    }
}

#[test]
fn what_lists_its_values_has_their_types() {
    let rows = [
        (json!(null), "null"),
        (json!(true), "boolean"),
        (json!(1.5), "number"),
        (json!(1), "integer"),
        (json!("a"), "string"),
        (json!([1]), "array"),
        (json!({"a": 1}), "object"),
    ];
    for (value, own) in &rows {
        for name in rows.iter().map(|row| row.1) {
            let expected: &[&str] = match (*own, name) {
                (own, name) if own == name => &["additive input_widened /it"],
                ("integer", "number") => &["additive input_widened /it"],
                ("number", "integer") => &["breaking input_narrowed /it", "additive input_widened /it"],
                _ => &["breaking input_changed /it"],
            };
            let mut told = of_param(&json!({"enum": [value]}), &json!({"type": name}));
            told.sort_unstable_by_key(|line| !line.starts_with("breaking"));
            assert_eq!(told, expected, "{value} {name}");
        }
    }
}

#[test]
fn a_union_says_what_comes_and_goes_by_its_branches_and_values() {
    let any = |branches: &Value| json!({"description": "A.", "anyOf": branches});
    let integer = json!({"type": "integer"});
    // What becomes one of several has the words of them all.
    let lone = json!({"type": "integer", "description": "A."});
    let two = any(&json!([integer, {"type": "string"}]));
    assert_eq!(of_param(&lone, &two), ["additive input_widened /it"]);
    assert_eq!(of_param(&two, &lone), ["breaking input_narrowed /it"]);
    let worded = |words: &str| any(&json!([{"type": "integer", "description": words}, {"type": "string"}]));
    assert_eq!(of_param(&worded("One."), &worded("Two.")), ["text param_text_changed /it"]);
    let case =
        |kind: &str| json!({"type": "object", "properties": {"kind": {"const": kind}}, "required": ["kind"]});
    assert_eq!(of_param(&any(&json!([case("a"), case("b")])), &any(&json!([case("b"), case("a")]))), [""; 0]);
    let values = |values: &[&str]| {
        let units = values.iter().map(|value| json!({ "const": value }));
        any(&units.chain([integer.clone()]).collect())
    };
    assert_eq!(of_param(&values(&["a"]), &values(&["a", "b"])), ["additive input_widened /it"]);
    assert_eq!(of_param(&values(&["a", "b"]), &values(&["b"])), ["breaking input_narrowed /it"]);
    assert_eq!(of_param(&values(&["a"]), &values(&["b"])), ["breaking input_changed /it"]);
    assert_eq!(of_param(&values(&["a", "b"]), &values(&["b", "a"])), [""; 0]);
}

#[test]
fn a_lock_that_a_merge_made_is_told_as_that() {
    let lock = Lock::of(&Registry::builder().add::<SendLetterTool>().build().unwrap()).unwrap();
    let mut twice = lock.clone();
    twice.tools.push(lock.tools[0].clone());
    let error = Lock::read(&twice.text().unwrap()).unwrap_err();
    assert_eq!(
        (error.code_str(), error.message()),
        ("lock_invalid", "tools.lock: `send` stands there twice.")
    );
    let text = lock.text().unwrap();
    let merged = text.replacen("  \"core\"", "<<<<<<< ours\n  \"core\"", 1);
    let error = Lock::read(&merged).unwrap_err();
    assert_eq!(error.message(), "tools.lock:3:1: two versions stand here, of a merge.");
    assert!(error.hint_str().unwrap().contains("UPDATE=1"));
    // Such a mark within a text is a text.
    assert!(
        Lock::read(&text.replace("Hello.", "<<<<<<< Hello.")).unwrap_err().message().contains("fingerprint")
    );
}

#[test]
fn a_lock_file_of_the_most_bytes_is_read_and_no_larger_one() {
    let directory = tool_trials::directory();
    let file = directory.path().join("tools.lock");
    let load = |bytes: u64| {
        std::fs::File::create(&file).unwrap().set_len(bytes).unwrap();
        Lock::load(&file).map(|text| text.len()).map_err(|error| error.kind())
    };
    assert_eq!(load(64 << 20), Ok(64 << 20));
    assert_eq!(load((64 << 20) + 1), Err(std::io::ErrorKind::FileTooLarge));
}
