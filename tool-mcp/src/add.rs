//! Writing a server into the settings of an MCP client, and taking it out again. (mcp.md §11)
//!
//! What is particular to a client is one row, a file each; how an entry gets into a file is told by its format. Every other byte of
//! the file stays, and what was added is taken out without a trace as long as nothing else has changed.

mod claude_code;
mod codex;
mod cursor;
mod edit;
mod file;
mod gemini;
mod goose;
mod json;
mod place;
mod toml;
mod vscode;
mod yaml;
mod zed;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tool_core::ToolError;

pub use place::Scope;

use edit::Format;
use place::{Home, Place};

/// The longest name of a server.
const NAME_CHARS: usize = 32;

/// One client.
pub struct Client {
    /// Its name on the command line.
    pub name: &'static str,
    /// Where its user's settings are.
    user: Place,
    /// Where a project's settings are, below the project; not every client has such.
    project: Option<&'static str>,
    format: Format,
    /// The member of the settings that holds the servers.
    servers: &'static str,
    /// What is written of a server.
    entry: fn(&Served) -> Value,
    /// What the person has to do besides.
    note: fn(&Served) -> Option<String>,
}

/// The clients, each in a file of its own.
pub static CLIENTS: [Client; 7] = [
    claude_code::CLIENT,
    codex::CLIENT,
    gemini::CLIENT,
    cursor::CLIENT,
    vscode::CLIENT,
    goose::CLIENT,
    zed::CLIENT,
];

impl Client {
    /// The client of a name.
    pub fn named(name: &str) -> Option<&'static Client> {
        CLIENTS.iter().find(|client| client.name == name)
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The server that a client is told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Served {
    /// Its name for the client.
    pub name: String,
    /// The program, absolute.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The variables with secrets that it needs: the client passes them on, their values are written nowhere.
    pub secrets: Vec<String>,
    /// Where it listens already; then nothing is started.
    pub url: Option<String>,
}

impl Served {
    /// Refuses a name that not every client takes.
    ///
    /// # Errors
    /// `invalid_args`, code `bad_name`.
    pub fn check(&self) -> Result<(), ToolError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if !self.name.is_empty() && self.name.len() <= NAME_CHARS && self.name.bytes().all(plain) {
            return self.url.as_deref().map_or(Ok(()), check_url);
        }
        let shown: String = self.name.chars().take(80).collect();
        let text = format!("`{shown}` is no name that every client takes.");
        Err(ToolError::invalid_args(text).code("bad_name").hint("use 1 to 32 of a-z, 0-9 and _; see --name"))
    }

    /// Command, arguments and environment, as most clients have them.
    fn started(&self, env: impl Fn(&str) -> String) -> Value {
        let env: serde_json::Map<String, Value> =
            self.secrets.iter().map(|key| (key.clone(), env(key).into())).collect();
        json!({"command": self.command, "args": self.args, "env": env})
    }

    /// The entry of a client that says which transport it is.
    fn typed(&self, env: impl Fn(&str) -> String) -> Value {
        match &self.url {
            Some(url) => json!({"type": "http", "url": url}),
            None => with("type", "stdio", self.started(env)),
        }
    }
}

/// An object with a member in front.
fn with(key: &str, value: &str, entry: Value) -> Value {
    let mut members = serde_json::Map::from_iter([(key.to_owned(), Value::from(value))]);
    if let Value::Object(rest) = entry {
        members.extend(rest);
    }
    Value::Object(members)
}

/// Nothing has to be done besides.
fn nothing(_: &Served) -> Option<String> {
    None
}

/// What is to be done, where.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Whose settings.
    pub client: &'a Client,
    /// The user's or the project's.
    pub scope: Scope,
    /// The server.
    pub served: &'a Served,
    /// The directory of the project.
    pub project: &'a Path,
    /// The environment.
    pub env: &'a dyn Env,
}

/// The variables of a process.
pub trait Env {
    /// The value of a variable, if it is set.
    fn get(&self, name: &str) -> Option<String>;
}

impl std::fmt::Debug for dyn Env + '_ {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Env")
    }
}

