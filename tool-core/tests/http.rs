//! HTTP in the hands of a call: its effects, redirects, limits and end, and what the fake of a test says of it. (calls.md §8)

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::http::{Fault, Http, Method, Request};
use tool_core::prelude::*;
use tool_core::test::{CallResult, FakeHttp, KitBuilder, ToolKit};
use tool_core::{Effect, ErrorKind, Registry};

/// Sends what it is told to.
async fn exchange(method: &str, url: &str, http: &dyn Http) -> Result<Value, ToolError> {
    let method = match method {
        "POST" => Method::Post,
        "PUT" => Method::Put,
        "HEAD" => Method::Head,
        _ => Method::Get,
    };
    let request = Request::new(method, url)?
        .header("accept", "text/plain")
        .secret_header("x-key", "k-123")
        .header("Authorization", "Basic abc")
        .header("Content-Type", "text/plain")
        .bytes(if method.is_read() { "" } else { "body" })
        .limit(10)
        .timeout(Duration::from_secs(10));
    let response = http.send(request).await?;
    let (status, url) = (response.status(), response.url().to_string());
    Ok(json!([status, url, response.text().await?]))
}

/// Looks something up elsewhere.
#[tool(register = false, open_world)]
async fn look_up(
    /// The method.
    method: &str,
    /// The address.
    url: &str,
    #[ctx] http: &dyn Http,
) -> Result<Value, ToolError> {
    exchange(method, url, http).await
}

/// Changes something elsewhere.
#[tool(register = false, open_world, side_effect, idempotent)]
async fn put_up(
    /// The method.
    method: &str,
    /// The address.
    url: &str,
    #[ctx] http: &dyn Http,
) -> Result<Value, ToolError> {
    exchange(method, url, http).await
}

/// Says that it stays here.
#[tool(register = false, side_effect, idempotent)]
async fn stay(
    /// The method.
    method: &str,
    /// The address.
    url: &str,
    #[ctx] http: &dyn Http,
) -> Result<Value, ToolError> {
    exchange(method, url, http).await
}

fn kit() -> KitBuilder {
    let tools = Registry::builder().add::<LookUpTool>().add::<PutUpTool>().add::<StayTool>();
    ToolKit::of(tools.build().unwrap())
}

const URL: &str = "https://x.example/y";

fn get(kit: &ToolKit, url: &str) -> CallResult {
    kit.call_blocking("look_up", json!({"method": "GET", "url": url}))
}

/// How a call failed.
fn failure(result: CallResult) -> (ErrorKind, String) {
    let error = result.expect_err("it is refused");
    (error.kind(), error.code_str().to_owned())
}

fn denied(code: &str) -> (ErrorKind, String) {
    (ErrorKind::Denied, code.to_owned())
}

#[test]
fn a_read_sends_only_get_and_head_and_a_side_effect_everything() {
    let kit = kit()
        .http(|h| {
            h.get(URL)
                .bytes("got")
                .request(Method::Head, URL)
                .post(URL)
                .bytes("done")
                .request(Method::Put, URL)
        })
        .build();
    let call = |tool: &str, method: &str| kit.call_blocking(tool, json!({"method": method, "url": URL}));
    assert_eq!(call("look_up", "GET").unwrap().data(), json!([200, URL, "got"]));
    assert_eq!(call("look_up", "HEAD").unwrap().data(), json!([200, URL, ""]));
    for method in ["POST", "PUT"] {
        assert_eq!(failure(call("look_up", method)), denied("effect_not_declared"));
    }
    assert_eq!(kit.http().requests().len(), 2, "what is refused is not sent");
    assert_eq!(call("put_up", "POST").unwrap().data(), json!([200, URL, "done"]));
    assert_eq!(call("put_up", "PUT").unwrap().data(), json!([200, URL, ""]));
}

#[test]
fn a_tool_that_does_not_say_that_it_reaches_outside_reaches_nothing() {
    let kit = kit().http(|h| h.post(URL)).build();
    for method in ["GET", "POST"] {
        let refused = kit.call_blocking("stay", json!({"method": method, "url": URL}));
        assert_eq!(failure(refused), denied("effect_not_declared"));
    }
    assert!(kit.http().requests().is_empty() && kit.io().is_empty());
    kit.call_blocking("put_up", json!({"method": "POST", "url": URL})).unwrap();
    assert_eq!(kit.io()[0].to_string(), "put_up (call_3) http: POST https://x.example/y");
}

#[test]
fn a_redirect_is_followed_and_takes_no_secret_to_another_host() {
    let kit = kit()
        .http(|h| h.get(URL).redirect("/z").get("https://x.example/z").redirect("https://other.example/"))
        .http(|h| h.get("https://other.example/").bytes("there"))
        .build();
    assert_eq!(get(&kit, URL).unwrap().data(), json!([200, "https://other.example/", "there"]));
    let names: Vec<Vec<String>> = kit
        .http()
        .requests()
        .iter()
        .map(|request| request.headers().map(|header| header.0.to_owned()).collect())
        .collect();
    assert_eq!(names[1], ["accept", "x-key", "Authorization", "Content-Type"]);
    assert_eq!(names[2], ["accept", "Content-Type"]);
}

