//! The process sandbox on this machine, with real programs as attackers.

use std::path::Path;
use std::time::Duration;

use tool_std::sandbox::{Command, End, Finished, Sandbox, SandboxPolicy};
use tool_std::{Workspace, WorkspacePolicy};

struct Bench {
    directory: tempfile::TempDir,
    sandbox: Sandbox,
}

impl Bench {
    fn with(policy: SandboxPolicy) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("root")).unwrap();
        let workspace = Workspace::open(&directory.path().join("root"), WorkspacePolicy::default()).unwrap();
        let policy = SandboxPolicy { helper: Some(env!("CARGO_BIN_EXE_toolbox-sandbox").into()), ..policy };
        Self { sandbox: Sandbox::open(policy, &workspace).unwrap(), directory }
    }

    async fn sh(&self, script: &str) -> Finished {
        let command = Command::new("sh", Duration::from_secs(10)).args(["-c", script]);
        self.sandbox.run(command).await.unwrap()
    }

    fn root(&self) -> std::path::PathBuf {
        self.directory.path().join("root")
    }
}

#[tokio::test]
async fn a_command_runs_in_the_workspace_and_its_output_comes_back() {
    let bench = Bench::with(SandboxPolicy::default());
    println!("{:#}", bench.sandbox.report().to_json());
    let ended = bench.sh("pwd; id; ls -la / /tmp /dev /proc/self/fd; env; mount; echo err >&2; echo made > file; echo $$; ls /proc; exit 3").await;
    println!(
        "{}\n{}\n{:?} {:?} {:?}",
        ended.stdout.text, ended.stderr.text, ended.end, ended.duration, ended.cpu
    );
    assert_eq!(ended.end, End::Exit(3));
    assert_eq!(std::fs::read_to_string(bench.root().join("file")).unwrap(), "made\n");
    assert!(Path::new("/proc").exists());
}
