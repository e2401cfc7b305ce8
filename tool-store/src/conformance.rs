//! One suite for every journal: what the pipeline relies upon, whatever the rows lie in. (journal.md §12)
//!
//! [`conformance!`](crate::conformance!) makes a test of each case. A backend gives a [`Bench`], which opens handles on one
//! journal; each handle is an owner of its own, as another process would be.

mod audit;
mod begin;
mod finish;
mod histories;
pub mod results;
mod rows;
mod settle;
mod together;
pub mod vectors;

use std::sync::Arc;

use tool_core::BoxFuture;
use tool_core::journal::{
    Begin, Begun, Class, Journal, Lease, Outcome, Resolution, ResolvedBy, Row, RowQuery, Status, Task,
};
use tool_core::{Effect, ErrorKind, ToolError};

/// Opens handles on one journal.
pub trait Bench: Send + Sync {
    /// A further handle: another owner.
    fn open(&self) -> BoxFuture<'_, Arc<dyn Journal>>;

    /// Lets the owner of a handle die, in the way this backend has; the default drops the handle.
    fn kill(&self, handle: Arc<dyn Journal>) -> BoxFuture<'_, ()> {
        drop(handle);
        Box::pin(std::future::ready(()))
    }

    /// How many random histories are held against the model.
    fn histories(&self) -> usize {
        10_000
    }
}

/// A journal in memory.
#[derive(Debug, Default)]
pub struct Memory(tool_core::journal::MemoryJournal);

impl Bench for Memory {
    fn open(&self) -> BoxFuture<'_, Arc<dyn Journal>> {
        Box::pin(std::future::ready(Arc::new(self.0.another()) as Arc<dyn Journal>))
    }
}

/// A case of the suite.
pub type Case = for<'b> fn(&'b dyn Bench) -> BoxFuture<'b, ()>;

macro_rules! cases {
    ($($module:ident { $($name:ident)* })*) => {
        /// Every case with its name.
        pub const CASES: &[(&str, Case)] = &[$($((stringify!($name), |bench| Box::pin($module::$name(bench))),)*)*];
    };
}

cases! {
    begin {
        a_new_key_runs
        the_first_call_of_an_attempt_has_number_one
        numbers_go_on_where_another_handle_stopped
        numbers_of_attempts_are_independent
        numbers_of_tasks_are_independent
        the_intent_is_there_before_the_effect
        the_intent_has_owner_lease_and_time
        a_finished_call_is_replayed
        a_replay_is_a_row_of_its_own
        a_replay_of_a_replay_gives_the_first_outcome
        a_failed_call_is_replayed_with_its_error
        other_arguments_conflict
        another_tool_may_have_the_same_key
        another_tenant_may_have_the_same_key
        a_running_call_is_waited_for
        the_wait_ends_with_the_outcome
        the_wait_ends_with_the_owner
        a_dead_owner_leaves_doubt_and_an_idempotent_call_runs_again
        a_dead_owner_leaves_doubt_and_a_keyed_call_runs_again
        a_dead_owner_leaves_doubt_and_a_manual_call_is_asked_about
        a_dead_owner_leaves_doubt_and_a_reconcilable_call_is_reconciled
        a_call_with_consent_runs_in_place_of_the_one_in_doubt
        consent_for_another_call_is_none
        a_rerun_supersedes_in_one_transaction
        a_rerun_carries_its_recoveries_over
        an_abandoned_call_is_refused
        a_former_name_is_met
        a_call_id_is_taken_once
        a_call_that_waited_for_an_answer_goes_on_in_its_row
        a_pure_call_always_runs
    }
    finish {
        an_outcome_is_there_when_it_is_acknowledged
        an_outcome_without_lease_is_fenced
        an_outcome_is_written_once
        a_fenced_outcome_changes_nothing
        a_superseded_call_cannot_finish
        an_unsafe_timeout_is_in_doubt
        an_idempotent_timeout_is_an_error
        a_cancelled_idempotent_call_is_cancelled
        a_reported_effect_beats_the_kind
        a_late_outcome_settles_the_doubt
        a_late_timeout_leaves_the_doubt
        running_is_noted
        a_promise_that_was_not_kept_is_noted
        the_kind_decides_whether_a_repeat_may_help
        cancel_and_finish_at_once_leave_one_outcome
        every_kind_of_every_class_is_recorded_by_the_table
    }
    settle {
        marking_twice_marks_nothing_more
        calls_of_the_living_are_not_marked
        marking_names_what_it_marked
        done_gives_the_outcome_to_later_calls
        failed_gives_the_error_to_later_calls
        not_done_lets_later_calls_run
        unknown_leaves_the_doubt
        a_try_to_settle_is_counted_before_it_is_made
        abandoned_ends_it
        what_is_not_in_doubt_cannot_be_settled
        an_unknown_call_cannot_be_settled
        who_settled_it_is_recorded
        settling_at_once_has_one_winner
        reverting_is_noted_and_comes_to_an_end
        undoing_a_call_is_a_call_of_its_own
        an_undoing_that_was_cut_off_is_given_up_by_the_next_one
        a_late_outcome_of_a_call_that_is_undone_is_fenced
    }
    audit {
        an_audit_row_is_written_with_the_outcome_and_not_without
        the_rounds_of_a_call_are_one_audit_row
        a_call_whose_owner_died_has_its_audit_row_from_who_finds_it
        a_lost_call_is_told_of_as_any_other
        audit_rows_are_found_by_each_question_the_newest_first
        audit_rows_go_after_ninety_days
    }
    rows {
        rows_are_in_the_order_of_numbers
        rows_are_found_by_each_question
        rows_are_found_by_what_the_replay_gate_asks
        pages_join_to_the_whole
        every_column_is_read_back
        large_values_are_whole
        unicode_is_kept
        a_read_is_recorded
        attempts_count_up
        attempts_go_on_behind_recorded_ones
        attempts_taken_at_once_differ
        consents_are_kept_with_their_task
        looking_through_finds_nothing_wrong
        a_head_kept_elsewhere_is_met
        a_head_that_never_was_is_not
        a_live_row_is_peeked_at
    }
    together {
        thirty_two_equal_calls_have_one_effect
        sixteen_handles_have_one_winner_per_key
        many_calls_have_many_numbers_without_gaps
        a_wait_survives_the_death_of_the_one_that_runs
    }
    histories {
        random_histories_match_the_model
    }
    vectors {
        vectors_of_steps_and_beginnings
    }
}

