//! Questions of the journal: effects that would happen twice, and calls in doubt.

use super::*;

#[tokio::test]
async fn consent_to_a_call_is_no_consent_to_risk_an_effect_twice() {
    let mut client = Client::behind(Confirm::Ask, &[deletion("one")]).await;
    let call = deletion("two");
    let first = client.asked(call.clone()).await;
    assert_eq!(question(&first).0, "approval");
    let second = client.asked(retry(&call, &state(&first), &reply("approval", "accept"))).await;
    let (key, text) = question(&second);
    assert!(key.starts_with("approval_") && key.len() <= 32, "{key}");
    assert!(text.contains("Earlier attempts ran") && text.contains("delete (attempt 1, seq 1)"), "{text}");
    assert!(text.contains("\"two\"") && !text.contains("hunter2"), "{text}");
    assert_eq!(client.deleted(), 1, "nothing ran in this server");
    let done = client.asked(retry(&call, &state(&second), &reply(&key, "accept"))).await;
    assert_eq!((done["result"]["content"][0]["text"].as_str(), client.deleted()), (Some("two is gone"), 2));
    let rows = client.journal.rows(&RowQuery::default()).await.unwrap();
    assert_eq!(rows[1].approved_by.as_deref(), Some("person"));
    // What a client foresees is no answer to that question.
    let mut early = deletion("three");
    early["inputResponses"] = reply(&key, "accept");
    assert_eq!(question(&client.asked(early).await).0, "approval");
}

#[tokio::test]
async fn a_no_at_the_replay_gate_is_final_and_a_question_that_waits_is_not() {
    let append = |line: &str| json!({"name": "append", "arguments": {"line": line}});
    let mut client = Client::behind(Confirm::Ask, &[append("one")]).await;
    let first = client.asked(append("two")).await;
    let (key, _) = question(&first);
    // Who asks nobody answers the next time: it was not refused meanwhile.
    let again = client.asked(append("two")).await;
    assert_eq!(question(&again).0, key);
    let refused = client.asked(retry(&append("two"), &state(&again), &reply(&key, "decline"))).await;
    let error = failure(&refused);
    assert_eq!((&error["code"], &error["details"]["layer"]), (&json!("replay_denied"), &json!("journal")));
    let final_too = failure(&client.asked(append("three")).await);
    assert_eq!((&final_too["code"], client.deleted()), (&json!("replay_denied"), 1));
}

#[tokio::test]
async fn a_call_in_doubt_runs_again_when_a_person_says_so_and_not_before() {
    let mut client = Client::behind(Confirm::Ask, &[lost()]).await;
    assert_eq!(client.rows("append").await[0].1, Status::InDoubt);
    // Who cannot be asked is told what stands in the way.
    let error = failure(&client.modern(lost(), json!({})).await);
    assert_eq!((&error["code"], client.deleted()), (&json!("confirmation_unavailable"), 1), "{error}");
    let first = client.asked(lost()).await;
    let (key, text) = question(&first);
    assert!(text.contains("append (attempt 1, seq 1)"), "{text}");
    let done = client.asked(retry(&lost(), &state(&first), &reply(&key, "accept"))).await;
    assert_eq!(
        (done["result"]["content"][0]["text"].as_str(), client.deleted()),
        (Some("lost"), 2),
        "{done}"
    );
    // Another one is told that it was refused, and nothing ran.
    let mut other = Client::behind(Confirm::Ask, &[lost()]).await;
    let first = other.asked(lost()).await;
    let refused = other.asked(retry(&lost(), &state(&first), &reply(&question(&first).0, "decline"))).await;
    assert_eq!((&failure(&refused)["code"], other.deleted()), (&json!("replay_denied"), 1));
    assert_eq!(other.rows("append").await[0].1, Status::InDoubt, "it stays to be settled");
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_has_not_said_no() {
    let append = json!({"name": "append", "arguments": {"line": "two"}});
    let first = json!({"name": "append", "arguments": {"line": "one"}});
    for confirm in [Confirm::Ask, Confirm::Deny] {
        let mut client = Client::behind(confirm, std::slice::from_ref(&first)).await;
        let error = failure(&client.modern(append.clone(), json!({})).await);
        assert_eq!((&error["code"], client.deleted()), (&json!("confirmation_unavailable"), 1), "{error}");
        if confirm == Confirm::Ask {
            question(&client.asked(append.clone()).await);
        }
    }
    let mut trusted = Client::behind(Confirm::Client, &[first]).await;
    trusted.modern(append, json!({})).await;
    assert_eq!(trusted.deleted(), 2);
    let rows = trusted.journal.rows(&RowQuery::default()).await.unwrap();
    assert_eq!(rows[1].approved_by.as_deref(), Some("client"));
}

#[tokio::test]
async fn the_outcome_of_an_earlier_call_says_so_whichever_way_it_is_answered() {
    let mut client = Client::new(Confirm::Ask);
    client.initialize(json!({})).await;
    // A negative id is rmcp's to answer, a positive one is answered where it was read.
    let mut notes = Vec::new();
    for id in [1, 2, -3] {
        let params =
            json!({"name": "append", "arguments": {"line": "one"}, "_meta": {"toolbox/idempotencyKey": "k"}});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
        let answer = client.receive().await;
        assert_eq!(
            (&answer["id"], &answer["result"]["content"][0]["text"]),
            (&json!(id), &json!("one")),
            "{answer}"
        );
        notes.push(answer["result"]["_meta"].clone());
    }
    let first = client.rows("append").await.remove(0).0;
    let told = json!({"toolbox/replayed": true, "toolbox/callId": first});
    assert_eq!((notes, client.deleted()), (vec![Value::Null, told.clone(), told], 1));
}
