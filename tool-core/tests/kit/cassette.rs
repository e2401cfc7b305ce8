//! Kits whose calls are recorded, and played again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use tool_core::Registry;
use tool_core::journal::CassetteMode;
use tool_core::prelude::*;
use tool_core::test::{KitBuilder, ToolKit};

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
