//! The vectors of the file group: files, paths, and those of both engines.

use std::time::Instant;

use serde_json::Value;

use crate::program::{Fault, Program, Surface};
use crate::scene::{self, Scene, engine};
use crate::{Verdict, cases, run};

/// One call of a file tool, and the tree after it.
fn call(surface: Surface, case: &Value) -> Verdict {
    if let Some(need) = scene::unmet(case) {
        return Err(need);
    }
    let scene = Scene::new(case);
    let program = Program::new(case, scene.root());
    let args = scene.fill(&case["call"]["args"]).to_string();
    let start = Instant::now();
    let told = program.call(surface, case["call"]["tool"].as_str().unwrap(), &args, Fault::None);
    let is_late = scene::is_late(case, start);
    let outcome = told.outcome.as_ref().map_err(Value::clone);
    let mut wrong = scene::compare_told(&scene.fill(&case["expect"]), case, outcome);
    wrong.extend(scene.check_after(case));
    wrong.extend(is_late.then(|| format!("took {:?}", start.elapsed())));
    for never in case["never"].as_array().into_iter().flatten() {
        let text = never.as_str().and_then(|never| never.strip_prefix("output_contains:"));
        wrong.extend(
            text.filter(|text| told.written.contains(text)).map(|text| format!("{text} was written")),
        );
    }
    if let Ok(data) = &told.outcome {
        wrong.extend(engine::wrong_places(case, data));
    }
    Ok(wrong)
}

fn all(surface: Surface) {
    let calls = |file: &str| -> Vec<Value> {
        let is_call = |case: &Value| case["call"].is_object() && case["call"]["tool"] != "bash";
        cases(file).into_iter().filter(is_call).collect()
    };
    run("vectors_files", surface, &calls("files.json"), call);
    run("the calls of vectors_paths", surface, &calls("paths.json"), call);
    for (name, tool, argument) in
        [("edit_unified", "edit_file", "patch"), ("edit_lines", "edit_lines", "patches")]
    {
        let cases = cases(&format!("{name}.json"));
        run(name, surface, &cases, |surface, case| call(surface, &engine::case(case, tool, argument)));
    }
}

#[test]
fn the_command_line_answers_as_the_vectors_of_files_say() {
    all(Surface::Cli);
}

#[test]
fn an_mcp_client_is_answered_as_the_vectors_of_files_say() {
    all(Surface::Mcp);
}
