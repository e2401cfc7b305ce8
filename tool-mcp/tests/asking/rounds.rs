//! Questions before and during a call, and their answers.

use super::*;

#[tokio::test]
async fn a_destructive_call_is_suspended_and_runs_once_when_it_is_accepted() {
    let mut client = Client::new(Confirm::Ask);
    let call = deletion("a.txt");
    let first = client.asked(call.clone()).await;
    let state = state(&first);
    let question = &first["result"]["inputRequests"]["approval"];
    assert_eq!(question["method"], "elicitation/create");
    let text = question["params"]["message"].as_str().unwrap();
    assert!(text.contains("delete") && text.contains("destructive") && text.contains("\"a.txt\""), "{text}");
    assert!(text.contains("***") && !first.to_string().contains("hunter2"), "{first}");
    assert_eq!(client.deleted(), 0);

    let yes = json!({"approval": {"action": "accept", "content": {}}});
    let mut flipped = state.clone().into_bytes();
    let middle = flipped.len() / 2;
    flipped[middle] = if flipped[middle] == b'A' { b'B' } else { b'A' };
    let flipped = String::from_utf8(flipped).unwrap();
    for (wrong, why) in [
        (retry(&deletion("b.txt"), &state, &yes), "other arguments"),
        (retry(&call, &flipped, &yes), "a flipped bit"),
        (retry(&json!({"name": "interview", "arguments": {}}), &state, &yes), "another tool"),
    ] {
        let answer = client.asked(wrong).await;
        assert_eq!(answer["error"]["code"], -32602, "{why}: {answer}");
        assert_eq!(answer["error"]["message"], "requestState is not valid for this call.");
        assert_eq!(client.deleted(), 0, "{why}");
    }
    // Answers that nobody asked for are no consent.
    let mut early = call.clone();
    early["inputResponses"] = yes.clone();
    assert_eq!(client.asked(early).await["result"]["resultType"], "input_required");
    assert_eq!(client.deleted(), 0);

    let done = client.asked(retry(&call, &state, &yes)).await;
    assert_eq!(done["result"]["content"][0]["text"], "a.txt is gone", "{done}");
    assert_eq!((done["result"]["resultType"].as_str(), client.deleted()), (Some("complete"), 1));
    let rows = client.rows("delete").await;
    assert!(matches!(rows.as_slice(), [(_, Status::Ok)]), "one call of two rounds: {rows:?}");
}

#[tokio::test]
async fn a_tool_that_asks_and_then_acts_is_one_call_in_the_journal() {
    let mut client = Client::new(Confirm::Ask);
    let call = json!({"name": "sign", "arguments": {"paper": "lease"}});
    let first = client.asked(call.clone()).await;
    let waiting = client.rows("sign").await;
    assert_eq!((waiting.len(), client.deleted()), (1, 0), "{waiting:?}");
    let answer = json!({"who": {"action": "accept", "content": {"name": "Ada"}}});
    let done = client.asked(retry(&call, &state(&first), &answer)).await;
    assert_eq!(done["result"]["content"][0]["text"], "lease Ada", "{done}");
    assert_eq!(client.rows("sign").await, [(waiting[0].0.clone(), Status::Ok)], "its own row goes on");
    assert_eq!(client.deleted(), 1);
    // The answered round comes again: the call has been made, and its outcome is what there is.
    let again = client.asked(retry(&call, &state(&first), &answer)).await;
    assert_eq!(
        (again["result"]["content"][0]["text"].as_str(), client.deleted()),
        (Some("lease Ada"), 1),
        "{again}"
    );
}

#[tokio::test]
async fn a_question_after_an_effect_is_refused() {
    let mut client = Client::new(Confirm::Ask);
    let error = failure(&client.asked(json!({"name": "hasty", "arguments": {}})).await);
    assert_eq!((&error["kind"], &error["code"]), (&json!("internal"), &json!("ask_after_effect")), "{error}");
    // Before the effect it is asked.
    let first = client.asked(json!({"name": "sign", "arguments": {"paper": "p"}})).await;
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
}

