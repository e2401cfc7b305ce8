//! `process_list`.

use serde_json::{Value, json};
use tool_core::ErrorKind::InvalidArgs;
use tool_std::shell::{ProcessState, process_list};

use crate::commands::{self, process_kit, shell_kit};
use crate::common::{Case, Subject, fails, files, gives, place};
use crate::proofs;

const TOOL: Subject =
    Subject { tool: "process_list", files, cases, codes: &["invalid_args"], varying: &[], kit: shell_kit };

fn cases() -> Vec<Case> {
    vec![
        gives("nothing was started", json!({}), json!({"processes": []})),
        fails(
            "a parameter",
            json!({"limit": 1}),
            InvalidArgs,
            "invalid_args",
            "1 argument does not fit.\n/limit: unknown; expected no parameters",
        ),
    ]
}

// covers: 1
#[test]
fn the_function_is_plain_rust() {
    let kit = process_kit(TOOL.setting()).build();
    let list = process_list(Some(&commands::processes(&kit)));
    assert_eq!((list.processes.len(), list.processes[0].state), (1, ProcessState::Running));
    assert_eq!(process_list(None).processes, []);
}

// covers: 2
#[test]
fn its_examples_run() {
    proofs::examples_run(&TOOL);
}

// covers: 3
#[test]
fn its_cases_hold() {
    proofs::cases_hold_of(&TOOL, 2);
    // It has no parameters: what it tells is by what was started.
    let cases = [
        ("echo x >&2; true", "exited"),
        ("echo x >&2; exit 1", "exited"),
        ("echo x >&2; exit 255", "exited"),
        ("echo x >&2; kill -TERM $$", "exited"),
        ("echo x >&2; kill -KILL $$", "exited"),
        ("echo x >&2; exec sleep 60", "running"),
        ("echo größe >&2; exec sleep 60", "running"),
        ("printf '\\r\\n' >&2; exec sleep 60", "running"),
        ("printf '\\377' >&2; exec sleep 60", "running"),
        ("echo x >&2; exec cat", "exited"),
        ("cd src; echo x >&2; exec sleep 60", "running"),
        ("trap '' TERM; echo x >&2; while :; do sleep 1; done", "running"),
    ];
    for (script, state) in cases {
        let kit = commands::kit_with(files(), script);
        if state == "exited" {
            commands::read_to_the_end(&kit);
        }
        let list = kit.call_blocking("process_list", json!({})).unwrap().data();
        let expected = json!({"processes": [{"process_id": "p1", "argv": ["sh", "-c", script], "cwd": ".", "state": state}]});
        assert!(tool_core::test::says_all_of(&expected, &list), "{script}: {list}");
        assert_eq!(list["processes"][0]["cpu_ms"].is_null(), state == "running", "{script}");
    }
}

// covers: 4
#[test]
fn it_lists_none_and_many() {
    for count in [0, 1, 8] {
        let kit = shell_kit(TOOL.setting()).build();
        for _ in 0..count {
            let args = json!({"cmd": "sleep", "args": ["60"], "background": true});
            commands::started(&kit, args);
        }
        let list = kit.call_blocking("process_list", json!({})).unwrap().data();
        let ids: Vec<&Value> =
            list["processes"].as_array().unwrap().iter().map(|row| &row["process_id"]).collect();
        assert_eq!(
            ids,
            (1..=count).map(|n| json!(format!("p{n}"))).collect::<Vec<_>>().iter().collect::<Vec<_>>()
        );
    }
}

// covers: 5
#[test]
fn every_surface_tells_the_same() {
    proofs::every_surface_tells_the_same(&TOOL);
}

// covers: 6
#[test]
fn it_only_reads() {
    let behavior = TOOL.def().behavior;
    assert!(!behavior.side_effect && !behavior.open_world);
    let kit = process_kit(TOOL.setting()).build();
    let read = || {
        let mut list = kit.call_blocking("process_list", json!({})).unwrap().data();
        list["processes"][0].as_object_mut().unwrap().remove("duration_ms");
        list
    };
    assert_eq!(read(), read());
    assert_eq!(place(&kit).files(), files());
}

// covers: 7
#[test]
fn without_processes_there_are_none() {
    let ctx = tool_core::ToolContext::empty();
    let registry = tool_core::Registry::builder().add::<tool_std::shell::ProcessListTool>().build().unwrap();
    let executor = tool_core::Executor::standard(registry).build().unwrap();
    let call = tool_core::Call::new("process_list", json!({}));
    let list = executor.call_blocking(call, &ctx, tool_core::Caller::Test).unwrap().data();
    assert_eq!(list, json!({"processes": []}));
}

// covers: 8
#[test]
fn it_does_nothing_that_could_be_left_half() {
    commands::no_operation_is_done(&TOOL, &json!({}));
}

// covers: 9
#[test]
fn it_ends_when_it_is_told() {
    commands::a_cancelled_call_does_nothing(&TOOL, &json!({}));
}

// covers: 10
#[test]
fn no_more_than_the_most_are_started_and_so_listed() {
    let kit =
        shell_kit(crate::common::Setting { limits: vec![("max_background", 2)], ..TOOL.setting() }).build();
    let start = || commands::try_start(&kit, json!({"cmd": "sleep", "args": ["60"], "background": true}));
    assert!(start().is_ok() && start().is_ok());
    assert_eq!(start().unwrap_err().code_str(), "too_many_processes");
    let list = kit.call_blocking("process_list", json!({})).unwrap().data();
    assert_eq!(list["processes"].as_array().unwrap().len(), 2);
}

// covers: 12
#[test]
fn help_names_everything() {
    proofs::help_names_everything(&TOOL);
}

// covers: 13
#[test]
fn another_owner_sees_nothing() {
    let kit = process_kit(TOOL.setting()).build();
    let other = commands::of_another_owner(&kit);
    let call = tool_core::Call::new(TOOL.tool, json!({}));
    let told = kit.executor().call_blocking(call.clone(), &other, tool_core::Caller::Test);
    assert_eq!(told.unwrap().data(), json!({"processes": []}));
    kit.executor().call_blocking(call, kit.context(), tool_core::Caller::Test).unwrap();
}
