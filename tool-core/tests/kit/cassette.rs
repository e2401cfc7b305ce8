//! Kits whose calls are recorded, and played again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tool_core::journal::{Cassette, CassetteMode};
use tool_core::prelude::*;
use tool_core::test::{Case, KitBuilder, SurfaceUnderTest, Told, ToolKit};
use tool_core::{BoxFuture, Registry, ToolOutput};

#[derive(Default)]
struct Asked(AtomicU32);

/// Asks for a page.
#[tool(register = false)]
fn page(
    /** Which one. */
    number: u32,
    #[ctx] asked: &Arc<Asked>,
) -> String {
    asked.0.fetch_add(1, Ordering::SeqCst);
    format!("page {number}")
}

#[test]
fn what_a_call_came_to_is_played_again_without_the_tool() {
    let folder = tool_trials::directory();
    let path = folder.path().join("pages.jsonl");
    let asked = Arc::new(Asked::default());
    let kit = |mode| -> KitBuilder {
        let registry = Registry::builder().add::<PageTool>().build().unwrap();
        ToolKit::of(registry).provide(Arc::clone(&asked)).cassette(&path, mode)
    };
    let missing = catch_unwind(AssertUnwindSafe(|| drop(kit(CassetteMode::Replay).build()))).unwrap_err();
    assert!(missing.downcast_ref::<String>().unwrap().starts_with("the cassette: "));

    let told = |mode, number: u32| kit(mode).build().call_blocking("page", json!({"number": number}));
    assert_eq!(told(CassetteMode::Record, 3).unwrap().data(), "page 3");
    assert_eq!(asked.0.load(Ordering::SeqCst), 1);
    for mode in [CassetteMode::Replay, CassetteMode::Auto, CassetteMode::Strict] {
        assert_eq!(told(mode, 3).unwrap().data(), "page 3");
    }
    assert_eq!(told(CassetteMode::Replay, 4).unwrap_err().code_str(), "cassette_miss");
    assert_eq!(asked.0.load(Ordering::SeqCst), 1, "nothing else has run");
    assert_eq!(told(CassetteMode::Auto, 4).unwrap().data(), "page 4");
    assert_eq!(told(CassetteMode::Replay, 4).unwrap().data(), "page 4");
    assert_eq!(asked.0.load(Ordering::SeqCst), 2);
}

#[derive(Serialize, JsonSchema)]
struct Run {
    call_id: String,
    lines: Vec<Line>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    started_at_ms: u32,
    text: String,
}

/// Runs something, which is never the same.
#[tool(register = false)]
fn run_it(
    /// Whether it works.
    works: bool,
    #[ctx] asked: &Arc<Asked>,
) -> Result<ToolOutput, ToolError> {
    let time = asked.0.fetch_add(1, Ordering::SeqCst);
    if !works {
        let error = ToolError::failed("It stopped.").detail("call_id", time.to_string()).detail("line", 7);
        return Err(error);
    }
    let lines = vec![Line { started_at_ms: time, text: "one".to_owned() }];
    let run = serde_json::to_value(Run { call_id: time.to_string(), lines }).unwrap();
    let meta = Map::from_iter([("span".to_owned(), json!(time)), ("note".to_owned(), json!("kept"))]);
    Ok(ToolOutput { meta, ..ToolOutput::structured(run) })
}

