//! Random histories against a model: the journal does what the pure rules say, whatever comes in whatever order.

use std::collections::HashMap;
use std::sync::Arc;

use tool_core::ErrorKind;
use tool_core::journal::state::{self, Decision, Ended, Incoming};
use tool_core::journal::{
    Answer, Begun, Class, Journal, JournalError, Lease, Outcome, Resolution, ResolvedBy, Row, Status,
};

use super::{Bench, begin, call, failure};

/// How many operations a history has.
const OPERATIONS: usize = 8;

/// How many run at once, so that they share commits.
const TOGETHER: usize = 250;

/// A generator that a seed decides (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        let end = u64::try_from(values.len()).unwrap();
        values[usize::try_from(self.below(end)).unwrap()]
    }
}

pub(super) async fn random_histories_match_the_model(bench: &dyn Bench) {
    let seed = std::env::var("TOOL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x7001_0000);
    println!("histories: seed {seed}");
    let handles = [bench.open().await, bench.open().await];
    let wanted = bench.histories();
    for first in (0..wanted).step_by(TOGETHER) {
        let histories: Vec<_> = (first..wanted.min(first + TOGETHER))
            .map(|nth| {
                let handles = handles.clone();
                tokio::spawn(async move { history(&handles, u64::try_from(nth).unwrap(), seed).await })
            })
            .collect();
        for history in histories {
            history.await.unwrap();
        }
    }
}

/// What the model knows of a key.
#[derive(Default)]
struct Known {
    live: Option<Row>,
    lease: Option<Lease>,
    /// Leases of calls that were replaced.
    stale: Vec<Lease>,
}

async fn history(handles: &[Arc<dyn Journal>; 2], nth: u64, seed: u64) {
    let mut random = Random((seed ^ nth.wrapping_mul(0x9e37_79b9_7f4a_7c15)) | 1);
    let mut known: HashMap<&str, Known> = HashMap::new();
    let class = random.of(&[Class::Idempotent, Class::Reconcile, Class::Keyed, Class::Manual]);
    let mut log = Vec::new();
    for step in 0..OPERATIONS {
        let handle = &handles[usize::try_from(random.below(2)).unwrap()];
        let key = random.of(&["k", "l"]);
        let known = known.entry(key).or_default();
        match random.below(4) {
            0 | 1 => {
                let row = Row {
                    tenant: format!("history {nth}"),
                    attempt: u32::try_from(1 + random.below(2)).unwrap(),
                    args_sha256: random.of(&["same", "same", "same", "same", "other"]).to_owned(),
                    ..call(&format!("{nth}-{step}"), key, class)
                };
                log.push(format!("begin {key} attempt {} {}", row.attempt, row.args_sha256));
                begins(&**handle, known, row, &log).await;
            }
            2 => {
                let kind = random.of(&[
                    None,
                    None,
                    Some(ErrorKind::Failed),
                    Some(ErrorKind::Timeout),
                    Some(ErrorKind::NotFound),
                    Some(ErrorKind::RateLimited),
                    Some(ErrorKind::Cancelled),
                ]);
                log.push(format!("finish {key} {kind:?}"));
                finishes(&**handle, known, kind, &log).await;
            }
            _ => {
                let answer = random.of(&[
                    Resolution::Ok,
                    Resolution::Error,
                    Resolution::NotDone,
                    Resolution::Abandoned,
                ]);
                log.push(format!("reconcile {key} {answer:?}"));
                reconciles(&**handle, known, answer, &log).await;
            }
        }
    }
}

async fn begins(handle: &dyn Journal, known: &mut Known, row: Row, log: &[String]) {
    let incoming = Incoming { class: row.class, attempt: row.attempt, args_sha256: &row.args_sha256 };
    let (_, decision) = state::begin(known.live.as_ref(), incoming, true);
    let begun = handle.begin(begin(row.clone())).await.unwrap();
    match (decision, begun) {
        (Decision::Run | Decision::Rerun, Begun::Run(lease)) => {
            let recoveries = known
                .live
                .as_ref()
                .map_or(0, |old| old.recoveries + u32::from(old.status == Status::InDoubt));
            known.stale.extend(known.lease.replace(lease));
            known.live = Some(Row { status: Status::Intent, recoveries, ..row });
        }
        (Decision::Replay, Begun::Replay(first)) => {
            let live = known.live.as_ref().unwrap();
            assert_eq!((&first.call_id, &first.output_json), (&live.call_id, &live.output_json), "{log:?}");
        }
        (Decision::Reconcile, Begun::Reconcile(_, lease)) => {
            let live = known.live.as_mut().unwrap();
            live.recoveries += 1;
            known.stale.extend(known.lease.replace(lease));
        }
        (Decision::Wait, Begun::Wait(_)) | (Decision::Ask, Begun::Ask(_)) => {}
        (Decision::OtherArguments, Begun::Refuse(error)) => {
            assert_eq!(error.code_str(), "idempotency_conflict", "{log:?}");
        }
        (Decision::Abandoned, Begun::Refuse(error)) => assert_eq!(error.code_str(), "abandoned", "{log:?}"),
        (decision, begun) => panic!("{decision:?} became {begun:?}: {log:?}"),
    }
    if let Some(live) = &known.live {
        assert_eq!(super::row(handle, &live.call_id).await.recoveries, live.recoveries, "{log:?}");
    }
}

async fn finishes(handle: &dyn Journal, known: &mut Known, kind: Option<ErrorKind>, log: &[String]) {
    for stale in known.stale.drain(..) {
        assert_eq!(
            handle.finish(stale, Outcome::ok("0")).await.unwrap_err(),
            JournalError::Fenced,
            "{log:?}"
        );
    }
    let (Some(live), Some(lease)) = (&mut known.live, &known.lease) else { return };
    let ended = kind.map_or(Ended::Ok, |kind| Ended::Error { kind, says: None });
    let outcome = kind.map_or_else(|| Outcome::ok("\"done\""), |kind| failure(kind, None));
    let open = live.status.is_open() || live.status == Status::InDoubt;
    let written = handle.finish(lease.clone(), outcome.clone()).await;
    if !open {
        assert_eq!(written.unwrap_err(), JournalError::Fenced, "{log:?}");
        return;
    }
    let (status, effect) = state::finish(live.class, ended);
    let late = live.status == Status::InDoubt && status != Status::InDoubt;
    live.resolution = late.then_some(if status == Status::Ok { Resolution::Ok } else { Resolution::Error });
    live.status = if late { Status::Reconciled } else { status };
    live.effect = Some(effect);
    (live.output_json, live.error_json) = (outcome.output_json, outcome.error_json);
    live.retryable = outcome.retryable;
    let written = written.unwrap();
    assert_eq!(
        (written.status, written.resolution, written.effect, &written.output_json),
        (live.status, live.resolution, live.effect, &live.output_json),
        "{log:?}"
    );
}

async fn reconciles(handle: &dyn Journal, known: &mut Known, resolution: Resolution, log: &[String]) {
    let Some(live) = &mut known.live else { return };
    let answer = match resolution {
        Resolution::Ok => Answer::Done("\"found\"".to_owned()),
        Resolution::Error => Answer::Failed("{\"kind\":\"failed\"}".to_owned()),
        Resolution::NotDone => Answer::NotDone,
        Resolution::Abandoned => Answer::Abandoned,
    };
    let settled = handle.reconcile(live.call_id.clone(), answer.clone(), ResolvedBy::Person).await;
    if live.status != Status::InDoubt {
        assert_eq!(settled.unwrap_err(), JournalError::NotInDoubt, "{log:?}");
        return;
    }
    (live.status, live.resolution) = (Status::Reconciled, Some(resolution));
    match answer {
        Answer::Done(output) => (live.output_json, live.error_json) = (Some(output), None),
        Answer::Failed(error) => (live.output_json, live.error_json) = (None, Some(error)),
        _ => {}
    }
    assert_eq!(settled.unwrap().resolution, live.resolution, "{log:?}");
}
