//! Asking a person before a destructive tool runs; where nobody can be asked it does not run. (cli.md §9)

use serde_json::Value;
use tool_core::{Call, Caller, Executor, ToolContext, ToolError};

use crate::answer::hide_secrets;
use crate::exit::ExitCode;
use crate::session::{Ready, Session};
use crate::visible::visible;

impl Session<'_> {
    /// Whether a call waits for a person: its tool is destructive and `--yes` was not given.
    pub(crate) fn asks(ready: &Ready) -> bool {
        ready.destructive && !ready.stage.settings.as_ref().is_some_and(|settings| settings.yes)
    }

    /// Asks where that is needed, runs the call and writes its result.
    pub(crate) async fn ask_and_call(&mut self, mut ready: Ready) -> ExitCode {
        if Self::asks(&ready)
            && let Err(refusal) = self.approve(&ready).await
        {
            return self.finish(&ready, Err(refusal));
        }
        let call = std::mem::take(&mut ready.call);
        let result = ready.executor.call(call, &ready.ctx, Caller::Cli).await;
        self.finish(&ready, result)
    }

    /// Asks for a call, after its arguments have been checked.
    ///
    /// # Errors
    /// What the call itself would be refused with; `denied`, code `approval_unavailable` or `approval_denied`.
    async fn approve(&mut self, ready: &Ready) -> Result<(), ToolError> {
        let plan = ready.executor.plan(ready.call.clone(), &ready.ctx, Caller::Cli).await?;
        let silent = ready.stage.settings.as_ref().is_none_or(|settings| settings.no_input);
        let terminal = self.io.terminal.as_mut().filter(|_| self.io.tty.stderr && !silent);
        let Some(terminal) = terminal else { return Err(unavailable(&plan.tool)) };
        let command = [vec![self.cli.name.clone()], ready.stage.command.clone().unwrap_or_default()].concat();
        let args = hide_secrets(plan.args, &ready.stage.table);
        let answer = terminal.ask(&question(&command.join(" "), &args));
        match answer {
            Ok(Some(answer)) if answer.trim() == "y" => Ok(()),
            _ => Err(ToolError::denied(format!("{} was not approved.", plan.tool)).code("approval_denied")),
        }
    }
}

/// Refuses a destructive call of a batch, in which nobody is asked, after its arguments have been checked.
///
/// # Errors
/// As [`Session::approve`].
pub(crate) async fn unasked(executor: &Executor, call: &Call, ctx: &ToolContext) -> Result<(), ToolError> {
    let destructive = executor.registry().get(&call.tool).is_some_and(|tool| tool.def().behavior.destructive);
    if !destructive {
        return Ok(());
    }
    let plan = executor.plan(call.clone(), ctx, Caller::Cli).await?;
    Err(unavailable(&plan.tool))
}

fn unavailable(tool: &str) -> ToolError {
    ToolError::denied(format!("{tool} is destructive, and there is nobody to ask."))
        .code("approval_unavailable")
        .hint(format!("run with --yes, or set approve = \"never\" for {tool} in the policy"))
}

/// What is asked: the command and every argument, control characters escaped.
fn question(command: &str, args: &Value) -> String {
    let members = args.as_object().into_iter().flatten();
    let width = members.clone().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = format!("'{command}' is destructive. The agent operator wants to run it with:\n");
    for (name, value) in members {
        text.push_str(&visible(&format!("  {name:width$}  {value}").replace('\n', "\\n")));
        text.push('\n');
    }
    text.push_str("Run it? y = once, anything else = no: ");
    text
}
