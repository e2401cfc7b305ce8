//! What is wrong, or not good, about the tools of a program, for `tools check` and `doctor`. (registry.md §11)
//!
//! The lints of the tools are tool-core's; what joins here is what a program knows besides: its command line, its policy and
//! the lock file of the package that it is started in.

use std::io::ErrorKind as Io;

use tool_core::contract::{self, CheckOptions, Finding, Level, Lock, check, compare, worst};
use tool_core::dialect::DialectId;

use crate::builtin::Program;
use crate::clash;

/// The manifest that a lock file stands beside.
const MANIFEST: &str = "Cargo.toml";

/// The word for every dialect.
const ALL: &str = "all";

/// Every finding, sorted, with the losses of the dialects of a word of [`dialects`].
pub(crate) fn findings(program: &Program, dialect: Option<&str>) -> Vec<Finding> {
    let registry = &program.registry;
    let wanted = |name: &str| dialect.is_some_and(|word| word == ALL || word == name);
    let dialects = DialectId::ALL.iter().filter(|row| wanted(row.1)).map(|row| row.0).collect();
    let mut findings = check(registry, &CheckOptions { dialects, ..CheckOptions::default() });
    let joined = clash::lint(registry).into_iter().chain(unconfirmed(program)).chain(lock(program));
    findings.extend(joined.filter(|finding| !finding.is_silenced(registry)));
    findings.sort();
    findings
}

/// The words for dialects.
#[cfg(test)]
pub(crate) fn dialects() -> Vec<&'static str> {
    DialectId::ALL.iter().map(|row| row.1).chain([ALL]).collect()
}

/// The lint `destructive-unconfirmed`: without a policy file a person is always asked.
fn unconfirmed(program: &Program) -> Vec<Finding> {
    let Some(sight) = &program.sight else { return Vec::new() };
    let destructive = program.registry.iter().filter(|tool| tool.def().behavior.destructive);
    let found = destructive.filter_map(|tool| {
        let agent = sight.never_asks(tool, &program.registry)?;
        let text =
            format!("it is destructive, and the policy lets the agent `{agent}` call it without asking");
        Some(Finding::of(tool, Level::Warning, "destructive-unconfirmed", contract::Hit::of_tool(text)))
    });
    found.collect()
}

/// The lints `lock-missing` and `lock-stale`, in the directory of a package.
fn lock(program: &Program) -> Option<Finding> {
    let manifest = std::fs::read_to_string(program.cwd.join(MANIFEST)).ok()?;
    if !manifest.lines().any(|line| line.trim() == "[package]") {
        return None;
    }
    let file = contract::FILE;
    let stale = |text: String| Some(Finding::of_set(Level::Warning, "lock-stale", text));
    let text = match Lock::load(&program.cwd.join(file)) {
        Ok(text) => text,
        Err(error) if error.kind() == Io::NotFound => {
            let text = format!("there is no {file} beside {MANIFEST}: write it with `tools lock`");
            return Some(Finding::of_set(Level::Warning, "lock-missing", text));
        }
        Err(error) => return stale(format!("{file} cannot be read: {}", error.kind())),
    };
    let was = match Lock::read(&text) {
        Ok(was) => was,
        Err(error) => return stale(error.message().to_owned()),
    };
    // Where a schema cannot be made, that is a finding of its own.
    let changes = compare(&was.tools, &Lock::of(&program.registry).ok()?.tools);
    let class = worst(&changes);
    let places = match changes.len() {
        1 => "one place".to_owned(),
        count => format!("{count} places"),
    };
    let text =
        format!("{file} differs in {places} ({class}): see `tools lock --check`, write it with `tools lock`");
    if changes.is_empty() { None } else { stale(text) }
}
