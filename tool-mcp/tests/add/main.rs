//! Adding a server to the settings of seven clients, and taking it out again. (mcp.md §15, acceptance 9)

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests may fail the test"
)]

#[path = "../support/golden.rs"]
mod golden;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use tool_core::ToolError;
use tool_mcp::add::{CLIENTS, Client, Done, Request, Scope, Served};

/// A home directory and a project of one client.
struct Scene {
    client: &'static Client,
    home: tool_trials::Directory,
}

impl Scene {
    fn new(client: &'static Client) -> Scene {
        Scene { client, home: tool_trials::directory() }
    }

    /// The user's settings, but the project's of a client that keeps the user's to itself.
    fn scope(&self) -> Scope {
        if self.client.name == "claude-code" { Scope::Project } else { Scope::User }
    }

    fn with<T>(&self, scope: Scope, served: &Served, work: impl FnOnce(&Request<'_>) -> T) -> T {
        let home = self.home.path();
        let env = |name: &str| (name == "HOME").then(|| home.to_str().unwrap().to_owned());
        work(&Request { client: self.client, scope, served, project: home, env: &env })
    }

    fn add(&self, served: &Served, force: bool) -> Result<Done, ToolError> {
        self.with(self.scope(), served, |request| request.add(force))
    }

    fn remove(&self) -> Result<Done, ToolError> {
        self.with(self.scope(), &served(), |request| request.remove())
    }

    fn file(&self) -> PathBuf {
        self.with(self.scope(), &served(), |request| PathBuf::from(request.print().unwrap().path))
    }

    fn write(&self, text: &str) -> PathBuf {
        let file = self.file();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    /// The copies beside the file.
    fn copies(&self) -> usize {
        let file = self.file();
        let name = format!("{}.bak-", file.file_name().unwrap().to_str().unwrap());
        let entries = fs::read_dir(file.parent().unwrap()).unwrap();
        entries
            .filter(|entry| entry.as_ref().unwrap().file_name().to_str().unwrap().starts_with(&name))
            .count()
    }

    /// A text without what is different each time.
    fn told(&self, text: &str) -> String {
        let home = self.home.path().canonicalize().unwrap();
        let text = text.replace(home.to_str().unwrap(), "HOME");
        text.replace(self.home.path().to_str().unwrap(), "HOME")
    }
}

fn served() -> Served {
    Served {
        name: "toolbox".to_owned(),
        command: "/opt/toolbox/bin/toolbox".to_owned(),
        args: ["mcp", "serve", "--read-only"].map(str::to_owned).to_vec(),
        secrets: vec!["SMTP_URL".to_owned()],
        url: None,
    }
}

fn remote() -> Served {
    Served { url: Some("https://tools.example/mcp".to_owned()), ..served() }
}

/// Settings with comments, an order and an indentation of their own, and another server.
fn own_settings(client: &Client) -> &'static str {
    match client.name {
        "codex" => concat!(
            "# mine\nmodel = \"gpt-5\"   # the big one\n\n[mcp_servers.other]\ncommand = 'npx'\n",
            "args = [\"-y\", \"other\"] # pinned\n\n[tui]\ntheme = \"dark\"\n"
        ),
        "goose" => concat!(
            "# mine\nGOOSE_MODEL: gpt-5   # the big one\nextensions:\n  other:\n    enabled: true\n",
            "    type: stdio\n    name: other\n    cmd: npx\n    args:\n      - -y\n      - other # pinned\nGOOSE_MODE: auto\n"
        ),
        "vscode" => concat!(
            "// mine\n{\n\t\"inputs\": [], // none\n\t\"servers\": {\n\t\t\"other\": { \"command\": \"npx\", ",
            "\"args\": [\"-y\"] } // pinned\n\t}\n}\n"
        ),
        "zed" => concat!(
            "// mine\n{\n  \"theme\": \"One Dark\", // dark\n  \"context_servers\": {\n    /* pinned */\n    ",
            "\"other\": { \"source\": \"custom\", \"command\": \"npx\", \"args\": [] },\n  },\n  \"vim_mode\": true\n}\n"
        ),
        _ => concat!(
            "{\n    // mine\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n        \"other\": {\n            ",
            "\"command\": \"npx\" // pinned\n        }\n    },\n    \"last\": 1\n}"
        ),
    }
}

fn broken(client: &Client) -> &'static str {
    match client.name {
        "codex" => "model = \"gpt-5\"\n[mcp_servers.other\n",
        "goose" => "GOOSE_MODEL: gpt-5\nextensions: [unclosed\n",
        _ => "{\n  \"theme\": \"dark\"\n  \"last\": 1\n}\n",
    }
}

/// Where the servers are kept, as something else than an object.
fn listed(client: &Client) -> &'static str {
    match client.name {
        "codex" => "model = \"gpt-5\"\nmcp_servers = []\n",
        "goose" => "GOOSE_MODEL: gpt-5\nextensions: []\n",
        "vscode" => "{\n  \"servers\": []\n}\n",
        "zed" => "{\n  \"context_servers\": []\n}\n",
        _ => "{\n  \"mcpServers\": []\n}\n",
    }
}

