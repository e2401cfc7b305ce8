//! The vectors of the shell group, of the network guard, and the attackers that are commands.

use std::fs;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::judge::{after, fits_any, hits, nevers};
use crate::listeners::Listeners;
use crate::places::Places;
use crate::program::{Fault, Program, Surface};
use crate::setting::{attacker, canary, set_up};
use crate::{Verdict, cases, run, survivors};

/// How much longer a process may take than the call within it.
const START: Duration = Duration::from_secs(5);
/// How much slower this machine may be than the one that the limits of time are meant for.
const LOAD: u32 = 5;

/// Why a case does not run here.
fn unmet(surface: Surface, case: &Value) -> Option<String> {
    let only = case["surface"].as_str();
    if only.is_some_and(|only| (only == "cli") != (surface == Surface::Cli)) {
        return only.map(|only| format!("the surface {only}"));
    }
    if case["call"]["parallel"].is_number() {
        return Some("one program for all".to_owned());
    }
    let is_root = rustix::process::geteuid().is_root();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut needs = case["needs"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let is_met = |need: &&str| match *need {
        "userns" | "netns" => true,
        "root" => is_root,
        "non_root" => !is_root,
        "x86_64" => cfg!(target_arch = "x86_64"),
        "helper" => attacker().is_some(),
        "ipv6" => TcpListener::bind("[::1]:0").is_ok(),
        program => std::env::split_paths(&path).any(|directory| directory.join(program).is_file()),
    };
    let unmet = needs.find(|need| !is_met(need))?;
    assert!(
        !tool_trials::requires_peers() || ["root", "non_root", "x86_64"].contains(&unmet),
        "needs {unmet}"
    );
    Some(unmet.to_owned())
}

fn call(surface: Surface, case: &Value) -> Verdict {
    if let Some(need) = unmet(surface, case) {
        return Err(need);
    }
    let listeners = Listeners::start();
    let directory = tool_trials::directory();
    let place = |name: &str| directory.path().canonicalize().unwrap().join(name);
    let [root, out] = ["root", "out"].map(place);
    [&root, &out].into_iter().for_each(|directory| fs::create_dir(directory).unwrap());
    let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
    let places = Places(vec![
        ("{ROOTNAME}", "root".to_owned()),
        ("{REALROOT}", text(&root)),
        ("{ROOT}", text(&root)),
        ("{OUTNAME}", "out".to_owned()),
        ("{OUT}", text(&out)),
        ("{LPORT}", listeners.port.to_string()),
        ("{CANARY}", canary()),
        ("{HELPER}", text(&root.join("helper"))),
    ]);
    set_up(&places.fill(&case["setup"]), &listeners);
    if let Some(program) = attacker().filter(|_| case.to_string().contains("{HELPER}")) {
        fs::copy(program, root.join("helper")).unwrap();
    }
    let program = Program::new(&places.fill(case), &root);
    let fault = match case["call"]["fault"].as_str() {
        Some(fault) if fault.starts_with("cancel") => Fault::Cancel,
        Some(fault) if fault.starts_with("SIGKILL") => Fault::Kill,
        _ => Fault::None,
    };
    let args = places.fill(&case["call"]["args"]).to_string();
    let started = Instant::now();
    let told = program.call(surface, case["call"]["tool"].as_str().unwrap(), &args, fault);
    let took = started.elapsed();
    let limit = case["within_ms"].as_u64().map(|limit| Duration::from_millis(limit) * LOAD + START);
    let mut found = vec![
        hits(case, listeners.count()),
        nevers(&places.fill(&case["never"]), || survivors::are_left(&root), &told.outcome, listeners.count()),
        after(&places.fill(&case["after"])),
        if limit.is_some_and(|limit| took > limit) { Err(format!("took {took:?}")) } else { Ok(()) },
    ];
    // Who went away is told nothing by either surface but its exit status.
    let is_silent = fault != Fault::None && told.outcome == Err(Value::Null);
    if !is_silent {
        let mut expect = places.fill(&case["expect"]);
        if told.outcome.as_ref().is_err_and(|error| error["cut"] == true) {
            expect["error"].as_object_mut().and_then(|error| error.remove("details"));
        }
        found.push(fits_any(&told.outcome, &expect));
    }
    Ok(found.into_iter().filter_map(Result::err).collect())
}

/// The case, and the one that shows that what it refuses works otherwise.
fn with_its_twin(case: &Value) -> Vec<Value> {
    let Some(twin) = case["twin"].as_object() else { return vec![case.clone()] };
    let mut other = case.clone();
    for key in ["expect", "never", "within_ms", "config"] {
        other.as_object_mut().unwrap().remove(key);
    }
    twin.iter().for_each(|(key, value)| other[key] = value.clone());
    other["id"] = format!("{} twin", case["id"]).into();
    vec![case.clone(), other]
}

/// A decision of the guard as a call: what it lets through may end in any other way.
fn guarded(surface: Surface, case: &Value) -> Verdict {
    let root = tool_trials::directory();
    let place = root.path().canonicalize().unwrap().join("root");
    fs::create_dir(&place).unwrap();
    let program = Program::new(&json!({}), &place);
    let args = json!({"cmd": case["cmd"], "args": case["args"], "timeout": 1, "check": false}).to_string();
    let told = program.call(surface, "bash", &args, Fault::None);
    let decided = |error: &Value| match error["code"].as_str() {
        Some("network_denied" | "git_remote_denied") => {
            json!({"decision": error["code"], "token": error["details"]["token"]})
        }
        _ => json!({"decision": "allow"}),
    };
    let got = told.outcome.as_ref().err().map_or_else(|| json!({"decision": "allow"}), decided);
    Ok(Vec::from_iter((got != case["expect"]).then(|| format!("the guard says {got}"))))
}

fn all(surface: Surface) {
    let of = |file: &str, wanted: &dyn Fn(&Value) -> bool| -> Vec<Value> {
        cases(file).into_iter().filter(wanted).collect()
    };
    let is_command = |case: &Value| matches!(case["call"]["tool"].as_str(), Some("bash" | "run_command"));
    run("the calls of vectors_shell", surface, &of("shell.json", &is_command), call);
    run("the commands of vectors_paths", surface, &of("paths.json", &is_command), call);
    let attacks = of("attacks.json", &|case| {
        is_command(case) && matches!(case["group"].as_str(), Some("resource" | "network"))
    });
    let attacks: Vec<Value> = attacks.iter().flat_map(with_its_twin).collect();
    run("the commands of vectors_attacks", surface, &attacks, call);
    run("vectors_network_guard", surface, &of("network_guard.json", &|_| true), guarded);
}

#[test]
fn the_command_line_answers_as_the_vectors_of_commands_say() {
    all(Surface::Cli);
}

#[test]
fn an_mcp_client_is_answered_as_the_vectors_of_commands_say() {
    all(Surface::Mcp);
}
