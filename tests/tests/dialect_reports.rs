//! What the dialects tell of tools: of the standard ones, of one with everything that is hard to carry, and of the limits
//! that they know. (dialects.md §14, 3, 4, 7 and 10)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tests::captured;
use tool_cli::Cli;
use tool_core::dialect::{Dialect as _, DialectId, PlanOptions, StrictPolicy, limits};
use tool_core::prelude::*;
use tool_core::{Registry, ToolEntry};
use tool_std as _;

// ---- one tool with everything -------------------------------------------------------------------------------------------

/// A node of a tree.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Node {
    /// Its name.
    name: String,
    /// What is below it.
    #[serde(default)]
    children: Vec<Node>,
}

/// How much is taken.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(tag = "mode", rename_all = "snake_case")]
enum Take {
    /// The first lines.
    Head {
        /// How many.
        lines: u32,
    },
    /// Everything.
    All,
}

/// Takes whatever is hard to carry.
#[tool(register = false)]
fn take_all(
    /// Labels.
    labels: BTreeMap<String, u32>,
    /// A place and its name.
    place: (i64, String),
    /// Anything.
    #[arg(any)]
    filter: Value,
    /// A tree.
    tree: Node,
    /// Who has it; null is nobody.
    owner: Option<Option<String>>,
    #[arg(flatten)] take: Take,
) -> Value {
    json!([labels, place, filter, tree, owner, take])
}

fn issues(entry: &ToolEntry, dialect: DialectId, strict: bool) -> BTreeSet<(String, String)> {
    let compiled = dialect.compile(entry, strict).unwrap();
    let told = compiled.issues.iter().map(|issue| (issue.keyword.clone(), issue.action.as_str().to_owned()));
    told.collect()
}

#[test]
fn a_tool_with_everything_compiles_in_every_dialect_and_each_construct_is_named() {
    let registry = Registry::builder().add::<TakeAllTool>().build().unwrap();
    let entry = registry.get("take_all").unwrap();
    let keywords = |dialect, strict| -> BTreeSet<String> {
        issues(entry, dialect, strict).into_iter().map(|issue| issue.0).collect()
    };
    let all = |words: &[&str]| -> BTreeSet<String> { words.iter().map(|word| (*word).to_owned()).collect() };
    // The map, the tuple, the value, the kept null; and the recursion, which OpenAI generates.
    let openai = ["additionalProperties", "prefixItems", "type", "x-keep-null"];
    for dialect in [DialectId::OpenAiChat, DialectId::OpenAiResponses] {
        let told = keywords(dialect, true);
        assert!(told.is_superset(&all(&openai)), "{dialect}: {told:?}");
    }
    let told = keywords(DialectId::Anthropic, true);
    assert!(told.is_superset(&all(&["additionalProperties", "prefixItems", "type", "$ref"])), "{told:?}");
    for (dialect, _) in DialectId::ALL {
        let compiled = dialect.compile(entry, false).unwrap();
        let schema = compiled.schema.as_ref().unwrap();
        jsonschema::draft202012::meta::validate(schema).unwrap();
        assert!(compiled.wrapped, "{dialect}: a root that is a union is wrapped");
        let options = PlanOptions { strict: Some(StrictPolicy::Prefer), ..PlanOptions::default() };
        let plan = dialect.plan(&[entry], &options).unwrap();
        assert!(!plan.tools[0].strict(), "{dialect}");
        assert_eq!(dialect.tools(&plan).as_array().map(Vec::len), Some(1), "{dialect}");
        let refused = issues(entry, dialect, false).into_iter().find(|issue| issue.1 == "refused");
        assert_eq!(refused, None, "{dialect}");
    }
}

// ---- the standard tools -------------------------------------------------------------------------------------------------

fn run(words: &[&str]) -> (u8, String, String) {
    let registry = Registry::builder().discover().build().unwrap();
    assert!(registry.len() >= 18, "the standard tools are linked");
    captured::run(&Cli::new(registry).name("demo"), Path::new("/"), words)
}

