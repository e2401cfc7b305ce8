//! Equal calls of several processes, in every order that a scheduler may run them in: the effect happens once, whoever fails or dies,
//! and nobody waits for what does not come. (testing.md §4)
//!
//! What is tried is the order of tasks at the points where they wait; the locks are those of the standard library and of tokio.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a model may stop at what must not happen")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use shuttle::future::{block_on, spawn, yield_now};
use shuttle::rand::{Rng as _, thread_rng};
use shuttle::scheduler::RandomScheduler;
use shuttle::{Config, Runner};
use tool_core::journal::{Begin, Begun, Class, Journal as _, MemoryJournal, Outcome, Row};
use tool_core::{Effect, ToolError};

/// Calls of one key, each of a process of its own.
const CALLS: usize = 4;

/// Bytes of the stack of each task: a call of the journal needs more than the usual ones.
const STACK: usize = 1 << 20;

/// How a process fares with the call that it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Ends,
    /// Nothing was done, and it says so.
    Fails,
    /// It ends before its effect.
    DiesBefore,
    /// It ends after its effect, which it cannot tell any more.
    DiesAfter,
}

const FATES: [Fate; 4] = [Fate::Ends, Fate::Fails, Fate::DiesBefore, Fate::DiesAfter];

/// What a call came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Done,
    Failed,
    InDoubt,
    Died,
}

#[derive(Default)]
struct World {
    running: AtomicU32,
    effects: AtomicU32,
    ran: AtomicU32,
}

fn begin(id: usize) -> Begin {
    let row = Row {
        run_id: "run".to_owned(),
        node_id: "node".to_owned(),
        attempt: 1,
        tool_name: "charge".to_owned(),
        input_json: "{}".to_owned(),
        call_id: id.to_string(),
        call_key: "key".to_owned(),
        tool_key: "key".to_owned(),
        args_sha256: "args".to_owned(),
        input_complete: true,
        class: Class::Manual,
        side_effect: Some(true),
        idempotent: Some(false),
        ..Row::default()
    };
    Begin { row, ..Begin::default() }
}

/// One call, as the step of the journal makes it.
async fn call(world: Arc<World>, journal: MemoryJournal, id: usize, fate: Fate) -> Told {
    loop {
        match journal.begin(begin(id)).await.unwrap() {
            Begun::Run(lease) => {
                world.ran.fetch_add(1, Ordering::SeqCst);
                assert_eq!(world.running.fetch_add(1, Ordering::SeqCst), 0, "two run at once");
                journal.running(&lease);
                yield_now().await;
                if fate != Fate::Fails && fate != Fate::DiesBefore {
                    world.effects.fetch_add(1, Ordering::SeqCst);
                }
                yield_now().await;
                world.running.fetch_sub(1, Ordering::SeqCst);
                let outcome = match fate {
                    Fate::DiesBefore | Fate::DiesAfter => return Told::Died,
                    Fate::Ends => Outcome::ok("1"),
                    Fate::Fails => Outcome::error(&ToolError::failed("No.").effect(Effect::None)),
                };
                journal.finish(lease, outcome).await.unwrap();
                return if fate == Fate::Ends { Told::Done } else { Told::Failed };
            }
            Begun::Replay(row) if row.output_json.is_some() => return Told::Done,
            Begun::Replay(_) => return Told::Failed,
            Begun::Wait(waiter) => waiter.await,
            Begun::Ask(_) => return Told::InDoubt,
            other => panic!("{fate:?} meets {other:?}"),
        }
    }
}

#[test]
fn equal_calls_have_one_effect_in_any_order_of_ends_failures_and_deaths() {
    let rounds = tool_trials::rounds(20_000);
    let (ran, seen) = (Arc::new(AtomicU32::new(0)), Arc::new([const { AtomicU32::new(0) }; 4]));
    let (all, told) = (Arc::clone(&ran), Arc::clone(&seen));
    let round = move || {
        let (world, journal) = (Arc::new(World::default()), MemoryJournal::new());
        let fates: Vec<Fate> = (0..CALLS).map(|_| FATES[thread_rng().gen_range(0..FATES.len())]).collect();
        let calls: Vec<_> = fates
            .iter()
            .enumerate()
            .map(|(id, fate)| spawn(call(Arc::clone(&world), journal.another(), id, *fate)))
            .collect();
        // A call that waits for what does not come is a deadlock, which fails the model.
        let ends = block_on(async {
            let mut ends = Vec::new();
            for call in calls {
                ends.push(call.await.unwrap());
            }
            ends
        });
        let effects = world.effects.load(Ordering::SeqCst);
        assert!(effects <= 1, "{effects} effects: {fates:?} came to {ends:?}");
        let is_done = ends.contains(&Told::Done);
        assert!(!is_done || effects == 1, "{fates:?} came to {ends:?}");
        // Somebody died while it ran: nobody takes that for an end.
        let died = ends.contains(&Told::Died);
        assert!(!(died && is_done), "{fates:?} came to {ends:?}");
        assert!(died || !ends.contains(&Told::InDoubt), "{fates:?} came to {ends:?}");
        all.fetch_add(world.ran.load(Ordering::SeqCst), Ordering::SeqCst);
        for end in ends {
            told[end as usize].fetch_add(1, Ordering::SeqCst);
        }
    };
    let mut config = Config::new();
    config.stack_size = STACK;
    Runner::new(RandomScheduler::new(rounds), config).run(round);
    assert!(ran.load(Ordering::SeqCst) as usize >= rounds, "hardly a call ran: nothing is proved");
    let seen: Vec<u32> = seen.iter().map(|count| count.load(Ordering::SeqCst)).collect();
    assert!(seen.iter().all(|count| *count as usize > rounds / 10), "{seen:?}");
}
