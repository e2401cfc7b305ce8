//! The journal of a kit fails or dies at each of its writes: no effect without its intent, and none twice.

use tool_core::journal::{Journal as _, RowQuery, Status};
use tool_core::test::{FaultJournal, JournalWrite};

use super::*;

/// The letters that were sent.
#[derive(Default)]
struct Sent(AtomicU32);

/// Sends a letter.
#[tool(register = false, side_effect, idempotent = false)]
async fn send(ctx: &ToolContext, #[ctx] sent: &Sent) -> u32 {
    ctx.acts();
    sent.0.fetch_add(1, Ordering::SeqCst) + 1
}

fn kit(faults: FaultJournal) -> ToolKit {
    let tools = Registry::builder().add::<SendTool>().build().unwrap();
    ToolKit::of(tools).provide_new(Sent::default).journal_failing(faults).build()
}

fn sent(kit: &ToolKit) -> u32 {
    kit.context().require::<Sent>().unwrap().0.load(Ordering::SeqCst)
}

/// How the one row stands that is recorded, if one is.
async fn recorded(kit: &ToolKit) -> Option<Status> {
    kit.journal().rows(&RowQuery::default()).await.unwrap().pop().map(|row| row.status)
}

#[tokio::test]
async fn a_write_that_fails_loses_no_effect_and_doubles_none() {
    let seen = FaultJournal::counting();
    kit(seen.clone()).call("send", json!({})).await.unwrap();
    assert_eq!(seen.writes(), [JournalWrite::Begin, JournalWrite::Running, JournalWrite::Finish]);
    assert_eq!(seen.hit(), None);

    let whole = seen.writes();
    for (n, write) in whole.iter().enumerate() {
        let faults = FaultJournal::fail_at(n);
        let kit = kit(faults.clone());
        let result = kit.call("send", json!({})).await;
        assert_eq!(faults.hit(), Some(*write));
        match write {
            JournalWrite::Begin => {
                assert_eq!(result.unwrap_err().code_str(), "journal_unavailable");
                assert_eq!((sent(&kit), recorded(&kit).await), (0, None));
            }
            _ => {
                assert_eq!(sent(&kit), 1, "{write:?}");
                assert!(recorded(&kit).await.is_some(), "{write:?}: the intent is kept");
            }
        }
    }
}

#[tokio::test]
async fn where_the_journal_stops_another_process_finds_the_call_in_doubt() {
    for n in 0..3 {
        let faults = FaultJournal::stop_at(n);
        let kit = kit(faults.clone());
        let result = kit.call("send", json!({})).await;
        assert_eq!(faults.hit(), Some([JournalWrite::Begin, JournalWrite::Running, JournalWrite::Finish][n]));
        let (count, journal) = (sent(&kit), kit.journal().another());
        assert_eq!(count, u32::from(n > 0), "{result:?}");
        drop(kit);
        // It is nobody's any more.
        let lost = journal.mark_lost().await.unwrap();
        let lost: Vec<(&str, bool)> =
            lost.iter().map(|row| (row.tool_name.as_str(), row.status == Status::InDoubt)).collect();
        assert_eq!(lost, if n == 0 { vec![] } else { vec![("send", true)] });
    }
}
