//! Completion in the shells themselves: they accept the scripts, and complete half-typed words with them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test, and tell why they are skipped"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[allow(dead_code, reason = "not every test that starts programs needs all of them")]
#[path = "terminal/program.rs"]
mod program;
#[allow(dead_code, reason = "not every test at a terminal needs all of it")]
#[path = "terminal/pty.rs"]
mod pty;
#[allow(dead_code, reason = "nobody looks at this terminal")]
#[path = "terminal/screen.rs"]
mod screen;

/// A half-typed line, and what its last word becomes.
const LINES: [(&str, &str); 27] = [
    ("demo sto", "store"),
    ("demo store sea", "search"),
    ("demo tools li", "list"),
    ("demo store search --li", "--limit"),
    ("demo store search lamp --level hi", "high"),
    ("demo -o yam", "yaml"),
    ("demo probe fail con", "conflict"),
    ("demo completions po", "powershell"),
    ("demo store search --dry", "--dry-run"),
    ("demo login --password-file no", "notes.txt"),
    // The plain option of a secret is refused, so it is not offered.
    ("demo login --pass", "--password-file"),
    // Behind `=`, where readline breaks words.
    ("demo --format=ya", "--format=yaml"),
    ("demo store search lamp --level=hi", "--level=high"),
    ("demo login --password-file=no", "--password-file=notes.txt"),
    ("demo --color=never store sea", "search"),
    // Files, alone and behind `@`, where readline breaks words too.
    ("demo call --jsonl no", "notes.txt"),
    ("demo ping --input @no", "@notes.txt"),
    ("demo note write Title --body @no", "@notes.txt"),
    ("demo note write Title --body=@no", "--body=@notes.txt"),
    ("demo draw shapes --shape @fold", "@folder/"),
    ("demo store assign 1 --owner @folder/in", "@folder/inner.txt"),
    // Names of tools, and the words of pages.
    ("demo call store_sea", "store_search"),
    ("demo call store_search --sel", "--select"),
    ("demo tools show write_", "write_note"),
    ("demo help sto", "store"),
    ("demo help store sea", "search"),
    ("demo help exit", "exit-codes"),
];

/// Words that no shell offers: hidden options and tools, deprecated ones, and what is no option at all.
const HIDDEN: [&str; 10] = [
    "demo deploy app --trace",
    "demo store loc",
    "demo read",
    "demo -o xm",
    "demo note ra",
    "demo note old",
    "demo deploy app --siz",
    "demo call old_ec",
    "demo call note_ra",
    // What begins with `@` is a handle here.
    "demo note write Title --handle @no",
];

/// Whether a shell is there; without it a test says so and is over.
fn has(shell: &str) -> bool {
    let found = Command::new(shell).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        tool_trials::skip(&format!("no {shell}"));
    }
    found
}

/// A directory with the script under the name that its shell looks for, and a file to complete.
fn prepared(shell: &str, script: &str) -> (tool_trials::Directory, PathBuf) {
    prepared_by(Command::new(env!("CARGO_BIN_EXE_demo")).args(["completions", shell]), script)
}

/// The same with the script by which the shell asks the program.
fn asking(shell: &str, script: &str) -> (tool_trials::Directory, PathBuf) {
    prepared_by(Command::new(env!("CARGO_BIN_EXE_demo")).env("COMPLETE", shell), script)
}

