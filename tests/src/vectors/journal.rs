//! The cases of journal.json, each by the code that decides it: the pure rules here, faults by [`super::journal_faults`].

use serde_json::{Value, json};
use tool_core::args::{Args, Coerce};
use tool_core::canonical;
use tool_core::def::{Cache, ToolDef, ToolKeys};
use tool_core::journal::chain::{self, Entry, Head};
use tool_core::journal::key::{self, Named, Pepper, Place};
use tool_core::journal::replay_gate::{ReplayConsent, ReplayGate, replay_gate};
use tool_core::journal::revert;
use tool_core::journal::state::{self, Decision, Ended, Event, Incoming, Refusal, Step};
use tool_core::journal::{
    Class, EffectWithoutContext, Equal, Handle, Ordinals, Reconciled, Resolution, ResolvedBy, RevertStatus,
    Row, Status, Word,
};
use tool_core::registry::AnyTool;
use tool_core::{Behavior, DynTool, Effect, ErrorKind};

use super::judge_all_in;
use super::{journal_faults, journal_stored};

/// Fewer cases mean that the file was cut.
const LEAST: usize = 264;

type Checked = Result<(), String>;

#[test]
fn vectors_journal() {
    let tool = |file: &Value| tool(&file["fixtures"]["tool"]);
    judge_all_in("journal", LEAST, tool, |tool, case| match case["group"].as_str() {
        Some("canonical") => canonical_case(case),
        Some("arguments") => arguments_case(tool, case),
        Some("key") => key_case(case),
        Some("effect_key") => {
            same(key::effect_key(text(case, "key"), text(case, "step")), &case["effect_key"])
        }
        Some("explicit_key") => explicit_case(case),
        Some("ordinal") => ordinal_case(case),
        Some("seq") => journal_stored::seq_case(case),
        Some("seq_order") => journal_stored::seq_order_case(case),
        Some("class") => class_case(case),
        Some("finish") => finish_case(case),
        Some("step") => step_case(case).and_then(|()| journal_stored::step_case(case)),
        Some("begin") => begin_case(case).and_then(|()| journal_stored::begin_case(case)),
        Some("recover") => recover_case(case),
        Some("replay_gate") => gate_case(case),
        Some("snapshot") => journal_stored::snapshot_case(case),
        Some("revert") => revert_case(case),
        Some("chain") => chain_case(case),
        Some("fault") => journal_faults::fault_case(case),
        other => Err(format!("unknown group {other:?}")),
    });
}

pub(super) fn same(got: impl Into<Value>, expected: &Value) -> Checked {
    let got = got.into();
    if got == *expected { Ok(()) } else { Err(format!("got {got}, expected {expected}")) }
}

fn text<'c>(case: &'c Value, key: &str) -> &'c str {
    case[key].as_str().unwrap()
}

pub(super) fn word<W: Word>(value: &Value) -> Option<W> {
    W::of_word(value.as_str()?)
}

fn kind(value: &Value) -> Option<ErrorKind> {
    ErrorKind::all().find(|kind| value == kind.as_str())
}

fn canonical_case(case: &Value) -> Checked {
    let value: Value = serde_json::from_str(text(case, "text")).unwrap();
    same(canonical::text(&value), &case["canonical"])?;
    same(canonical::sha256(&value), &case["sha256"])
}

/// The tool of the fixtures.
fn tool(fixture: &Value) -> DynTool {
    let mut properties = serde_json::Map::new();
    let mut required = Vec::new();
    let mut builder = DynTool::builder(text(fixture, "name")).description("Sends a mail.");
    for (name, param) in fixture["params"].as_object().unwrap() {
        let mut schema = match text(param, "type") {
            "array of string" => json!({"type": "array", "items": {"type": "string"}}),
            plain => json!({"type": plain}),
        };
        match param.get("default") {
            Some(default) => schema["default"] = default.clone(),
            None if param["optional"] == true => {}
            None => required.push(name.clone()),
        }
        if param["optional"] == true {
            schema["type"] = json!([schema["type"], "null"]);
        }
        properties.insert(name.clone(), schema);
        let aliases = param["aliases"].as_array().cloned().unwrap_or_default();
        let secret = param["secret"] == true;
        builder = builder.param(name, |mut said| {
            for alias in &aliases {
                said = said.alias(alias.as_str().unwrap());
            }
            if secret { said.secret() } else { said }
        });
    }
    let schema = json!({"type": "object", "properties": properties, "required": required});
    builder.input_schema(schema).build().unwrap()
}