impl<F: Fn(&str) -> Option<String>> Env for F {
    fn get(&self, name: &str) -> Option<String> {
        self(name)
    }
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Done {
    /// `added`, `replaced`, `unchanged`, `removed`, `absent` or `printed`.
    pub state: &'static str,
    /// The file, or the command line that was run in its place.
    pub path: String,
    /// What the file has, or had, of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<Value>,
    /// The copy of the file as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
    /// What the person has to do besides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Request<'_> {
    /// The file that is edited; the client itself where it keeps its settings to itself.
    fn target(&self) -> Result<Target, ToolError> {
        let client = self.client;
        match (self.scope, client.project) {
            (Scope::Project, Some(file)) => Ok(Target::File(self.project.join(file))),
            (Scope::Project, None) => {
                let error = ToolError::invalid_args(format!("{} has no settings of a project.", client.name));
                Err(error.code("no_project_scope").hint("leave out --scope project"))
            }
            (Scope::User, _) => match client.user {
                Place::Own(program, settings) => {
                    Ok(Target::Own(program, Home::of(self.env).map(|home| settings(&home)).ok()))
                }
                Place::Below(path) => Ok(Target::File(path(&Home::of(self.env)?))),
            },
        }
    }

    fn entry(&self) -> Value {
        (self.client.entry)(self.served)
    }

    /// Says what would be written, and where.
    ///
    /// # Errors
    /// As [`add`](Self::add), but nothing is read.
    pub fn print(&self) -> Result<Done, ToolError> {
        self.served.check()?;
        let path = match self.target()? {
            Target::File(path) => path.display().to_string(),
            Target::Own(program, _) => claude_code::command_line(program, &self.adding()),
        };
        Ok(Done { entry: Some(self.entry()), note: self.note(), ..done("printed", path) })
    }

    /// Adds the server.
    ///
    /// # Errors
    /// `invalid_args` for a name or scope that the client does not have; `conflict`, code `entry_exists`, where another entry has
    /// the name, unless it is forced; `failed`, code `config_unreadable` or `config_unwritable`; `unavailable`, code
    /// `client_missing`.
    pub fn add(&self, force: bool) -> Result<Done, ToolError> {
        self.served.check()?;
        let entry = self.entry();
        let path = match self.target()? {
            Target::File(path) => path,
            Target::Own(program, settings) => return self.add_by_client(program, settings, force),
        };
        let file = file::Settings::read(&path)?;
        let slot =
            edit::Slot { format: self.client.format, servers: self.client.servers, name: &self.served.name };
        let found = slot.find(file.text()).map_err(|fault| fault.of(&path))?;
        let state = match &found {
            Some(found) if *found == entry => {
                return Ok(Done { entry: Some(entry), note: self.note(), ..done("unchanged", shown(&path)) });
            }
            Some(found) if !force => return Err(self.conflict(&path, found, &entry)),
            Some(_) => "replaced",
            None => "added",
        };
        let text = slot.set(file.text(), &entry).map_err(|fault| fault.of(&path))?;
        let backup = file.write(Some(&text))?;
        let backup = backup.as_deref().map(shown);
        Ok(Done { entry: Some(entry), backup, note: self.note(), ..done(state, shown(&path)) })
    }

    /// Takes the server out.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn remove(&self) -> Result<Done, ToolError> {
        self.served.check()?;
        let path = match self.target()? {
            Target::File(path) => path,
            Target::Own(program, settings) => return self.remove_by_client(program, settings),
        };
        let file = file::Settings::read(&path)?;
        let slot =
            edit::Slot { format: self.client.format, servers: self.client.servers, name: &self.served.name };
        let Some(entry) = slot.find(file.text()).map_err(|fault| fault.of(&path))? else {
            return Ok(done("absent", shown(&path)));
        };
        // What had another entry of this name was not before it, but in between.
        let had_none = |old: Option<&str>| matches!(slot.find(old), Ok(None));
        let backup = match file.before(|old| slot.set(old, &entry).ok().filter(|_| had_none(old))) {
            Some(before) => file.restore(&before)?,
            None => {
                let text = slot.remove(file.text()).map_err(|fault| fault.of(&path))?;
                file.write(Some(&text))?
            }
        };
        let backup = backup.as_deref().map(shown);
        Ok(Done { entry: Some(entry), backup, ..done("removed", shown(&path)) })
    }

