//! Codex: its own settings directory, our model as a provider, the prompt on standard input.

use std::io::Write as _;

use serde_json::Value;

use crate::scene::{Client, EVERY_ISSUE, Scene};
use crate::server::text_of;

pub(crate) const CLIENT: Client = Client {
    name: "codex",
    package: "@openai/codex@0.169.0",
    program: "codex",
    calls_itself: "codex-mcp-client",
    add: &["codex"],
    settle,
    arguments,
    environment: |scene| {
        vec![("CODEX_HOME", scene.home().display().to_string()), ("LOOP_KEY", "loopback".to_owned())]
    },
    offered,
    told_of_wrong_arguments: EVERY_ISSUE,
    is_connected: |stdout| !stdout.contains("failed to start") && stdout.contains("mcp_tool_call"),
};

fn arguments(scene: &Scene, _: &str) -> (Vec<String>, bool) {
    let provider = [
        ("name", "loop".to_owned()),
        ("base_url", format!("{}/v1", scene.url())),
        ("wire_api", "responses".to_owned()),
        ("env_key", "LOOP_KEY".to_owned()),
    ];
    let mut words: Vec<String> = ["exec", "-c", "model_provider=loop"].map(str::to_owned).into();
    for (key, value) in provider {
        words.extend(["-c".to_owned(), format!("model_providers.loop.{key}={value}")]);
    }
    let rest = "--model loop --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check --json -";
    words.extend(rest.split(' ').map(str::to_owned));
    (words, true)
}

fn settle(scene: &Scene) {
    let file = scene.home().join("config.toml");
    let mut settings = std::fs::File::options().append(true).open(file).unwrap();
    let command = tests::built::program("mcp-conformance").display().to_string();
    let lines = [
        "".to_owned(),
        "[mcp_servers.diagnostic]".to_owned(),
        format!("command = {command:?}"),
        "args = [\"stdio\"]".to_owned(),
        "enabled_tools = [\"test_image_content\"]".to_owned(),
    ];
    writeln!(settings, "{}", lines.join("\n")).unwrap();
}

/// Tools stand in the namespace of their server.
fn offered(request: &Value) -> Vec<(String, String)> {
    let all = request["tools"].as_array().unwrap().iter();
    let of_ours = all.filter(|tool| tool["type"] == "namespace" && tool["name"] == "mcp__toolbox");
    let tools = of_ours.flat_map(|namespace| namespace["tools"].as_array().unwrap());
    tools.map(|tool| (text_of(&tool["name"]), text_of(&tool["description"]))).collect()
}