fn arguments_case(tool: &DynTool, case: &Value) -> Checked {
    let mut pepper = Pepper::default();
    if let Some(hex) = case["pepper_hex"].as_str() {
        pepper.0.copy_from_slice(&canonical::unhex(hex).unwrap());
    }
    let mut args =
        Args::new(tool.def(), case["given"].clone(), Coerce::Lenient).map_err(|e| e.to_string())?;
    args.take_object();
    args.finish().map_err(|error| error.to_string())?;
    let canonical = key::canonical_arguments(tool.def(), &Value::Object(args.normal().clone()), &pepper);
    same(canonical::text(&canonical), &case["canonical"])?;
    same(canonical::sha256(&canonical), &case["sha256"])
}

fn key_case(case: &Value) -> Checked {
    let context = &case["context"];
    let or_empty = |key: &str| context[key].as_str().unwrap_or("");
    let place = Place {
        tenant: or_empty("tenant"),
        run: or_empty("run"),
        node: or_empty("node"),
        iteration: context["iteration"].as_u64().unwrap_or(0),
        parent_key: context["parent_key"].as_str(),
    };
    let call = Named {
        tool: or_empty("tool"),
        arguments: &context["args"],
        ordinal: u32::try_from(context["ordinal"].as_u64().unwrap_or(0)).unwrap(),
        call_id: or_empty("call_id"),
    };
    let legacy = context["form"] == "legacy";
    // What is no text is no key.
    let keys = place.keys(call, context["explicit"].as_str(), legacy);
    same(keys.form.word(), &case["source"])?;
    same(keys.tool_key, &case["tool_key"])?;
    same(keys.call_key, &case["call_key"])
}

fn explicit_case(case: &Value) -> Checked {
    let got = match key::check_explicit(text(case, "value")) {
        Ok(()) => json!({"ok": true}),
        Err(error) => json!({"error": error.kind().as_str(), "code": error.code_str()}),
    };
    same(got, &case["expect"])
}

fn equal(step: &Value) -> Equal {
    Equal {
        attempt: u32::try_from(step["attempt"].as_u64().unwrap()).unwrap(),
        parent_key: step["parent_key"].as_str().map(str::to_owned),
        tool: text(step, "tool").to_owned(),
        args_sha256: canonical::sha256(&step["args"]),
    }
}

fn ordinal_case(case: &Value) -> Checked {
    let existing = case["existing"].as_array().unwrap();
    let steps = case["steps"].as_array().unwrap();
    let ordinals = Ordinals::default();
    let mut given: Vec<Value> = Vec::new();
    for step in steps {
        if let Some(refused) = step["refuse"].as_u64() {
            let refused = usize::try_from(refused).unwrap();
            let number = u32::try_from(given[refused].as_u64().unwrap()).unwrap();
            ordinals.give_back(&equal(&steps[refused]), number);
            given.push(Value::Null);
            continue;
        }
        let call = equal(step);
        let recorded = existing.iter().filter(|row| equal(row) == call);
        let recorded = recorded.map(|row| u32::try_from(row["ordinal"].as_u64().unwrap()).unwrap());
        given.push(json!(ordinals.reserve(&call, recorded)));
    }
    same(given, &case["ordinals"])
}

fn class_case(case: &Value) -> Checked {
    let said = &case["tool"];
    let flag = |key: &str| said[key] == true;
    let mut def = tool_core::__private::BROKEN;
    static CACHE: Cache = Cache::new();
    def.cache = &CACHE;
    def.behavior = Behavior {
        side_effect: flag("side_effect"),
        idempotent: flag("idempotent"),
        destructive: false,
        open_world: false,
    };
    def.takes_context = flag("takes_context");
    let mut keys = ToolKeys { replay_manual: said["replay"] == "manual", ..ToolKeys::NONE };
    if flag("reconcile") {
        keys.reconcile =
            Some(Handle { path: "reconcile", run: |_, _| Box::pin(std::future::ready(Reconciled::Unknown)) });
    }
    def.keys = Box::leak(Box::new(keys));
    let def: ToolDef<'_> = def;
    same(Class::of(&def).word(), &case["class"])?;
    let lint = EffectWithoutContext::of(&def).map(|_| "effect_without_context");
    same(json!(lint), &case["lint"])
}

