//! The tools, each with the call that it makes.

use std::sync::Arc;

use rig_core::message::ToolName;
use rig_core::tool::{DynamicTool, ToolContext as RigContext, ToolExecutionError, ToolOutput};
use serde_json::{Value, json};
use tool_core::dialect::{Dialect as _, DialectId, Plan, PlanOptions};
use tool_core::{Call, Caller, Executor, ToolContext, ToolEntry, ToolError};

use crate::failure::failure;
use crate::meta::Meta;
use crate::output::output;

/// How tools are described and calls are read: without what providers' schemas do not share, since rig passes a schema on to
/// whichever provider the agent has.
const DIALECT: DialectId = DialectId::Mcp20251125;

/// The tools of an executor that are listed, as rig's dynamic tools; those that the context's snapshot shows, where it has
/// one.
///
/// Calls run in `ctx`. A call of rig's may bring another context as a scope of its own:
/// `rig_core::tool::ToolContext::with_scope(Arc::new(ctx))`; the agent's runner and tool server pass it on. What the
/// pipeline notes about a call, such as coercions, is published as [`Meta`], which no model sees.
///
/// # Errors
/// `internal`: a tool cannot be described.
pub fn tools(executor: &Executor, ctx: &ToolContext) -> Result<Vec<DynamicTool>, ToolError> {
    let entries: Vec<&ToolEntry> = match ctx.snapshot() {
        Some(snapshot) => executor.visible(snapshot),
        None => executor.registry().iter().collect(),
    };
    let entries: Vec<&ToolEntry> = entries.into_iter().filter(|entry| !entry.def().hidden).collect();
    let plan = Arc::new(DIALECT.plan(&entries, &PlanOptions::default())?);
    let descriptors = match DIALECT.tools(&plan) {
        Value::Array(descriptors) => descriptors,
        _ => Vec::new(),
    };
    let bridge = |descriptor| {
        Bridge { executor: executor.clone(), ctx: ctx.clone(), plan: Arc::clone(&plan) }.tool(descriptor)
    };
    descriptors.into_iter().map(bridge).collect()
}

/// What a call needs.
#[derive(Clone)]
struct Bridge {
    executor: Executor,
    ctx: ToolContext,
    plan: Arc<Plan>,
}

impl Bridge {
    fn tool(self, mut descriptor: Value) -> Result<DynamicTool, ToolError> {
        let mut take = |member: &str| descriptor.get_mut(member).map(Value::take).unwrap_or_default();
        let (name, description, schema) = (take("name"), take("description"), take("inputSchema"));
        let name: Arc<str> = name.as_str().unwrap_or_default().into();
        let shown = ToolName::new(name.as_ref()).map_err(|error| ToolError::internal(error.to_string()))?;
        let description = description.as_str().unwrap_or_default();
        Ok(DynamicTool::new_with_context(
            shown,
            description,
            schema,
            move |context: &mut RigContext, args| {
                let (bridge, name) = (self.clone(), Arc::clone(&name));
                Box::pin(async move { bridge.call(&name, args, context).await })
            },
        ))
    }

    async fn call(
        &self,
        name: &str,
        args: Value,
        context: &mut RigContext,
    ) -> Result<ToolOutput, ToolExecutionError> {
        let own = context.scope::<ToolContext>();
        let ctx = own.as_deref().unwrap_or(&self.ctx);
        let result = match self.decoded(name, args) {
            Ok(args) => self.executor.call(Call::new(name, args), ctx, Caller::Llm).await,
            Err(error) => Err(error),
        };
        match result {
            Ok(done) => {
                if !done.meta.is_empty() {
                    context.insert_result(Meta(done.meta.clone()))?;
                }
                output(done)
            }
            Err(error) => Err(failure(name, error)),
        }
    }

    /// The arguments as the function has them, where the schema that was shown is another.
    fn decoded(&self, name: &str, args: Value) -> Result<Value, ToolError> {
        let reply = DIALECT.decode(&self.plan, &json!({"name": name, "arguments": args}), 0)?;
        reply.calls.into_iter().next().map_or_else(|| Ok(json!({})), |call| call.args)
    }
}
