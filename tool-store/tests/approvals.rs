//! Approvals in the journal's file: they outlast the process, are bound to exact arguments, and can be decided later and taken
//! back. (calls.md §5)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{
    ApprovalId, ApprovalLevel, ApprovalRequest, ApprovalState, Approvals as _, Approver, BoxFuture, Call,
    Caller, Decision, Executor, Registry,
};
use tool_store::{LazyJournal, SqliteJournal, SqliteOptions, StoredApprovals};

/// Deletes.
#[tool(destructive, idempotent, register = false)]
fn remove(
    /// What to delete.
    id: u64,
    /// A password.
    #[arg(secret)]
    password: Option<String>,
) -> u64 {
    drop(password);
    id
}

struct Answers(Decision);

impl Approver for Answers {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest<'a>) -> BoxFuture<'a, Decision> {
        let decision = match &self.0 {
            Decision::Pending(_) => Decision::Pending(ApprovalId(format!("ap_{:.16}", request.hash))),
            other => other.clone(),
        };
        Box::pin(std::future::ready(decision))
    }
}

/// A process with this journal: what it answers to the call.
fn remove_in(journal: &Path, decision: Decision, args: serde_json::Value) -> Result<(), String> {
    let stored = StoredApprovals(Arc::new(LazyJournal::new(journal, SqliteOptions::default())));
    let registry = Registry::builder().add::<RemoveTool>().build().unwrap();
    let executor = Executor::standard(registry)
        .approve(ApprovalLevel::Destructive)
        .approvals(stored, [0; 32])
        .build()
        .unwrap();
    let ctx = ToolContext::builder().approver(Answers(decision)).build();
    let result = executor.call_blocking(Call::new("remove", args), &ctx, Caller::Test);
    result.map(drop).map_err(|error| error.code_str().to_owned())
}

fn no() -> Decision {
    Decision::Deny { reason: None }
}

#[test]
fn consent_for_good_outlasts_the_process_until_it_is_revoked_and_holds_for_these_arguments_alone() {
    let folder = tool_trials::directory();
    let journal = folder.path().join("journal.db");
    let (one, other) = (json!({"id": 1}), json!({"id": 2}));
    assert_eq!(remove_in(&journal, Decision::AllowAlways, one.clone()), Ok(()));
    assert_eq!(remove_in(&journal, no(), one.clone()), Ok(()));
    assert_eq!(remove_in(&journal, no(), other), Err("approval_denied".to_owned()));
    let store = SqliteJournal::open(&journal, SqliteOptions::default()).unwrap();
    let all = store.list().unwrap();
    assert_eq!((all.len(), &all[0].state), (1, &ApprovalState::Always));
    assert_eq!(all[0].args, one, "whoever looks at it sees what it is about");
    assert!(store.revoke(&all[0].id).unwrap());
    assert!(!store.revoke(&all[0].id).unwrap());
    drop(store);
    assert_eq!(remove_in(&journal, no(), one), Err("approval_denied".to_owned()));
}

#[test]
fn a_question_can_be_answered_later() {
    let folder = tool_trials::directory();
    let journal = folder.path().join("journal.db");
    let pending = || Decision::Pending(ApprovalId(String::new()));
    let (args, later) = (json!({"id": 1}), Err("approval_pending".to_owned()));
    for (answer, then) in [
        (ApprovalState::Once, Ok(())),
        (ApprovalState::Denied { reason: Some("no".to_owned()) }, Err("approval_denied".to_owned())),
    ] {
        assert_eq!(remove_in(&journal, pending(), args.clone()), later);
        let store = SqliteJournal::open(&journal, SqliteOptions::default()).unwrap();
        let id = store.list().unwrap().remove(0).id;
        assert!(store.decide(&id, answer).unwrap());
        drop(store);
        assert_eq!(remove_in(&journal, no(), args.clone()), then);
        assert_eq!(remove_in(&journal, pending(), args.clone()), later, "it was for one call");
        let store = SqliteJournal::open(&journal, SqliteOptions::default()).unwrap();
        assert!(store.revoke(&id).unwrap());
    }
}

#[test]
fn no_secret_is_in_the_file_and_another_one_asks_again() {
    let folder = tool_trials::directory();
    let journal = folder.path().join("journal.db");
    let with = |password: &str| json!({"id": 1, "password": password});
    assert_eq!(remove_in(&journal, Decision::AllowAlways, with("canary-5f1c")), Ok(()));
    assert_eq!(remove_in(&journal, no(), with("canary-5f1c")), Ok(()));
    assert_eq!(remove_in(&journal, no(), with("canary-5f1d")), Err("approval_denied".to_owned()));
    let store = SqliteJournal::open(&journal, SqliteOptions::default()).unwrap();
    assert_eq!(store.list().unwrap()[0].args, json!({"id": 1, "password": {"$redacted": "secret"}}));
    for file in std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()) {
        if file.is_file() {
            let bytes = std::fs::read(&file).unwrap();
            assert!(!bytes.windows(11).any(|part| part == b"canary-5f1c"), "{}", file.display());
        }
    }
}

#[test]
fn questions_and_answers_that_nobody_takes_are_forgotten_and_consent_for_good_is_not() {
    let folder = tool_trials::directory();
    let store = SqliteJournal::open(folder.path().join("journal.db"), SqliteOptions::default()).unwrap();
    let life = i64::try_from(tool_core::APPROVAL_LIFE.as_millis()).unwrap();
    let put = |hash: &str, state: ApprovalState, age: i64| {
        let (id, hash) = (ApprovalId(format!("ap_{hash}")), hash.to_owned());
        let (tenant, agent, tool) = (String::new(), "bot".to_owned(), "remove".to_owned());
        let (args, at_ms) = (json!({"id": 1}), tool_core::journal::now_ms() - age);
        store.put(tool_core::Approval { id, hash, tenant, agent, tool, args, state, at_ms }).unwrap();
    };
    put("always", ApprovalState::Always, 2 * life);
    put("once", ApprovalState::Once, life - 60_000);
    put("denied", ApprovalState::Denied { reason: None }, life + 1);
    put("asked", ApprovalState::Pending, life + 1);
    assert!(store.find("denied").unwrap().is_none() && store.find("asked").unwrap().is_none());
    assert!(store.find("always").unwrap().is_some() && store.find("once").unwrap().is_some());
    put("new", ApprovalState::Pending, 0);
    let left: Vec<String> = store.list().unwrap().into_iter().map(|approval| approval.hash).collect();
    assert_eq!(left, ["always", "new", "once"]);
}