/// Makes a test that runs every case, each on a fresh bench: `conformance!(SETUP => |setup| BENCH)`. `SETUP` is an
/// `Option` of what all benches share; where it is `None` the test is skipped.
#[macro_export]
macro_rules! conformance {
    ($setup:expr => |$shared:ident| $bench:expr) => {
        /// Every case of the suite, on a journal of its own.
        #[test]
        fn conformance() {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            let wanted = std::env::var("TOOL_CASE").unwrap_or_default();
            let Some(shared) = $setup else { return };
            let $shared = &shared;
            let mut ran = 0;
            for (name, case) in $crate::conformance::CASES.iter().filter(|case| case.0.contains(&wanted)) {
                println!("{name}");
                let bench = $bench;
                runtime.block_on(case(&bench));
                ran += 1;
            }
            println!("conformance: {ran} cases");
            assert!(ran >= 60 || !wanted.is_empty(), "only {ran} cases");
        }
    };
}

/// A call of a side effect.
fn call(id: &str, key: &str, class: Class) -> Row {
    Row {
        run_id: "run".to_owned(),
        node_id: "node".to_owned(),
        attempt: 1,
        tool_name: "charge".to_owned(),
        input_json: "{\"amount\":5}".to_owned(),
        call_id: id.to_owned(),
        caller: "test".to_owned(),
        program: "test 1".to_owned(),
        call_key: key.to_owned(),
        tool_key: key.to_owned(),
        args_sha256: "args".to_owned(),
        input_complete: true,
        class,
        side_effect: Some(class != Class::Pure),
        idempotent: Some(!class.is_unsafe()),
        takes_key: matches!(class, Class::Keyed | Class::Idempotent),
        ..Row::default()
    }
}

fn later(row: Row, attempt: u32) -> Row {
    Row { attempt, ..row }
}

fn begin(row: Row) -> Begin {
    Begin { row, ..Begin::default() }
}

async fn met(journal: &dyn Journal, row: Row) -> Begun {
    journal.begin(begin(row)).await.expect("a decision")
}

async fn runs(journal: &dyn Journal, row: Row) -> Lease {
    match met(journal, row).await {
        Begun::Run(lease) => lease,
        other => panic!("expected a run, got {other:?}"),
    }
}

async fn row(journal: &dyn Journal, id: &str) -> Row {
    let query = RowQuery { call_id: Some(id.to_owned()), ..RowQuery::default() };
    journal.rows(&query).await.unwrap().pop().unwrap_or_else(|| panic!("no row {id}"))
}

/// A call that was begun by an owner who is dead, and that is marked.
async fn doubtful(bench: &dyn Bench, journal: &dyn Journal, row: Row) {
    let other = bench.open().await;
    runs(&*other, row).await;
    bench.kill(other).await;
    journal.mark_lost().await.unwrap();
}

fn failure(kind: ErrorKind, says: Option<Effect>) -> Outcome {
    let error = ToolError::new(kind, "It did not work.");
    Outcome::error(&match says {
        Some(effect) => error.effect(effect),
        None => error,
    })
}

fn task() -> Task {
    Task { run_id: "run".to_owned(), node_id: "node".to_owned(), ..Task::default() }
}

fn settled(row: &Row) -> (Status, Option<Resolution>, Option<ResolvedBy>) {
    (row.status, row.resolution, row.resolved_by)
}