fn prepared_by(print: &mut Command, script: &str) -> (tool_trials::Directory, PathBuf) {
    let directory = tool_trials::directory();
    let printed = print.output().unwrap();
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    let script = directory.path().join(script);
    std::fs::write(&script, printed.stdout).unwrap();
    std::fs::create_dir(directory.path().join("folder")).unwrap();
    for file in ["notes.txt", "two words.txt", "folder/inner.txt"] {
        std::fs::write(directory.path().join(file), "").unwrap();
    }
    (directory, script)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

fn run(directory: &Path, command: &mut Command) -> Output {
    command
        .current_dir(directory)
        .env("HOME", directory)
        .env("PATH", path())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Where programs are looked for: the demo is one of them, for shells that ask it.
fn path() -> String {
    let demo = Path::new(env!("CARGO_BIN_EXE_demo")).parent().unwrap();
    format!("{}:{}", demo.display(), std::env::var("PATH").unwrap())
}

fn accepts(shell: &str, script: &Path) {
    let checked = Command::new(shell).arg("-n").arg(script).output().unwrap();
    assert!(checked.status.success() && checked.stderr.is_empty(), "{shell} -n: {}", text(&checked.stderr));
}

fn driver(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("shells").join(name)
}

/// An interactive bash at a terminal, which has the script.
struct Bash {
    terminal: pty::Pty,
    answers: PathBuf,
    asked: usize,
}

impl Bash {
    /// `setup` is a command that bash runs before all others.
    fn start(directory: &Path, script: &Path, setup: &str) -> Bash {
        let answers =
            tempfile::Builder::new().tempfile_in(directory).unwrap().into_temp_path().keep().unwrap();
        let line = format!("cd {} && exec bash --norc --noprofile -i", directory.display());
        let home = directory.display().to_string();
        let path = path();
        let env = [("HOME", home.as_str()), ("INPUTRC", "/dev/null"), ("PATH", path.as_str())];
        let mut terminal = pty::start(&line, &env);
        // Ctrl-T writes down what the line has become.
        let report = format!("printf '%s\\n' \"$READLINE_LINE\" >> {}", answers.display());
        let bound = format!("report() {{ {report}; }}; bind -x '\"\\C-t\": report'");
        // The prompt is there when keys no longer go to the terminal itself, which has its own idea of Ctrl-U.
        terminal.send(&format!("{setup}; source {}; {bound}; PS1='Ty''pe: '\n", script.display()));
        terminal.expect("Type: ");
        Bash { terminal, answers, asked: 0 }
    }

    /// What a line becomes when Tab is pressed.
    fn complete(&mut self, line: &str) -> String {
        // Ctrl-U takes the line away.
        self.terminal.send(&format!("{line}\t\u{14}\u{15}"));
        self.asked += 1;
        let told = || std::fs::read_to_string(&self.answers).unwrap();
        program::until(line, || told().lines().count() == self.asked);
        told().lines().last().unwrap().trim_end().to_owned()
    }
}

#[test]
fn bash_completes_words_options_choices_and_paths() {
    if !has("bash") || !has("setsid") {
        return;
    }
    let (directory, script) = prepared("bash", "demo.bash");
    accepts("bash", &script);
    // With readline's own idea of what breaks a word, and with that of people who changed it.
    for setup in [":", "COMP_WORDBREAKS=${COMP_WORDBREAKS//[=@:]/}"] {
        let mut bash = Bash::start(directory.path(), &script, setup);
        for (line, word) in LINES {
            let head = line.rsplit_once(' ').unwrap().0;
            assert_eq!(bash.complete(line), format!("{head} {word}"), "{setup}: {line}");
        }
        for line in HIDDEN {
            assert_eq!(bash.complete(line), line, "{setup}");
        }
        assert_eq!(bash.complete("demo ping --input @two"), "demo ping --input @two\\ words.txt", "{setup}");
        bash.terminal.send("exit\n");
        bash.terminal.kept();
    }
}

/// What fish offers for a line, one word behind the other.
fn fish(directory: &Path, script: &Path, line: &str) -> String {
    let order = format!("source {}; complete -C '{line}'", script.display());
    let done = run(directory, Command::new("fish").args(["--no-config", "-c", &order]));
    assert!(done.stderr.is_empty(), "{line}: {}", text(&done.stderr));
    let shown = text(&done.stdout);
    let words: Vec<&str> = shown.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
    words.join(" ")
}

/// What a line becomes in zsh when Tab is pressed.
fn zsh(directory: &Path, line: &str) -> String {
    let answer = tool_trials::directory();
    let file = answer.path().join("line");
    let mut zsh = Command::new("zsh");
    text(&run(directory, zsh.arg("-f").arg(driver("zsh.zsh")).arg(directory).arg(&file).arg(line)).stdout)
}

#[test]
fn fish_completes_words_options_choices_and_paths() {
    if !has("fish") {
        return;
    }
    let (directory, script) = prepared("fish", "demo.fish");
    accepts("fish", &script);
    let complete = |line: &str| fish(directory.path(), &script, line);
    for (line, word) in LINES {
        assert_eq!(complete(line), word, "{line}");
    }
    for line in HIDDEN {
        assert_eq!(complete(line), "", "{line}");
    }
}

#[test]
fn zsh_completes_words_options_choices_and_paths() {
    if !has("zsh") {
        return;
    }
    let (directory, script) = prepared("zsh", "_demo");
    accepts("zsh", &script);
    let complete = |line: &str| zsh(directory.path(), line);
    for (line, word) in LINES {
        let head = line.rsplit_once(' ').unwrap().0;
        // zsh adds the `=` behind which a value may stand.
        assert_eq!(complete(line).trim_end_matches('='), format!("{head} {word}"), "{line}");
    }
    for line in HIDDEN {
        assert_eq!(complete(line), line, "{line}");
    }
}

#[test]
fn shells_that_ask_the_program_complete_the_same() {
    if !has("bash") || !has("setsid") || !has("fish") {
        return;
    }
    let (in_bash, script) = asking("bash", "demo.bash");
    accepts("bash", &script);
    for setup in [":", "COMP_WORDBREAKS=${COMP_WORDBREAKS//[=@:]/}"] {
        let mut bash = Bash::start(in_bash.path(), &script, setup);
        for (line, word) in LINES {
            let head = line.rsplit_once(' ').unwrap().0;
            assert_eq!(bash.complete(line), format!("{head} {word}"), "{setup}: {line}");
        }
        bash.terminal.send("exit\n");
        bash.terminal.kept();
    }
    let (in_fish, script) = asking("fish", "demo.fish");
    accepts("fish", &script);
    for (line, word) in LINES {
        assert_eq!(fish(in_fish.path(), &script, line), word, "{line}");
    }
}

/// What the script tells elvish of a half-typed line: the shell itself keeps what begins with the last word.
const ELVISH: [(&str, &[&str]); 6] = [
    ("demo sto", &["store"]),
    ("demo store search lamp --level hi", &["low", "high"]),
    ("demo --color=ne", &["--color=auto", "--color=always", "--color=never"]),
    ("demo -o ya", &["text", "json", "jsonl", "yaml", "table"]),
    ("demo store search lamp --li", &["--limit"]),
    ("demo --color never store sea", &["search"]),
];

#[test]
fn elvish_completes_words_options_and_choices() {
    if !has("elvish") || !has("setsid") {
        return;
    }
    let (directory, script) = prepared("elvish", "demo.elv");
    let at = |name: &str| directory.path().join(name).display().to_string();
    let home = directory.path().display().to_string();
    let mut terminal = pty::start("exec elvish -norc", &[("HOME", home.as_str())]);
    let text_of = "{|c| if (eq (kind-of $c) string) { echo $c } else { echo $c[stem] } }";
    let mut order = format!("eval (slurp < {})", script.display());
    for (row, (line, _)) in ELVISH.iter().enumerate() {
        let ask = format!("$edit:completion:arg-completer[demo] {line} | each {text_of}");
        order.push_str(&format!("; {ask} > {}", at(&row.to_string())));
    }
    terminal.send(&format!("{order}; echo > {}\r", at("told")));
    program::until("elvish", || Path::new(&at("told")).exists());
    for (row, (line, words)) in ELVISH.iter().enumerate() {
        let told = std::fs::read_to_string(at(&row.to_string())).unwrap();
        let told: Vec<&str> = told.lines().collect();
        assert!(words.iter().all(|word| told.contains(word)), "{line}: {told:?}");
        // Choices stand alone.
        assert!(words.len() == 1 || told == *words, "{line}: {told:?}");
    }
    terminal.send("exit\r");
    terminal.kept();
}

#[test]
fn shells_whose_scripts_clap_leaves_without_choices_have_those_of_every_option() {
    let print = |shell: &str| {
        let printed = Command::new(env!("CARGO_BIN_EXE_demo")).args(["completions", shell]).output().unwrap();
        text(&printed.stdout)
    };
    let (powershell, elvish) = (print("powershell"), print("elvish"));
    for (option, words) in [
        ("demo;store;search --level", &["low", "high"][..]),
        ("demo;store;search --format", &["text", "json", "jsonl", "yaml", "table"]),
        ("demo;store;search -o", &["text", "json", "jsonl", "yaml", "table"]),
        ("demo --color", &["auto", "always", "never"]),
        ("demo;tools;list --color", &["auto", "always", "never"]),
    ] {
        let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let line = format!("'{option}' {{ {} }}", words.join(", "));
        assert_eq!(powershell.lines().filter(|found| found.trim() == line).count(), 1, "{line}");
        let line = format!("&'{option}'= [{}]", words.join(" "));
        assert_eq!(elvish.lines().filter(|found| found.trim() == line).count(), 1, "{line}");
    }
    // Nothing is left of what stands for what a program has.
    for mark in ["PROGRAM", "PATHS", "CHOICES"] {
        assert!(!powershell.contains(mark) && !elvish.contains(mark), "{mark}");
    }
}

#[test]
fn the_other_shells_have_a_script_with_every_group() {
    for (shell, mark) in [
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "set edit:completion"),
        ("nushell", "export extern"),
    ] {
        let printed = Command::new(env!("CARGO_BIN_EXE_demo")).args(["completions", shell]).output().unwrap();
        let script = text(&printed.stdout);
        assert!(script.contains(mark), "{shell}");
        assert!(script.contains("store_search") && script.contains("exit-codes"), "{shell}");
        for group in ["deploy", "draw", "file", "math", "note", "probe", "process", "store"] {
            assert!(script.contains(group), "{shell}: {group}");
        }
        let mut words = script.split(|c: char| !c.is_alphanumeric() && !"_-".contains(c));
        assert!(!words.any(|word| ["trace-id", "cat_file"].contains(&word)), "{shell}");
    }
}
