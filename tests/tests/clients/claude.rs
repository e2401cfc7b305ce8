//! Claude Code: the settings of the project, the prompt on standard input.

use std::path::Path;

use serde_json::{Value, json};

use crate::installed::installed;
use crate::scene::{Client, EVERY_ISSUE, Scene};
use crate::server::text_of;

/// What it puts before the names of our tools.
const PREFIX: &str = "mcp__toolbox__";
/// What it may call without asking.
const ALLOWED: &str = "mcp__toolbox__read_file,mcp__toolbox__list_dir,mcp__diagnostic__test_image_content";

pub(crate) const CLIENT: Client = Client {
    name: "claude",
    package: "@anthropic-ai/claude-code@2.1.330",
    program: "claude",
    calls_itself: "claude-code",
    add: &["claude-code", "--scope", "project"],
    settle,
    arguments: |_, _| (arguments(Some(ALLOWED)), true),
    environment,
    offered,
    told_of_wrong_arguments: EVERY_ISSUE,
    is_connected,
};

/// The calls that nobody allowed are refused by the client, and the tool does not run.
pub(crate) fn denies_what_is_not_allowed() {
    static WARY: Client = Client { arguments: |_, _| (arguments(None), true), ..CLIENT };
    let Some(modules) = installed(&WARY) else { return };
    let scene = Scene::new(&WARY, &modules, &[]);
    let talk = scene.talk(r#"CALL write_file {"path":"b.txt","content":"b"}"#);
    assert!(talk.last().contains("permission"), "{}", talk.last());
    assert!(!scene.project().join("b.txt").exists());
    println!("claude: what is not allowed does not run");
}

/// The user's settings are edited by the client's own command, and it connects to what it finds there.
pub(crate) fn keeps_what_was_added() {
    let Some(modules) = installed(&CLIENT) else { return };
    let scene = Scene::new(&CLIENT, &modules, &[]);
    let said = |program: &Path, words: &[&str]| {
        let output = scene.command(program).args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let toolbox = tests::built::program("toolbox");
    let ours = |words: &[&str]| said(&toolbox, words);
    let claude = |words: &[&str]| said(Path::new("claude"), words);
    for (state, words) in [
        ("added: ", &["mcp", "add", "claude-code", "--name", "mine"][..]),
        ("unchanged: ", &["mcp", "add", "claude-code", "--name", "mine"]),
        ("replaced: ", &["mcp", "add", "claude-code", "--name", "mine", "--force", "--", "--read-only"]),
    ] {
        let told = ours(words);
        assert!(told.starts_with(state), "{told}");
        let seen = claude(&["mcp", "get", "mine"]);
        assert!(seen.contains("Connected") && seen.contains("User config"), "{seen}");
        assert_eq!(seen.contains("--read-only"), words.contains(&"--read-only"), "{seen}");
    }
    assert!(ours(&["mcp", "remove", "claude-code", "--name", "mine"]).starts_with("removed: "));
    assert!(ours(&["mcp", "remove", "claude-code", "--name", "mine"]).starts_with("absent: "));
    println!("claude: what was added is connected, and gone when it was removed");
}

fn arguments(allowed: Option<&str>) -> Vec<String> {
    let mut words: Vec<&str> =
        "-p --model claude-sonnet-4-5 --output-format stream-json --verbose --mcp-config .mcp.json \
         --strict-mcp-config --tools"
            .split_whitespace()
            .collect();
    words.push("");
    words.extend(allowed.iter().flat_map(|allowed| ["--allowed-tools", *allowed]));
    words.into_iter().map(str::to_owned).collect()
}

fn environment(scene: &Scene) -> Vec<(&'static str, String)> {
    let set = |name, value: &str| (name, value.to_owned());
    vec![
        ("ANTHROPIC_BASE_URL", scene.url()),
        set("ANTHROPIC_API_KEY", "loopback"),
        set("DISABLE_TELEMETRY", "1"),
        set("DISABLE_AUTOUPDATER", "1"),
        set("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        set("CLAUDE_CODE_MAX_RETRIES", "1"),
    ]
}

fn settle(scene: &Scene) {
    let file = scene.project().join(".mcp.json");
    let mut settings: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let command = tests::built::program("mcp-conformance");
    settings["mcpServers"]["diagnostic"] =
        json!({"type": "stdio", "command": command, "args": ["stdio"], "env": {}});
    std::fs::write(&file, settings.to_string()).unwrap();
}

fn offered(request: &Value) -> Vec<(String, String)> {
    let tools = request["tools"].as_array().unwrap().iter();
    tools
        .filter_map(|tool| {
            let name = tool["name"].as_str()?.strip_prefix(PREFIX)?;
            Some((name.to_owned(), text_of(&tool["description"])))
        })
        .collect()
}

fn is_connected(stdout: &str) -> bool {
    let first: Value = serde_json::from_str(stdout.lines().next().unwrap_or("")).unwrap_or_default();
    let servers = first["mcp_servers"].as_array().cloned().unwrap_or_default();
    servers.iter().any(|server| server["name"] == "toolbox" && server["status"] == "connected")
}
