//! A client at work: a home and a project of its own, our servers in its settings, and the scripted model.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tests::loopback::Loopback;
use tool_trials::Directory;

use crate::installed::path_with;

/// What our server tells of such a call: every mistake, where it is, and what was there.
pub(crate) const EVERY_ISSUE: &[&str] = &["/path", "missing", "/limit", "many"];
/// Longest time of one conversation.
const PATIENCE: &str = "180";
/// Longest time that a server lives on behind its client.
const FAREWELL: Duration = Duration::from_secs(5);

/// A client: where it comes from, how it is set up, started and understood.
pub(crate) struct Client {
    /// Its name in `TOOL_E2E`.
    pub(crate) name: &'static str,
    /// The package, with its version.
    pub(crate) package: &'static str,
    /// The program of the package.
    pub(crate) program: &'static str,
    /// How it calls itself before a server.
    pub(crate) calls_itself: &'static str,
    /// The words of `mcp add`.
    pub(crate) add: &'static [&'static str],
    /// Adds the server of diagnostic tools to the settings, and what else the client needs there.
    pub(crate) settle: fn(&Scene),
    /// Its arguments for a prompt, and whether the prompt comes on standard input.
    pub(crate) arguments: fn(&Scene, prompt: &str) -> (Vec<String>, bool),
    /// Its environment besides `HOME` and `PATH`.
    pub(crate) environment: fn(&Scene) -> Vec<(&'static str, String)>,
    /// The tools of our server that a request offers: name and description.
    pub(crate) offered: fn(request: &Value) -> Vec<(String, String)>,
    /// What the model is told of a call of `read_file` without `path` and with a limit of `many`.
    pub(crate) told_of_wrong_arguments: &'static [&'static str],
    /// Whether what it printed says that the server is connected.
    pub(crate) is_connected: fn(stdout: &str) -> bool,
}

/// A project of one file, and a home in which nothing is but the settings of the client.
pub(crate) struct Scene {
    client: &'static Client,
    modules: PathBuf,
    directory: Directory,
    loopback: Loopback,
}

/// What became of a conversation.
pub(crate) struct Talk {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// What the model was asked, in order.
    pub(crate) requests: Vec<Value>,
}

impl Scene {
    /// Sets a client up, with these options for our server.
    pub(crate) fn new(client: &'static Client, modules: &Path, options: &[&str]) -> Scene {
        let scene = Scene {
            client,
            modules: modules.to_path_buf(),
            directory: tool_trials::directory(),
            loopback: Loopback::start().unwrap(),
        };
        fs::create_dir(scene.home()).unwrap();
        fs::create_dir(scene.project()).unwrap();
        fs::write(scene.project().join("a.txt"), "a line of the file\n").unwrap();
        let mut add = scene.command(&tests::built::program("toolbox"));
        add.args(["mcp", "add"]).args(client.add).arg("--").args(options);
        assert!(add.status().unwrap().success());
        (client.settle)(&scene);
        scene
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    /// The address of the model.
    pub(crate) fn url(&self) -> String {
        self.loopback.url()
    }

    /// A program in the project, with the home and the environment of the client.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.project()).env("HOME", self.home());
        command.env("PATH", path_with(&self.modules, &self.modules.join(".bin")));
        command.envs((self.client.environment)(self));
        command
    }

    /// Lets the client answer a prompt, and waits until nothing that it started is left.
    pub(crate) fn talk(&self, prompt: &str) -> Talk {
        let before = self.loopback.log().len();
        let (arguments, on_stdin) = (self.client.arguments)(self, prompt);
        let mut command = self.command(Path::new("timeout"));
        command.arg(PATIENCE).arg(self.client.program).args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        if on_stdin {
            stdin.write_all(prompt.as_bytes()).unwrap();
        }
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert!(output.status.success(), "{}: {}\n{stdout}\n{stderr}", self.client.name, output.status);
        self.wait_for_the_end();
        let requests = self.loopback.log().split_off(before);
        for request in &requests {
            assert_eq!(request["status"], 200, "{}: {request}", self.client.name);
        }
        Talk { stdout, stderr, requests }
    }

    /// No process with this home is left.
    fn wait_for_the_end(&self) {
        let began = Instant::now();
        while let Some(left) = self.processes().first() {
            assert!(began.elapsed() < FAREWELL, "{}: {left} is left", self.client.name);
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }

    fn processes(&self) -> Vec<String> {
        let home = format!("HOME={}", self.home().display());
        let of_home = |at: &Path| {
            let variables = fs::read(at.join("environ")).unwrap_or_default();
            variables.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes())
        };
        let all = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        let left = all.filter(|at| of_home(at));
        left.map(|at| fs::read_to_string(at.join("cmdline")).unwrap_or_default().replace('\0', " ")).collect()
    }

    /// The rows of the journal, whole.
    pub(crate) fn journal(&self) -> Vec<Value> {
        let told = |words: &[&str]| -> Value {
            let mut journal = self.command(&tests::built::program("toolbox"));
            let output = journal.arg("journal").args(words).args(["--format", "json"]).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            serde_json::from_slice(&output.stdout).unwrap()
        };
        let listed = told(&["list"]);
        listed
            .as_array()
            .unwrap()
            .iter()
            .map(|row| told(&["show", row["call_id"].as_str().unwrap()]))
            .collect()
    }
}

impl Talk {
    /// What the model knew at the end, as JSON: the results of all its calls are in it.
    pub(crate) fn last(&self) -> String {
        self.requests.last().unwrap()["body"].to_string()
    }
}