fn outcome(result: &Result<Done, ToolError>) -> String {
    match result {
        Ok(done) => done.state.to_owned(),
        Err(error) => format!("{} {}: {}", error.kind().as_str(), error.code_str(), error.message()),
    }
}

#[test]
fn every_client_gets_its_entry_and_loses_it_without_a_trace() {
    for client in &CLIENTS {
        let mut told = String::new();
        no_file(client, &mut told);
        own_file(client, &mut told);
        same_entry(client, &mut told);
        other_entry(client, &mut told);
        unreadable(client, &mut told);
        link(client, &mut told);
        golden::compare(&format!("add/{}.txt", client.name), &told);
    }
}

#[test]
fn what_a_client_keeps_to_itself_is_looked_at_before_it_is_asked_to_change_it() {
    let claude = CLIENTS.iter().find(|client| client.name == "claude-code").unwrap();
    let scene = Scene::new(claude);
    let settings = scene.home.path().join(".claude.json");
    let user =
        |work: &dyn Fn(&Request<'_>) -> Result<Done, ToolError>| scene.with(Scope::User, &served(), work);
    let entry = user(&|request| request.print()).unwrap().entry.unwrap();
    let write = |entry: &serde_json::Value| {
        fs::write(&settings, serde_json::json!({"mcpServers": {"toolbox": entry}}).to_string()).unwrap();
    };
    write(&entry);
    let same = user(&|request| request.add(false)).unwrap();
    assert_eq!((same.state, same.path.as_str()), ("unchanged", settings.to_str().unwrap()));
    write(&serde_json::json!({"command": "other"}));
    let other = user(&|request| request.add(false)).unwrap_err();
    assert_eq!((other.code_str(), &other.details()["wanted"]), ("entry_exists", &entry));
    fs::write(&settings, "{}").unwrap();
    assert_eq!(user(&|request| request.remove()).unwrap().state, "absent");
}

fn no_file(client: &'static Client, told: &mut String) {
    for (what, served) in [("no file", served()), ("no file, a server that listens", remote())] {
        let scene = Scene::new(client);
        let done = scene.add(&served, false);
        let file = scene.file();
        let text = fs::read_to_string(&file).unwrap();
        let note = done.as_ref().unwrap().note.clone().map_or(String::new(), |note| format!("{note}\n"));
        writeln!(told, "== {what}: {}\n{}\n{text}{note}", outcome(&done), scene.told(file.to_str().unwrap()))
            .unwrap();
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!((mode & 0o777, scene.copies()), (0o600, 0), "{}", client.name);
        assert_eq!(scene.remove().unwrap().state, "removed");
        assert!(!file.exists(), "{}: it was not there before", client.name);
        assert_eq!(scene.remove().unwrap().state, "absent");
    }
}

fn own_file(client: &'static Client, told: &mut String) {
    let scene = Scene::new(client);
    let before = own_settings(client);
    let file = scene.write(before);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let done = scene.add(&served(), false);
    let text = fs::read_to_string(&file).unwrap();
    writeln!(told, "== comments and another server: {}\n{text}", outcome(&done)).unwrap();
    let copy = done.unwrap().backup.unwrap();
    assert_eq!(fs::read_to_string(&copy).unwrap(), before);
    for path in [Path::new(&copy), &file] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o640, "{}", path.display());
    }
    assert_eq!(scene.remove().unwrap().state, "removed");
    assert_eq!(fs::read_to_string(&file).unwrap(), before, "{}", client.name);

    // When something else has changed meanwhile, that stays.
    scene.add(&served(), false).unwrap();
    let changed = fs::read_to_string(&file).unwrap().replace("mine", "ours");
    fs::write(&file, &changed).unwrap();
    assert_eq!(scene.remove().unwrap().state, "removed");
    let left = fs::read_to_string(&file).unwrap();
    assert!(left.contains("ours") && left.contains("pinned") && !left.contains("/opt/toolbox"), "{left}");
}

#[test]
fn a_byte_order_mark_stays_in_front_of_the_settings() {
    for client in &CLIENTS {
        let scene = Scene::new(client);
        let before = format!("\u{feff}{}", own_settings(client));
        let file = scene.write(&before);
        assert_eq!(scene.add(&served(), false).unwrap().state, "added", "{}", client.name);
        let added = fs::read_to_string(&file).unwrap();
        let plain = Scene::new(client);
        let without = plain.write(own_settings(client));
        plain.add(&served(), false).unwrap();
        assert_eq!(added, format!("\u{feff}{}", fs::read_to_string(without).unwrap()), "{}", client.name);
        assert_eq!(scene.add(&served(), false).unwrap().state, "unchanged", "{}", client.name);
        assert_eq!(scene.remove().unwrap().state, "removed");
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "{}", client.name);
        // Nothing else in the file: what is left is the mark.
        let file = scene.write("\u{feff}");
        scene.add(&served(), false).unwrap();
        scene.remove().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "\u{feff}", "{}", client.name);
    }
}

