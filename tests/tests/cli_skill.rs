//! What agents read: SKILL.md files and the index for language models. `SNAPSHOTS=overwrite` writes the golden files again.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use snapbox::assert::Action;
use snapbox::data::DataFormat;
use snapbox::{Assert, Data};
use tests::captured::Captured;
use tests::demo;
use tool_cli::{Cli, ExitCode, Io};
use tool_core::{Behavior, DynTool, Registry, ToolContext, ToolOutput};
use tool_std::{Sandbox, SandboxPolicy, Workspace, WorkspacePolicy};

fn run(cli: &Cli, words: &[&str], directory: &Path) -> (ExitCode, String, String) {
    let (stdout, stderr) = (Captured::default(), Captured::default());
    let io =
        Io { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()), ..Io::detached(directory) };
    let code = cli.run_from(words.iter().copied(), io);
    let text = Captured::text;
    (code, text(&stdout), text(&stderr))
}

/// The files of a program, by path below their directory.
fn skills(cli: &Cli, directory: &Path) -> Vec<(String, String)> {
    let (code, stdout, stderr) = run(cli, &["skill", "--json", "--out", "skills"], directory);
    assert_eq!((code, stderr.as_str()), (ExitCode::SUCCESS, ""));
    let paths: Vec<String> = serde_json::from_str(&stdout).unwrap();
    let base = directory.join("skills");
    let below = |path: &String| Path::new(path).strip_prefix(&base).unwrap().display().to_string();
    paths.iter().map(|path| (below(path), std::fs::read_to_string(path).unwrap())).collect()
}

fn golden(name: &str, text: String) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/agents").join(name);
    Assert::new()
        .action_env("SNAPSHOTS")
        .action(if tool_trials::overwrites("SNAPSHOTS") { Action::Overwrite } else { Action::Verify })
        .normalize_paths(false)
        .eq(text, Data::read_from(&file, Some(DataFormat::Text)));
}

fn toolbox() -> Cli {
    let registry = Registry::builder().discover().build().unwrap();
    Cli::new(registry)
        .name("toolbox")
        .about("The standard tools as one program.")
        .group("file", "Files of the workspace")
        .context(|settings| {
            let workspace = Workspace::open(&settings.root, WorkspacePolicy::default())?;
            let sandbox = Sandbox::open(SandboxPolicy::default(), &workspace)?;
            Ok(ToolContext::builder()
                .provide_with(move |ctx| Arc::new(workspace.for_call(ctx)))
                .provide_with(move |ctx| Arc::new(sandbox.for_call(ctx))))
        })
}

/// The front matter of a file, as YAML.
fn front_matter(text: &str) -> Value {
    let matter = text.strip_prefix("---\n").and_then(|rest| rest.split("\n---\n").next()).unwrap();
    serde_saphyr::from_str(matter).unwrap()
}

#[test]
fn each_group_has_a_file_and_the_same_tools_give_the_same_bytes() {
    let directory = tool_trials::directory();
    let (demo, _) = demo::demo(&Value::Null).unwrap();
    for (program, cli) in [("demo", demo), ("toolbox", toolbox())] {
        let files = skills(&cli, directory.path());
        assert_eq!(files, skills(&cli, directory.path()));
        for (path, text) in &files {
            golden(&path.replace('/', "-"), text.clone());
            if !path.ends_with("SKILL.md") {
                continue;
            }
            let matter = front_matter(text);
            let name = matter["name"].as_str().unwrap();
            let shape = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(name.chars().all(shape) && (1..=64).contains(&name.len()), "{name}");
            assert_eq!(*path, format!("{name}/SKILL.md"), "a skill is called like its directory");
            let about = matter["description"].as_str().unwrap();
            assert!((1..=1_024).contains(&about.chars().count()), "{about}");
            assert!(text.len() <= 16 * 1024 && text.contains("Exit codes: 0 success"), "{path}");
        }
        golden(&format!("{program}-llms.md"), run(&cli, &["--llms"], directory.path()).1);
    }
}

