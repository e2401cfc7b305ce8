//! The store of long results in memory: what it forgets, and what it says of that.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tool_core::test::FakeClock;
use tool_core::{MemoryResults, Parked, RESULTS_GONE_MAX, ResultLimits, ResultScope, ResultStore};

fn scope(run: &str) -> ResultScope {
    ResultScope { tenant: String::new(), run: run.to_owned() }
}

fn parked(text: &str) -> Parked {
    Parked {
        text: text.into(),
        media: "text/plain".to_owned(),
        tool: "rows".to_owned(),
        call_id: None,
        is_private: false,
    }
}

/// `there`, or the code of the error.
fn state(store: &MemoryResults, run: &str, id: &str) -> String {
    store.get(&scope(run), id).map_or_else(|error| error.code_str().to_owned(), |_| "there".to_owned())
}

#[test]
fn every_place_of_an_id_takes_every_letter() {
    let ids: Vec<String> = (0..1_000).map(|_| Parked::new_id()).collect();
    assert!(ids.iter().all(|id| id.len() == 16 && id.starts_with("res_")));
    for place in 4..16 {
        // Each letter stands at a place once in 32 ids: that a thousand lack one happens once in 10^12 runs.
        let letters: BTreeSet<u8> = ids.iter().map(|id| id.as_bytes()[place]).collect();
        assert_eq!(letters, BTreeSet::from(*b"0123456789abcdefghjkmnpqrstvwxyz"), "place {place}");
    }
}

#[test]
fn no_letter_of_an_id_follows_from_the_one_before_it() {
    let ids: Vec<String> = (0..1_000).map(|_| Parked::new_id()).collect();
    for place in 4..15 {
        // Of 1,024 pairs some 640 are among a thousand; were there one free bit in a letter, 64.
        let pairs: BTreeSet<&str> = ids.iter().map(|id| &id[place..place + 2]).collect();
        assert!(pairs.len() > 300, "place {place}: {}", pairs.len());
    }
}

#[test]
fn an_id_that_is_unknown_is_told_as_far_as_it_is_short() {
    let told = |id: &str| Parked::unknown(id).message().to_owned();
    assert_eq!(told("res_1"), "There is no result res_1.");
    assert_eq!(told(&"é".repeat(81)), format!("There is no result {}.", "é".repeat(80)));
}

#[test]
fn a_scope_keeps_as_many_bytes_as_it_may_and_the_newest_whatever_its_size() {
    let store = MemoryResults::new(
        ResultLimits { bytes: 6, ..ResultLimits::default() },
        Arc::new(FakeClock::default()),
    );
    let put = |run: &str, text: &str| store.put(&scope(run), parked(text)).unwrap();
    let (first, second, other) = (put("a", "abc"), put("a", "def"), put("b", "ghi"));
    assert_eq!([&first, &second].map(|id| state(&store, "a", id)), ["there", "there"]);
    let third = put("a", "j");
    assert_eq!(
        [&first, &second, &third].map(|id| state(&store, "a", id)),
        ["result_expired", "there", "there"]
    );
    // What went has made room.
    let fourth = put("a", "kl");
    assert_eq!([&second, &third, &fourth].map(|id| state(&store, "a", id)), ["there", "there", "there"]);
    let large = put("a", "longer than all");
    assert_eq!(
        [&second, &third, &fourth, &large].map(|id| state(&store, "a", id)),
        ["result_expired", "result_expired", "result_expired", "there"]
    );
    assert_eq!(
        (state(&store, "b", &other), state(&store, "b", &first)),
        ("there".into(), "unknown_result".into())
    );
    assert_eq!(state(&store, "a", &other), "unknown_result");
}

#[test]
fn a_result_is_gone_when_its_life_is_over_and_not_before() {
    let clock = FakeClock::default();
    let life = Duration::from_secs(60);
    let store = MemoryResults::new(ResultLimits { life, ..ResultLimits::default() }, Arc::new(clock.clone()));
    let first = store.put(&scope("a"), parked("first")).unwrap();
    clock.advance(Duration::from_secs(1));
    let second = store.put(&scope("a"), parked("second")).unwrap();
    clock.advance(Duration::from_millis(58_999));
    assert_eq!(state(&store, "a", &first), "there");
    clock.advance(Duration::from_millis(1));
    assert_eq!([&first, &second].map(|id| state(&store, "a", id)), ["result_expired", "there"]);
}

#[test]
fn of_what_is_gone_the_latest_ids_are_known() {
    let store = MemoryResults::new(
        ResultLimits { bytes: 0, ..ResultLimits::default() },
        Arc::new(FakeClock::default()),
    );
    let put = || store.put(&scope("a"), parked("text")).unwrap();
    let (first, second) = (put(), put());
    for _ in 1..RESULTS_GONE_MAX {
        put();
    }
    assert_eq!([&first, &second].map(|id| state(&store, "a", id)), ["result_expired", "result_expired"]);
    put();
    assert_eq!([&first, &second].map(|id| state(&store, "a", id)), ["unknown_result", "result_expired"]);
}
