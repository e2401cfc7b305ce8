//! The name of a tool for a client: real ones put that of the MCP server in front, each in its own way. (mcp.md §14)

use serde_json::Value;

/// A tool as the model has to call it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Offered {
    /// What it stands in, where the client has namespaces.
    pub(super) namespace: Option<String>,
    /// Its name.
    pub(super) name: String,
}

/// What a request calls the tool of a script: the one of an MCP server, or else the one of that very name.
pub(super) fn offered(body: &Value, tool: &str) -> Offered {
    let own = || Offered { namespace: None, name: tool.to_owned() };
    let servers = all(body).into_iter().filter(|offered| is_of_server(offered, tool));
    servers.min_by_key(|offered| offered.name.len()).unwrap_or_else(own)
}

/// `mcp__server__tool`, `mcp_server_tool`, or `tool` in the namespace `mcp__server`.
fn is_of_server(offered: &Offered, tool: &str) -> bool {
    match &offered.namespace {
        Some(namespace) => namespace.starts_with("mcp_") && offered.name == tool,
        None => {
            let rest = offered.name.strip_prefix("mcp_");
            rest.and_then(|rest| rest.strip_suffix(tool)).is_some_and(|server| server.ends_with('_'))
        }
    }
}

/// Every tool of a request, whatever its API.
fn all(body: &Value) -> Vec<Offered> {
    let mut all = Vec::new();
    for tool in members(&body["tools"]) {
        let namespace = (tool["type"] == "namespace").then(|| text(&tool["name"]));
        let within = match &namespace {
            Some(_) => members(&tool["tools"]),
            None if tool["functionDeclarations"].is_array() => members(&tool["functionDeclarations"]),
            None => std::slice::from_ref(tool),
        };
        all.extend(within.iter().map(|tool| {
            let name = if tool["function"].is_object() { &tool["function"]["name"] } else { &tool["name"] };
            Offered { namespace: namespace.clone(), name: text(name) }
        }));
    }
    all
}

fn members(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("").to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_of_a_server_goes_before_one_of_the_client_and_keeps_its_whole_name() {
        let called = |body: Value| offered(&body, "read_file");
        let named = |name: &str| Offered { namespace: None, name: name.to_owned() };
        assert_eq!(called(json!({})), named("read_file"));
        let claude =
            json!({"tools": [{"name": "mcp__toolbox__read_file"}, {"name": "mcp__toolbox__file_info"}]});
        assert_eq!(called(claude), named("mcp__toolbox__read_file"));
        let gemini = json!({"tools": [{"functionDeclarations": [{"name": "read_file"}, {"name": "mcp_a_b_read_file"}]}]});
        assert_eq!(called(gemini), named("mcp_a_b_read_file"));
        let chat = json!({"tools": [{"type": "function", "function": {"name": "mcp_x_read_file"}}]});
        assert_eq!(called(chat), named("mcp_x_read_file"));
        let within = |name: &str| json!({"tools": [{"type": "namespace", "name": name, "tools": [{"name": "read_file"}]}]});
        assert_eq!(called(within("mcp__toolbox")).namespace.as_deref(), Some("mcp__toolbox"));
        assert_eq!(called(within("agents")), named("read_file"));
        assert_eq!(called(json!({"tools": [{"name": "mcp_xread_file"}]})), named("read_file"));
    }
}