pub(super) fn ended(outcome: &Value, says: &Value) -> Ended {
    match kind(outcome) {
        None => Ended::Ok,
        Some(kind) => Ended::Error { kind, says: word(says) },
    }
}

fn finish_case(case: &Value) -> Checked {
    let class = word(&case["class"]).unwrap();
    let (status, effect) = state::finish(class, ended(&case["outcome"], &case["tool_says"]));
    same(json!([status.word(), effect.as_str()]), &json!([case["status"], case["effect"]]))
}

/// A row of a case.
pub(super) fn row(said: &Value) -> Row {
    let number = |key: &str| said[key].as_u64().map(|number| u32::try_from(number).unwrap());
    let text = |key: &str| said[key].as_str().map(str::to_owned);
    Row {
        call_id: text("id").unwrap_or_else(|| "c0".to_owned()),
        tool_name: text("tool").unwrap_or_default(),
        attempt: number("attempt").unwrap_or(1),
        seq: number("seq").unwrap_or(1),
        status: word(&said["status"]).unwrap_or_default(),
        resolution: word(&said["resolution"]),
        class: word(&said["class"]).unwrap_or_default(),
        effect: word(&said["effect"]),
        error_json: text("kind").map(|kind| json!({ "kind": kind }).to_string()),
        side_effect: said["side_effect"].as_bool(),
        idempotent: said["idempotent"].as_bool(),
        takes_key: said["takes_key"] == true,
        has_revert: said["has_revert"] == true,
        recoveries: number("recoveries").unwrap_or(0),
        input_complete: said["input_complete"] == true,
        replay_of: text("replay_of"),
        owner: text("owner").or_else(|| Some("me".to_owned())),
        lease_token: Some(1),
        revert_status: word(&said["revert_status"]),
        args_sha256: if said["same_args"] == false { "other".to_owned() } else { "same".to_owned() },
        definition: text("definition"),
        superseded_by: text("superseded_by"),
        ..Row::default()
    }
}

pub(super) fn event(said: &Value) -> Event {
    match said["event"].as_str().unwrap() {
        "start" => Event::Start,
        "cancel_before_start" => Event::CancelBeforeStart,
        "owner_lost" => Event::OwnerLost,
        "finish" => Event::Finish(ended(&said["outcome"], &said["tool_says"])),
        "reconcile" => Event::Reconcile(match said["answer"].as_str().unwrap() {
            "done" => Some(Resolution::Ok),
            "failed" => Some(Resolution::Error),
            "not_done" => Some(Resolution::NotDone),
            _ => None,
        }),
        "try" => Event::Try,
        other => panic!("unknown event {other}"),
    }
}

fn step_case(case: &Value) -> Checked {
    let mut row = row(&case["row"]);
    if let Some(class) = word(&case["do"]["class"]) {
        row.class = class;
    }
    let got = match state::step(&row, case["token"] == "same", event(&case["do"])) {
        Ok(Step::To(status)) => json!({"status": status.word()}),
        Ok(Step::Settled(resolution, by)) => {
            json!({"status": Status::Reconciled.word(), "resolution": resolution.word(), "resolved_by": by.word()})
        }
        Ok(Step::Counted) => json!({"status": row.status.word(), "recoveries": row.recoveries + 1}),
        Ok(Step::Unchanged) => json!({"unchanged": true}),
        Err(Refusal::Fenced) => json!({"error": "fenced"}),
        Err(Refusal::NotInDoubt) => json!({"error": "conflict", "code": "not_in_doubt"}),
    };
    same(got, &case["expect"])
}

/// The word of a decision, and of its refusal.
pub(super) fn decided(decision: Decision) -> Value {
    match decision {
        Decision::Run => json!({"decision": "run"}),
        Decision::Rerun => json!({"decision": "rerun"}),
        Decision::Replay => json!({"decision": "replay"}),
        Decision::Wait => json!({"decision": "wait"}),
        Decision::Reconcile => json!({"decision": "reconcile"}),
        Decision::Ask => json!({"decision": "ask"}),
        Decision::OtherArguments => {
            json!({"decision": "refuse", "kind": "conflict", "code": "idempotency_conflict"})
        }
        Decision::Abandoned => json!({"decision": "refuse", "kind": "conflict", "code": "abandoned"}),
    }
}

