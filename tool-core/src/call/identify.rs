//! The identify step: which call is this, and is its outcome recorded already? (calls.md §2, journal.md §3)
//!
//! It stands outside of approval and limits, so that a call whose outcome will only be repeated asks nobody and takes no
//! place. Where the journal then decides otherwise, the call goes through them again.

use std::sync::Arc;

use super::journal::{Recorder, Shared, refused};
use super::layer::{Invocation, Layer, Next};
use super::recording::Identity;
use crate::canonical;
use crate::def::{BoxFuture, ToolDef};
use crate::error::ToolError;
use crate::journal::key::canonical_arguments;
use crate::journal::state::{self, Decision, Incoming};
use crate::journal::{CallKey, Class, Row, RowQuery};
use crate::output::ToolResult;

/// In [`super::Ext`]: the recorded outcome will be repeated; nothing will run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WillReplay;

/// What the journal step answers when a call that was let pass as a replay is none.
pub(super) const RECONSIDER: &str = "journal_reconsider";

/// The layer.
pub(super) struct Identify(pub(super) Arc<Shared>);

impl Identify {
    async fn identify(&self, inv: &Invocation<'_>) -> Result<Identity, ToolError> {
        let Some(scope) = inv.ctx.running() else { return Ok(Identity::default()) };
        let (journal, def) = (&self.0.journal, inv.tool.def());
        let aliases: Vec<&str> = inv.tool.aliases().collect();
        let arguments = canonical_arguments(def, &inv.args, &journal.pepper());
        let args_sha256 = canonical::sha256(&arguments);
        let mut taken = Vec::new();
        // Reads are not deduplicated: their number need not be right.
        if def.behavior.side_effect && !inv.ctx.run_id().is_empty() && scope.recording().explicit.is_none() {
            let query = RowQuery {
                task: Some(inv.ctx.coordinates().task()),
                attempt: Some(inv.ctx.attempt()),
                tool: Some(inv.tool.name().to_owned()),
                args_sha256: Some(args_sha256.clone()),
                brief: true,
                ..RowQuery::default()
            };
            let parent = scope.parent().map(|parent| parent.id());
            let rows = journal.rows(&query).await?;
            let other = |row: &&Row| row.parent_call_id.as_deref() == parent && row.call_id != scope.id();
            taken.extend(rows.iter().filter(other).map(|row| row.ordinal));
        }
        let arguments = (&arguments, args_sha256);
        let identity = scope.identify(inv.tool.name(), &aliases, arguments, &taken);
        Ok(scope.recording().set_identity(identity).clone())
    }

    /// Whether the recorded outcome would be repeated, as things stand.
    async fn will_replay(&self, inv: &Invocation<'_>, identity: &Identity) -> Result<bool, ToolError> {
        let class = Class::of(inv.tool.def());
        if class == Class::Pure {
            return Ok(false);
        }
        let own = (inv.tool.name().to_owned(), identity.keys.call_key.clone());
        for (tool, key) in std::iter::once(&own).chain(&identity.former) {
            let key = CallKey { tenant: inv.ctx.tenant().to_owned(), tool: tool.clone(), key: key.clone() };
            if let Some(row) = self.0.journal.peek(&key).await? {
                let call = Incoming { class, attempt: inv.ctx.attempt(), args_sha256: &identity.args_sha256 };
                return Ok(state::begin(Some(&row), call, true).1 == Decision::Replay);
            }
        }
        Ok(false)
    }

    async fn pass<'a>(&'a self, mut inv: Invocation<'a>, next: Next<'a>) -> ToolResult {
        let identity = self.identify(&inv).await.map_err(refused)?;
        if !self.will_replay(&inv, &identity).await.map_err(refused)? {
            return next.run(inv).await;
        }
        let again = next.again();
        let plain = Invocation {
            tool: inv.tool,
            args: Arc::clone(&inv.args),
            ctx: inv.ctx,
            caller: inv.caller,
            ext: inv.ext.clone(),
        };
        inv.ext.insert(WillReplay);
        match next.run(inv).await {
            Err(error) if error.code_str() == RECONSIDER => again.run(plain).await,
            result => result,
        }
    }
}

impl Layer for Identify {
    fn concerns(&self, tool: &ToolDef<'_>) -> bool {
        self.0.concerns(tool)
    }

    fn call<'a>(&'a self, inv: Invocation<'a>, next: Next<'a>) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let recording = inv.ctx.scope_of_call();
            let result = self.pass(inv, next).await;
            // A call that was refused before its intent gives its number back.
            if let Some(scope) = recording {
                Recorder::release(scope);
            }
            result
        })
    }
}