#[test]
fn what_is_sent_is_sent_again_only_where_the_redirect_says_so() {
    for (status, method, sent) in
        [(303, Method::Get, ""), (302, Method::Get, ""), (307, Method::Post, "body")]
    {
        let kit = kit()
            .http(move |h| h.post(URL).redirect("/z").status(status).request(method, "https://x.example/z"))
            .build();
        kit.call_blocking("put_up", json!({"method": "POST", "url": URL})).unwrap();
        assert_eq!(kit.http().requests()[1].body(), sent.as_bytes(), "{status}");
    }
}

#[test]
fn a_redirect_leads_neither_off_the_web_nor_out_of_encryption_nor_round_and_round() {
    let rows = [
        ("file:///etc/passwd", denied("scheme_not_allowed")),
        ("http://x.example/y", denied("redirect_downgrade")),
        ("https://me:pass@x.example/", (ErrorKind::InvalidArgs, "bad_url".to_owned())),
        ("https://[", (ErrorKind::Failed, "bad_redirect".to_owned())),
    ];
    for (to, expected) in rows {
        let kit = kit().http(move |h| h.get(URL).redirect(to)).build();
        assert_eq!(failure(get(&kit, URL)), expected, "{to}");
    }
    let kit = kit().http(|h| h.get(URL).redirect(URL).times(11)).build();
    assert_eq!(failure(get(&kit, URL)), (ErrorKind::Failed, "too_many_redirects".to_owned()));
}

#[test]
fn no_more_comes_than_was_asked_for() {
    let kit = kit()
        .http(|h| h.get(URL).bytes("12345").bytes("67890").get(URL).bytes("12345").bytes("678901"))
        .http(|h| h.get(URL).header("content-length", "11"))
        .build();
    assert_eq!(get(&kit, URL).unwrap().data()[2], "1234567890");
    for _ in 0..2 {
        assert_eq!(failure(get(&kit, URL)), (ErrorKind::Failed, "response_too_large".to_owned()));
    }
}

#[tokio::test]
async fn an_answer_that_comes_too_late_is_none_and_one_in_time_is() {
    let late = |h: FakeHttp| h.get(URL).bytes("a").bytes("b").delay(Duration::from_secs(6));
    let kit = kit().http(late).http(|h| h.get(URL).delay(Duration::from_secs(9))).build();
    let args = json!({"method": "GET", "url": URL});
    let moved = async {
        // The timer of the request, and the answer: first its header, then the second piece of its body.
        kit.clock().asleep(2).await;
        kit.advance(Duration::from_secs(6));
        kit.clock().asleep(2).await;
        kit.advance(Duration::from_secs(4));
    };
    let (answered, ()) = tokio::join!(kit.call("look_up", args.clone()), moved);
    assert_eq!(answered.unwrap_err().kind(), ErrorKind::Timeout);
    let moved = async {
        kit.clock().asleep(2).await;
        kit.advance(Duration::from_secs(9));
    };
    let (answered, ()) = tokio::join!(kit.call("look_up", args), moved);
    assert_eq!(answered.unwrap().data()[0], 200);
}

#[test]
fn every_fault_is_unavailable_under_a_code_of_its_own() {
    for fault in Fault::ALL {
        let kit = kit().http(move |h| h.get(URL).bytes("half").fails(fault)).build();
        let error = get(&kit, URL).expect_err("it fails");
        assert_eq!((error.kind(), error.code_str()), (ErrorKind::Unavailable, fault.code()));
        let nothing = fault != Fault::Cut;
        assert_eq!(error.effect_value() == Some(Effect::None), nothing, "{error:?}");
    }
}

#[test]
fn a_request_that_is_not_expected_fails_the_test_with_the_call_that_sent_it() {
    let kit = kit().http(|h| h.get("https://x.example/other")).build();
    assert_eq!(get(&kit, URL).expect_err("it is refused").code_str(), "not_scripted");
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(kit)));
    let told = *dropped.expect_err("nothing is told").downcast::<String>().unwrap();
    assert!(
        told.contains("GET https://x.example/y was sent by look_up (call_1), and is not expected"),
        "{told}"
    );
    assert!(told.contains("nobody sent GET https://x.example/other"), "{told}");
}

#[test]
fn an_address_with_a_secret_in_it_is_in_no_error() {
    let kit = kit()
        .http(|h| h.get("https://x.example/y?key=canary").status(302).header("location", "http://["))
        .build();
    let error = get(&kit, "https://x.example/y?key=canary").expect_err("it leads nowhere");
    assert!(!error.message().contains("canary"), "{}", error.message());
    let error = Request::get("https://me:canary@x.example").unwrap_err();
    assert!(!error.to_string().contains("canary"), "{error}");
    let request = Request::get("https://x.example/?key=canary").unwrap().secret_header("x-key", "canary");
    assert!(!format!("{request:?}").contains("canary"), "{request:?}");
}

