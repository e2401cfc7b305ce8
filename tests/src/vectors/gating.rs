//! The gate: whole snapshots, and what each agent sees or why not.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{Outcome, judge_all_in};
use serde_json::{Value, json};
use tool_core::args::Args;
use tool_core::def::{
    Cache, CapabilityDef, Doc, DynHandler, Handler, Origin, Run, SecretDef, Surface, Surfaces, ToolDef,
    ToolKeys,
};
use tool_core::{
    Agent, Executor, Gate, Reason, Registry, RowSource, Runtime, Snapshot, ToolError, explain, gate,
};

/// Fewer cases are a broken file.
const LEAST: usize = 40;

/// The capability that the fixture's tools ask for.
struct Database;

#[test]
fn vectors_gating() {
    judge_all_in(
        "gating",
        LEAST,
        |file| (file["fixtures"].clone(), registry(&file["fixtures"]["registry"])),
        |(fixtures, registry), case| outcome(case, fixtures, registry),
    );
}

fn outcome(case: &Value, fixtures: &Value, registry: &Registry) -> Outcome {
    let expect = &case["expect"];
    let snapshot = match (snapshot(&case["snapshot"], fixtures, registry), &expect["config_error"]) {
        (Ok(snapshot), Value::Null) => snapshot,
        (Err(error), Value::Object(wanted)) => {
            let got = json!({"kind": error.kind().as_str(), "code": error.code_str(), "slug": error.details()["slug"]});
            return same("config_error", &got, &Value::Object(wanted.clone()));
        }
        (Err(error), _) => return Err(format!("no snapshot: {error}")),
        (Ok(_), wanted) => return Err(format!("a snapshot instead of {wanted}")),
    };
    let executor = Executor::standard(registry.clone()).build().unwrap();
    let visible: Vec<&str> = executor.visible(&snapshot).iter().map(|tool| tool.name()).collect();
    same("visible", &json!(visible), &expect["visible"])?;

    let (mut hidden, mut otherwise, mut misconfigured) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    for tool in registry.iter().chain(snapshot.agent_tools().iter()) {
        let reasons = explain(tool, &snapshot);
        match gate(tool, &snapshot) {
            Gate::Visible if reasons.is_empty() => continue,
            Gate::Hidden(first) if reasons.first() == Some(&first) => {}
            other => return Err(format!("{}: gate says {other:?}, explain {reasons:?}", tool.name())),
        }
        if reasons[0].reason == Reason::SecretMissing {
            misconfigured.insert(tool.name());
        }
        if let [only] = &reasons[..]
            && matches!(only.reason, Reason::NotEnabled | Reason::HarnessNotInRuntime)
            && expect["hidden"].get(tool.name()).is_none()
        {
            otherwise.insert(tool.name());
            continue;
        }
        hidden.insert(tool.name(), reasons.iter().map(tool_core::Hidden::to_json).collect::<Vec<_>>());
    }
    same("hidden", &json!(hidden), &expect["hidden"])?;
    same("misconfigured", &json!(misconfigured), &expect["misconfigured"])?;
    let idle: Vec<&str> = snapshot.idle_rows(registry).map(|row| row.pattern().as_str()).collect();
    same("rows_without_effect", &json!(idle), &expect["rows_without_effect"])?;
    match &expect["hidden_otherwise"] {
        Value::Null if otherwise.is_empty() => Ok(()),
        wanted => same("hidden_otherwise", &json!(otherwise), wanted),
    }
}

fn same(what: &str, got: &Value, wanted: &Value) -> Result<(), String> {
    if got == wanted { Ok(()) } else { Err(format!("{what}\n   got {got}\n  want {wanted}")) }
}

pub(super) fn snapshot(given: &Value, fixtures: &Value, registry: &Registry) -> Result<Snapshot, ToolError> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let number = |value: &Value| u32::try_from(value.as_u64().unwrap()).unwrap();
    let surface = Surface::ALL.iter().find(|row| given["surface"] == row.1).map(|row| row.0);
    let agents = given.get("agents").unwrap_or(&fixtures["agents"]);
    let mut built = Snapshot::builder(text(&given["agent"]))
        .surface(surface)
        .runtime(Runtime {
            harness: list(&given["runtime"]["harness"]).iter().map(text).collect(),
            terminal: given["runtime"]["terminal"] == true,
        })
        .depth(number(&given["depth"]), number(&given["max_depth"]))
        .chain(list(&given["chain"]).iter().map(text))
        .agents(
            list(agents)
                .iter()
                .map(|agent| Agent { slug: text(&agent["slug"]), online: agent["online"] == true }),
        )
        .subset(given["subset"].as_array().map(|names| names.iter().map(text).collect()));
    for row in list(&given["rows"]) {
        let source = if row["source"] == "policy" { RowSource::Policy } else { RowSource::Manual };
        built = built.row(text(&row["pattern"]), source);
    }
    for (tag, on) in given["flags"].as_object().into_iter().flatten() {
        built = built.flag(tag, on == true);
    }
    for (key, value) in given["secrets"].as_object().into_iter().flatten() {
        if value.as_str().is_some_and(|value| !value.trim().is_empty()) {
            built = built.secret(key);
        }
    }
    for name in list(&given["capabilities"]) {
        assert_eq!(name, "Database");
        built = built.capability(TypeId::of::<Database>());
    }
    built.build(registry)
}

/// The registry of a fixture; its definitions live as long as the test's process.
pub(super) fn registry(tools: &Value) -> Registry {
    let tools = tools.as_array().unwrap();
    tools.iter().fold(Registry::builder(), |built, tool| built.add_def(definition(tool))).build().unwrap()
}

fn definition(tool: &Value) -> &'static ToolDef<'static> {
    let leak =
        |value: &Value| -> &'static str { Box::leak(value.as_str().unwrap().to_owned().into_boxed_str()) };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let tags: Vec<_> = list(&tool["tags"]).iter().map(leak).collect();
    let secret = |given: &Value| SecretDef {
        optional: given["optional"] == true,
        ..SecretDef::required(leak(&given["key"]))
    };
    let secrets: Vec<_> = list(&tool["secrets"]).iter().map(secret).collect();
    let capabilities: Vec<_> =
        list(&tool["capabilities"]).iter().map(|_| CapabilityDef::required::<Database>()).collect();
    let surfaces = Surface::ALL.iter().filter(|row| list(&tool["surfaces"]).contains(&json!(row.1)));
    let cache: &'static Cache = Box::leak(Box::new(Cache::new()));
    let new = ToolDef::new(
        leak(&tool["name"]),
        Doc::Text("A fixture."),
        Handler::Dynamic(&Nothing),
        Origin::DYNAMIC,
        cache,
    );
    let keys = ToolKeys {
        tags: Vec::leak(tags),
        secrets: Vec::leak(secrets),
        capabilities: Vec::leak(capabilities),
        surfaces: surfaces.fold(Surfaces::NONE, |set, row| set.with(row.0)),
        terminal: tool["terminal"] == true,
        timeout: Some(Duration::from_secs(5)),
        ..ToolKeys::NONE
    };
    let group = tool["group"].as_str().map(|_| leak(&tool["group"]));
    Box::leak(Box::new(ToolDef { group, keys: Box::leak(Box::new(keys)), ..new }))
}

/// A tool that does nothing.
pub(super) struct Nothing;

impl DynHandler for Nothing {
    fn enter(&self, args: &mut Args<'_>) -> Result<Run, ToolError> {
        args.finish()?;
        Ok(Run::blocking(|_| Ok(tool_core::ToolOutput::text("done"))))
    }
}
