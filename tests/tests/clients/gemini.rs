//! Gemini CLI: the settings of the project beside those of the user, the prompt as an argument.

use serde_json::{Value, json};

use crate::scene::{Client, Scene};
use crate::server::text_of;

/// What it puts before the names of our tools.
const PREFIX: &str = "mcp_toolbox_";

pub(crate) const CLIENT: Client = Client {
    name: "gemini",
    package: "@google/gemini-cli@0.61.0",
    program: "gemini",
    calls_itself: "gemini-cli",
    add: &["gemini", "--scope", "project"],
    settle,
    arguments,
    environment: |scene| {
        vec![
            ("GOOGLE_GEMINI_BASE_URL", scene.url()),
            ("GEMINI_API_KEY", "loopback".to_owned()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
        ]
    },
    offered,
    // It looks at the schema itself, and such a call does not leave it.
    told_of_wrong_arguments: &["must have required property 'path'"],
    is_connected: |stdout| stdout.contains("\"tool_name\":\"mcp_toolbox_read_file\""),
};

fn arguments(_: &Scene, prompt: &str) -> (Vec<String>, bool) {
    let words = "--model gemini-2.5-pro --approval-mode yolo --allowed-mcp-server-names toolbox,diagnostic \
                 -o stream-json -p";
    let words = words.split_whitespace().chain([prompt]);
    (words.map(str::to_owned).collect(), false)
}

fn settle(scene: &Scene) {
    let file = scene.project().join(".gemini").join("settings.json");
    let mut settings: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    settings["mcpServers"]["diagnostic"] = json!({"command": tests::built::program("mcp-conformance"), "args": ["stdio"],
        "includeTools": ["test_image_content"]});
    std::fs::write(&file, settings.to_string()).unwrap();
    let user = scene.home().join(".gemini");
    std::fs::create_dir(&user).unwrap();
    let settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}}});
    std::fs::write(user.join("settings.json"), settings.to_string()).unwrap();
}

fn offered(request: &Value) -> Vec<(String, String)> {
    let groups = request["tools"].as_array().unwrap().iter();
    let tools =
        groups.flat_map(|group| group["functionDeclarations"].as_array().cloned().unwrap_or_default());
    tools
        .filter_map(|tool| {
            let name = tool["name"].as_str()?.strip_prefix(PREFIX)?;
            Some((name.to_owned(), text_of(&tool["description"])))
        })
        .collect()
}
