//! What `snapshot_tools!` finds, writes and leaves alone.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use std::fs;
use std::path::Path;
use std::process::Command;

use tool_core::Registry;
use tool_core::prelude::*;
use tool_core::test::{FORMS, Form, Mode, Snapshots};

/// Greets a person.
#[tool(register = false)]
fn greet_person(
    /// Whom to greet.
    name: &str,
) -> String {
    format!("Hello, {name}!")
}

/// Counts the letters of a text.
#[tool(surfaces(cli), register = false)]
fn count_letters(
    /// The text.
    text: &str,
) -> usize {
    text.chars().count()
}

fn registry() -> Registry {
    Registry::builder().add::<GreetPersonTool>().add::<CountLettersTool>().build().unwrap()
}

fn snapshots(krate: &Path) -> Snapshots {
    Snapshots::of(registry(), krate).unwrap()
}

#[test]
fn one_file_per_tool_and_form_where_it_is_offered() {
    let krate = tool_trials::directory();
    let all = snapshots(krate.path());
    let written = all.run(Mode::Update).unwrap();
    // A tool for the command line has the forms that need no API.
    assert_eq!(written.len(), FORMS.len() + 2, "{written:#?}");
    assert!(written.iter().all(|line| line.starts_with("added ")));
    assert_eq!(all.run(Mode::Compare), Ok(Vec::new()));
    assert_eq!(all.run(Mode::Update), Ok(Vec::new()), "nothing is written twice");
    let at = krate.path().join("tests/snapshots/greet_person");
    let page = fs::read_to_string(at.join("markdown.md")).unwrap();
    let expected = "# greet_person\n\nGreets a person.\n\nEffect: read\n\n| parameter | type | | description |\n\
                    | --- | --- | --- | --- |\n| `name` | string | required | Whom to greet. |\n";
    assert_eq!(page, expected);
    let anthropic = fs::read_to_string(at.join("anthropic.json")).unwrap();
    assert!(anthropic.contains("\"name\": \"greet_person\"") && anthropic.ends_with("]\n"), "{anthropic}");
}

#[test]
fn missing_stale_and_orphaned_files_fail_with_what_differs_and_are_mended() {
    let krate = tool_trials::directory();
    let all = snapshots(krate.path());
    all.run(Mode::Update).unwrap();
    let at = krate.path().join("tests/snapshots");
    fs::remove_file(at.join("greet_person/gemini.json")).unwrap();
    let page = at.join("greet_person/markdown.md");
    fs::write(&page, fs::read_to_string(&page).unwrap().replace("Greets", "Meets")).unwrap();
    fs::create_dir(at.join("old_tool")).unwrap();
    fs::write(at.join("old_tool/markdown.md"), "# old_tool\n").unwrap();
    // What is no snapshot of a tool is no matter of these.
    fs::write(at.join("other.snap"), "kept").unwrap();
    fs::create_dir(at.join("no tool")).unwrap();
    fs::write(at.join("no tool/kept.md"), "kept").unwrap();

    let told = all.run(Mode::Compare).unwrap_err();
    let expected = [
        "3 files in ",
        "  missing greet_person/gemini.json\n",
        "  stale greet_person/markdown.md\n",
        "    - Meets a person.\n    + Greets a person.\n",
        "  orphaned old_tool/markdown.md: no tool of the registry has this form\n",
        "Run the test with UPDATE=1 where this is meant.",
    ];
    for part in expected {
        assert!(told.contains(part), "{part:?} is not in\n{told}");
    }
    let mended = all.run(Mode::Update).unwrap();
    let verbs: Vec<&str> = mended.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(verbs, ["added", "changed", "removed"], "{mended:#?}");
    assert_eq!(all.run(Mode::Compare), Ok(Vec::new()));
    assert!(
        !at.join("old_tool").exists()
            && at.join("other.snap").exists()
            && at.join("no tool/kept.md").exists()
    );
}

/// The test that is run by the next one, in a process of its own.
const IN_A_PROCESS: &str = "KIT_SNAPSHOTS_CRATE";

#[test]
fn snapshots_of_the_crate_that_the_environment_names() {
    if let Some(krate) = std::env::var_os(IN_A_PROCESS) {
        tool_core::test::assert_seen(Ok(snapshots(Path::new(&krate))));
    }
}