#[test]
fn two_recordings_are_one_file_whatever_changes_from_run_to_run() {
    let folder = tool_trials::directory();
    let asked = Arc::new(Asked::default());
    let recorded = |name: &str| {
        let path = folder.path().join(name);
        let registry = Registry::builder().add::<RunItTool>().add::<PageTool>().build().unwrap();
        let kit =
            ToolKit::of(registry).provide(Arc::clone(&asked)).cassette(&path, CassetteMode::Record).build();
        kit.call_blocking("run_it", json!({"works": true})).unwrap();
        kit.call_blocking("run_it", json!({"works": false})).unwrap_err();
        kit.call_blocking("page", json!({"number": 2})).unwrap();
        kit.call_blocking("run_it", json!({"works": true})).unwrap();
        drop(kit);
        std::fs::read_to_string(path).unwrap()
    };
    let file = recorded("one.jsonl");
    assert_eq!(recorded("other.jsonl"), file);
    let lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let calls: Vec<_> =
        lines.iter().map(|line| (line["tool"].as_str().unwrap(), &line["args"], &line["ordinal"])).collect();
    // What is said as it is without being said is left out.
    let (works, fails) = (json!({"works": true}), json!({}));
    assert_eq!(
        calls,
        [
            ("page", &json!({"number": 2}), &json!(0)),
            ("run_it", &works, &json!(0)),
            ("run_it", &works, &json!(1)),
            ("run_it", &fails, &json!(0))
        ]
    );
    assert_eq!(lines[3]["result"]["error"]["details"], json!({"line": 7}));
    assert_eq!(lines[1]["result"]["meta"], json!({"note": "kept"}));
    let blank = json!({"call_id": "", "lines": [{"started_at_ms": 0, "text": "one"}]});
    assert_eq!(lines[1]["result"]["structured"], blank);
}

#[test]
fn a_miss_names_the_recorded_calls_that_are_nearest() {
    let folder = tool_trials::directory();
    let path = folder.path().join("pages.jsonl");
    let registry = || Registry::builder().add::<RunItTool>().add::<PageTool>().build().unwrap();
    let kit =
        |mode| ToolKit::of(registry()).provide(Arc::new(Asked::default())).cassette(&path, mode).build();
    let recording = kit(CassetteMode::Record);
    recording.call_blocking("run_it", json!({"works": true})).unwrap();
    for number in [1, 2, 3] {
        recording.call_blocking("page", json!({"number": number})).unwrap();
    }
    drop(recording);

    let missed = |tool: &str, args: Value| kit(CassetteMode::Replay).call_blocking(tool, args).unwrap_err();
    let near = |error: &ToolError| -> Vec<Value> {
        error.details()["nearest"].as_array().unwrap().iter().map(|near| near["tool"].clone()).collect()
    };
    let page = missed("page", json!({"number": 9}));
    assert_eq!(near(&page), ["page", "page", "page"]);
    assert_eq!(
        page.details()["nearest"][0],
        json!({"tool": "page", "args": {"number": 1}, "ordinal": 0, "diff": {"number": {"recorded": 1, "asked": 9}}})
    );
    assert!(page.message().starts_with(
        r#"page {"number":9} (number 0) is not on the cassette; the nearest recorded call is {"#
    ));
    assert_eq!(near(&missed("run_it", json!({"works": false})))[0], "run_it");
    // The same call once more than it was recorded.
    let again = kit(CassetteMode::Replay);
    again.call_blocking("page", json!({"number": 2})).unwrap();
    let again = again.call_blocking("page", json!({"number": 2})).unwrap_err();
    assert_eq!(again.details()["nearest"][0]["args"], json!({"number": 2}));
    assert_eq!(again.details()["nearest"][0]["diff"], json!({}));
}