#[tokio::test]
async fn a_tool_may_have_the_client_answer_what_it_has_declared() {
    let mut client = Client::new(Confirm::Ask);
    let call = json!({"name": "inquire", "arguments": {}});
    let refused = client.modern(call.clone(), json!({"elicitation": {}})).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    assert_eq!(refused["error"]["data"]["requiredCapabilities"], json!({"roots": {}}));
    let first = client.modern(call.clone(), json!({"roots": {}})).await;
    assert_eq!(first["result"]["inputRequests"]["roots"]["method"], "roots/list", "{first}");
    for nothing in [json!({}), json!({"roots": null}), json!({"roots": 5})] {
        let again = client.modern(retry(&call, &state(&first), &nothing), json!({"roots": {}})).await;
        assert_eq!(again["result"]["resultType"], "input_required", "asked again: {again}");
    }
    let answer = json!({"roots": {"roots": []}});
    let done = client.modern(retry(&call, &state(&first), &answer), json!({"roots": {}})).await;
    let text = done["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(text, "tests 1 2026-07-28 {\"roots\":[]}", "{done}");
    // The legacy era has no such requests.
    let mut legacy = Client::new(Confirm::Ask);
    legacy.initialize(json!({"roots": {}})).await;
    legacy.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})).await;
    assert_eq!(failure(&legacy.receive().await)["code"], "input_unavailable");
}

#[tokio::test]
async fn ten_rounds_are_enough() {
    let mut client = Client::new(Confirm::Ask);
    let call = json!({"name": "interview", "arguments": {}});
    let mut last = client.asked(call.clone()).await;
    let mut rounds = 1;
    while last["result"]["resultType"] == "input_required" {
        assert!(rounds <= 11, "{last}");
        last = client.asked(retry(&call, &state(&last), &json!({}))).await;
        rounds += 1;
    }
    assert_eq!((failure(&last)["code"].as_str(), rounds), (Some("too_many_rounds"), 11), "{last}");
}

#[tokio::test]
async fn declining_and_cancelling_run_nothing() {
    let mut client = Client::new(Confirm::Ask);
    let call = deletion("a.txt");
    for (action, kind, code) in
        [("decline", "denied", "approval_denied"), ("cancel", "cancelled", "cancelled")]
    {
        let state = state(&client.asked(call.clone()).await);
        let answer = client.asked(retry(&call, &state, &json!({"approval": {"action": action}}))).await;
        let error = failure(&answer);
        assert_eq!((&error["kind"], &error["code"]), (&json!(kind), &json!(code)), "{answer}");
    }
    let state = state(&client.asked(call.clone()).await);
    for nothing in
        [json!({}), json!({"approval": null}), json!({"approval": 5}), json!({"other": {"action": "accept"}})]
    {
        let again = client.asked(retry(&call, &state, &nothing)).await;
        assert_eq!(again["result"]["resultType"], "input_required", "asked again: {again}");
    }
    assert_eq!(client.deleted(), 0);
}

#[tokio::test]
async fn what_was_refused_is_refused_for_good() {
    let yes = json!({"approval": {"action": "accept", "content": {}}});
    for mut client in [Client::new(Confirm::Ask), Client::unrecorded(Confirm::Ask)] {
        let call = deletion("a.txt");
        for action in ["decline", "cancel"] {
            let state = state(&client.asked(call.clone()).await);
            client.asked(retry(&call, &state, &json!({"approval": {"action": action}}))).await;
            let again = client.asked(retry(&call, &state, &yes)).await;
            assert_eq!(again["error"]["code"], -32602, "{action}: {again}");
            assert_eq!(again["error"]["message"], "requestState is not valid for this call.");
        }
        assert_eq!(client.deleted(), 0);
        // The call may be asked for anew.
        let state = state(&client.asked(call.clone()).await);
        client.asked(retry(&call, &state, &yes)).await;
        assert_eq!(client.deleted(), 1);
    }
}

