//! Kits share nothing, on any surface. (testing.md, acceptance 5)

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests may fail the test")]

use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::json;
use tokio::task::JoinSet;
use tool_cli::test::CliExt as _;
use tool_core::prelude::*;
use tool_core::test::{ToolKit, Tree, answer};
use tool_core::{Clock, Registry};
use tool_mcp::Era;
use tool_mcp::test::McpExt as _;
use tool_std::Workspace;
use tool_std::file::{DeleteFileTool, ReadFileTool, WriteFileTool};
use tool_std::test::{FilesExt as _, WorkspaceExt as _};

/// 2026-01-01T00:00:00Z.
const BEGINNING: u64 = 1_767_225_600;

/// Tells who it is for.
#[tool(register = false, requires(secret = "OWNER_KEY"))]
fn whose(
    #[ctx] clock: &dyn Clock,
    #[ctx] workspace: &Workspace,
    ctx: &ToolContext,
) -> Result<String, ToolError> {
    let path = workspace.resolve("name.txt".as_ref())?;
    let name = String::from_utf8(workspace.read(&path)?).unwrap_or_default();
    let key = ctx.secret("OWNER_KEY")?;
    let today = clock.wall().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{name} {} {}", key.expose().len(), today.as_secs()))
}

fn registry() -> Registry {
    let tools = Registry::builder().add::<WhoseTool>().add::<ReadFileTool>().add::<WriteFileTool>();
    tools.add::<DeleteFileTool>().build().unwrap()
}

/// What one kit does among all others; nothing that it sees is another's.
fn alone(n: usize, all: &Barrier) {
    let name = format!("kit {n}");
    let mut tree = Tree::new();
    tree.add("name.txt", name.clone());
    let form = ["json", "yaml"][n % 2];
    let kit = ToolKit::of(registry())
        .clock(format!("2026-01-01T{:02}:{:02}:00Z", n / 60, n % 60))
        .env([("TOOL_FORMAT", form)])
        .secret("OWNER_KEY", "k".repeat(n + 1))
        .answers([answer::yes("delete_file").with(move |args| args["path"] == format!("{n}.txt"))])
        .files(tree)
        .build();
    all.wait();
    kit.advance(Duration::from_secs(1_000));
    let expected = format!("{name} {} {}", n + 1, BEGINNING + n as u64 * 60 + 1_000);
    let told: String = kit.tool(WhoseTool).run_blocking().unwrap().parse().unwrap();
    assert_eq!(told, expected);
    let written = kit.call_blocking("write_file", json!({"path": format!("{n}.txt"), "content": name}));
    assert_eq!(written.unwrap().audit().unwrap().seq, kit.audit()[1].seq);
    // The form of the output is that of the kit's environment.
    let run = kit.cli(["call", "whose"]).run();
    let text = serde_json::Value::from(expected.as_str());
    match form {
        "json" => assert_eq!(run.document(), Some(text), "{run:?}"),
        _ => assert_eq!(run.stdout().trim(), expected, "{run:?}"),
    }
    assert_eq!(kit.call_mcp_blocking(Era::ALL[n % 2], "whose", json!({})).data(), Some(json!(expected)));
    let listed = kit.tools_mcp_blocking(Era::ALL[n % 2]);
    assert!(listed.iter().any(|tool| tool["name"] == "whose"), "{listed:?}");
    all.wait();
    assert_eq!(kit.files().paths().len(), 2, "{:?}", kit.files());
    kit.call_blocking("delete_file", json!({"path": format!("{n}.txt")})).unwrap();
    assert_eq!(kit.files().file("name.txt"), Some(name.as_bytes()));
    let root = kit.root().to_owned();
    drop(kit);
    assert!(!root.exists());
}

#[test]
fn sixty_four_kits_in_parallel_threads_see_nothing_of_each_other() {
    let all = Barrier::new(tool_trials::KITS);
    thread::scope(|scope| {
        for n in 0..tool_trials::KITS {
            let all = &all;
            scope.spawn(move || alone(n, all));
        }
    });
}

/// Whoever waits at a door, until nobody wants them to.
#[derive(Default)]
struct Waiting(Mutex<JoinSet<()>>);

/// Has somebody wait at the door.
#[tool(register = false)]
async fn have_wait(#[ctx] waiting: &Waiting) -> usize {
    let mut waiting = waiting.0.lock().unwrap();
    waiting.spawn(std::future::pending());
    waiting.len()
}

#[tokio::test]
async fn what_a_client_was_served_by_is_gone_with_the_client_and_so_are_its_tasks() {
    for era in Era::ALL {
        let tools = Registry::builder().add::<HaveWaitTool>().build().unwrap();
        let kit = ToolKit::of(tools).provide_new(Waiting::default).build();
        let client = kit.mcp(era).await;
        for count in 1..=2 {
            assert_eq!(client.call("have_wait", json!({})).await.data(), Some(json!(count)));
        }
        drop(client);
        // Those who wait would be told to be left if the server still held the door.
        drop(kit);
    }
}
