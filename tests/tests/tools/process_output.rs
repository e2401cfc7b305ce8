//! `process_output`.

use serde_json::json;
use tool_core::ErrorKind::InvalidArgs;
use tool_std::shell::{Processes, process_output};

use crate::commands::{self, process_kit};
use crate::common::{Case, Setting, Subject, fails, files, gives, place};
use crate::{effects, process_names, proofs, refusals};

const TOOL: Subject = Subject {
    tool: "process_output",
    files,
    cases,
    codes: &["process_not_found", "invalid_args"],
    varying: &[],
    kit: process_kit,
};

fn cases() -> Vec<Case> {
    let own = vec![
        gives(
            "what is there",
            json!({"process_id": "p1"}),
            json!({"process_id": "p1", "state": "running", "exit_code": null, "signal": null, "stdout": {"text": "one\ntwo\n", "next_offset": 8, "dropped_bytes": 0}, "stderr": {"text": "err\n", "next_offset": 4}}),
        ),
        gives(
            "from an offset",
            json!({"process_id": "p1", "stdout_offset": 4}),
            json!({"stdout": {"text": "two\n", "next_offset": 8}}),
        ),
        gives(
            "of the other stream",
            json!({"process_id": "p1", "stderr_offset": 2}),
            json!({"stderr": {"text": "r\n", "next_offset": 4}}),
        ),
        gives(
            "nothing new",
            json!({"process_id": "p1", "stdout_offset": 8, "stderr_offset": 4, "wait": 0.01}),
            json!({"state": "running", "stdout": {"text": "", "next_offset": 8}}),
        ),
        gives("a page", json!({"process_id": "p1"}), json!({"stdout": {"text": "one", "next_offset": 3}}))
            .limit("max_stream_bytes", 3),
        gives(
            "what is kept",
            json!({"process_id": "p1"}),
            json!({"stdout": {"text": "two\n", "next_offset": 8, "dropped_bytes": 4}}),
        )
        .limit("background_buffer_bytes", 4),
        fails(
            "another parameter",
            json!({"process_id": "p1", "pid": 1}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/pid: unknown; expected one of the parameters process_id, stdout_offset, stderr_offset, wait",
        ),
        fails(
            "a long wait",
            json!({"process_id": "p1", "wait": 30.5}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/wait: expected number 0.0..=30.0, got number 30.5",
        ),
        fails(
            "before the start",
            json!({"process_id": "p1", "stdout_offset": -1}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/stdout_offset: expected integer 0..=18446744073709551615, got integer -1",
        ),
    ];
    own.into_iter().chain(process_names::cases()).collect()
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let kit = process_kit(TOOL.setting()).build();
    let (sandbox, processes) = (commands::sandbox(&kit), commands::processes(&kit));
    let read = |owner: &Processes| effects::block_on(process_output("p1", 4, 0, 0.0, Some(owner), &sandbox));
    assert_eq!(read(&processes).unwrap().stdout.text, "two\n");
    assert_eq!(read(&Processes::new("nobody")).unwrap_err().code_str(), "process_not_found");
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
    let with = |name: &str, value: serde_json::Value| json!({"process_id": "p1", name: value});
    let bounds: [refusals::Bound; _] = [
        (with("wait", json!(0)), &[], None),
        (with("wait", json!(30)), &[], None),
        (with("wait", json!(30.001)), &[], Some("invalid_args")),
        (with("wait", json!(-0.001)), &[], Some("invalid_args")),
        (with("stdout_offset", json!(8)), &[], None),
        (with("stdout_offset", json!(9)), &[], None),
        (with("stderr_offset", json!(u64::MAX)), &[], None),
        (with("stderr_offset", json!(-1)), &[], Some("invalid_args")),
    ];
    refusals::bounds_hold(&TOOL, &bounds);
    // Text that is cut within a character goes on with it.
    let kit = commands::kit_with(files(), "printf 'grün\r\n'; echo err >&2; exec sleep 60");
    let args = json!({"process_id": "p1", "stdout_offset": 4});
    let page = kit.call_blocking("process_output", args).unwrap().data();
    assert_eq!(page["stdout"]["text"], "n\r\n");
}

// covers: 6
#[test]
fn it_only_reads() {
    let behavior = TOOL.def().behavior;
    assert!(!behavior.side_effect && !behavior.open_world);
    let kit = process_kit(TOOL.setting()).build();
    let read = || kit.call_blocking("process_output", json!({"process_id": "p1"})).unwrap().data();
    assert_eq!(read(), read());
    assert_eq!(place(&kit).files(), files());
}

// covers: 7
#[test]
fn a_process_that_failed_is_told_and_no_process_is_one_that_is_not_there() {
    for (script, code, signal) in [
        ("echo x >&2; exit 3", json!(3), json!(null)),
        ("echo x >&2; kill -KILL $$", json!(null), json!("SIGKILL")),
    ] {
        let kit = commands::kit_with(files(), script);
        let page = commands::read_to_the_end(&kit);
        assert_eq!((&page["state"], &page["exit_code"], &page["signal"]), (&json!("exited"), &code, &signal));
        assert_eq!(page["stderr"]["text"], "x\n");
    }
    commands::without_processes(&TOOL, &json!({"process_id": "p1"}));
}

// covers: 8
#[test]
fn it_does_nothing_that_could_be_left_half() {
    commands::no_operation_is_done(&TOOL, &json!({"process_id": "p1"}));
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    commands::a_wait_ends(
        &TOOL,
        &json!({"process_id": "p1", "stdout_offset": 8, "stderr_offset": 4, "wait": 30}),
    );
}

// covers: 10
#[test]
fn a_page_is_as_large_as_a_stream_may_be_and_older_bytes_are_counted() {
    for (limit, value, text, dropped) in [
        ("max_stream_bytes", 8, "one\ntwo\n", 0),
        ("max_stream_bytes", 7, "one\ntwo", 0),
        ("background_buffer_bytes", 7, "ne\ntwo\n", 1),
    ] {
        let setting = Setting { limits: vec![(limit, value)], ..TOOL.setting() };
        let page = TOOL.call(setting, &json!({"process_id": "p1"})).1.unwrap().data();
        assert_eq!(
            (&page["stdout"]["text"], &page["stdout"]["dropped_bytes"]),
            (&json!(text), &json!(dropped)),
            "{limit}"
        );
    }
}

// covers: 11
#[test]
fn the_pages_joined_are_what_was_written() {
    for size in 1..=8 {
        let setting = Setting { limits: vec![("max_stream_bytes", size)], ..TOOL.setting() };
        let kit = process_kit(setting).build();
        let (mut joined, mut offset) = (String::new(), json!(0));
        loop {
            let args = json!({"process_id": "p1", "stdout_offset": offset});
            let page = kit.call_blocking("process_output", args).unwrap().data();
            if page["stdout"]["text"] == "" {
                break;
            }
            joined += page["stdout"]["text"].as_str().unwrap();
            offset = page["stdout"]["next_offset"].clone();
        }
        assert_eq!((joined.as_str(), offset), ("one\ntwo\n", json!(8)), "{size}");
    }
}

// covers: 13
#[test]
fn another_owner_reads_nothing() {
    let kit = process_kit(TOOL.setting()).build();
    let other = commands::of_another_owner(&kit);
    let call = tool_core::Call::new(TOOL.tool, json!({"process_id": "p1"}));
    let told = kit.executor().call_blocking(call.clone(), &other, tool_core::Caller::Test);
    assert_eq!(told.unwrap_err().code_str(), "process_not_found");
    kit.executor().call_blocking(call, kit.context(), tool_core::Caller::Test).unwrap();
}
