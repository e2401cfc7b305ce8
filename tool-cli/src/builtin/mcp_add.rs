//! `mcp add`, `mcp remove`: this program in the settings of an MCP client.

use std::collections::BTreeSet;

use clap_lex::RawArgs;
use tool_core::args::shown_name;
use tool_core::prelude::*;
use tool_mcp::add::{Client, Done, Request, Scope, Served};

use crate::flags::Table;
use crate::lex::Lexer;
use crate::schema;
use crate::server::Host;
use crate::sight::Surroundings;

/// Adds this program to the settings of an MCP client.
///
/// Every other byte of the file stays, and a copy of it is kept beside it. What stands behind -- are options of `mcp serve`.
#[allow(clippy::too_many_arguments, reason = "each is an option of the command")]
#[tool(group = "mcp", register = false, side_effect, idempotent)]
pub(crate) fn mcp_add(
    /// The client.
    #[arg(positional)]
    client: ClientName,
    /// Whose settings: the user's, or those of the project in the current directory.
    #[arg(default = Whose::User)]
    scope: Whose,
    /// The name of the server for the client: a-z, 0-9 and _; without it that of the program.
    name: Option<&str>,
    /// The address of a server that listens; nothing is started then.
    #[arg(conflicts_with = ["options"])]
    url: Option<&str>,
    /// Show what would be written, and where; touch nothing.
    print: bool,
    /// Replace another server of the name.
    force: bool,
    /// Options of `mcp serve`.
    #[arg(last)]
    options: Vec<String>,
    #[ctx] around: &Surroundings,
    #[ctx] host: &Host,
) -> ToolResult {
    let referred = referred(&options)?;
    let mut served = Served { url: url.map(str::to_owned), ..served(name, options, around, host)? };
    served.secrets.extend(referred);
    served.secrets.sort();
    served.secrets.dedup();
    with(client, scope, &served, around, host, |request| match print {
        true => request.print(),
        false => request.add(force),
    })
}

/// Takes this program out of the settings of an MCP client.
///
/// The file is what it was before `mcp add`, as long as nothing else has changed in it.
#[tool(group = "mcp", register = false, side_effect, idempotent)]
pub(crate) fn mcp_remove(
    /// The client.
    #[arg(positional)]
    client: ClientName,
    /// Whose settings: the user's, or those of the project in the current directory.
    #[arg(default = Whose::User)]
    scope: Whose,
    /// The name of the server for the client; without it that of the program.
    name: Option<&str>,
    #[ctx] around: &Surroundings,
    #[ctx] host: &Host,
) -> ToolResult {
    let served = served(name, Vec::new(), around, host)?;
    with(client, scope, &served, around, host, |request| request.remove())
}

/// A client.
#[derive(Clone, Copy, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ClientName {
    ClaudeCode,
    Codex,
    Gemini,
    Cursor,
    Vscode,
    Goose,
    Zed,
}

/// Whose settings.
#[derive(Clone, Copy, Debug, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Whose {
    User,
    Project,
}

impl ClientName {
    fn client(self) -> Result<&'static Client, ToolError> {
        let name = serde_json::to_value(self).unwrap_or_default();
        let client = name.as_str().and_then(Client::named);
        client.ok_or_else(|| ToolError::internal("The client is not known."))
    }
}

/// Does something with a client's settings, and tells what became of it.
fn with(
    client: ClientName,
    whose: Whose,
    served: &Served,
    around: &Surroundings,
    host: &Host,
    work: impl FnOnce(&Request<'_>) -> Result<Done, ToolError>,
) -> ToolResult {
    let scope = match whose {
        Whose::User => Scope::User,
        Whose::Project => Scope::Project,
    };
    let env = |name: &str| around.settings.variable(name).map(str::to_owned);
    let request = Request { client: client.client()?, scope, served, project: &host.cwd, env: &env };
    let done = work(&request)?;
    let text = told(&done);
    let value = serde_json::to_value(&done).unwrap_or_default();
    Ok(ToolOutput::structured(value).with_content(tool_core::Content::text(text)))
}

/// What became of a request, for people: what would be written, or what was.
fn told(done: &Done) -> String {
    let entry = || done.entry.as_ref().map_or_else(String::new, |entry| format!("{entry:#}\n"));
    let mut text = match done.state {
        "printed" => format!("{}\n{}", done.path, entry()),
        state => format!("{state}: {}\n", done.path),
    };
    if let Some(backup) = &done.backup {
        text.push_str(&format!("as it was: {backup}\n"));
    }
    if let Some(note) = &done.note {
        text.push_str(&format!("{note}\n"));
    }
    text
}

/// The variables that options of `mcp serve` name, which the client has to hand on. What is wrong with options that nobody reads
/// before the client starts the server is told here.
fn referred(options: &[String]) -> Result<Vec<String>, ToolError> {
    let commands = super::registry()?;
    let serve = commands.get("mcp_serve").ok_or_else(|| ToolError::internal("There is no `mcp serve`."))?;
    let table = Table::new(serve.def(), &schema::canonical(serve.def())?);
    let (raw, none) = (RawArgs::new(options.iter()), Table::default());
    let mut lexer = Lexer::new(&raw, &none);
    lexer.enter(&table);
    let lexed = lexer.finish();
    let wrong = |text: String, hint: &str| {
        Err(ToolError::invalid_args(text).code("bad_serve_option").hint(hint.to_owned()))
    };
    if let Some(unknown) = lexed.unknown.first() {
        let text = format!("`mcp serve` has no option {}.", shown_name(&unknown.flag));
        return wrong(text, "`mcp serve --help` lists them");
    }
    if let Some(fault) = lexed.faults.first() {
        let option = fault.flag.clone().unwrap_or_else(|| shown_name(&fault.issue.got).to_owned());
        let text = format!("`mcp serve` cannot be started with {option}.");
        return wrong(text, &format!("expected {}", fault.issue.expected));
    }
    let values = |name: &str| {
        let given = lexed.given.iter().filter(|given| Some(given.param) == table.named(name));
        given.filter_map(|given| given.value.as_ref()?.to_str().map(str::to_owned)).collect::<Vec<String>>()
    };
    if !values("http").is_empty() {
        return wrong(
            "A client that starts the server speaks to it on standard input and output.".to_owned(),
            "start `mcp serve --http` yourself, and add its address with --url",
        );
    }
    Ok([values("token_secret"), values("state_secret")].concat())
}

/// This program as a server.
fn served(
    name: Option<&str>,
    options: Vec<String>,
    around: &Surroundings,
    host: &Host,
) -> Result<Served, ToolError> {
    let unknown = || ToolError::failed("The path of this program is not known.");
    let command = host.file.as_ref().ok_or_else(unknown)?.to_str().map(str::to_owned).ok_or_else(|| {
        ToolError::failed("The path of this program is no text that a settings file can hold.")
    })?;
    let secrets: BTreeSet<&str> =
        around.registry.iter().flat_map(|tool| tool.def().secrets).map(|secret| secret.key).collect();
    Ok(Served {
        name: name.unwrap_or(&host.name).to_owned(),
        command,
        args: ["mcp".to_owned(), "serve".to_owned()].into_iter().chain(options).collect(),
        secrets: secrets.into_iter().map(str::to_owned).collect(),
        url: None,
    })
}