    fn note(&self) -> Option<String> {
        (self.client.note)(self.served)
    }

    fn conflict(&self, path: &Path, found: &Value, entry: &Value) -> ToolError {
        let text = format!("{} has another server {} already", path.display(), self.served.name);
        // Who decides between them is a person, to whom no details are shown.
        let both = format!("{text}:\n  {found}\nand this one is:\n  {entry}");
        ToolError::conflict(format!("{text}."))
            .quoting_message(both)
            .code("entry_exists")
            .hint("choose another --name, or replace it with --force")
            .detail("found", found.clone())
            .detail("wanted", entry.clone())
    }

    fn adding(&self) -> Vec<String> {
        let words = ["mcp", "add-json", &self.served.name, &self.entry().to_string(), "--scope", "user"];
        words.map(str::to_owned).to_vec()
    }

    fn removing(&self) -> Vec<String> {
        ["mcp", "remove", &self.served.name, "--scope", "user"].map(str::to_owned).to_vec()
    }

    fn add_by_client(
        &self,
        program: &'static str,
        settings: Option<PathBuf>,
        force: bool,
    ) -> Result<Done, ToolError> {
        let (entry, path) = (self.entry(), settings.unwrap_or_default());
        let state = match self.seen(&path) {
            Seen::Entry(found) if found == entry => {
                return Ok(Done { entry: Some(entry), note: self.note(), ..done("unchanged", shown(&path)) });
            }
            Seen::Entry(found) if !force => return Err(self.conflict(&path, &found, &entry)),
            Seen::Entry(_) => {
                claude_code::run(program, &self.removing())?;
                "replaced"
            }
            Seen::None | Seen::Unknown => "added",
        };
        claude_code::run(program, &self.adding())?;
        let path = claude_code::command_line(program, &self.adding());
        Ok(Done { entry: Some(entry), note: self.note(), ..done(state, path) })
    }

    fn remove_by_client(&self, program: &'static str, settings: Option<PathBuf>) -> Result<Done, ToolError> {
        let path = settings.unwrap_or_default();
        let entry = match self.seen(&path) {
            Seen::None => return Ok(done("absent", shown(&path))),
            Seen::Entry(entry) => Some(entry),
            Seen::Unknown => None,
        };
        claude_code::run(program, &self.removing())?;
        Ok(Done { entry, ..done("removed", claude_code::command_line(program, &self.removing())) })
    }

    /// What settings that the client edits have of the server; what cannot be read is for the client to say.
    fn seen(&self, path: &Path) -> Seen {
        let slot =
            edit::Slot { format: self.client.format, servers: self.client.servers, name: &self.served.name };
        let Ok(file) = file::Settings::read(path) else { return Seen::Unknown };
        match slot.find(file.text()) {
            Ok(Some(entry)) => Seen::Entry(entry),
            Ok(None) => Seen::None,
            Err(_) => Seen::Unknown,
        }
    }
}

/// What is edited.
enum Target {
    File(PathBuf),
    /// The client's own command does it, in this file where that is known.
    Own(&'static str, Option<PathBuf>),
}

/// What is known of a server in settings that are not ours to edit.
enum Seen {
    Entry(Value),
    None,
    Unknown,
}

fn done(state: &'static str, path: String) -> Done {
    Done { state, path, entry: None, backup: None, note: None }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Refuses what is no address of a server.
fn check_url(url: &str) -> Result<(), ToolError> {
    let read: Option<axum::http::Uri> = url.parse().ok();
    let is_web = |url: &axum::http::Uri| matches!(url.scheme_str(), Some("http" | "https"));
    match read.filter(|url| is_web(url) && url.host().is_some_and(|host| !host.is_empty())) {
        Some(_) => Ok(()),
        None => {
            let shown: String = url.chars().take(80).collect();
            let error = ToolError::invalid_args(format!("`{shown}` is no address of a server."));
            Err(error
                .code("bad_url")
                .hint("use the one that `mcp serve --http` prints, such as http://127.0.0.1:8000/mcp"))
        }
    }
}
