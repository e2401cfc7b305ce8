//! When the arguments of a call are whole, where a server of Chat does not say.

use super::*;

/// How many calls of Chat these arguments are, of which the first piece alone has an id and a name.
fn calls_of(pieces: &[&str]) -> usize {
    let event = |(i, piece): (usize, &&str)| {
        let mut piece = json!({"index": 0, "function": {"arguments": piece}});
        if i == 0 {
            (piece["id"], piece["function"]["name"]) = ("t".into(), "look".into());
        }
        json!({"choices": [{"delta": {"tool_calls": [piece]}}]})
    };
    let events: Vec<Value> = pieces.iter().enumerate().map(event).chain([end("tool_calls")]).collect();
    streamed(DialectId::OpenAiChat, &events).1.calls.len()
}

#[test]
fn a_call_is_whole_where_its_object_ends_and_not_before() {
    // A bracket in a text ends nothing, behind an escaped quote too; nor does a space.
    assert_eq!(calls_of(&[r#"{"p":"\"}"#, r#"x"}"#]), 1);
    assert_eq!(calls_of(&[r#"{"p":"\\"}"#, r#"{"q":1}"#]), 2);
    assert_eq!(calls_of(&["{ ", r#""p":1}"#]), 1);
    assert_eq!(calls_of(&[r#"{"p":1} "#, r#"{"q":1}"#]), 2);
}

#[test]
fn a_call_that_is_too_much_takes_no_more() {
    let most = tool_core::args::MAX_ARGS_BYTES;
    for (length, calls) in [(most, 1), (most + 1, 2), (most + 2, 2)] {
        let long = format!("{{\"{}", "x".repeat(length - 2));
        assert_eq!(calls_of(&[&long, "x"]), calls, "{}", length - most);
    }
}
