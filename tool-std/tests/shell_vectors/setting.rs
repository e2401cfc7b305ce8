//! What a case finds: files, listeners, a secret of the program, and an attacker that no libc stands before.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::listeners::Listeners;

/// A static program that asks the kernel for sockets in ways that no libc knows; built once.
pub(crate) fn attacker() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<(tool_trials::Directory, PathBuf)>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let directory = tool_trials::directory();
        let (source, program) = (directory.path().join("attacker.c"), directory.path().join("attacker"));
        fs::write(&source, include_str!("../support/attacker.c")).unwrap();
        let status = Command::new("cc").args(["-static", "-O1", "-o"]).args([&program, &source]).status();
        status.is_ok_and(|status| status.success()).then_some((directory, program))
    });
    built.as_ref().map(|(_, program)| program.as_path())
}

/// A text in the program's environment that no command may see: Cargo sets one.
pub(crate) fn canary() -> String {
    std::env::var("CARGO_PKG_DESCRIPTION").unwrap_or_else(|_| "canary-5f1c0f8a7e".to_owned())
}

pub(crate) fn set_up(steps: &Value, listeners: &Listeners) {
    for step in steps.as_array().into_iter().flatten() {
        let word = |at: usize| step[at].as_str().unwrap_or_default();
        let parent = |path: &str| fs::create_dir_all(PathBuf::from(path).parent().unwrap()).unwrap();
        match word(0) {
            "write" => {
                parent(word(1));
                fs::write(word(1), word(2)).unwrap();
            }
            "mkdir" => fs::create_dir_all(word(1)).unwrap(),
            "symlink" => {
                parent(word(2));
                std::os::unix::fs::symlink(word(1), word(2)).unwrap();
            }
            "listen" => {}
            "unixlisten" => listeners.start_abstract(word(1)),
            other => panic!("setup {other}"),
        }
    }
}