#[test]
fn update_writes_but_never_where_ci_is_set() {
    let krate = tool_trials::directory();
    let run = |variables: &[(&str, &str)]| {
        let mut test = Command::new(std::env::current_exe().unwrap());
        test.args(["--exact", "snapshots_of_the_crate_that_the_environment_names", "--nocapture"]);
        test.env_remove("CI")
            .env_remove("UPDATE")
            .env(IN_A_PROCESS, krate.path())
            .envs(variables.iter().copied());
        let output = test.output().unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
        )
    };
    let written = || krate.path().join("tests").exists();
    let (passes, told) = run(&[("CI", "1"), ("UPDATE", "1")]);
    assert!(!passes && told.contains("missing greet_person/canonical.json") && !written(), "{told}");
    assert!(!run(&[]).0 && !written());
    let (passes, told) = run(&[("UPDATE", "1")]);
    assert!(passes && told.contains("added ") && written(), "{told}");
    assert!(run(&[]).0 && run(&[("CI", "1"), ("UPDATE", "1")]).0);
    let page = krate.path().join("tests/snapshots/greet_person/markdown.md");
    fs::write(&page, "stale").unwrap();
    assert!(!run(&[("CI", "1"), ("UPDATE", "1")]).0);
    assert_eq!(fs::read_to_string(&page).unwrap(), "stale");
}

#[test]
fn further_forms_stand_beside_the_own_ones() {
    static NAMES: [Form; 1] =
        [Form { file: "name.txt", render: |_, tool| Ok(Some(format!("{}\n", tool.name()))) }];
    let krate = tool_trials::directory();
    snapshots(krate.path()).with(&NAMES).run(Mode::Update).unwrap();
    let page = krate.path().join("tests/snapshots/greet_person/name.txt");
    assert_eq!(fs::read_to_string(page).unwrap(), "greet_person\n");
}

/// The lock file of the registry, in a process of its own.
const LOCK: &str = "KIT_LOCK_FILE";

/// That there is only one of its tools.
const ONE: &str = "KIT_LOCK_ONE";

#[test]
fn lock_of_the_file_that_the_environment_names() {
    if let Some(file) = std::env::var_os(LOCK) {
        let greets = Registry::builder().add::<GreetPersonTool>().build();
        let is_one = std::env::var_os(ONE).is_some();
        tool_core::lock!(file, if is_one { greets.unwrap() } else { registry() });
    }
}

#[test]
fn a_lock_file_that_is_written_is_told_with_what_changed() {
    let directory = tool_trials::directory();
    let file = directory.path().join("tools.lock");
    let run = |variables: &[(&str, &str)]| {
        let mut test = Command::new(std::env::current_exe().unwrap());
        // What a test prints that passes is shown to nobody: this is.
        test.args(["--exact", "lock_of_the_file_that_the_environment_names"]);
        test.env_remove("CI").env_remove("UPDATE").env(LOCK, &file).envs(variables.iter().copied());
        let output = test.output().unwrap();
        let told = [output.stdout, output.stderr].map(|told| String::from_utf8_lossy(&told).into_owned());
        (output.status.success(), told.concat())
    };
    let (passes, told) = run(&[("CI", "1"), ("UPDATE", "1")]);
    assert!(!passes && !file.exists() && told.contains("Nothing is written while CI is set."), "{told}");
    for no in ["0", "", "false", "FALSE"] {
        assert!(!run(&[("UPDATE", no)]).0 && !file.exists(), "{no}");
    }
    let (passes, told) = run(&[("UPDATE", "1")]);
    assert!(passes && told.contains(&format!("wrote {}", file.display())), "{told}");
    let (passes, told) = run(&[("UPDATE", "1")]);
    assert!(passes && !told.contains("wrote"), "nothing is written twice: {told}");
    assert!(!run(&[(ONE, "1")]).0);
    let (_, told) = run(&[(ONE, "1"), ("UPDATE", "1")]);
    assert!(told.contains("  breaking tool_removed count_letters"), "{told}");
    assert!(!run(&[]).0 && run(&[("UPDATE", "1")]).0);
    assert!(run(&[("CI", "1")]).0);
}
