//! Policy files: what they allow, what is wrong with them and where, and how rates count.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tool_core::def::{
    Behavior, Cache, Doc, Handler, Hint, Origin, ParamDef, ParamKeys, ParamKind, SchemaSource, ToolDef,
};
use tool_core::{Call, Caller, Executor, Registry, ToolContext};
use tool_policy::{FileSystem, Paths, Policy, Syntax};

use super::gating::Nothing;
use super::judge_all_in;

/// Fewer cases are a broken file.
const LEAST: usize = 140;

#[test]
fn vectors_policy() {
    judge_all_in("policy", LEAST, |file| Scene::new(&file["fixtures"]), Scene::judge);
}

/// Mutations of the files of the vectors, in both syntaxes: the loader answers each, and every mistake is in the file. With
/// `TOOL_FULL=1` for a minute.
#[test]
fn no_mutation_of_a_policy_file_is_too_much_for_the_loader() {
    let Some((cases, folder)) = super::cases("policy.json") else { return };
    let text = std::fs::read_to_string(folder.join("policy.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let scene = Scene::new(&file["fixtures"]);
    let texts: Vec<&str> = cases.iter().filter_map(|case| case["policy"].as_str()).collect();
    let full = tool_trials::is_full();
    let seed = std::env::var("TOOL_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(0x9e37);
    let (mut random, began) = (tool_core::test::Random::new(seed), std::time::Instant::now());
    let (mut loaded, mut refused) = (0, 0);
    while loaded + refused < 2_000 || (full && began.elapsed() < std::time::Duration::from_secs(60)) {
        let mutated = mutated(&mut random, &texts);
        for syntax in [Syntax::Toml, Syntax::Yaml] {
            match Policy::load("policy", &mutated, syntax, &scene.registry, scene.paths.clone()) {
                Ok(_) => loaded += 1,
                Err(error) => {
                    refused += 1;
                    let lines = mutated.split('\n').count().max(1);
                    let inside = |line: usize| (1..=lines + 1).contains(&line);
                    assert!(!error.mistakes.is_empty(), "seed {seed}: refused without a reason: {mutated:?}");
                    let outside = error.mistakes.iter().find(|mistake| !inside(mistake.at.line));
                    assert!(outside.is_none(), "seed {seed}: {outside:?} of {lines} lines: {mutated:?}");
                }
            }
        }
    }
    println!("policy files: {loaded} mutations loaded, {refused} refused, seed {seed}");
    assert!(loaded > 0 && refused > 0, "{loaded} loaded, {refused} refused: nothing is proved");
}

/// One of the texts with some changes, each as small as a typo or as large as a part of another text.
fn mutated(random: &mut tool_core::test::Random, texts: &[&str]) -> String {
    let mut bytes = texts[random.below(texts.len())].as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(12)).min(bytes.len());
        match random.below(5) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.insert(at, b"[]{}\"'#:,-=!&*|>.\n \t\\\0\xff\xc3"[random.below(24)]),
            2 => {
                let other = texts[random.below(texts.len())].as_bytes();
                let from = random.below(other.len() + 1);
                let to = (from + random.below(60)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            3 => {
                let copied = bytes[at..end].to_vec();
                bytes.splice(at..at, copied.repeat(1 + random.below(20)));
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

struct Scene {
    registry: Registry,
    paths: Paths,
    defaults: Map<String, Value>,
}

/// The links of the fixture, and nothing else.
struct Links(Map<String, Value>);

impl FileSystem for Links {
    fn read_link(&self, path: &Path) -> Option<PathBuf> {
        self.0.get(path.to_str()?)?.as_str().map(PathBuf::from)
    }
}

impl Scene {
    fn new(fixtures: &Value) -> Scene {
        let tools = fixtures["tools"].as_object().unwrap();
        let registry = tools
            .iter()
            .fold(Registry::builder(), |built, (name, tool)| built.add_def(definition(name, tool)));
        let links = Links(fixtures["links"].as_object().unwrap().clone());
        Scene {
            registry: registry.build().unwrap(),
            paths: Paths::within(fixtures["root"].as_str().unwrap(), Arc::new(links)),
            defaults: tools.iter().map(|(name, tool)| (name.clone(), tool["params"].clone())).collect(),
        }
    }

    fn judge(&self, case: &Value) -> Result<(), String> {
        match case["group"].as_str().unwrap() {
            "call" => self.call(case),
            "load" => {
                let mistakes = self.mistakes(case)?;
                let [only] = &mistakes[..] else { return Err(format!("{mistakes:#?}")) };
                self.same(only, &case["expect"])
            }
            "load_all" => {
                let mistakes = self.mistakes(case)?;
                let wanted = case["expect"]["errors"].as_array().or(case["expect"].as_array()).unwrap();
                if mistakes.len() != wanted.len() {
                    return Err(format!("{mistakes:#?}"));
                }
                mistakes.iter().zip(wanted).try_for_each(|(got, wanted)| self.same(got, wanted))
            }
            "rate" => rate(case),
            other => Err(format!("unknown group {other}")),
        }
    }

    fn load(&self, case: &Value) -> Result<Policy, tool_policy::LoadError> {
        let syntax = if case["syntax"] == "toml" { Syntax::Toml } else { Syntax::Yaml };
        Policy::load("policy", case["policy"].as_str().unwrap(), syntax, &self.registry, self.paths.clone())
    }

    fn mistakes(&self, case: &Value) -> Result<Vec<Value>, String> {
        let error = self.load(case).err().ok_or("it was loaded")?;
        let kind = tool_core::ToolError::from(error.clone()).kind().as_str();
        let list = error.mistakes.iter().map(|mistake| {
            json!({
                "kind": kind, "code": mistake.code.as_str(), "line": mistake.at.line, "column": mistake.at.column,
                "suggestion": mistake.suggestion, "text": mistake.text,
            })
        });
        Ok(list.collect())
    }

    fn same(&self, got: &Value, wanted: &Value) -> Result<(), String> {
        let differs = wanted.as_object().unwrap().iter().any(|(key, value)| got[key] != *value);
        if differs { Err(format!("\n   got {got}\n  want {wanted}")) } else { Ok(()) }
    }

    fn call(&self, case: &Value) -> Result<(), String> {
        let policy = self.load(case).map_err(|error| error.to_string())?;
        let executor = Executor::standard(self.registry.clone()).policy(Arc::new(policy)).build().unwrap();
        let ctx = ToolContext::builder().agent(case["agent"].as_str().unwrap()).build();
        let call = Call::new(case["tool"].as_str().unwrap(), case["args"].clone());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let expect = &case["expect"];
        let got = match runtime.block_on(executor.plan(call, &ctx, Caller::Llm)) {
            Ok(plan) => json!({"allowed": true, "ask": plan.asks}),
            Err(error) => {
                let mut got =
                    json!({"allowed": false, "kind": error.kind().as_str(), "code": error.code_str()});
                for (key, detail) in [("path", "pointer"), ("violations", "violations")] {
                    if let (Some(value), true) = (error.details().get(detail), expect.get(key).is_some()) {
                        got[key] = value.clone();
                    }
                }
                got
            }
        };
        if got == *expect {
            Ok(())
        } else {
            Err(format!(
                "\n   got {got}\n  want {expect}\n  {}",
                self.defaults[case["tool"].as_str().unwrap()]
            ))
        }
    }
}

/// A tool of the fixture; its definition lives as long as the test's process.
fn definition(name: &str, tool: &Value) -> &'static ToolDef<'static> {
    let leak = |text: &str| -> &'static str { Box::leak(text.to_owned().into_boxed_str()) };
    let hint = |role: &Value| Hint::ALL.iter().find(|row| role == row.1).map(|row| row.0);
    let param = |(name, given): (&String, &Value)| {
        let mut schema = given.clone();
        schema.as_object_mut().unwrap().remove("role");
        if schema["type"] == "array" {
            schema["items"] = json!({"type": "string"});
        }
        let keys: &'static ParamKeys<'static> =
            Box::leak(Box::new(ParamKeys { hint: hint(&given["role"]), ..ParamKeys::NONE }));
        let schema: &'static Value = Box::leak(Box::new(schema));
        ParamDef {
            keys,
            ..ParamDef::new(
                leak(name),
                Doc::Text("A fixture."),
                ParamKind::Optional,
                SchemaSource::Given(schema),
            )
        }
    };
    let params: Vec<_> = tool["params"].as_object().unwrap().iter().map(param).collect();
    let is = |key: &str| tool[key] == true;
    let cache: &'static Cache = Box::leak(Box::new(Cache::new()));
    let new =
        ToolDef::new(leak(name), Doc::Text("A fixture."), Handler::Dynamic(&Nothing), Origin::DYNAMIC, cache);
    Box::leak(Box::new(ToolDef {
        group: tool["group"].as_str().map(leak),
        behavior: Behavior {
            side_effect: is("side_effect"),
            idempotent: is("idempotent"),
            destructive: is("destructive"),
            open_world: is("open_world"),
        },
        params: Vec::leak(params),
        ..new
    }))
}

/// A token bucket on a clock that stands where the case says.
fn rate(case: &Value) -> Result<(), String> {
    use tool_core::Clock as _;
    let burst = case["burst"].as_u64().map(|burst| u32::try_from(burst).unwrap());
    let rate = tool_core::Rate::parse(case["rate"].as_str().unwrap(), burst).ok_or("no rate")?;
    let clock = Arc::new(tool_core::test::FakeClock::default());
    let bucket = tool_core::RateBucket::new(rate, clock.clone());
    let mut got = Vec::new();
    for arrival in case["arrivals_ms"].as_array().unwrap() {
        let arrival = std::time::Duration::from_millis(arrival.as_u64().unwrap());
        clock.advance(arrival.saturating_sub(clock.now()));
        got.push(match bucket.take() {
            Ok(()) => json!({"ok": true}),
            Err(wait) => json!({"ok": false, "retry_after_ms": u64::try_from(wait.as_millis()).unwrap()}),
        });
    }
    if json!(got) == case["expect"] { Ok(()) } else { Err(format!("{}", json!(got))) }
}
