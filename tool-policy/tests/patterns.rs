//! Patterns of commands, paths and recipients: which are none and why, and what commands they mean. (calls.md §4)

#![allow(clippy::unwrap_used, reason = "a test may stop at what it cannot build")]

use std::sync::Arc;

use serde_json::json;
use tool_core::prelude::*;
use tool_core::{Call, Caller, Executor, Registry};
use tool_policy::{Paths, Policy, Syntax};

/// Reads.
#[tool(register = false)]
fn read(
    /// What.
    #[arg(hint = "file")]
    path: &str,
) -> String {
    path.to_owned()
}

/// Sends.
#[tool(side_effect, idempotent = false, register = false)]
fn send(
    /// To whom.
    #[arg(hint = "email")]
    to: &str,
) -> String {
    to.to_owned()
}

/// Runs a program.
#[tool(side_effect, idempotent = false, register = false)]
fn run(
    /// The program with its arguments.
    #[arg(hint = "command")]
    command: Vec<String>,
) -> String {
    command.join(" ")
}

/// What becomes of a pattern of a tool's list: why it is none; nothing where it is one.
fn refused(tool: &str, list: &str, pattern: &str) -> Option<String> {
    let registry = Registry::builder().add::<RunTool>().add::<ReadTool>().add::<SendTool>().build().unwrap();
    let text = format!(
        "version = 1\n[agents.bot]\ntools = [\"*\"]\n[agents.bot.tool_config.{tool}]\n{list} = [{}]\n",
        json!(pattern)
    );
    let loaded = Policy::load("p.toml", &text, Syntax::Toml, &registry, Paths::new("/work"));
    loaded.err().map(|error| error.mistakes.first().unwrap().text.rsplit_once("here: ").unwrap().1.to_owned())
}

#[test]
fn patterns_that_could_be_meant_otherwise_are_refused_and_say_what_is_right() {
    let program = Some("a program is a name, or an absolute path".to_owned());
    for (pattern, expected) in [
        ("ls", None),
        ("/bin/ls", None),
        ("bin/ls", program.clone()),
        ("'' a", program),
        ("l*", Some("the program is named exactly".to_owned())),
        ("", Some("it is empty".to_owned())),
        ("ls 'a", Some("a quote is left open".to_owned())),
    ] {
        assert_eq!(refused("run", "allowed_commands", pattern), expected, "{pattern}");
    }
    for (pattern, expected) in [
        ("/", None),
        ("src/", Some("it ends in `/`; write `dir` or `dir/**`")),
        ("~/a", Some("`~` is not read here; write the directory out")),
        ("", Some("it is empty")),
        ("a/../b", Some("`..` may not stand in it")),
        ("a**/b", Some("`**` must be a whole segment")),
        ("a/**/b", None),
        ("./a//b/.", None),
    ] {
        assert_eq!(refused("read", "allowed_paths", pattern).as_deref(), expected, "{pattern}");
    }
    assert!(refused("read", "allowed_paths", "a/[").is_some());
    let form = Some("write local@domain, *@domain, *@*.domain or *".to_owned());
    for (pattern, is_one) in [
        ("me@a.example", true),
        ("m!e+x@a.example", true),
        ("mé@a.example", true),
        ("*@a.example", true),
        ("*@*.example", true),
        ("*", true),
        ("@a.example", false),
        ("m e@a.example", false),
        ("m*@a.example", false),
        ("a@b@c.example", false),
        ("me@", false),
        ("me", false),
    ] {
        assert_eq!(
            refused("send", "allowed_recipients", pattern),
            if is_one { None } else { form.clone() },
            "{pattern}"
        );
    }
}

#[test]
fn a_program_is_allowed_by_its_name_and_denied_wherever_it_lies() {
    let code = |rules: &str, command: &[&str]| {
        let registry = Registry::builder().add::<RunTool>().build().unwrap();
        let text = format!(
            "version = 1\n[agents.bot]\ntools = [\"*\"]\napprove = \"never\"\n[agents.bot.tool_config.run]\n{rules}\n"
        );
        let policy = Policy::load("p.toml", &text, Syntax::Toml, &registry, Paths::new("/work")).unwrap();
        let executor = Executor::standard(registry).policy(Arc::new(policy)).build().unwrap();
        let ctx = ToolContext::builder().agent("bot").build();
        let called = executor.call_blocking(Call::new("run", json!({"command": command})), &ctx, Caller::Llm);
        called.err().map(|error| error.code_str().to_owned()).unwrap_or_default()
    };
    let denied = "denied_commands = [\"rm\"]";
    for (rules, command, expected) in [
        // Without arguments in the pattern any may follow.
        (denied, ["rm", "a"].as_slice(), "command_denied"),
        (denied, &["rm"], "command_denied"),
        (denied, &["/bin/rm"], "command_denied"),
        (denied, &["ls"], ""),
        ("denied_commands = [\"/usr/bin/rm *\"]", &["rm", "a"], "command_denied"),
        ("allowed_commands = [\"ls *\"]", &["ls", "a"], ""),
        ("allowed_commands = [\"ls *\"]", &["/bin/ls", "a"], "command_not_allowed"),
        ("allowed_commands = [\"ls\"]", &["cat"], "command_not_allowed"),
        ("allowed_commands = [\"ls\"]", &["ls", "a"], ""),
        ("allowed_commands = [\"git log *\"]", &["git", "log"], ""),
        ("allowed_commands = [\"git log *\"]", &["git", "push"], "command_not_allowed"),
        ("allowed_commands = [\"git log -?\"]", &["git", "log", "-p"], ""),
        ("allowed_commands = [\"git log -?\"]", &["git", "log", "-p", "x"], "command_not_allowed"),
    ] {
        assert_eq!(code(rules, command), expected, "{rules} {command:?}");
    }
}
