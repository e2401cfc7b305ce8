//! What may be written down of values and texts: which secrets are found in which spelling, what is cut, and which of several
//! marks holds. (calls.md §12)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop at what it cannot build")]

use serde_json::{Map, Value, json};
use tool_core::redact::{Form, KnownSecrets, redact, redact_text};

fn shown(value: &Value, schema: &Value, form: Form) -> Value {
    redact(value, schema, &KnownSecrets::default(), form).value
}

#[test]
fn the_audit_form_cuts_what_is_longer_than_its_limit_and_says_by_how_much() {
    let list = |length: usize| json!((0..length).collect::<Vec<_>>());
    let object =
        |length: usize| json!((0..length).map(|n| (format!("k{n}"), json!(n))).collect::<Map<_, _>>());
    for form in [Form::Audit, Form::Journal] {
        for (whole, most) in [(list(20), 20), (object(50), 50)] {
            assert_eq!(shown(&whole, &json!({}), form), whole, "{most}");
        }
    }
    for (over, more) in [(21, 1), (25, 5)] {
        assert_eq!(shown(&list(over), &json!({}), Form::Journal), list(over));
        let cut = shown(&list(over), &json!({}), Form::Audit);
        assert_eq!((cut.as_array().unwrap().len(), &cut[20]), (21, &json!({"$more": more})));
    }
    for (over, more) in [(51, 1), (60, 10)] {
        assert_eq!(shown(&object(over), &json!({}), Form::Journal), object(over));
        let cut = shown(&object(over), &json!({}), Form::Audit);
        assert_eq!((cut.as_object().unwrap().len(), &cut["$more"]), (51, &json!(more)));
    }
}

#[test]
fn the_strictest_of_several_marks_holds_in_whatever_order_they_stand() {
    let strict = ["full", "preview", "length", "hash", "secret", "omit"];
    for (at, loose) in strict.iter().enumerate() {
        for tight in &strict[at..] {
            for pair in [[loose, tight], [tight, loose]] {
                let branches: Vec<Value> = pair.iter().map(|mode| json!({"x-log": mode})).collect();
                let got = shown(&json!("abc"), &json!({"allOf": branches}), Form::Journal);
                assert_eq!(got, shown(&json!("abc"), &json!({"x-log": tight}), Form::Journal), "{pair:?}");
            }
        }
    }
}

#[test]
fn a_mark_holds_wherever_a_schema_describes_the_same_value() {
    let marked = json!({"x-log": "secret"});
    for (schema, hides) in [
        (json!({"if": marked}), true),
        (json!({"then": marked}), true),
        (json!({"else": marked}), true),
        (json!({"anyOf": [{}, marked]}), true),
        (json!({"dependentSchemas": {"a": marked}}), true),
        (json!({"dependentSchemas": {"a": {}}, "then": {"title": "t"}}), false),
        // A keyword whose schema happens to have a member like a schema.
        (json!({"if": {"default": marked}}), false),
    ] {
        let got = shown(&json!({"a": 1}), &schema, Form::Journal);
        let want = if hides { json!({"$redacted": "secret"}) } else { json!({"a": 1}) };
        assert_eq!(got, want, "{schema}");
    }
}

#[test]
fn a_secret_of_eight_bytes_is_found_anywhere_and_a_shorter_one_only_as_a_whole_value() {
    for (secret, anywhere) in [("1234567", false), ("12345678", true), ("123456789", true)] {
        let known = KnownSecrets::new([("PIN", secret)]);
        let inside = format!("it is {secret}.");
        let scrubbed = if anywhere { "it is [secret:PIN].".to_owned() } else { inside.clone() };
        assert_eq!(known.scrub(&inside), scrubbed, "{secret}");
        assert_eq!(known.scrub_value(&inside), scrubbed, "{secret}");
        assert_eq!(known.scrub_value(secret), "[secret:PIN]", "{secret}");
    }
}

#[test]
fn a_secret_is_found_in_every_spelling_that_it_travels_in() {
    let known = KnownSecrets::new([("KEY", "pässword/one two")]);
    for spelling in [
        "pässword/one two",
        "p%C3%A4ssword%2Fone%20two",
        "p%c3%a4ssword%2fone%20two",
        "p%C3%A4ssword%2Fone+two",
        "p%C3%A4ssword/one%20two",
        "p\\u00e4ssword/one two",
        "pässword\\/one two",
        "70c3a47373776f72642f6f6e652074776f",
        "70C3A47373776F72642F6F6E652074776F",
        "cMOkc3N3b3JkL29uZSB0d2",
    ] {
        assert_eq!(known.scrub(&format!("<{spelling}>")).replace("8>", ">"), "<[secret:KEY]>", "{spelling}");
    }
    for other in ["pässword/one", "P%C3%A4ssword%2Fone%20two", "xyzzy"] {
        assert_eq!(known.scrub(&format!("<{other}>")), format!("<{other}>"));
    }
}

