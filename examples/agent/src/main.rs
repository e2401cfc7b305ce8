//! An agent that answers a question about a directory with the file tools:
//! `agent --provider anthropic --model NAME 'What does this project do?'`.
//!
//! The whole of it is a registry, an executor, a model and [`ToolLoop`]. Its calls are told on standard error, its answer
//! is standard output, and its exit status is that of the kind of failure.

mod options;

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use options::Options;
use tool_agent::model::http::HttpModel;
use tool_agent::{Outcome, Run, ToolLoop};
use tool_core::{EnvSecrets, Executor, Registry, ToolContext, ToolError};
use tool_std::file::{FileInfoTool, FindFilesTool, ListDirTool, ReadFileTool, SearchFilesTool};
use tool_std::{Workspace, WorkspacePolicy};

const SYSTEM: &str = "Answer the question about the files of the working directory. Look with the tools before you answer, \
    name the files that your answer rests on, and say so when they do not tell.";

#[tokio::main]
async fn main() -> ExitCode {
    let Some(options) = Options::read() else { return ExitCode::FAILURE };
    let outcome = match answer(&options).await {
        Ok(run) => {
            tell(&run);
            run.outcome
        }
        Err(error) => Outcome::Failed(error),
    };
    match outcome {
        Outcome::Text(text) => said(&text),
        Outcome::Finished(finish) => said(&finish.data.to_string()),
        Outcome::Refused(text) => failed(&ToolError::denied("The model refused.").detail("message", text)),
        Outcome::Limit(limit) => failed(&ToolError::failed(format!("The run met its limit of {limit}."))),
        Outcome::Failed(error) => failed(&error),
    }
}

async fn answer(options: &Options) -> Result<Run, ToolError> {
    let tools = Registry::builder().add::<ListDirTool>().add::<FindFilesTool>().add::<SearchFilesTool>();
    let registry = tools.add::<ReadFileTool>().add::<FileInfoTool>().build()?;
    let workspace = Workspace::open(&options.root, WorkspacePolicy::default())?;
    let cx = ToolContext::builder()
        .secrets(EnvSecrets)
        .provide_with(move |call| Arc::new(workspace.for_call(call)))
        .build();
    let model = HttpModel::new(options.dialect, &options.model)?
        .stream(options.stream)
        .max_output(options.max_output)
        .timeout(options.timeout);
    let model = match &options.base_url {
        Some(address) => model.base_url(address)?,
        None => model,
    };
    let agent = ToolLoop::new(model, Executor::standard(registry).build()?).system(SYSTEM);
    let running = agent.run(&options.prompt, &cx);
    tokio::pin!(running);
    tokio::select! {
        run = &mut running => return Ok(run),
        _ = tokio::signal::ctrl_c() => cx.cancel(),
    }
    Ok(running.await)
}

/// Says what was called.
fn tell(run: &Run) {
    let mut err = io::stderr().lock();
    for call in run.turns.iter().flat_map(|turn| &turn.calls) {
        let became = call.result.as_ref().map_or_else(|error| error.to_string(), |_| "ok".to_owned());
        let _ = writeln!(err, "{} {}: {became}", call.tool, call.args);
    }
}

fn said(text: &str) -> ExitCode {
    match writeln!(io::stdout(), "{text}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn failed(error: &ToolError) -> ExitCode {
    let mut err = io::stderr().lock();
    let _ = writeln!(err, "error[{}]: {}", error.code_str(), error.message());
    for (key, value) in error.details() {
        let _ = writeln!(err, "  {key}: {value}");
    }
    let _ = error.hint_str().map(|hint| writeln!(err, "help: {hint}"));
    ExitCode::from(error.kind().exit_code())
}