#[test]
fn a_strict_cassette_fails_the_test_that_does_not_ask_for_all_of_it() {
    let folder = tool_trials::directory();
    let path = folder.path().join("pages.jsonl");
    let registry = || Registry::builder().add::<PageTool>().build().unwrap();
    let kit =
        |mode| ToolKit::of(registry()).provide(Arc::new(Asked::default())).cassette(&path, mode).build();
    let recording = kit(CassetteMode::Record);
    for number in [1, 2] {
        recording.call_blocking("page", json!({"number": number})).unwrap();
    }
    drop(recording);
    for mode in [CassetteMode::Replay, CassetteMode::Strict] {
        let ended = catch_unwind(AssertUnwindSafe(|| {
            kit(mode).call_blocking("page", json!({"number": 1})).unwrap();
        }));
        match mode {
            CassetteMode::Strict => {
                let told = ended.unwrap_err();
                let told = told.downcast_ref::<String>().unwrap();
                assert!(
                    told.contains("1 calls of ") && told.contains(r#"{"args":{"number":2},"ordinal":0,"#),
                    "{told}"
                );
            }
            _ => assert!(ended.is_ok()),
        }
    }
}

#[test]
fn a_file_that_cannot_be_used_is_told_by_its_place_and_kept() {
    let folder = tool_trials::directory();
    let at = |name: &str| folder.path().join(name);
    let opened = |name: &str, mode| {
        Cassette::open(at(name), mode).map(drop).map_err(|error| {
            (error.code_str().to_owned(), error.message().replace(&folder.path().display().to_string(), ""))
        })
    };
    let told = |code: &str, text: &str| Err((code.to_owned(), text.to_owned()));
    let line = r#"{"args":{"number":1},"ordinal":0,"result":{"content":[]},"tool":"page"}"#;
    std::fs::write(at("good"), format!("{line}\n\n")).unwrap();
    assert_eq!(opened("good", CassetteMode::Replay), Ok(()), "a blank line is none");
    std::fs::write(at("cut"), format!("{line}\n{}", &line[..30])).unwrap();
    for mode in [CassetteMode::Replay, CassetteMode::Auto, CassetteMode::Strict] {
        let (code, text) = opened("cut", mode).unwrap_err();
        assert_eq!(code, "bad_cassette");
        assert!(text.starts_with("/cut:2: EOF while parsing"), "{text}");
    }
    std::fs::write(at("other"), r#"{"tool":"page","ordinal":-1}"#).unwrap();
    let lacks = told("bad_cassette", "/other:1: `ordinal` is missing, or of another type");
    assert_eq!(opened("other", CassetteMode::Replay), lacks);

    std::fs::write(at("bytes"), b"\xff\xfex").unwrap();
    for mode in [CassetteMode::Auto, CassetteMode::Replay] {
        assert_eq!(opened("bytes", mode).unwrap_err().0, "bad_cassette");
    }
    assert_eq!(std::fs::read(at("bytes")).unwrap(), b"\xff\xfex", "what cannot be read is not written over");
    for mode in [CassetteMode::Auto, CassetteMode::Record] {
        let (code, text) = opened("no/such", mode).unwrap_err();
        assert_eq!(code, "cassette_unwritten");
        assert!(text.starts_with("The cassette /no/such cannot be written: "), "{text}");
    }
    // A kit that records and makes no call takes nothing from what another has recorded.
    assert_eq!(opened("good", CassetteMode::Record), Ok(()));
    assert_eq!(std::fs::read_to_string(at("good")).unwrap(), format!("{line}\n\n"));
}

/// A surface that makes no call.
struct Absent;

impl SurfaceUnderTest for Absent {
    fn name(&self) -> String {
        "absent".to_owned()
    }

    fn call<'a>(&'a self, _: &'a ToolKit, _: &'a Case<'a>) -> BoxFuture<'a, Option<Told>> {
        Box::pin(std::future::ready(None))
    }
}

#[test]
fn a_surface_that_makes_no_call_leaves_the_recording_of_the_others() {
    let folder = tool_trials::directory();
    let path = folder.path().join("pages.jsonl");
    let registry = Registry::builder().add::<PageTool>().build().unwrap();
    let kit = ToolKit::of(registry).provide(Arc::new(Asked::default()));
    let kit = kit.surfaces([Arc::new(Absent) as Arc<dyn SurfaceUnderTest>]);
    let called = |mode| {
        let kit = kit.clone().cassette(&path, mode).build();
        kit.everywhere("page", json!({"number": 5})).blocking().assert_same().unwrap().data()
    };
    assert_eq!(called(CassetteMode::Record), "page 5");
    assert_eq!(called(CassetteMode::Replay), "page 5");
}
