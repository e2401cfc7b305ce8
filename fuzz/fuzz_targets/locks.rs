//! Arbitrary bytes as a lock file: nothing panics, what is refused says why, and what is read is written as it was read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_core::contract::Lock;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    match Lock::read(&text) {
        Ok(lock) => {
            let again =
                Lock::read(&lock.text().expect("a lock has a text")).expect("what was written is read");
            assert_eq!(again, lock);
        }
        Err(error) => assert!(!error.message().is_empty(), "refused without a reason"),
    }
});