#[test]
fn the_standard_tools_lose_nothing_in_silence() {
    let (code, told, _) = run(&["check", "--dialect", "all", "--format", "json"]);
    assert_eq!(code, 0, "{told}");
    let findings: Vec<Value> = serde_json::from_str(&told).unwrap();
    let lost: Vec<&Value> =
        findings.iter().filter(|finding| finding["id"].as_str().unwrap().starts_with("dialect-")).collect();
    let ends = |finding: &Value, word: &str| finding["text"].as_str().unwrap().ends_with(word);
    assert!(!lost.iter().any(|finding| ends(finding, "relaxed") || ends(finding, "refused")), "{lost:#?}");
    // One line for each issue and dialect.
    let registry = Registry::builder().discover().build().unwrap();
    let entries: Vec<&ToolEntry> = registry.iter().collect();
    for (dialect, name) in DialectId::ALL {
        let plan = dialect.plan(&entries, &PlanOptions::default()).unwrap();
        let id = format!("dialect-{name}");
        let count = lost.iter().filter(|finding| finding["id"] == id.as_str()).count();
        assert_eq!(count, plan.issues().count(), "{name}");
    }
    assert!(!lost.is_empty(), "a pattern or a bound is told in words somewhere");
}

#[test]
fn doctor_shows_the_table_of_limits_and_the_plan_of_each_dialect() {
    let (_, told, _) = run(&["doctor", "--format", "json"]);
    let report: Value = serde_json::from_str(&told).unwrap();
    let rows = report["dialects"]["limits"].as_array().unwrap();
    assert_eq!(rows.len(), limits::ALL.len());
    for (row, limit) in rows.iter().zip(limits::ALL) {
        assert_eq!((&row["name"], &row["source"]), (&json!(limit.name), &json!(limit.source)));
    }
    let plans = report["dialects"]["plans"].as_array().unwrap();
    assert_eq!(plans.len(), DialectId::ALL.len());
    for (plan, (_, name)) in plans.iter().zip(DialectId::ALL) {
        assert_eq!(plan["dialect"], name);
        assert!(plan["tools"].as_array().is_some_and(|tools| tools.len() >= 18), "{plan}");
        assert!(plan["used"]["tools"].is_u64(), "{plan}");
    }
    let (_, page, _) = run(&["doctor", "--limits", "-o", "text"]);
    for limit in limits::ALL {
        assert!(
            page.contains(&format!("limit {}", limit.name)) && page.contains(limit.source),
            "{}",
            limit.name
        );
    }
    let (_, brief, _) = run(&["doctor", "-o", "text"]);
    assert!(!brief.contains("limit OPENAI_TOOLS"), "{brief}");
}

#[test]
fn ten_processes_print_the_same_bytes() {
    let toolbox = tests::built::program("toolbox");
    for target in ["anthropic", "openai", "openai-responses", "gemini", "mcp", "mcp-2025-11-25"] {
        let print = || {
            let output =
                Command::new(&toolbox).args(["tools", "schema", "--target", target]).output().unwrap();
            assert!(output.status.success() && output.stdout.len() > 1_000, "{target}");
            output.stdout
        };
        let first = print();
        for _ in 1..10 {
            assert!(print() == first, "{target}");
        }
    }
}

// ---- the table of limits ------------------------------------------------------------------------------------------------

/// The lines of every file under `dialect/` but the table, without comments.
fn lines_beside_the_table() -> Vec<(PathBuf, String)> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../tool-core/src/dialect")];
    let mut lines = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if !path.ends_with("limits.rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.lines().map(|line| line.split("//").next().unwrap_or("").to_owned());
            lines.extend(code.map(|line| (path.clone(), line)));
        }
    }
    lines
}

#[test]
fn every_limit_has_its_page_and_date_and_stands_in_one_place() {
    for limit in limits::ALL {
        assert!(limit.source.contains("http"), "{}", limit.name);
        let date: Vec<&str> = limit.as_of.split('-').collect();
        assert!(matches!(date[..], [year, month] if year.len() == 4 && month.len() == 2), "{}", limit.name);
    }
    let numbers: BTreeSet<usize> = limits::ALL
        .iter()
        .map(tool_core::dialect::Limit::number)
        .filter(|number| *number != usize::MAX)
        .collect();
    let lines = lines_beside_the_table();
    assert!(lines.len() > 2_000, "the files of the dialects are there");
    for (path, line) in lines {
        let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for number in words.filter_map(|word| word.replace('_', "").parse::<usize>().ok()) {
            assert!(!numbers.contains(&number), "{}: {number} in {line}", path.display());
        }
    }
}
