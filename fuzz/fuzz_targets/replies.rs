//! Arbitrary JSON as the reply of a model, in every dialect: nothing panics, no reply has more calls than may be, and each has an id
//! and arguments or a reason why not.

#![no_main]

mod plans;

use libfuzzer_sys::fuzz_target;
use plans::PLANS;
use serde_json::Value;
use tool_core::dialect::Dialect as _;

fuzz_target!(|data: &[u8]| {
    let Ok(body) = serde_json::from_slice::<Value>(data) else { return };
    for (dialect, plan) in PLANS.iter() {
        match dialect.decode(plan, &body, 1) {
            Ok(reply) => {
                let mut ids: Vec<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
                ids.sort_unstable();
                ids.dedup();
                assert_eq!(ids.len(), reply.calls.len(), "{dialect}: two calls have one id");
            }
            Err(error) => assert!(!error.message().is_empty(), "{dialect}: refused without a reason"),
        }
    }
});