#[tokio::test]
async fn without_a_journal_a_call_goes_on_from_a_round_once() {
    let mut client = Client::unrecorded(Confirm::Ask);
    let (call, yes) = (deletion("a.txt"), json!({"approval": {"action": "accept", "content": {}}}));
    let state = state(&client.asked(call.clone()).await);
    for _ in 0..2 {
        let again = client.asked(retry(&call, &state, &json!({}))).await;
        assert_eq!(again["result"]["resultType"], "input_required", "nothing was answered: {again}");
    }
    let done = client.asked(retry(&call, &state, &yes)).await;
    assert_eq!(done["result"]["content"][0]["text"], "a.txt is gone", "{done}");
    let again = client.asked(retry(&call, &state, &yes)).await;
    assert_eq!((again["error"]["code"].as_i64(), client.deleted()), (Some(-32602), 1), "{again}");
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_told_how_to_go_on() {
    let mut client = Client::new(Confirm::Ask);
    let error = failure(&client.modern(deletion("a.txt"), json!({})).await);
    assert_eq!(error["code"], "confirmation_unavailable", "{error}");
    assert!(error["hint"].as_str().unwrap().contains("--confirm client"));
    // A question of the tool's own names the capability.
    let answer = client.modern(json!({"name": "interview", "arguments": {}}), json!({})).await;
    assert_eq!(answer["error"]["code"], -32021, "{answer}");
    assert_eq!(answer["error"]["data"]["requiredCapabilities"], json!({"elicitation": {}}));
    assert_eq!(client.deleted(), 0);
    let mut trusting = Client::new(Confirm::Client);
    let done = trusting.modern(deletion("a.txt"), json!({})).await;
    assert_eq!(done["result"]["isError"], Value::Null, "{done}");
    assert_eq!(trusting.deleted(), 1);
    // Nobody is asked, so nobody is worn down, however many calls there are.
    for nth in 2..=QUESTIONS_MAX + 2 {
        let done = trusting.modern(deletion(&format!("{nth}.txt")), json!({})).await;
        assert_eq!(done["result"]["isError"], Value::Null, "{nth}: {done}");
    }
    let mut denying = Client::new(Confirm::Deny);
    assert_eq!(failure(&denying.asked(deletion("a.txt")).await)["kind"], "denied");
    assert_eq!(denying.deleted(), 0);
}

#[tokio::test]
async fn an_answer_is_no_second_question_and_a_person_is_asked_so_often_and_no_more() {
    let mut client = Client::new(Confirm::Ask);
    let accept = json!({"approval": {"action": "accept", "content": {}}});
    for nth in 1..=QUESTIONS_MAX {
        let call = deletion(&format!("{nth}.txt"));
        let asked = client.asked(call.clone()).await;
        let done = client.asked(retry(&call, &state(&asked), &accept)).await;
        assert_eq!((&done["result"]["isError"], client.deleted()), (&Value::Null, nth), "{nth}: {done}");
    }
    let error = failure(&client.asked(deletion("one more")).await);
    assert_eq!((&error["code"], error["hint"].is_string()), (&json!("approval_flood"), true), "{error}");
}

#[tokio::test]
async fn several_rounds_keep_their_answers_and_what_does_not_fit_is_asked_again() {
    let mut client = Client::new(Confirm::Ask);
    let call = json!({"name": "interview", "arguments": {}});
    let accept = |content: Value| json!({"action": "accept", "content": content});
    let mut last = client.asked(call.clone()).await;
    let short = retry(&call, &state(&last), &json!({"who": accept(json!({"name": "A"}))}));
    last = client.asked(short).await;
    let message = last["result"]["inputRequests"]["who"]["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("That does not fit: ") && message.ends_with("Who?"), "{message}");
    last = client.asked(retry(&call, &state(&last), &json!({"who": accept(json!({"name": "Ada"}))}))).await;
    assert!(last["result"]["inputRequests"]["why"].is_object(), "{last}");
    last = client.asked(retry(&call, &state(&last), &json!({"why": accept(json!({"reason": "fun"}))}))).await;
    assert_eq!(last["result"]["content"][0]["text"], "Ada fun", "{last}");

    last = client.asked(call.clone()).await;
    for _ in 0..2 {
        last = client.asked(retry(&call, &state(&last), &json!({"who": accept(json!({"name": 5}))}))).await;
    }
    last = client.asked(retry(&call, &state(&last), &json!({"who": accept(json!({}))}))).await;
    assert_eq!(failure(&last)["code"], "answer_invalid");
}

#[tokio::test]
async fn answers_of_the_first_round_are_taken_and_extra_keys_ignored() {
    let mut client = Client::new(Confirm::Ask);
    let accept = |content: Value| json!({"action": "accept", "content": content});
    let answers = json!({"who": accept(json!({"name": "Ada"})), "why": accept(json!({"reason": "fun"})),
        "extra": accept(json!({}))});
    let call = json!({"name": "interview", "arguments": {}, "inputResponses": answers});
    let done = client.asked(call).await;
    assert_eq!(done["result"]["content"][0]["text"], "Ada fun", "{done}");
}

#[tokio::test]
async fn the_legacy_era_asks_during_the_call() {
    let mut client = Client::new(Confirm::Ask);
    client.initialize(json!({"elicitation": {}})).await;
    for (action, deleted) in [("decline", 0), ("accept", 1)] {
        client
            .send(
                &json!({"jsonrpc": "2.0", "id": action, "method": "tools/call", "params": deletion("a.txt")}),
            )
            .await;
        let question = client.receive().await;
        assert_eq!(question["method"], "elicitation/create", "{question}");
        client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": action}})).await;
        let answer = client.receive().await;
        assert_eq!((&answer["id"], client.deleted()), (&json!(action), deleted), "{answer}");
    }
    let mut mute = Client::new(Confirm::Ask);
    mute.initialize(json!({})).await;
    let params = json!({"name": "interview", "arguments": {}});
    mute.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).await;
    assert_eq!(failure(&mute.receive().await)["code"], "input_unavailable");
}
