//! What of YAML is read, and how.

use super::*;

#[test]
fn yaml_is_read_by_its_core_schema_and_without_what_would_hide_something() {
    each(
        &[
            ("", &[]),
            ("# nothing", &[]),
            ("~", &[]),
            ("version: 1\nagents:\n  bot:\n", &[]),
            ("version: 2", &["version 1:10: the version must be 1"]),
            ("[a]", &["bad_value 1:1: expected a table, found a list"]),
            ("agents: &a {}", &["yaml_feature 1:9: an anchor"]),
            ("version: &a 1", &["yaml_feature 1:10: an anchor"]),
            ("version: !!int 1", &["yaml_feature 1:10: a tag"]),
            ("agents: !!map {}", &["yaml_feature 1:9: a tag"]),
            (
                "agents:\n  bot: &a {}\n  cat: *a",
                &["yaml_feature 2:8: an anchor", "yaml_feature 3:8: an alias"],
            ),
            ("agents:\n  bot:\n    <<: {}", &["yaml_feature 3:5: a merge key"]),
            ("agents:\n  bot:\n    \"<<\": {}", &["unknown_key 3:5: unknown key \"<<\""]),
            ("version: 1\n---\nversion: 1", &["yaml_feature 2:1: a second document"]),
            ("agents: {}\nagents: {}", &["syntax 2:1: the key \"agents\" stands here twice"]),
            ("? [a]\n: 1", &["syntax 1:3: a key must be a text"]),
        ],
        |text| yaml(text).err().unwrap_or_default(),
    );
    let mistakes = yaml("agents: [").err().unwrap();
    assert!(mistakes.len() == 1 && mistakes[0].starts_with("syntax "), "{mistakes:?}");
    let mistakes = yaml("agents:\n  bot: {a: 1}}").err().unwrap();
    assert!(mistakes[0].starts_with("syntax 2:14: "), "{mistakes:?}");
    let nested = |depth: usize| format!("agents: {}1{}", "[".repeat(depth), "]".repeat(depth));
    let of = |depth: usize| yaml(&nested(depth)).err().unwrap();
    assert_eq!(of(14), ["bad_value 1:9: expected a table, found a list"]);
    assert_eq!(of(15), ["too_large 1:24: nested deeper than 16"]);
    let nested = |depth: usize| format!("? {}1{}\n: 1", "[".repeat(depth), "]".repeat(depth));
    let of = |depth: usize| yaml(&nested(depth)).err().unwrap();
    assert_eq!(of(14), ["syntax 1:3: a key must be a text"]);
    assert_eq!(of(15), ["too_large 1:18: nested deeper than 16"]);
    let nested = |depth: usize| format!("agents: {}1{}", "{a: ".repeat(depth), "}".repeat(depth));
    let of = |depth: usize| yaml(&nested(depth)).err().unwrap_or_default();
    assert!(of(15)[0].starts_with("too_large 1:"), "{:?}", of(15));
    assert!(!of(14)[0].starts_with("too_large"), "{:?}", of(14));
}

#[test]
fn what_stands_plain_in_yaml_is_what_the_core_schema_says_but_for_what_no_rule_is_about() {
    let found = |text: &str| {
        let mistakes = yaml(&format!("agents:\n  bot:\n    tools: {text}")).err().unwrap();
        mistakes[0].rsplit_once("found ").expect(text).1.to_owned()
    };
    // No rule is about `.inf` and `.nan`, nor about whole numbers beyond 64 bits.
    for (what, texts) in [
        ("nothing", ["~", "null", "Null", "NULL", ""].as_slice()),
        ("a boolean", &["true", "True", "TRUE", "false", "False", "FALSE"]),
        ("a whole number", &["0", "-7", "+7", "0o17", "0x1f", "9223372036854775807"]),
        ("a number", &["1.5", ".5", "-.5", "1e3", "1.", "+1.5E-3", "9223372036854775808"]),
        (
            "a text",
            &[
                "yes", "no", "on", "nUll", "tRue", "0b1", "0x", "0x-1", "0o8", "+", ".", "1_000", "1,5",
                "e5", "\"1\"", "'true'", ".inf", ".nan",
            ],
        ),
    ] {
        for text in texts {
            assert_eq!(found(text), what, "{text}");
        }
    }
    let rate = |burst: &str| {
        let text = format!("agents:\n  bot:\n    rate: 9/s\n    burst: {burst}\n");
        yaml(&text).unwrap().agent_limits("bot").rate.unwrap().burst
    };
    assert_eq!((rate("0o17"), rate("0x1f"), rate("+7")), (15, 31, 7));
}
