//! Many at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tool_core::journal::{Begun, Class, Journal, Outcome, RowQuery, Status};

use super::{Bench, begin, call, runs, task};

/// Begins until the call runs or has an outcome; counts the effects.
async fn done(journal: Arc<dyn Journal>, id: String, key: String, effects: Arc<AtomicU32>) -> Option<String> {
    loop {
        match journal.begin(begin(call(&id, &key, Class::Keyed))).await.unwrap() {
            Begun::Run(lease) => {
                effects.fetch_add(1, Ordering::SeqCst);
                return journal.finish(lease, Outcome::ok(format!("\"{id}\""))).await.unwrap().output_json;
            }
            Begun::Replay(row) => return row.output_json,
            Begun::Wait(waiter) => {
                tokio::time::timeout(Duration::from_secs(30), waiter).await.expect("the wait ends");
            }
            other => panic!("unexpected {other:?}"),
        }
    }
}

pub(super) async fn thirty_two_equal_calls_have_one_effect(bench: &dyn Bench) {
    let journal = bench.open().await;
    let effects = Arc::new(AtomicU32::new(0));
    let calls = (0..32).map(|nth| {
        tokio::spawn(done(Arc::clone(&journal), nth.to_string(), "k".to_owned(), Arc::clone(&effects)))
    });
    let mut answers = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        answers.push(call.await.unwrap());
    }
    answers.dedup();
    assert_eq!((answers.len(), effects.load(Ordering::SeqCst)), (1, 1), "{answers:?}");
}

/// 16 handles, 300 keys each wants: exactly one of them runs each.
pub(super) async fn sixteen_handles_have_one_winner_per_key(bench: &dyn Bench) {
    const KEYS: usize = 300;
    let mut calls = Vec::new();
    let effects: Vec<Arc<AtomicU32>> = (0..KEYS).map(|_| Arc::default()).collect();
    for handle in 0..16 {
        let (journal, effects) = (bench.open().await, effects.clone());
        calls.push(tokio::spawn(async move {
            for (key, effects) in effects.iter().enumerate() {
                let id = format!("{handle}-{key}");
                done(Arc::clone(&journal), id, key.to_string(), Arc::clone(effects)).await;
            }
        }));
    }
    for call in calls {
        call.await.unwrap();
    }
    let counts: Vec<u32> = effects.iter().map(|count| count.load(Ordering::SeqCst)).collect();
    assert!(counts.iter().all(|count| *count == 1), "{counts:?}");
    let journal = bench.open().await;
    let rows = journal.rows(&RowQuery { task: Some(task()), ..RowQuery::default() }).await.unwrap();
    let ran = rows.iter().filter(|row| row.replay_of.is_none()).count();
    assert_eq!((ran, rows.len()), (KEYS, 16 * KEYS));
}

pub(super) async fn many_calls_have_many_numbers_without_gaps(bench: &dyn Bench) {
    let mut calls = Vec::new();
    for handle in 0..4 {
        let journal = bench.open().await;
        calls.push(tokio::spawn(async move {
            let one = |nth: usize| {
                let (journal, id) = (Arc::clone(&journal), format!("{handle}-{nth}"));
                tokio::spawn(async move { runs(&*journal, call(&id, &id, Class::Keyed)).await.seq })
            };
            let mut numbers = Vec::new();
            for call in (0..25).map(one).collect::<Vec<_>>() {
                numbers.push(call.await.unwrap());
            }
            (journal, numbers)
        }));
    }
    let mut numbers = Vec::new();
    let mut handles = Vec::new();
    for call in calls {
        let (journal, given) = call.await.unwrap();
        handles.push(journal);
        numbers.extend(given);
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=100).collect::<Vec<u32>>());
}

pub(super) async fn a_wait_survives_the_death_of_the_one_that_runs(bench: &dyn Bench) {
    let (one, other) = (bench.open().await, bench.open().await);
    runs(&*one, call("a", "k", Class::Keyed)).await;
    let effects = Arc::new(AtomicU32::new(0));
    let waiting =
        tokio::spawn(done(Arc::clone(&other), "b".to_owned(), "k".to_owned(), Arc::clone(&effects)));
    bench.kill(one).await;
    assert_eq!(waiting.await.unwrap().as_deref(), Some("\"b\""));
    assert_eq!(effects.load(Ordering::SeqCst), 1);
    assert_eq!(super::row(&*other, "a").await.status, Status::InDoubt);
}