fn same_entry(client: &'static Client, told: &mut String) {
    let scene = Scene::new(client);
    let file = scene.write(own_settings(client));
    scene.add(&served(), false).unwrap();
    let (text, copies) = (fs::read_to_string(&file).unwrap(), scene.copies());
    let again = scene.add(&served(), false);
    writeln!(told, "== the same entry: {}", outcome(&again)).unwrap();
    assert_eq!((fs::read_to_string(&file).unwrap(), scene.copies()), (text, copies), "{}", client.name);
}

fn other_entry(client: &'static Client, told: &mut String) {
    let scene = Scene::new(client);
    let file = scene.write(own_settings(client));
    scene.add(&remote(), false).unwrap();
    let before = fs::read_to_string(&file).unwrap();
    let refused = scene.add(&served(), false);
    writeln!(told, "== another entry: {}", scene.told(&outcome(&refused))).unwrap();
    let refused = refused.unwrap_err();
    for entry in ["found", "wanted"] {
        let entry = refused.details()[entry].to_string();
        assert!(refused.message().contains(&entry), "a person sees {entry}: {refused}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), before, "{}", client.name);
    let forced = scene.add(&served(), true);
    writeln!(told, "== by force: {}\n{}", outcome(&forced), fs::read_to_string(&file).unwrap()).unwrap();
    // What is removed is gone: the other entry does not come back for it.
    scene.remove().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), own_settings(client), "{}", client.name);
    assert_eq!(scene.remove().unwrap().state, "absent", "{}", client.name);
}

fn unreadable(client: &'static Client, told: &mut String) {
    for (what, text) in [("a broken file", broken(client)), ("servers that are a list", listed(client))] {
        let scene = Scene::new(client);
        let file = scene.write(text);
        for result in [scene.add(&served(), true), scene.remove()] {
            let error = result.as_ref().unwrap_err();
            assert_eq!(error.code_str(), "config_unreadable", "{error:?}");
            assert!(error.details()["line"].is_u64() && error.details()["column"].is_u64());
        }
        writeln!(told, "== {what}: {}", scene.told(&outcome(&scene.add(&served(), false)))).unwrap();
        assert_eq!(
            (fs::read_to_string(&file).unwrap().as_str(), scene.copies()),
            (text, 0),
            "{}",
            client.name
        );
    }
}

fn link(client: &'static Client, told: &mut String) {
    let scene = Scene::new(client);
    let before = own_settings(client);
    let (file, real) = (scene.file(), scene.home.path().join("dotfiles"));
    fs::write(&real, before).unwrap();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    symlink(&real, &file).unwrap();
    let done = scene.add(&served(), false);
    writeln!(told, "== a symbolic link: {} {}", outcome(&done), scene.told(&done.as_ref().unwrap().path))
        .unwrap();
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink(), "the link stays");
    assert!(fs::read_to_string(&real).unwrap().contains("/opt/toolbox"), "its target is edited");
    scene.remove().unwrap();
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), before, "{}", client.name);
}

#[test]
fn a_directory_that_cannot_be_written_is_told_and_nothing_is_left_in_it() {
    for client in &CLIENTS {
        let scene = Scene::new(client);
        let file = scene.write(own_settings(client));
        let directory = file.parent().unwrap();
        fs::set_permissions(directory, fs::Permissions::from_mode(0o500)).unwrap();
        let free = fs::write(directory.join("probe"), "").is_ok();
        let result = if free {
            // Nothing is refused to this user, but for the system's own directories.
            fs::remove_file(directory.join("probe")).unwrap();
            let env = |_: &str| Some("/proc/self".to_owned());
            let (served, project) = (served(), Path::new("/proc/self"));
            Request { client, scope: scene.scope(), served: &served, project, env: &env }.add(false)
        } else {
            scene.add(&served(), false)
        };
        assert_eq!(result.unwrap_err().code_str(), "config_unwritable", "{}", client.name);
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), own_settings(client));
        assert_eq!(fs::read_dir(directory).unwrap().count(), 1, "nothing is left beside it");
        assert_eq!(scene.add(&served(), false).unwrap().state, "added", "where it can be written it is");
    }
}

#[test]
fn names_and_scopes_that_a_client_does_not_take_are_refused() {
    let scene = Scene::new(Client::named("goose").unwrap());
    for name in ["", "Tool-Box", "ü", "a b", &"x".repeat(33)] {
        let wrong = Served { name: name.to_owned(), ..served() };
        assert_eq!(scene.add(&wrong, false).unwrap_err().code_str(), "bad_name", "{name}");
    }
    let longest = Served { name: "x".repeat(32), ..served() };
    assert_eq!(scene.add(&longest, false).unwrap().state, "added");
    let project = scene.with(Scope::Project, &served(), |request| request.add(false));
    assert_eq!(project.unwrap_err().code_str(), "no_project_scope");
    let printed = scene.with(Scope::User, &served(), |request| request.print()).unwrap();
    assert_eq!(
        (printed.state, printed.entry.unwrap()["cmd"].as_str()),
        ("printed", Some("/opt/toolbox/bin/toolbox"))
    );
}
