//! A walk over the standard tools: what each surface of the command line must show of every tool, parameter and option.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

use serde_json::Value;
use tests::captured::Captured;
use tool_cli::flags::{Effect, Table};
use tool_cli::{Cli, ExitCode, Io};
use tool_core::registry::Unmet;
use tool_core::{Registry, ToolEntry};
use tool_std as _;

/// The program with what it prints.
struct Program {
    cli: Cli,
    registry: Registry,
    directory: tool_trials::Directory,
}

impl Program {
    fn new() -> Program {
        // Nothing runs: what the tools need is not asked for.
        let registry = Registry::builder().discover().unmet(Unmet::Hide).build().unwrap();
        assert!(registry.len() >= 15, "the standard tools are linked");
        let cli = Cli::new(registry.clone()).name("toolbox").version("1.0.0");
        Program { cli, registry, directory: tool_trials::directory() }
    }

    fn run(&self, words: &[&str]) -> (ExitCode, String, String) {
        let (stdout, stderr) = (Captured::default(), Captured::default());
        let io = Io {
            stdout: Box::new(stdout.clone()),
            stderr: Box::new(stderr.clone()),
            ..Io::detached(self.directory.path())
        };
        let code = self.cli.run_from(words.iter().copied(), io);
        let text = Captured::text;
        (code, text(&stdout), text(&stderr))
    }

    fn prints(&self, words: &[&str]) -> String {
        let (code, stdout, stderr) = self.run(words);
        assert_eq!((code, stderr.as_str()), (ExitCode::SUCCESS, ""), "{words:?}");
        stdout
    }

    fn listed(&self) -> Vec<Value> {
        serde_json::from_str(&self.prints(&["tools", "list", "--json"])).unwrap()
    }

    /// The command words of a tool.
    fn words(&self, entry: &ToolEntry) -> Vec<String> {
        let listed = self.listed();
        let row = listed.iter().find(|row| row["name"] == entry.name()).unwrap();
        row["command"].as_str().unwrap().split(' ').map(str::to_owned).collect()
    }
}

fn table(entry: &ToolEntry) -> Table {
    Table::new(entry.def(), entry.def().input_schema().unwrap().schema())
}

/// A text as one line, since pages break theirs; Markdown's code marks are kept.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_tool_is_in_exactly_one_section_and_in_the_list() {
    let program = Program::new();
    let page = program.prints(&["--help"]);
    let listed = program.listed();
    for entry in program.registry.iter().filter(|entry| !entry.def().hidden) {
        assert_eq!(listed.iter().filter(|row| row["name"] == entry.name()).count(), 1, "{}", entry.name());
        let words = program.words(entry);
        let (group, word) = (&words[0], &words[1]);
        let sections = page.split("\n\n").filter(|section| {
            section.lines().any(|line| line.split_whitespace().next() == Some(word))
                && section.trim_start().starts_with(&format!("{group}:"))
        });
        assert_eq!(sections.count(), 1, "{words:?}");
        let lines = page
            .lines()
            .filter(|line| line.starts_with(&format!("  {word} ")) && !line.trim_start().starts_with('-'));
        assert_eq!(lines.count(), 1, "{words:?}");
    }
    assert_eq!(listed.len(), program.registry.len());
}

#[test]
fn the_text_of_every_parameter_is_in_its_help_and_its_schema() {
    let program = Program::new();
    for entry in program.registry.iter() {
        let words = program.words(entry);
        let argv = |option| [words.iter().map(String::as_str).collect(), vec![option]].concat();
        let page = flat(&program.prints(&argv("--help")));
        let schema: Value = serde_json::from_str(&program.prints(&argv("--schema"))).unwrap();
        for param in entry.def().params {
            let text = flat(&param.doc.text());
            let lower = text.get(1..).unwrap_or_default();
            assert!(page.contains(lower), "{} of {words:?}: {text}", param.name);
            let described = schema["properties"][param.name]["description"].as_str().unwrap_or_default();
            assert!(flat(described).contains(&text), "{} of {words:?} in its schema", param.name);
        }
    }
}

