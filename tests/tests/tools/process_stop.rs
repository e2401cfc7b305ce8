//! `process_stop`.

use serde_json::json;
use tool_core::ErrorKind::InvalidArgs;
use tool_core::journal::state::{self, Recovery};
use tool_core::journal::{Row, Status};
use tool_std::shell::{ProcessState, StopSignal, process_stop};

use crate::commands::{self, process_kit};
use crate::common::{Case, Subject, fails, files, gives, place};
use crate::{effects, process_names, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "process_stop",
    files,
    cases,
    codes: &["process_not_found", "invalid_args"],
    varying: &[],
    kit: process_kit,
};

fn cases() -> Vec<Case> {
    let own = vec![
        gives(
            "asked",
            json!({"process_id": "p1"}),
            json!({"process_id": "p1", "state": "stopped", "exit_code": null, "signal": "SIGTERM", "already_ended": false}),
        ),
        gives(
            "at once",
            json!({"process_id": "p1", "signal": "kill"}),
            json!({"state": "stopped", "exit_code": null}),
        ),
        gives(
            "as it is written",
            json!({"process_id": "p1", "signal": "TERM"}),
            json!({"state": "stopped", "signal": "SIGTERM"}),
        ),
        fails(
            "another parameter",
            json!({"process_id": "p1", "pid": 1}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/pid: unknown; expected one of the parameters process_id, signal",
        ),
        fails(
            "another signal",
            json!({"process_id": "p1", "signal": "hup"}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/signal: expected one of \"term\", \"kill\", got string \"hup\"",
        ),
        fails(
            "the number of one",
            json!({"process_id": "p1", "signal": 9}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/signal: expected one of \"term\", \"kill\", got integer 9",
        ),
    ];
    own.into_iter().chain(process_names::cases()).collect()
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let kit = process_kit(TOOL.setting()).build();
    let processes = commands::processes(&kit);
    let stop = || effects::block_on(process_stop("p1", StopSignal::Kill, Some(&processes))).unwrap();
    assert_eq!((stop().state, stop().already_ended), (ProcessState::Stopped, true));
}

// covers: 2
#[test]
fn its_examples_run() {
    proofs::examples_run(&TOOL);
}

// covers: 3
#[test]
fn its_cases_hold() {
    proofs::cases_hold(&TOOL);
}

// covers: 5
#[test]
fn every_surface_tells_the_same() {
    proofs::every_surface_tells_the_same(&TOOL);
}

// covers: 12
#[test]
fn help_names_everything() {
    proofs::help_names_everything(&TOOL);
}

// covers: 4
#[test]
fn its_bounds_hold() {
    let bounds: [refusals::Bound; _] = [
        (json!({"process_id": "p1"}), &[], None),
        (json!({"process_id": "p0"}), &[], Some("process_not_found")),
        (json!({"process_id": "p2"}), &[], Some("process_not_found")),
        (json!({"process_id": "p".repeat(100_000)}), &[], Some("process_not_found")),
        (json!({"process_id": ""}), &[], Some("process_not_found")),
        (json!({"process_id": "größe\r\n"}), &[], Some("process_not_found")),
    ];
    refusals::bounds_hold(&TOOL, &bounds);
}

// covers: 6
#[test]
fn it_ends_what_runs_and_doing_it_twice_is_doing_it_once() {
    let behavior = TOOL.def().behavior;
    assert!(behavior.side_effect && behavior.idempotent && !behavior.destructive && !behavior.open_world);
    let kit = process_kit(TOOL.setting()).build();
    let state =
        || kit.call_blocking("process_output", json!({"process_id": "p1"})).unwrap().data()["state"].clone();
    let stop = || kit.call_blocking("process_stop", json!({"process_id": "p1"})).unwrap().data();
    assert_eq!(state(), "running");
    let mut first = stop();
    assert_eq!((state(), &first["already_ended"]), (json!("stopped"), &json!(false)));
    first["already_ended"] = json!(true);
    assert_eq!(stop(), first);
    assert_eq!(place(&kit).files(), files());
}

// covers: 7
#[test]
fn a_process_that_does_not_listen_is_ended_and_no_process_is_one_that_is_not_there() {
    let kit = commands::kit_with(files(), "trap '' TERM; echo x >&2; while :; do sleep 1; done");
    let stopped = kit.call_blocking("process_stop", json!({"process_id": "p1"})).unwrap().data();
    assert_eq!((&stopped["state"], &stopped["signal"]), (&json!("stopped"), &json!("SIGKILL")));
    commands::without_processes(&TOOL, &json!({"process_id": "p1"}));
}

// covers: 8
#[test]
fn it_does_nothing_to_files_that_could_be_left_half() {
    commands::no_operation_is_done(&TOOL, &json!({"process_id": "p1"}));
}

// covers: 9
#[test]
fn it_is_over_soon_and_a_call_that_was_cancelled_stops_nothing() {
    commands::a_cancelled_call_does_nothing(&TOOL, &json!({"process_id": "p1"}));
}

// covers: 10
#[test]
fn a_name_that_is_too_long_is_cut_where_it_is_told() {
    let error = TOOL.result(&json!({"process_id": "p".repeat(100_000)})).unwrap_err();
    assert_eq!(error.message(), format!("There is no process {}.", "p".repeat(80)));
}

// covers: 13
#[test]
fn another_owner_ends_nothing() {
    let kit = process_kit(TOOL.setting()).build();
    let other = commands::of_another_owner(&kit);
    let call = tool_core::Call::new(TOOL.tool, json!({"process_id": "p1"}));
    let told = kit.executor().call_blocking(call.clone(), &other, tool_core::Caller::Test);
    assert_eq!(told.unwrap_err().code_str(), "process_not_found");
    let page = kit.call_blocking("process_output", json!({"process_id": "p1"})).unwrap().data();
    assert_eq!(page["state"], "running");
    kit.executor().call_blocking(call, kit.context(), tool_core::Caller::Test).unwrap();
}

// covers: 14
#[test]
fn after_a_crash_it_is_run_again_and_finds_it_done() {
    let kit = process_kit(TOOL.setting()).build();
    let stop = || kit.call_blocking("process_stop", json!({"process_id": "p1"})).unwrap().data();
    let first = stop();
    let row = effects::row(&kit);
    for status in [Status::Intent, Status::Running, Status::InDoubt] {
        let dead = Row { status, ..row.clone() };
        assert_eq!(state::recover(&dead, false), Recovery::Rerun, "{status:?}");
    }
    let again = stop();
    assert_eq!((&again["state"], &again["already_ended"]), (&first["state"], &json!(true)));
}
