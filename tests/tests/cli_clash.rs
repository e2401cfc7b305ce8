//! A program whose commands clash tells all of it and runs nothing. (cli.md §2, acceptance 15)

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tests::captured::Captured;
use tool_cli::{Cli, ExitCode, Io};
use tool_core::args::Args;
use tool_core::def::{
    Cache, CliDef, Doc, Handler, Origin, ParamDef, ParamKeys, ParamKind, Run, SchemaSource,
};
use tool_core::{Registry, ToolDef, ToolError, ToolOutput};

/// Whether any tool ran.
static RAN: AtomicBool = AtomicBool::new(false);

fn enter(_: &mut Args<'_>) -> Result<Run, ToolError> {
    Ok(Run::blocking(|_| {
        RAN.store(true, Ordering::Relaxed);
        Ok(ToolOutput::text("ran"))
    }))
}

/// A tool as only a hand can write it: the macro refuses what is reserved.
fn tool(
    name: &'static str,
    group: &'static str,
    line: u32,
    params: Vec<ParamDef<'static>>,
) -> &'static ToolDef<'static> {
    let cache: &'static Cache = Box::leak(Box::default());
    let origin =
        Origin { krate: "shop", version: "1.0.0", module: "shop::tools", file: "src/tools.rs", line };
    let base = ToolDef::new(name, Doc::Text("A tool."), Handler::Sync(enter), origin, cache);
    Box::leak(Box::new(ToolDef { group: Some(group), params: Box::leak(params.into()), ..base }))
}

fn option(name: &'static str, short: Option<char>) -> ParamDef<'static> {
    let schema = SchemaSource::Given(Box::leak(Box::new(json!({"type": "string"}))));
    let base = ParamDef::new(name, Doc::Text("Text."), ParamKind::Optional, schema);
    let keys = ParamKeys::NONE.cli(CliDef { short, ..CliDef::NONE });
    ParamDef { keys: Box::leak(Box::new(keys)), ..base }
}

fn run(tools: &[&'static ToolDef<'static>], argv: &[&str]) -> (ExitCode, String) {
    let registry =
        tools.iter().fold(Registry::builder(), |builder, def| builder.add_def(def)).build().unwrap();
    let stderr = Captured::default();
    let io = Io { stderr: Box::new(stderr.clone()), ..Io::detached("/") };
    let code = Cli::new(registry).name("demo").run_from(argv, io);
    let text = stderr.text();
    (code, text)
}

#[test]
fn every_clash_is_a_line_with_its_origins_and_nothing_runs() {
    let fine = tool("list_files", "file", 9, vec![option("limit", Some('n'))]);
    let clashing = [
        fine,
        tool("read_file", "file", 1, vec![]),
        tool("file_read", "file", 2, vec![]),
        tool("send_mail", "mail", 3, vec![]),
        tool("mail_send", "mail", 4, vec![]),
        tool("draw", "shape", 5, vec![option("format", None), option("outline", Some('o'))]),
    ];
    for argv in [&["file", "list"][..], &["mail", "send"], &["--help"]] {
        let (code, stderr) = run(&clashing, argv);
        assert_eq!((code, RAN.load(Ordering::Relaxed)), (ExitCode(1), false), "{argv:?}");
        let mut lines: Vec<&str> =
            stderr.lines().map(|line| line.trim_start_matches("error[cli_clash]: ")).collect();
        lines.sort_unstable();
        let expected = [
            "cli_clash: `--format` of `draw` meets global option: shop 1.0.0 src/tools.rs:5",
            "cli_clash: `-o` of `draw` meets global option: shop 1.0.0 src/tools.rs:5",
            "cli_clash: `file read` of `read_file` meets file_read: shop 1.0.0 src/tools.rs:2 and shop 1.0.0 src/tools.rs:1",
            "cli_clash: `mail send` of `send_mail` meets mail_send: shop 1.0.0 src/tools.rs:4 and shop 1.0.0 src/tools.rs:3",
        ];
        assert_eq!(lines, expected);
    }
    let (code, stderr) = run(&[fine], &["file", "list"]);
    assert_eq!((code, stderr.as_str(), RAN.load(Ordering::Relaxed)), (ExitCode::SUCCESS, "", true));
}
