//! Arbitrary bytes as a policy file, in both syntaxes: nothing panics, and what is refused has a reason.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tool_core::Registry;
use tool_policy::{Paths, Policy, Syntax};

static TOOLS: LazyLock<Registry> = LazyLock::new(|| {
    Registry::builder().add_set(&tool_std::file::FILE_TOOLS).build().expect("the tools for files")
});

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for syntax in [Syntax::Toml, Syntax::Yaml] {
        if let Err(error) = Policy::load("policy", &text, syntax, &TOOLS, Paths::new("/workspace")) {
            assert!(!error.mistakes.is_empty(), "refused without a reason");
        }
    }
});
