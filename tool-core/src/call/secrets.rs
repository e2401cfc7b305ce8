//! What an executor and its calls know of what must not leave.

use serde_json::Value;

use super::redact::KnownSecrets;
use super::{CallScope, Executor};
use crate::def::ToolDef;
use crate::secret::Secret;

impl Executor {
    /// What must not leave: what results, or else audit rows, are cleared of.
    pub(crate) fn known_secrets(&self) -> Option<&KnownSecrets> {
        let shape = self.inner().shape.as_ref().map(|shape| &*shape.secrets);
        let audit = || self.inner().outside.as_ref()?.audit.as_ref().map(|audit| &*audit.settings.secrets);
        shape.or_else(audit)
    }

    /// A secret that a call was handed: from now on nothing may let it out.
    pub(super) fn learn(&self, name: &str, secret: &Secret) {
        let audit = self.inner().outside.as_ref().and_then(|outside| outside.audit.as_ref());
        let audit = audit.map(|audit| &audit.settings.secrets);
        let shape = self.inner().shape.as_ref().map(|shape| &shape.secrets);
        for known in [shape, audit].into_iter().flatten() {
            known.learn(name, secret.expose());
        }
    }

    /// What must not leave a call: also its own secret arguments. They are known as they come, since decoding them may panic, and
    /// then as they are decoded.
    pub(super) fn keep_secrets(&self, tool: &ToolDef<'_>, args: &Value, scope: &CallScope) {
        match scope.own_secrets() {
            Some(own) => secret_texts(tool, args).into_iter().for_each(|(name, text)| own.learn(name, text)),
            None => {
                if let Some(own) = with_own(scope.known_secrets(), tool, args) {
                    scope.keep_secrets(own);
                }
            }
        }
    }
}

/// What is known already with the secrets among the arguments of a call; `None` where there are none among them.
pub(super) fn with_own(
    known: Option<&KnownSecrets>,
    tool: &ToolDef<'_>,
    args: &Value,
) -> Option<KnownSecrets> {
    let secret = secret_texts(tool, args);
    (!secret.is_empty()).then(|| known.unwrap_or(&KnownSecrets::default()).with(secret))
}

/// The texts of secret arguments, each with the name of its parameter.
fn secret_texts<'a>(tool: &ToolDef<'a>, args: &'a Value) -> Vec<(&'a str, &'a str)> {
    let mut found = Vec::new();
    for param in tool.params.iter().filter(|param| param.keys.secret) {
        for name in param.names() {
            texts(param.name, args.get(name).unwrap_or(&Value::Null), &mut found);
        }
    }
    found
}

/// Whether a tool is given secrets as arguments.
pub(super) fn takes_secrets(tool: &ToolDef<'_>) -> bool {
    tool.params.iter().any(|param| param.keys.secret)
}

/// The texts of a value, all under one name.
pub(crate) fn texts<'a>(name: &'a str, value: &'a Value, found: &mut Vec<(&'a str, &'a str)>) {
    match value {
        Value::String(text) => found.push((name, text)),
        Value::Array(items) => items.iter().for_each(|item| texts(name, item, found)),
        Value::Object(members) => members.values().for_each(|member| texts(name, member, found)),
        _ => {}
    }
}
