//! What holds secrets, results or code is printed by its name and its sizes alone.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::sync::Arc;

use tool_core::journal::MemoryJournal;
use tool_core::prelude::*;
use tool_core::redact::KnownSecrets;
use tool_core::{
    AuditSettings, Executor, JournalAudit, MemoryResults, Parked, Registry, ResultScope, ResultStore as _,
    ShapeSettings,
};

/// Reads.
#[tool(register = false)]
fn look() -> u64 {
    1
}

const CANARY: &str = "sk-CANARY-4711-xyz";

#[test]
fn settings_stores_and_executors_show_no_content() {
    let secrets = Arc::new(KnownSecrets::new([("API_KEY", CANARY)]));
    let audit = AuditSettings { secrets: Arc::clone(&secrets), required: true, ..AuditSettings::default() };
    assert_eq!(format!("{audit:?}"), "AuditSettings { sinks: 0, required: true, .. }");

    let shape = ShapeSettings { secrets, ..ShapeSettings::default() };
    let told = format!("{shape:?}");
    assert!(told.starts_with("ShapeSettings { ") && told.contains("inline_limit: 10000"), "{told}");

    let kept = JournalAudit::new(Arc::new(MemoryJournal::new()));
    assert_eq!(format!("{kept:?}"), "JournalAudit");

    let results = MemoryResults::default();
    let scope = ResultScope { tenant: String::new(), run: "run".to_owned() };
    let result = Parked {
        text: CANARY.into(),
        media: "text/plain".to_owned(),
        tool: "rows".to_owned(),
        call_id: None,
        is_private: true,
    };
    results.put(&scope, result).unwrap();
    let held = format!("{results:?}");
    assert!(held.starts_with("MemoryResults { limits: "), "{held}");

    let builder = Executor::standard(Registry::builder().add::<LookTool>().build().unwrap());
    let (begun, built) = (format!("{builder:?}"), format!("{:?}", builder.build().unwrap()));
    assert_eq!(begun, "ExecutorBuilder { own_layers: 0, .. }");
    assert_eq!(built, r#"Executor { tools: 1, layers: ["decode", "run"], .. }"#);
    for text in [told, held, begun, built] {
        assert!(!text.contains(CANARY), "{text}");
    }
}