/// Sends a name as JSON and reads what comes back, or where it is.
#[tool(register = false, open_world, side_effect, idempotent)]
async fn name(
    /// The name.
    name: &str,
    #[ctx] http: &dyn Http,
) -> Result<Value, ToolError> {
    let request = Request::post(URL)?.json(&json!({"name": name}))?.redirects(0);
    let response = http.send(request).await?;
    if response.status() == 303 {
        let mut told = response.headers().filter(|header| header.0 == "location");
        return Ok(json!(told.next().map(|header| header.1)));
    }
    response.success()?.json().await
}

#[test]
fn json_goes_both_ways_and_a_redirect_that_is_not_followed_is_the_answer() {
    let is_ada = |request: &Request| request.body() == br#"{"name":"Ada"}"#;
    let kit = ToolKit::of(Registry::builder().add::<NameTool>().build().unwrap())
        .http(move |h| h.post(URL).sent(is_ada).json(json!({"id": 7})))
        .http(|h| h.post(URL).status(303).header("location", "/names/8").post(URL).bytes("no JSON"))
        .build();
    let call = |name: &str| kit.call_blocking("name", json!({ "name": name }));
    assert_eq!(format!("{:?}", kit.http()), "FakeHttp { left: 3, .. }");
    assert_eq!(call("Ada").unwrap().data(), json!({"id": 7}));
    assert_eq!(call("Bob").unwrap().data(), json!("/names/8"));
    assert_eq!(failure(call("Cleo")), (ErrorKind::Unavailable, "bad_response".to_owned()));
}

#[test]
fn the_kind_of_an_error_is_that_of_the_status() {
    let rows = [
        (404, ErrorKind::NotFound),
        (410, ErrorKind::NotFound),
        (401, ErrorKind::Denied),
        (403, ErrorKind::Denied),
        (429, ErrorKind::RateLimited),
        (408, ErrorKind::Timeout),
        (504, ErrorKind::Timeout),
        (500, ErrorKind::Unavailable),
        (503, ErrorKind::Unavailable),
        (599, ErrorKind::Unavailable),
        (400, ErrorKind::Failed),
        (304, ErrorKind::Failed),
    ];
    let answer = |status| {
        let url = "https://me:pass@x.example/y?key=k-123#part".parse().unwrap();
        tool_core::http::Response::new(url, status, [], None).success()
    };
    for (status, kind) in rows {
        let error = answer(status).expect_err("it is no success");
        assert_eq!((error.kind(), error.code_str().to_owned()), (kind, format!("http_{status}")));
        assert_eq!(
            error.message(),
            format!("https://***@x.example/y?***#*** answered with status {status}.")
        );
    }
    for status in [200, 204, 299] {
        assert_eq!(answer(status).unwrap().status(), status);
    }
}

#[test]
fn only_a_status_that_leads_on_is_a_redirect() {
    for status in [200, 201, 300, 304, 400] {
        let kit = kit().http(move |h| h.get(URL).status(status).header("location", "/z")).build();
        assert_eq!(get(&kit, URL).unwrap().data()[0], status);
    }
    for status in [301, 302, 303, 307, 308] {
        let kit = kit()
            .http(move |h| h.get(URL).status(status).header("location", "/z").get("https://x.example/z"))
            .build();
        assert_eq!(get(&kit, URL).unwrap().data()[1], "https://x.example/z", "{status}");
    }
}

#[test]
fn a_header_of_what_is_not_sent_again_goes_with_it() {
    for (status, kept) in [(303, false), (307, true)] {
        let kit = kit().http(move |h| h.post(URL).redirect("/z").status(status)).http(move |h| {
            let method = if kept { Method::Post } else { Method::Get };
            h.request(method, "https://x.example/z")
        });
        let kit = kit.build();
        kit.call_blocking("put_up", json!({"method": "POST", "url": URL})).unwrap();
        let sent = &kit.http().requests()[1];
        let has = |name: &str| sent.headers().any(|header| header.0 == name);
        assert_eq!((has("Content-Type"), has("accept")), (kept, true), "{status}");
    }
}

#[test]
fn what_is_as_long_as_the_limit_says_is_taken() {
    let kit = kit().http(|h| h.get(URL).header("content-length", "10").bytes("1234567890")).build();
    assert_eq!(get(&kit, URL).unwrap().data()[2], "1234567890");
}

#[test]
fn an_address_names_no_user_and_is_shown_without_what_it_carries() {
    for url in ["https://me@x.example/", "https://:pass@x.example/", "https://me:pass@x.example/"] {
        assert_eq!(Request::get(url).unwrap_err().code_str(), "bad_url", "{url}");
    }
    let request =
        Request::get("https://x.example:8443/y?key=k-123#part").unwrap().secret_header("x-key", "k-9");
    assert_eq!(request.host(), "x.example");
    let shown = format!("{request:?}");
    let parts = ["method: Get", "url: \"https://x.example:8443/y?***#***\"", "headers: [\"x-key\"]"];
    assert!(!shown.contains("k-"), "{shown}");
    for part in parts {
        assert!(shown.contains(part), "{shown}");
    }
}
