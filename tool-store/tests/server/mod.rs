//! A PostgreSQL server that belongs to the test: as an unprivileged user, in a temporary folder, stopped by its pid.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests may fail the test"
)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use tool_trials::Directory;

pub(crate) struct Server {
    folder: Directory,
    process: Child,
    tools: PathBuf,
}

/// Where the server's programs are.
fn tools() -> Option<PathBuf> {
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
    found.sort();
    found.into_iter().rev().find(|bin| bin.join("postgres").exists() && bin.join("initdb").exists())
}

/// A program of the server: it refuses root, so root becomes nobody.
fn program(path: &Path) -> Command {
    if !rustix::process::geteuid().is_root() {
        return Command::new(path);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(path);
    command
}

impl Server {
    /// Starts a server; `None`, and a line that says so, where there is no PostgreSQL.
    pub(crate) fn start() -> Option<Server> {
        let Some(tools) = tools() else {
            assert_ne!(std::env::var("TOOL_REQUIRE_PEERS").as_deref(), Ok("1"), "no postgres");
            println!("skipped: no postgres");
            return None;
        };
        let folder = tool_trials::directory();
        let data = folder.path().join("data");
        std::fs::create_dir(&data).expect("a folder");
        if rustix::process::geteuid().is_root() {
            for path in [folder.path(), &data] {
                std::os::unix::fs::chown(path, Some(65534), Some(65534)).expect("another owner");
            }
        }
        let made = program(&tools.join("initdb"))
            .args(["--auth=trust", "--username=test", "--no-sync", "--encoding=UTF8", "--locale=C", "-D"])
            .arg(&data)
            .current_dir(folder.path())
            .output()
            .expect("initdb runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let process = program(&tools.join("postgres"))
            .arg("-D")
            .arg(&data)
            // Nothing here outlives the test: what a disk keeps is not what is tried.
            .args(["-c", "fsync=off", "-c", "full_page_writes=off"])
            .args(["-c", "listen_addresses=", "-c", "max_connections=200", "-k"])
            .arg(folder.path())
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("postgres runs");
        let server = Server { folder, process, tools };
        let deadline = Instant::now() + tool_trials::patience();
        while !server.psql("public", "SELECT 1").status.success() {
            assert!(Instant::now() < deadline, "postgres does not answer");
            std::thread::yield_now();
        }
        Some(server)
    }

    fn psql(&self, schema: &str, sql: &str) -> std::process::Output {
        let psql = self.tools.join("psql");
        let psql = if psql.exists() { psql } else { PathBuf::from("psql") };
        let mut command = Command::new(psql);
        command.env("PGOPTIONS", format!("-c search_path={schema}"));
        command.arg("-h").arg(self.folder.path()).args(["-U", "test", "-d", "postgres", "-c", sql]);
        command.output().expect("psql runs")
    }

    /// Makes a schema, for one journal: a database of its own would be three hundred files.
    pub(crate) fn create(&self, schema: &str) {
        self.run("public", &format!("CREATE SCHEMA {schema}"));
    }

    /// Runs a statement.
    pub(crate) fn run(&self, schema: &str, sql: &str) {
        let done = self.psql(schema, sql);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// How to connect.
    pub(crate) fn config(&self, schema: &str) -> String {
        let socket = self.folder.path().display();
        format!("host={socket} user=test dbname=postgres options='-c search_path={schema}'")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // SIGQUIT: it stops without writing down what is about to be removed.
        let pid = rustix::process::Pid::from_child(&self.process);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::QUIT);
        let _ = self.process.wait();
    }
}