#[test]
fn a_secret_is_learned_once_and_a_second_value_of_its_name_as_well() {
    let known = KnownSecrets::default();
    assert!(known.is_empty());
    let blank = " ".repeat(9);
    known.learn("BLANK", &blank);
    assert!(known.is_empty(), "a blank secret would be found between all words");
    assert_eq!(known.scrub(&blank), blank);
    for value in ["value-one-1", "value-two-2", "value-one-1"] {
        known.learn("KEY", value);
    }
    assert!(!known.is_empty());
    assert_eq!(known.scrub("value-one-1 value-two-2"), "[secret:KEY] [secret:KEY]");
    known.learn("OTHER", "value-three-3");
    assert_eq!(known.scrub("value-three-3"), "[secret:OTHER]");
    // Their number is told, and nothing of them.
    assert_eq!(format!("{known:?}"), "KnownSecrets(2)");
}

#[test]
fn a_secret_that_is_split_between_texts_is_replaced_once_and_where_it_begins() {
    let known = KnownSecrets::new([("KEY", "sk-1234567890")]);
    for (texts, want) in [
        (["a sk-123", "4567890 b"], ["a [secret:KEY]", " b"]),
        (["a ", "sk-1234567890"], ["a ", "[secret:KEY]"]),
        (["sk-1234567890", " b"], ["[secret:KEY]", " b"]),
        (["sk-1234567890", "sk-1234567890"], ["[secret:KEY]", "[secret:KEY]"]),
    ] {
        let mut parts = texts.map(str::to_owned);
        assert!(known.scrub_joined(&mut parts), "{texts:?}");
        assert_eq!(parts, want, "{texts:?}");
    }
    let mut parts = ["a sk-123".to_owned(), "456 b".to_owned()];
    assert!(!known.scrub_joined(&mut parts));
    assert_eq!(parts, ["a sk-123", "456 b"]);
}

#[test]
fn what_a_url_carries_is_hidden_and_a_text_that_is_none_stays() {
    for (text, want) in [
        ("see https://a.example/x?key=1.", "see https://a.example/x?***."),
        ("https://u:p@a.example/x and http://b.example/", "https://***@a.example/x and http://b.example/"),
        // What comes behind a URL without anything to hide changes nothing of what was hidden before.
        ("https://a.example/?q=1 https://b.example", "https://a.example/?*** https://b.example"),
        ("no scheme: ://u@host stays", "no scheme: ://u@host stays"),
        ("(://)://u@host", "(://)://u@host"),
        ("9a1b://u:p@host", "9a1b://***@host"),
        ("a bare https:// stays", "a bare https:// stays"),
    ] {
        assert_eq!(redact_text(text, &KnownSecrets::default()), want, "{text}");
    }
}

#[test]
fn an_argument_is_complete_in_the_journal_unless_something_of_it_was_hidden() {
    let url = json!({"format": "uri-reference"});
    for (text, schema, want, complete) in [
        (
            "https://u:p@a.example/ https://b.example",
            json!({}),
            "https://***@a.example/ https://b.example",
            false,
        ),
        (
            "https://a.example/?page=2 https://b.example",
            json!({}),
            "https://a.example/?page=2 https://b.example",
            true,
        ),
        ("https://u:p@a.example/?page=2", url.clone(), "https://***@a.example/?page=2", false),
        ("//u:p@a.example/", url.clone(), "//***@a.example/", false),
        ("a/b//u:p@c", url.clone(), "a/b//u:p@c", true),
        ("/x?page=2&token=1", url.clone(), "/x?page=2&token=***", false),
        // What looks hidden may have been hidden here: it is not run again.
        ("see https://***@a.example/", json!({}), "see https://***@a.example/", false),
        ("/x?token=***", url.clone(), "/x?token=***", false),
        ("/x?page=2", url, "/x?page=2", true),
    ] {
        let got = redact(&json!(text), &schema, &KnownSecrets::default(), Form::Journal);
        assert_eq!((got.value, got.complete), (json!(want), complete), "{text}");
    }
}
