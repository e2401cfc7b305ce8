//! What a command line builds: the schema of the one tool that it is about. Alone in its program: the counter is that of
//! the process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at what it cannot build")]

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::json;
use tool_cli::{Cli, ExitCode, Io};
use tool_core::prelude::*;
use tool_core::{Behavior, DynTool, Registry};

/// How often the type that panics was asked for its schema.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// A type that cannot say what it is.
#[derive(Debug, Deserialize)]
struct Broken(());

impl JsonSchema for Broken {
    fn schema_name() -> Cow<'static, str> {
        "Broken".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        ASKED.fetch_add(1, Ordering::Relaxed);
        panic!("no schema")
    }
}

/// Breaks.
#[tool(group = "shop", register = false)]
fn break_shop(
    /// What cannot be described.
    thing: Broken,
) {
    let Broken(()) = thing;
}

/// Greets somebody.
#[tool(group = "shop", register = false)]
fn greet(
    /// Who is greeted.
    #[arg(positional)]
    name: &str,
    /// How often.
    #[arg(range = 1..=3, default = 1)]
    times: u32,
) -> String {
    format!("hello {name}").repeat(times as usize)
}

/// Thanks somebody.
#[tool(group = "shop", register = false)]
fn thank(
    /// Who is thanked.
    #[arg(positional)]
    name: &str,
) -> String {
    format!("thanks {name}")
}

/// Many tools, and the one that breaks.
fn program(many: usize) -> Cli {
    let base = Registry::builder().add::<BreakShopTool>().add::<GreetTool>().add::<ThankTool>();
    let all = (0..many).fold(base, |builder, number| {
        let tool = DynTool::builder(format!("search_{number}"))
            .description("Searches.")
            .behavior(Behavior::READ)
            .input_schema(json!({"type": "object", "properties": {"query": {"type": "string"}}, "additionalProperties": false}))
            .handler_sync(|_, _| Ok(ToolOutput::text("found")))
            .build();
        builder.add_dyn(tool.unwrap())
    });
    Cli::new(all.build().unwrap()).name("demo").version("1.0.0")
}

#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Exit status and streams of a run, and how many schemas it built.
fn run(cli: &Cli, line: &str) -> (ExitCode, String, String, usize) {
    let (stdout, stderr) = (Sink::default(), Sink::default());
    let io = Io { stdout: Box::new(stdout.clone()), stderr: Box::new(stderr.clone()), ..Io::detached("/") };
    let before = Registry::built();
    let code = cli.run_from(line.split(' ').filter(|word| !word.is_empty()), io);
    let text = |sink: &Sink| String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
    (code, text(&stdout), text(&stderr), Registry::built() - before)
}

/// Command lines that are about no tool or about one, in this order, and the schemas that they build.
const LINES: [(&str, u8, usize); 17] = [
    ("--version", 0, 0),
    ("", 2, 0),
    ("-h", 0, 0),
    ("--help", 0, 0),
    ("shop -h", 0, 0),
    ("shop --help", 0, 0),
    // That of `help` itself, once.
    ("help shop", 0, 1),
    ("shop gret", 3, 0),
    ("search-500 --help", 0, 1),
    ("search-501 --query x", 0, 1),
    ("search-502 --qery x", 2, 1),
    ("call search_503", 0, 2),
    ("help search-504", 0, 1),
    ("search-505 --schema", 0, 1),
    ("shop greet -h", 0, 1),
    ("shop greet Ann", 0, 0),
    ("shop thank Ann --dry-run", 0, 1),
];

/// Commands that tell of every tool.
const ALL: [&str; 8] = [
    "tools list -o text",
    "tools list -o json",
    "--llms",
    "skill --group shop",
    "completions bash",
    "completions nushell",
    "man",
    "tools show greet",
];

#[test]
fn no_other_tool_is_built_and_one_that_cannot_be_goes_unnoticed() {
    let cli = program(1000);
    assert_eq!(Registry::built(), 0);
    for (line, code, schemas) in LINES {
        let (found, _, stderr, built) = run(&cli, line);
        assert_eq!((found, built), (ExitCode(code), schemas), "demo {line}: {stderr}");
    }
    let (code, stdout, _, built) = run(&cli, "tools list -o text");
    assert_eq!((code, built), (ExitCode::SUCCESS, 1), "the one of the command itself");
    assert!(stdout.contains("shop break"), "{stdout}");
    assert_eq!(ASKED.load(Ordering::Relaxed), 0);

    for line in ALL {
        let (code, stdout, stderr, _) = run(&cli, line);
        assert_eq!((code, stderr.as_str()), (ExitCode::SUCCESS, ""), "demo {line}");
        assert!(!stdout.is_empty(), "demo {line}");
    }
    let (_, page, _, _) = run(&cli, "--llms");
    assert!(page.contains("demo shop break") && page.contains("demo shop greet <NAME>"), "{page}");
    assert_eq!(ASKED.load(Ordering::Relaxed), 1, "asked once by those who tell of all, and kept");

    for line in ["shop break --help", "shop break --thing 1", "tools show break_shop", "tools schema"] {
        let (code, stdout, stderr, _) = run(&cli, line);
        assert_ne!(code, ExitCode::SUCCESS, "demo {line}: {stdout}");
        assert!(stderr.contains("break_shop"), "demo {line}: {stderr}");
    }
    // Those who look for what is wrong find it, and go on.
    for line in ["tools check", "doctor -o text"] {
        let (code, stdout, stderr, _) = run(&program(1), line);
        assert_eq!((code, stderr.as_str()), (ExitCode::FAILURE, ""), "demo {line}");
        assert!(stdout.contains("break_shop") && stdout.contains("search_0"), "demo {line}: {stdout}");
    }
}
