//! What every store of parked results keeps to, whatever they lie in. (calls.md §10)

use std::sync::Arc;
use std::time::Duration;

use tool_core::test::FakeClock;
use tool_core::{
    Clock, ErrorKind, Parked, RESULT_LIFE, RESULTS_MAX, ResultLimits, ResultScope, ResultStore, ToolError,
};

/// Makes a store within limits that goes by a clock.
pub type MakeResults<'m> = &'m dyn Fn(ResultLimits, Arc<dyn Clock>) -> Arc<dyn ResultStore>;

/// A case of the suite.
pub type Case = fn(MakeResults<'_>);

/// Every case with its name.
pub const RESULTS: &[(&str, Case)] = &[
    ("results_are_kept_as_they_are", results_are_kept_as_they_are),
    ("ids_are_twelve_letters_and_never_the_same", ids_are_twelve_letters_and_never_the_same),
    ("another_scope_has_no_such_result", another_scope_has_no_such_result),
    ("results_live_a_day", results_live_a_day),
    ("the_oldest_of_a_scope_go_first", the_oldest_of_a_scope_go_first),
    ("the_newest_is_kept_whatever_its_size", the_newest_is_kept_whatever_its_size),
    ("what_was_swept_is_known_to_have_been_there", what_was_swept_is_known_to_have_been_there),
];

fn result(text: &str) -> Parked {
    Parked {
        text: text.into(),
        media: "text/plain".to_owned(),
        tool: "look".to_owned(),
        call_id: None,
        is_private: false,
    }
}

fn scope(tenant: &str, run: &str) -> ResultScope {
    ResultScope { tenant: tenant.to_owned(), run: run.to_owned() }
}

fn clock() -> Arc<FakeClock> {
    Arc::default()
}

fn missing(answer: Result<Parked, ToolError>) -> String {
    let error = answer.expect_err("it is not there");
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    error.code_str().to_owned()
}

fn results_are_kept_as_they_are(make: MakeResults<'_>) {
    let store = make(ResultLimits::default(), clock());
    let own = scope("t", "r");
    let texts = ["", "plain", "two\r\nlines\n", "näme 😀 \u{0}", &"x".repeat(300_000)];
    for text in texts {
        let parked = Parked { media: "application/json".to_owned(), ..result(text) };
        let id = store.put(&own, parked.clone()).unwrap();
        assert_eq!(store.get(&own, &id).unwrap(), parked);
        assert_eq!(store.get(&own, &id).unwrap(), parked, "reading takes nothing away");
    }
    let private = Parked { is_private: true, ..result("for this process alone") };
    let id = store.put(&own, private.clone()).unwrap();
    assert_eq!(store.get(&own, &id).unwrap(), private);
}

fn ids_are_twelve_letters_and_never_the_same(make: MakeResults<'_>) {
    let store = make(ResultLimits::default(), clock());
    let own = scope("t", "r");
    let ids: std::collections::BTreeSet<String> =
        (0..100).map(|_| store.put(&own, result("same")).unwrap()).collect();
    assert_eq!(ids.len(), 100);
    for id in &ids {
        let letters = id.strip_prefix("res_").expect("its prefix");
        let is_letter = |letter: char| "0123456789abcdefghjkmnpqrstvwxyz".contains(letter);
        assert!(letters.len() == 12 && letters.chars().all(is_letter), "{id}");
    }
}

fn another_scope_has_no_such_result(make: MakeResults<'_>) {
    let store = make(ResultLimits::default(), clock());
    let own = scope("t", "r");
    let id = store.put(&own, result("mine")).unwrap();
    assert_eq!(missing(store.get(&scope("t", "other"), &id)), "unknown_result");
    assert_eq!(missing(store.get(&scope("other", "r"), &id)), "unknown_result");
    assert_eq!(missing(store.get(&own, "res_000000000000")), "unknown_result");
    assert_eq!(missing(store.get(&own, &"x".repeat(10_000))), "unknown_result");
    assert_eq!(&*store.get(&own, &id).unwrap().text, "mine");
}

fn results_live_a_day(make: MakeResults<'_>) {
    let clock = clock();
    let store = make(ResultLimits::default(), clock.clone());
    let own = scope("t", "r");
    let first = store.put(&own, result("first")).unwrap();
    clock.advance(Duration::from_secs(3_600));
    let second = store.put(&own, result("second")).unwrap();
    clock.advance(RESULT_LIFE - Duration::from_secs(3_601));
    assert_eq!(&*store.get(&own, &first).unwrap().text, "first");
    clock.advance(Duration::from_secs(1));
    assert_eq!(missing(store.get(&own, &first)), "result_expired");
    assert_eq!(&*store.get(&own, &second).unwrap().text, "second");
    clock.advance(Duration::from_secs(3_600));
    let gone = store.get(&own, &second).expect_err("its life is over");
    assert_eq!((gone.code_str(), gone.hint_str()), ("result_expired", Some("run the tool again")));
    assert_eq!(
        missing(store.get(&scope("t", "other"), &first)),
        "unknown_result",
        "nor does another hear of it"
    );
}

fn the_oldest_of_a_scope_go_first(make: MakeResults<'_>) {
    assert_eq!(ResultLimits::default(), ResultLimits { life: RESULT_LIFE, bytes: RESULTS_MAX });
    let store = make(ResultLimits { bytes: 10, ..ResultLimits::default() }, clock());
    let own = scope("t", "r");
    let other = store.put(&scope("t", "other"), result("123456789")).unwrap();
    let ids = ["1234", "5678", "90"].map(|text| store.put(&own, result(text)).unwrap());
    for id in &ids {
        store.get(&own, id).expect("they fit");
    }
    let last = store.put(&own, result("ö")).unwrap();
    assert_eq!(missing(store.get(&own, &ids[0])), "result_expired");
    for id in ids[1..].iter().chain([&last]) {
        store.get(&own, id).expect("one was enough");
    }
    store.get(&scope("t", "other"), &other).expect("each scope has its own room");
}

fn the_newest_is_kept_whatever_its_size(make: MakeResults<'_>) {
    let store = make(ResultLimits { bytes: 10, ..ResultLimits::default() }, clock());
    let own = scope("t", "r");
    let small = store.put(&own, result("1")).unwrap();
    let large = store.put(&own, result("12345678901")).unwrap();
    assert_eq!(missing(store.get(&own, &small)), "result_expired");
    assert_eq!(&*store.get(&own, &large).unwrap().text, "12345678901");
    let next = store.put(&own, result("2")).unwrap();
    assert_eq!(missing(store.get(&own, &large)), "result_expired");
    assert_eq!(&*store.get(&own, &next).unwrap().text, "2");
}

fn what_was_swept_is_known_to_have_been_there(make: MakeResults<'_>) {
    let clock = clock();
    let store = make(ResultLimits { life: Duration::from_secs(1), ..ResultLimits::default() }, clock.clone());
    let own = scope("t", "r");
    let id = store.put(&own, result("short")).unwrap();
    store.sweep();
    store.get(&own, &id).expect("it is young");
    clock.advance(Duration::from_secs(1));
    store.sweep();
    assert_eq!(missing(store.get(&own, &id)), "result_expired");
}
