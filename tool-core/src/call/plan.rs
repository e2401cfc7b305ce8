//! A dry run: what a call would do, as far as that is known before its tool runs.

use serde_json::Value;

use super::decode::{Asked, Keep};
use super::secrets::{takes_secrets, with_own};
use super::who::Who;
use super::{Call, Caller, Executor};
use crate::context::ToolContext;
use crate::error::ToolError;

/// What a call would do (a dry run).
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The effective name of the tool.
    pub tool: String,
    /// The normal form of the arguments.
    pub args: Value,
    /// Whether somebody would be asked first.
    pub asks: bool,
}

impl Executor {
    /// What a call would do: decodes it, lets the gate judge it, and runs nothing.
    ///
    /// # Errors
    /// What the call itself would be refused with.
    pub async fn plan(&self, call: Call, ctx: &ToolContext, caller: Caller) -> Result<Plan, ToolError> {
        let inner = self.inner();
        let admitted = inner.admitted(ctx, caller)?;
        let (_, tool) = inner.find(&call.tool, admitted.as_ref())?;
        if let Some(admitted) = &admitted {
            admitted.check(tool).map_err(|refused| refused.0)?;
        }
        let keep = Keep { normal: true, given: admitted.is_some() };
        let mut asked = Asked::call(call);
        let known = self.known_secrets();
        let own = takes_secrets(tool.def()).then(|| with_own(known, tool.def(), &asked.raw_args())).flatten();
        let decoded = asked.decode(tool.def(), inner.reading, keep, || own.as_ref().or(known))?;
        let args = decoded.normal.map_or(Value::Null, |args| (*args).clone());
        if let Some(admitted) = &admitted {
            admitted.judge(tool, &args, &decoded.given)?;
        }
        let who = Who::of(ctx);
        let asks =
            inner.approve.as_ref().is_some_and(|approve| approve.asks(tool, &args, who, admitted.as_ref()));
        Ok(Plan { tool: tool.name().to_owned(), args, asks })
    }
}
