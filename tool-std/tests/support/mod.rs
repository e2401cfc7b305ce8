//! A workspace with a sandbox around it, for the tests of the shell group.
#![allow(dead_code, clippy::unwrap_used, clippy::print_stdout)]

pub(crate) mod records;
pub(crate) mod survivors;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tool_core::{Call, Caller, Executor, Registry, ToolContext, ToolResult};
use tool_std::sandbox::{Sandbox, SandboxPolicy};
use tool_std::shell::{
    BashTool, ProcessListTool, ProcessOutputTool, ProcessStopTool, Processes, RunCommandTool,
};
use tool_std::{Workspace, WorkspacePolicy};

#[allow(unused_imports, reason = "not every test asks")]
pub(crate) use tool_trials::{has_program, is_installed, load_factor, skip};

/// The helper that Cargo built beside the tests.
pub(crate) const HELPER: &str = env!("CARGO_BIN_EXE_toolbox-sandbox");

/// A directory with a workspace `root`, and beside it `out`, which no command may reach.
pub(crate) struct Bench {
    directory: tool_trials::Directory,
    pub(crate) sandbox: Sandbox,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(SandboxPolicy::default())
    }

    pub(crate) fn with(policy: SandboxPolicy) -> Self {
        let directory = Self::directory();
        Self::at(directory, policy)
    }

    pub(crate) fn directory() -> tool_trials::Directory {
        let directory = tool_trials::directory();
        for name in ["root", "out"] {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        directory
    }

    pub(crate) fn at(directory: tool_trials::Directory, policy: SandboxPolicy) -> Self {
        Self::try_at(directory, policy).unwrap()
    }

    pub(crate) fn try_at(
        directory: tool_trials::Directory,
        policy: SandboxPolicy,
    ) -> Result<Self, tool_core::ToolError> {
        let workspace = Workspace::open(&directory.path().join("root"), WorkspacePolicy::default())?;
        let policy = SandboxPolicy { helper: Some(policy.helper.unwrap_or(HELPER.into())), ..policy };
        Ok(Self { sandbox: Sandbox::open(policy, &workspace)?, directory })
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.directory.path().join("out")
    }

    /// A context that provides the sandbox, bound to each call.
    pub(crate) fn context(&self) -> ToolContext {
        let sandbox = self.sandbox.clone();
        ToolContext::builder().provide_with(move |ctx| Arc::new(sandbox.for_call(ctx))).build()
    }

    /// A context of a program that lives on, for one owner of its background processes.
    pub(crate) fn context_of(&self, processes: &Processes) -> ToolContext {
        let sandbox = self.sandbox.clone();
        ToolContext::builder()
            .provide_with(move |ctx| Arc::new(sandbox.for_call(ctx)))
            .provide(processes.clone())
            .build()
    }

    /// Calls a tool through the executor.
    pub(crate) async fn call(&self, tool: &str, args: Value) -> ToolResult {
        executor().call(Call::new(tool, args), &self.context(), Caller::Llm).await
    }

    /// Runs a script with `sh -c` by the tool `bash`, whatever its exit code.
    pub(crate) async fn sh(&self, script: &str) -> Value {
        let args = serde_json::json!({"cmd": "sh", "args": ["-c", script], "check": false, "timeout": 20});
        self.call("bash", args).await.unwrap().data()
    }

    /// Whether a process of this bench is alive when what was killed is gone.
    pub(crate) fn has_survivors(&self) -> bool {
        survivors::are_left(&self.root())
    }
}

pub(crate) fn executor() -> Executor {
    Executor::standard(registry()).build().unwrap()
}

/// The tools that run commands.
pub(crate) fn registry() -> Registry {
    Registry::builder().add::<BashTool>().add::<RunCommandTool>().build().unwrap()
}

/// Every tool of the group, for a program that lives on.
pub(crate) fn executor_of_all() -> Executor {
    let registry = Registry::builder()
        .add::<BashTool>()
        .add::<RunCommandTool>()
        .add::<ProcessListTool>()
        .add::<ProcessOutputTool>()
        .add::<ProcessStopTool>()
        .build()
        .unwrap();
    Executor::standard(registry).build().unwrap()
}