fn begin_case(case: &Value) -> Checked {
    let met = case["row"].is_object().then(|| row(&case["row"]));
    let call = Incoming {
        class: word(&case["call"]["class"]).unwrap(),
        attempt: u32::try_from(case["call"]["attempt"].as_u64().unwrap()).unwrap(),
        args_sha256: "same",
    };
    let (marks, decision) = state::begin(met.as_ref(), call, case["row"]["owner_alive"] == true);
    let mut got = decided(decision);
    if marks {
        got["marks"] = json!("in_doubt");
    }
    same(got, &case["expect"])
}

fn recover_case(case: &Value) -> Checked {
    let action = state::recover(&row(&case["row"]), case["row"]["owner_alive"] == true);
    same(action.word(), &case["action"])
}

fn gate_case(case: &Value) -> Checked {
    let rows: Vec<Row> = case["rows"].as_array().unwrap().iter().map(row).collect();
    let attempt = u32::try_from(case["attempt"].as_u64().unwrap()).unwrap();
    let gate = replay_gate(&rows, attempt, Some("me"));
    let ReplayGate::Ask { fingerprint, offending, .. } = &gate else {
        return same(json!({"clear": true}), &case["expect"]);
    };
    let consents: Vec<ReplayConsent> = case["approval"]
        .as_object()
        .map(|given| ReplayConsent {
            fingerprint: match given["fingerprint"].as_str().unwrap() {
                "<match>" => fingerprint.clone(),
                other => other.to_owned(),
            },
            attempt: u32::try_from(given["attempt"].as_u64().unwrap()).unwrap(),
            allow: given["decision"] == "allow",
        })
        .into_iter()
        .collect();
    let got = match gate.answered(attempt, &consents) {
        Some(true) => json!({"clear": true, "fingerprint": fingerprint}),
        Some(false) => json!({"refused": "denied", "code": "replay_denied", "fingerprint": fingerprint}),
        None => json!({"ask": true, "fingerprint": fingerprint, "offending": offending}),
    };
    same(got, &case["expect"])
}

fn revert_case(case: &Value) -> Checked {
    let rows: Vec<Row> = case["rows"].as_array().unwrap().iter().map(row).collect();
    let stale = |row: &Row| {
        let said = case["rows"].as_array().unwrap().iter().find(|said| said["id"] == *row.call_id);
        said.is_some_and(|said| said["stale"] == true || said["definition_changed"] == true)
    };
    let rows: Vec<Row> =
        rows.into_iter().map(|row| Row { definition: Some("then".to_owned()), ..row }).collect();
    let plan = revert::plan(&rows, |row| Some(if stale(row) { "now" } else { "then" }.to_owned()));
    let plan: Vec<Value> = plan.iter().map(|(row, undo)| json!([row.call_id, undo.word()])).collect();
    same(plan, &case["plan"])
}

fn hash(value: &Value) -> chain::Hash {
    let mut hash = chain::Hash::default();
    hash.copy_from_slice(&canonical::unhex(value.as_str().unwrap()).unwrap());
    hash
}

fn chain_case(case: &Value) -> Checked {
    let entries: Vec<Entry> = case["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| Entry {
            n: entry["n"].as_u64().unwrap(),
            call_id: text(entry, "call").to_owned(),
            to: text(entry, "to").to_owned(),
            at_ms: entry["at"].as_i64().unwrap(),
            row: hash(&entry["row"]),
            hash: hash(&entry["hash"]),
        })
        .collect();
    let seal = &case["seal"];
    let seal = seal.is_object().then(|| Head { n: seal["n"].as_u64().unwrap(), hash: hash(&seal["hash"]) });
    let verdict = chain::verify(&entries, seal).to_string();
    let mut words = verdict.split(' ');
    let mut got = json!({"result": words.next(), "n": words.next().and_then(|n| n.parse::<u64>().ok())});
    if let Some(sealed) = words.nth(1) {
        got["sealed"] = json!(sealed.parse::<u64>().ok());
    }
    for (key, expected) in case["expect"].as_object().unwrap() {
        same(got[key].clone(), expected)?;
    }
    Ok(())
}

/// What is known of the words that these cases use.
#[test]
fn every_word_of_a_row_is_read_back() {
    fn all<W: Word + std::fmt::Debug>() {
        for (value, word) in W::WORDS {
            assert_eq!(W::of_word(word), Some(*value));
        }
    }
    all::<Class>();
    all::<Status>();
    all::<Resolution>();
    all::<ResolvedBy>();
    all::<RevertStatus>();
    all::<Effect>();
}
