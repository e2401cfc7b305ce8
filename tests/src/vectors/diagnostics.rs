//! Wrong programs and what the compiler must say: every case is compiled by the real rustc against the built tool-core.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use serde::Deserialize;
use serde_json::Value;

use super::{Outcome, report};
use crate::built::AS_TESTED;

/// What stands in front of every source.
const PRELUDE: &str = "#![allow(unused)] use tool_core::prelude::*; struct Db; \
     #[derive(serde::Deserialize, schemars::JsonSchema)] struct Page { n: u32 }\n";

/// The crates that a source may name.
const CRATES: [&str; 4] = ["tool_core", "serde", "serde_json", "schemars"];

/// Fewer cases are a broken file.
const LEAST: usize = 70;

#[derive(Deserialize)]
struct Case {
    id: String,
    source: String,
    by: String,
    errors: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    message: String,
    at: String,
}

/// An error or warning of the compiler: the first line, and where its primary span starts in the source.
#[derive(Debug)]
struct Said {
    level: String,
    message: String,
    start: Option<usize>,
    /// Where the name of an attribute starts that the span covers whole: the compiler gives an attribute macro no token
    /// of its own name, only the span from `#[` on.
    attribute: Option<usize>,
}

#[test]
fn vectors_diagnostics() {
    let Some((cases, _)) = super::cases("diagnostics.json") else { return };
    if !tool_trials::can_build() {
        return;
    }
    let cases: Vec<Case> = cases.into_iter().map(|case| serde_json::from_value(case).unwrap()).collect();
    assert!(cases.len() >= LEAST, "{} cases", cases.len());
    report("vectors_diagnostics", compile_all(&cases));
}

/// What the compiler says of a body that does not parse: rustc's word, whatever the attribute is.
const BROKEN_BODIES: [(&str, &str); 4] = [
    ("let x = ; x", "expected expression, found `;`"),
    ("let x = 1 x", "expected one of"),
    ("match 1 { _ = 2 }", "expected one of"),
    ("1 + ", "expected expression, found `}`"),
];

#[test]
fn a_broken_body_and_a_bad_attribute_are_both_told_and_the_body_alone_by_rustc() {
    if !tool_trials::can_build() {
        return;
    }
    let compiler = Compiler::new();
    for (index, (body, rustc)) in BROKEN_BODIES.into_iter().enumerate() {
        let errors = |attribute: &str| {
            let source = format!("/// Counts.\n#[tool({attribute})]\nfn count() -> u32 {{ {body} }}");
            let id = format!("broken-body-{index}");
            let case = Case { id, source, by: String::new(), errors: Vec::new() };
            let said = compiler.compile(&case).into_iter().map(|said| (said.level, said.message));
            said.collect::<Vec<_>>()
        };
        let is_ours = |message: &str| message.starts_with("unknown key `grup` in `#[tool]`");
        let both = errors("grup = \"x\"");
        assert_eq!(both.iter().filter(|(_, message)| is_ours(message)).count(), 1, "{body}: {both:?}");
        assert_eq!(both.iter().filter(|(_, message)| message.contains(rustc)).count(), 1, "{body}: {both:?}");
        assert_eq!(both.len(), 2, "{body}: {both:?}");
        let alone = errors("group = \"x\"");
        assert!(
            matches!(&alone[..], [(level, message)] if level == "error" && message.contains(rustc)),
            "{alone:?}"
        );
    }
}

/// Compiles every case on all cores and returns what differs.
fn compile_all(cases: &[Case]) -> Vec<(String, Outcome)> {
    let compiler = Compiler::new();
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut outcomes = Vec::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            outcomes.push((case.id.clone(), compiler.outcome(case)));
        }
        outcomes
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// rustc with the crates that a source may name.
struct Compiler {
    externs: BTreeMap<String, PathBuf>,
    /// For the sources of one run.
    work: tool_trials::Directory,
}

impl Compiler {
    fn new() -> Compiler {
        let output = Command::new(env!("CARGO"))
            .args(AS_TESTED)
            .args(["--lib", "--message-format=json"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut externs = BTreeMap::new();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let message: Value = serde_json::from_str(line).unwrap();
            let name = message["target"]["name"].as_str().unwrap_or_default().replace('-', "_");
            let files = message["filenames"].as_array().into_iter().flatten().filter_map(Value::as_str);
            if let Some(library) = files.into_iter().find(|file| file.ends_with(".rlib"))
                && CRATES.contains(&name.as_str())
            {
                externs.insert(name, PathBuf::from(library));
            }
        }
        assert_eq!(externs.len(), CRATES.len(), "{externs:?}");
        Compiler { externs, work: tool_trials::directory() }
    }

    /// What the compiler says of a source.
    fn compile(&self, case: &Case) -> Vec<Said> {
        let file = self.work.path().join(format!("{}.rs", case.id));
        fs::write(&file, format!("{PRELUDE}{}", case.source)).unwrap();
        let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--edition=2024", "--crate-type=lib", "--crate-name=case", "--emit=metadata"]);
        rustc.arg("--error-format=json").arg("--out-dir").arg(self.work.path()).arg(&file);
        for (name, path) in &self.externs {
            rustc.arg("--extern").arg(format!("{name}={}", path.display()));
            rustc.arg("-L").arg(format!("dependency={}", path.parent().unwrap().join("deps").display()));
            rustc.arg("-L").arg(format!("dependency={}", path.parent().unwrap().display()));
        }
        let output = rustc.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .filter_map(|line| said(&line, &file, &case.source))
            .collect()
    }

    /// What the compiler says differently from what a case expects.
    fn outcome(&self, case: &Case) -> Outcome {
        let mut said = self.compile(case);
        let mut missing = Vec::new();
        for expected in &case.errors {
            let start = case.source.find(&expected.at);
            match said.iter().position(|said| fits(said, expected, start, &case.by)) {
                Some(found) => {
                    said.remove(found);
                }
                None => missing.push(format!("{:?} at {start:?}", expected.message)),
            }
        }
        match missing.is_empty() && said.is_empty() {
            true => Ok(()),
            false => Err(format!("missing {missing:#?}, besides {said:#?}")),
        }
    }
}

fn said(line: &Value, file: &Path, source: &str) -> Option<Said> {
    let level = line["level"].as_str()?.to_owned();
    let message = line["message"].as_str()?.lines().next().unwrap_or_default().to_owned();
    let worth = matches!(level.as_str(), "error" | "warning" | "error: internal compiler error");
    if !worth || message.starts_with("aborting due to") || message.ends_with("warning emitted") {
        return None;
    }
    let spans = line["spans"].as_array().into_iter().flatten();
    let start = spans
        .filter(|span| {
            span["is_primary"] == true && Path::new(span["file_name"].as_str().unwrap_or("")) == file
        })
        .filter_map(|span| span["byte_start"].as_u64())
        .filter_map(|start| usize::try_from(start).ok()?.checked_sub(PRELUDE.len()))
        .next();
    let attribute = start
        .filter(|start| source.get(*start..).is_some_and(|rest| rest.starts_with("#[")))
        .map(|start| start + 2);
    Some(Said { level, message, start, attribute })
}

fn fits(said: &Said, expected: &Expected, start: Option<usize>, by: &str) -> bool {
    let message = said.message.as_str();
    let same = match by {
        "rustc" => message.contains(&expected.message),
        "const" => message.strip_prefix("evaluation panicked: ") == Some(&expected.message),
        _ => message == expected.message,
    };
    said.level == "error" && same && (said.start == start || said.attribute == start)
}
