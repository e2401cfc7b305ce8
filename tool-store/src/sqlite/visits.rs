//! How much of a journal a call visits: as much of a long one as of a short one.

use rusqlite::{Connection, StatementStatus, params_from_iter};
use tool_core::journal::{Class, Journal as _, Row, RowQuery, Status, Task, Unprotected};

use super::{SqliteJournal, SqliteOptions};
use crate::sql::{self, Param, Statements};

/// The steps that SQLite takes for a statement.
fn steps(db: &Connection, sql: &str, params: &[Param]) -> i32 {
    let mut statement = db.prepare(sql).unwrap();
    let mut rows = statement.query(params_from_iter(params)).unwrap();
    while rows.next().unwrap().is_some() {}
    drop(rows);
    statement.get_status(StatementStatus::VmStep)
}

fn row(n: usize, owner: &str) -> Row {
    Row {
        run_id: "run".to_owned(),
        attempt: 1,
        tool_name: "pay".to_owned(),
        input_json: "{}".to_owned(),
        call_id: format!("call-{n}"),
        caller: "test".to_owned(),
        call_key: format!("key-{n}"),
        tool_key: format!("key-{n}"),
        args_sha256: format!("args-{n}"),
        class: Class::Manual,
        side_effect: Some(true),
        idempotent: Some(false),
        owner: Some(owner.to_owned()),
        status: Status::Ok,
        finished_at_ms: Some(0),
        ..Row::default()
    }
}

/// What a call asks of a journal with so many calls of its attempt: the steps of each question.
async fn asked(calls: usize) -> Vec<i32> {
    let folder = tool_trials::directory();
    let path = folder.path().join("journal.db");
    let journal = SqliteJournal::open(&path, SqliteOptions::default()).unwrap();
    (0..calls).for_each(|n| journal.record(row(n, journal.owner())));
    // What is queued before it is written by then.
    journal.next_attempt(&Task::default()).await.unwrap();
    let task = Some(Task { run_id: "run".to_owned(), ..Task::default() });
    let of_tool = RowQuery { task, tool: Some("pay".to_owned()), brief: true, ..RowQuery::default() };
    let equal = RowQuery { args_sha256: Some("args-7".to_owned()), ..of_tool.clone() };
    let of_attempt = RowQuery { attempt: Some(1), ..equal.clone() };
    let except = Some(journal.owner().to_owned());
    let unprotected = RowQuery { unprotected: Some(Unprotected { before: 1, except }), ..of_tool };
    let db = Connection::open(&path).unwrap();
    let place = |n| format!("?{n}");
    let questions = [equal, of_attempt, unprotected].map(|query| sql::select(&query, place));
    let statements = Statements::new(place);
    let text = |text: &str| Param::Text(text.to_owned());
    let live = (statements.live, vec![text(""), text("pay"), text("key-7")]);
    let of_attempt = vec![text(""), text("run"), text(""), Param::Int(0), Param::Int(1)];
    let last = (statements.last_seq, of_attempt);
    let questions = questions.into_iter().chain([live, last]);
    questions.map(|(sql, params)| steps(&db, &sql, &params)).collect()
}

#[tokio::test]
async fn what_a_call_asks_visits_as_much_of_a_long_run_as_of_a_short_one() {
    let (short, long) = (asked(20).await, asked(2_000).await);
    for (nth, (short, long)) in short.iter().zip(&long).enumerate() {
        assert!(*long <= short + 50, "question {nth}: {short} steps with 20 calls, {long} with 2,000");
    }
}