#[test]
fn every_option_is_read_and_shown_by_help_completion_and_manual_or_is_hidden() {
    let program = Program::new();
    let script = program.prints(&["completions", "bash"]);
    program.prints(&["man", "--out", "pages"]);
    let mut shown = 0;
    for entry in program.registry.iter() {
        let words = program.words(entry);
        let page = program.prints(&[words.iter().map(String::as_str).collect(), vec!["--help"]].concat());
        let manual = program.directory.path().join("pages").join(format!("toolbox-{}.1", words.join("-")));
        let manual = plain(&std::fs::read_to_string(manual).unwrap());
        let table = table(entry);
        assert!(!is_read(&program, &words, "quite-unknown"), "{words:?} reads anything");
        for spelling in &table.spellings {
            assert!(
                is_read(&program, &words, &spelling.long),
                "--{} of {words:?} is not read",
                spelling.long
            );
            let both = spelling.long.strip_prefix("no-").unwrap_or(&spelling.long);
            let in_page = |text: &str| {
                let forms = [format!("--{}", spelling.long), format!("--[no-]{both}")];
                forms.iter().any(|form| has_word(text, form))
            };
            let options = options_of(&script, &words);
            let places = [
                in_page(&page),
                in_page(&manual),
                options.contains(&format!("--{}", spelling.long).as_str()),
            ];
            let secret = spelling.effect == Effect::Refuse;
            assert!(!(secret && spelling.listed));
            assert_eq!(places, [spelling.listed; 3], "--{} of {words:?}", spelling.long);
            shown += usize::from(spelling.listed);
        }
    }
    assert!(shown > 50, "{shown} options");
}

/// Whether the lexer knows an option, whatever it then thinks of the value.
fn is_read(program: &Program, words: &[String], long: &str) -> bool {
    let option = format!("--{long}=?");
    let argv: Vec<&str> =
        words.iter().map(String::as_str).chain(["--json", "--dry-run", option.as_str()]).collect();
    let (code, stdout, stderr) = program.run(&argv);
    if code == ExitCode::SUCCESS {
        assert!(stdout.contains("\"dry_run\":true"), "{argv:?}: {stdout}");
        return true;
    }
    // Nothing but a call that was read to its end says so: warnings may stand in front of it.
    let told: Value = serde_json::from_str(stderr.lines().last().unwrap()).unwrap();
    let issues = told["error"]["issues"].as_array().unwrap_or_else(|| panic!("{argv:?}: {stderr}"));
    let flags = told["error"]["details"]["flags"].as_array().unwrap();
    assert!(!issues.is_empty() && issues.len() == flags.len(), "{argv:?}: {stderr}");
    let flag = format!("--{long}");
    !issues.iter().zip(flags).any(|(issue, at)| issue["code"] == "unknown" && *at == flag)
}

/// A manual page without the marks of fonts and the escapes.
fn plain(page: &str) -> String {
    ["\\fB", "\\fI", "\\fR", "\\"].iter().fold(page.to_owned(), |page, mark| page.replace(mark, ""))
}

/// The words that the script of bash offers behind a command.
fn options_of<'s>(script: &'s str, words: &[String]) -> Vec<&'s str> {
    let path: Vec<String> = words.iter().map(|word| word.replace('-', "__subcmd__")).collect();
    let head = format!("toolbox__subcmd__{})\n", path.join("__subcmd__"));
    let options = script.split(&head).nth(1).unwrap().split("opts=\"").nth(1).unwrap();
    options.split('"').next().unwrap().split(' ').collect()
}

/// Whether a page has an option as a whole, not as the beginning of a longer one.
fn has_word(page: &str, option: &str) -> bool {
    page.match_indices(option).any(|(at, _)| {
        let next = page[at + option.len()..].chars().next();
        next.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '-' && c != '.')
    })
}
