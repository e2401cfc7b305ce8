//! The items of Responses, in the pieces in which servers send them.

use super::*;

/// Items in the pieces in which a server of Responses sends them.
fn responses(events: &[Value]) -> Value {
    streamed(DialectId::OpenAiResponses, events).1.echo
}

fn ends(index: Option<u64>, item: &Value) -> Value {
    let mut event = json!({"type": "response.output_item.done", "item": item});
    if let Some(index) = index {
        event["output_index"] = index.into();
    }
    event
}

#[test]
fn an_item_is_the_same_where_an_index_or_an_id_is_missing() {
    let item = |id: &str, call: &str| {
        let ids = [("id", id), ("call_id", call)].into_iter().filter(|(_, id)| !id.is_empty());
        let mut item = json!({"type": "function_call", "name": "look", "arguments": "{}"});
        ids.for_each(|(key, id)| item[key] = id.into());
        item
    };
    for (about, first, second) in [
        ("the item's id is missing at the end", (Some(0), item("f", "c")), (Some(1), item("", "c"))),
        ("the item's id is missing at the beginning", (Some(0), item("", "c")), (Some(1), item("f", "c"))),
        ("the call's id is missing at the end", (Some(0), item("f", "c")), (Some(1), item("f", ""))),
        ("the index is missing at the end", (Some(0), item("f", "c")), (None, item("g", "c"))),
        ("the index is missing at the beginning", (None, item("f", "c")), (Some(0), item("g", "c"))),
    ] {
        let mut begun = added(0, &first.1);
        if first.0.is_none() {
            begun.as_object_mut().unwrap().remove("output_index");
        }
        let echo = responses(&[begun, ends(second.0, &second.1), completed(&[])]);
        assert_eq!(echo, json!([second.1]), "{about}");
    }
}

#[test]
fn pieces_go_to_the_item_that_they_name_else_to_that_of_their_index_else_to_the_last() {
    let begun = |index: u64, id: &str| {
        added(
            index,
            &json!({"type": "function_call", "id": id, "call_id": id, "name": "look", "arguments": ""}),
        )
    };
    let piece = |more: Value| {
        let mut event = json!({"type": "response.function_call_arguments.delta", "delta": "{\"n\":1}"});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    for (more, of) in [
        (json!({"item_id": "a"}), 0),
        (json!({"item_id": "a", "output_index": 1}), 0),
        (json!({"output_index": 0}), 0),
        (json!({"output_index": 1}), 1),
        (json!({}), 1),
    ] {
        let echo = responses(&[begun(0, "a"), begun(1, "b"), piece(more.clone()), completed(&[])]);
        let arguments = [0, 1].map(|i| echo[i]["arguments"].as_str().unwrap() == "{\"n\":1}");
        assert_eq!(arguments, [of == 0, of == 1], "{more}");
    }
}

#[test]
fn an_item_without_ids_ends_once_and_another_in_its_place_is_another() {
    let says = |text: &str| json!({"type": "message", "content": [{"type": "output_text", "text": text}]});
    for index in [None, Some(0)] {
        let once = ends(index, &says("a"));
        assert_eq!(responses(&[once.clone(), once.clone(), completed(&[])]), json!([says("a")]));
        let other = ends(index, &says("b"));
        assert_eq!(responses(&[once, other, completed(&[])]), json!([says("a"), says("b")]));
    }
}

#[test]
fn the_whole_arguments_replace_their_pieces() {
    let item = |arguments: &str| json!({"type": "function_call", "id": "f", "call_id": "c", "name": "look", "arguments": arguments});
    let delta = json!({"type": "response.function_call_arguments.delta", "item_id": "f", "delta": "{\"n\":"});
    let whole =
        json!({"type": "response.function_call_arguments.done", "item_id": "f", "arguments": "{\"n\":2}"});
    let cut = responses(&[added(0, &item("")), delta.clone(), whole]);
    assert_eq!(cut, json!([item("{\"n\":2}")]));
    // What the item itself says counts more than its pieces.
    let ended = responses(&[added(0, &item("")), delta, ends(Some(0), &item("{\"n\":3}")), completed(&[])]);
    assert_eq!(ended, json!([item("{\"n\":3}")]));
}

#[test]
fn items_of_which_not_all_have_an_index_stand_as_they_came() {
    let says = json!({"type": "message", "content": []});
    let call = done(None, "t", "{}")["item"].clone();
    let (placed, unplaced) = (ends(Some(0), &call), ends(None, &says));
    assert_eq!(responses(&[placed.clone(), unplaced.clone()]), json!([call, says]));
    assert_eq!(responses(&[unplaced, placed.clone()]), json!([says, call]));
    // By their indexes where all have one.
    assert_eq!(responses(&[ends(Some(1), &says), placed]), json!([call, says]));
}
