//! Arbitrary lines of JSON as the events of a reply that comes in pieces, in every dialect: nothing panics, a call is told as ready
//! once, and the reply at the end has it just so.

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
                    ready.push(call);
                }
            }
        }
        let _ = assembler.body();
        let Ok(reply) = assembler.finish() else {
            assert!(ready.is_empty(), "{dialect}: {ready:?} were ready, and there is no reply");
            continue;
        };
        let mut calls = reply.calls.iter();
        for one in &ready {
            let told = (&one.id, &one.name, one.args.as_ref().ok());
            let kept = calls.any(|call| (&call.id, &call.name, call.args.as_ref().ok()) == told);
            assert!(kept, "{dialect}: {one:?} was ready, once more or not as it came in {:?}", reply.calls);
        }
    }
});