#[test]
fn every_example_of_a_skill_is_a_call_that_its_tool_takes() {
    let directory = tool_trials::directory();
    std::fs::write(directory.path().join("FILE"), "secret").unwrap();
    let (demo, _) = demo::demo(&Value::Null).unwrap();
    let mut calls = 0;
    for cli in [demo, toolbox()] {
        for (path, text) in skills(&cli, directory.path()) {
            for example in text.split("```sh\n").skip(1) {
                let line = example.split("\n```").next().unwrap();
                let words = words_of(line);
                let argv: Vec<&str> =
                    std::iter::once("--dry-run").chain(words.iter().skip(1).map(String::as_str)).collect();
                let (code, _, stderr) = run(&cli, &argv, directory.path());
                assert_eq!(code, ExitCode::SUCCESS, "{line} of {path}: {stderr}");
                calls += 1;
            }
        }
    }
    assert!(calls > 35, "{calls} calls");
}

/// A command line of single quotes and bare words, split.
fn words_of(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut escaped) = (Vec::new(), String::new(), false, false);
    for c in line.chars() {
        match c {
            _ if escaped => {
                word.push(c);
                escaped = false;
            }
            '\'' => quoted = !quoted,
            '\\' if !quoted => escaped = true,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            _ => word.push(c),
        }
    }
    words.push(word);
    words
}

#[test]
fn tools_that_find_no_room_have_a_page_of_their_own() {
    let tool = |number: usize| {
        DynTool::builder(format!("many_{number:03}"))
            .description(format!("Does thing {number}.\n\n{}", "A long explanation follows. ".repeat(20)))
            .group("many")
            .behavior(Behavior::READ)
            .input_schema(json!({"type": "object"}))
            .handler_sync(|_, _| Ok(ToolOutput::text("done")))
            .build()
            .unwrap()
    };
    let registry = (0..300).map(tool).fold(Registry::builder(), |builder, tool| builder.add_dyn(tool));
    let cli = Cli::new(registry.build().unwrap()).name("demo");
    let directory = tool_trials::directory();
    let files = skills(&cli, directory.path());
    let (path, text) = &files[0];
    assert_eq!(path, "demo-many/SKILL.md");
    assert!(text.len() <= 16 * 1024, "{} bytes", text.len());
    let inside = |number: usize| text.contains(&format!("## demo many {number:03}\n"));
    for number in 0..300 {
        let page = files.iter().find(|file| file.0 == format!("demo-many/reference/many_{number:03}.md"));
        let whole = text.contains(&format!("Does thing {number}.\n"));
        assert!(page.is_some() != (inside(number) && whole), "thing {number} is told once");
        if let Some((_, page)) = page {
            assert!(page.starts_with(&format!("# demo many {number:03}\n")), "{page}");
        }
    }
    assert!(files.len() > 100 && inside(0));
}

#[test]
fn a_group_can_be_chosen_and_one_that_is_not_there_is_told() {
    let (demo, _) = demo::demo(&Value::Null).unwrap();
    let here = Path::new("/");
    let (code, stdout, _) = run(&demo, &["skill", "--group", "store"], here);
    assert_eq!(code, ExitCode::SUCCESS);
    assert!(stdout.starts_with("---\nname: demo-store\n") && !stdout.contains("demo-file"), "{stdout}");
    let (code, _, stderr) = run(&demo, &["skill", "--group", "stor"], here);
    assert_eq!(code, ExitCode(3));
    assert!(stderr.contains("did you mean `store`?"), "{stderr}");
}

#[test]
fn what_is_hidden_or_not_for_the_command_line_is_in_neither() {
    let (demo, _) = demo::demo(&Value::Null).unwrap();
    let here = Path::new("/");
    for page in [run(&demo, &["--llms"], here).1, run(&demo, &["skill"], here).1] {
        assert!(page.contains("demo store tag"));
        for hidden in ["store lock", "note rank", "trace-id", "hunter2"] {
            assert!(!page.contains(hidden), "{hidden}");
        }
    }
}
