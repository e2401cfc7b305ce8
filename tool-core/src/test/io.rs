//! What the calls of a kit do through their capabilities.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::access::{Access, AccessSink};
use crate::call::redact::KnownSecrets;
use crate::context::ToolContext;

/// One use of a capability by a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Io {
    /// The tool that was called.
    pub tool: String,
    /// The id of the call.
    pub call: String,
    /// The capability, such as `clock` or `http`.
    pub capability: &'static str,
    /// What was done with it, without the secrets of the kit.
    pub what: String,
}

impl fmt::Display for Io {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}) {}: {}", self.tool, self.call, self.capability, self.what)
    }
}

/// The uses of all calls; its clones are the same list.
#[derive(Clone)]
pub(super) struct Accessed {
    all: Arc<Mutex<Vec<Io>>>,
    secrets: Arc<KnownSecrets>,
}

impl Accessed {
    pub(super) fn new(secrets: Arc<KnownSecrets>) -> Accessed {
        Accessed { all: Arc::default(), secrets }
    }

    /// All of them so far.
    pub(super) fn all(&self) -> Vec<Io> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps one.
    pub(super) fn note(&self, ctx: &ToolContext, access: Access<'_>) -> Io {
        let running = ctx.running();
        let io = Io {
            tool: running.map_or("", |call| call.tool()).to_owned(),
            call: running.and_then(|call| call.call_id()).unwrap_or_default().to_owned(),
            capability: access.capability,
            what: self.secrets.scrub(&access.what.to_string()),
        };
        self.all.lock().unwrap_or_else(PoisonError::into_inner).push(io.clone());
        io
    }
}

impl AccessSink for Accessed {
    fn accessed(&self, ctx: &ToolContext, access: Access<'_>) {
        self.note(ctx, access);
    }
}
