//! What a running tool may ask, under which key and when. (mcp.md §6)

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use serde_json::{Value, json};
use tool_core::prelude::*;
use tool_core::test::{Answer, Event, ToolKit, answer};
use tool_core::{QUESTION_KEY, Question, Registry};

/// Asks before something is done, or behind it.
#[tool(register = false)]
async fn paint(
    /// Whether the wall is painted first.
    early: bool,
    /// The key of the question.
    key: &str,
    ctx: &ToolContext,
) -> Result<(), ToolError> {
    if early {
        ctx.acts();
    }
    ctx.confirm(key, "Paint it red?").await
}

fn kit(answers: impl IntoIterator<Item = Answer>) -> ToolKit {
    ToolKit::of(Registry::builder().add::<PaintTool>().build().unwrap()).answers(answers).build()
}

#[test]
fn a_field_is_plain_text_a_number_a_choice_or_several_choices() {
    let asked = |schema: &Value| Question::new("Which?").field("one", schema.clone(), false).check();
    let shown = [
        json!({"type": "string"}),
        json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"], "default": "a"}),
        json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}),
        json!({"type": "string", "format": "date-time", "minLength": 1, "maxLength": 9, "pattern": "^a"}),
        json!({"type": "number", "minimum": 0, "maximum": 1, "title": "T", "description": "D."}),
        json!({"type": "integer"}),
        json!({"type": "boolean", "default": true}),
        json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "minItems": 1, "maxItems": 2}),
        json!({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}),
    ];
    for schema in &shown {
        assert!(asked(schema).is_ok(), "{schema}");
    }
    let refused = [
        json!(true),
        json!({}),
        json!({"type": "object"}),
        json!({"type": "null"}),
        json!({"type": ["string", "null"]}),
        json!({"type": "string", "items": {"enum": ["a"]}}),
        json!({"type": "string", "format": "ipv4"}),
        json!({"type": "string", "x-other": 1}),
        json!({"type": "number", "enum": [1]}),
        json!({"type": "integer", "oneOf": [{"const": 1}]}),
        json!({"type": "boolean", "items": {}}),
        json!({"type": "array"}),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"type": "array", "items": {"enum": "a"}}),
    ];
    for schema in &refused {
        let error = asked(schema).unwrap_err();
        assert_eq!(error.code_str(), "bad_question", "{schema}");
        assert_eq!(
            error.message(),
            "A question cannot have the field one: it is no plain value.",
            "{schema}"
        );
    }
}

#[test]
fn a_key_is_short_and_plain() {
    let longest = "k".repeat(QUESTION_KEY);
    let ctx = ToolContext::empty();
    for key in ["a", "who_9", "0", longest.as_str()] {
        assert!(ctx.may_ask([key]).is_ok(), "{key}");
    }
    for key in ["", "Who", "who?", "wo-bist", "é", format!("{longest}k").as_str()] {
        let error = ctx.may_ask(["fine", key]).unwrap_err();
        let told = format!("`{key}` is no key of a question: 1 to {QUESTION_KEY} of a-z, 0-9 and _.");
        assert_eq!((error.code_str(), error.message()), ("bad_question", told.as_str()));
    }
}

/// Asks two things at once.
#[tool(register = false)]
async fn choose(
    /// The key of the second question.
    key: &str,
    ctx: &ToolContext,
) -> Result<usize, ToolError> {
    Ok(ctx.ask_all([("one", Question::new("This?")), (key, Question::new("That?"))]).await?.len())
}

#[test]
fn each_question_of_a_call_has_a_key_of_its_own() {
    let registry = Registry::builder().add::<ChooseTool>().build().unwrap();
    let kit =
        ToolKit::of(registry).answers([answer::to("one", json!({})), answer::to("two", json!({}))]).build();
    assert_eq!(kit.call_blocking("choose", json!({"key": "two"})).unwrap().data(), 2);
    let twice = kit.call_blocking("choose", json!({"key": "one"})).unwrap_err();
    assert_eq!(
        (twice.code_str(), twice.message()),
        ("bad_question", "Two questions of one call have the key `one`: each needs its own.")
    );
}

#[test]
fn a_tool_asks_before_it_acts() {
    let kit = kit([answer::to("sure", json!({})), answer::decline("sure")]);
    let paint = |early: bool, key: &str| kit.call_blocking("paint", json!({"early": early, "key": key}));
    let painted = paint(false, "sure").unwrap();
    let asked = |event: &Event| match event {
        Event::Question { key, message, .. } => Some((key.clone(), message.clone())),
        _ => None,
    };
    let asked: Vec<_> = painted.events().iter().filter_map(asked).collect();
    assert_eq!(asked, [("sure".to_owned(), "Paint it red?".to_owned())]);
    assert_eq!(paint(false, "sure").unwrap_err().code_str(), "declined");
    assert_eq!(paint(true, "sure").unwrap_err().code_str(), "ask_after_effect");
    assert_eq!(paint(false, "Sure?").unwrap_err().code_str(), "bad_question");
}
