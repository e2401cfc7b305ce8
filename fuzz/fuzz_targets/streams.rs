//! Arbitrary lines of JSON as the events of a reply that comes in pieces, in every dialect: nothing panics, a call is told as ready
//! once and after it has begun, and the reply at the end has each call that was ready.

#![no_main]

mod plans;

use libfuzzer_sys::fuzz_target;
use plans::PLANS;
use serde_json::Value;
use tool_core::dialect::{Dialect as _, StreamEvent};

fuzz_target!(|data: &[u8]| {
    let lines = data.split(|byte| *byte == b'\n');
    let events: Vec<Value> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    for (dialect, plan) in PLANS.iter() {
        let mut assembler = dialect.assembler(plan, 1);
        let mut ready = Vec::new();
        for event in &events {
            for told in assembler.feed(event) {
                if let StreamEvent::CallReady(call) = told {
                    ready.push(call.id);
                }
            }
        }
        let _ = assembler.body();
        if let Ok(reply) = assembler.finish() {
            let ids: Vec<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
            assert!(ready.len() <= ids.len(), "{dialect}: {ready:?} were ready, and {ids:?} came");
        }
    }
});
