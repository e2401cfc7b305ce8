//! The way of somebody who writes a tool: an empty crate, one dependency, a tool, its tests, and a change that callers would not
//! survive. (issue of the contract; testing.md, acceptance 1)

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tests::fixture::Fixture;

const SOURCE: &str = r#"//! Shirts.

use schemars::JsonSchema;
use tool_core::prelude::*;

/// How large a shirt is.
#[derive(serde::Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    Small,
    Large,
}

/// Orders shirts of one size.
#[tool]
pub fn order_shirts(
    /// Their size.
    size: Size,
    /// Number of shirts.
    #[arg(range = 1..=9)]
    count: u32,
) -> u32 {
    match size {
        Size::Small => count,
        Size::Large => count * 2,
    }
}

tool_set! {
    /// The tools of this crate.
    pub static TOOLS = [OrderShirtsTool];
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tools_hold_what_they_promise() {
        tool_core::assert_tools!(&super::TOOLS);
        tool_core::lock!("tools.lock", &super::TOOLS);
    }
}
"#;

/// A change of the source, and what is said about it.
struct Change {
    what: &'static str,
    edits: &'static [(&'static str, &'static str)],
    told: &'static str,
}

const CHANGES: [Change; 6] = [
    Change {
        what: "a parameter has another name",
        edits: &[("count: u32", "number: u32"), ("=> count,", "=> number,"), ("=> count *", "=> number *")],
        told: "breaking param_removed order_shirts /count",
    },
    Change {
        what: "a range is narrower",
        edits: &[("1..=9", "1..=5")],
        told: "breaking input_narrowed order_shirts /count",
    },
    Change {
        what: "a parameter is new and required",
        edits: &[(") -> u32 {", "    /// Their colour.\n    colour: &str,\n) -> u32 {\n    let _ = colour;")],
        told: "breaking required_param_added order_shirts /colour",
    },
    Change {
        what: "it has an effect",
        edits: &[("#[tool]", "#[tool(side_effect, idempotent)]")],
        told: "breaking effect_added order_shirts",
    },
    Change {
        what: "a choice is gone",
        edits: &[("    Small,\n", ""), ("        Size::Small => count,\n", "")],
        told: "breaking input_narrowed order_shirts /size",
    },
    Change {
        what: "a text is another",
        edits: &[("Orders shirts of one size.", "Orders some shirts of one size.")],
        told: "text description_changed order_shirts",
    },
];

/// The crate, in a directory that goes with it.
struct Crate {
    directory: tool_trials::Directory,
}

impl Crate {
    fn new() -> Crate {
        let directory = tool_trials::directory();
        let root = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        let manifest = format!(
            "[package]\nname = \"shirts\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
             [dependencies]\nschemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\ntool-core = {{ path = {core:?} }}\n\n\
             [dev-dependencies]\ntool-core = {{ path = {core:?}, features = [\"test\"] }}\n\n[workspace]\n",
            core = root.join("tool-core"),
        );
        fs::create_dir(directory.path().join("src")).unwrap();
        fs::write(directory.path().join("Cargo.toml"), manifest).unwrap();
        // What this workspace was built with is here already; nothing else is asked for.
        fs::copy(root.join("Cargo.lock"), directory.path().join("Cargo.lock")).unwrap();
        Crate { directory }
    }

    fn lock(&self) -> PathBuf {
        self.directory.path().join("tools.lock")
    }

    /// Whether its tests pass, and what they say.
    fn test(&self, source: &str, update: bool) -> (bool, String) {
        fs::write(self.directory.path().join("src/lib.rs"), source).unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["test", "--quiet", "--lib", "--offline"]).current_dir(self.directory.path());
        cargo.env("CARGO_TARGET_DIR", Fixture("").target()).env_remove("CI").env_remove("UPDATE");
        if update {
            cargo.env("UPDATE", "1");
        }
        let output = cargo.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    }
}

#[test]
fn from_an_empty_crate_to_a_change_that_callers_would_not_survive() {
    if !tool_trials::can_build() {
        return;
    }
    let own = Crate::new();
    let (passes, said) = own.test(SOURCE, false);
    assert!(!passes && said.contains("tools.lock") && said.contains("UPDATE=1"), "{said}");
    let (passes, said) = own.test(SOURCE, true);
    assert!(passes, "{said}");
    let locked = fs::read_to_string(own.lock()).unwrap();
    let (passes, said) = own.test(SOURCE, false);
    assert!(passes, "{said}");

    for Change { what, edits, told } in CHANGES {
        let changed = edits.iter().fold(SOURCE.to_owned(), |source, (old, new)| {
            assert!(source.contains(old), "{what}: {old}");
            source.replacen(old, new, 1)
        });
        let (passes, said) = own.test(&changed, false);
        assert!(!passes && said.contains(told), "{what}: {told} is not in\n{said}");
        assert_eq!(fs::read_to_string(own.lock()).unwrap(), locked, "{what}");
    }
    let (passes, said) = own.test(SOURCE, false);
    assert!(passes, "nothing is left of the changes: {said}");
}
