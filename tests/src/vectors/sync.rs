//! The catalogue: registries that come and go, and the rows of agents through it all.

use std::collections::BTreeSet;

use super::{Outcome, judge_all};
use serde_json::{Map, Value, json};
use tool_core::ToolError;
use tool_core::catalogue::{Catalogue, Listed, SyncOptions, dormant_json};

/// Fewer cases are a broken file.
const LEAST: usize = 25;

#[test]
fn vectors_sync() {
    judge_all("sync", LEAST, outcome);
}

fn outcome(case: &Value) -> Outcome {
    let mut catalogue = Catalogue::default();
    let mut agents = BTreeSet::new();
    for (at, step) in case["steps"].as_array().unwrap().iter().enumerate() {
        let same = |what: &str, got: &Value, wanted: &Value| match got == wanted {
            true => Ok(()),
            false => Err(format!("step {at}: {what}\n   got {got}\n  want {wanted}")),
        };
        agents.extend(step["do"]["agent"].as_str());
        match (apply(&mut catalogue, &step["do"]), step.get("error")) {
            (Ok(report), None) => same("report", &report, &step["report"])?,
            (Err(error), Some(wanted)) => {
                let mut got = error.details().clone();
                got.insert("kind".to_owned(), json!(error.kind().as_str()));
                got.insert("code".to_owned(), json!(error.code_str()));
                same("error", &Value::Object(got), wanted)?;
            }
            (Ok(report), Some(wanted)) => return Err(format!("step {at}: {report} instead of {wanted}")),
            (Err(error), None) => return Err(format!("step {at}: {error}")),
        }
        let live = |live: bool| json!(if live { "live" } else { "retired" });
        let tools: Map<String, Value> =
            catalogue.tools.iter().map(|(name, tool)| (name.clone(), live(tool.1))).collect();
        let rows: Vec<Value> =
            catalogue.rows.iter().map(|row| json!([row.0, row.1, row.2.to_string()])).collect();
        same("state", &json!({"catalogue": tools, "rows": rows}), &step["state"])?;
        let granted: Map<String, Value> =
            agents.iter().map(|agent| ((*agent).to_owned(), json!(catalogue.granted(agent)))).collect();
        same("granted", &Value::Object(granted), &step["granted"])?;
    }
    Ok(())
}

fn apply(catalogue: &mut Catalogue, step: &Value) -> Result<Value, ToolError> {
    let text = |key: &str| step[key].as_str().unwrap_or_default();
    match text("op") {
        "sync" => {
            let registry: Vec<Listed> = step["registry"].as_array().unwrap().iter().map(listed).collect();
            let options = SyncOptions {
                prune: step["prune"] == true,
                dry_run: step["dry_run"] == true,
                allow_empty: step["allow_empty"] == true,
            };
            Ok(catalogue.sync(&registry, options)?.to_json())
        }
        "enable" => Ok(json!({"changed": catalogue.enable(text("agent"), text("pattern"))?})),
        "disable" => {
            let (changed, still) = catalogue.disable(text("agent"), text("pattern"))?;
            let mut report = json!({"changed": changed});
            if !still.is_empty() {
                report["still_enabled_by"] =
                    still.iter().map(|row| json!([row.1, row.2.to_string()])).collect();
            }
            Ok(report)
        }
        "skill_on" => {
            let tools: Vec<String> = serde_json::from_value(step["tools"].clone()).unwrap();
            let allow = step["allow_missing"] == true;
            let rows = catalogue.skill_on(text("agent"), text("skill"), &tools, allow)?;
            let dormant: Vec<Value> =
                catalogue.dormant().filter(|row| rows.contains(row)).map(dormant_json).collect();
            let mut report = json!({"rows": rows.len()});
            if !dormant.is_empty() {
                report["warnings"] = json!(dormant);
            }
            Ok(report)
        }
        "skill_off" => Ok(json!({"rows": catalogue.skill_off(text("agent"), text("skill"))?.len()})),
        other => panic!("unknown operation {other}"),
    }
}

fn listed(tool: &Value) -> Listed {
    let list = |key: &str| -> Vec<String> {
        tool.get(key).map(|list| serde_json::from_value(list.clone()).unwrap()).unwrap_or_default()
    };
    Listed {
        name: tool["name"].as_str().unwrap().to_owned(),
        aliases: list("aliases"),
        group: tool["group"].as_str().map(str::to_owned),
        tags: list("tags"),
        fingerprint: tool["fp"].as_str().unwrap_or("1").to_owned(),
    }
}
